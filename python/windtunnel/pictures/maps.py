"""Maps: stations, buildings, and the state of the user's link along the path."""

from __future__ import annotations

import altair as alt
import polars as pl

from windtunnel.pictures.charts import DIGITS, NUMBER, Drawing, Encodings, config, layered
from windtunnel.pictures.colours import DASHES, SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.series import MOST_POINTS
from windtunnel.pictures.units import scale

OUTAGE = "outage"
"""The state in which nothing is sent."""

STATES = ("line of sight", "no line of sight", OUTAGE)
"""The states of the user's link, the worst last."""

HUES = (0, 3, 1)
"""The hue of each state, by its place."""

MARGIN = 30
"""Pixels around everything, for names."""

LEAST = 1.0
"""Metres that a map is wide and deep at least."""

ARROWS = 2
"""How many arrows say where the user goes."""

HEIGHTS = (160, 480)
"""Pixels of a map's height, at least and at most."""


def walk(samples: pl.DataFrame) -> pl.DataFrame:
    """Give where the user was and what the link was like there, thinned out for the eye.

    `samples` are those of one direction of a link in one run. Where several are
    put together the worst stays, so that no outage is lost. A `stretch` is a
    part of the path in one state.
    """
    state = (
        pl.when(pl.col("rate_bps") == 0)
        .then(2)
        .when(~pl.col("line_of_sight"))
        .then(1)
        .otherwise(0)
        .alias("place")
    )
    point = pl.int_range(pl.len()) * MOST_POINTS // max(samples.height, MOST_POINTS)
    return (
        samples.sort("time_s")
        .with_columns(state, point=point)
        .sort("point", "place", descending=[False, True], maintain_order=True)
        .group_by("point", maintain_order=True)
        .first()
        .with_columns(
            state=pl.col("place").replace_strict(dict(enumerate(STATES))),
            stretch=pl.col("place").rle_id(),
        )
        .select("time_s", "x_m", "y_m", "station", "sinr_db", "rate_bps", "state", "stretch")
    )


def chart(place: pl.DataFrame, path: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw a map to scale, whatever its size on the page.

    `place` are the rows of `maps` of one link, `path` is what `walk` gives. Of the
    user's path, what was not walked is a thin line.
    """
    stations = place.filter(kind="station")
    buildings = place.filter(kind="building")
    planned = place.filter(kind="path").sort("number")
    start = planned.head(1).with_columns(name=pl.lit("start"))
    width, depth, scales = extent(place)
    # Vega leaves room for the labels that there are at one size of the picture.
    longest = (
        ink.sizes.letter * max(len(f"{-it:,.0f}") for it in (*place["x_m"], *place["y_m"])) + 10
    )
    upwards = alt.Axis(labelBound=True, minExtent=longest, maxExtent=longest)
    on_map: Encodings = {
        "x": alt.X("x_m:Q", title="east (m)", scale=scales[0], axis=alt.Axis(labelBound=True)),
        "y": alt.Y("y_m:Q", title="north (m)", scale=scales[1], axis=upwards),
    }
    line = alt.Chart(source(planned)).mark_line(color=ink.soft, strokeWidth=1, clip=True)
    layers = [
        *blocks(buildings, on_map, ink),
        line.encode(**on_map, order=alt.Order("number:Q")),
        stretches(path, on_map, ink),
        arrows(path, on_map, ink),
        *named(start, "circle", ink.background, on_map, ink),
        *named(stations, "triangle-up", ink.text, on_map, ink),
        values(path, on_map),
    ]
    fitting = 2 * MARGIN + (ink.sizes.width - 2 * MARGIN) * depth / width
    height = min(max(fitting, HEIGHTS[0]), HEIGHTS[1])
    if ink is not SCREEN:
        return layered(layers, ink, width=ink.sizes.width, height=height)
    layers[-1] = layers[-1].add_params(
        alt.selection_interval(name="zoom", bind="scales", zoom="wheel![event.ctrlKey]")
    )
    return alt.layer(*layers, width="container", height=height, config=config(ink))


def extent(place: pl.DataFrame) -> tuple[float, float, tuple[alt.Scale, alt.Scale]]:
    """Give width and depth of all that is on a map, and scales with one length of a metre."""
    east, north = (
        place.select(
            low=pl.col(start).min(),
            high=(pl.col(start) + pl.col(size).fill_null(0.0)).max(),
        ).row(0)
        for start, size in (("x_m", "width_m"), ("y_m", "depth_m"))
    )
    # All points may be the same.
    width, depth = (max(high - low, LEAST) for low, high in (east, north))
    pixel = f"max({width} / (width - {2 * MARGIN}), {depth} / (height - {2 * MARGIN}))"
    scales = [
        alt.Scale(
            domain=[alt.ExprRef(f"{centre} {sign} {pixel} * {pixels} / 2") for sign in "-+"],
            nice=False,
            zero=False,
        )
        for centre, pixels in ((sum(east) / 2, "width"), (sum(north) / 2, "height"))
    ]
    return width, depth, (scales[0], scales[1])


def blocks(buildings: pl.DataFrame, on_map: Encodings, ink: Ink) -> list[alt.Chart]:
    """Draw buildings."""
    if buildings.is_empty():
        return []
    ends = buildings.with_columns(
        east_m=pl.col("x_m") + pl.col("width_m"), north_m=pl.col("y_m") + pl.col("depth_m")
    )
    shown = [alt.Tooltip("number:Q", title="building")]
    shown += [
        alt.Tooltip(f"{it}_m:Q", title=f"{it} (m)", format=NUMBER) for it in ("width", "depth")
    ]
    block = alt.Chart(source(ends)).mark_rect(fill=ink.grid, stroke=ink.soft, clip=True)
    return [block.encode(**on_map, x2=alt.X2("east_m:Q"), y2=alt.Y2("north_m:Q"), tooltip=shown)]


def stretches(path: pl.DataFrame, on_map: Encodings, ink: Ink) -> alt.Chart:
    """Draw what was walked, each stretch from where the one before ends."""
    after = pl.col("stretch", "state").shift(-1)
    joints = path.with_columns(after).filter(pl.col("stretch") != path["stretch"])
    drawn = pl.concat([joints, path]).select(
        pl.col("time_s").round_sig_figs(DIGITS + 2),
        pl.col("x_m", "y_m").round(2),
        "state",
        "stretch",
    )
    states = [it for it in STATES if it in set(path["state"])]
    places = [STATES.index(it) for it in states]
    legend = alt.Legend(
        orient="top",
        title=None,
        labelColor=ink.text,
        labelFontSize=ink.sizes.font,
        symbolType="stroke",
        symbolSize=400,
        symbolStrokeWidth=4,
    )
    hues, dashes = ([ink.hues[HUES[it]] for it in places], [DASHES[it] for it in places])
    line = alt.Chart(source(drawn)).mark_line(strokeWidth=4, strokeJoin="round", clip=True)
    walked: alt.Chart = line.encode(
        **on_map,
        order=alt.Order("time_s:Q"),
        detail=alt.Detail("stretch:N"),
        color=alt.Color("state:N", scale=alt.Scale(domain=states, range=hues), legend=legend),
        strokeDash=alt.StrokeDash(
            "state:N", scale=alt.Scale(domain=states, range=dashes), legend=legend
        ),
    )
    return walked


def arrows(path: pl.DataFrame, on_map: Encodings, ink: Ink) -> alt.Chart:
    """Draw arrows along the path, the last one at its end, for the direction of the user."""
    east, north = (pl.col(it).diff() for it in ("x_m", "y_m"))
    steps = path.select(
        pl.col("x_m", "y_m").round(2),
        # Clockwise from the north.
        heading=pl.arctan2(east, north).degrees().round(1),
        moved=(east != 0) | (north != 0),
    ).filter("moved")
    places = [steps.height * (it + 1) // ARROWS - 1 for it in range(ARROWS)]
    drawn = steps[[it for it in places if it >= 0]].drop("moved")
    arrow = alt.Chart(source(drawn)).mark_point(
        shape="triangle-up", size=140, fill=ink.text, stroke=ink.background, opacity=1, clip=True
    )
    turned: alt.Chart = arrow.encode(**on_map, angle=alt.Angle("heading:Q", scale=None))
    return turned


def named(
    points: pl.DataFrame, shape: str, fill: str, on_map: Encodings, ink: Ink
) -> list[alt.Chart]:
    """Draw points with their names over them."""
    base = alt.Chart(source(points.select("name", "x_m", "y_m"))).encode(**on_map)
    mark = base.mark_point(shape=shape, size=120, fill=fill, stroke=ink.text, opacity=1, clip=True)
    text = base.mark_text(dy=-14, fontSize=ink.sizes.font, color=ink.text, clip=True)
    return [mark, text.encode(text=alt.Text("name:N"))]


def values(path: pl.DataFrame, on_map: Encodings) -> alt.Chart:
    """Show the state of the link under the pointer."""
    rate = scale("bit/s", path["rate_bps"])
    shown = path.select(
        pl.col("time_s").round_sig_figs(DIGITS + 2),
        pl.col("x_m", "y_m").round(2),
        pl.col("sinr_db").round_sig_figs(DIGITS),
        "station",
        "state",
        rate=(pl.col("rate_bps") / rate.size).round_sig_figs(DIGITS),
    )
    points = alt.Chart(source(shown)).mark_point(size=150, filled=True, opacity=0, clip=True)
    hidden: alt.Chart = points.encode(
        **on_map,
        tooltip=[
            alt.Tooltip("time_s:Q", title="time (s)", format=NUMBER),
            alt.Tooltip("sinr_db:Q", title="SINR (dB)", format=NUMBER),
            alt.Tooltip("rate:Q", title=rate.title("rate"), format=NUMBER),
            alt.Tooltip("station:N", title="station"),
            alt.Tooltip("state:N", title="state"),
        ],
    )
    return hidden
