"""How a measure of a study spreads over all runs: distribution functions and boxes."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.report import distributions, study_charts, study_layout, study_measures
from windtunnel.report.charts import BAR, HEIGHT
from windtunnel.report.study_figure import (
    EVERYTHING,
    Figure,
    line_of,
    lines_of,
    samples,
    slug,
    there,
)
from windtunnel.report.study_layout import Panel, axis
from windtunnel.report.totals import Measure
from windtunnel.report.units import scale
from windtunnel.studies.outcome import Parameter, StudyResults


def distribution_of(
    frame: pl.DataFrame, measure: Measure, by: Parameter | None, of_what: str
) -> Figure:
    """Draw distribution functions of a measure over a frame's rows, a line for each value."""
    known = samples(frame, measure, {"line": line_of(by)}, [])
    shown_in = scale(measure.unit, known["value"])
    values = known.select("line", pl.col("value") / shown_in.size)
    quantiles = distributions.quantiles(values)
    lines = there(lines_of(by)[0], quantiles)
    quantiles = quantiles.filter(pl.col("line").is_in([it.name for it in lines]))
    title = shown_in.title(measure.title)
    across = study_charts.from_zero(quantiles["value"], quantiles["value"])

    draw = partial(distributions.layers, lines=lines, title=title, of_what=of_what, scale=across)
    return Figure(
        name=f"{study_measures.short(measure)}-distribution-of-{slug(of_what)}",
        title=f"Distribution of the {measure.title}",
        caption=f"Share of the {of_what} that are not greater.",
        lines=lines,
        panels=[Panel("", quantiles)],
        draw=draw,
        height=HEIGHT,
    )


def boxes_of(results: StudyResults, measure: Measure, by: Parameter | None) -> Figure:
    """Draw a box for each value of a parameter, of all its runs."""
    value = pl.col("value")
    drawn = (
        samples(results.frame, measure, {"line": line_of(by)}, [])
        .group_by("line")
        .agg(
            low=value.min(),
            first=value.quantile(0.25, "linear"),
            median=value.median(),
            third=value.quantile(0.75, "linear"),
            high=value.max(),
            runs=pl.len(),
        )
    )
    lines = there(study_layout.lines(axis(by)) if by else EVERYTHING, drawn)
    shown_in = scale(measure.unit, drawn["high"])
    values = drawn.with_columns(pl.exclude("line", "runs") / shown_in.size)
    title = shown_in.title(measure.title)
    return Figure(
        name=f"{study_measures.short(measure)}-boxes",
        title=f"Spread of the {measure.title} over all runs",
        caption="Boxes: the middle half of the runs, and their median; whiskers: all runs.",
        lines=[],
        panels=[Panel("", values)],
        draw=partial(study_charts.boxes, lines=lines, title=title),
        height=BAR * max(len(lines), 2),
    )
