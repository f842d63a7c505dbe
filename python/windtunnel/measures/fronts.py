"""Pareto fronts of points that several runs measured: what no other point surely beats."""

from __future__ import annotations

import numpy
from numpy.typing import NDArray

from windtunnel.measures.intervals import factor

Values = NDArray[numpy.float64]
"""A row for each point and a column for each seed; not a number where a run is missing."""


def on_front(less: Values, more: Values) -> NDArray[numpy.bool_]:
    """Say which points no other one beats: with less of the first and more of the second measure.

    A point is beaten by one that is better in one of the two and not worse in the other, where only
    differences count whose 95 % confidence interval (Student's t, paired by seed) does not contain
    zero. A single pair, of which no spread is known, counts as it is.
    """
    return numpy.array([not is_beaten(less, more, place) for place in range(len(less))], dtype=bool)


def is_beaten(less: Values, more: Values, place: int) -> bool:
    """Say whether any point beats the one at a place."""
    lower, higher = -certain(less, place), certain(more, place)
    return bool(((lower >= 0) & (higher >= 0) & (lower + higher > 0)).any())


def certain(values: Values, place: int) -> Values:
    """Give the sign of each point's difference from the one at a place: 0 if it is not certain."""
    pairs = values - values[place]
    known = ~numpy.isnan(pairs)
    count = known.sum(axis=1)
    mean = numpy.where(known, pairs, 0.0).sum(axis=1) / numpy.maximum(count, 1)
    squares = numpy.where(known, pairs - mean[:, None], 0.0) ** 2
    deviation = numpy.sqrt(squares.sum(axis=1) / numpy.maximum(count - 1, 1))
    factors = numpy.array([factor(it) or 0.0 for it in range(values.shape[1] + 1)])
    return numpy.where(numpy.abs(mean) > factors[count] * deviation, numpy.sign(mean), 0.0)
