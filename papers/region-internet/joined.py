"""What tables and codes become if small countries form regions together: section V.

The paper does not say which do. Here it is the small island developing states, whose "economic or
other constraints" the United Nations recognise: the 39 states and 18 associate members of regional
commissions of the list of UN-OHRLLS (https://www.un.org/ohrlls/content/list-sids, without Bahrain,
as in 2026), in its three regions. The column of such states in the United Nations' M49 is another
list, of 53.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from statistics import median

import polars as pl

from windtunnel.allocations import by_country
from windtunnel.measures.measure import Measure, Tables, of_runs

from .codes import USABLE

FAMILIES = {"ipv4": 4, "ipv6": 6}

STATES = {
    "caribbean": (
        *("ag", "bs", "bb", "bz", "cu", "dm", "do", "gd", "gy", "ht", "jm", "kn", "lc", "vc"),
        *("sr", "tt"),
    ),
    "pacific": (
        *("fj", "ki", "mh", "fm", "nr", "pw", "pg", "ws", "sb", "tl", "to", "tv", "vu"),
        *("ck", "nu"),
    ),
    "atlantic-indian-ocean-south-china-sea": ("cv", "km", "gw", "mv", "mu", "st", "sc", "sg"),
}
"""The states of each region, by their codes of ISO 3166-1."""

ASSOCIATE_MEMBERS = {
    "caribbean": ("ai", "aw", "bm", "vg", "ky", "cw", "gp", "mq", "ms", "pr", "sx", "tc", "vi"),
    "pacific": ("as", "mp", "pf", "gu", "nc"),
}
"""The associate members of regional commissions in each, likewise."""

REGION_OF = {
    code: region
    for members in (STATES, ASSOCIATE_MEMBERS)
    for region, codes in members.items()
    for code in codes
}


def prefixes(version: int) -> Counter[str]:
    """Count the prefixes of each region: of a group, or of a country in none."""
    counts: Counter[str] = Counter()
    for country, count in by_country(version).items():
        counts[REGION_OF.get(country.lower(), country)] += count
    return counts


def median_kept(version: int) -> float:
    """Give the share of a flat table that a router of the median region keeps."""
    counts = prefixes(version)
    return (median(counts.values()) + len(counts) - 1) / counts.total()


def group_kept(version: int) -> float:
    """Give the share that a router of the largest group keeps."""
    counts = prefixes(version)
    return (max(counts[it] for it in STATES) + len(counts) - 1) / counts.total()


def of_family(results: Tables, keys: list[str], shares: dict[str, float]) -> pl.DataFrame:
    """Give what belongs to the family of a run's addresses."""
    return of_runs(results["runs"], keys, pl.col("family").first().replace_strict(shares))


def spare(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give how many codes are left."""
    saved = len(REGION_OF) - len(STATES)
    return of_runs(results["regions"], keys, (USABLE - pl.len() + saved).cast(pl.Int64))


OF_ONE = "of a flat table that a router keeps"

MEASURES = {
    "codes-to-spare-joined": Measure("codes left if small states form three regions", "", spare),
    "median-kept-joined": Measure(
        f"share {OF_ONE}, median region, if small states form three regions",
        "share",
        partial(of_family, shares={it: median_kept(version) for it, version in FAMILIES.items()}),
    ),
    "group-kept": Measure(
        f"share {OF_ONE}, largest of these three",
        "share",
        partial(of_family, shares={it: group_kept(version) for it, version in FAMILIES.items()}),
    ),
}
