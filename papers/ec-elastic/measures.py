"""What this paper measures and no other: steadiness, and delay by time."""

from __future__ import annotations

import math

import polars as pl

from windtunnel.measures.flows import goodput_over_time
from windtunnel.measures.measure import Measure, Tables, of_runs


def unsteadiness(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the standard deviation over time of the goodput of all flows, in Mbps."""
    return of_runs(goodput_over_time(results, keys), keys, (pl.col("goodput_bps") / 1e6).std())


RISE_S = (1.0, 5.0)
"""When the paper sees the delay rise, and after which it sees no difference."""


def late_delay(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean over time of the delay after `RISE_S`."""
    return of_runs(results["flow_series"], keys, delay_within(RISE_S[1], math.inf))


def late_delay_share(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the delay after `RISE_S` by that within it."""
    share = delay_within(RISE_S[1], math.inf) / delay_within(*RISE_S)
    return of_runs(results["flow_series"], keys, share)


def delay_within(start_s: float, end_s: float) -> pl.Expr:
    """Take the mean delay of the samples of a time, each of the interval before it."""
    within = (pl.col("time_s") > start_s) & (pl.col("time_s") <= end_s)
    return pl.col("delay_s").filter(within).mean()


MEASURES = {
    "late-delay": Measure("delay after 5 s", "s", late_delay),
    "late-delay-share": Measure(
        "delay after 5 s, divided by that of seconds 1 to 5", "", late_delay_share
    ),
    "unsteadiness": Measure("standard deviation of the throughput over time", "Mbps", unsteadiness),
}
"""Each by its name in the paper's files."""
