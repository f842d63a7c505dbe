"""Tables: what a page shows in rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from windtunnel.measures import totals
from windtunnel.measures.columns import DROPPED, GOODPUT, MeasuredColumn, described
from windtunnel.measures.spreads import INTERVAL, spread
from windtunnel.measures.transfers import SIZE_CLASS, by_size, unfinished
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.units import decimals, decimals_beside, finite, scale, written

MOST_ROWS = 200
"""The maximum number of rows on a page; the Parquet files have all."""


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and in small print its spread or its reason."""

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
    """A table: its caption, its columns, and a note about omissions."""

    caption: str
    columns: list[Column]
    note: str = ""

    @property
    def rows(self) -> list[list[tuple[Column, Cell]]]:
        """The rows: for each column its cell."""
        cells = zip(*(column.cells for column in self.columns), strict=True)
        return [list(zip(self.columns, row, strict=True)) for row in cells]


FIRST = ("goodput_bps", "delay_s", "delay_minimum_s", "delay_maximum_s", "rtt_s")
"""The columns of flows that come first."""

LEFT_OUT = {
    "flows": {
        "received_bytes",
        "in_flight",
        "last_delay_s",
        "read_goodput_bps",
        "read_interval_maximum_s",
        "read_interval_variance_s2",
    },
    "links": {"offered", "delivered_bytes", "in_transit", "maximum_queue_bytes"},
    "nodes": set[str](),
    "players": set[str](),
    "web_pages": set[str](),
    "subflows": {"subflow", "segments", "sent_bytes", "decreases"},
    "sessions": {"hits", "refusals", "request_bytes", "page_table_bytes", "dropped"},
}
"""The columns that are not on the page; the Parquet files have them."""

SPREAD_NOTE = f"Mean ± half its {INTERVAL}; below: minimum to maximum."
"""What cells of several runs hold."""

GOODPUT_NOTE = (
    "Goodput: what all flows of one direction received over the whole run; of the direction that"
    " received more. The busiest link is that of the same direction. Delay: of TCP until the"
    " acknowledgement, of NDN from Interest to Data; of datagrams one way. Jain’s index: of the"
    " flows that way whose senders always have data."
)

TRANSFER_MEASURES = (
    MeasuredColumn("transfers", "transfers"),
    MeasuredColumn("completion_s_mean", "completion, mean", "s"),
    MeasuredColumn("completion_s_median", "median", "s"),
    MeasuredColumn("completion_s_p99", "99 %", "s"),
    MeasuredColumn("slowdown_mean", "slowdown, mean"),
    MeasuredColumn("slowdown_median", "median"),
    MeasuredColumn("slowdown_p99", "99 %"),
)
CHANNEL_MEASURES = (
    MeasuredColumn("sinr_db", "SINR", "dB"),
    MeasuredColumn("sinr_db_minimum", "minimum SINR", "dB"),
    MeasuredColumn("sinr_db_maximum", "maximum SINR", "dB"),
    MeasuredColumn("mcs", "MCS"),
    MeasuredColumn("mcs_minimum", "minimum MCS"),
    MeasuredColumn("received_dbm", "received power", "dBm"),
    MeasuredColumn("received_dbm_minimum", "minimum received power", "dBm"),
    MeasuredColumn("margin_db", "margin", "dB"),
    MeasuredColumn("margin_db_minimum", "minimum margin", "dB"),
    MeasuredColumn("rate_bps", "rate", "bit/s"),
    MeasuredColumn("outage", "outage", "share"),
    MeasuredColumn("without_line_of_sight", "without line of sight", "share"),
    MeasuredColumn("handovers", "handovers"),
)


def summary(comparison: Comparison) -> Table:
    """Tabulate the totals of each case."""
    flows = totals.of_flows(comparison, ["case"])
    frame = flows.join(totals.of_links(comparison), on=["case", "run"], maintain_order="left")
    measures = (GOODPUT, *totals.OF_LINKS[:2], *totals.OF_FLOWS[1:3], DROPPED, *totals.OF_FLOWS[3:])
    return measured(comparison, frame, measures, "Totals of each case", GOODPUT_NOTE)


def flows(comparison: Comparison) -> Table:
    """Tabulate what each flow measured."""
    return of_core(comparison, "flows", "Flows")


def sessions(comparison: Comparison) -> Table:
    """Tabulate what sessions counted."""
    return of_core(comparison, "sessions", "Sessions")


def players(comparison: Comparison) -> Table:
    """Tabulate what players counted."""
    return of_core(comparison, "players", "Players")


def web_pages(comparison: Comparison) -> Table:
    """Tabulate how pages of the web loaded."""
    return of_core(comparison, "web_pages", "Web pages")


def subflows(comparison: Comparison) -> Table:
    """Tabulate what the subflows of each flow counted, by their paths."""
    return of_core(comparison, "subflows", "Subflows")


def of_core(comparison: Comparison, table: str, caption: str) -> Table:
    """Tabulate a table of results: text columns name the rows, numeric ones are measured."""
    frame = comparison[table]
    numeric = {it for it in frame.columns if frame[it].dtype.is_numeric()}
    left_out = LEFT_OUT[table] | {"case", "run", *FIRST}
    ordered = [
        *(it for it in FIRST if it in numeric),
        *(it for it in frame.columns if it in numeric - left_out),
    ]
    return measured(comparison, frame, [described(it, table) for it in ordered], caption)


def transfers(comparison: Comparison) -> Table:
    """Tabulate the completion times of files and answers by size, over all runs."""
    frame = by_size(comparison["transfers"], ["case", "flow"]).head(MOST_ROWS)
    return Table(
        "Transfers by size",
        [
            *axes(comparison, frame["case"].to_list()),
            text("flow", frame["flow"].to_list()),
            text("size", frame[SIZE_CLASS].to_list()),
            *(plain(measure, frame[measure.column]) for measure in TRANSFER_MEASURES),
        ],
        "Slowdown: the completion time divided by the minimum that the path allows. "
        f"{unfinished(comparison['flows'])}".rstrip(),
    )


def links(comparison: Comparison) -> Table:
    """Tabulate what each direction of each link measured."""
    return of_core(comparison, "links", "Links, each direction")


def channels(comparison: Comparison) -> Table:
    """Tabulate the channels, averaged over time."""
    frame = totals.of_channels(comparison)
    return measured(comparison, frame, CHANNEL_MEASURES, "Channels, each direction")


def link_budgets(comparison: Comparison) -> Table:
    """Tabulate the link budgets of each case: they are the same in all its runs."""
    frame = comparison["link_budgets"]
    frame = frame.filter(pl.col("run") == pl.col("run").min().over("case")).head(MOST_ROWS)
    terms: list[str | None] = [
        f"{term} ({unit})" if unit else term
        for term, unit in frame.select("term", "unit").iter_rows()
    ]
    return Table(
        "Link budgets, each direction",
        [
            *axes(comparison, frame["case"].to_list()),
            *(text(it, frame[it].to_list()) for it in ("link", "from", "to")),
            text("term", terms),
            plain(MeasuredColumn("best", "best"), frame["best"]),
            plain(MeasuredColumn("worst", "worst"), frame["worst"]),
        ],
        "At the best time and at the worst, such as in the thickest fog; without random"
        " fluctuations. The terms add up to what is received.",
    )


def nodes(comparison: Comparison) -> Table:
    """Tabulate the counters of each node."""
    return of_core(comparison, "nodes", "Nodes")


def measured(
    comparison: Comparison,
    frame: pl.DataFrame,
    measures: Sequence[MeasuredColumn],
    caption: str,
    note: str = "",
) -> Table:
    """Tabulate measures with their spreads over runs, for each case and each name in the frame.

    Measures that are zero or missing everywhere are omitted, and so are missing names. `note`
    explains them.
    """
    texts = (it for it in frame.columns if frame[it].dtype == pl.String and it != GROUP)
    names = [it for it in texts if frame[it].count()]
    happened = [it for it in measures if frame[it.column].fill_null(0).ne(0).any()]
    keys = ["case", *names]
    measured = spread(frame, keys, [measure.column for measure in happened])
    shown = measured.head(MOST_ROWS)
    columns = [
        *axes(comparison, shown["case"].to_list()),
        *(text(described(name).title, shown[name].to_list()) for name in names),
        *(numbers(measure, shown[measure.column]) for measure in happened),
    ]
    notes = [note]
    if comparison.several_runs:
        notes.append(SPREAD_NOTE)
    if measured.height > MOST_ROWS:
        left_out = f"The first {MOST_ROWS} of {measured.height} rows; all are in the Parquet files."
        notes.append(left_out)
    return Table(caption, columns, " ".join(filter(None, notes)))


def axes(comparison: Comparison, cases: list[int]) -> list[Column]:
    """Make a column of case names for each axis."""
    rows = [comparison.cases[case] for case in cases]
    return [text(axis, [row[index] for row in rows]) for index, axis in enumerate(comparison.axes)]


def text(title: str, texts: list[str | None]) -> Column:
    """Make a column of texts; a missing one is empty."""
    return Column(title, False, [Cell(it or "") for it in texts])


def plain(measure: MeasuredColumn, values: pl.Series) -> Column:
    """Make a column of numbers without a spread."""
    values = values.cast(pl.Float64)
    spreads = pl.DataFrame({"mean": values, "minimum": values, "maximum": values})
    return numbers(measure, spreads.with_columns(low=pl.lit(None, pl.Float64)).to_struct())


def numbers(measure: MeasuredColumn, spreads: pl.Series) -> Column:
    """Make a column of means ± half their intervals, below them the minimum and the maximum, in
    one unit and with the same digits."""
    shown = scale(measure.unit, spreads.struct.field("maximum"))
    ends = ("mean", "low", "minimum", "maximum")
    scaled = spreads.struct.unnest().select(pl.col(*ends) / shown.size)
    digits = decimals(finite(it for end in ("mean", "minimum", "maximum") for it in scaled[end]))
    cells = [cell(row, digits) for row in scaled.to_dicts()]
    return Column(shown.title(measure.title), True, cells)


def cell(spread: dict[str, float | None], digits: int) -> Cell:
    """Write a mean, half its interval if there is one, and the range."""
    mean, low = spread["mean"], spread["low"]
    interval = None if mean is None or low is None else mean - low
    digits = decimals_beside(interval, digits)
    half = "" if interval is None else f" ± {written(interval, digits)}"
    between = f"{written(spread['minimum'], digits)} to {written(spread['maximum'], digits)}"
    is_single = spread["minimum"] == spread["maximum"]
    return Cell(written(mean, digits) + half, "" if is_single else between)
