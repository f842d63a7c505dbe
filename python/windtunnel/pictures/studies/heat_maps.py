"""Heat maps of a study: means over two parameters, and gains over a base value."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import polars as pl

from windtunnel.measures.columns import MeasuredColumn
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.measures.spreads import INTERVAL
from windtunnel.pictures.studies import drawing, layout, measures
from windtunnel.pictures.studies.drawing import Shading
from windtunnel.pictures.studies.figure import Figure, capital, listed, samples, slug
from windtunnel.pictures.studies.layout import MOST_MAPS, Axis, Division, Panel, axis
from windtunnel.pictures.units import decimals, maximum, minimum, scale, written

CELL = 1.25
"""The height of a cell, in rows of bars."""


def map_of_means(
    results: StudyFrame, measure: MeasuredColumn, x: Parameter, y: Parameter
) -> Figure:
    """Draw the mean of a measure over two parameters, a panel for the others' values."""
    across, along = axis(x), axis(y)
    divided = layout.division(results.frame, results.parameters, [x, y], MOST_MAPS)
    places = {"x": across.index(), "y": along.index()}
    means = [
        measures.spread(samples(it.frame, measure, places, []), [*places]) for it in divided.panels
    ]
    values = pl.concat([it["mean"] for it in means])
    shown_in = scale(measure.unit, values)
    low, high = minimum(values) / shown_in.size, maximum(values) / shown_in.size
    logarithmic = low > 0 and high > drawing.DECADES * low
    shading = Shading(shown_in.title(measure.title), low, high, logarithmic)
    digits = max(decimals(values / shown_in.size) - 1, 0)
    panels = [
        Panel(panel.title, numbered(frame, shown_in.size, digits))
        for panel, frame in zip(divided.panels, means, strict=True)
    ]
    of = what_cells_are(divided, [across, along])
    return Figure(
        name=f"{measures.short(measure)}-map",
        title=f"{capital(measure.title)} over {x.name} and {y.name}",
        caption=" ".join(filter(None, [f"Cells: mean over {of}.", divided.note])),
        lines=[],
        panels=panels,
        draw=partial(drawing.cells, x=across, y=along, shading=shading),
        height=lambda ink: CELL * ink.sizes.row * max(len(along.texts), 2),
    )


def what_cells_are(divided: Division, axes: list[Axis]) -> str:
    """Say over what the mean of a cell is taken."""
    hidden = listed([it.name for it in divided.hidden])
    if any(it.edges for it in axes):
        return "the runs within both intervals"
    return f"all values of {hidden} and the seeds" if hidden else "the seeds"


def numbered(frame: pl.DataFrame, size: float, digits: int) -> pl.DataFrame:
    """Give cells their values in a unit, and the number to be written in each."""
    values = frame.select(
        "x", "y", value=pl.col("mean") / size, low=pl.col("low") / size, high=pl.col("high") / size
    )
    return values.with_columns(number=pl.Series([written(it, digits) for it in values["value"]]))


def map_of_gains(
    results: StudyFrame, measure: MeasuredColumn, of: Parameter, base: str
) -> Figure | None:
    """Draw the ratio of a measure to its value at a base value; None without pairs.

    Runs are paired that differ in nothing else, including the seed. The gain is the
    geometric mean of their ratios, so that gains and losses weigh the same; its
    interval is that of the logarithms of the ratios.
    """
    ratios = gains(results, measure, of, base)
    if ratios.is_empty():
        return None
    others = [it for it in results.parameters if it != of]
    compared_with = replace(of, values=[it for it in of.values if it != base])
    single = "" if len(compared_with.values) > 1 else f" at {compared_with.values[0]}"
    x, y = axes_of_gains(ratios, others, compared_with)
    shown = [it for it in (x, y) if it]
    rest = others if single else [*others, compared_with]
    divided = layout.division(ratios, rest, shown, MOST_MAPS)
    across, along = axis(x), axis(y) if y else None
    places = {"x": across.index(), "y": along.index() if along else pl.lit(0)}
    spreads = [
        measures.spread(samples(it.frame, measure, places, []), [*places]).with_columns(
            pl.col("mean", "low", "high").exp()
        )
        for it in divided.panels
    ]
    values = pl.concat([it["mean"] for it in spreads])
    most = max(maximum(values), 1 / minimum(values), drawing.LEAST_GAIN)
    shading = Shading(
        title=f"{measure.title} relative to {of.name} {base}",
        low=1 / most,
        high=most,
        logarithmic=True,
        diverging=True,
        reverse=measure.better != "more",
    )
    panels = [
        Panel(panel.title, bracketed(frame))
        for panel, frame in zip(divided.panels, spreads, strict=True)
    ]
    several_runs = any(it["low"].count() for it in spreads)
    over = what_cells_are(divided, [across, *([along] if along else [])])
    said = [
        f"Cells: geometric mean over {over} of the ratios of runs that differ in nothing else."
        " Orange: better; purple: worse.",
        f"In brackets: the {INTERVAL} contains 1." if several_runs else "",
        divided.note,
    ]
    return Figure(
        name=f"{measures.short(measure)}-gain-of-{slug(of)}",
        title=f"{capital(measure.title)}{single} relative to {of.name} {base}",
        caption=" ".join(filter(None, said)),
        lines=[],
        panels=panels,
        draw=partial(drawing.cells, x=across, y=along, shading=shading),
        height=lambda ink: CELL * ink.sizes.row * max(len(along.texts) if along else 1, 2),
    )


def gains(results: StudyFrame, measure: MeasuredColumn, of: Parameter, base: str) -> pl.DataFrame:
    """Pair runs with those at the base value: the measure becomes the ratio's logarithm."""
    keys = [*(it.name for it in results.parameters if it != of), "seed"]
    value = pl.col(measure.column)
    positive = results.frame.select(
        *keys, of.name, measures.known(measure).alias(measure.column)
    ).filter(value > 0)
    held = f"{measure.column} at the base value"
    bases = positive.filter(pl.col(of.name) == base).select(*keys, value.alias(held))
    others = positive.filter(pl.col(of.name) != base)
    return others.join(bases, on=keys, maintain_order="left").with_columns(
        (value / pl.col(held)).log().alias(measure.column)
    )


def axes_of_gains(
    ratios: pl.DataFrame, others: list[Parameter], of: Parameter
) -> tuple[Parameter, Parameter | None]:
    """Choose the axes: two numbers that were run with each other, else a number and words."""
    numbers = sorted(
        (it for it in others if it.numbers is not None), key=lambda it: -len(it.values)
    )
    words = sorted(
        (it for it in others if it.numbers is None),
        key=lambda it: not layout.is_controllers(it),
    )
    candidates = [*numbers, *words, *([] if others else [of])]
    x = candidates[0]
    crossed = (it for it in candidates[1:] if layout.crossed(ratios, axis(x), axis(it)))
    return x, next(crossed, None)


def bracketed(frame: pl.DataFrame) -> pl.DataFrame:
    """Write gains, in brackets where the interval contains 1."""
    numbers = [
        f"({number})" if low is not None and low <= 1 <= high else number
        for value, low, high in frame.select("mean", "low", "high").rows()
        for number in [written(value, 2 if value < 10 else 0)]
    ]
    return frame.select("x", "y", "low", "high", value="mean", number=pl.Series(numbers))
