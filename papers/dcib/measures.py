"""What this paper measures and no other: the busiest link, completion times, bridges."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.links import DROPS, busiest, samples
from windtunnel.measures.measure import VALUE, Measure, Tables, of_runs
from windtunnel.measures.transfers import CLASSES, size_class

SIZES = dict(zip(("tiny", "small", "medium", "large"), CLASSES, strict=True))
"""The classes of sizes, by what measures call them."""

STATISTICS = {"mean": "mean", "median": "median", "p99": "99th percentile"}
"""What is measured of the completion times, and its title."""


def utilisation(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of the time during which it sends, in percent."""
    return busiest(results, keys).select(*keys, (100 * pl.col("utilisation")).alias(VALUE))


def throughput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean of what it carries, in Mbps."""
    return busiest(results, keys).select(*keys, (pl.col("throughput_bps") / 1e6).alias(VALUE))


def throughput_median(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the median over time of what it carries, in Mbps."""
    return quantile(results, keys, 0.5)


def throughput_p99(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the 99th percentile over time of what it carries, in Mbps."""
    return quantile(results, keys, 0.99)


def quantile(results: Tables, keys: list[str], share: float) -> pl.DataFrame:
    """Take a quantile of the samples of what it carries, in Mbps."""
    carried = (pl.col("throughput_bps") / 1e6).quantile(share, "linear")
    return of_runs(samples(results, keys), keys, carried)


def loss(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of the packets offered to it that are dropped, in percent."""
    value = 100 * pl.sum_horizontal(DROPS) / pl.col("offered")
    return busiest(results, keys).select(*keys, value.fill_nan(None).alias(VALUE))


def reaction(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean time from a first drop to the next decrease of a window, in ms.

    To the intervals of sampling. After a decrease the next drop counts as a first one;
    one that comes in the same interval as the decrease does not.
    """
    links = samples(results, keys).group_by([*keys, "time_s"], maintain_order=True)
    dropped = links.agg(dropped=pl.sum_horizontal(DROPS).sum() > 0)
    flows = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    decreased = flows.agg(decreased=pl.col("decreases").sum() > 0)
    both = dropped.join(decreased, on=[*keys, "time_s"], how="full", coalesce=True)
    both = both.with_columns(pl.col("dropped", "decreased").fill_null(False)).sort("time_s")
    rows = []
    for case, of_case in both.group_by(keys, maintain_order=True):
        found = reactions(of_case.select("time_s", "dropped", "decreased").rows())
        rows.append((*case, 1e3 * sum(found) / len(found) if found else None))
    kinds = pl.Schema([*both.select(keys).schema.items(), (VALUE, pl.Float64())])
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


def completion(
    results: Tables, keys: list[str], statistic: str, size: str | None = None
) -> pl.DataFrame:
    """Take a statistic of the completion times, in seconds, of all sizes or of one class.

    What is unfinished at the end counts with the time that it had.
    """
    ends = results["runs"].select(*keys, end_s="duration_s")
    so_far = pl.col("end_s") - pl.col("start_s")
    transfers = results["transfers"].join(ends, on=keys, maintain_order="left")
    transfers = transfers.with_columns(pl.col("completion_s").fill_nan(None).fill_null(so_far))
    if size is not None:
        transfers = transfers.filter(size_class().cast(pl.String) == SIZES[size])
    taken = pl.col("completion_s")
    values = {"mean": taken.mean(), "median": taken.median(), "p99": taken.quantile(0.99, "linear")}
    return of_runs(transfers, keys, values[statistic])


def unfinished(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the transfers that began and were not finished."""
    missing = pl.col("completion_s").fill_nan(None).null_count().cast(pl.Float64)
    return of_runs(results["transfers"], keys, missing)


def completions() -> dict[str, Measure]:
    """Give the measures of completion times: of all transfers, and of each class of sizes."""
    made = {}
    for size, title in (None, "all sizes"), *SIZES.items():
        for statistic, name in STATISTICS.items():
            take = partial(completion, statistic=statistic, size=size)
            key = "-".join(filter(None, ["completion", size, statistic]))
            made[key] = Measure(f"completion time, {title}: {name}", "s", take)
    return made


def greatest_share(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the greatest share of packets that the clones' buffer has room for, in percent."""
    return of_runs(results["bridges"], keys, 100 * pl.col("selected_bound").min())


def extra_bytes(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Relate what bridges send of their own to what the busiest link carries, in percent."""
    own = (pl.col("resent_bytes") + pl.col("acknowledgement_bytes")).sum().alias("own")
    sent = results["bridges"].group_by(keys, maintain_order=True).agg(own)
    carried = busiest(results, keys).select(*keys, "delivered_bytes")
    value = (100 * pl.col("own") / pl.col("delivered_bytes")).fill_nan(None).alias(VALUE)
    return sent.join(carried, on=keys, maintain_order="left").select(*keys, value)


MEASURES = {
    "link-utilisation": Measure("of the busiest link", "%", utilisation),
    "link-throughput": Measure(
        "what the busiest link carries, with headers and retransmissions", "Mbps", throughput
    ),
    "link-throughput-median": Measure("its median over time", "Mbps", throughput_median),
    "link-throughput-p99": Measure("its 99th percentile over time", "Mbps", throughput_p99),
    "link-loss": Measure("packets that the busiest link drops", "%", loss),
    "reaction": Measure("from a first drop to the next decrease of a window", "ms", reaction),
    "maximum-share": Measure(
        "the greatest share of packets that may be selected", "%", greatest_share
    ),
    "extra-bytes": Measure(
        "clones and acknowledgements of bridges, relative to what the busiest link carries",
        "%",
        extra_bytes,
    ),
    "unfinished": Measure("transfers that were not finished", "", unfinished),
    **completions(),
}
"""Each by its name in the paper's files."""
