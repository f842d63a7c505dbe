"""Charts of studies: lines over a parameter, heat maps, points with their front, boxes.

Each gives the layers of one panel; `arranged` puts panels together. The colours of
values are viridis, and purple to orange for gains: both suit colour-blind readers, on
light and dark pages.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import altair as alt
import polars as pl

from windtunnel.pictures import bar_charts, charts, legends
from windtunnel.pictures.cases import Line
from windtunnel.pictures.charts import DIGITS, NUMBER, Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import by_line, source
from windtunnel.pictures.studies.layout import Axis
from windtunnel.pictures.units import maximum, minimum

PANEL = 240
"""The least width of a panel in pixels: where there is room for two, they are beside each other."""

APART = 60
"""Pixels between panels, for the labels of an axis."""

DARK_TEXT, LIGHT_TEXT = "#1b2026", "#ffffff"
"""What is read on a cell, whatever the page's own colours."""

BRIGHT = 0.42
"""From which share of viridis on dark text has more contrast than light text."""

DECADES = 100.0
"""The greatest by the least value from which on an axis is logarithmic."""

NEAR_ZERO = 0.1
"""The least by the greatest value below which an axis of points begins at zero."""

LEAST_GAIN = 1.1
"""The minimum gain with full colour, so that noise does not look like a gain."""


def alone(
    layers: list[alt.Chart], lines: list[Line], height: float, scattered: bool, ink: Ink
) -> Drawing:
    """Make a picture of one panel: on a page as wide as its place, else with its legend.

    On a page `scattered` points can be zoomed.
    """
    data = charts.data_of(layers)
    if ink is SCREEN:
        zoom = alt.selection_interval(name="zoom", bind="scales", zoom="wheel![event.ctrlKey]")
        only = alt.param(name=charts.ONLY, value=[])
        layers[0] = layers[0].add_params(only, *([zoom] if scattered else []))
        size = {"width": "container", "height": height}
        return alt.layer(*layers, data=data, config=charts.config(ink), **size)
    return explained(
        alt.layer(*layers, data=data, width=ink.sizes.width, height=height), lines, ink
    )


def beside(
    layers: list[alt.Chart],
    lines: list[Line],
    titles: list[str],
    height: float,
    scattered: bool,
    ink: Ink,
) -> Drawing:
    """Make a picture of several panels: those of the rows with these titles as `panel`.

    Their axes are the same, but where points are `scattered`.
    """
    data = charts.data_of(layers)
    width = panel_width(ink)
    columns = 1 if width == ink.sizes.width else 2
    titled = alt.Header(title=None, labelColor=ink.text, labelFontSize=ink.sizes.font)
    facet = alt.layer(*layers, width=width, height=height).facet(
        alt.Facet("panel:N", sort=titles, header=titled), data=data, columns=columns
    )
    facet = facet.resolve_axis(x="independent", y="independent")
    if scattered:
        facet = facet.resolve_scale(x="independent", y="independent")
    return explained(facet, lines, ink)


def panel_width(ink: Ink) -> float:
    """Give the width of a panel of several: two are beside each other, if there is room."""
    half = (ink.sizes.width - APART) / 2
    return half if half >= PANEL else ink.sizes.width


def explained(plot: Drawing, lines: list[Line], ink: Ink) -> Drawing:
    """Put a legend above a plot where one is needed; a page has its own."""
    if ink is SCREEN:
        only = alt.param(name=charts.ONLY, value=[])
        return alt.vconcat(plot, config=charts.config(ink)).add_params(only)
    if len(lines) < 2:
        return alt.vconcat(plot, config=charts.config(ink))
    above = alt.layer(*legends.legend(lines, ink)).properties(
        width=ink.sizes.width, height=legends.legend_height(lines, ink)
    )
    return alt.vconcat(above, plot, spacing=8, config=charts.config(ink))


def from_zero(means: pl.Series, highs: pl.Series) -> alt.Scale:
    """Choose an axis that all panels share: from zero, or by the logarithm of the means.

    An interval that reaches beyond is cut off: no measure is less than zero.
    """
    low, high = minimum(means), max(maximum(means), maximum(highs), 0)
    if low and high > DECADES * low:
        return alt.Scale(type="log", domain=[low, high], clamp=True)
    # Nothing but zeros leaves Vega without an end of the axis.
    return alt.Scale(domain=[0, high or 1], nice=True, clamp=True)


def loose(values: pl.Series) -> alt.Scale:
    """Choose an axis for points: without zero, and without negative numbers if there are none."""
    low, high = minimum(values), maximum(values)
    if low > 0 and high > DECADES * low:
        return alt.Scale(type="log", zero=False, padding=14)
    if 0 <= low < NEAR_ZERO * high:
        return alt.Scale(type="linear", domain=[0, 1.1 * high])
    return alt.Scale(type="linear", zero=False, padding=14)


def horizontal(axis: Axis) -> alt.X:
    """Lay out the values of a number: each has its tick, where there is room."""
    chosen = json.dumps(axis.places)
    label = f"({json.dumps(axis.labels)})[indexof({chosen}, datum.value)]"
    return alt.X(
        "place:Q",
        title=axis.title,
        scale=alt.Scale(
            type="log" if axis.logarithmic else "linear",
            domain=[axis.places[0], axis.places[-1]],
            nice=False,
        ),
        axis=alt.Axis(values=axis.places, labelExpr=label, labelFlush=False, labelOverlap="greedy"),
    )


def over_values(
    frame: pl.DataFrame, lines: list[Line], axis: Axis, title: str, scale: alt.Scale, ink: Ink
) -> list[alt.Chart]:
    """Draw lines over a parameter, each in a band from `low` to `high` where there are such.

    `frame` has `line`, `place`, `text` (the value's name), `mean`, `low`, `high` and
    `runs`, in the unit that the title says.
    """
    labels = {it.name: it.label for it in lines}
    drawn = frame.with_columns(
        pl.col("mean", "low", "high").round_sig_figs(DIGITS),
        label=pl.col("line").replace_strict(labels),
    )
    hues = by_line(alt.Color, lines, [it.colour(ink) for it in lines])
    base = alt.Chart(source(drawn)).encode(x=horizontal(axis), color=hues)
    y = alt.Y("mean:Q", title=title, scale=scale)
    dashes = by_line(alt.StrokeDash, lines, [it.dash for it in lines])
    shapes = by_line(alt.Shape, lines, [it.shape for it in lines])
    stands_out = charts.emphasis(ink, 1.0, 0.1)
    shown = [
        alt.Tooltip("label:N", title=" "),
        alt.Tooltip("text:N", title=axis.parameter.name),
        *(alt.Tooltip(f"{it}:Q", format=NUMBER) for it in ("mean", "low", "high")),
        alt.Tooltip("runs:Q"),
    ]
    band = base.transform_filter("isValid(datum.low)").mark_area(clip=True)
    layers = [
        base.mark_line(strokeWidth=1.8, strokeJoin="round", clip=True).encode(
            y=y, opacity=stands_out, strokeDash=dashes
        ),
        base.mark_point(filled=True, size=48).encode(
            y=y, opacity=stands_out, shape=shapes, tooltip=shown
        ),
    ]
    if not frame["low"].count():
        return layers
    ends = {"y": alt.Y("low:Q", title=title, scale=scale), "y2": alt.Y2("high:Q")}
    return [band.encode(**ends, opacity=charts.emphasis(ink, 0.2, 0.03)), *layers]


@dataclass(frozen=True)
class Shading:
    """How the cells of all panels of a heat map are coloured."""

    title: str
    low: float
    high: float
    logarithmic: bool
    diverging: bool = False
    reverse: bool = False

    def colour(self, ink: Ink) -> alt.Color:
        """Give each cell the colour of its value."""
        return alt.Color(
            "value:Q",
            title=self.title,
            scale=alt.Scale(
                type="log" if self.logarithmic else "linear",
                domain=[self.low, self.high],
                scheme="purpleorange" if self.diverging else "viridis",
                reverse=self.reverse,
                nice=False,
            ),
            legend=alt.Legend(
                orient="top",
                direction="horizontal",
                gradientLength=200,
                gradientThickness=10,
                titleColor=ink.text,
                labelColor=ink.soft,
                titleFontWeight="normal",
                titleFontSize=ink.sizes.font,
                titleLimit=400,
                values=self.ticks(),
                format=".2~f" if self.diverging else NUMBER,
                tickCount=4,
            ),
        )

    def ticks(self) -> list[float] | alt.UndefinedType:
        """Give the values on the legend: for gains, equally far from 1 on both sides."""
        middle = math.sqrt(self.high)
        return [self.low, 1 / middle, 1.0, middle, self.high] if self.diverging else alt.Undefined

    def bright(self) -> pl.Expr:
        """Say which cells are so bright that dark text has more contrast on them."""
        low, high, value = pl.lit(self.low), pl.lit(self.high), pl.col("value")
        if self.logarithmic:
            low, high, value = low.log(), high.log(), value.log()
        share = pl.when(high > low).then((value - low) / (high - low)).otherwise(1.0)
        # Purple to orange is bright in the middle, viridis at the end.
        bright = (share - 0.5).abs() < 0.35 if self.diverging else share > BRIGHT
        return bright.cast(pl.UInt8)


def cells(
    frame: pl.DataFrame, x: Axis, y: Axis | None, shading: Shading, ink: Ink
) -> list[alt.Chart]:
    """Draw a cell for each pair of values, with its number in it where there is room.

    `frame` has `x` and `y`, the places of the values, `value`, `low` and `high` and
    `number`, what is written.
    """
    named = frame.with_columns(
        pl.col("value", "low", "high").round_sig_figs(DIGITS),
        bright=shading.bright(),
        across=pl.col("x").replace_strict(dict(enumerate(x.labels))),
        along=pl.col("y").replace_strict(dict(enumerate(y.labels if y else [""]))),
    ).drop("x", "y")
    columns = len(x.texts)
    shown = [
        alt.Tooltip("across:N", title=x.title),
        *([alt.Tooltip("along:N", title=y.title)] if y else []),
        alt.Tooltip("value:Q", title=shading.title, format=NUMBER),
        *(alt.Tooltip(f"{it}:Q", format=NUMBER) for it in ("low", "high") if frame[it].count()),
    ]
    base = alt.Chart(source(named)).encode(
        x=alt.X(
            "across:N",
            title=x.title,
            scale=alt.Scale(domain=x.labels),
            axis=alt.Axis(labelAngle=0, labelOverlap="greedy", domain=False, ticks=False),
        ),
    )
    if y:
        # The greatest on top, as on every axis.
        upwards = alt.Scale(domain=y.labels[::-1])
        labels = bar_charts.of_texts(y.labels, ink).axis(ink)
        base = base.encode(y=alt.Y("along:N", title=y.title, scale=upwards, axis=labels))
    rectangles = base.mark_rect(stroke=ink.background, strokeWidth=1)
    longest = max(map(len, named["number"]), default=0)
    needed = columns * (ink.sizes.letter * longest + 2)
    room = (
        alt.ExprRef(f"width < {needed} ? 0 : 1")
        if ink is SCREEN
        else float(needed <= panel_width(ink))
    )
    dark_on_bright = {"test": "datum.bright == 1", "value": DARK_TEXT}
    on_cell = alt.ColorValue(LIGHT_TEXT, condition=dark_on_bright)
    numbers = base.mark_text(fontSize=ink.sizes.font - 1, opacity=room).encode(
        text=alt.Text("number:N"), color=on_cell
    )
    return [rectangles.encode(color=shading.colour(ink), tooltip=shown), numbers]


def front(
    frame: pl.DataFrame,
    lines: list[Line],
    titles: tuple[str, str],
    ink: Ink,
) -> list[alt.Chart]:
    """Draw points, and rings around those of the front, joined by steps.

    `frame` has `line`, `x`, `y`, `text` (the combination), `front`, and `joined` of those whose
    goodput is greater than that of all with less delay.
    """
    labels = {it.name: it.label for it in lines}
    drawn = frame.with_columns(
        pl.col("x", "y").round_sig_figs(DIGITS),
        pl.col("front", "joined").cast(pl.UInt8),
        label=pl.col("line").replace_strict(labels),
    )
    base = alt.Chart(source(drawn)).encode(
        x=alt.X("x:Q", title=titles[0], scale=loose(frame["x"])),
        y=alt.Y("y:Q", title=titles[1], scale=loose(frame["y"]), axis=alt.Axis(minExtent=40)),
    )
    best = base.transform_filter("datum.front == 1")
    hues = by_line(alt.Color, lines, [it.colour(ink) for it in lines])
    shapes = by_line(alt.Shape, lines, [it.shape for it in lines])
    shown = [
        alt.Tooltip("label:N", title=" "),
        *([alt.Tooltip("text:N", title="at")] if frame["text"].ne("").any() else []),
        alt.Tooltip("x:Q", title=titles[0], format=NUMBER),
        alt.Tooltip("y:Q", title=titles[1], format=NUMBER),
    ]
    points = base.mark_point(filled=True, size=55).encode(
        color=hues, shape=shapes, tooltip=shown, opacity=charts.emphasis(ink, 0.85, 0.1)
    )
    return [
        base.transform_filter("datum.joined == 1")
        .mark_line(interpolate="step-after", color=ink.text, strokeWidth=1, clip=True)
        .encode(order=alt.Order("x:Q")),
        points,
        best.mark_point(size=150, color=ink.text, strokeWidth=1.3, opacity=1),
    ]


def boxes(frame: pl.DataFrame, lines: list[Line], title: str, ink: Ink) -> list[alt.Chart]:
    """Draw a box from quartile to quartile, its median, and whiskers to minimum and maximum.

    `frame` has `line`, `low`, `first`, `median`, `third`, `high` and `runs`.
    """
    labels = {it.name: it.label for it in lines}
    numbers = ("low", "first", "median", "third", "high")
    drawn = frame.with_columns(
        pl.col(numbers).round_sig_figs(DIGITS), label=pl.col("line").replace_strict(labels)
    )
    base = bar_charts.named(drawn, lines, ink)
    names = ("minimum", "first quartile", "median", "third quartile", "maximum")
    shown = [
        alt.Tooltip("label:N", title=" "),
        *(
            alt.Tooltip(f"{column}:Q", title=name, format=NUMBER)
            for column, name in zip(numbers, names, strict=True)
        ),
        alt.Tooltip("runs:Q"),
    ]
    hues = by_line(alt.Color, lines, [it.colour(ink) for it in lines])
    first = alt.X("first:Q", title=title)
    return [
        *bar_charts.whiskers(base, title, ink),
        base.mark_bar(height=ink.sizes.row * 0.55, opacity=1).encode(
            x=first, x2=alt.X2("third:Q"), color=hues, tooltip=shown
        ),
        base.mark_tick(thickness=3, size=ink.sizes.row * 0.55, color=ink.background).encode(
            x=alt.X("median:Q", title=title)
        ),
    ]
