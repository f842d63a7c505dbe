"""What a study measures: the names of its measures, and their spread over the seeds."""

from __future__ import annotations

import polars as pl

from windtunnel.measures import spreads
from windtunnel.measures.columns import (
    COMPLETION,
    DELAY,
    DROPPED,
    FAIRNESS,
    GOODPUT,
    LOSS,
    MARKS,
    ONE_WAY_DELAY,
    QUEUEING,
    RETRANSMISSIONS,
    ROUND_TRIP,
    TIMEOUTS,
    UNFINISHED,
    UTILISATION,
    MeasuredColumn,
)
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.tables import ResultsError

MEASURES = (
    GOODPUT,
    DELAY,
    ONE_WAY_DELAY,
    QUEUEING,
    UTILISATION,
    FAIRNESS,
    COMPLETION,
    UNFINISHED,
    LOSS,
    RETRANSMISSIONS,
    TIMEOUTS,
    MARKS,
    DROPPED,
    ROUND_TRIP,
)
"""The measures of a study, the most important first."""


def measured(results: StudyFrame) -> list[MeasuredColumn]:
    """Give the measures with a value other than zero in any run."""
    parameters = {it.name for it in results.parameters}
    return [
        it
        for it in MEASURES
        if it.column not in parameters
        and it.column in results.frame.columns
        and results.frame.select(known(it).fill_null(0).ne(0).any()).item()
    ]


def delay(results: StudyFrame) -> MeasuredColumn:
    """Choose the delay of a study: one way where there are only datagrams."""
    there = measured(results)
    return ONE_WAY_DELAY if ONE_WAY_DELAY in there and DELAY not in there else DELAY


def known(measure: MeasuredColumn) -> pl.Expr:
    """Give a measure's values; those that are not finite are missing."""
    value = pl.col(measure.column).cast(pl.Float64)
    return pl.when(value.is_finite()).then(value)


def short(measure: MeasuredColumn) -> str:
    """Give the short name of a measure: its column without the unit."""
    return measure.column.removesuffix("_bps").removesuffix("_s")


def named(results: StudyFrame, name: str) -> MeasuredColumn:
    """Find a measure by its column, with its unit or without.

    Raises ResultsError, with the known names.
    """
    there = measured(results)
    for measure in there:
        if name in (measure.column, short(measure)):
            return measure
    known_names = ", ".join(map(short, there)) or "none"
    raise ResultsError(f"unknown measure `{name}`; known: {known_names}")


def parameter(results: StudyFrame, name: str) -> Parameter:
    """Find a parameter by its name. Raises ResultsError, with the known names."""
    for it in results.parameters:
        if it.name == name:
            return it
    there = ", ".join(it.name for it in results.parameters) or "none"
    raise ResultsError(f"unknown parameter `{name}`; known: {there}")


def spread(samples: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Give the spread of `value` over the rows of each key that have one, a column each field."""
    return spreads.spread(samples.drop_nulls("value"), keys, ["value"]).unnest("value")


def middle(samples: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Give the median of `value` as `mean`, and the quartiles as `low` and `high`."""
    value = pl.col("value")
    return (
        samples.drop_nulls("value")
        .group_by(keys, maintain_order=True)
        .agg(
            mean=value.median(),
            low=value.quantile(0.25, "linear"),
            high=value.quantile(0.75, "linear"),
            runs=pl.len(),
        )
    )
