"""A summary of results: what each flow measured, by case, over the replications."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from windtunnel.folders import SCENARIO_FILE, VERSION_KEY
from windtunnel.measures.transfers import by_size
from windtunnel.tables import ResultTables

MOST_ROWS = 60
"""The maximum number of rows of a table on a terminal."""

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
    Column("delay_s", "delay\nms", 1e3, 2),
    Column("rtt_s", "round trip\nms", 1e3, 2),
    Column("retransmissions", "retrans-\nmitted"),
    Column("timeouts", "timeouts"),
    Column("marks", "marks"),
    Column("nacks", "NACKs"),
    Column("transfers", "transfers"),
    Column("completion_s", "completion\ns", 1.0, 3),
]


def table(results: ResultTables) -> Table:
    """Format goodput, delay and counters for a terminal: mean ± deviation.

    Columns without a value other than zero are omitted.
    """
    flows = results["flows"]
    keys = [*results.axes, "flow"]
    summaries = summarise(flows, keys)
    columns = [
        column
        for column in COLUMNS
        if column.source in flows.columns and (flows[column.source].fill_null(0) != 0).any()
    ]
    spread = flows["run"].max() != 0
    caption = "mean ± standard deviation over the runs" if spread else None
    table = Table(box=SIMPLE_HEAD, caption=caption, caption_justify="left")
    for key in keys:
        table.add_column(key, no_wrap=True)
    for column in columns:
        table.add_column(column.title, justify="right")
    # A row in Python takes kilobytes.
    for summary in summaries.head(MOST_ROWS).to_dicts():
        cells = (cell(summary[column.source], column) for column in columns)
        table.add_row(*(summary[key] for key in keys), *cells)
    if summaries.height > MOST_ROWS:
        table.caption = (
            f"the first {MOST_ROWS} of {summaries.height} rows; all are in flows.parquet"
        )
    return table


def text(results: ResultTables) -> str:
    """Format the same table as text."""
    if not results.tables:
        return "no run finished"
    console = Console(file=io.StringIO(), width=WIDTH, force_jupyter=False, force_terminal=False)
    with console.capture() as captured:
        console.print(table(results))
    lines = (line.rstrip() for line in captured.get().splitlines())
    return "\n".join(lines).strip("\n")


def cell(measured: dict[str, float | None], column: Column) -> str:
    """Format a measured value."""
    mean, deviation = measured["mean"], measured["standard_deviation"]
    if mean is None:
        return "–"
    if deviation is None:
        return f"{mean * column.scale:.{column.digits}f}"
    # The mean of counts need not be an integer.
    digits = max(column.digits, 1)
    return f"{mean * column.scale:.{digits}f} ± {deviation * column.scale:.{digits}f}"


def document(
    results: ResultTables, manifest: Mapping[str, Any], scenario: Path, folder: Path | None
) -> dict[str, Any]:
    """Give a summary of the results as JSON values: what was run, `flows` and `transfers`.

    Each flow has the names of its case, and for every measured column `mean`,
    `low` and `high` (the minimum and the maximum of its runs) and
    `standard_deviation` (null for a single run). `transfers` summarises files and
    answers, for each flow and class of sizes.
    """
    manifest = dict(manifest)
    # Its name is there as the user wrote it.
    manifest.pop(SCENARIO_FILE)
    return {
        "scenario": str(scenario),
        "version": manifest.pop(VERSION_KEY),
        **manifest,
        "folder": None if folder is None else str(folder),
        "axes": results.axes,
        "flows": summarise(results["flows"], names_of(results["flows"])).to_dicts()
        if results.tables
        else [],
        "transfers": by_size(results["transfers"], [*results.axes, "flow"]).to_dicts()
        if results.tables
        else [],
    }


def names_of(table: pl.DataFrame) -> list[str]:
    """List the columns that identify a row: axes and names."""
    return [name for name in table.columns if table[name].dtype == pl.String]


def summarise(flows: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Summarise every flow in every case over its runs: each measured column as a struct."""
    measured = [name for name in flows.columns if name != "run" and flows[name].dtype.is_numeric()]
    summaries = [
        pl.struct(
            mean=pl.col(name).mean(),
            low=pl.col(name).min(),
            high=pl.col(name).max(),
            standard_deviation=pl.col(name).std(),
        ).alias(name)
        for name in measured
    ]
    runs = pl.len().alias("runs")
    return flows.group_by(keys, maintain_order=True).agg(runs, *summaries)
