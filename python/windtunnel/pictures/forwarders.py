"""Pictures of the forwarders of nodes: how full their PITs and content stores are."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.columns import MeasuredColumn
from windtunnel.pictures import over_time, series
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.over_time import MOST_PANELS
from windtunnel.pictures.picture import Picture

PENDING = MeasuredColumn("pit_entries", "pending Interests")
CACHED = MeasuredColumn("content_store_entries", "Data packets in the content store")


def forwarders(comparison: Comparison) -> list[Picture]:
    """Draw the PITs of nodes over time, the fullest first, and their content stores."""
    samples = comparison.tables.get("node_series")
    # Results of earlier versions have no such table.
    if samples is None or samples.is_empty():
        return []
    made = []
    for index, node in enumerate(fullest(samples)[:MOST_PANELS], start=1):
        of_node = samples.filter(node=node)
        for name, measure, title in (
            ("pit", PENDING, f"Pending Interests at {node}"),
            ("content-store", CACHED, f"Content store at {node}"),
        ):
            if of_node[measure.column].sum():
                get = partial(series.of_cases, of_node, measure.column)
                lines = comparison.by_case()
                events = comparison.events
                made += over_time.over_time(
                    f"{name}-{index}", title, measure, lines, get, events=events
                )
    return made


def fullest(samples: pl.DataFrame) -> list[str]:
    """Give the nodes with pending Interests, those with the most of them first."""
    pending = samples.group_by("node", maintain_order=True).agg(pl.col("pit_entries").mean())
    pending = pending.filter(pl.col("pit_entries") > 0)
    return pending.sort("pit_entries", descending=True, maintain_order=True)["node"].to_list()
