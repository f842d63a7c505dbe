"""What this paper measures and no other: steadiness, shares of losses, and delay by time."""

from __future__ import annotations

import math

import polars as pl

from windtunnel.measures.links import DROPS
from windtunnel.measures.measure import Measure, Tables, of_runs, share_bound


def unsteadiness(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the standard deviation over time of the goodput of all flows, in Mbps."""
    samples = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    together = samples.agg(pl.col("goodput_bps").sum() / 1e6)
    return of_runs(together, keys, pl.col("goodput_bps").std())


def packet_loss_share(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of all packets that were offered to a link and dropped there."""
    return of_runs(results["links"], keys, pl.sum_horizontal(DROPS).sum() / pl.col("offered").sum())


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
    "packet-loss-share": Measure(
        "dropped share of all packets", "share", packet_loss_share, bound=share_bound
    ),
}
"""Each by its name in the paper's files."""
