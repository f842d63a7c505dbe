"""Charts: Altair specifications of what a report draws.

Each is made in an ink. In `SCREEN` it is as wide as its place on the page, can
be zoomed, shows values under the pointer and leaves the legend to the page; in
another it has a fixed size and its legend inside, for paper and publications.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import polars as pl

from windtunnel.pictures.cases import Line
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import by_line, source
from windtunnel.pictures.legends import BELOW, explained, legend
from windtunnel.pictures.units import maximum, minimum

Drawing = alt.Chart | alt.LayerChart | alt.FacetChart | alt.VConcatChart
"""A chart, as it is written and shown."""

Encodings = dict[str, Any]
"""What several marks have in common, by Vega-Lite's names."""

MARKS = 8
"""The number of marks on a line."""

DIGITS = 4
"""Significant digits of what is drawn."""

ROOM = 2.0
"""The height of the axis for references, in multiples of the highest line."""

APART = 30.0
"""How many times the lowest line the highest is on an axis that is logarithmic."""

SHADE = 0.15
"""The opacity of full shading."""

NUMBER = f",.{DIGITS}~r"
"""Numbers in the words of Vega: as many significant digits."""

TIME = "time (s)"
"""The title of the axis of time."""

ONLY = "only"
"""The parameter that names the lines highlighted in the legend; none: all are."""

ZOOMED, POINTED = "lines", "values"
"""The names of the layers that selections belong to."""

ZOOM = {
    "name": "zoom",
    "bind": "scales",
    "select": {"type": "interval", "zoom": "wheel![event.ctrlKey]"},
    "views": [ZOOMED],
}
POINTER = {
    "name": "pointer",
    "select": {
        "type": "point",
        "fields": ["time_s"],
        "nearest": True,
        "on": "pointermove",
        "clear": "pointerout",
    },
    "views": [POINTED],
}


@dataclass(frozen=True)
class Axes:
    """The axes that pictures share: of the time, and of the values."""

    across: alt.Scale
    upright: alt.Scale


def axes(frame: pl.DataFrame, lines: list[Line], top: float | None = None) -> Axes:
    """Choose axes for all pictures of these lines; `top` is the end, if not the highest value."""
    first, last = min(0.0, minimum(frame["time_s"])), maximum(frame["time_s"])
    domain = [first, last] if last > first else [first, first + 1.0]
    return Axes(alt.Scale(domain=domain, nice=False), height(frame, lines, top))


def over_time(
    frame: pl.DataFrame,
    lines: list[Line],
    title: str,
    ink: Ink,
    shaded: pl.DataFrame | None = None,
    time: str = TIME,
    events: pl.DataFrame | None = None,
    shared: Axes | None = None,
) -> Drawing:
    """Draw lines over time, each but references in a band from the least to the greatest.

    `frame` has `line`, `time_s`, `mean`, `low` and `high`, in the unit that the
    title says. `shaded` has times to be shaded, from `start_s` to `end_s`, the
    darker the greater their `share`. `time` is the title of the axis, which begins
    at 0, or with the first line. `events` has times to be marked, `time_s`, and what happens
    then, `event`. `shared` are the axes of several pictures; others follow their own lines.
    """
    start = min(0.0, minimum(frame["time_s"]))
    across = shared.across if shared else alt.Scale(domainMin=start, nice=False)
    upright = shared.upright if shared else alt.Scale()
    data = source(points(frame, lines))
    base = alt.Chart().encode(
        x=alt.X("time_s:Q", title=time, scale=across),
        color=by_line(alt.Color, lines, [line.colour(ink) for line in lines]),
    )
    y = alt.Y("mean:Q", title=title, scale=upright)
    stands_out = emphasis(ink, 1.0, 0.1)
    dashes = by_line(alt.StrokeDash, lines, [line.dash for line in lines])
    references = [line.name for line in lines if line.reference]
    measured = base.transform_filter(f"!{among(references)}") if references else base
    line = measured.mark_line(strokeWidth=1.8, strokeJoin="round", clip=True).encode(
        y=y, opacity=stands_out, strokeDash=dashes
    )
    line = line.properties(name=ZOOMED)
    mark = base.transform_filter("datum.marked == 1").mark_point(filled=True, size=42, clip=True)
    shapes = by_line(alt.Shape, lines, [line.shape for line in lines])
    layers = [line, mark.encode(y=y, opacity=stands_out, shape=shapes)]
    if references:
        step = base.transform_filter(among(references)).mark_line(
            strokeWidth=1, interpolate="step-after", clip=True
        )
        layers.insert(0, step.encode(y=y, opacity=stands_out, strokeDash=dashes))
    if (frame["low"] != frame["high"]).any():
        band = measured.mark_area(clip=True).encode(
            y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q")
        )
        layers.insert(0, band.encode(opacity=emphasis(ink, 0.2, 0.03)))
    if (frame["low"] < 0).any():
        zero = alt.Chart().mark_rule(color=ink.text, strokeWidth=1, clip=True)
        layers.insert(0, zero.encode(y=alt.YDatum(0)))
    if shaded is not None and not shaded.is_empty():
        layers.insert(0, shades(shaded, ink, time))
    if ink is SCREEN:
        layers.append(values_under_pointer(base, lines, ink, time))
    if events is not None and not events.is_empty():
        layers.append(marked_times(events, ink, time))
    if ink is SCREEN:
        size = {"width": "container", "height": ink.sizes.height}
        return answering(layered(layers, ink, data=data, **size), [ZOOM, POINTER])
    layers += explained(frame.select("line", "mean", place="time_s"), lines, upright, ink)
    size = {"width": ink.sizes.width, "height": ink.sizes.height}
    return layered(layers, ink, data=data, **size)


class LayerChart(alt.LayerChart):
    """Layers that are in one chart only, and have no parameters.

    Altair copies layers to find parameters that several have, which takes half of the time of a
    chart.
    """

    def __init__(self, layer: Sequence[alt.Chart] = (), **properties: Any) -> None:
        """Take layers, the first lowest, and the properties of a chart."""
        super(alt.LayerChart, self).__init__(layer=[*layer], **properties)


def layered(layers: Sequence[alt.Chart], ink: Ink, **properties: Any) -> Drawing:
    """Put layers over each other, the first lowest, in the colours and sizes of an ink."""
    return LayerChart(layers, config=config(ink), **properties)


def answering(chart: Drawing, selections: list[dict[str, Any]]) -> Drawing:
    """Let a chart answer to its legend, and to selections, written as Vega-Lite has them.

    `specification` puts them in their place: Altair's own take a third of the time of a chart.
    """
    chart.usermeta = {"params": [{"name": ONLY, "value": []}, *selections]}
    return chart


def specification(chart: Drawing) -> dict[str, Any]:
    """Give what Vega-Lite draws.

    It is not validated against Vega-Lite's schema, which would double the time of a report.
    """
    drawn = chart.to_dict(validate=False)
    params = drawn.pop("usermeta", {}).get("params", [])
    return drawn | {"params": drawn.get("params", []) + params} if params else drawn


def data_of(layers: list[alt.Chart]) -> alt.InlineData:
    """Take the data of the first layer out of all that have the same; headings have their own."""
    data: alt.InlineData = layers[0].data
    for layer in layers:
        if layer.data == data:
            layer.data = alt.Undefined
    return data


def together(layers: list[alt.Chart], lines: list[Line], ink: Ink) -> Drawing:
    """Put layers together, the first of which is lines, over their legend."""
    data = data_of(layers)
    if ink is SCREEN:
        size = {"width": "container", "height": ink.sizes.height}
        return answering(layered(layers, ink, data=data, **size), [])
    size = {"width": ink.sizes.width, "height": ink.sizes.height}
    return layered([*layers, *legend(lines, ink, BELOW)], ink, data=data, **size)


def height(frame: pl.DataFrame, lines: list[Line], top: float | None = None) -> alt.Scale:
    """Choose the axis of lines over time: what is above its top, or a high reference, leaves it."""
    if top is not None:
        return alt.Scale(domain=[0, top])
    # Nothing but zeros leaves Vega without an end of the axis.
    if not any(frame[end].fill_null(0).ne(0).any() for end in ("low", "high")):
        return alt.Scale(domain=[0, 1])
    is_reference = pl.col("line").is_in([line.name for line in lines if line.reference])
    measured = frame.filter(~is_reference)
    if is_logarithmic(measured):
        return alt.Scale(type="log", domain=[minimum(measured["low"]), maximum(measured["high"])])
    highest = maximum(measured["high"])
    if highest > 0 and maximum(frame.filter(is_reference)["mean"]) > ROOM * highest:
        return alt.Scale(domain=[0, ROOM * highest])
    return alt.Scale(domain=[min(0.0, minimum(frame["low"])), max(0.0, maximum(frame["high"]))])


def is_logarithmic(frame: pl.DataFrame) -> bool:
    """Say whether lines are so far apart that on a linear axis the lowest would lie on it."""
    medians = frame.group_by("line").agg(pl.col("mean").median())["mean"]
    return minimum(frame["low"]) > 0 and maximum(medians) > APART * minimum(medians)


def marked_times(events: pl.DataFrame, ink: Ink, time: str) -> alt.Chart:
    """Draw a dashed line at the time of each event."""
    rule: alt.Chart = (
        alt.Chart(source(events))
        .mark_rule(color=ink.soft, strokeDash=[3, 3], strokeWidth=1.2, clip=True)
        .encode(
            x=alt.X("time_s:Q", title=time),
            tooltip=[alt.Tooltip("time_s:Q", title=time), alt.Tooltip("event:N", title=" ")],
        )
    )
    return rule


def shades(frame: pl.DataFrame, ink: Ink, time: str) -> alt.Chart:
    """Shade times behind lines."""
    start = alt.X("start_s:Q", title=time)
    opacity = alt.Opacity("opacity:Q", scale=None, legend=None)
    base = alt.Chart(source(frame.with_columns(opacity=SHADE * pl.col("share"))))
    shade: alt.Chart = base.mark_rect(color=ink.soft, clip=True).encode(
        x=start, x2=alt.X2("end_s:Q"), opacity=opacity
    )
    return shade


def points(frame: pl.DataFrame, lines: list[Line]) -> pl.DataFrame:
    """Round the values, and place the marks of lines so that they do not overlap."""
    index = pl.int_range(pl.len()).over("line")
    step = (pl.len().over("line") // MARKS).clip(1)
    share = {line.name: place / len(lines) for place, line in enumerate(lines)}
    first = pl.col("line").replace_strict(share, return_dtype=pl.Float64) * step
    return frame.with_columns(
        pl.col("mean", "low", "high").round_sig_figs(DIGITS),
        pl.col("time_s").round_sig_figs(DIGITS + 2),
        marked=(index % step == first.floor()).cast(pl.UInt8),
    )


def emphasis(ink: Ink, strong: float, weak: float) -> alt.OpacityValue:
    """Give the opacity of a line: weak while others are singled out."""
    if ink is not SCREEN:
        return alt.OpacityValue(strong)
    stands_out = f"{ONLY}.length == 0 || indexof({ONLY}, datum.line) >= 0"
    return alt.OpacityValue(weak, condition={"test": stands_out, "value": strong})


def values_under_pointer(base: alt.Chart, lines: list[Line], ink: Ink, time: str) -> alt.Chart:
    """Draw a rule at the time nearest to the pointer, with the values of all lines."""
    # Vega-Lite finds the nearest time's values only if they are numbers.
    numbers = [alt.Tooltip(f"{it.name}:Q", title=it.label, format=NUMBER) for it in lines]
    when = alt.Tooltip("time_s:Q", title=time, format=NUMBER)
    pivoted = base.transform_pivot("line", value="mean", groupby=["time_s"], op="mean")
    shown = {"param": "pointer", "value": 0.7, "empty": False}
    rule: alt.Chart = pivoted.mark_rule().encode(
        color=alt.ColorValue(ink.soft),
        opacity=alt.OpacityValue(0, condition=shown),
        tooltip=[when, *numbers],
    )
    return rule.properties(name=POINTED)


def config(ink: Ink) -> alt.Config:
    """Set the colours and sizes that do not depend on what is drawn."""
    return alt.Config(
        # The page describes the picture as a whole.
        aria=False,
        background="transparent" if ink is SCREEN else ink.background,
        font="system-ui, sans-serif" if ink is SCREEN else "sans-serif",
        axis=alt.AxisConfig(
            labelColor=ink.soft,
            titleColor=ink.text,
            gridColor=ink.grid,
            tickColor=ink.grid,
            domainColor=ink.grid,
            labelFontSize=ink.sizes.font,
            # Labels that touch read as one number: where there is less room, some are left out.
            labelSeparation=ink.sizes.font / 2,
            titleFontSize=ink.sizes.font,
            titleFontWeight="normal",
        ),
        legend=alt.LegendConfig(
            labelColor=ink.text,
            labelFontSize=ink.sizes.font,
            titleColor=ink.text,
            titleFontSize=ink.sizes.font,
        ),
        view=alt.ViewConfig(stroke=None),
    )


def among(lines: list[str]) -> str:
    """Write an expression that says whether a row belongs to one of these lines."""
    return f"(indexof({json.dumps(lines)}, datum.line) >= 0)"


def lookup(texts: dict[str, str]) -> str:
    """Write an expression that gives the text of an axis' value."""
    return f"({json.dumps(texts)})[datum.value]"
