"""The busiest link of a run, and the packets that links drop.

The busiest link is the direction of a link with the highest utilisation, of its medium if
that is shared: the bottleneck, if there is one. Its throughput includes headers and
retransmissions.
"""

from __future__ import annotations

import polars as pl

from windtunnel.measures.measure import Tables

DIRECTION = ["link", "from", "to"]
"""The columns that identify a direction of a link."""

USED = pl.coalesce("medium_utilisation", "utilisation")
"""The share of the time in which something is sent on the medium of a direction."""

DROPS = ("overlimit_drops", "discipline_drops", "losses")
"""The columns that count dropped packets, by cause."""

MEAN_RATE = (
    pl.col("throughput_bps")
    * ((pl.col("delivered") + pl.col("losses")) / pl.col("delivered"))
    / pl.col("utilisation")
).fill_nan(None)
"""The mean rate of a direction while it sends, in bit/s, headers included.

Packets that are still on the link at the end of the run are not counted.
"""


def busiest(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the row of the busiest direction of each run, the first in a tie."""
    ordered = results["links"].sort(USED, descending=True, maintain_order=True, nulls_last=True)
    return ordered.unique(keys, keep="first", maintain_order=True)


def samples(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the samples of the busiest direction of each run."""
    which = busiest(results, keys).select(*keys, *DIRECTION)
    return results["link_series"].join(which, on=[*keys, *DIRECTION], maintain_order="left")
