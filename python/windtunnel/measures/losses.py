"""Measures of losses: packets dropped by queues and links, and unanswered Interests."""

from __future__ import annotations

import polars as pl

from windtunnel.measures.links import DROPS
from windtunnel.measures.measure import VALUE, Tables, of_runs


def packet_loss(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the packets dropped in all queues and on all links, per second."""
    return per_second(results, "links", keys, pl.sum_horizontal(DROPS))


def packet_loss_share(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of all packets that were offered to a link and dropped there."""
    return of_runs(results["links"], keys, pl.sum_horizontal(DROPS).sum() / pl.col("offered").sum())


def unanswered(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count Interests sent less Data received by the consumers, per second."""
    # Signed: duplicates may be more than what was lost.
    lost = pl.col("interests").cast(pl.Int64) - pl.col("data") - pl.col("duplicates")
    return per_second(results, "flows", keys, lost)


def per_second(results: Tables, table: str, keys: list[str], counted: pl.Expr) -> pl.DataFrame:
    """Divide a count by the simulated time."""
    durations = results["runs"].select(*keys, "duration_s")
    counts = results[table].group_by(keys, maintain_order=True).agg(counted.sum().alias("counted"))
    value = (pl.col("counted") / pl.col("duration_s")).alias(VALUE)
    return counts.join(durations, on=keys, maintain_order="left").select(*keys, value)
