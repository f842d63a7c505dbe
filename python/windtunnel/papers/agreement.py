"""When a measured value agrees with a published one, and when runs confirm a relation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Literal

from windtunnel.measures.intervals import Interval, interval
from windtunnel.measures.measure import Bound

TOLERANCE = 0.1
"""The relative difference up to which two values match."""

TIE = 0.02
"""The relative difference up to which two values are tied, if nothing else is stated."""

NEAR = 2.0
"""The factor within which values must be for their ranking to count."""

AT_BOUND = 0.03
"""How far beyond a bound, relative to it, a published value may lie and still be at it: about
what counting headers as payload makes."""

Runs = Mapping[int, float]
"""A value in each run, by the run's number. Runs of one number share their random streams."""

Relation = Literal["more", "less", "tied", "open"]
"""How a value relates to another: its 95 % interval lies beyond the margin of a tie, within
it, or neither (`open`)."""

Place = Literal["possible", "at the bound", "impossible"]
"""Where a published value lies with regard to a bound."""


def rounding(published: Decimal, beside: Iterable[Decimal] = ()) -> float:
    """Give half a unit of the last digit of a published value.

    A zero has no digits of its own: it has as many as the values printed beside it.
    """
    shown = [published] if published else [published, *beside]
    return 0.5 * 10.0 ** min(exponent(value) for value in shown)


def exponent(value: Decimal) -> int:
    """Give the decimal exponent of the last digit of a finite number."""
    found = value.as_tuple().exponent
    assert isinstance(found, int), "a published value is a number"
    return found


def match(published: float, measured: float, half_digit: float = 0.0) -> bool:
    """Say whether a value is within the tolerance of a published one, or rounds to it."""
    return abs(measured - published) <= max(TOLERANCE * abs(published), half_digit)


def match_expected(
    published: float, expected: tuple[float, float], half_digit: float = 0.0
) -> bool:
    """Say whether a value matches one of those that are expected, from the least to the most."""
    low, high = expected
    return match(published, min(max(published, low), high), half_digit)


def match_gain(published: float, measured: float, half_digit: float = 0.0) -> bool:
    """Say whether a gain in percent matches: the factors that they stand for do."""
    return match(factor_of(published), factor_of(measured), half_digit / 100)


def factor_of(percent: float) -> float:
    """Give the factor that a gain in percent stands for."""
    return 1 + percent / 100


def place(published: Decimal, half_digit: float, bound: Bound) -> Place:
    """Say whether a published value is possible.

    Beyond a bound it is *at the bound* if its rounding or `AT_BOUND` explains it.
    """
    value = float(published)
    beyond = 0.0
    limit = 0.0
    if bound.maximum is not None and value > bound.maximum:
        beyond, limit = value - bound.maximum, bound.maximum
    elif bound.minimum is not None and value < bound.minimum:
        beyond, limit = bound.minimum - value, bound.minimum
    if beyond == 0.0:
        return "possible"
    return "at the bound" if beyond <= max(half_digit, AT_BOUND * abs(limit)) else "impossible"


def single(columns: Iterable[Runs]) -> bool:
    """Say whether columns, each with at least one run, have too few runs to compare."""
    return any(len(runs) < 2 for runs in columns)


def difference(of: Runs, over: Runs, factor: float = 1.0) -> Interval | None:
    """Give by how much one value exceeds `factor` times another, relative to their mean size.

    Runs with the same number are compared with each other; None if there are none.
    """
    common = sorted(of.keys() & over.keys())
    if not common:
        return None
    found = interval([of[run] - factor * over[run] for run in common])
    sizes = (abs(of[run]) + abs(factor * over[run]) for run in common)
    size = sum(sizes) / 2 / len(common)
    return found.scaled(1 / size) if size > 0 else Interval(0.0, 0.0, 0.0)


def relation(of: Runs, over: Runs, factor: float = 1.0, tie: float = TIE) -> Relation | None:
    """Say how a value relates to `factor` times another; None without common runs."""
    found = difference(of, over, factor)
    if found is None:
        return None
    if found.low > tie:
        return "more"
    if found.high < -tie:
        return "less"
    return "tied" if -tie <= found.low and found.high <= tie else "open"
