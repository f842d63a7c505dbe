"""Pictures of the two paths over time: windows, throughput, and what BBR believes."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.subflows import lines_over_time
from windtunnel.tables import ResultTables

from .measures import PATHS, is_on

MEAN_OVER_S = 2.0
"""Throughput is the mean over so long, in s."""

NAMES = {"wifi": "Wi-Fi", "lte": "LTE"}

MISSES = [
    ("pauses", "underflows", "buffer underflows"),
    ("discards", "discarded_frames", "discarded pictures"),
]
"""What the paper counts: by which player, its column, and what it is."""


def first_run(results: ResultTables) -> pl.DataFrame:
    """Give the samples of the first run of each controller, until the longest download ends."""
    end = results["transfers"].select(pl.col("start_s") + pl.col("completion_s")).max().item()
    series = results["subflow_series"].filter(pl.col("run") == pl.col("run").min())
    # In a run that is shortened none ends.
    return series if end is None else series.filter(pl.col("time_s") <= end)


def wifi_windows(results: ResultTables) -> list[Picture]:
    """Draw the window of the subflow over Wi-Fi, a line for each controller."""
    frame = first_run(results).filter(pl.col("subflow") == PATHS["wifi"])
    frame = frame.select("time_s", value="cwnd_segments", line="controller")
    return [picture("wifi-window", "Window on Wi-Fi", "window in segments", frame)]


def path_throughput(results: ResultTables) -> list[Picture]:
    """Draw what arrives over each path, a line for each controller and path."""
    series = first_run(results)
    bins = (pl.col("time_s") / MEAN_OVER_S).ceil() * MEAN_OVER_S
    parts = []
    for path, subflow in PATHS.items():
        of_path = series.filter(pl.col("subflow") == subflow)
        means = of_path.group_by("controller", bins, maintain_order=True).agg(
            value=pl.col("throughput_bps").mean() / 1e6
        )
        line = pl.format("{}, {}", pl.col("controller"), pl.lit(NAMES[path]))
        parts.append(means.select("time_s", "value", line=line))
    return [picture("path-throughput", "Throughput by path", "Mbps", pl.concat(parts))]


def belief(results: ResultTables) -> list[Picture]:
    """Draw BBR's round trip of Wi-Fi without queues beside the smoothed round trip."""
    series = first_run(results).filter(
        (pl.col("subflow") == PATHS["wifi"]) & (pl.col("controller") == "bbr")
    )
    lines = {"smoothed_rtt_s": "smoothed", "estimated_rtt_s": "believed by BBR"}
    parts = [
        series.select("time_s", value=1e3 * pl.col(column), line=pl.lit(name))
        for column, name in lines.items()
    ]
    return [picture("belief", "Round trip of Wi-Fi with BBR", "ms", pl.concat(parts))]


def delay_cycles(results: ResultTables) -> list[Picture]:
    """Draw the delay that Wi-Fi has beside its own, a line for each scenario."""
    series = first_run(results).filter(pl.col("subflow") == PATHS["wifi"])
    delay = pl.when(is_on()).then(60.0).otherwise(0.0)
    line = pl.format("scenario {}", pl.col("scenario").str.to_uppercase())
    frame = series.select("time_s", value=delay, line=line).sort("line", "time_s")
    return [picture("delay-cycles", "Delay of Wi-Fi beside its own", "ms", frame)]


def misses(results: ResultTables) -> list[Picture]:
    """Draw underflows of the player that pauses, and pictures that the other one discards."""
    players, made = results["players"], []
    for player, column, title in MISSES:
        counted = players.filter(pl.col("player") == player)
        means = counted.group_by("controller", maintain_order=True)
        frame = means.agg(value=pl.col(column).mean()).rename({"controller": "name"})
        made.append(of_bars(column.replace("_", "-"), title, frame))
    return made


def path_switches(results: ResultTables) -> list[Picture]:
    """Draw how often new data changed its path, a bar for each scenario and controller."""
    flows = results["flows"].sort("scenario", maintain_order=True)
    means = flows.group_by("scenario", "controller", maintain_order=True)
    frame = means.agg(value=pl.col("path_switches").mean())
    name = pl.format("{}, {}", pl.col("scenario").str.to_uppercase(), pl.col("controller"))
    return [of_bars("path-switches", "path switches", frame.select("value", name=name))]


def of_bars(name: str, title: str, frame: pl.DataFrame) -> Picture:
    """Make a picture of bars, each with its number."""
    return Picture(name, title.capitalize(), "Mean of the runs.", [], partial(bars, frame, title))


def bars(frame: pl.DataFrame, title: str, ink: Ink) -> Drawing:
    """Draw a bar with its number for each name."""
    base = alt.Chart(source(frame)).encode(
        x=alt.X("value:Q", title=title),
        y=alt.Y("name:N", title=None, sort=frame["name"].to_list()),
    )
    drawn = base.mark_bar(color=ink.hues[0])
    numbers = base.mark_text(align="left", dx=4, color=ink.text).encode(
        text=alt.Text("value:Q", format=",.4~g")
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return alt.layer(drawn, numbers, width=width, height=26 * len(frame), config=charts.config(ink))


def picture(name: str, title: str, unit: str, frame: pl.DataFrame) -> Picture:
    """Make a picture of lines over time."""
    return Picture(name, title, "First run of each.", [], partial(lines_over_time, frame, unit))


PICTURES = {
    "wifi-windows": wifi_windows,
    "path-throughput": path_throughput,
    "belief": belief,
    "delay-cycles": delay_cycles,
    "misses": misses,
    "path-switches": path_switches,
}
"""What only this paper draws, by its kind."""
