"""In what two results differ: their settings, and what each flow and queue measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from windtunnel.folders import VERSION_KEY
from windtunnel.measures.links import DIRECTION, DROPS
from windtunnel.measures.losses import with_lost
from windtunnel.results import Results
from windtunnel.summary import COLUMNS, Column, summarise
from windtunnel.values import NOT_SET, differences, values

QUEUES = [
    Column("utilisation", "use, %", 1e2, 1),
    Column("sojourn_s", "queueing delay, ms", 1e3, 2),
    Column("queue_packets", "mean queue, packets", 1.0, 1),
    Column("dropped", "packets dropped"),
    Column("marks", "marks"),
]
"""What is compared of each direction of a link."""

TABLES = {"flows": (["flow"], COLUMNS), "queues": (DIRECTION, QUEUES)}
"""What is compared: the columns that name a row beside the axes, and those with its figures."""

Row = dict[str, Any]


def document(first: Results, second: Results) -> Row:
    """Give all differences as JSON values.

    `settings` has a row for the version, the seed, and each value of the scenario, each file
    that it names and each class written in Python that differ. `flows` and `queues` have a row
    for each of a case, with its figures under `figures`: `first` and `second` (mean, low, high,
    standard deviation and number of the runs; null where it is missing), and `difference`, the
    second mean less the first. Both are empty if the comparisons have different axes.
    """
    figures = {
        name: list(compared(table(first, name), table(second, name), name, first.axes))
        if first.axes == second.axes and first.tables and second.tables
        else []
        for name in TABLES
    }
    return {"settings": list(settings(first, second)), "axes": first.axes, **figures}


def settings(first: Results, second: Results) -> Iterator[Row]:
    """Give what differs of version, seed, scenario and the files that it names."""
    both = [it.manifest for it in (first, second)]
    facts = [
        {"version": it.get(VERSION_KEY), "seed": it.get("seed"), **values(of.scenario)}
        | {"seed": it.get("seed")}
        for it, of in zip(both, (first, second), strict=True)
    ]
    for path, one, other in differences(*facts):
        yield {"path": path, "first": one, "second": other}
    yield from hashes("file", [it.get("files_sha256") or {} for it in both])
    yield from hashes("extension", [hashes_of_extensions(it) for it in both])


def hashes_of_extensions(manifest: Row) -> dict[str, str]:
    """Give the hash of each class by its name; earlier versions had none."""
    return {name: it["sha256"] for name, it in manifest.get("extensions", {}).items()}


def hashes(what: str, both: list[dict[str, str]]) -> Iterator[Row]:
    """Give the hashes that differ."""
    for name in sorted({*both[0], *both[1]}):
        said = [it.get(name, NOT_SET) for it in both]
        if said[0] != said[1]:
            yield {"path": f"{what} {name}", "first": said[0][:12], "second": said[1][:12]}


def table(results: Results, name: str) -> pl.DataFrame:
    """Give the rows that are compared."""
    if name == "flows":
        return with_lost(results["flows"])
    return results["links"].with_columns(pl.sum_horizontal(DROPS).alias("dropped"))


def compared(
    first: pl.DataFrame, second: pl.DataFrame, name: str, axes: list[str]
) -> Iterator[Row]:
    """Give the rows of both with their figures, those that only the second has at the end."""
    keys = [*axes, *TABLES[name][0]]
    one, other = (
        {tuple(row[key] for key in keys): row for row in summarise(it, keys).to_dicts()}
        for it in (first, second)
    )
    for row in dict.fromkeys([*one, *other]):
        figures = {
            column.source: figure(one.get(row, {}), other.get(row, {}), column.source)
            for column in TABLES[name][1]
            if column.source in first.columns or column.source in second.columns
        }
        yield {**dict(zip(keys, row, strict=True)), "figures": figures}


def figure(one: Row, other: Row, column: str) -> Row:
    """Give a figure of both, and how much it differs."""
    first, second = (
        {**row[column], "runs": row["runs"]}
        if row.get(column, {}).get("mean") is not None
        else None
        for row in (one, other)
    )
    difference = second["mean"] - first["mean"] if first and second else None
    return {"first": first, "second": second, "difference": difference}
