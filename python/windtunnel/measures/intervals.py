"""Confidence intervals of means: Student's t."""

from __future__ import annotations

import math
from functools import cache

CONFIDENCE = 0.95
"""The probability with which an interval holds the true mean."""


@cache
def factor(count: int, confidence: float = CONFIDENCE) -> float | None:
    """Give half an interval's width in sample standard deviations; None below two values.

    The values are taken as independent and normally distributed (Student, "The
    probable error of a mean", Biometrika 6, 1908).
    """
    # Imported here: SciPy takes longer to load than most commands take.
    from scipy.special import stdtrit

    if count < 2:
        return None
    return float(stdtrit(count - 1, (1 + confidence) / 2)) / math.sqrt(count)
