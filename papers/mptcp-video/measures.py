"""What this paper measures and no other: the player, and the two paths."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.measure import Measure, Tables, of_runs

PATHS = {"wifi": 0, "lte": 1}
"""The subflow of each path."""

SETTLED_S = 10.0
"""When windows and throughput are taken from: after slow start, in s."""

DOWNLOAD_S = 160.0
"""When they are taken until: no download of 113 MiB over 6 Mbps is over before, in s."""


def of_player(results: Tables, keys: list[str], column: str) -> pl.DataFrame:
    """Take a column of the only player."""
    return of_runs(results["players"], keys, pl.col(column).sum())


def interruptions(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the underflows, and the start as one more: the buffer is empty there, too."""
    return of_runs(results["players"], keys, pl.col("underflows").sum() + 1)


def samples(results: Tables, path: str) -> pl.DataFrame:
    """Take the samples of a path while the download goes on."""
    series = results["subflow_series"].filter(pl.col("subflow") == PATHS[path])
    return series.filter(pl.col("time_s").is_between(SETTLED_S, DOWNLOAD_S))


def path_throughput(results: Tables, keys: list[str], path: str) -> pl.DataFrame:
    """Take the mean of what arrives over a path, in Mbps."""
    return of_runs(samples(results, path), keys, pl.col("throughput_bps").mean() / 1e6)


def throughput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean of what arrives in order over both paths, in Mbps."""
    series = results["flow_series"]
    series = series.filter(pl.col("time_s").is_between(SETTLED_S, DOWNLOAD_S))
    return of_runs(series, keys, pl.col("goodput_bps").mean() / 1e6)


def wifi_window(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the median of the window on Wi-Fi, in segments."""
    return of_runs(samples(results, "wifi"), keys, pl.col("cwnd_segments").median())


def window_spread(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the 90th percentile of the window on Wi-Fi by the 10th."""
    window = pl.col("cwnd_segments")
    spread = window.quantile(0.9, "linear") / window.quantile(0.1, "linear")
    return of_runs(samples(results, "wifi"), keys, spread)


def believed(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean of the round trip of Wi-Fi that BBR believes in, in ms."""
    return of_runs(samples(results, "wifi"), keys, 1e3 * pl.col("estimated_rtt_s").mean())


def path_switches(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count how often new data went over the other path than the data before."""
    return of_runs(results["flows"], keys, pl.col("path_switches").sum())


def waiting(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the greatest amount of data that waited out of order at the client, in kB."""
    return of_runs(results["flow_series"], keys, pl.col("waiting_bytes").max() / 1e3)


MEASURES = {
    "underflows": Measure(
        "times that the player ran out of data", "", partial(of_player, column="underflows")
    ),
    "interruptions": Measure(
        "times that the player had no data, with its start", "", interruptions
    ),
    "discards": Measure(
        "pictures discarded", "pictures", partial(of_player, column="discarded_frames")
    ),
    "stalled": Measure("time that the player waited", "s", partial(of_player, column="stalled_s")),
    "wifi-window": Measure("median of the window on Wi-Fi", "segments", wifi_window),
    "window-spread": Measure(
        "90th percentile of the window on Wi-Fi over the 10th", "", window_spread
    ),
    "believed-rtt": Measure(
        "round trip without queues of Wi-Fi that BBR estimates, mean", "ms", believed
    ),
    "wifi-throughput": Measure(
        "throughput over Wi-Fi", "Mbps", partial(path_throughput, path="wifi")
    ),
    "lte-throughput": Measure("throughput over LTE", "Mbps", partial(path_throughput, path="lte")),
    "throughput": Measure("throughput of both paths", "Mbps", throughput),
    "path-switches": Measure("switches between the paths", "", path_switches),
    "waiting": Measure("most data waiting out of order at the client", "kB", waiting),
}
"""Each by its name in the paper's files."""
