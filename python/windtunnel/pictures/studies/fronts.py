"""Goodput against delay: points for combinations of parameters, and their Pareto front."""

from __future__ import annotations

import math
from functools import partial

import polars as pl

from windtunnel.measures.columns import DELAY, GOODPUT
from windtunnel.pictures.cases import BETWEEN
from windtunnel.pictures.studies import drawing, layout, measures
from windtunnel.pictures.studies.figure import EVERYTHING, Figure, line_of, plot_height, there
from windtunnel.pictures.studies.layout import Panel, axis
from windtunnel.pictures.units import scale
from windtunnel.studies.frame import Parameter, StudyFrame

MOST_POINTS = 300
"""Points of a panel besides those of the front."""


def trade_off(results: StudyFrame, by: Parameter | None) -> Figure:
    """Draw goodput against delay, with the Pareto front of the combinations."""
    over = layout.swept(results, by)
    shown = [it for it in (over, by) if it]
    divided = layout.division(results.frame, results.parameters, shown)
    named = [*([over] if over else []), *divided.hidden]
    means = [combinations(it.frame, results.parameters, by, named) for it in divided.panels]
    found = pl.concat(means)
    lines = there(layout.lines(axis(by)) if by else EVERYTHING, found)
    units = {it: scale(it.unit, found[it.column]) for it in (DELAY, GOODPUT)}
    titles = units[DELAY].title(DELAY.title), units[GOODPUT].title(GOODPUT.title)
    panels = [
        Panel(
            panel.title,
            marked(
                frame.select(
                    "line",
                    "text",
                    x=pl.col(DELAY.column) / units[DELAY].size,
                    y=pl.col(GOODPUT.column) / units[GOODPUT].size,
                )
            ),
        )
        for panel, frame in zip(divided.panels, means, strict=True)
    ]
    most = max(it.height for it in means)
    said = [
        "A point for each combination of parameters, mean over the seeds. Circled and connected:"
        " the Pareto front, where no other point has more goodput and less delay.",
        f"About {MOST_POINTS} of the other points are drawn." if most > MOST_POINTS else "",
        divided.note,
    ]
    return Figure(
        name="pareto",
        title="Goodput against delay",
        caption=" ".join(filter(None, said)),
        lines=lines,
        panels=panels,
        draw=partial(drawing.front, lines=lines, titles=titles),
        height=plot_height,
        scattered=True,
    )


def combinations(
    frame: pl.DataFrame, parameters: list[Parameter], by: Parameter | None, named: list[Parameter]
) -> pl.DataFrame:
    """Give the mean goodput and delay of each combination, its line and what it is called."""
    keys = {f"key {index}": pl.col(it.name) for index, it in enumerate(parameters)}
    names = [pl.lit(f"{it.name} ") + layout.text_of(it) for it in named]
    text = pl.concat_str(names, separator=BETWEEN) if names else pl.lit("")
    values = {it.column: measures.known(it) for it in (GOODPUT, DELAY)}
    rows = frame.select(**keys, **values, line=line_of(by), text=text)
    means = rows.group_by("line", "text", *keys, maintain_order=True).agg(pl.col([*values]).mean())
    return means.drop_nulls([*values])


def marked(points: pl.DataFrame) -> pl.DataFrame:
    """Mark the front of points: less `x` and more `y` than any other has; thin out the rest."""
    highest_before = pl.col("y").cum_max().shift()
    ranked = points.sort("x", "y", descending=[False, True]).with_columns(
        front=(pl.col("y") > highest_before).fill_null(True)
    )
    others = ranked.filter(~pl.col("front"))
    step = math.ceil(others.height / MOST_POINTS) or 1
    return pl.concat([ranked.filter("front"), others.gather_every(step)]).sort("x", "y")
