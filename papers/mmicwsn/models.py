"""What follows in closed form: rain over a year, and what a tool's report says about a transfer."""

from __future__ import annotations

from math import log10

from scipy.optimize import brentq

RAREST, MOST_OFTEN = 0.001, 1.0
"""The percentages of a year for which P.530 states its law."""


def exceeded(percent: float, frequency_ghz: float) -> float:
    """Give rain's attenuation for a percentage of a year, over that for 0.01 % of it.

    ITU-R P.530-17, equations 34 to 37, from 10 GHz on.
    """
    c0 = 0.12 + 0.4 * log10((frequency_ghz / 10) ** 0.8)
    c1 = 0.07**c0 * 0.12 ** (1 - c0)
    c2 = 0.855 * c0 + 0.546 * (1 - c0)
    c3 = 0.139 * c0 + 0.043 * (1 - c0)
    return float(c1 * percent ** -(c2 + c3 * log10(percent)))


def unavailable(margin_db: float, attenuation_db: float, frequency_ghz: float) -> float:
    """Give for which percentage of a year rain takes more than a margin.

    `attenuation_db` is what it takes for 0.01 % of the year. Beyond what the law is stated for,
    the nearest percentage for which it is.
    """

    def above(percent: float) -> float:
        return attenuation_db * exceeded(percent, frequency_ghz) - margin_db

    if above(MOST_OFTEN) >= 0:
        return MOST_OFTEN
    if above(RAREST) <= 0:
        return RAREST
    return float(brentq(above, RAREST, MOST_OFTEN))
