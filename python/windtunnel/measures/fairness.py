"""Fairness: Jain's index of what flows receive that want the same."""

from __future__ import annotations

import polars as pl

from windtunnel.measures import directions
from windtunnel.measures.columns import FAIRNESS
from windtunnel.measures.flows import active_goodput, is_one_way, jains_index
from windtunnel.measures.limits import LIMITS
from windtunnel.measures.measure import Tables

WAITS = ("idle_s", "application_limited_s")
"""The columns of the times in which a sender had no data."""


def fairness(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Compute Jain's index for each of `keys`, which identify a run or flows of a run.

    It is of the goodputs, while they are active, of the flows that want the same: those of the
    direction that received more whose senders always have data. A single flow shares with nobody.
    """
    run = directions.identifying(results, keys)
    flows = directions.with_directions(results, run)
    wanting = flows.filter(directions.in_fuller(keys), is_greedy(flows))
    index = jains_index(active_goodput(flows).fill_nan(None)).fill_nan(None)
    grouped = wanting.group_by(keys, maintain_order=True)
    return grouped.agg(pl.when(pl.len() > 1).then(index).alias(FAIRNESS.column))


def is_greedy(flows: pl.DataFrame) -> pl.Expr:
    """Say which flows take all that they get: not those of datagrams, whose rate is given, and not
    those that waited for data for longer than for anything else."""
    # Results of earlier versions do not have them.
    if not set(LIMITS).issubset(flows.columns):
        return ~is_one_way()
    total, longest = pl.sum_horizontal(LIMITS), pl.max_horizontal(LIMITS)
    # They are known only of TCP over a single path.
    waited = (total > 0) & (pl.max_horizontal(WAITS) == longest)
    return ~is_one_way() & ~waited.fill_null(value=False)
