"""What papers report of a run, measured from its tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from windtunnel import bridge_measures, channel_measures, link_measures, transfer_measures
from windtunnel.channel_measures import CONTROLLER, VALUE

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.results import Results


@dataclass(frozen=True)
class Measure:
    """A quantity that a run has one value of."""

    title: str
    """What it is, in one line."""
    unit: str
    """The unit of its values."""
    take: Callable[[Results, list[str]], pl.DataFrame]
    """From results, and the columns that tell runs apart, to those columns and `VALUE`."""
    of_each_flow: bool = False
    """Whether the columns may tell flows apart too."""


def throughput(results: Results, keys: list[str]) -> pl.DataFrame:
    """Sum the goodput of all flows, in Mbps."""
    import polars as pl

    value = (pl.col("goodput_bps").sum() / 1e6).alias(VALUE)
    return results["flows"].group_by(keys, maintain_order=True).agg(value)


def goodput(results: Results, keys: list[str]) -> pl.DataFrame:
    """Sum the goodput of all flows, in kbps."""
    import polars as pl

    value = (pl.col("goodput_bps").sum() / 1e3).alias(VALUE)
    return results["flows"].group_by(keys, maintain_order=True).agg(value)


def decreases(results: Results, keys: list[str]) -> pl.DataFrame:
    """Count how often the windows were decreased."""
    import polars as pl

    value = pl.col("decreases").sum().cast(pl.Float64).alias(VALUE)
    return results["flows"].group_by(keys, maintain_order=True).agg(value)


def timeouts(results: Results, keys: list[str]) -> pl.DataFrame:
    """Count the timeouts."""
    import polars as pl

    value = pl.col("timeouts").sum().cast(pl.Float64).alias(VALUE)
    return results["flows"].group_by(keys, maintain_order=True).agg(value)


def fairness(results: Results, keys: list[str]) -> pl.DataFrame:
    """Compute Jain's index of the flows' goodputs, from when all of them send.

    1 where all are alike, 1/n where one of n has everything.
    """
    import polars as pl

    value = pl.col("goodput_bps")
    index = value.sum().pow(2) / (pl.len() * value.pow(2).sum())
    shared = while_all_send(results, keys).group_by(keys, maintain_order=True)
    return shared.agg(index.fill_nan(None).alias(VALUE))


def fairness_ratio(results: Results, keys: list[str]) -> pl.DataFrame:
    """Divide the least of the flows' goodputs by the greatest, from when all of them send."""
    import polars as pl

    ratio = pl.col("goodput_bps").min() / pl.col("goodput_bps").max()
    shared = while_all_send(results, keys).group_by(keys, maintain_order=True)
    return shared.agg(ratio.fill_nan(None).alias(VALUE))


def while_all_send(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take each flow's mean goodput, in bit/s, from when the last one delivers something.

    Runs with one flow alone have nothing to share and are left out.
    """
    import polars as pl

    series = results["flow_series"].select(*keys, "flow", "time_s", "goodput_bps")
    first = pl.col("time_s").filter(pl.col("goodput_bps") > 0).min().over(*keys, "flow")
    several = pl.col("flow").n_unique().over(keys) > 1
    return (
        series.with_columns(first=first)
        .filter(several, pl.col("time_s") > pl.col("first").max().over(keys))
        .group_by(*keys, "flow", maintain_order=True)
        .agg(pl.col("goodput_bps").mean())
    )


TESTED = "tested"
"""The flow whose effect on the others is measured."""

RENO = "reno"
"""The controller that it is held against."""


def plucking(results: Results, keys: list[str]) -> pl.DataFrame:
    """Compute the share of their goodput that the others lose because of the flow `tested`.

    It is (P - Q) / P, where Q is the goodput of the others beside it, and P what
    they have in the same run where it is Reno as well.
    """
    import polars as pl

    others = results["flows"].filter(pl.col("flow") != TESTED)
    if CONTROLLER not in keys or others.height == results["flows"].height:
        return results["flows"].select(*keys, pl.lit(None, pl.Float64).alias(VALUE)).clear()
    left = others.group_by(keys, maintain_order=True).agg(pl.col("goodput_bps").sum())
    same = [key for key in keys if key != CONTROLLER]
    beside_reno = left.filter(pl.col(CONTROLLER) == RENO).select(*same, reno="goodput_bps")
    value = (1 - pl.col("goodput_bps") / pl.col("reno")).alias(VALUE)
    return left.join(beside_reno, on=same, maintain_order="left").select(*keys, value)


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


def completions() -> dict[str, Measure]:
    """Give the measures of completion times: of all transfers, and of each class of sizes."""
    made = {}
    for size, title in (None, "all sizes"), *transfer_measures.SIZES.items():
        for statistic, name in transfer_measures.STATISTICS.items():
            take = partial(transfer_measures.completion, statistic=statistic, size=size)
            key = "-".join(filter(None, ["completion", size, statistic]))
            made[key] = Measure(f"completion time, {title}: {name}", "s", take)
    return made


MEASURES = {
    "throughput": Measure("goodput of all flows together", "Mbps", throughput, True),
    "goodput": Measure("the same in kbps", "kbps", goodput, True),
    "decreases": Measure("decreases of the window", "", decreases, True),
    "timeouts": Measure("timeouts", "", timeouts, True),
    "fairness": Measure("Jain's index while all flows send", "", fairness),
    "fairness-ratio": Measure("least over greatest goodput of the flows", "", fairness_ratio),
    "plucking": Measure("share of their goodput that a flow costs the others", "share", plucking),
    "unsteadiness": Measure("standard deviation of the throughput over time", "Mbps", unsteadiness),
    "delay": Measure("from first Interest to Data, mean over the consumers", "s", delay),
    "last-delay": Measure("from last Interest to Data, mean over the consumers", "s", last_delay),
    "packet-loss": Measure("dropped Interests and Data each second", "packets/s", packet_loss),
    "unanswered": Measure(
        "Interests less Data at the consumers each second", "packets/s", unanswered
    ),
    "packet-loss-share": Measure("dropped share of all packets", "share", packet_loss_share),
    "recovery": Measure(
        "from when the channel allows the maximum throughput to 90 % of it",
        "s",
        channel_measures.recovery,
    ),
    "greatest-sinr": Measure("the greatest SINR", "dB", channel_measures.greatest_sinr),
    "least-sinr": Measure("the least SINR", "dB", channel_measures.least_sinr),
    "sinr-out-of-sight": Measure(
        "SINR without line of sight, median", "dB", channel_measures.sinr_out_of_sight
    ),
    "link-utilisation": Measure("of the busiest link", "%", link_measures.utilisation),
    "link-throughput": Measure(
        "what the busiest link carries, with headers and repetitions",
        "Mbps",
        link_measures.throughput,
    ),
    "link-throughput-median": Measure(
        "its median over time", "Mbps", link_measures.throughput_median
    ),
    "link-throughput-p99": Measure(
        "its 99th percentile over time", "Mbps", link_measures.throughput_p99
    ),
    "link-loss": Measure("packets that the busiest link drops", "%", link_measures.loss),
    "reaction": Measure(
        "from a first drop to the next decrease of a window", "ms", link_measures.reaction
    ),
    "greatest-share": Measure(
        "the greatest share of packets that may be selected", "%", bridge_measures.greatest_share
    ),
    "extra-bytes": Measure(
        "clones and acknowledgements of bridges, beside what the busiest link carries",
        "%",
        bridge_measures.extra_bytes,
    ),
    "unfinished": Measure("transfers that were not finished", "", transfer_measures.unfinished),
    **completions(),
}
"""Every measure, by its name in papers' files."""
