"""What eight bits for a region leave room for: section V.

E.164's country codes are those of 2026, by the package phonenumbers 9.0.43 (Apache 2.0).
"""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.measure import Measure, Tables, of_runs

BITS = 8
"""Of a region's code."""

RESERVED = 2
"""0 stands for no region, and 255 is kept back."""

SUB_REGION_BITS = 32 - BITS

CODE_BYTES = 1 + 2
"""A region's code, and the port: an entry of its table."""

COUNTRY_CODES = [
    *(1, 7, 20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53),
    *(54, 55, 56, 57, 58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98),
    *(211, 212, 213, 216, 218, *range(220, 259), *range(260, 270), 290, 291, 297, 298, 299),
    *(*range(350, 360), *range(370, 379), 380, 381, 382, 383, 385, 386, 387, 389, 420, 421, 423),
    *(*range(500, 510), *range(590, 600), 670, *range(672, 684), *range(685, 693), 800, 808, 850),
    *(852, 853, 855, 856, 870, 878, 880, 881, 882, 883, 886, 888, *range(960, 969)),
    *(*range(970, 978), 979, *range(992, 997), 998),
]
"""The country codes of E.164."""

USABLE = 2**BITS - RESERVED


def constant(results: Tables, keys: list[str], value: float) -> pl.DataFrame:
    """Give a number that does not depend on the run."""
    return of_runs(results["runs"], keys, pl.lit(value).first())


def spare(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give how many codes are left if each country is a region."""
    used = results["regions"].filter(pl.col("prefixes") >= 0)
    return of_runs(used, keys, (USABLE - pl.len()).cast(pl.Int64))


def kept(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give how many codes of other regions the sender's routers keep."""
    prefixes = results["regions"].select(*keys, "region", "prefixes")
    routers = results["routers"].filter(region="ct1").join(prefixes, on=[*keys, "region"])
    return of_runs(routers, keys, (pl.col("entries") - pl.col("prefixes")).max())


def mesh(roots: int) -> int:
    """Give the pairs of so many roots."""
    return roots * (roots - 1) // 2


def known(title: str, unit: str, value: float) -> Measure:
    """Measure what is known without a run."""
    return Measure(title, unit, partial(constant, value=value))


MEASURES = {
    "region-codes": known("codes for regions", "", USABLE),
    "codes-to-spare": Measure("codes left if each country is a region", "", spare),
    "codes-kept": Measure("codes of ct2 that routers of ct1 keep", "", kept),
    "country-codes": known("country codes of E.164", "", len(COUNTRY_CODES)),
    "country-code-bits": known(
        "bits of the largest country code", "bits", max(COUNTRY_CODES).bit_length()
    ),
    "country-codes-that-fit": known(
        "country codes of E.164 that fit into eight bits",
        "share",
        sum(it < 2**BITS for it in COUNTRY_CODES) / len(COUNTRY_CODES),
    ),
    "code-table-bytes": known("a table of all codes", "B", USABLE * CODE_BYTES),
    "agreements-of-50": known("agreements of 50 roots, all with all", "", mesh(50)),
    "agreements-of-251": known("agreements of 251 roots, all with all", "", mesh(251)),
    "sub-region-codes": known("codes for sub-regions of a region", "", 2**SUB_REGION_BITS - 1),
}
