"""Totals of each run."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
from polars import selectors

from windtunnel.measures import bottlenecks, directions
from windtunnel.measures.columns import (
    COMPLETION,
    DELAY,
    DROPPED,
    FAIRNESS,
    FIRST_PAINT,
    GOODPUT,
    MARKS,
    ONE_WAY_DELAY,
    PAGE_LOAD,
    QUALITY,
    RATE,
    RETRANSMISSIONS,
    STALLED,
    TIMEOUTS,
    UTILISATION,
    MeasuredColumn,
)
from windtunnel.measures.fairness import fairness
from windtunnel.measures.flows import is_one_way
from windtunnel.measures.links import DROPS, MEAN_RATE, USED
from windtunnel.measures.measure import Tables
from windtunnel.tables import has_rows

OF_FLOWS = (GOODPUT, DELAY, ONE_WAY_DELAY, RETRANSMISSIONS, TIMEOUTS, MARKS, FAIRNESS, COMPLETION)
"""What `of_flows` gives."""

OF_LINKS = (RATE, UTILISATION, DROPPED)
"""What `of_links` gives."""

OF_PLAYERS = (QUALITY, STALLED)
"""What `of_players` gives."""

OF_WEB_PAGES = (PAGE_LOAD, FIRST_PAINT)
"""What `of_web_pages` gives."""


def of_flows(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the totals of the flows for each of `keys` (`case`, `flow_controller`) and run.

    Goodput is that of `directions.goodput`. Delays are means of the flows: there and back of TCP
    and NDN, one way of UDP. Fairness is that of `fairness`, and completion that of the last flow.
    """
    one_way = is_one_way()
    delay = pl.col("delay_s").fill_nan(None)
    of_run = [*keys, "run"]
    return (
        results["flows"]
        .group_by(of_run, maintain_order=True)
        .agg(
            total("retransmissions", "timeouts", "marks"),
            delay.filter(~one_way).mean().alias(DELAY.column),
            delay.filter(one_way).mean().alias(ONE_WAY_DELAY.column),
            completion_s=pl.col("completion_s").max(),
        )
        .join(fairness(results, of_run), on=of_run, how="left", maintain_order="left")
        .join(directions.goodput(results, of_run), on=of_run, maintain_order="left")
    )


def total(*columns: str) -> pl.Expr:
    """Give sums; none where no flow counts that."""
    counts = pl.col(*columns)
    return pl.when(counts.is_not_null().any()).then(counts.sum())


def of_links(results: Tables) -> pl.DataFrame:
    """Give the packets dropped on all links, and rate and utilisation of the bottleneck in the
    direction that received more.

    A row for each case and run.
    """
    of_run = ["case", "run"]
    drops = pl.sum_horizontal(DROPS).sum().alias("drops")
    dropped = results["links"].group_by(of_run, maintain_order=True).agg(drops)
    busy = bottlenecks.of_fuller(results, of_run)
    used = busy.select(*of_run, rate_bps=MEAN_RATE, utilisation=USED)
    return dropped.join(used, on=of_run, how="left", maintain_order="left")


def of_channels(results: Tables) -> pl.DataFrame:
    """Give the averages of each channel, for each case and run.

    SINR, MCS, received power, margin and rate are means over the samples; the others are shares
    of the samples: with a rate of zero or less power than the receiver needs, and without line
    of sight. Where there is a choice of schemes, one that needs more is no outage.
    """
    sinr, station = pl.col("sinr_db"), pl.col("station")
    received, margin = pl.col("received_dbm"), pl.col("margin_db")
    scheme = pl.col("mcs")
    samples = results["channel_series"]
    # Results of earlier versions have neither powers nor schemes.
    later = ("received_dbm", "margin_db", "mcs")
    absent = [it for it in later if it not in samples.columns]
    nothing = pl.lit(None, pl.Float64)
    is_dark = (margin < 0) & scheme.is_null()
    return (
        samples.with_columns(nothing.alias(it) for it in absent)
        .group_by("case", "run", "link", "from", "to", maintain_order=True)
        .agg(
            sinr.mean(),
            received.mean(),
            margin.mean(),
            pl.col("rate_bps").mean(),
            scheme.mean(),
            sinr_db_minimum=sinr.min(),
            sinr_db_maximum=sinr.max(),
            mcs_minimum=scheme.min(),
            received_dbm_minimum=received.min(),
            margin_db_minimum=margin.min(),
            outage=((pl.col("rate_bps") == 0) | is_dark.fill_null(value=False)).mean(),
            without_line_of_sight=(~pl.col("line_of_sight")).mean(),
            handovers=(station != station.shift()).sum(),
        )
    )


def of_players(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the mean bitrate that the players of adaptive videos played, and how long all players
    stalled, for each of `keys` and run."""
    found = of_each_flow(results, "players", keys)
    quality, stalled = pl.col("quality_bps"), pl.col("stalled_s")
    return found.group_by(*keys, "run", maintain_order=True).agg(
        quality.mean(), pl.when(stalled.count() > 0).then(stalled.sum())
    )


def of_web_pages(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the mean times in which pages of the web loaded, for each of `keys` and run."""
    return (
        of_each_flow(results, "web_pages", keys)
        .group_by(*keys, "run", maintain_order=True)
        .agg(pl.col(it.column).mean() for it in OF_WEB_PAGES)
    )


def of_each_flow(results: Tables, table: str, keys: list[str]) -> pl.DataFrame:
    """Give the rows of a table that has one for some flows, with what `keys` says of these."""
    own = results[table]
    of_flow = results["flows"]
    is_name = selectors.string() | selectors.by_name("case", "run", require_all=False)
    flow = [it for it in of_flow.select(is_name).columns if it in own.columns]
    flows = of_flow.select(list(dict.fromkeys([*flow, *keys])))
    return flows.join(own, on=flow, maintain_order="left")


SEEN_BY_USERS = {"players": (of_players, OF_PLAYERS), "web_pages": (of_web_pages, OF_WEB_PAGES)}
"""What users of some flows see, by the tables that have it."""


def of_flows_and_users(
    results: Tables, keys: list[str], tables: Mapping[str, pl.DataFrame]
) -> tuple[pl.DataFrame, tuple[MeasuredColumn, ...]]:
    """Give what `of_flows` gives and, where these tables are not empty, what users see, and the
    measures of that."""
    frame = of_flows(results, keys)
    measures: tuple[MeasuredColumn, ...] = ()
    for table, (totals, of_table) in SEEN_BY_USERS.items():
        if has_rows(tables, table):
            of_users = totals(results, keys)
            frame = frame.join(of_users, on=[*keys, "run"], how="left", maintain_order="left")
            measures += of_table
    return frame, measures
