"""What this paper measures and no other: the busiest link, completion times, bridges, gains."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import polars as pl

from windtunnel.measures import flows
from windtunnel.measures.links import DROPS, busiest, samples
from windtunnel.measures.measure import VALUE, Measure, Tables, from_rows, of_runs
from windtunnel.measures.transfers import CLASSES, size_class

SIZES = dict(zip(("tiny", "small", "medium", "large"), CLASSES, strict=True))
"""The classes of sizes, by what measures call them."""

STATISTICS = {"mean": "mean", "median": "median", "p99": "99th percentile"}
"""What is measured of the completion times, and its title."""

PLAIN = {"network": "plain", "buffer": "50 MB"}
"""By axis, the case that gains are relative to: TCP without DCIB, and the largest buffer."""

START_S = 0.1
"""How long a simulation counts as the start of its flows, which figure 2b shows, in s."""

Take = Callable[[Tables, list[str]], pl.DataFrame]
"""What a measure takes from results."""


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
    both = both.with_columns(pl.col("dropped", "decreased").fill_null(False))
    return from_rows(both, keys, mean_reaction)


def mean_reaction(rows: list[dict[str, Any]]) -> float | None:
    """Take the mean time from first drops to decreases, in ms, if there are any."""
    found = reactions(rows)
    return 1e3 * sum(found) / len(found) if found else None


def reactions(rows: list[dict[str, Any]]) -> list[float]:
    """Give the times from first drops to decreases, in s: of samples, dropped and decreased."""
    found = []
    since = None
    for row in rows:
        if row["decreased"]:
            if since is not None:
                found.append(row["time_s"] - since)
            since = None
        elif row["dropped"] and since is None:
            since = row["time_s"]
    return found


def first_drop(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the time at which the busiest link drops its first packet, in ms."""
    dropped = samples(results, keys).filter(pl.sum_horizontal(DROPS) > 0)
    return of_runs(dropped, keys, 1e3 * pl.col("time_s").min())


def reacts(results: Tables, keys: list[str], *, all_flows: bool) -> pl.DataFrame:
    """Take the time from the first drop to the first decrease of a flow, or of the last, in ms."""
    dropped = first_drop(results, keys).rename({VALUE: "dropped"})
    after = pl.col("time_s") * 1e3 >= pl.col("dropped")
    decreased = decreases(results, keys).join(dropped, on=keys, maintain_order="left")
    found = first_decreases(decreased.filter(after), results, keys, all_flows=all_flows)
    found = found.join(dropped, on=keys, maintain_order="left")
    return found.select(*keys, (pl.col(VALUE) - pl.col("dropped")).alias(VALUE))


def again(results: Tables, keys: list[str], *, all_flows: bool) -> pl.DataFrame:
    """Take the time of the first decrease after the start, of a flow or of the last, in ms."""
    decreased = decreases(results, keys).filter(pl.col("time_s") > START_S)
    return first_decreases(decreased, results, keys, all_flows=all_flows)


def decreases(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the samples of flows in which their windows were decreased, in order of time."""
    return results["flow_series"].filter(pl.col("decreases") > 0).sort("time_s")


def first_decreases(
    decreased: pl.DataFrame, results: Tables, keys: list[str], *, all_flows: bool
) -> pl.DataFrame:
    """Take when the first of the flows has a decrease, or when all have had one, in ms.

    Without a value where not all flows have one.
    """
    each = decreased.group_by(*keys, "flow", maintain_order=True)
    times = each.agg(time=pl.col("time_s").first())
    senders = results["flows"].group_by(keys, maintain_order=True).agg(senders=pl.len())
    found = times.group_by(keys, maintain_order=True).agg(
        first=pl.col("time").min(), last=pl.col("time").max(), reacting=pl.len()
    )
    found = found.join(senders, on=keys, maintain_order="left")
    if all_flows:
        found = found.filter(pl.col("reacting") == pl.col("senders"))
    return found.select(*keys, (1e3 * pl.col("last" if all_flows else "first")).alias(VALUE))


def relative(results: Tables, keys: list[str], of: Take) -> pl.DataFrame:
    """Relate a measure to what plain TCP, or TCP with the largest buffer, has in the same run."""
    values = of(results, keys)
    for axis, plain in PLAIN.items():
        if axis in keys:
            others = [it for it in keys if it != axis]
            base = values.filter(pl.col(axis) == plain).select(*others, plain=VALUE)
            both = values.join(base, on=others, maintain_order="left")
            value = (pl.col(VALUE) / pl.col("plain")).fill_nan(None).alias(VALUE)
            return both.select(*keys, value)
    return values.clear()


def over(
    results: Tables, keys: list[str], axes: Collection[str], of: Take, statistic: str
) -> pl.DataFrame:
    """Summarise a measure over all cases of some axes, in each of these cases."""
    others = [it for it in keys if it not in axes]
    values = of(results, keys)
    if len(others) == len(keys) or values.is_empty():
        return values.clear()
    summaries = {"mean": pl.col(VALUE).mean(), "maximum": pl.col(VALUE).max()}
    return values.with_columns(summaries[statistic].over(others))


def least_of_sizes(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean completion time relative to plain TCP, of the class of sizes with the least."""
    each = [
        relative(results, keys, partial(completion, statistic="mean", size=size)) for size in SIZES
    ]
    return of_runs(pl.concat(each), keys, pl.col(VALUE).min())


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


def duplicates(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Relate the segments that receivers had already to what the busiest link delivers, in %."""
    had = of_runs(results["flows"], keys, pl.col("duplicates").sum())
    return in_percent_of(had, "delivered", results, keys)


def extra_bytes(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Relate what bridges send of their own to what the busiest link carries, in percent."""
    own = (pl.col("resent_bytes") + pl.col("acknowledgement_bytes")).sum()
    return in_percent_of(of_runs(results["bridges"], keys, own), "delivered_bytes", results, keys)


def in_percent_of(
    values: pl.DataFrame, carried: str, results: Tables, keys: list[str]
) -> pl.DataFrame:
    """Relate values to a column of the busiest link, in percent."""
    link = busiest(results, keys).select(*keys, carried)
    value = (100 * pl.col(VALUE) / pl.col(carried)).fill_nan(None).alias(VALUE)
    return values.join(link, on=keys, maintain_order="left").select(*keys, value)


def gains() -> dict[str, Measure]:
    """Give the measures of gains: by what factor DCIB, or less buffer, changes a throughput."""
    made = {}
    for name, title, of in (
        ("link-throughput", "what the busiest link carries", throughput),
        ("throughput", "goodput", flows.throughput),
        ("link-throughput-median", "median of what the busiest link carries", throughput_median),
    ):
        factor = partial(relative, of=of)
        made[f"{name}-factor"] = Measure(f"{title}, relative to plain TCP", "", factor)
        for key, axis, statistic, summary in (
            ("greatest-factor", "rtt", "maximum", "the greatest of all round-trip times"),
            ("mean-factor", "rtt", "mean", "mean of all round-trip times"),
            ("factor-of-all", "controller", "mean", "mean of all controllers"),
        ):
            take = partial(over, axes=[axis], of=factor, statistic=statistic)
            made[f"{name}-{key}"] = Measure(f"{title}, relative to plain TCP: {summary}", "", take)
    return made


def shares() -> dict[str, Measure]:
    """Give the measures of how long transfers take relative to plain TCP."""
    made = {
        f"completion-{statistic}-share": Measure(
            f"completion time, relative to plain TCP: {name}",
            "",
            partial(relative, of=partial(completion, statistic=statistic)),
        )
        for statistic, name in STATISTICS.items()
    }
    least = Measure("the same of means by size: the least", "", least_of_sizes)
    return {**made, "completion-least-share": least}


MEASURES = {
    "link-utilisation": Measure("of the busiest link", "%", utilisation),
    "mean-link-utilisation": Measure(
        "of the busiest link, mean of all controllers",
        "%",
        partial(over, axes=["controller"], of=utilisation, statistic="mean"),
    ),
    "link-throughput": Measure(
        "what the busiest link carries, with headers and retransmissions", "Mbps", throughput
    ),
    "link-throughput-median": Measure("its median over time", "Mbps", throughput_median),
    "link-throughput-p99": Measure("its 99th percentile over time", "Mbps", throughput_p99),
    "link-loss": Measure("packets that the busiest link drops", "%", loss),
    "reaction": Measure("from a first drop to the next decrease of a window", "ms", reaction),
    "first-drop": Measure("the first drop, from the start", "ms", first_drop),
    "first-flow-reacts": Measure(
        "from the first drop to a decrease of one flow's window",
        "ms",
        partial(reacts, all_flows=False),
    ),
    "all-flows-react": Measure(
        "from the first drop until all flows' windows have decreased",
        "ms",
        partial(reacts, all_flows=True),
    ),
    "first-flow-again": Measure(
        "the first decrease after the start of one flow, from the start",
        "ms",
        partial(again, all_flows=False),
    ),
    "all-flows-again": Measure(
        "the first decrease after the start of the last flow, from the start",
        "ms",
        partial(again, all_flows=True),
    ),
    "maximum-share": Measure(
        "the greatest share of packets that may be selected", "%", greatest_share
    ),
    "extra-bytes": Measure(
        "clones and acknowledgements of bridges, relative to what the busiest link carries",
        "%",
        extra_bytes,
    ),
    "duplicates": Measure(
        "segments that receivers had already, relative to what the busiest link delivers",
        "%",
        duplicates,
    ),
    "unfinished": Measure("transfers that were not finished", "", unfinished),
    **completions(),
    **gains(),
    **shares(),
}
"""Each by its name in the paper's files."""
