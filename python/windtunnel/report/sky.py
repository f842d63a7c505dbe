"""The world map of a report: satellites, stations and the paths in use, over time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl

from windtunnel import _core
from windtunnel.extensions import stand_ins
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.routes import Places
from windtunnel.results import Results
from windtunnel.tables import has_rows

FRAMES = 60
"""The most instants that the slider has, besides the start."""

MOST_FLOWS = 20
"""The most flows whose paths are drawn."""

TENTHS = 10
"""Coordinates are kept in tenths of a degree."""


@dataclass(frozen=True)
class Sky:
    """Where nodes with a place are over time, and the paths of flows between them."""

    positions: pl.DataFrame
    """As `Scenario.positions` gives them, at the instants of the slider."""
    routes: pl.DataFrame
    """The rows of `route_series` of the first case and run; none without flows over IP."""

    def places(self) -> Places:
        """Give the stations, where they are at the start."""
        first = self.positions.filter(kind="station", time_s=self.positions["time_s"].min()).select(
            "node", "latitude_degrees", "longitude_degrees"
        )
        return {node: (latitude, longitude) for node, latitude, longitude in first.rows()}

    def document(self) -> dict[str, Any]:
        """Write what the page draws; angles are in tenths of a degree, longitude first."""
        times = self.positions["time_s"].unique().sort().to_list()
        frames = self.positions.partition_by("time_s", maintain_order=True)
        names = frames[0]["node"].to_list()
        return {
            "coast": coast(),
            "times": times,
            "names": names,
            "stations": frames[0].filter(kind="station").height,
            "frames": [coordinates(frame) for frame in frames],
            "paths": self.paths(times, {name: place for place, name in enumerate(names)}),
        }

    def paths(self, times: list[float], numbers: dict[str, int]) -> list[dict[str, Any]]:
        """Give for each flow its path at each instant, and how long light takes there and back.

        `nodes` are those of the path that have a place.
        """
        made = []
        for flow in self.routes["flow"].unique(maintain_order=True).to_list()[:MOST_FLOWS]:
            samples = self.routes.filter(flow=flow).sort("time_s")
            at = pl.DataFrame({"time_s": times}).sort("time_s")
            # The first sample is taken at the end of the first interval.
            near = at.join_asof(samples, on="time_s", strategy="nearest")
            round_trip = near["propagation_s"] + near["return_propagation_s"]
            made.append(
                {
                    "flow": flow,
                    "nodes": [
                        [numbers[it] for it in path.split(" > ") if it in numbers] if path else []
                        for path in near["path"]
                    ],
                    "links": near["links"].to_list(),
                    "round_trip_ms": [None if it is None else 1e3 * it for it in round_trip],
                }
            )
        return made


def coordinates(frame: pl.DataFrame) -> list[int]:
    """Give longitude and latitude of each node, one after the other."""
    angles = frame.select("longitude_degrees", "latitude_degrees") * TENTHS
    return [round(angle) for row in angles.rows() for angle in row]


def coast() -> Any:
    """Read the coast lines."""
    data = resources.files("windtunnel.report").joinpath("data/coast.json")
    return json.loads(data.read_text(encoding="utf-8"))


def read(folder: Path, results: Results) -> Sky | None:
    """Compute where the nodes of results in a folder are; None without satellites."""
    # Results of earlier versions have no such table.
    if not has_rows(results.tables, "contacts"):
        return None
    comparison = Comparison(results)
    contacts = comparison["contacts"]
    case, run = contacts["case"][0], contacts["run"][0]
    classes = stand_ins(results.manifest.get("extensions", {}))
    checked = _core.Scenario(
        str(folder / "scenario.toml"), results.scenario, extensions=dict(classes)
    )
    duration = checked.total_simulated_s / len(checked.cases) / checked.runs
    times = [duration * step / FRAMES for step in range(FRAMES + 1)]
    positions = pl.DataFrame(checked.positions(case, times))
    return Sky(positions, comparison["route_series"].filter(case=case, run=run))
