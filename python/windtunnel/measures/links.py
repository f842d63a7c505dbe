"""The busiest link of a run, and the packets that links drop.

The busiest is the direction of a link with the greatest utilisation: the bottleneck,
if there is one. What it carries counts with headers and retransmissions.
"""

from __future__ import annotations

import polars as pl

from windtunnel.measures.measure import Tables

DIRECTION = ["link", "from", "to"]
"""The columns that tell directions of links apart."""

DROPS = ("overflows", "discipline_drops", "losses")
"""The columns that count dropped packets, by cause."""


def busiest(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the row of the busiest direction of each run, the first of equals."""
    ordered = results["links"].sort(
        pl.col("utilisation"), descending=True, maintain_order=True, nulls_last=True
    )
    return ordered.unique(keys, keep="first", maintain_order=True)


def samples(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the samples of the busiest direction of each run."""
    which = busiest(results, keys).select(*keys, *DIRECTION)
    return results["link_series"].join(which, on=[*keys, *DIRECTION], maintain_order="left")
