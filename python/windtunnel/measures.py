"""What papers report of a run, measured from its tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.results import Results

VALUE = "value"
"""The column of a measured value."""


@dataclass(frozen=True)
class Measure:
    """A quantity that a run has one value of."""

    title: str
    """What it is, in one line."""
    unit: str
    """The unit of its values."""
    take: Callable[[Results, list[str]], pl.DataFrame]
    """From results, and the columns that tell runs apart, to those columns and `VALUE`."""


def throughput(results: Results, keys: list[str]) -> pl.DataFrame:
    """Sum the goodput of all flows, in Mbps."""
    import polars as pl

    value = (pl.col("goodput_bps").sum() / 1e6).alias(VALUE)
    return results["flows"].group_by(keys, maintain_order=True).agg(value)


def unsteadiness(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the standard deviation over time of the goodput of all flows, in Mbps."""
    import polars as pl

    samples = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    together = samples.agg(pl.col("goodput_bps").sum() / 1e6)
    value = pl.col("goodput_bps").std().alias(VALUE)
    return together.group_by(keys, maintain_order=True).agg(value)


def delay(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the mean of the consumers' mean delays, in seconds.

    A delay is the time from the first Interest for a Data to that Data. A
    consumer that received nothing has none.
    """
    return mean_of_flows(results, keys, "delay_s")


def last_delay(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the same mean, with delays from the last Interest for each Data."""
    return mean_of_flows(results, keys, "last_delay_s")


def mean_of_flows(results: Results, keys: list[str], column: str) -> pl.DataFrame:
    """Take the mean of a column of the flows."""
    import polars as pl

    value = pl.col(column).mean().alias(VALUE)
    return results["flows"].group_by(keys, maintain_order=True).agg(value)


def packet_loss(results: Results, keys: list[str]) -> pl.DataFrame:
    """Count the packets dropped in all queues and on all links, for each second."""
    return per_second(results, "links", keys, dropped())


def packet_loss_share(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the share of all packets that were offered to a link and dropped there."""
    import polars as pl

    value = (dropped().sum() / pl.col("offered").sum()).alias(VALUE)
    return results["links"].group_by(keys, maintain_order=True).agg(value)


def unanswered(results: Results, keys: list[str]) -> pl.DataFrame:
    """Count what the consumers sent and did not receive, for each second: Interests less Data."""
    import polars as pl

    # Signed: duplicates may be more than what was lost.
    lost = pl.col("interests").cast(pl.Int64) - pl.col("data") - pl.col("duplicates")
    return per_second(results, "flows", keys, lost)


def per_second(results: Results, table: str, keys: list[str], counted: pl.Expr) -> pl.DataFrame:
    """Divide a count by the simulated time."""
    import polars as pl

    series = results["link_series"].group_by(keys, maintain_order=True)
    durations = series.agg(pl.col("time_s").max().alias("duration_s"))
    counts = results[table].group_by(keys, maintain_order=True).agg(counted.sum().alias("counted"))
    value = (pl.col("counted") / pl.col("duration_s")).alias(VALUE)
    return counts.join(durations, on=keys, maintain_order="left").select(*keys, value)


def dropped() -> pl.Expr:
    """Count the packets dropped for any cause: Interests and Data."""
    import polars as pl

    return pl.col("overflows") + pl.col("discipline_drops") + pl.col("losses")


MEASURES = {
    "throughput": Measure("goodput of all flows together", "Mbps", throughput),
    "unsteadiness": Measure("standard deviation of the throughput over time", "Mbps", unsteadiness),
    "delay": Measure("from first Interest to Data, mean over the consumers", "s", delay),
    "last-delay": Measure("from last Interest to Data, mean over the consumers", "s", last_delay),
    "packet-loss": Measure("dropped Interests and Data each second", "packets/s", packet_loss),
    "unanswered": Measure(
        "Interests less Data at the consumers each second", "packets/s", unanswered
    ),
    "packet-loss-share": Measure("dropped share of all packets", "share", packet_loss_share),
}
"""Every measure, by its name in papers' files."""
