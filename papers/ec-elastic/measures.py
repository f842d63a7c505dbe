"""What this paper measures and no other: how steady the throughput is, and shares of losses."""

from __future__ import annotations

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


MEASURES = {
    "unsteadiness": Measure("standard deviation of the throughput over time", "Mbps", unsteadiness),
    "packet-loss-share": Measure(
        "dropped share of all packets", "share", packet_loss_share, bound=share_bound
    ),
}
"""Each by its name in the paper's files."""
