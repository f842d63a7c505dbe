"""In what two results differ: their settings, and what each flow and queue measured."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from windtunnel.folders import VERSION_KEY
from windtunnel.measures import repetition
from windtunnel.measures.links import DIRECTION, DROPS
from windtunnel.measures.losses import with_lost
from windtunnel.measures.spreads import spread
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
    for each of a case, with its figures under `figures`: `first`, `second` and `difference`, the
    second less the first in the runs that both have, each as its spread (`spreads.FIELDS`), or
    null where it is missing. Both are empty if the comparisons have different axes.
    """
    figures = {
        name: list(compared(once(first, second), name, first.axes))
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


def once(*both: Results) -> list[Results]:
    """Keep one run of each case where all runs of both are the same: others measure nothing."""
    equal = [set(repetition.equal_cases(it)) == set(repetition.cases(it)) for it in both]
    return [repetition.without_repetition(it) for it in both] if all(equal) else list(both)


def table(results: Results, name: str) -> pl.DataFrame:
    """Give the rows that are compared."""
    if name == "flows":
        return with_lost(results["flows"])
    return results["links"].with_columns(pl.sum_horizontal(DROPS).alias("dropped"))


def compared(both: list[Results], name: str, axes: list[str]) -> Iterator[Row]:
    """Give the rows of both with their figures, those that only the second has at the end."""
    first, second = (table(it, name) for it in both)
    keys = [*axes, *TABLES[name][0]]
    columns = [
        it.source for it in TABLES[name][1] if it.source in {*first.columns, *second.columns}
    ]
    apart = between(first, second, keys, columns)
    one, other, less = (
        {tuple(row[key] for key in keys): row for row in it.to_dicts()}
        for it in (summarise(first, keys), summarise(second, keys), apart)
    )
    for row in dict.fromkeys([*one, *other]):
        rows = [it.get(row, {}) for it in (one, other, less)]
        figures = {column: figure(rows, column) for column in columns}
        yield {**dict(zip(keys, row, strict=True)), "figures": figures}


def between(
    first: pl.DataFrame, second: pl.DataFrame, keys: list[str], columns: list[str]
) -> pl.DataFrame:
    """Give the spread of the differences of the runs that both have."""
    shared = [it for it in columns if it in first.columns and it in second.columns]
    of_run = [*keys, "run"]
    # Signed: the second may be the smaller one.
    ends = (it.select(*of_run, pl.col(shared).cast(pl.Float64)) for it in (first, second))
    pairs = next(ends).join(next(ends), on=of_run, suffix=" of second", maintain_order="left")
    less = (pl.col(f"{it} of second") - pl.col(it) for it in shared)
    apart = pairs.select(*of_run, *(it.alias(name) for it, name in zip(less, shared, strict=True)))
    return spread(apart, keys, shared)


def figure(rows: list[Row], column: str) -> Row:
    """Give a figure of both, and how much it differs."""
    known = (row[column] if row.get(column, {}).get("mean") is not None else None for row in rows)
    return dict(zip(("first", "second", "difference"), known, strict=True))
