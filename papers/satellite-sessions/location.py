"""How far results vary by the place of the users (section VII-A)."""

from __future__ import annotations

import tomllib
from functools import partial
from typing import Any, cast

import numpy as np
import polars as pl

from windtunnel.measures.measure import VALUE, Measure, Tables
from windtunnel.results import Results

from . import population
from .people import ALTITUDE_KM
from .population import Floats

MASK_DEGREES = 10.0
"""The elevation mask of the scenario."""

NEAR = 2.0
"""Within this factor a value is near the mean, as in the rankings of papers."""

SENT = ["page_bytes", "page_table_bytes", "request_bytes"]


def near_the_mean(words: str, by_people: bool) -> Measure:
    """Measure at which share of the places a result is near the mean of all places."""
    take = partial(share, by_people=by_people)
    return Measure(f"share of places near the mean of all: {words}", "share", take)


def share(results: Tables, keys: list[str], by_people: bool) -> pl.DataFrame:
    """Give for each run the share of places within the factor of the mean over them."""
    sent = results["sessions"].select(*keys, "sessions", VALUE_OF_PLACE)
    if by_people:
        sent = sent.join(people_at(results), on=["run", "sessions"]).with_columns(
            pl.col("sent") * pl.col("people")
        )
    ratio = pl.col("sent") / pl.col("sent").mean()
    return sent.group_by(keys, maintain_order=True).agg(
        ratio.is_between(1 / NEAR, NEAR).mean().alias(VALUE)
    )


VALUE_OF_PLACE = pl.sum_horizontal(SENT).cast(pl.Float64).alias("sent")


def people_at(results: Tables) -> pl.DataFrame:
    """Count the people in the footprint of a satellite above each place of each run."""
    scenario = tomllib.loads(cast(Results, results).scenario)
    each_run = scenario.get("each_run", [{}])
    rows = []
    for run in results["runs"]["run"].unique(maintain_order=True).to_list():
        own = each_run[run % len(each_run)]
        at_places = [it for it in scenario["sessions"] if f"{it}-user-0" in scenario["nodes"]]
        for name in at_places:
            degrees = place(scenario, own, f"{name}-user-0")
            latitude, longitude = (np.array([float(it.removesuffix("°"))]) for it in degrees)
            rows.append((run, name, under(latitude, longitude)))
    return pl.DataFrame(
        rows,
        {"run": results["runs"]["run"].dtype, "sessions": pl.String(), "people": pl.Float64()},
        orient="row",
    )


def place(scenario: dict[str, Any], own: dict[str, Any], user: str) -> list[str]:
    """Give the latitude and longitude of a user in a run that sets values of its own."""
    found: list[str] = own.get(f"nodes.{user}.place", scenario["nodes"][user]["place"])
    return found


def under(latitude: Floats, longitude: Floats) -> float:
    """Count the people within a footprint whose centre is there."""
    return float(population.under(latitude, longitude, ALTITUDE_KM, MASK_DEGREES)[0])
