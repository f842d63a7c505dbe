"""A summary of results: what each flow measured, by case, over the replications."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table

from windtunnel import significance
from windtunnel.folders import SCENARIO_FILE, VERSION_KEY
from windtunnel.measures import differences, directions, repetition
from windtunnel.measures.bottlenecks import crossed
from windtunnel.measures.directions import REVERSE
from windtunnel.measures.limits import Limited, limited_by_buffers
from windtunnel.measures.links import DIRECTION, MEAN_RATE, USED
from windtunnel.measures.losses import LOST, with_lost
from windtunnel.measures.sessions import own_flows
from windtunnel.measures.silence import silent_flows
from windtunnel.measures.spreads import INTERVAL, spread
from windtunnel.measures.transfers import by_size, unfinished
from windtunnel.pictures.units import decimals_beside
from windtunnel.tables import ResultTables, has_rows
from windtunnel.terminal_tables import BETWEEN, FittingTable

MOST_ROWS = 24
"""The maximum number of rows of a table on a terminal; of a longer one there are `FIRST_ROWS`."""

FIRST_ROWS = 10

MOST_NAMED = 3
"""The maximum number of flows that are named for one reason."""

MOST_SILENT = 100
"""The maximum number of flows of which it is said why they received nothing."""

CONTROLLER = "flow's controller"
"""The column beside those of axes: a flow's controller, or its protocol if it has none."""

USE, OWN_USE, BUSIEST = "mean use", "mean own use", "busiest link"
"""Columns beside those of axes: the mean utilisation of the medium, and of the direction alone,
and what the busiest link is called."""

WIDTH = 200
"""Characters of a line where the output is not a terminal."""


@dataclass(frozen=True)
class Column:
    """A column of the table on the terminal, made from one of `flows`."""

    source: str
    title: str
    scale: float = 1.0
    digits: int = 0


COLUMNS = [
    Column("goodput_bps", "goodput\nMbps", 1e-6, 2),
    Column("active_s", "active\ns", 1.0, 2),
    Column(LOST, "lost\n%", 1e2, 2),
    Column("delay_s", "delay\nms", 1e3, 2),
    Column("rtt_s", "RTT\nms", 1e3, 2),
    Column("retransmissions", "retrans-\nmitted"),
    Column("timeouts", "time-\nouts"),
    Column("marks", "marks"),
    Column("nacks", "NACKs"),
    Column("transfers", "transfers"),
    Column("unfinished_transfers", "unfin-\nished"),
    Column("completion_s", "completion\ns", 1.0, 3),
]

SESSIONS = [
    Column("accesses", "accesses"),
    Column("faults", "faults"),
    Column("remote_accesses", "remote\naccesses"),
    Column("page_transfers", "page\ntransfers"),
    Column("page_hops", "page\nhops"),
    Column("latency_s", "latency\nms", 1e3, 2),
    Column("latency_p99_s", "latency\n99 %, ms", 1e3, 2),
    Column("unfinished", "unfin-\nished"),
    Column("lost", "pages\nlost"),
]

PLAYERS = [
    Column("startup_s", "start-up\ns", 1.0, 2),
    Column("underflows", "underflows"),
    Column("stalled_s", "stalled\ns", 1.0, 2),
    Column("discarded_frames", "frames\ndiscarded"),
    Column("late_frames", "late\nframes"),
    Column("quality_bps", "bitrate\nMbps", 1e-6, 2),
    Column("switches", "switches"),
    Column("experience", "quality of\nexperience", 1.0, 2),
]

WEB_PAGES = [
    Column("page_load_s", "page\nload s", 1.0, 2),
    Column("first_byte_s", "first\nbyte s", 1.0, 2),
    Column("first_paint_s", "first\npaint s", 1.0, 2),
    Column("largest_paint_s", "largest\npaint s", 1.0, 2),
    Column("byte_index_s", "byte\nindex s", 1.0, 2),
]

BOTTLENECK = [
    Column("goodput_bps", "goodput\nMbps", 1e-6, 2),
    Column("rate_bps", "rate\nMbps", 1e-6, 1),
    Column("utilisation", "use\n%", 1e2, 1),
]


def tables(results: ResultTables) -> list[Table | str]:
    """Format results for a terminal.

    Sessions, players, web pages, the flows that do not carry sessions and, if there are several
    flows, their totals; in what the cases differ, how many transfers did not end, which flows a
    buffer limited, and for each flow that received nothing a sentence that says why.
    """
    repeated, told = repetition.said(results), significance.of_results(results)
    results = repetition.without_repetition(results)
    made: list[Table | str] = []
    if has_rows(results.tables, "sessions"):
        made += measured(results, results["sessions"], ["sessions"], SESSIONS, "sessions")
    if has_rows(results.tables, "players"):
        made += measured(results, results["players"], ["flow"], PLAYERS, "players")
    if has_rows(results.tables, "web_pages"):
        made += measured(results, results["web_pages"], ["flow"], WEB_PAGES, "web_pages")
    own = own_flows(results)
    if not own.is_empty():
        made += flow_tables(results, own)
    if results["flows"]["flow"].n_unique() > 1:
        made += bottlenecks(results)
    made += told
    if said := unfinished(results["flows"]):
        made.append(said)
    if repeated:
        made.append(repeated)
    return [*made, *limited(results), *silence(results)]


def flow_tables(results: ResultTables, flows: pl.DataFrame) -> Iterator[Table | str]:
    """Format flows, each with its controller; of many a summary first."""
    by = pl.col("flow_controller").fill_null(pl.col("protocol"))
    controlled = with_lost(flows).with_columns(by.alias(CONTROLLER))
    if is_active_throughout(results, controlled):
        controlled = controlled.drop("active_s", strict=False)
    # A comparison of controllers names them already.
    is_named = any((controlled[axis] == controlled[CONTROLLER]).all() for axis in results.axes)
    controller = [] if is_named else [CONTROLLER]
    if controlled.select([*results.axes, "flow"]).n_unique() > MOST_ROWS:
        yield groups(controlled, [*results.axes, *controller])
    yield from measured(results, controlled, ["flow", *controller], COLUMNS, "flows")


def is_active_throughout(results: ResultTables, flows: pl.DataFrame) -> bool:
    """Say whether all flows were active for the whole run, except for a hundredth of it."""
    # Results of earlier versions do not have their times.
    if "active_s" not in flows.columns:
        return True
    longest = results["runs"].select(pl.col("duration_s").max()).item()
    return bool((flows["active_s"] >= 0.99 * longest).all())


def groups(flows: pl.DataFrame, keys: list[str]) -> Table:
    """Summarise the flows of each case and controller, over all of them and all runs."""
    goodput = pl.col("goodput_bps").fill_nan(None) / 1e6
    # Without keys all flows are one group.
    grouped = flows.group_by(keys or pl.lit(0), maintain_order=True)
    shown = grouped.agg(
        pl.col("flow").n_unique().alias("flows"),
        goodput.min().alias("goodput, Mbps\nminimum"),
        goodput.median().alias("\nmedian"),
        goodput.max().alias("\nmaximum"),
        (pl.col(LOST).fill_nan(None).mean() * 1e2).alias("lost\n%"),
        (pl.col("delay_s").fill_nan(None).mean() * 1e3).alias("delay\nms"),
        (pl.col("received_bytes") == 0).sum().alias("received\nnothing"),
    ).drop("literal", strict=False)
    table = FittingTable()
    for column in shown.columns:
        table.add_column(title_of(column), justify="left" if column in keys else "right")
    for row in shown.head(MOST_ROWS).rows():
        table.add_row(*(plain(it) for it in row))
    return table


def plain(value: str | float | None) -> str:
    """Format a single value."""
    if value is None:
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def limited(results: ResultTables) -> Iterator[str]:
    """Say which flows a buffer limited most of the time, those of one buffer together."""
    flows: dict[str, list[Limited]] = {}
    for it in limited_by_buffers(results):
        flows.setdefault(str(it.buffer), []).append(it)
    for buffer, them in islice(flows.items(), FIRST_ROWS):
        share = sum(it.share for it in them) / len(them)
        names = named([f"{it.flow}{of_case(it.case)}" for it in them])
        reached = f": {mbps(them[0])}" if len(them) == 1 else ""
        whose = "its" if len(them) == 1 else "their"
        yield f"{names}{reached}: limited {share:.0%} of the time by {whose} {buffer}"


def mbps(flow: Limited) -> str:
    """Write a flow's goodput, beside what its path carries if that is known."""
    rates = [it / 1e6 for it in (flow.goodput_bps, flow.capacity_bps) if it is not None]
    return f"{' of '.join(f'{it:.0f}' if it >= 100 else f'{it:.3g}' for it in rates)} Mbps"


def named(flows: list[str]) -> str:
    """Name the first of some flows, and say how many more there are."""
    more = f" and {len(flows) - MOST_NAMED} more" if len(flows) > MOST_NAMED else ""
    return f"{', '.join(flows[:MOST_NAMED])}{more}"


def of_case(case: tuple[str, ...]) -> str:
    """Name a case behind the name of a flow."""
    return f" ({', '.join(case)})" if case else ""


def silence(results: ResultTables) -> Iterator[str]:
    """Say of flows that received nothing why, those of one reason together."""
    silent, count = silent_flows(results, MOST_SILENT)
    reasons: dict[str, list[str]] = {}
    for it in silent:
        runs = "" if it.silent == it.runs else f" in {it.silent} of {it.runs} runs"
        named_flow = f"{it.flow}{of_case(it.case)}"
        reasons.setdefault(f"received nothing{runs}: {it.reason}", []).append(named_flow)
    for reason, flows in islice(reasons.items(), FIRST_ROWS):
        yield f"{named(flows)} {reason}"
    if count > MOST_SILENT or len(reasons) > FIRST_ROWS:
        which = f"the first {MOST_SILENT}" if count > MOST_SILENT else "all"
        yield f"… of {count:,} flows that received nothing; --json says why of {which}"


def measured(
    results: ResultTables,
    rows: pl.DataFrame,
    names: list[str],
    columns: list[Column],
    table: str,
) -> Iterator[Table | str]:
    """Format what things of a kind measured, by the columns with their names.

    Columns without a value other than zero are omitted, except for the goodput. `table` is the
    one with all rows.
    """
    shown = [
        column
        for column in columns
        if column.source in rows.columns
        and (column.source == "goodput_bps" or (rows[column.source].fill_null(0) != 0).any())
    ]
    keys = [*results.axes, *names]
    return formatted(summarise(rows, keys), keys, shown, f"all are in {table}.parquet")


def bottlenecks(results: ResultTables) -> Iterator[Table | str]:
    """Format the total goodput of each direction, beside rate and utilisation of its bottleneck."""
    link = pl.format("{}: {} to {}", "link", "from", "to").alias(BUSIEST)
    summaries = summarise_directions(results).with_columns(link)
    yield from formatted(summaries, [*results.axes, BUSIEST], BOTTLENECK, "--json gives all")
    yield "goodput: all flows that way, whole run"


def formatted(
    summaries: pl.DataFrame, keys: list[str], columns: list[Column], rest: str
) -> Iterator[Table | str]:
    """Format summaries for a terminal, as `cell` does; `rest` says where all rows are."""
    shown = FIRST_ROWS if summaries.height > MOST_ROWS else summaries.height
    table = FittingTable()
    for key in keys:
        table.add_column(title_of(key), no_wrap=True)
    for column in columns:
        widest = max(map(len, column.title.splitlines()))
        table.add_column(column.title, justify="right", min_width=widest)
    # A row in Python takes kilobytes.
    for summary in summaries.head(shown).to_dicts():
        cells = (cell(summary[column.source], column) for column in columns)
        table.add_row(*(summary[key] for key in keys), *cells)
    yield table
    # Notes of their own: a caption would be folded to the width of the table.
    if any((summaries[it.source].struct.field("runs") > 1).any() for it in columns):
        yield f"mean ± {INTERVAL} over the runs"
    if shown < summaries.height:
        yield f"the first {shown} of {summaries.height:,} rows; {rest}"


def title_of(key: str) -> str:
    """Give the title of a column that names what is in its row."""
    return "controller" if key == CONTROLLER else key


def text(results: ResultTables) -> str:
    """Format the same tables as text."""
    if not results.tables:
        return "no run finished"
    console = Console(file=io.StringIO(), width=WIDTH, force_jupyter=False, force_terminal=False)
    with console.capture() as captured:
        console.print(*tables(results), sep="\n")
    lines = (line.rstrip() for line in captured.get().splitlines())
    return "\n".join(lines).strip("\n")


def html(results: ResultTables) -> str:
    """Format the same tables for a notebook."""
    if not results.tables:
        return "<p>no run finished</p>"
    return "\n".join(html_table(table) for table in tables(results))


def html_table(table: Table | str) -> str:
    """Format a table or a line as HTML; text from users is escaped."""
    if isinstance(table, str):
        return f"<p>{escape(table)}</p>"
    heads = "".join(f"<th>{escape(str(it.header))}</th>" for it in table.columns)
    rows = zip(*(it.cells for it in table.columns), strict=True)
    lines = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    said = f"<caption>{escape(str(table.caption))}</caption>" if table.caption else ""
    return f"<table>{said}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def cell(measured: dict[str, float | None], column: Column, sign: str = "") -> str:
    """Format a measured value: the mean ± half its interval, if it has one; `sign` is `+` to write
    that of positive ones too."""
    mean, high = measured["mean"], measured["high"]
    if mean is None:
        return "–"
    if high is None:
        return f"{mean * column.scale:{sign}.{column.digits}f}"
    half = (high - mean) * column.scale
    # The mean of counts need not be an integer.
    digits = decimals_beside(half, max(column.digits, 1))
    return f"{mean * column.scale:{sign}.{digits}f}{BETWEEN}{half:.{digits}f}"


def document(
    results: ResultTables, manifest: Mapping[str, Any], scenario: Path, folder: Path | None
) -> dict[str, Any]:
    """Give a summary of the results as JSON values: what was run and measured.

    Each flow has the names of its case, and for every measured column the fields of
    `spreads.spread`: `mean`, `low` and `high` (the ends of its 95 % confidence interval),
    `minimum`, `maximum`, `standard_deviation` and `runs`. `equal` lists the cases whose runs are
    all the same, which are summarised as a single run. `differences` are those of
    `differences.of_results`. `silent` says why flows received nothing: of
    the first `MOST_SILENT`. `directions` has the total
    goodput of all flows of each direction over the whole run, beside rate and utilisation
    of its busiest link. `transfers` summarises files and answers, for each flow and class of
    sizes. `sessions` summarises sessions whose state is paged, `players` the players of videos,
    and `web_pages` pages of the web, as `flows`.
    """
    equal = repetition.equal_cases(results)
    differing = [it.row() for it in differences.of_results(results)]
    results = repetition.without_repetition(results)
    manifest = dict(manifest)
    # Its name is there as the user wrote it.
    manifest.pop(SCENARIO_FILE)
    return {
        "scenario": str(scenario),
        "version": manifest.pop(VERSION_KEY),
        **manifest,
        "folder": None if folder is None else str(folder),
        "axes": results.axes,
        "equal": equal,
        "differences": differing,
        "flows": summarise(with_lost(results["flows"]), names_of(results["flows"])).to_dicts()
        if results.tables
        else [],
        "silent": [asdict(it) for it in silent_flows(results, MOST_SILENT)[0]]
        if results.tables
        else [],
        "directions": summarise_directions(results).to_dicts() if results.tables else [],
        "transfers": by_size(results["transfers"], [*results.axes, "flow"]).to_dicts()
        if results.tables
        else [],
        "sessions": summarise(results["sessions"], names_of(results["sessions"])).to_dicts()
        if has_rows(results.tables, "sessions")
        else [],
        "players": summarise(results["players"], [*results.axes, "flow"]).to_dicts()
        if has_rows(results.tables, "players")
        else [],
        "web_pages": summarise(results["web_pages"], [*results.axes, "flow"]).to_dicts()
        if has_rows(results.tables, "web_pages")
        else [],
    }


def names_of(table: pl.DataFrame) -> list[str]:
    """List the columns that identify a row: axes and names."""
    return [name for name in table.columns if table[name].dtype == pl.String]


def summarise(flows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Summarise every flow in every case over its runs: the spread of each measured column."""
    measured = [name for name in flows.columns if name != "run" and flows[name].dtype.is_numeric()]
    runs = flows.group_by(keys, maintain_order=True).len("runs")
    return pl.concat([runs, spread(flows, keys, measured).drop(keys)], how="horizontal")


def summarise_directions(results: ResultTables) -> pl.DataFrame:
    """Summarise each direction in which flows cross the network, over its runs, as `summarise`.

    A direction has the total goodput of its flows, and of its busiest link (the one with the
    highest mean utilisation) the names, the rate and the utilisation.
    """
    of_run = [*results.axes, "run"]
    # Without axes there is one case.
    direction: list[str | pl.Expr] = [pl.lit(0), *results.axes, REVERSE]
    links = crossed(results, of_run).with_columns(
        USED.mean().over(*direction, *DIRECTION).alias(USE),
        pl.col("utilisation").mean().over(*direction, *DIRECTION).alias(OWN_USE),
    )
    busiest = links.filter(
        pl.col(name)
        == pl.col(name)
        .sort_by(USE, OWN_USE, descending=True, maintain_order=True)
        .first()
        .over(*direction)
        for name in DIRECTION
    )
    goodput = directions.of_each(results, of_run)
    measured = busiest.join(goodput, on=[*of_run, REVERSE], maintain_order="left").select(
        *of_run, *DIRECTION, "goodput_bps", rate_bps=MEAN_RATE, utilisation=USED
    )
    return summarise(measured, [*results.axes, *DIRECTION])
