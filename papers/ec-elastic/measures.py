"""What this paper measures and no other: how steady the throughput is, and shares of losses."""

from __future__ import annotations

import polars as pl

from windtunnel.measures.links import DROPS
from windtunnel.measures.measure import VALUE, Measure, Tables, share_bound


def unsteadiness(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the standard deviation over time of the goodput of all flows, in Mbps."""
    samples = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    together = samples.agg(pl.col("goodput_bps").sum() / 1e6)
    value = pl.col("goodput_bps").std().alias(VALUE)
    return together.group_by(keys, maintain_order=True).agg(value)


def packet_loss_share(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of all packets that were offered to a link and dropped there."""
    value = (pl.sum_horizontal(DROPS).sum() / pl.col("offered").sum()).alias(VALUE)
    return results["links"].group_by(keys, maintain_order=True).agg(value)


MEASURES = {
    "unsteadiness": Measure("standard deviation of the throughput over time", "Mbps", unsteadiness),
    "packet-loss-share": Measure(
        "dropped share of all packets", "share", packet_loss_share, bound=share_bound
    ),
}
"""Each by its name in the paper's files."""
