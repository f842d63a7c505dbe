"""Totals of each run, and their spread over the runs."""

from __future__ import annotations

import polars as pl

from windtunnel.measures import directions
from windtunnel.measures.columns import (
    COMPLETION,
    DELAY,
    DROPPED,
    FAIRNESS,
    GOODPUT,
    MARKS,
    RATE,
    RETRANSMISSIONS,
    TIMEOUTS,
    UTILISATION,
)
from windtunnel.measures.flows import jains_index
from windtunnel.measures.links import DROPS, MEAN_RATE, USED, busiest
from windtunnel.measures.measure import Tables

OF_FLOWS = (GOODPUT, DELAY, RETRANSMISSIONS, TIMEOUTS, MARKS, FAIRNESS, COMPLETION)
"""What `of_flows` gives."""

OF_LINKS = (RATE, UTILISATION, DROPPED)
"""What `of_links` gives."""


def of_flows(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the totals of the flows for each of `keys` (`case`, `flow_controller`) and run.

    Goodput is that of `directions.goodput`, delay the mean of the flows, fairness Jain's index of
    their own goodputs (1 if equal, 1/n if one of n flows has all), completion that of
    the last flow.
    """
    own = pl.col("goodput_bps").fill_nan(None)
    counts = pl.col("retransmissions", "timeouts", "marks").sum()
    of_run = [*keys, "run"]
    return (
        results["flows"]
        .group_by(of_run, maintain_order=True)
        .agg(
            counts,
            delay_s=pl.col("delay_s").fill_nan(None).mean(),
            # A single flow shares with nobody.
            fairness=pl.when(pl.len() > 1).then(jains_index(own)).fill_nan(None),
            completion_s=pl.col("completion_s").max(),
        )
        .join(directions.goodput(results, of_run), on=of_run, maintain_order="left")
    )


def of_links(results: Tables) -> pl.DataFrame:
    """Give the packets dropped on all links, and rate and utilisation of the busiest one.

    A row for each case and run.
    """
    of_run = ["case", "run"]
    drops = pl.sum_horizontal(DROPS).sum().alias("drops")
    dropped = results["links"].group_by(of_run, maintain_order=True).agg(drops)
    busy = busiest(results, of_run).select(*of_run, rate_bps=MEAN_RATE, utilisation=USED)
    return dropped.join(busy, on=of_run, maintain_order="left")


def of_channels(results: Tables) -> pl.DataFrame:
    """Give the averages of each channel, for each case and run.

    SINR, received power, margin and rate are means over the samples; the others are shares of
    the samples: with a rate of zero or less power than the receiver needs, and without line of
    sight.
    """
    sinr, station = pl.col("sinr_db"), pl.col("station")
    received, margin = pl.col("received_dbm"), pl.col("margin_db")
    samples = results["channel_series"]
    # Results of earlier versions have no powers.
    absent = [it for it in ("received_dbm", "margin_db") if it not in samples.columns]
    nothing = pl.lit(None, pl.Float64)
    return (
        samples.with_columns(nothing.alias(it) for it in absent)
        .group_by("case", "run", "link", "from", "to", maintain_order=True)
        .agg(
            sinr.mean(),
            received.mean(),
            margin.mean(),
            pl.col("rate_bps").mean(),
            sinr_db_minimum=sinr.min(),
            sinr_db_maximum=sinr.max(),
            received_dbm_minimum=received.min(),
            margin_db_minimum=margin.min(),
            outage=((pl.col("rate_bps") == 0) | (margin < 0).fill_null(value=False)).mean(),
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
