"""The command `compare`: two folders of results beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.table import Table

from windtunnel import differences
from windtunnel.cli.output import answer, output
from windtunnel.folders import PAPER, STUDY_FILE, stored_manifest
from windtunnel.measures.links import DIRECTION
from windtunnel.measures.spreads import INTERVAL
from windtunnel.results import Results, ResultsError
from windtunnel.summary import Column, cell
from windtunnel.terminal_tables import FittingTable

MOST_SETTINGS = 20
"""The maximum number of settings that are shown."""

KINDS = {"study": STUDY_FILE, "paper": PAPER}
"""What else has folders, and the key of its manifest."""

MOST_ROWS = 10
"""The maximum number of flows, and of queues, that are shown."""

Row = dict[str, Any]


def compare(first: Path, second: Path, as_json: bool) -> None:
    """Print in what two results differ."""
    results = [loaded(it) for it in (first, second)]
    found = differences.document(*results)
    if as_json:
        answer({"first": str(first), "second": str(second), **found})
        return
    names = short(first, second)
    shown = [*settings(found["settings"], names)]
    if results[0].axes != results[1].axes:
        axes = (", ".join(it.axes) or "none" for it in results)
        shown.append(f"their comparisons have different axes: {' and '.join(axes)}")
    else:
        for name in differences.TABLES:
            shown += figures(name, found, names)
    output().print(*shown, sep="\n")


def loaded(folder: Path) -> Results:
    """Read results. Raises ResultsError if it is a folder of something else."""
    manifest = {}
    # What is no folder of ours is reported when it is loaded.
    with suppress(OSError, ValueError):
        manifest = stored_manifest(folder)
    if kind := next((it for it, key in KINDS.items() if key in manifest), None):
        what = f"{folder}: holds the results of a {kind}"
        raise ResultsError(f"{what}\nhelp: compare two folders of `windtunnel run`")
    return Results.load(folder)


def short(first: Path, second: Path) -> tuple[str, str]:
    """Name two folders by what differs between their paths."""
    one, other = first.resolve().parts, second.resolve().parts
    while len(one) > 1 and len(other) > 1 and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while len(one) > 1 and len(other) > 1 and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return "/".join(one), "/".join(other)


def settings(differing: list[Row], names: tuple[str, str]) -> Iterator[str | Table]:
    """Format the settings that differ."""
    if not differing:
        yield "the same scenario, seed and version"
        return
    table = FittingTable()
    for title in ("setting", *names):
        table.add_column(title, overflow="fold")
    for row in differing[:MOST_SETTINGS]:
        table.add_row(row["path"], row["first"], row["second"])
    yield table
    if len(differing) > MOST_SETTINGS:
        yield f"the first {MOST_SETTINGS} of {len(differing)} settings; --json gives all"


def figures(name: str, found: Row, names: tuple[str, str]) -> Iterator[str | Table]:
    """Format the figures of flows or queues that differ by a digit that is shown."""
    rows = [(row, lines(name, row)) for row in found[name]]
    differing = [(row, them) for row, them in rows if them]
    if name == "queues":
        differing.sort(key=lambda it: longest(it[0]), reverse=True)
    if differing:
        yield table_of(name, differing[:MOST_ROWS], found["axes"], names)
        if any(has_interval(row) for row, _ in differing[:MOST_ROWS]):
            yield f"mean ± {INTERVAL} over the runs"
            yield "differences: paired by run"
    if len(differing) > MOST_ROWS:
        which = "longest" if name == "queues" else "first"
        yield f"the {which} {MOST_ROWS} of {len(differing):,} {name} that differ; --json gives all"
    if same := len(rows) - len(differing):
        yield f"{same:,} of {len(rows):,} {name} have the same figures, to the digits shown"


def has_interval(row: Row) -> bool:
    """Say whether a row has a figure of several runs."""
    values = (it for figure in row["figures"].values() for it in figure.values() if it)
    return any(it["low"] is not None for it in values)


def lines(name: str, row: Row) -> list[list[str]]:
    """Give the cells of each figure of a row that differs."""
    columns = differences.TABLES[name][1]
    shown = (cells(row["figures"][it.source], it) for it in columns if it.source in row["figures"])
    return [it for it in shown if it[1] != it[2]]


def longest(row: Row) -> float:
    """Give the greater mean length of a queue."""
    both = (row["figures"]["queue_packets"][it] for it in ("first", "second"))
    return max((it["mean"] for it in both if it), default=0.0)


def table_of(
    name: str, rows: list[tuple[Row, list[list[str]]]], axes: list[str], names: tuple[str, str]
) -> Table:
    """Format rows: a line with what they are of, and under it a line for each figure."""
    table = FittingTable()
    table.add_column(", ".join([*axes, name.removesuffix("s")]), overflow="fold")
    for title in (*names, "difference", "%"):
        table.add_column(title, justify="right", overflow="fold")
    for row, figures in rows:
        table.add_row(", ".join([*(row[axis] for axis in axes), named(name, row)]))
        for title, *values in figures:
            table.add_row(f"  {title}", *values)
    return table


def named(name: str, row: Row) -> str:
    """Name a row."""
    if name == "flows":
        return str(row["flow"])
    link, source, to = (row[key] for key in DIRECTION)
    return f"{link}: {source} to {to}"


def cells(figure: Row, column: Column) -> list[str]:
    """Format a figure: its title, both values, their difference, and its share in percent."""
    title = column.title.replace("-\n", "").replace("\n", " ")
    first, second, difference = figure["first"], figure["second"], figure["difference"]
    both = [cell(it, column) if it else "–" for it in (first, second)]
    if difference is None:
        return [title, *both, "", ""]
    share = f"{difference['mean'] / abs(first['mean']) * 1e2:+.1f}" if first["mean"] else ""
    return [title, *both, cell(difference, column, sign="+"), share]
