"""Cases whose runs are all the same, because nothing in them is random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

import polars as pl

from windtunnel.tables import ResultTables

R = TypeVar("R", bound=ResultTables)

TOTALS = ("runs", "flows", "links", "nodes", "transfers")
"""The tables whose rows are compared: if they are the same, so is everything else."""

Case = tuple[str, ...]


def equal_cases(results: ResultTables) -> list[Case]:
    """List the cases of several runs that are all the same."""
    return [case for case, runs in runs_of_cases(results) if are_equal(results, case, runs)]


def without_repetition(results: R) -> R:
    """Keep one run of each case whose runs are all the same: the others measure nothing."""
    equal = equal_cases(results)
    if not equal:
        return results
    repeated = pl.any_horizontal(
        pl.all_horizontal(*of_case(results, case), pl.col("run") != runs[0])
        for case, runs in runs_of_cases(results)
        if case in equal
    )
    return replace(
        results, tables={name: it.remove(repeated) for name, it in results.tables.items()}
    )


def of_case(results: ResultTables, case: Case) -> list[pl.Expr]:
    """Select the rows of a case."""
    return [pl.col(axis) == name for axis, name in zip(results.axes, case, strict=True)]


def runs_of_cases(results: ResultTables) -> Iterator[tuple[Case, list[int]]]:
    """Give each case with the numbers of its runs."""
    if "runs" not in results.tables:
        return
    rows = results["runs"].select([*results.axes, "run"]).rows()
    for case, of_runs in groupby(rows, key=lambda row: row[:-1]):
        yield case, [row[-1] for row in of_runs]


def are_equal(results: ResultTables, case: Case, runs: list[int]) -> bool:
    """Say whether several runs of a case are the same."""
    if len(runs) < 2:
        return False
    for name in TOTALS:
        table = results[name].filter(*of_case(results, case))
        first, *others = (table.filter(pl.col("run") == run).drop("run") for run in runs)
        if not all(first.equals(it) for it in others):
            return False
    return True


def said(results: ResultTables) -> str:
    """Say which cases have runs that are all the same; nothing if none has."""
    equal = equal_cases(results)
    if not equal:
        return ""
    cases = list(runs_of_cases(results))
    of = "" if len(equal) == len(cases) else f" of {'; '.join(', '.join(it) for it in equal)}"
    count = len(next(runs for case, runs in cases if case == equal[0]))
    return (
        f"the {count} runs{of} are the same, because nothing in them is random: "
        "`start_within` of flows, or `jitter` or `loss` of links, makes them differ"
    )
