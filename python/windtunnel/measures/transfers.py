"""Transfers by their size: how long files and answers took."""

from __future__ import annotations

import polars as pl

SIZE_CLASS = "size_class"
"""The column of the class of sizes."""

CLASSES = ("< 100 kB", "100 kB – 1 MB", "1 – 10 MB", "> 10 MB")
"""The classes of sizes, from small to large; a limit belongs to the smaller class."""

LIMITS = (1e5, 1e6, 1e7)
"""Between two classes, in bytes."""


def size_class() -> pl.Expr:
    """Give the class of a transfer's size, as the column `SIZE_CLASS`."""
    return (
        pl.col("size_bytes")
        .bin_intervals(LIMITS, labels=CLASSES, right_closed=True)
        .alias(SIZE_CLASS)
    )


def unfinished(flows: pl.DataFrame) -> str:
    """Say how many transfers of some flows did not end within their runs; nothing if all did."""
    # Results of earlier versions do not count them.
    if "unfinished_transfers" not in flows.columns:
        return ""
    left = pl.col("unfinished_transfers")
    # Of a consumer, which has one file, only the completion is known.
    ended = pl.coalesce("transfers", pl.col("completion_s").is_not_null().cast(pl.UInt64))
    counted = flows.filter(left.is_not_null())
    missing, begun = counted.select(missing=left.sum(), begun=(left + ended).sum()).row(0)
    if not missing:
        return ""
    return (
        f"{missing:,} of {begun:,} transfers did not end within the run: "
        "completion times and slowdowns are of those that did."
    )


def by_size(transfers: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Summarise transfers for each of `keys` and each class of sizes that has any.

    Over all runs: their number, and of `completion_s` and `slowdown` (the
    completion time divided by the minimum that the path allows) mean, median and
    99th percentile.
    """
    statistics = [
        statistic.alias(f"{column}_{name}")
        for column in ("completion_s", "slowdown")
        for value in [pl.col(column)]
        for name, statistic in (
            ("mean", value.mean()),
            ("median", value.median()),
            ("p99", value.quantile(0.99, "linear")),
        )
    ]
    return (
        transfers.with_columns(size_class())
        .group_by(*keys, SIZE_CLASS, maintain_order=True)
        .agg(pl.len().alias("transfers"), *statistics)
        .with_columns(pl.col(SIZE_CLASS).cast(pl.Enum(CLASSES)))
        .sort(*keys, SIZE_CLASS, maintain_order=True)
        .with_columns(pl.col(SIZE_CLASS).cast(pl.String))
    )
