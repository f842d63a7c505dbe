"""What papers report of the busiest link of a run, measured from its tables.

The busiest is the direction of a link with the greatest utilisation: the bottleneck,
if there is one. What it carries counts with headers and repetitions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.channel_measures import VALUE

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.results import Results

DIRECTION = ["link", "from", "to"]
"""The columns that tell directions of links apart."""

DROPS = ("overflows", "discipline_drops", "losses")
"""The columns that count dropped packets, by cause."""


def busiest(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the row of the busiest direction of each run, the first of equals."""
    import polars as pl

    ordered = results["links"].sort(
        pl.col("utilisation"), descending=True, maintain_order=True, nulls_last=True
    )
    return ordered.unique(keys, keep="first", maintain_order=True)


def samples(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the samples of the busiest direction of each run."""
    which = busiest(results, keys).select(*keys, *DIRECTION)
    return results["link_series"].join(which, on=[*keys, *DIRECTION], maintain_order="left")


def utilisation(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the share of the time during which it sends, in percent."""
    import polars as pl

    return busiest(results, keys).select(*keys, (100 * pl.col("utilisation")).alias(VALUE))


def throughput(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the mean of what it carries, in Mbps."""
    import polars as pl

    return busiest(results, keys).select(*keys, (pl.col("throughput_bps") / 1e6).alias(VALUE))


def throughput_median(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the median over time of what it carries, in Mbps."""
    return quantile(results, keys, 0.5)


def throughput_p99(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the 99th percentile over time of what it carries, in Mbps."""
    return quantile(results, keys, 0.99)


def quantile(results: Results, keys: list[str], share: float) -> pl.DataFrame:
    """Take a quantile of the samples of what it carries, in Mbps."""
    import polars as pl

    value = (pl.col("throughput_bps") / 1e6).quantile(share, "linear").alias(VALUE)
    return samples(results, keys).group_by(keys, maintain_order=True).agg(value)


def loss(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the share of the packets offered to it that are dropped, in percent."""
    import polars as pl

    value = 100 * pl.sum_horizontal(DROPS) / pl.col("offered")
    return busiest(results, keys).select(*keys, value.fill_nan(None).alias(VALUE))


def reaction(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the mean time from a first drop to the next decrease of a window, in ms.

    To the interval of sampling. After a decrease the next drop counts as a first one;
    one that comes in the same interval as the decrease does not.
    """
    import polars as pl

    dropped = samples(results, keys).group_by([*keys, "time_s"], maintain_order=True)
    dropped = dropped.agg(dropped=pl.sum_horizontal(DROPS).sum() > 0)
    flows = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    decreased = flows.agg(decreased=pl.col("decreases").sum() > 0)
    both = dropped.join(decreased, on=[*keys, "time_s"], maintain_order="left").sort("time_s")
    rows = []
    for case, of_case in both.group_by(keys, maintain_order=True):
        found = reactions(of_case.select("time_s", "dropped", "decreased").rows())
        rows.append((*case, 1e3 * sum(found) / len(found) if found else None))
    kinds = {**{key: both.schema[key] for key in keys}, VALUE: pl.Float64}
    return pl.DataFrame(rows, kinds, orient="row")


def reactions(rows: list[tuple[float, bool, bool]]) -> list[float]:
    """Give the times from first drops to decreases: of samples in time, dropped and decreased."""
    found = []
    since = None
    for time_s, dropped, decreased in rows:
        if decreased and since is not None:
            found.append(time_s - since)
        if decreased:
            since = None
        elif dropped and since is None:
            since = time_s
    return found
