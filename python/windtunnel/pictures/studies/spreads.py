"""How a measure of a study spreads over all runs: distribution functions and boxes."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.columns import MeasuredColumn
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.pictures import bar_charts, distributions
from windtunnel.pictures.studies import drawing, layout, measures
from windtunnel.pictures.studies.figure import (
    EVERYTHING,
    Figure,
    line_of,
    lines_of,
    plot_height,
    samples,
    slug,
    there,
)
from windtunnel.pictures.studies.layout import Panel, axis
from windtunnel.pictures.units import scale


def distribution_of(
    frame: pl.DataFrame, measure: MeasuredColumn, by: Parameter | None, of_what: str
) -> Figure:
    """Draw distribution functions of a measure over a frame's rows, a line for each value."""
    known = samples(frame, measure, {"line": line_of(by)}, [])
    shown_in = scale(measure.unit, known["value"])
    values = known.select("line", pl.col("value") / shown_in.size)
    quantiles = distributions.quantiles(values)
    lines = there(lines_of(by)[0], quantiles)
    quantiles = quantiles.filter(pl.col("line").is_in([it.name for it in lines]))
    title = shown_in.title(measure.title)
    across = drawing.from_zero(quantiles["value"], quantiles["value"])

    draw = partial(distributions.layers, lines=lines, title=title, of_what=of_what, scale=across)
    return Figure(
        name=f"{measures.short(measure)}-distribution-of-{slug(of_what)}",
        title=f"Distribution of the {measure.title}",
        caption=f"Share of the {of_what} that are not greater.",
        lines=lines,
        panels=[Panel("", quantiles)],
        draw=draw,
        height=plot_height,
    )


def boxes_of(results: StudyFrame, measure: MeasuredColumn, by: Parameter | None) -> Figure:
    """Draw a box for each value of a parameter, of all its runs."""
    value = pl.col("value")
    drawn = (
        samples(results.frame, measure, {"line": line_of(by)}, [])
        .group_by("line", maintain_order=True)
        .agg(
            low=value.min(),
            first=value.quantile(0.25, "linear"),
            median=value.median(),
            third=value.quantile(0.75, "linear"),
            high=value.max(),
            runs=pl.len(),
        )
    )
    lines = there(layout.lines(axis(by)) if by else EVERYTHING, drawn)
    shown_in = scale(measure.unit, drawn["high"])
    values = drawn.with_columns(pl.exclude("line", "runs") / shown_in.size)
    title = shown_in.title(measure.title)
    return Figure(
        name=f"{measures.short(measure)}-boxes",
        title=f"Spread of the {measure.title} over all runs",
        caption="Boxes: the middle half of the runs, and their median; whiskers: all runs.",
        lines=[],
        panels=[Panel("", values)],
        draw=partial(drawing.boxes, lines=lines, title=title),
        height=lambda ink: max(bar_charts.of_lines(lines, ink).height(ink), 2 * ink.sizes.row),
    )
