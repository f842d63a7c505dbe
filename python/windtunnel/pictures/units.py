"""Numbers for people: a unit that suits them, and as many digits as say something."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

RATES = (("Mbps", 1e6, 1e5), ("Gbps", 1e9, 1e10), ("kbps", 1e3, 1e2), ("bps", 1.0, 0.0))

SCALES = {
    "bit/s": RATES,
    # As scenario files have it, and thus the parameters of studies.
    "bps": RATES,
    "s": (("ms", 1e-3, 1e-4), ("s", 1.0, 10.0), ("µs", 1e-6, 0.0)),
    "B": (("KiB", 1024.0, 1e3), ("MiB", 1024.0**2, 1e7), ("B", 1.0, 0.0)),
    "share": (("%", 1e-2, 0.0),),
}
"""For a base unit those that people read: name, size, and from which value on. The
first is the usual one."""

DIGITS = 4
"""Significant digits of the greatest number of a column."""


@dataclass(frozen=True)
class Scale:
    """A unit to show numbers in."""

    unit: str
    size: float

    def title(self, text: str) -> str:
        """Name an axis or a column."""
        return f"{text} ({self.unit})" if self.unit else text


def scale(unit: str, values: Iterable[float | None]) -> Scale:
    """Choose how to show values of a base unit; one without choices stays as it is."""
    scales = SCALES.get(unit, ((unit, 1.0, 0.0),))
    maximum = max(map(abs, finite(values)), default=0.0)
    fitting = [it for it in scales if maximum >= it[2]] if maximum else scales[:1]
    name, size, _ = max(fitting, key=lambda it: it[2])
    return Scale(name, size)


def finite(values: Iterable[float | None]) -> list[float]:
    """Leave out what is missing or no number."""
    return [value for value in values if value is not None and math.isfinite(value)]


def minimum(values: pl.Series) -> float:
    """Give the least number of a column; 0 where there is none."""
    return min(values.drop_nulls().to_list(), default=0.0)


def maximum(values: pl.Series) -> float:
    """Give the greatest number of a column; 0 where there is none."""
    return max(values.drop_nulls().to_list(), default=0.0)


def decimals(values: Iterable[float | None]) -> int:
    """Give the digits after the point for a column: none if all its values are whole."""
    known = finite(values)
    maximum = max(map(abs, known), default=0.0)
    if all(value == round(value) for value in known) or maximum == 0.0:
        return 0
    return min(max(DIGITS - 1 - math.floor(math.log10(maximum)), 0), 9)


def decimals_beside(half: float | None, most: int) -> int:
    """Give the digits after the point of a mean beside half its interval: at most `most`, and none
    after the interval's second significant digit, since those say nothing."""
    if not half:
        return most
    return min(most, max(0, 1 - math.floor(math.log10(half))))


def written(value: float | None, digits: int) -> str:
    """Write a number with that many digits after the point; a dash if it is missing."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{value:,.{digits}f}"


def significant(value: float) -> str:
    """Write a single number with its significant digits, and no more of them."""
    return written(value, decimals([value]))
