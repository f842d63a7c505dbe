"""How large the tables of routers are, before and after: section VIII.A.

Before, each router keeps the prefixes of all regions; after, those of its own and a code for each
other region. Three readings of what a region's own prefixes are: those that it holds today; one
for each range that it holds, with room for it, since a region may use the whole space of addresses
and renumber; and those of a sub-region alone, with a code for each other one.
"""

from __future__ import annotations

import math
from functools import partial

import polars as pl

from windtunnel.allocations import Kind, by_country
from windtunnel.measures.measure import Measure, Tables, of_runs

from .codes import CODE_BYTES

FAMILIES = {"ipv4": 4, "ipv6": 6}

ENTRY_BYTES = {"ipv4": 4 + 1 + 2, "ipv6": 16 + 1 + 2}
"""An entry's prefix, its length, and the port."""

RATIO = pl.col("entries") / pl.col("flat_entries")
"""What a router keeps of what it kept."""


def kept(results: Tables, keys: list[str], take: pl.Expr) -> pl.DataFrame:
    """Give a statistic of what routers keep, one in each region."""
    return of_runs(results["routers"], keys, take)


def megabytes(results: Tables, keys: list[str], which: str) -> pl.DataFrame:
    """Give the bytes of all entries of the largest table after, or of one before, in MB."""
    family = pl.col("family")
    entry = family.replace_strict(ENTRY_BYTES)
    codes = results["regions"].group_by(keys).agg(pl.len().alias("regions"))
    routers = results["routers"].join(codes, on=keys)
    if which == "before":
        size = (pl.col("flat_entries") * entry).max()
    else:
        others = pl.col("regions") - 1
        own = (pl.col("entries") - others) * entry + others * CODE_BYTES
        size = own.median() if which == "median" else own.max()
    return of_runs(routers, keys, size / 1e6)


def of_allocations(results: Tables, keys: list[str], kind: Kind, parted: bool) -> pl.DataFrame:
    """Give what the largest table is of a flat one in another reading, from the allocations."""
    shares = {name: largest_share(version, kind, parted) for name, version in FAMILIES.items()}
    return of_runs(results["runs"], keys, pl.col("family").first().replace_strict(shares))


def largest_share(version: int, kind: Kind, parted: bool) -> float:
    """Give the entries of the largest table by those of a flat one of today."""
    own = by_country(version, kind).values()
    largest = max(entries(it, parted) for it in own) + len(own) - 1
    return largest / sum(by_country(version).values())


def entries(prefixes: int, parted: bool) -> int:
    """Give how many entries a region's own prefixes need in one of its routers.

    In s sub-regions of one size they are p / s and s - 1 codes; the fewest if s is the root of p.
    """
    if not parted:
        return prefixes
    parts = max(1, round(math.sqrt(prefixes)))
    return math.ceil(prefixes / parts) + parts - 1


def statistic(title: str, unit: str, take: pl.Expr) -> Measure:
    """Measure a statistic of what routers keep."""
    return Measure(title, unit, partial(kept, take=take))


OF_ONE = "of a flat table that a router keeps"

MEASURES = {
    "flat-entries": statistic("entries of a flat table", "", pl.col("flat_entries").max()),
    "smallest-entries": statistic("entries, smallest region", "", pl.col("entries").min()),
    "median-entries": statistic("entries, median region", "", pl.col("entries").median()),
    "mean-entries": statistic("entries, mean of the regions", "", pl.col("entries").mean()),
    "largest-entries": statistic("entries, largest region", "", pl.col("entries").max()),
    "smallest-kept": statistic(f"share {OF_ONE}, smallest region", "share", RATIO.min()),
    "median-kept": statistic(f"share {OF_ONE}, median region", "share", RATIO.median()),
    "mean-kept": statistic(f"share {OF_ONE}, mean of the regions", "share", RATIO.mean()),
    "largest-kept": statistic(f"share {OF_ONE}, largest region", "share", RATIO.max()),
    "weighted-kept": statistic(
        f"share {OF_ONE}, mean over prefixes",
        "share",
        ((pl.col("entries") - pl.len() + 1) * RATIO).sum() / pl.col("flat_entries").first(),
    ),
    "regions-above-a-hundredth": statistic(
        "regions that keep more than a hundredth", "", (RATIO > 0.01).sum()
    ),
    "regions-above-a-tenth": statistic(
        "regions that keep more than a tenth", "", (RATIO > 0.1).sum()
    ),
    "largest-kept-renumbered": Measure(
        f"share {OF_ONE}, largest region, if each renumbers",
        "share",
        partial(of_allocations, kind="whole", parted=False),
    ),
    "largest-kept-with-sub-regions": Measure(
        f"share {OF_ONE}, largest region, if it has sub-regions",
        "share",
        partial(of_allocations, kind="exact", parted=True),
    ),
    "flat-megabytes": Measure("a flat table", "MB", partial(megabytes, which="before")),
    "median-megabytes": Measure(
        "table of the median region", "MB", partial(megabytes, which="median")
    ),
    "largest-megabytes": Measure(
        "table of the largest region", "MB", partial(megabytes, which="largest")
    ),
}
