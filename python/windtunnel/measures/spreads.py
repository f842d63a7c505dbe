"""How values spread: mean, confidence interval of the mean and range, of the values of each key.

It is the one spread of terminals, reports, comparisons and studies.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from windtunnel.measures.intervals import CONFIDENCE, factor

INTERVAL = f"{CONFIDENCE * 100:.0f} % confidence interval (Student’s t)"
"""What `low` and `high` are, in words."""

OF_BARS = f"Bars: mean over the runs; whiskers: {INTERVAL}."
"""What bars of several runs show."""

FIELDS = ("mean", "low", "high", "minimum", "maximum", "standard_deviation", "runs")
"""The fields of a spread; `low` and `high` are the ends of the interval of the mean."""


def spread(rows: pl.DataFrame, keys: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """Give the spread of each column over the rows of each key, as a struct of `FIELDS`.

    What is missing or not a number is left out. A single value has no interval and no deviation:
    `low`, `high` and `standard_deviation` are null.
    """
    # Without keys all rows are one group.
    grouped = rows.group_by(list(keys) or pl.lit(0), maintain_order=True)
    found = grouped.agg(*(described(column) for column in columns))
    counts = {it for column in columns for it in found[column].struct.field("runs")}
    # Below two values there is no deviation to scale.
    factors = {count: factor(count) or 0.0 for count in {0, *counts}}
    return found.select(*keys, *(with_interval(column, factors) for column in columns))


def described(column: str) -> pl.Expr:
    """Describe the values of a column."""
    value = pl.col(column).cast(pl.Float64).fill_nan(None)
    return pl.struct(
        mean=value.mean(),
        minimum=value.min(),
        maximum=value.max(),
        standard_deviation=value.std(),
        runs=value.count(),
    ).alias(column)


def with_interval(column: str, factors: dict[int, float]) -> pl.Expr:
    """Add the ends of the interval to the description of a column."""
    fields = {it: pl.col(column).struct.field(it) for it in FIELDS if it not in ("low", "high")}
    scale = fields["runs"].replace_strict(factors, return_dtype=pl.Float64)
    half = fields["standard_deviation"] * scale
    fields |= {"low": fields["mean"] - half, "high": fields["mean"] + half}
    return pl.struct(*(fields[it].alias(it) for it in FIELDS)).alias(column)
