"""Confidence intervals of means: Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, stdev

CONFIDENCE = 0.95
"""The probability with which an interval holds the true mean."""


@dataclass(frozen=True)
class Interval:
    """A mean, and the interval that holds the true one with the probability `CONFIDENCE`."""

    mean: float
    low: float
    high: float

    @property
    def ends(self) -> tuple[float, float]:
        """Its two ends."""
        return (self.low, self.high)

    def scaled(self, factor: float) -> Interval:
        """Multiply by a factor that is not negative."""
        return Interval(self.mean * factor, self.low * factor, self.high * factor)


def interval(values: Sequence[float]) -> Interval:
    """Give the interval of the mean of at least one value.

    A single value, like equal ones, has an interval without width: no spread is known.
    """
    mean, half = fmean(values), half_width(values)
    return Interval(mean, mean - half, mean + half)


def prediction(values: Sequence[float]) -> Interval:
    """Give the interval that holds one more value, of at least two, with the probability
    `CONFIDENCE`: the mean ± t s √(1 + 1/n)."""
    mean, half = fmean(values), half_width(values) * math.sqrt(len(values) + 1)
    return Interval(mean, mean - half, mean + half)


def half_width(values: Sequence[float], confidence: float = CONFIDENCE) -> float:
    """Give half the width of the confidence interval of the mean; 0 of a single value."""
    scale = factor(len(values), confidence)
    return 0.0 if scale is None else scale * stdev(values)


@cache
def factor(count: int, confidence: float = CONFIDENCE) -> float | None:
    """Give half an interval's width in sample standard deviations; None below two values.

    The values are taken as independent and normally distributed (Student, "The
    probable error of a mean", Biometrika 6, 1908).
    """
    if count < 2:
        return None
    # Imported here: SciPy takes longer to load than most commands take.
    from scipy.special import stdtrit

    return float(stdtrit(count - 1, (1 + confidence) / 2)) / math.sqrt(count)
