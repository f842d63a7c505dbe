"""People under satellites: against an independent computation, and cell by cell."""

from __future__ import annotations

import tomllib
from types import ModuleType

import numpy as np
import pytest
from numpy.typing import NDArray

from windtunnel import package_data
from windtunnel.papers.paper import module

FOLDER = package_data.PAPERS / "satellite-sessions"
PERIOD_S = 5668.144
TURN = 7.2921150e-5
"""Radians of the Earth's rotation in a second."""


@pytest.fixture(scope="module")
def population() -> ModuleType:
    return module(FOLDER / "population.py")


def track(inclination: float, start: float = 0.0) -> tuple[NDArray[np.float64], ...]:
    """Three orbits at 500 km from the equator, northwards at the longitude `start`."""
    time = np.arange(0.0, 3 * PERIOD_S, 10.0)
    angle, tilt = 2 * np.pi * time / PERIOD_S, np.radians(inclination)
    latitude = np.arcsin(np.sin(tilt) * np.sin(angle))
    longitude = np.arctan2(np.cos(tilt) * np.sin(angle), np.cos(angle)) - TURN * time
    return time, np.degrees(latitude), np.degrees(longitude) + start


def test_the_data_are_those_of_the_source(population: ModuleType) -> None:
    cells = population.people()
    assert cells.shape == (180, 360)
    assert cells.sum() == pytest.approx(7.96944e9, rel=1e-6)
    assert (cells > 0).sum() == 16_988
    # The cell centred at 6.5° S, 106.5° E: Jakarta.
    assert cells[96, 286] == cells.max() == pytest.approx(36.008e6, rel=1e-4)


# Millions at the most, when, and in the mean; shares of time below 1 % and 10 % of the most.
ORBITS = [
    (53.0, 0, 2975.8, 13520, 449.2, 0.332, 0.594),
    (53.0, 10, 1452.3, 7820, 188.0, 0.360, 0.661),
    (53.0, 25, 802.3, 7800, 55.3, 0.473, 0.794),
    (97.4, 0, 1782.8, 13760, 149.7, 0.465, 0.770),
    (97.4, 10, 1152.1, 13700, 61.8, 0.640, 0.850),
    (97.4, 25, 316.2, 13650, 15.9, 0.773, 0.857),
]


@pytest.mark.parametrize(("inclination", "mask", "peak", "at", "mean", "percent", "tenth"), ORBITS)
def test_three_orbits_have_the_people_of_another_program(
    population: ModuleType,
    inclination: float,
    mask: float,
    peak: float,
    at: float,
    mean: float,
    percent: float,
    tenth: float,
) -> None:
    time, latitude, longitude = track(inclination)
    people = population.under(latitude, longitude, 500.0, mask) / 1e6
    assert people.max() == pytest.approx(peak, abs=0.06)
    assert time[people.argmax()] == at
    assert people.mean() == pytest.approx(mean, abs=0.06)
    for share, found in ((0.01, percent), (0.1, tenth)):
        assert (people < share * people.max()).mean() == pytest.approx(found, abs=6e-4)


@pytest.mark.parametrize(
    ("inclination", "least", "median", "most"), [(53.0, 309, 1431, 1840), (97.4, 518, 1410, 1833)]
)
def test_the_peak_depends_on_where_the_orbit_begins(
    population: ModuleType, inclination: float, least: float, median: float, most: float
) -> None:
    peaks = []
    for start in range(0, 360, 10):
        _, latitude, longitude = track(inclination, start)
        peaks.append(population.under(latitude[::2], longitude[::2], 500.0, 10).max() / 1e6)
    assert min(peaks) == pytest.approx(least, rel=2e-3)
    assert np.median(peaks) == pytest.approx(median, rel=2e-3)
    assert max(peaks) == pytest.approx(most, rel=2e-3)


@pytest.mark.parametrize("mask", [0.0, 10.0, 25.0])
def test_footprints_are_those_of_all_cells_one_by_one(population: ModuleType, mask: float) -> None:
    random = np.random.default_rng(1)
    latitudes, longitudes = random.uniform(-90, 90, 60), random.uniform(-180, 540, 60)
    rows = np.radians(89.5 - np.arange(180))[:, None]
    columns = np.radians(np.arange(360) - 179.5)[None, :]
    edge = np.cos(np.radians(population.angle(500.0, mask)))
    expected = []
    for latitude, longitude in zip(np.radians(latitudes), np.radians(longitudes), strict=True):
        cosine = np.sin(latitude) * np.sin(rows)
        cosine = cosine + np.cos(latitude) * np.cos(rows) * np.cos(columns - longitude)
        expected.append(population.people()[cosine >= edge].sum())
    found = population.under(latitudes, longitudes, 500.0, mask)
    assert found == pytest.approx(np.array(expected), abs=1e-3)


def test_users_are_drawn_by_population(population: ModuleType) -> None:
    places = np.array(population.users(20_000, seed=3))
    north = population.people()[:90].sum() / population.people().sum()
    assert (places[:, 0] > 0).mean() == pytest.approx(north, abs=0.01)
    cells = population.people()[
        (90 - np.ceil(places[:, 0])).astype(int).clip(0, 179),
        (np.floor(places[:, 1]) + 180).astype(int) % 360,
    ]
    # Rounding to a hundredth of a degree moves few over the edge of their cell.
    assert (cells > 0).mean() > 0.98


@pytest.mark.parametrize("experiment", ["constellation", "pages"])
def test_the_users_of_the_scenarios_are_drawn_ones(population: ModuleType, experiment: str) -> None:
    scenario = tomllib.loads((FOLDER / f"{experiment}.toml").read_text(encoding="utf-8"))
    places = [node["place"] for node in scenario["nodes"].values()]
    assert places == [[f"{it}°" for it in place] for place in population.users(60, seed=1)]
