"""What the accesses of section VI give in the mean, in closed form.

Each satellite has `ACCESSES` accesses, independent of each other, to a page of rank r with a
probability in proportion to 1/r (equations 1 and 2); so a page is idle during a satellite's
service with the probability (1 - p_r) ^ ACCESSES.
"""

from __future__ import annotations

import numpy as np

PAGES = 1000
ACCESSES = 1000
SATELLITES = 6


def idle() -> np.ndarray:
    """Give the probability of each page to be idle during the service of a satellite."""
    weights = 1.0 / np.arange(1, PAGES + 1)
    idle: np.ndarray = (1.0 - weights / weights.sum()) ** ACCESSES
    return idle


def pages_at(satellite: int, serving: int) -> float:
    """Give the mean number of pages at a satellite at the end of the service of another.

    Those are the pages used while it served and idle since; both are counted from 0.
    """
    return float(((1.0 - idle()) * idle() ** (serving - satellite)).sum())


def pages(serving: int) -> float:
    """Give the mean number of pages that exist at the end of a satellite's service."""
    return float((1.0 - idle() ** (serving + 1)).sum())


def moved(hops: bool) -> float:
    """Give the mean number of movements on demand in all handovers.

    A page moves to the satellite that uses it from the one that used it last: a movement, or a
    movement over each link between the two.
    """
    return float(
        sum(
            ((1.0 - idle()) ** 2 * idle() ** (distance - 1)).sum() * (distance if hops else 1)
            for serving in range(1, SATELLITES)
            for distance in range(1, serving + 1)
        )
    )


def moved_ahead() -> float:
    """Give the mean number of movements if each handover moves all pages that exist."""
    return sum(pages(serving) for serving in range(SATELLITES - 1))
