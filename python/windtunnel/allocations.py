"""The IP prefixes of each country, from the allocations of addresses that come with the package."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from windtunnel import package_data

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["exact", "whole"]
"""Of each range of addresses that a country holds: the prefixes that cover it and nothing else,
or the one prefix with room for it."""

FILE = package_data.DATA / "allocations" / "allocations.csv"


@cache
def allocations() -> pl.DataFrame:
    """Give how many prefixes there are by `country`, `version`, `kind` and `length`."""
    # Imported here: Polars takes longer to load than most commands take.
    import polars as pl

    return pl.read_csv(FILE)


def by_country(version: int, kind: Kind = "exact") -> dict[str, int]:
    """Count the prefixes of each country, from the one with the fewest to that with the most."""
    of_kind = allocations().filter(version=version, kind=kind)
    counts = of_kind.select("country", "prefixes").group_by("country").sum()
    return dict(counts.sort("prefixes", "country").iter_rows())


def by_length(version: int, country: str | None = None) -> list[int]:
    """Count the prefixes of each length of a country, or of all."""
    of_kind = allocations().filter(version=version, kind="exact")
    if country:
        of_kind = of_kind.filter(country=country)
    counts = dict(of_kind.select("length", "prefixes").group_by("length").sum().iter_rows())
    return [counts.get(length, 0) for length in range(129 if version == 6 else 33)]
