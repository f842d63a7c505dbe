"""The report of an evaluation: the criteria, then a picture of each with all its limits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from windtunnel.evaluation import documents, words
from windtunnel.evaluation.documents import Evaluation
from windtunnel.evaluation.evaluation import Answer
from windtunnel.evaluation.judging import Judged, tables_of, values
from windtunnel.evaluation.measures import MEASURES
from windtunnel.measures.columns import MeasuredColumn
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.measures.measure import VALUE
from windtunnel.pictures.files import FigureFiles
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies import comparisons
from windtunnel.report import page
from windtunnel.report.tables import MOST_ROWS, Cell, Column, Table, text

SHOWN = 6
"""The panels of a picture that a page shows."""


@dataclass(frozen=True)
class Section:
    """A criterion on the page."""

    answer: Answer
    whole: Picture | None
    panels: list[Picture]
    limits: Table | None


def write(folder: Path, figures: FigureFiles | None = None) -> Path:
    """Write the report of an evaluation into its folder; returns the page. Raises OSError."""
    found = documents.load(folder)
    sections = [section(found, it) for it in found.answers]
    return page.write_page(
        folder,
        "evaluation.html",
        [it.whole for it in sections if it.whole],
        tables={"limits": frame(found)},
        figure_files=figures,
        title=f"{found.candidate.name} by the criteria of {found.candidate.subject.source}",
        warnings=warnings(found),
        abstract=words.abstract(found.answers, found.candidate),
        criteria=criteria(found),
        sections=sections,
    )


def warnings(found: Evaluation) -> list[str]:
    """Say what is missing."""
    said = ["The evaluation was interrupted."] if found.interrupted else []
    failed = sum(it.failures.height for it in found.results.values())
    return said + ([f"{failed} runs failed."] if failed else [])


def criteria(found: Evaluation) -> Table:
    """Tabulate the criteria."""
    rows = found.answers
    return Table(
        "Criteria",
        [
            Column("", True, [Cell(str(it.criterion.number)) for it in rows]),
            Column(
                "criterion", False, [Cell(it.criterion.title, it.criterion.section) for it in rows]
            ),
            text("verdict", [str(it.verdict) for it in rows]),
            text("by how much", [words.amount(it) for it in rows]),
            text("why", [words.why(it) for it in rows]),
        ],
        "By how much: at the point that decides, the mean and the 95 % confidence interval of what "
        "it is beyond the limit, paired by seed; what is negative is within.",
    )


def section(found: Evaluation, answer: Answer) -> Section:
    """Draw a criterion: the measure that decides, and all limits as a table."""
    worst = answer.worst
    if worst is None:
        return Section(answer, None, [], None)
    whole, panels = picture(found, worst, f"criterion-{answer.criterion.number}")
    return Section(answer, whole, panels, limits(answer))


def picture(found: Evaluation, judged: Judged, name: str) -> tuple[Picture, list[Picture]]:
    """Draw a measure of an experiment: the candidate beside the standards."""
    check = judged.check
    results = found.results[check.experiment]
    frame = values(check, results, tables_of(results))
    column = MEASURES[check.measure].column
    unit = "share" if check.relative and check.relative.form != "difference" else column.unit
    measure = MeasuredColumn(VALUE, words.title(judged), unit, column.better)
    parameters = [narrowed(it, frame) for it in results.parameters]
    varied = [it for it in parameters if len(it.values) > 1]
    by = next((it for it in varied if it.name == found.candidate.subject.word), None)
    figure = comparisons.comparison(StudyFrame(results.title, varied, frame), measure, by)
    drawn = replace(figure, name=name, title=f"{results.title}: {words.title(judged)}")
    return drawn.whole(), drawn.parts()[:SHOWN]


def narrowed(parameter: Parameter, frame: pl.DataFrame) -> Parameter:
    """Leave of a parameter the values that a frame has."""
    there = set(frame[parameter.name].unique())
    stored = parameter.values if parameter.numbers is None else parameter.numbers
    kept = [place for place, it in enumerate(stored) if it in there]
    numbers = None if parameter.numbers is None else [parameter.numbers[it] for it in kept]
    return replace_values(parameter, [parameter.values[it] for it in kept], numbers)


def replace_values(
    parameter: Parameter, values: list[str], numbers: list[float] | None
) -> Parameter:
    """Give a parameter with other values."""
    return Parameter(parameter.name, values, numbers, parameter.unit, parameter.logarithmic)


def limits(answer: Answer) -> Table:
    """Tabulate the limits of a criterion at all points, the worst first."""
    rows = sorted(answer.judged, key=lambda it: -it.severity)[:MOST_ROWS]
    return Table(
        "Limits at all points",
        [
            text("verdict", [str(it.verdict) for it in rows]),
            text("point", [words.place(it) for it in rows]),
            text("by how much", [words.measured(it) for it in rows]),
            text("beside", [it.standard for it in rows]),
            text("limit", [it.check.source for it in rows]),
        ],
    )


def frame(found: Evaluation) -> pl.DataFrame:
    """Give all limits in full precision."""
    rows = [
        {
            "criterion": it.criterion.number,
            "verdict": str(judged.verdict),
            "experiment": judged.check.experiment,
            "measure": judged.check.measure,
            "form": judged.check.relative.form if judged.check.relative else "value",
            "point": words.place(judged),
            "value": judged.value.mean,
            "limit": judged.limit,
            "standard": judged.standard,
            "beyond": judged.excess.mean,
            "beyond_low": judged.excess.low,
            "beyond_high": judged.excess.high,
        }
        for it in found.answers
        for judged in it.judged
    ]
    return pl.DataFrame(rows)
