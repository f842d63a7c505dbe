"""Goodput against delay: points for combinations of parameters, and their Pareto front."""

from __future__ import annotations

import math
from functools import partial

import polars as pl

from windtunnel.measures.columns import GOODPUT, MeasuredColumn
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.measures.fronts import on_front
from windtunnel.measures.spreads import INTERVAL
from windtunnel.pictures.cases import BETWEEN
from windtunnel.pictures.studies import drawing, layout, measures
from windtunnel.pictures.studies.figure import EVERYTHING, Figure, line_of, plot_height, there
from windtunnel.pictures.studies.layout import Panel, axis
from windtunnel.pictures.units import scale

MOST_POINTS = 300
"""Points of a panel besides those of the front."""

MOST_TESTED = 3_000
"""Points of a panel whose differences are tested; where there are more, their means decide."""

RULE = f"differences within their {INTERVAL}, paired by seed, do not count"
"""What is not enough to be beaten."""

FRONT = "front"
"""The column that says which points are on the front."""


def trade_off(results: StudyFrame, by: Parameter | None) -> Figure:
    """Draw goodput against delay, with the Pareto front of the combinations."""
    over = layout.swept(results, by)
    shown = [it for it in (over, by) if it]
    divided = layout.division(results.frame, results.parameters, shown)
    named = [*([over] if over else []), *divided.hidden]
    delay = measures.delay(results)
    means = [combinations(it.frame, results.parameters, by, named, delay) for it in divided.panels]
    found = pl.concat(means)
    lines = there(layout.lines(axis(by)) if by else EVERYTHING, found)
    units = {it: scale(it.unit, found[it.column]) for it in (delay, GOODPUT)}
    titles = units[delay].title(delay.title), units[GOODPUT].title(GOODPUT.title)
    panels = [
        Panel(
            panel.title,
            thinned(
                frame.select(
                    "line",
                    "text",
                    FRONT,
                    x=pl.col(delay.column) / units[delay].size,
                    y=pl.col(GOODPUT.column) / units[GOODPUT].size,
                )
            ),
        )
        for panel, frame in zip(divided.panels, means, strict=True)
    ]
    most = max(it.height for it in means)
    said = [
        "A point for each combination of parameters, mean over the seeds. Circled and connected:"
        f" the Pareto front, where no other point has more goodput and less delay; {RULE}.",
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
    frame: pl.DataFrame,
    parameters: list[Parameter],
    by: Parameter | None,
    named: list[Parameter],
    delay: MeasuredColumn,
) -> pl.DataFrame:
    """Give the mean goodput and delay of each combination, its line and what it is called, and
    whether it is on the front."""
    keys = {f"key {index}": pl.col(it.name) for index, it in enumerate(parameters)}
    names = [pl.lit(f"{it.name} ") + layout.text_of(it) for it in named]
    text = pl.concat_str(names, separator=BETWEEN) if names else pl.lit("")
    values = {it.column: measures.known(it) for it in (delay, GOODPUT)}
    rows = frame.select(**keys, **values, line=line_of(by), text=text, seed="seed")
    return with_front(rows.drop_nulls([*values]), ["line", "text", *keys], [*values])


def with_front(rows: pl.DataFrame, keys: list[str], columns: list[str]) -> pl.DataFrame:
    """Give the means of points over their seeds, and which are on the front: less of the first
    column, more of the second."""
    runs = [rows.pivot("seed", index=keys, values=it, aggregate_function="mean") for it in columns]
    seeds = pl.exclude(keys)
    means = runs[0].select(
        *keys,
        *(
            it.select(pl.mean_horizontal(seeds)).to_series().alias(name)
            for it, name in zip(runs, columns, strict=True)
        ),
    )
    if means.height > MOST_TESTED:
        return by_means(means, columns)
    less, more = (it.select(seeds).cast(pl.Float64).to_numpy() for it in runs)
    return means.with_columns(pl.Series(FRONT, on_front(less, more)))


def by_means(points: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Mark the front of points by their means alone."""
    ranked = points.sort(columns, descending=[False, True])
    return ranked.with_columns(is_record(pl.col(columns[1])).alias(FRONT))


def is_record(value: pl.Expr) -> pl.Expr:
    """Say which values of a column are greater than all before."""
    return (value > value.cum_max().shift()).fill_null(value=True)


def thinned(points: pl.DataFrame) -> pl.DataFrame:
    """Thin out the points that are not on the front, and say which a line through it joins."""
    front, others = points.filter(FRONT), points.filter(~pl.col(FRONT)).sort("x", "y")
    front = front.sort("x", "y", descending=[False, True])
    joined = front.with_columns(is_record(pl.col("y")).alias("joined"))
    step = math.ceil(others.height / MOST_POINTS) or 1
    shown = others.gather_every(step).with_columns(joined=pl.lit(value=False))
    return pl.concat([joined, shown]).sort("x", "y")
