"""Pictures of handovers: which satellite each place uses, and when it changes."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.bar_charts import of_texts
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.charts import NUMBER, Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import maximum

MOST_ROWS = 24
"""The most rows: with a flow to a row end, twelve flows."""

OPACITIES = (0.25, 0.5)
"""The opacities of a satellite's bar and of the next one's."""


def handovers(comparison: Comparison) -> list[Picture]:
    """Draw which satellite each place uses over time.

    As the round trips, it is that of the first case and run.
    """
    routes = comparison.tables.get("route_series")
    # Results of earlier versions have no such table.
    if routes is None or routes.is_empty():
        return []
    is_first = {"case": routes["case"][0], "run": routes["run"][0]}
    used = stays(routes.filter(**is_first), comparison["contacts"].filter(**is_first))
    rows = used["row"].unique(maintain_order=True).to_list()
    shown = rows[:MOST_ROWS]
    caption = "In parentheses: the number of changes of the satellite."
    if len(rows) > MOST_ROWS:
        caption += f" The other {len(rows) - MOST_ROWS} places and flows are left out."
    drawn = used.filter(pl.col("row").is_in(shown))
    title = "Handovers: the satellites that each place uses"
    return [Picture("handovers", title, caption, [], partial(chart, drawn))]


def stays(routes: pl.DataFrame, contacts: pl.DataFrame) -> pl.DataFrame:
    """Give from when to when the flows of a run used a satellite at a place.

    `routes` are rows of `route_series` and `contacts` those of that table. A row has `satellite`,
    `start_s`, `end_s`, `number`, how many satellites were used before it, and `row`: the place,
    with the flow where several use it, and how often the satellite changes.
    """
    ends = ["flow", "node"]
    begins = pl.col("time_s") > pl.col("time_s").min()
    paths = routes.sort("flow", "time_s", maintain_order=True).select(
        "flow",
        # The first sample is taken at the end of the first interval.
        start_s=pl.when(begins).then("time_s").otherwise(0.0),
        end_s=pl.col("time_s").shift(-1).over("flow").fill_null(pl.col("time_s")),
        nodes=pl.col("path").str.split(" > "),
    )
    hops = (
        paths.with_columns(after=pl.col("nodes").list.slice(1))
        .with_columns(nodes=pl.col("nodes").list.head(pl.col("after").list.len()))
        .explode("nodes", "after")
    )
    links = contacts.select("node", "satellite").unique()
    upwards = hops.join(links, left_on=["nodes", "after"], right_on=["node", "satellite"])
    downwards = hops.join(links, left_on=["after", "nodes"], right_on=["node", "satellite"])
    columns = ["flow", "start_s", "end_s"]
    samples = pl.concat(
        [
            upwards.select(*columns, node="nodes", satellite="after"),
            downwards.select(*columns, node="after", satellite="nodes"),
        ]
    ).sort(*ends, "start_s")
    is_new = pl.col("satellite").ne_missing(pl.col("satellite").shift(1).over(ends))
    goes_on = pl.col("start_s") == pl.col("end_s").shift(1).over(ends)
    numbered = samples.with_columns(
        number=is_new.cum_sum().over(ends) - 1, stay=(is_new | ~goes_on).cum_sum().over(ends)
    )
    used = numbered.group_by(*ends, "stay", maintain_order=True).agg(
        pl.col("satellite", "number", "start_s").first(), pl.col("end_s").last()
    )
    several = pl.col("flow").n_unique().over("node") > 1
    where = pl.when(several).then(pl.format("{}, {}", "node", "flow")).otherwise("node")
    changes = pl.col("number").max().over(ends)
    return used.select(
        "satellite", "number", "start_s", "end_s", row=pl.format("{} ({})", where, changes)
    )


def chart(used: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw a row for each place, with a bar for each satellite, and its name where it fits."""
    duration = maximum(used["end_s"])
    parity = pl.col("number") % 2
    frame = used.with_columns(
        pl.col("start_s", "end_s").round_sig_figs(6),
        share=(pl.col("end_s") - pl.col("start_s")) / duration,
        room=pl.col("satellite").str.len_chars() * ink.sizes.letter,
        opacity=pl.when(parity == 0).then(OPACITIES[0]).otherwise(OPACITIES[1]),
    )
    rows = used["row"].unique(maintain_order=True).to_list()
    labels = of_texts(rows, ink)
    across = alt.Scale(domain=[0, duration], nice=False)
    base = alt.Chart(source(frame)).encode(
        x=alt.X("start_s:Q", title=charts.TIME, scale=across),
        y=alt.Y("row:N", title=None, scale=labels.scale(), axis=labels.axis(ink)),
        tooltip=[
            alt.Tooltip("satellite:N", title="satellite"),
            alt.Tooltip("start_s:Q", title="from (s)", format=NUMBER),
            alt.Tooltip("end_s:Q", title="to (s)", format=NUMBER),
        ],
    )
    bar = base.mark_bar(height=ink.sizes.row * 0.7, color=ink.hues[0], stroke=ink.hues[0]).encode(
        x2=alt.X2("end_s:Q"), opacity=alt.Opacity("opacity:Q", scale=None, legend=None)
    )
    # A page may be narrower than the picture in a file.
    is_fitting = alt.ExprRef("datum.room < datum.share * width ? 1 : 0")
    name = base.mark_text(
        align="left", dx=4, fontSize=ink.sizes.font - 2, color=ink.text, opacity=is_fitting
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    layers = [bar, name.encode(text=alt.Text("satellite:N"))]
    return charts.layered(layers, ink, width=width, height=labels.height(ink))
