"""Measures of flows: goodput, delay, fairness."""

from __future__ import annotations

import polars as pl

from windtunnel.measures import directions
from windtunnel.measures.measure import VALUE, Tables, of_runs


def throughput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the total goodput of all flows in one direction over the whole run, in Mbps.

    That of each flow, with `flow` among the keys, is over the time in which it was active.
    """
    of_each = "flow" in keys
    if of_each:
        return results["flows"].select(*keys, (active_goodput(results["flows"]) / 1e6).alias(VALUE))
    total = directions.goodput(results, keys)
    return total.select(*keys, (pl.col("goodput_bps") / 1e6).alias(VALUE))


def timeouts(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the timeouts."""
    return of_runs(results["flows"], keys, pl.col("timeouts").sum().cast(pl.Float64))


def delay(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean of the consumers' mean delays, in seconds.

    A delay is the time from the first Interest for a Data to that Data. A
    consumer that received nothing has none.
    """
    return of_runs(results["flows"], keys, pl.col("delay_s").mean())


def last_delay(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the same mean, with delays from the last Interest for each Data."""
    return of_runs(results["flows"], keys, pl.col("last_delay_s").mean())


def fairness(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Compute Jain's index of the flows' goodputs, from when all of them send."""
    index = jains_index(pl.col("goodput_bps")).fill_nan(None)
    return of_runs(while_all_send(results, keys), keys, index)


def active_goodput(flows: pl.DataFrame) -> pl.Expr:
    """Give what a flow received over the time in which it was active, in bit/s.

    It is not a number if it never was; the column `goodput_bps` is over the whole run.
    """
    if "active_s" not in flows.columns:
        # Earlier versions had it in that column.
        return pl.col("goodput_bps")
    return pl.col("received_bytes") * 8.0 / pl.col("active_s")


def is_one_way() -> pl.Expr:
    """Say of which flows the delay is from the source to the destination: of datagrams.

    That of others is until the acknowledgement, or from an Interest to its Data: there and back.
    """
    return pl.col("protocol") == "udp"


def jains_index(value: pl.Expr) -> pl.Expr:
    """Compute Jain's index: 1 where all values are equal, 1/n where one of n has everything."""
    return value.sum().pow(2) / (pl.len() * value.pow(2).sum())


def goodput_over_time(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the goodput of all flows together in each interval, in bit/s, by `time_s`."""
    samples = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    return samples.agg(pl.col("goodput_bps").sum())


def while_all_send(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take each flow's mean goodput, in bit/s, from when the last one delivers something.

    Runs of which a single flow is recorded have nothing to share and are left out.
    """
    series = results["flow_series"].select(*keys, "flow", "time_s", "goodput_bps")
    first = pl.col("time_s").filter(pl.col("goodput_bps") > 0).min().over(*keys, "flow")
    several = pl.col("flow").n_unique().over(keys) > 1
    return (
        series.with_columns(first=first)
        .filter(several, pl.col("time_s") > pl.col("first").max().over(keys))
        .group_by(*keys, "flow", maintain_order=True)
        .agg(pl.col("goodput_bps").mean())
    )
