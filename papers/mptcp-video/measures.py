"""What this paper measures and no other: the player, and the two paths."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl

from windtunnel.measures.measure import Measure, Tables, of_runs
from windtunnel.papers.readings import JOINT

PATHS = {"wifi": 0, "lte": 1}
"""The subflow of each path."""

SETTLED_S = 10.0
"""When windows and throughput are taken from: after slow start, in s."""

DOWNLOAD_S = 160.0
"""When they are taken until: no download of 113 MiB over 6 Mbps is over before, in s."""

CYCLES_S = {"a": 60.0, "b": 20.0, "c": 10.0}
"""The cycle of each scenario, in s (table II)."""

LAGS_S = range(11)
"""How late a window may follow, in s: BBR believes in a round trip for ten."""

FRAMES_PER_SECOND = 30.0
"""Of the video, as in the scenario."""


def of_player(results: Tables, keys: list[str], column: str) -> pl.DataFrame:
    """Take a column of the only player."""
    return of_runs(results["players"], keys, pl.col(column).sum())


def interruptions(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the underflows, and the start as one more: the buffer is empty there, too."""
    return of_runs(results["players"], keys, pl.col("underflows").sum() + 1)


def late_video(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take how much of the video was late: the pauses, and the pictures that were not shown."""
    discarded = pl.col("discarded_frames").sum() / FRAMES_PER_SECOND
    return of_runs(results["players"], keys, pl.col("stalled_s").sum() + discarded)


def is_on(lag_s: float = 0.0) -> pl.Expr:
    """Tell whether Wi-Fi had its delay so long before a sample."""
    has = pl.col("reading").str.split(JOINT).list.contains
    cycle = pl.col("scenario").replace_strict(CYCLES_S, return_dtype=pl.Float64)
    half = pl.when(has("toggle")).then(cycle).otherwise(cycle / 2)
    # A sample is of what was before it.
    halves = ((pl.col("time_s") - lag_s - 1e-6) / half).floor()
    return (halves % 2 == 1) ^ has("starts-on")


def window_in_half(results: Tables, keys: list[str], *, on: bool) -> pl.DataFrame:
    """Take the median of the window on Wi-Fi with the delay or without it, in segments."""
    series = samples(results, "wifi").filter(is_on() if on else ~is_on())
    return of_runs(series, keys, pl.col("cwnd_segments").median())


def window_ratio(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the mean window with the delay by that without, at the lag that fits best."""
    return at_best_lag(results, keys, ratio_at)


def ratio_at(lag_s: float) -> pl.Expr:
    """Divide the mean windows of both halves, where they follow so late."""
    window, on = pl.col("cwnd_segments"), is_on(lag_s)
    return window.filter(on).mean() / window.filter(~on).mean()


def window_correlation(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Correlate the window on Wi-Fi with the delay, at the lag that fits best."""
    return at_best_lag(results, keys, correlation_at)


def correlation_at(lag_s: float) -> pl.Expr:
    """Correlate the window with the delay so long before; one that never changes does not."""
    found = pl.corr(pl.col("cwnd_segments"), is_on(lag_s).cast(pl.Float64))
    return found.fill_nan(0.0)


def at_best_lag(
    results: Tables, keys: list[str], at_lag: Callable[[float], pl.Expr]
) -> pl.DataFrame:
    """Take the greatest value over the lags."""
    values = pl.max_horizontal(at_lag(lag_s) for lag_s in LAGS_S)
    return of_runs(samples(results, "wifi"), keys, values)


def blocked(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of samples in which the window on Wi-Fi had no room for a segment, in %."""
    is_full = pl.col("in_flight") + 1 > pl.col("cwnd_segments")
    return of_runs(samples(results, "wifi"), keys, 100 * is_full.mean())


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
    "late-video": Measure("video that paused or was not shown", "s", late_video),
    "wifi-window": Measure("median of the window on Wi-Fi", "segments", wifi_window),
    "window-off": Measure(
        "median of the window on Wi-Fi without the delay",
        "segments",
        partial(window_in_half, on=False),
    ),
    "window-on": Measure(
        "median of the window on Wi-Fi with the delay", "segments", partial(window_in_half, on=True)
    ),
    "window-ratio": Measure(
        "mean window on Wi-Fi with the delay over that without, at the best lag", "", window_ratio
    ),
    "window-correlation": Measure(
        "correlation of the window on Wi-Fi with the delay, at the best lag", "", window_correlation
    ),
    "wifi-blocked": Measure("samples in which the window on Wi-Fi was full", "%", blocked),
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
