"""Cases whose runs are all the same, because nothing in them is random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

import polars as pl

from windtunnel.measures.frame import StudyFrame
from windtunnel.tables import ResultTables

R = TypeVar("R", bound=ResultTables)
F = TypeVar("F", bound=StudyFrame)

HOW_TO_DIFFER = "`start_within` of flows, or `jitter` or `loss` of links, makes them differ"
"""How a scenario becomes random."""

TOTALS = ("runs", "flows", "links", "nodes", "transfers")
"""The tables whose rows are compared: if they are the same, so is everything else."""

Case = tuple[str, ...]


def equal_cases(results: ResultTables) -> list[Case]:
    """List the cases of several runs that are all the same."""
    return [case for case, runs in runs_of_cases(results) if are_equal(results, case, runs)]


def cases(results: ResultTables) -> list[Case]:
    """List all cases."""
    return [case for case, _ in runs_of_cases(results)]


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
    return f"the {count} runs{of} are the same, because nothing in them is random: {HOW_TO_DIFFER}"


def is_repeated(study: StudyFrame) -> pl.Expr:
    """Say of which combinations of parameters all seeds of a study measure the same."""
    names = [it.name for it in study.parameters]
    measured = pl.struct(pl.exclude(*names, "seed", "key"))
    combination = [pl.lit(0), *names]
    return (measured.n_unique().over(combination) == 1) & (pl.len().over(combination) > 1)


def each_once(study: F) -> F:
    """Keep one seed of each combination whose seeds all measure the same."""
    combination = [pl.lit(0), *(it.name for it in study.parameters)]
    is_first = pl.int_range(pl.len()).over(combination) == 0
    return replace(study, frame=study.frame.filter(~is_repeated(study) | is_first))


def said_of_study(study: StudyFrame) -> str:
    """Say of how many combinations all seeds give the same run; nothing if of none."""
    names = [pl.lit(0), *(it.name for it in study.parameters)]
    every = study.frame.select(pl.struct(names).alias("combination"), same=is_repeated(study))
    same = every.filter("same")["combination"].n_unique()
    if not same:
        return ""
    return (
        f"all seeds give the same run at {same:,} of {every['combination'].n_unique():,} "
        f"combinations, because nothing is random there: {HOW_TO_DIFFER}"
    )
