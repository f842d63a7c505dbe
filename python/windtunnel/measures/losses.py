"""Measures of losses: packets dropped by queues and links, and unanswered Interests."""

from __future__ import annotations

import polars as pl

from windtunnel.measures.links import DROPS
from windtunnel.measures.measure import VALUE, Tables, of_runs

LOST = "lost_share"
"""The column of the share of a flow's packets that were lost."""


def packet_loss(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the packets dropped in all queues and on all links, per second."""
    return per_second(results, "links", keys, pl.sum_horizontal(DROPS))


def packet_loss_share(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of all packets that were offered to a link and dropped there."""
    return of_runs(results["links"], keys, pl.sum_horizontal(DROPS).sum() / pl.col("offered").sum())


def unanswered(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count Interests sent less Data received by the consumers, per second."""
    # Signed: duplicates may be more than what was lost.
    lost = pl.col("interests").cast(pl.Int64) - pl.col("data") - pl.col("duplicates")
    return per_second(results, "flows", keys, lost)


def per_second(results: Tables, table: str, keys: list[str], counted: pl.Expr) -> pl.DataFrame:
    """Divide a count by the simulated time."""
    durations = results["runs"].select(*keys, "duration_s")
    counts = results[table].group_by(keys, maintain_order=True).agg(counted.sum().alias("counted"))
    value = (pl.col("counted") / pl.col("duration_s")).alias(VALUE)
    return counts.join(durations, on=keys, maintain_order="left").select(*keys, value)


def with_lost(flows: pl.DataFrame) -> pl.DataFrame:
    """Give the table `flows` with `LOST`: of the packets that a flow sent, the share lost.

    TCP: segments that had to be sent again, that is, whose retransmission was no duplicate. NDN:
    Interests that brought no Data, except for those that still may. UDP: datagrams missing among
    those received, or all if none was; null where the table does not count them.
    """
    by_protocol = {
        "tcp": ("segments", counted(flows, "retransmissions") - counted(flows, "duplicates")),
        "mptcp": ("segments", counted(flows, "retransmissions") - counted(flows, "duplicates")),
        "ndn": (
            "interests",
            counted(flows, "interests")
            - counted(flows, "data")
            - counted(flows, "duplicates")
            - counted(flows, "in_flight"),
        ),
        "udp": (
            "datagrams",
            pl.when(pl.col("received_bytes") == 0)
            .then(counted(flows, "datagrams"))
            .otherwise(counted(flows, "lost")),
        ),
    }
    # Nothing is lost of nothing, and a copy of what was not lost may come twice.
    shares = (
        pl.when(pl.col("protocol") == protocol, counted(flows, sent) > 0).then(
            lost.clip(0) / counted(flows, sent)
        )
        for protocol, (sent, lost) in by_protocol.items()
    )
    return flows.with_columns(pl.coalesce(*shares).alias(LOST))


def counted(flows: pl.DataFrame, column: str) -> pl.Expr:
    """Give a count, signed; null where the table does not have it."""
    return pl.col(column).cast(pl.Int64) if column in flows.columns else pl.lit(None, pl.Int64)
