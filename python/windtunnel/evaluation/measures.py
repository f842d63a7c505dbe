"""The measures of the experiments: a value of each run, from its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import polars as pl

from windtunnel.measures.columns import (
    FAIRNESS,
    GOODPUT,
    LOSS,
    QUEUEING,
    UTILISATION,
    MeasuredColumn,
    described,
)
from windtunnel.measures.measure import VALUE

Tables = Mapping[str, pl.DataFrame]
"""The tables of a study's runs, each with the column `key`."""

KEYS = ["key"]


@dataclass(frozen=True)
class RunMeasure:
    """A measure of the experiments."""

    column: MeasuredColumn
    take: Callable[[Tables], pl.DataFrame]
    """From the tables to `key` and `VALUE`."""

    @property
    def less_is_better(self) -> bool:
        """Whether it becomes better when it falls."""
        return self.column.better == "less"


def of_runs(name: str) -> Callable[[Tables], pl.DataFrame]:
    """Take a measure of studies as it is."""
    return lambda tables: tables["runs"].select("key", pl.col(name).alias(VALUE))


def of_rows(table: str, names: str, value: pl.Expr) -> Callable[[Tables], pl.DataFrame]:
    """Compute a value from the rows of a table of the flows whose names match a pattern."""

    def take(tables: Tables) -> pl.DataFrame:
        rows = tables[table].filter(pl.col("flow").str.contains(names))
        return rows.group_by(KEYS, maintain_order=True).agg(value.alias(VALUE))

    return take


of_flows, of_transfers = partial(of_rows, "flows"), partial(of_rows, "transfers")


def useless(tables: Tables) -> pl.DataFrame:
    """Divide what receivers had already by the packets that the bottleneck delivered."""
    delivered = bottleneck(tables).select("key", "delivered")
    repeated = tables["flows"].group_by(KEYS).agg(pl.col("duplicates").sum())
    both = repeated.join(delivered, on=KEYS)
    return both.select("key", (pl.col("duplicates") / pl.col("delivered")).alias(VALUE))


def bottleneck(tables: Tables) -> pl.DataFrame:
    """Give the row of the bottleneck of each run, in the direction of the data."""
    return tables["links"].filter(pl.col("link") == "bottleneck", pl.col("to") == "receiver")


def part(tables: Tables) -> pl.DataFrame:
    """Give the candidate's part of what all flows received."""
    own = pl.col("received_bytes").filter(pl.col("flow").str.starts_with("candidate")).sum()
    value = (own / pl.col("received_bytes").sum()).alias(VALUE)
    return tables["flows"].group_by(KEYS, maintain_order=True).agg(value)


def equal_part(tables: Tables) -> pl.DataFrame:
    """Give what the standard flow with the least got, in equal parts of all that was received,
    both while it was active: of flows that start last."""
    rate = pl.col("received_bytes") / pl.col("active_s")
    standard = pl.col("flow").str.starts_with("standard")
    rates = bottleneck(tables).select(
        "key", bottleneck=pl.col("delivered_bytes") / pl.col("utilisation")
    )
    lasted = tables["runs"].select("key", "duration_s")
    least = (
        tables["flows"]
        .group_by(KEYS, maintain_order=True)
        .agg(least=rate.filter(standard).min(), flows=pl.len())
    )
    joined = least.join(rates, on=KEYS).join(lasted, on=KEYS)
    equal = pl.col("bottleneck") / pl.col("duration_s") / pl.col("flows")
    return joined.select("key", (pl.col("least") / equal).alias(VALUE))


RATE = pl.col("received_bytes").sum() * 8 / pl.col("active_s").max()
"""What flows received, over the time of the one that was active longest, in bit/s."""

NARROW_BPS = 10e6
"""The rate of the bottleneck of `experiments/itself.toml`."""

UNFINISHED = pl.col("unfinished_transfers").sum() / (
    pl.col("unfinished_transfers").sum() + pl.col("transfers").sum()
)
SEGMENT = 1448
"""The bytes of data in a full segment."""

TIMES_TCP = (
    (pl.col("received_bytes") / pl.col("active_s"))
    * pl.col("rtt_s")
    * (2 / 3 * pl.col("retransmissions") / pl.col("segments")).sqrt()
    / SEGMENT
).max()
"""The rate of each flow over `s / (R sqrt(2 p / 3))`, what TCP would have with its losses and its
round trips (RFC 8083, section 4.3); the greatest of them."""

SENT = pl.col("segments").sum()
AGAIN = pl.col("retransmissions").sum()


def less(column: str, title: str) -> MeasuredColumn:
    """Describe a measure of which less is better; the end of its name is its unit."""
    return MeasuredColumn(column, title, unit_of(column), "less")


def more(column: str, title: str) -> MeasuredColumn:
    """Describe a measure of which more is better; the end of its name is its unit."""
    return MeasuredColumn(column, title, unit_of(column), "more")


def unit_of(column: str) -> str:
    """Give the unit that the name of a column ends with."""
    return "share" if column.endswith(("_share", "_part")) else described(column).unit


ALL = [
    RunMeasure(QUEUEING, of_runs(QUEUEING.column)),
    RunMeasure(LOSS, of_runs(LOSS.column)),
    RunMeasure(more("utilisation", UTILISATION.title), of_runs(UTILISATION.column)),
    RunMeasure(FAIRNESS, of_runs(FAIRNESS.column)),
    RunMeasure(GOODPUT, of_flows("^candidate", RATE)),
    RunMeasure(more("all_goodput_bps", "goodput of all flows"), of_flows("", RATE)),
    RunMeasure(less("segments", "segments sent in a minute"), of_flows("^candidate", SENT)),
    RunMeasure(less("useless_share", "packets delivered in vain"), useless),
    RunMeasure(
        more("newcomer_share", "share of the flow that starts later"),
        of_flows("^candidate-2$", RATE / NARROW_BPS),
    ),
    RunMeasure(
        less("completion_p50_s", "median completion time of short flows"),
        of_transfers("^short", pl.col("completion_s").quantile(0.5)),
    ),
    RunMeasure(
        less("completion_p99_s", "99th percentile of completion times of short flows"),
        of_transfers("^short", pl.col("completion_s").quantile(0.99)),
    ),
    RunMeasure(
        less("slowest_completion_s", "completion time of the last answer"),
        of_transfers("", pl.col("completion_s").max()),
    ),
    RunMeasure(less("unfinished_share", "transfers that do not end"), of_flows("", UNFINISHED)),
    RunMeasure(more("long_goodput_bps", "goodput of the long flow"), of_flows("^long", RATE)),
    RunMeasure(more("standard_share", "least standard flow's part of an equal share"), equal_part),
    RunMeasure(
        more("standard_goodput_bps", "goodput of the standard flows"), of_flows("^standard", RATE)
    ),
    RunMeasure(
        less("standard_rtt_s", "round-trip time of the standard flows"),
        of_flows("^standard", pl.col("rtt_s").mean()),
    ),
    RunMeasure(
        less("standard_retransmitted_share", "what standard flows send again"),
        of_flows("^standard", AGAIN / SENT),
    ),
    RunMeasure(
        less("datagram_delay_p95_s", "95th percentile of a call's delay"),
        of_flows("^call", pl.col("delay_p95_s").max()),
    ),
    RunMeasure(
        less("datagrams_lost_share", "datagrams of a call and a video that are lost"),
        of_flows("^(call|video)", pl.col("lost").sum() / pl.col("datagrams").sum()),
    ),
    RunMeasure(
        less("sent_over_useful", "segments sent for each useful one"),
        of_flows("^candidate", SENT / (SENT - AGAIN)),
    ),
    RunMeasure(
        less("times_tcp_rate", "rate over that of TCP with its losses (RFC 8083)"),
        of_flows("^candidate", TIMES_TCP),
    ),
    RunMeasure(less("candidate_part", "its part of what all flows get"), part),
]

MEASURES = {it.column.column: it for it in ALL}
"""The measures by their names in `criteria.toml`."""
