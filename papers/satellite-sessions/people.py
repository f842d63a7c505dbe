"""The people under each satellite of a run, over time, and those under its neighbours."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import numpy as np
import polars as pl

from windtunnel import _core
from windtunnel.measures.measure import VALUE, Tables
from windtunnel.results import Results

from . import population
from .population import Floats

ALTITUDE_KM = 500.0
MASK = "constellations.shell.ground_links.minimum_elevation"
"""Where a scenario has the elevation mask, in degrees."""

ORBIT = "orbit"
"""The axis of figure 2: no other experiment is about people under satellites."""

STEP_S = 30.0
FIRST = "shell-0-0"
"""The satellite that figure 2 is about."""

IDLE = 0.1
"""An idle neighbour has less than this share of a satellite's people under it."""

Case = tuple[str, ...]

People = tuple[list[str], Floats]
"""The names of satellites, and the people under each: a row for each, by time."""

Links = list[tuple[str, str]]
"""The ends of links between satellites, in both directions."""

Take = Callable[[People, Links], float]
"""What is measured of a run."""


def by_case(results: Tables, keys: list[str], take: Take) -> pl.DataFrame:
    """Measure each run.

    The run of number k of n starts where the Earth has turned by k/n of a whole turn, so that
    runs are spread over the longitudes at which an orbit may begin.
    """
    run = cast(Results, results)
    kinds = [pl.String()] * len(run.axes) + [pl.UInt64(), pl.Float64()]
    schema = dict(zip([*keys, VALUE], kinds, strict=True))
    if ORBIT not in run.axes:
        return pl.DataFrame(schema=schema)
    checked = _core.Scenario("scenario.toml", run.scenario)
    rows = []
    for place, names in enumerate(checked.cases):
        case = tuple(names)
        neighbours = links(results, run.axes, case)
        for number in range(checked.runs):
            turned = 360.0 * number / checked.runs
            value = take(under(run.scenario, place, case, turned), neighbours)
            rows.append((*case, number, value))
    return pl.DataFrame(rows, schema, orient="row")


@lru_cache(maxsize=256)
def under(text: str, place: int, case: Case, turned: float) -> People:
    """Count the people under each satellite of a case: names, and a row for each by time."""
    names, latitudes, longitudes = tracks(text, place)
    flat = population.under(
        latitudes.ravel(), longitudes.ravel() + turned, ALTITUDE_KM, mask(text, case)
    )
    return names, flat.reshape(latitudes.shape)


@lru_cache(maxsize=16)
def tracks(text: str, place: int) -> tuple[list[str], Floats, Floats]:
    """Give the names of the satellites of a case, and their latitudes and longitudes over time."""
    checked = _core.Scenario("scenario.toml", text)
    duration = checked.total_simulated_s / len(checked.cases) / checked.runs
    times = np.arange(0.0, duration, STEP_S).tolist()
    positions = pl.DataFrame(checked.positions(place, times)).filter(kind="satellite")
    names = positions["node"].unique(maintain_order=True).to_list()
    shape = (len(times), len(names))
    latitudes, longitudes = (
        positions[it].to_numpy().reshape(shape).T
        for it in ("latitude_degrees", "longitude_degrees")
    )
    return names, latitudes, longitudes


def mask(text: str, case: Case) -> float:
    """Read the elevation mask of a case, in degrees."""
    scenario = tomllib.loads(text)
    value = scenario
    for key in MASK.split("."):
        value = value[key]
    for axis, name in zip(scenario.get("compare", {}), case, strict=True):
        value = scenario["compare"][axis][name].get(MASK, value)
    return float(str(value).removesuffix("°"))


def links(results: Tables, axes: list[str], case: Case) -> Links:
    """List the links between satellites of a case, in both directions."""
    of_case = [pl.col(axis) == name for axis, name in zip(axes, case, strict=True)]
    rows = results["links"].filter(*of_case, pl.col("run") == 0).select("from", "to").rows()
    return [it for it in rows if all(end.startswith("shell-") for end in it)]


def peak(people: People, _links: Links) -> float:
    """Give the most people under the first satellite, in millions."""
    return float(of_first(people).max() / 1e6)


def mean(people: People, _links: Links) -> float:
    """Give their mean over time, in millions."""
    return float(of_first(people).mean() / 1e6)


def idle_time(people: People, _links: Links) -> float:
    """Give the share of time in which they are less than a tenth of their most."""
    first = of_first(people)
    return float((first < IDLE * first.max()).mean())


def of_first(people: People) -> Floats:
    """Give the people under the first satellite over time."""
    names, counts = people
    return cast(Floats, counts[names.index(FIRST)])


def without_idle_neighbour(people: People, links: Links, busy: str, share: float = IDLE) -> float:
    """Give the share of busy satellites none of whose neighbours is idle, over time.

    Busy are those with more people than the mean, than half of the most, or than nine tenths
    of all, at an instant.
    """
    names, counts = people
    places = {name: place for place, name in enumerate(names)}
    least = np.full(counts.shape, np.inf)
    for one, other in links:
        place = places[one]
        least[place] = np.minimum(least[place], counts[places[other]])
    limits = {
        "mean": counts.mean(axis=0),
        "half": counts.max(axis=0) / 2,
        "tenth": np.quantile(counts, 0.9, axis=0),
    }
    is_busy = counts > limits[busy]
    has_none = least >= share * counts
    return float((is_busy & has_none).sum() / is_busy.sum())
