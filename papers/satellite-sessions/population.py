"""People under a satellite: the paper's estimate of its load (sections IV and V-D).

The population is that of the Gridded Population of the World, version 4.11, counts of 2020 in
cells of one degree (CIESIN, Columbia University, CC BY 4.0), the data set that the paper uses. A
cell is in a footprint if its centre is; the Earth is a sphere.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EARTH_KM = 6371.0
"""The radius of the Earth."""

FILE = Path(__file__).with_name("gpw_v4_population_count_rev11_2020_1_deg.asc")
HEADER_LINES = 6
ROWS, COLUMNS = 180, 360

AT_ONCE = 8192
"""How many footprints are computed at a time: each takes a few kilobytes."""


@cache
def people() -> Floats:
    """Read the people in each cell: from the north to the south, from 180° W to 180° E."""
    cells = np.loadtxt(FILE, skiprows=HEADER_LINES)
    return np.maximum(cells, 0.0)


@cache
def sums() -> Floats:
    """Sum the people of each row, three times around the Earth, up to each cell."""
    around = np.tile(people(), 3)
    return np.concatenate([np.zeros((ROWS, 1)), np.cumsum(around, axis=1)], axis=1)


def angle(altitude_km: float, mask_degrees: float) -> float:
    """Give the angle at the Earth's centre from the satellite to the edge of its footprint.

    Both are in degrees; at the edge, the satellite is `mask_degrees` above the horizon.
    """
    mask = np.radians(mask_degrees)
    nadir = np.arcsin(EARTH_KM * np.cos(mask) / (EARTH_KM + altitude_km))
    return float(90.0 - mask_degrees - np.degrees(nadir))


def under(latitudes: Floats, longitudes: Floats, altitude_km: float, mask_degrees: float) -> Floats:
    """Count the people in the footprints of satellites above these places, in degrees."""
    edge = np.cos(np.radians(angle(altitude_km, mask_degrees)))
    parts = [
        counted(latitudes[it : it + AT_ONCE], longitudes[it : it + AT_ONCE], edge)
        for it in range(0, len(latitudes), AT_ONCE)
    ]
    return np.concatenate(parts)


def counted(latitudes: Floats, longitudes: Floats, edge: float) -> Floats:
    """Count the people within the angle whose cosine is `edge`, row by row of the grid."""
    rows = np.radians(89.5 - np.arange(ROWS))
    above = np.radians(latitudes)[:, None]
    cosine = (edge - np.sin(above) * np.sin(rows)) / np.maximum(
        np.cos(above) * np.cos(rows), 1e-300
    )
    # In a row all cells are within the angle, or none, or those on both sides of the satellite.
    sides = np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0)))
    centre = (longitudes[:, None] + 180.0) % 360.0 - 0.5 + COLUMNS
    first = np.ceil(centre - sides).astype(np.int64)
    last = np.floor(centre + sides).astype(np.int64)
    last = np.minimum(last, first + COLUMNS - 1)
    row = np.arange(ROWS)
    inside = sums()[row, np.maximum(last + 1, first)] - sums()[row, first]
    found: Floats = np.where(cosine > 1.0, 0.0, inside).sum(axis=1)
    return found


def users(count: int, seed: int) -> list[tuple[float, float]]:
    """Draw places of users by population: latitude and longitude in degrees.

    A cell by its people, and a place in it with all places alike.
    """
    random = np.random.default_rng(seed)
    weights = people().ravel() / people().sum()
    cells = random.choice(weights.size, size=count, p=weights)
    north = 90.0 - cells // COLUMNS
    heights = np.sin(np.radians(north - np.array([[0.0], [1.0]])))
    latitudes = np.degrees(np.arcsin(heights[1] + random.random(count) * (heights[0] - heights[1])))
    longitudes = cells % COLUMNS - 180.0 + random.random(count)
    places = zip(latitudes.round(2), longitudes.round(2), strict=True)
    return [(float(latitude), float(longitude)) for latitude, longitude in places]
