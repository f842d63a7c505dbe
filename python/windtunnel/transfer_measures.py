"""What papers report of transfers, such as files: how long they took, by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.channel_measures import VALUE
from windtunnel.transfers import CLASSES, size_class

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.results import Results

SIZES = dict(zip(("tiny", "small", "medium", "large"), CLASSES, strict=True))
"""The classes of sizes, by what measures call them."""

STATISTICS = {"mean": "mean", "median": "median", "p99": "99th percentile"}
"""What is measured of the completion times, and its title."""


def completion(
    results: Results, keys: list[str], statistic: str, size: str | None = None
) -> pl.DataFrame:
    """Take a statistic of the completion times, in seconds, of all sizes or of one class.

    What is unfinished at the end counts with the time that it had.
    """
    import polars as pl

    ends = results["flow_series"].group_by(keys, maintain_order=True)
    ends = ends.agg(end_s=pl.col("time_s").max())
    so_far = pl.col("end_s") - pl.col("start_s")
    transfers = results["transfers"].join(ends, on=keys, maintain_order="left")
    transfers = transfers.with_columns(pl.col("completion_s").fill_nan(None).fill_null(so_far))
    if size is not None:
        transfers = transfers.filter(size_class().cast(pl.String) == SIZES[size])
    taken = pl.col("completion_s")
    values = {"mean": taken.mean(), "median": taken.median(), "p99": taken.quantile(0.99, "linear")}
    value = values[statistic].alias(VALUE)
    return transfers.group_by(keys, maintain_order=True).agg(value)


def unfinished(results: Results, keys: list[str]) -> pl.DataFrame:
    """Count the transfers that began and were not finished."""
    import polars as pl

    value = pl.col("completion_s").fill_nan(None).null_count().cast(pl.Float64).alias(VALUE)
    return results["transfers"].group_by(keys, maintain_order=True).agg(value)
