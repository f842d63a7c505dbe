"""Differences between cases, paired by run: of what differs in nothing but one thing.

Runs with the same number have the same random streams, so that what both cases have in common
cancels out, and the interval of the mean difference (Student's t) is the one of a paired sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import polars as pl

from windtunnel.measures import totals
from windtunnel.measures.columns import (
    COMPLETION,
    DELAY,
    GOODPUT,
    ONE_WAY_DELAY,
    MeasuredColumn,
)
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.measures.intervals import interval
from windtunnel.tables import ResultTables

MEASURES = (GOODPUT, DELAY, ONE_WAY_DELAY, COMPLETION)
"""What is compared."""

Values = Mapping[int, float]
"""A value for each run or seed."""


@dataclass(frozen=True)
class Difference:
    """The mean of a measure in one case less that in another one."""

    measure: MeasuredColumn
    first: str
    """What the case is called that is subtracted."""
    second: str
    mean: float
    low: float | None
    """The ends of the interval; None where each case is the same in all runs: it is exact."""
    high: float | None
    runs: int
    """The number of pairs."""

    @property
    def is_significant(self) -> bool:
        """Whether zero is not in the interval, or where there is none, whether there is any."""
        if self.low is None or self.high is None:
            return self.mean != 0
        return not self.low <= 0 <= self.high

    def row(self) -> dict[str, str | float | None]:
        """Give it as JSON values, the measure by its column."""
        return asdict(self) | {"measure": self.measure.column}


def difference(
    measure: MeasuredColumn, names: tuple[str, str], first: Values, second: Values
) -> Difference | None:
    """Compare two cases by what both have; None without two pairs, which have no spread."""
    both = [(value, second[it]) for it, value in first.items() if it in second]
    if len(both) < 2:
        return None
    found = interval([other - one for one, other in both])
    # Where nothing is random, more runs say no more.
    is_exact = len(set(both)) == 1
    low, high = (None, None) if is_exact else found.ends
    return Difference(measure, *names, found.mean, low, high, len(both))


def of_results(results: ResultTables) -> list[Difference]:
    """Compare with the first case each one that differs from it on a single axis."""
    if not results.tables or not results.axes:
        return []
    frame, of_users = totals.of_flows_and_users(results, results.axes, results.tables)
    # Runs without flows have no row.
    cases = frame.select(results.axes).unique(maintain_order=True).rows()
    found = [
        difference(measure, names, *(of_case(frame, results.axes, it, measure) for it in pair))
        for pair in ((cases[0], other) for other in cases[1:])
        for names in apart(*pair)
        for measure in (*of_users, *MEASURES)
    ]
    return [it for it in found if it]


def apart(first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """Name two cases by the only axis on which they differ; nothing if there are several."""
    names = [(one, other) for one, other in zip(first, second, strict=True) if one != other]
    return names if len(names) == 1 else []


def of_case(
    frame: pl.DataFrame, axes: list[str], case: Sequence[str], measure: MeasuredColumn
) -> Values:
    """Give a measure of each run of a case."""
    rows = frame.filter(pl.col(axis) == name for axis, name in zip(axes, case, strict=True))
    known = rows.filter(pl.col(measure.column).is_finite())
    return dict(known.select("run", measure.column).rows())


def of_study(results: StudyFrame, parameter: Parameter) -> list[Difference]:
    """Compare with the first value of a parameter each other one, paired by seed.

    A seed has the mean over the combinations of the other parameters that all seeds have; runs
    without a counterpart are left out.
    """
    values: list[float | str] = [*(parameter.numbers or parameter.values)]
    names = named(parameter)
    found = [
        difference(
            measure, (names[0], name), *by_seed(results, parameter, (values[0], value), measure)
        )
        for value, name in zip(values[1:], names[1:], strict=True)
        for measure in MEASURES
        if measure.column in results.frame.columns
    ]
    return [it for it in found if it]


def named(parameter: Parameter) -> list[str]:
    """Give the values of a parameter with its name, except for words."""
    if parameter.numbers is None:
        return parameter.values
    return [f"{parameter.name} {it}" for it in parameter.values]


def by_seed(
    results: StudyFrame,
    parameter: Parameter,
    values: tuple[float | str, float | str],
    measure: MeasuredColumn,
) -> tuple[Values, Values]:
    """Give a measure at two values of a parameter for each seed, of runs that differ in nothing
    else."""
    keys = [*(it.name for it in results.parameters if it != parameter), "seed"]
    known = results.frame.filter(pl.col(measure.column).is_finite())
    one, other = (
        known.filter(pl.col(parameter.name) == value).select(
            *keys, pl.col(measure.column).alias(end)
        )
        for value, end in zip(values, ("first", "second"), strict=True)
    )
    means = one.join(other, on=keys).group_by("seed", maintain_order=True)
    seeds = means.agg(pl.col("first", "second").mean(), combinations=pl.len())
    whole = seeds.filter(pl.col("combinations") == pl.col("combinations").max())
    return dict(whole.select("seed", "first").rows()), dict(whole.select("seed", "second").rows())
