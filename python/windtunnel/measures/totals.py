"""Totals of each run, and their spread over the runs."""

from __future__ import annotations

import polars as pl

from windtunnel.measures.columns import (
    COMPLETION,
    DELAY,
    FAIRNESS,
    GOODPUT,
    MARKS,
    RETRANSMISSIONS,
    TIMEOUTS,
)
from windtunnel.measures.flows import jains_index
from windtunnel.measures.links import DROPS
from windtunnel.measures.measure import Tables

OF_FLOWS = (GOODPUT, DELAY, RETRANSMISSIONS, TIMEOUTS, MARKS, FAIRNESS, COMPLETION)
"""What `of_flows` gives."""


def of_flows(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the totals of the flows for each of `keys` (`case`, `flow_controller`) and run.

    Goodput is the sum over the flows, delay their mean, fairness Jain's index of
    their goodputs (1 if equal, 1/n if one of n flows has all), completion that of
    the last flow.
    """
    goodput = pl.col("goodput_bps").fill_nan(None)
    counts = pl.col("retransmissions", "timeouts", "marks").sum()
    return (
        results["flows"]
        .group_by(*keys, "run", maintain_order=True)
        .agg(
            goodput.sum(),
            counts,
            delay_s=pl.col("delay_s").fill_nan(None).mean(),
            # A single flow shares with nobody.
            fairness=pl.when(pl.len() > 1).then(jains_index(goodput)).fill_nan(None),
            completion_s=pl.col("completion_s").max(),
        )
    )


def of_links(results: Tables) -> pl.DataFrame:
    """Give the packets dropped on all links, for each case and run."""
    drops = pl.sum_horizontal(DROPS).sum().alias("drops")
    return results["links"].group_by("case", "run", maintain_order=True).agg(drops)


def of_channels(results: Tables) -> pl.DataFrame:
    """Give the averages of each channel, for each case and run.

    SINR and rate are means over the samples; the others are shares of the samples: with a
    rate of zero, and without line of sight.
    """
    sinr, station = pl.col("sinr_db"), pl.col("station")
    return (
        results["channel_series"]
        .group_by("case", "run", "link", "from", "to", maintain_order=True)
        .agg(
            sinr.mean(),
            pl.col("rate_bps").mean(),
            sinr_db_minimum=sinr.min(),
            sinr_db_maximum=sinr.max(),
            outage=(pl.col("rate_bps") == 0).mean(),
            without_line_of_sight=(~pl.col("line_of_sight")).mean(),
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
