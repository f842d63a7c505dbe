"""Pictures of flows around the changes of their paths, all changes put on top of each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from windtunnel.measures import path_changes
from windtunnel.measures.columns import GOODPUT, MeasuredColumn
from windtunnel.pictures import series
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.over_time import over_time
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.series import Series
from windtunnel.pictures.units import maximum, scale, significant

SENT_AGAIN = MeasuredColumn("retransmissions", "retransmissions", "segments/s")
REORDERED = MeasuredColumn("reordered", "reordering", "packets/s")

COUNTED = (SENT_AGAIN, REORDERED)
"""What is counted in each interval."""

TIME = "time since the path changed (s)"

KEYS = ["case", "run", "flow"]
"""The columns that identify a flow."""


@dataclass(frozen=True)
class Direction:
    """Changes after which the round trip is longer, or those after which it is shorter."""

    name: str
    sign: int
    effect: str


DIRECTIONS = (Direction("upward", 1, "longer"), Direction("downward", -1, "shorter"))


def around_changes(comparison: Comparison) -> list[list[Picture]]:
    """Draw goodput, retransmissions and reordering around the changes of paths.

    Each list has one quantity and one direction of the step of the round trip, in several pictures
    if necessary. Counts that are zero around all changes are not drawn.
    """
    routes = comparison.tables.get("route_series")
    # Results of earlier versions have no such table, or not all columns.
    if routes is None or "reordered" not in comparison["flow_series"].columns:
        return []
    changed = path_changes.changes(routes, KEYS)
    aligned = path_changes.around(comparison["flow_series"], changed, KEYS)
    flows = comparison["flows"].select(*KEYS, GROUP)
    named = aligned.join(flows, on=KEYS)
    named = named.join(series.numbered(comparison.by_group()), on=["case", GROUP])
    counted = [it for it in COUNTED if named[it.column].fill_null(0).ne(0).any()]
    return [
        around(comparison, named, measure, direction)
        for measure in (GOODPUT, *counted)
        for direction in DIRECTIONS
    ]


def around(
    comparison: Comparison, aligned: pl.DataFrame, measure: MeasuredColumn, direction: Direction
) -> list[Picture]:
    """Draw one quantity around the steps in one direction."""
    rows = aligned.filter(direction.sign * pl.col("step_s") > 0)
    lines = [it for it in comparison.by_group() if it.name in set(rows["line"])]
    drawn = over_time(
        f"path-changes-{measure.column.removesuffix('_bps')}-{direction.name}",
        f"{measure.title.capitalize()} around {direction.name} steps",
        measure,
        lines,
        partial(of_lines, rows, measure),
        # It begins with the change.
        pl.DataFrame({"start_s": 0.0, "end_s": path_changes.AFTER_S, "share": 1.0}),
        time=TIME,
        over="changes",
    )
    return [replace(it, caption=f"{it.caption} {counts(rows, direction)}".strip()) for it in drawn]


def of_lines(rows: pl.DataFrame, measure: MeasuredColumn, lines: list[Line]) -> Series:
    """Give a quantity by the time since the change; counts are per second."""
    value = pl.col(measure.column)
    if measure in COUNTED:
        value = value / pl.col("interval_s")
    wanted = rows.filter(pl.col("line").is_in([it.name for it in lines]))
    return series.over_runs(wanted.select("line", time_s="offset_s", value=value))


def counts(rows: pl.DataFrame, direction: Direction) -> str:
    """Say of how many changes a line is the mean, and how great their steps are."""
    changes = rows.unique(["line", *KEYS, "changed_s"])
    steps = changes["step_s"].abs()
    shown = scale("s", steps)
    most = f"{significant(maximum(steps) / shown.size)} {shown.unit}"
    of_lines = sorted(set(changes["line"].value_counts()["count"].to_list()))
    count = " to ".join(f"{it:,}" for it in (of_lines[0], of_lines[-1])[: len(of_lines)])
    made = "change makes" if count == "1" else "changes make"
    return f"{count} {made} the round trip {direction.effect}, by up to {most}."
