"""Changes of the paths that flows take over satellites, and what is measured around them.

A path changes when its nodes do, or when it ends. The step of a change is by how much the round
trip of light along the path there and the path back is longer afterwards.
"""

from __future__ import annotations

import polars as pl

BEFORE_S = 1.0
"""How long before a change its surroundings begin, in seconds."""

AFTER_S = 3.0
"""How long after it they end, in seconds: several round trips, and a timeout."""

ROUND_TRIP = pl.col("propagation_s") + pl.col("return_propagation_s")
"""How long light takes there and back along a path, in seconds; null while there is none."""


def changes(routes: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Give the changes of the paths in rows of `route_series`, by `keys`, which identify a flow.

    A row for each: the keys, `changed_s`, the time of the first sample without the old path, and
    `step_s`. Where there was no path for a while, the step is to the next one; it is null if that
    is the old one, or there is none.
    """
    ordered = routes.sort(*keys, "time_s").with_columns(round_trip_s=ROUND_TRIP)
    found = pl.col("path", "round_trip_s").backward_fill().shift(-1).over(keys)
    both = ordered.with_columns(
        found.name.prefix("next_"),
        at_once=pl.col("path").shift(-1).over(keys),
        changed_s=pl.col("time_s").shift(-1).over(keys),
    )
    ended = both.drop_nulls(["path", "changed_s"]).filter(
        pl.col("path").ne_missing(pl.col("at_once"))
    )
    step = pl.col("next_round_trip_s") - pl.col("round_trip_s")
    is_other = pl.col("next_path") != pl.col("path")
    return ended.select(*keys, "changed_s", step_s=pl.when(is_other).then(step))


def around(samples: pl.DataFrame, changed: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Align rows of `flow_series` with changes of paths, as `changes` gives them.

    Each row appears with the change before it and with the one after it, as far as these are
    within `AFTER_S` and `BEFORE_S`: no other change lies between a row and its change. Added are
    `changed_s`, `step_s`, `offset_s`, the middle of the row's interval relative to the change, and
    `interval_s`. Offsets are rounded to the middles of intervals that begin with the change.
    """
    previous = pl.col("time_s").shift(1).over(keys).fill_null(0.0)
    timed = samples.sort(*keys, "time_s").with_columns(interval_s=pl.col("time_s") - previous)
    timed = timed.with_columns(middle_s=pl.col("time_s") - pl.col("interval_s") / 2)
    timed = timed.sort("middle_s")
    ordered = changed.with_columns(middle_s="changed_s").sort("middle_s")
    joined = pl.concat(
        timed.join_asof(
            ordered, on="middle_s", by=keys, strategy=strategy, check_sortedness=False
        ).drop_nulls("changed_s")
        for strategy in ("backward", "forward")
    )
    # A row in whose middle the path changes is found twice.
    place = ((pl.col("middle_s") - pl.col("changed_s")) / pl.col("interval_s")).floor()
    offset = (place + 0.5) * pl.col("interval_s")
    return (
        joined.with_columns(offset_s=offset.round(9))
        .filter(pl.col("offset_s").is_between(-BEFORE_S, AFTER_S))
        .unique([*keys, "time_s", "changed_s"], maintain_order=True)
        .drop("middle_s")
    )
