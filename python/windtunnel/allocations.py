"""The IP prefixes of each country, from the allocations of addresses that come with the package."""

from __future__ import annotations

from functools import cache
from typing import Literal

import polars as pl

from windtunnel import package_data

Kind = Literal["exact", "whole"]
"""Of each range of addresses that a country holds: the prefixes that cover it and nothing else,
or the one prefix with room for it."""

FILE = package_data.DATA / "allocations" / "allocations.csv"


@cache
def allocations() -> pl.DataFrame:
    """Give how many prefixes there are by `country`, `version`, `kind` and `length`."""
    return pl.read_csv(FILE)


def by_country(version: int, kind: Kind = "exact") -> dict[str, int]:
    """Count the prefixes of each country, from the one with the fewest to that with the most."""
    of_kind = allocations().filter(version=version, kind=kind)
    counts = of_kind.group_by("country").agg(pl.col("prefixes").sum())
    return dict(counts.sort("prefixes", "country").iter_rows())


def by_length(version: int, country: str | None = None) -> list[int]:
    """Count the prefixes of each length of a country, or of all."""
    of_kind = allocations().filter(version=version, kind="exact")
    if country:
        of_kind = of_kind.filter(country=country)
    counts = dict(of_kind.group_by("length").agg(pl.col("prefixes").sum()).iter_rows())
    return [counts.get(length, 0) for length in range(129 if version == 6 else 33)]
