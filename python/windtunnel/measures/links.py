"""The busiest link of a run, and the packets that links drop.

The busiest link is the direction of a link that is used most: its medium if that is shared, or what
the shaper in its queue lets pass. It is the bottleneck, if there is one. Its throughput includes
headers and retransmissions.
"""

from __future__ import annotations

import polars as pl

from windtunnel.measures.measure import Tables

DIRECTION = ["link", "from", "to"]
"""The columns that identify a direction of a link."""

SHAPED = "shaped_rate_bps"
"""The column of the rate at which the queue of a direction lets packets leave, if it shapes."""

USED = pl.max_horizontal(
    pl.coalesce("medium_utilisation", "utilisation"), pl.col("throughput_bps") / pl.col(SHAPED)
)
"""The share of the time in which something is sent on the medium of a direction, or of its shaper's
rate that is used, if that is greater; of links with `with_shapers`."""

DROPS = ("overlimit_drops", "discipline_drops", "losses")
"""The columns that count dropped packets, by cause."""

MEAN_RATE = pl.min_horizontal(
    (
        pl.col("throughput_bps")
        * ((pl.col("delivered") + pl.col("losses")) / pl.col("delivered"))
        / pl.col("utilisation")
    ).fill_nan(None),
    SHAPED,
)
"""The mean rate of a direction while it sends, in bit/s, headers included, or its shaper's rate; of
links with `with_shapers`.

Packets that are still on the link at the end of the run are not counted.
"""


def with_shapers(results: Tables) -> pl.DataFrame:
    """Give the table `links`, with the rates of shapers also where an earlier version made it."""
    links = results["links"]
    nothing = pl.lit(None, pl.Float64).alias(SHAPED)
    return links if SHAPED in links.columns else links.with_columns(nothing)


def busiest(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the row of the busiest direction of each run, the first in a tie."""
    return busiest_of(with_shapers(results), keys)


def busiest_of(links: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Give the row of the busiest of some directions for each of `keys`, the first in a tie."""
    ordered = links.sort(USED, descending=True, maintain_order=True, nulls_last=True)
    return ordered.unique(keys, keep="first", maintain_order=True)


def samples(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the samples of the busiest direction of each run."""
    which = busiest(results, keys).select(*keys, *DIRECTION)
    return results["link_series"].join(which, on=[*keys, *DIRECTION], maintain_order="left")
