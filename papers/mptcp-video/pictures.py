"""Pictures of the two paths over time: windows, throughput, and what BBR believes."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.pictures.picture import Picture
from windtunnel.pictures.subflows import lines_over_time
from windtunnel.tables import ResultTables

from .measures import PATHS

MEAN_OVER_S = 2.0
"""Throughput is the mean over so long, in s."""

NAMES = {"wifi": "Wi-Fi", "lte": "LTE"}


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


def picture(name: str, title: str, unit: str, frame: pl.DataFrame) -> Picture:
    """Make a picture of lines over time."""
    return Picture(name, title, "First run of each.", [], partial(lines_over_time, frame, unit))


PICTURES = {
    "wifi-windows": wifi_windows,
    "path-throughput": path_throughput,
    "belief": belief,
}
"""What only this paper draws, by its kind."""
