"""Sessions whose state is paged, and the flows that carry their pages."""

from __future__ import annotations

import polars as pl

from windtunnel.tables import ResultTables, has_rows


def own_flows(results: ResultTables) -> pl.DataFrame:
    """Give the flows of the scenario itself, without those that carry sessions.

    Those are called after the sessions and their two nodes: `users: a to b`.
    """
    flows = results["flows"]
    if not has_rows(results.tables, "sessions"):
        return flows
    carriers = [f"{name}: " for name in results["sessions"]["sessions"].unique()]
    of_sessions = (pl.col("flow").str.starts_with(it) for it in carriers)
    return flows.filter(~pl.any_horizontal(of_sessions))
