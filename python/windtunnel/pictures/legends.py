"""Names of lines in a picture for a publication: at their ends, or in a legend below.

On a page the legend is part of the page, and can be clicked.
"""

from __future__ import annotations

import itertools
import math
import textwrap

import altair as alt
import polars as pl

from windtunnel.pictures.cases import Line
from windtunnel.pictures.colours import Ink
from windtunnel.pictures.data import by_line, source

SPACING = 1.2
"""The height of a line of text, in multiples of its size."""

MOST_WIDE = 0.35
"""The width of names at the ends of lines, as a share of the picture, at most."""

SWATCH = 50
"""Pixels before and after a name in a legend."""

BELOW = "height + 44"
"""Where a legend begins: below the axis and its title."""


def explained(
    frame: pl.DataFrame, lines: list[Line], upright: alt.Scale, ink: Ink
) -> list[alt.Chart]:
    """Name lines at their ends where there is room, else in a legend; a single line needs none.

    `frame` has `line`, `place` and `mean`, in the unit of the axis `upright`.
    """
    if len(lines) < 2:
        return []
    ends = last_values(frame, lines)
    names = [it.label for it in lines]
    fit_across = max(map(len, names)) * ink.sizes.letter <= MOST_WIDE * ink.sizes.whole
    fit_upright = len(names) * SPACING * ink.sizes.font <= ink.sizes.height
    if fit_across and fit_upright and ends.height == len(lines):
        return [at_ends(ends, lines, upright, ink)]
    return legend(lines, ink, BELOW)


def last_values(frame: pl.DataFrame, lines: list[Line]) -> pl.DataFrame:
    """Give the last value of each line, and its name."""
    labels = {it.name: it.label for it in lines}
    last = frame.drop_nulls().sort("place").group_by("line", maintain_order=True).last()
    return last.with_columns(label=pl.col("line").replace_strict(labels))


def at_ends(ends: pl.DataFrame, lines: list[Line], upright: alt.Scale, ink: Ink) -> alt.Chart:
    """Write the names right of the picture, as high as the lines end, but not over each other."""
    low, high = bounds(ends, upright)
    scaled = [placed(it, low, high, upright) * ink.sizes.height for it in ends["mean"]]
    shifts = [after - before for before, after in zip(scaled, apart(scaled, ink), strict=True)]
    drawn = ends.with_columns(
        pl.col("mean").clip(low, high), shift=pl.Series(shifts, dtype=pl.Float64)
    )
    hues = by_line(alt.Color, lines, [it.colour(ink) for it in lines])
    text = alt.Chart(source(drawn)).mark_text(
        x=alt.ExprRef("width"),
        dx=6,
        dy=alt.ExprRef("datum.shift"),
        align="left",
        baseline="middle",
        fontSize=ink.sizes.font,
    )
    named: alt.Chart = text.encode(y=alt.Y("mean:Q"), text=alt.Text("label:N"), color=hues)
    return named


def bounds(ends: pl.DataFrame, upright: alt.Scale) -> tuple[float, float]:
    """Give the ends of an axis, if it states any."""
    domain = upright.to_dict().get("domain", [0.0, ends["mean"].max() or 1.0])
    return float(domain[0]), float(domain[1])


def placed(value: float, low: float, high: float, upright: alt.Scale) -> float:
    """Give how far below the top of the axis a value is, as a share of its length."""
    value = min(max(value, low), high)
    if upright.to_dict().get("type") == "log":
        value, low, high = (math.log(it) for it in (value, low, high))
    return (high - value) / (high - low) if high > low else 1.0


def apart(places: list[float], ink: Ink) -> list[float]:
    """Move places that are too close: down from the top, then up from the bottom."""
    gap = SPACING * ink.sizes.font
    order = sorted(range(len(places)), key=lambda it: places[it])
    moved = list(places)
    for before, index in itertools.pairwise(order):
        moved[index] = max(moved[index], moved[before] + gap)
    limit = ink.sizes.height
    for index in reversed(order):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - gap
    return moved


def legend(lines: list[Line], ink: Ink, begins: str = "9") -> list[alt.Chart]:
    """Draw a legend: colour, dash and shape of each line, in columns. `begins` is its height.

    Vega-Lite's own would show a colour, a dash or a shape, but not what a line is.
    """
    placed = legend_places(lines, ink).with_columns(end=pl.col("x") + 30, centre=pl.col("x") + 15)
    base = alt.Chart(source(placed))
    height = alt.ExprRef(f"{begins} + datum.y")
    colour = by_line(alt.Color, lines, [line.colour(ink) for line in lines])
    dash = by_line(alt.StrokeDash, lines, [line.dash for line in lines])
    form = by_line(alt.Shape, lines, [line.shape for line in lines])
    end, centre = (alt.ExprRef(f"datum.{it}") for it in ("end", "centre"))
    # Vega-Lite draws no rule that is placed by expressions. The path is in pixels at this size.
    stroke = base.mark_point(
        shape="M-15,0H15", size=4, filled=False, strokeWidth=1.8, opacity=1, x=centre, y=height
    )
    point = base.mark_point(filled=True, size=42, opacity=1, x=centre, y=height)
    text = base.mark_text(
        x=end,
        y=height,
        dx=8,
        align="left",
        baseline="middle",
        lineBreak="\n",
        lineHeight=SPACING * ink.sizes.font,
        fontSize=ink.sizes.font,
        color=ink.text,
    )
    return [
        stroke.encode(color=colour, strokeDash=dash),
        point.encode(color=colour, shape=form),
        text.encode(text=alt.Text("label:N")),
    ]


def legend_places(lines: list[Line], ink: Ink) -> pl.DataFrame:
    """Give the place of each line in a legend, in as many columns as there is room for."""
    width = ink.sizes.width
    letters = int((width - SWATCH) / ink.sizes.letter)
    labels = [wrapped(it.label, letters) for it in lines]
    longest = max((len(it) for label in labels for it in label), default=0)
    columns = max(1, min(len(lines), int(width // (SWATCH + ink.sizes.letter * longest))))
    rows = []
    down = 0.0
    for first in range(0, len(lines), columns):
        those = labels[first : first + columns]
        for column, label in enumerate(those):
            across = width / columns * column
            rows.append((lines[first + column].name, "\n".join(label), across, down))
        down += (max(map(len, those)) + 0.3) * SPACING * ink.sizes.font
    return pl.DataFrame(rows, ["line", "label", "x", "y"], orient="row")


def legend_height(lines: list[Line], ink: Ink) -> float:
    """Give the height of a legend."""
    *_, (_, label, _, down) = legend_places(lines, ink).rows()
    below: float = down + (label.count("\n") + 1.3) * SPACING * ink.sizes.font
    return below


def wrapped(text: str, letters: int) -> list[str]:
    """Break a text into lines, at spaces and hyphens if possible."""
    return textwrap.wrap(text, letters) or [""]
