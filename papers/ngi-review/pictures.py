"""Pictures of what each mechanism does over time, and of the delays of mixes."""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.subflows import lines_over_time
from windtunnel.tables import ResultTables

from . import models
from .measures import BASE_S, MIX_S, MIXES, messages

MEAN_OVER_S = 0.05
"""Goodput about a failure is the mean over so long, in s."""

POINTS = 100
"""Points of a distribution's line."""


def first_run(results: ResultTables, table: str, begin_s: float, end_s: float) -> pl.DataFrame:
    """Give the samples of the first run of each case between two times."""
    series = results[table].filter(pl.col("run") == pl.col("run").min())
    return series.filter(pl.col("time_s").is_between(begin_s, end_s))


def waiting(results: ResultTables) -> list[Picture]:
    """Draw how long packets wait before the bottleneck, a line for each signal."""
    series = first_run(results, "link_series", 20.0, 60.0)
    frame = series.filter(link="bottleneck", **{"from": "router"}).select(
        "time_s", value=1e3 * pl.col("sojourn_s"), line="signal"
    )
    return [picture("waiting", "Sojourn time before the bottleneck", "ms", frame)]


def windows(results: ResultTables) -> list[Picture]:
    """Draw the window of the flow, a line for each signal."""
    frame = first_run(results, "flow_series", 20.0, 60.0).select(
        "time_s", value="cwnd_segments", line="signal"
    )
    return [picture("windows", "Window", "segments", frame)]


def about_the_failure(results: ResultTables) -> list[Picture]:
    """Draw what arrives in order about the time of the failure, a line for each transport."""
    series = first_run(results, "flow_series", 9.0, 12.0)
    bins = (pl.col("time_s") / MEAN_OVER_S).ceil() * MEAN_OVER_S
    means = series.group_by("transport", bins, maintain_order=True).agg(
        value=pl.col("goodput_bps").mean() / 1e6
    )
    frame = means.select("time_s", "value", line="transport")
    return [picture("failure", "Goodput about the failure of Wi-Fi", "Mbps", frame)]


def updates(results: ResultTables) -> list[Picture]:
    """Draw the goodput of an update, a line for each way to yield."""
    frame = (
        first_run(results, "flow_series", 0.0, 70.0)
        .filter(flow="update")
        .select("time_s", value=pl.col("goodput_bps") / 1e6, line="update")
    )
    return [picture("updates", "Goodput of the update", "Mbps", frame)]


def picture(name: str, title: str, unit: str, frame: pl.DataFrame) -> Picture:
    """Make a picture of lines over time."""
    return Picture(name, title, "First run of each.", [], partial(lines_over_time, frame, unit))


def delays(results: ResultTables) -> list[Picture]:
    """Draw the distribution of messages' delays beside Erlang's law."""
    alone = messages(results).filter(pl.col("count") == 1)
    shares = np.arange(1, POINTS) / POINTS
    parts = []
    for name, mixes in MIXES.items():
        taken = alone.filter(mixes=name)["delay_s"].to_numpy() - BASE_S
        at_s = np.quantile(taken, shares)
        law = models.erlang(at_s, mixes, MIX_S)
        for line, share in {"measured": shares, "Erlang": law}.items():
            of_line = pl.DataFrame({"value": 1e3 * at_s, "share": share})
            parts.append(of_line.with_columns(line=pl.lit(f"{name}, {line}")))
    frame = pl.concat(parts)
    return [Picture("delays", "Delays of messages", "", [], partial(distributions, frame))]


def distributions(frame: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw `share` over `value`, a line for each `line`; laws are dashed."""
    names = frame["line"].unique(maintain_order=True).to_list()
    hues = [ink.hues[place // 2 % len(ink.hues)] for place in range(len(names))]
    dashes = [[1, 0] if place % 2 == 0 else [5, 4] for place in range(len(names))]
    legend = alt.Legend(orient="top", labelColor=ink.text, labelLimit=0)
    colour, dash = alt.Scale(domain=names, range=hues), alt.Scale(domain=names, range=dashes)
    base: alt.Chart = alt.Chart(source(frame)).mark_line(strokeWidth=1.5)
    drawn: alt.Chart = base.encode(
        x=alt.X("value:Q", title="delay (ms)"),
        y=alt.Y("share:Q", title="share of messages"),
        color=alt.Color("line:N", scale=colour, title=None, legend=legend),
        strokeDash=alt.StrokeDash("line:N", scale=dash, title=None, legend=legend),
        order="value:Q",
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return drawn.properties(width=width, height=220, config=charts.config(ink))


PICTURES = {
    "waiting": waiting,
    "windows": windows,
    "failure": about_the_failure,
    "updates": updates,
    "delays": delays,
}
"""What only this paper draws, by its kind."""
