"""The report of a study: what varied, pictures that compare, tables with their spread."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from windtunnel import significance
from windtunnel.measures import repetition
from windtunnel.measures.columns import COMPLETION, GOODPUT, MeasuredColumn
from windtunnel.measures.frame import Parameter
from windtunnel.pictures.files import FigureFiles
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies import comparisons, fronts, heat_maps, layout, measures, spreads
from windtunnel.pictures.studies.figure import Figure
from windtunnel.pictures.studies.layout import axis
from windtunnel.report import findings, page, study_tables
from windtunnel.report.of_results import counted
from windtunnel.studies.outcome import StudyResults

MOST_TEXTS = 6
"""The maximum number of values of a parameter that are listed one by one."""


@dataclass(frozen=True)
class Section:
    """A picture: its files hold it whole, the page shows its panels one by one."""

    whole: Picture
    panels: list[Picture]


def write(folder: Path, results: StudyResults, figures: FigureFiles | None = None) -> Path:
    """Write the report of a study into a folder.

    It is `report.html`, with its tables as CSV under `tables/` and, with `figures`, its
    pictures under `figures/`. Returns the page. Raises OSError.
    """
    # Seeds that give the same run are no spread.
    once = repetition.each_once(results)
    main, others, spreads = chosen(once)
    drawn = [it.whole for it in (*main, *others, *spreads)]
    tables = study_tables.tables(once)
    files = {it.name: it.frame for it in tables}
    return page.write_page(
        folder,
        "study.html",
        drawn,
        tables={**files, "runs": study_tables.runs(results)},
        figure_files=figures,
        title=results.title or folder.resolve().name,
        facts=facts(results),
        warnings=warnings(results),
        findings=findings.of_study(once),
        differences=significance.of_study(results),
        main=main,
        others=others,
        spreads=spreads,
        numbers=tables,
    )


def chosen(results: StudyResults) -> tuple[list[Section], list[Section], list[Section]]:
    """Choose the pictures, the most useful first: main ones, other measures, and spreads.

    1. Goodput over the number with most values, a line for each controller (or for
       what `layout.compared` takes in its place), a panel for each value of the
       rest; bars where no number varies. If there is no goodput, the first of
       `measures.MEASURES` that there is.
    2. Where some words have a base value such as `plain`: the gain over it.
    3. Where two numbers vary: goodput over both, a panel for each controller.
    4. Goodput against delay with its Pareto front.
    5. Delay, as goodput in 1 to 3.

    Other measures are drawn as in 1. Spreads over all runs are distribution
    functions and boxes of goodput and delay, and the distribution of the
    completion times of transfers.
    """
    there = measures.measured(results)
    if not there:
        return [], [], []
    first, *others = there
    by = layout.compared(results)
    main = [*over_parameters(results, first)]
    delay = measures.delay(results)
    if GOODPUT in there and delay in there:
        main.append(fronts.trade_off(results, by))
    if delay in others:
        main += over_parameters(results, delay)
        others.remove(delay)
    both = [it for it in (GOODPUT, delay) if it in there]
    of_runs = [
        figure
        for it in both
        for figure in (
            spreads.distribution_of(results.frame, it, by, "runs"),
            spreads.boxes_of(results, it, by),
        )
    ]
    return (
        sections(main),
        sections([comparisons.comparison(results, it, by) for it in others]),
        sections([*of_transfers(results, by), *of_runs]),
    )


def over_parameters(results: StudyResults, measure: MeasuredColumn) -> list[Figure]:
    """Draw a measure over a parameter, its gains, and over two parameters."""
    made = [comparisons.comparison(results, measure, layout.compared(results))]
    for parameter in results.parameters:
        if base := layout.base(parameter):
            gains = heat_maps.map_of_gains(results, measure, parameter, base)
            made += [gains] if gains else []
    for x in layout.numeric(results)[:1]:
        others = (it for it in layout.numeric(results) if it != x)
        crossed = [it for it in others if layout.crossed(results.frame, axis(x), axis(it))]
        made += [heat_maps.map_of_means(results, measure, x, y) for y in crossed[:1]]
    return made


def of_transfers(results: StudyResults, by: Parameter | None) -> list[Figure]:
    """Draw the distribution of the completion times of transfers, where there are any."""
    transfers = results.table("transfers")
    time = MeasuredColumn(COMPLETION.column, "completion time of transfers", COMPLETION.unit)
    if time.column not in transfers.columns or not transfers[time.column].count():
        return []
    return [spreads.distribution_of(transfers, time, by, "transfers")]


def sections(figures: list[Figure]) -> list[Section]:
    """Divide figures into the pictures of their panels."""
    return [Section(it.whole(), it.parts()) for it in figures]


def facts(results: StudyResults) -> dict[str, str]:
    """List the parameters and the number of runs."""
    frame = results.frame
    names = [it.name for it in results.parameters]
    combinations = frame.select(pl.struct(names).n_unique()).item() if names else 1
    seeds = frame["seed"].n_unique()
    known = {
        "Runs": f"{counted(frame.height, 'run')} of {results.planned:,}",
        "Combinations": counted(combinations, "combination"),
        "Seeds": f"{seeds:,}",
    }
    return known | {it.name: values(it) for it in results.parameters}


def values(parameter: Parameter) -> str:
    """List a parameter's values, or their number and the ends."""
    texts = layout.texts(parameter)
    if len(texts) <= MOST_TEXTS or parameter.numbers is None:
        return "; ".join(texts) if any("," in it for it in texts) else ", ".join(texts)
    return f"{len(texts):,} values, {texts[0]} to {texts[-1]}"


def warnings(results: StudyResults) -> list[str]:
    """List what is missing, and why."""
    said = []
    failed = results.failures.height
    if failed:
        said.append(f"{counted(failed, 'run')} failed; their errors are at the end of the page.")
    missing = results.planned - results.frame.height - failed
    if missing > 0:
        said.append(f"{counted(missing, 'run')} of {results.planned:,} have not been run yet.")
    said += [it for it in (results.unfinished, repetition.said_of_study(results)) if it]
    if results.frame.is_empty():
        said.append("No run finished.")
    return said
