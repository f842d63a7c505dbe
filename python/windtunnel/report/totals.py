"""Totals: what came of each run as a whole, and its spread over the runs."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from windtunnel.link_measures import DROPS
from windtunnel.report.cases import Comparison


@dataclass(frozen=True)
class Measure:
    """Something measured: its column, its name for people and its base unit."""

    column: str
    title: str
    unit: str = ""


GOODPUT = Measure("goodput_bps", "goodput", "bit/s")
DELAY = Measure("delay_s", "delay", "s")
DROPPED = Measure("drops", "packets dropped")
RETRANSMISSIONS = Measure("retransmissions", "retransmissions")
TIMEOUTS = Measure("timeouts", "timeouts")
MARKS = Measure("marks", "marks received")
FAIRNESS = Measure("fairness", "Jain's fairness")
COMPLETION = Measure("completion_s", "completion", "s")

OF_FLOWS = (GOODPUT, DELAY, RETRANSMISSIONS, TIMEOUTS, MARKS, FAIRNESS, COMPLETION)
"""What `of_flows` gives."""


def of_flows(comparison: Comparison, keys: list[str]) -> pl.DataFrame:
    """Give the totals of the flows for each of `keys` (`case`, `flow_controller`) and run.

    Goodput is that of all flows together, delay the mean of theirs,
    fairness Jain's index of the goodputs (1 for equal ones, 1/n for one flow
    that has all), completion the last flow's.
    """
    goodput = pl.col("goodput_bps").fill_nan(None)
    fairness = goodput.sum().pow(2) / (pl.len() * goodput.pow(2).sum())
    counts = pl.col("retransmissions", "timeouts", "marks").sum()
    return (
        comparison["flows"]
        .group_by(*keys, "run", maintain_order=True)
        .agg(
            goodput.sum(),
            counts,
            delay_s=pl.col("delay_s").fill_nan(None).mean(),
            # Among one flow there is nothing to share.
            fairness=pl.when(pl.len() > 1).then(fairness).fill_nan(None),
            completion_s=pl.col("completion_s").max(),
        )
    )


def of_links(comparison: Comparison) -> pl.DataFrame:
    """Give the packets dropped on all links, for each case and run."""
    drops = pl.sum_horizontal(DROPS).sum().alias("drops")
    return comparison["links"].group_by("case", "run", maintain_order=True).agg(drops)


def of_channels(comparison: Comparison) -> pl.DataFrame:
    """Give what each direction of a link with a channel was like, for each case and run.

    SINR and rate are means over the samples; outage and out of sight are the
    shares of the samples in which nothing was sent and no station was seen.
    """
    sinr, station = pl.col("sinr_db"), pl.col("station")
    return (
        comparison["channel_series"]
        .group_by("case", "run", "link", "from", "to", maintain_order=True)
        .agg(
            sinr.mean(),
            pl.col("rate_bps").mean(),
            sinr_db_minimum=sinr.min(),
            sinr_db_maximum=sinr.max(),
            outage=(pl.col("rate_bps") == 0).mean(),
            out_of_sight=(~pl.col("in_sight")).mean(),
            handovers=(station != station.shift()).sum(),
        )
    )


def spread(frame: pl.DataFrame, keys: list[str], columns: list[str]) -> pl.DataFrame:
    """Give each column as a struct of `mean`, `low` and `high` over the rows of each key."""
    return frame.group_by(keys, maintain_order=True).agg(
        pl.struct(mean=value.mean(), low=value.min(), high=value.max()).alias(column)
        for column in columns
        for value in [pl.col(column).cast(pl.Float64).fill_nan(None)]
    )
