"""What papers report of bridges, measured from the tables of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel import link_measures
from windtunnel.channel_measures import VALUE

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.results import Results


def greatest_share(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the greatest share of packets that the clones' buffer has room for, in percent."""
    import polars as pl

    value = (100 * pl.col("selected_bound").min()).alias(VALUE)
    return results["bridges"].group_by(keys, maintain_order=True).agg(value)


def extra_bytes(results: Results, keys: list[str]) -> pl.DataFrame:
    """Relate what bridges send of their own to what the busiest link carries, in percent."""
    import polars as pl

    own = (pl.col("resent_bytes") + pl.col("acknowledgement_bytes")).sum().alias("own")
    sent = results["bridges"].group_by(keys, maintain_order=True).agg(own)
    carried = link_measures.busiest(results, keys).select(*keys, "delivered_bytes")
    value = (100 * pl.col("own") / pl.col("delivered_bytes")).fill_nan(None).alias(VALUE)
    return sent.join(carried, on=keys, maintain_order="left").select(*keys, value)
