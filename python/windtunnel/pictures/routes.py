"""Pictures of paths that change as satellites move."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import acos, cos, radians, sin

import polars as pl

from windtunnel.measures import path_changes
from windtunnel.measures.columns import MeasuredColumn
from windtunnel.pictures import over_time
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.over_time import MOST_PANELS
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.series import Series
from windtunnel.pictures.units import maximum

ROUND_TRIP = MeasuredColumn("round_trip_s", "round trip", "s")

EARTH_RADIUS_KM = 6371.0
LIGHT_SPEED_KM_S = 299_792.458
FIBRE = 2 / 3
"""The speed of light in a fibre, as a share of that in a vacuum."""

MARK = 0.002
"""How wide the mark of a change is, as a share of the time shown."""

Places = dict[str, tuple[float, float]]
"""Latitude and longitude of nodes on the ground, in degrees."""


def great_circle_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Give the length of the great circle between two places, on a sphere."""
    (first, west), (second, east) = one, other
    latitudes = sin(radians(first)) * sin(radians(second))
    across = cos(radians(first)) * cos(radians(second)) * cos(radians(east - west))
    return EARTH_RADIUS_KM * acos(max(-1.0, min(1.0, latitudes + across)))


def round_trips(comparison: Comparison, places: Places) -> list[Picture]:
    """Draw how long light takes there and back along the path of each flow, over time.

    Beside it are the floors: along the great circle, in a vacuum and in a fibre. Paths do not
    depend on what is sent over them: they are those of the first case and run.
    """
    samples = comparison.tables.get("route_series")
    # Results of earlier versions have no such table.
    if samples is None or samples.is_empty():
        return []
    first = samples.filter(case=samples["case"][0], run=samples["run"][0])
    flows = first["flow"].unique(maintain_order=True).to_list()
    made = []
    for index, flow in enumerate(flows[:MOST_PANELS], start=1):
        of_flow = first.filter(flow=flow).sort("time_s")
        name = "round-trip" if len(flows) == 1 else f"round-trip-{index}"
        made += round_trip(comparison, of_flow, flow, name, places)
    return made


def round_trip(
    comparison: Comparison, samples: pl.DataFrame, flow: str, name: str, places: Places
) -> list[Picture]:
    """Draw the round trip of one flow, and mark where its path changes."""
    (ends,) = comparison["flows"].filter(flow=flow).select("node", "peer").unique().rows()[:1]
    lines = [Line("l0", 0, ("satellites",), None, 0)]
    values = {"l0": samples.with_columns(mean=path_changes.ROUND_TRIP)}
    if all(end in places for end in ends):
        floor = 2 * great_circle_km(places[ends[0]], places[ends[1]]) / LIGHT_SPEED_KM_S
        floors = {"great circle at c": floor, "fibre at 2c/3": floor / FIBRE}
        for rank, (label, value) in enumerate(floors.items(), start=1):
            lines.append(Line(f"l{rank}", 0, (label,), None, rank, reference=True))
            values[f"l{rank}"] = samples.with_columns(mean=pl.lit(value))
    frame = pl.concat(
        it.select(
            line=pl.lit(line), time_s="time_s", mean="mean", low=pl.col("mean"), high=pl.col("mean")
        )
        for line, it in values.items()
    )
    marks = changes(samples)
    drawn = over_time.over_time(
        name,
        f"Propagation there and back: {flow}",
        ROUND_TRIP,
        lines,
        partial(of_lines, frame),
        marks if marks.height else None,
    )
    said = "Grey: the path changes." if marks.height else "The path does not change."
    return [with_caption(it, said) for it in drawn]


def of_lines(frame: pl.DataFrame, lines: list[Line]) -> Series:
    """Keep some lines."""
    return Series(frame.filter(pl.col("line").is_in([it.name for it in lines])), None)


def changes(samples: pl.DataFrame) -> pl.DataFrame:
    """Give the instants at which a path changes, as intervals that can be shaded."""
    start, width = pl.col("changed_s"), MARK * maximum(samples["time_s"])
    changed = path_changes.changes(samples, ["flow"])
    return changed.select(start_s=start, end_s=start + width, share=pl.lit(1.0))


def with_caption(picture: Picture, said: str) -> Picture:
    """Add a sentence to a picture's caption."""
    return replace(picture, caption=f"{picture.caption} {said}".strip())
