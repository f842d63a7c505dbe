"""Tables: what a page shows in rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from windtunnel.report import totals
from windtunnel.report.cases import Comparison
from windtunnel.report.totals import Measure
from windtunnel.report.units import decimals, scale, written
from windtunnel.transfers import SIZE_CLASS, by_size

MOST_ROWS = 200
"""Rows that a page shows of a table; the Parquet files hold all."""


@dataclass(frozen=True)
class Cell:
    """What stands in a place: a text, and in smaller letters its spread or its reason."""

    text: str
    detail: str = ""


@dataclass(frozen=True)
class Column:
    """A column: its title, whether it holds numbers, and its cells."""

    title: str
    number: bool
    cells: list[Cell]


@dataclass(frozen=True)
class Table:
    """A table: its caption, its columns, and a word about what is left out."""

    caption: str
    columns: list[Column]
    note: str = ""

    @property
    def rows(self) -> list[list[tuple[Column, Cell]]]:
        """The rows: for each column its cell."""
        cells = zip(*(column.cells for column in self.columns), strict=True)
        return [list(zip(self.columns, row, strict=True)) for row in cells]


FLOW_MEASURES = (
    Measure("goodput_bps", "goodput", "bit/s"),
    Measure("delay_s", "delay", "s"),
    Measure("delay_minimum_s", "least delay", "s"),
    Measure("delay_maximum_s", "greatest delay", "s"),
    Measure("rtt_s", "round trip", "s"),
    Measure("data", "Data"),
    Measure("interests", "Interests"),
    Measure("segments", "segments"),
    Measure("datagrams", "datagrams"),
    Measure("connections", "connections"),
    Measure("transfers", "transfers"),
    Measure("retransmissions", "retransmissions"),
    Measure("timeouts", "timeouts"),
    Measure("marks", "marks"),
    Measure("nacks", "NACKs"),
    Measure("decreases", "decreases"),
    Measure("undone", "decreases undone"),
    Measure("probes", "tail loss probes"),
    Measure("duplicates", "duplicates"),
    Measure("completion_s", "completion", "s"),
)
TRANSFER_MEASURES = (
    Measure("transfers", "transfers"),
    Measure("completion_s_mean", "completion, mean", "s"),
    Measure("completion_s_median", "median", "s"),
    Measure("completion_s_p99", "99 %", "s"),
    Measure("slowdown_mean", "slowdown, mean"),
    Measure("slowdown_median", "median"),
    Measure("slowdown_p99", "99 %"),
)
LINK_MEASURES = (
    Measure("utilisation", "utilisation", "share"),
    Measure("throughput_bps", "throughput", "bit/s"),
    Measure("delivered", "packets delivered"),
    Measure("overflows", "overflows"),
    Measure("discipline_drops", "dropped by the queue discipline"),
    Measure("losses", "lost on the link"),
    Measure("marks", "marked"),
    Measure("sojourn_s", "sojourn time", "s"),
    Measure("queue_packets", "mean queue", "packets"),
    Measure("most_packets", "longest queue", "packets"),
)
CHANNEL_MEASURES = (
    Measure("sinr_db", "SINR", "dB"),
    Measure("sinr_db_minimum", "least SINR", "dB"),
    Measure("sinr_db_maximum", "greatest SINR", "dB"),
    Measure("rate_bps", "rate", "bit/s"),
    Measure("outage", "outage", "share"),
    Measure("out_of_sight", "out of sight", "share"),
    Measure("handovers", "changes of station"),
)
NODE_MEASURES = (
    Measure("interests_in", "Interests in"),
    Measure("interests_out", "Interests out"),
    Measure("data_in", "Data in"),
    Measure("data_out", "Data out"),
    Measure("nacks_in", "NACKs in"),
    Measure("nacks_out", "NACKs out"),
    Measure("content_store_hits", "content store hits"),
    Measure("content_store_misses", "content store misses"),
    Measure("aggregated", "aggregated"),
    Measure("suppressed", "suppressed"),
    Measure("loops", "loops"),
    Measure("out_of_hops", "out of hops"),
    Measure("unsolicited", "unsolicited Data"),
    Measure("expired", "expired"),
)


def summary(comparison: Comparison) -> Table:
    """Lay out the totals of each case."""
    flows = totals.of_flows(comparison, ["case"])
    frame = flows.join(totals.of_links(comparison), on=["case", "run"], maintain_order="left")
    measures = (*totals.OF_FLOWS[:2], totals.DROPPED, *totals.OF_FLOWS[2:])
    return measured(comparison, frame, {}, measures, "Totals of each case")


def flows(comparison: Comparison) -> Table:
    """Lay out what each flow measured."""
    names = {
        "flow": "flow",
        "protocol": "protocol",
        "node": "node",
        "peer": "peer",
        "prefix": "prefix",
        "flow_controller": "flow's controller",
    }
    known = {
        name: it for name, it in names.items() if comparison["flows"][name].is_not_null().any()
    }
    return measured(comparison, comparison["flows"], known, FLOW_MEASURES, "Flows")


def transfers(comparison: Comparison) -> Table:
    """Lay out how long files and answers took, by their size, over all runs."""
    frame = by_size(comparison["transfers"], ["case", "flow"]).head(MOST_ROWS)
    return Table(
        "Transfers by size",
        [
            *axes(comparison, frame["case"].to_list()),
            text("flow", frame["flow"].to_list()),
            text("size", frame[SIZE_CLASS].to_list()),
            *(plain(measure, frame[measure.column]) for measure in TRANSFER_MEASURES),
        ],
        "Slowdown is the completion over the least time that the way allows.",
    )


def links(comparison: Comparison) -> Table:
    """Lay out what each direction of each link measured."""
    names = {"link": "link", "from": "from", "to": "to"}
    return measured(comparison, comparison["links"], names, LINK_MEASURES, "Links, each way")


def channels(comparison: Comparison) -> Table:
    """Lay out what each direction of a link with a channel was like, over time."""
    names = {"link": "link", "from": "from", "to": "to"}
    frame = totals.of_channels(comparison)
    return measured(comparison, frame, names, CHANNEL_MEASURES, "Channels, each way")


def nodes(comparison: Comparison) -> Table:
    """Lay out what each node counted."""
    return measured(comparison, comparison["nodes"], {"node": "node"}, NODE_MEASURES, "Nodes")


def measured(
    comparison: Comparison,
    frame: pl.DataFrame,
    names: dict[str, str],
    measures: tuple[Measure, ...],
    caption: str,
) -> Table:
    """Lay out measures with their spread over runs, for each case and each of `names`.

    Measures that are zero or missing everywhere are left out.
    """
    happened = [it for it in measures if frame[it.column].fill_null(0).ne(0).any()]
    keys = ["case", *names]
    spread = totals.spread(frame, keys, [measure.column for measure in happened])
    shown = spread.head(MOST_ROWS)
    columns = [
        *axes(comparison, shown["case"].to_list()),
        *(text(title, shown[name].to_list()) for name, title in names.items()),
        *(numbers(measure, shown[measure.column]) for measure in happened),
    ]
    note = ""
    if spread.height > MOST_ROWS:
        note = f"The first {MOST_ROWS} of {spread.height} rows; the Parquet files have all."
    return Table(caption, columns, note)


def axes(comparison: Comparison, cases: list[int]) -> list[Column]:
    """Name the cases of rows on each axis."""
    rows = [comparison.cases[case] for case in cases]
    return [text(axis, [row[index] for row in rows]) for index, axis in enumerate(comparison.axes)]


def text(title: str, texts: list[str | None]) -> Column:
    """Make a column of texts; one that is missing stays empty."""
    return Column(title, False, [Cell(it or "") for it in texts])


def plain(measure: Measure, values: pl.Series) -> Column:
    """Make a column of numbers that have no spread."""
    values = values.cast(pl.Float64)
    return numbers(
        measure, pl.DataFrame({"mean": values, "low": values, "high": values}).to_struct()
    )


def numbers(measure: Measure, spreads: pl.Series) -> Column:
    """Make a column of means with their spreads, all with one unit and the same digits."""
    means, lows, highs = (spreads.struct.field(name) for name in ("mean", "low", "high"))
    shown = scale(measure.unit, highs)
    known = [*means.drop_nulls(), *lows.drop_nulls(), *highs.drop_nulls()]
    digits = decimals([value / shown.size for value in known])
    cells = []
    for values in zip(means, lows, highs, strict=True):
        mean, low, high = (
            written(None if value is None else value / shown.size, digits) for value in values
        )
        cells.append(Cell(mean, "" if low == high else f"{low} to {high}"))
    return Column(shown.title(measure.title), True, cells)
