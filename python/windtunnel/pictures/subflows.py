"""Pictures of the subflows of flows that take several paths."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import maximum

MEAN_OVER = 200
"""Throughput is the mean over such a share of the run."""

QUANTITIES = {
    "throughput": ("throughput_bps", 1e-6, "throughput by path", "Mbps"),
    "window": ("cwnd_segments", 1.0, "window by path", "segments"),
    "round-trip": ("smoothed_rtt_s", 1e3, "smoothed round trip by path", "ms"),
    "reinjected": ("reinjected_bytes", 1e-3, "data sent again on another path", "kB"),
}
"""What is drawn of each subflow: its column, its scale, its title and its unit."""


def subflows(comparison: Comparison) -> list[Picture]:
    """Draw each flow over several paths, of the first case and run: a line for each path."""
    series = comparison.tables.get("subflow_series")
    # Results of earlier versions have no such table.
    if series is None or series.is_empty():
        return []
    is_first = {"case": series["case"][0], "run": series["run"][0]}
    paths = comparison["subflows"].filter(**is_first).select("flow", "subflow", "path")
    series = series.filter(**is_first).join(paths, on=["flow", "subflow"], maintain_order="left")
    waiting = comparison["flow_series"].filter(**is_first)
    made = []
    for (flow,), samples in series.group_by("flow", maintain_order=True):
        for name, (column, scale, title, unit) in QUANTITIES.items():
            frame = smoothed(samples.select("time_s", line="path", value=scale * pl.col(column)))
            if frame["value"].fill_null(0).ne(0).any():
                made.append(picture(f"subflows-{name}-{flow}", f"{flow}: {title}", unit, frame))
        held = waiting.filter(flow=flow).select(
            "time_s",
            line=pl.lit("out of order at the receiver"),
            value=pl.col("waiting_bytes") / 1e3,
        )
        title = f"{flow}: data that waits for another path"
        made.append(picture(f"subflows-waiting-{flow}", title, "kB", held))
    return made


def smoothed(samples: pl.DataFrame) -> pl.DataFrame:
    """Take means over parts of the run, for each line."""
    part = maximum(samples["time_s"]) / MEAN_OVER
    bins = (pl.col("time_s") / part).ceil() * part
    means = samples.group_by("line", bins, maintain_order=True).agg(pl.col("value").mean())
    return means.select("time_s", "line", "value")


def picture(name: str, title: str, unit: str, frame: pl.DataFrame) -> Picture:
    """Make a picture of lines over time."""
    title = title[0].upper() + title[1:]
    return Picture(name, title, "", [], partial(lines_over_time, frame, unit))


def lines_over_time(frame: pl.DataFrame, unit: str, ink: Ink) -> Drawing:
    """Draw `value` over `time_s`, a line for each `line`, named at the top."""
    names = frame["line"].unique(maintain_order=True).to_list()
    colours = alt.Scale(
        domain=names, range=[ink.hues[it % len(ink.hues)] for it in range(len(names))]
    )
    legend = alt.Legend(orient="top", labelColor=ink.text, labelLimit=0)
    base: alt.Chart = alt.Chart(source(frame)).mark_line(strokeWidth=1.5)
    drawn: alt.Chart = base.encode(
        x=alt.X("time_s:Q", title="time (s)"),
        y=alt.Y("value:Q", title=unit),
        color=alt.Color("line:N", scale=colours, title=None, legend=legend),
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return drawn.properties(width=width, height=200, config=charts.config(ink))
