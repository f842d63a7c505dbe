"""What a lookup takes on this machine: section VI.D.2."""

from __future__ import annotations

from functools import lru_cache, partial

import polars as pl

from windtunnel.bench import lookups
from windtunnel.measures.measure import VALUE, Measure, Tables

EVICTIONS = 15
"""How often the caches are emptied for each table."""

FASTER = "poptrie"
"""The structure for prefixes; the other one is beside it."""

EXACT = {"codes": "array", "full-codes": "hash-table"}
"""The structure of each table that is looked up by exact match: it has no other."""


@lru_cache(maxsize=64)
def measured(run: int) -> pl.DataFrame:
    """Time all lookups once for each run."""
    document = lookups.measure(lambda _: None, seed=run + 1, evictions=EVICTIONS)
    return pl.DataFrame(document["lookups"])


def lookup(
    results: Tables, keys: list[str], destinations: str, cache: str, structure: str
) -> pl.DataFrame:
    """Give the time of a lookup in a table, in ns."""
    rows = results["runs"].select(keys)
    found = [
        nanoseconds(int(run), table, destinations, cache, structure)
        for table, run in rows.select("table", "run").iter_rows()
    ]
    return rows.with_columns(pl.Series(VALUE, found, pl.Float64))


def nanoseconds(run: int, table: str, destinations: str, cache: str, structure: str) -> float:
    """Give the time of a lookup."""
    found = measured(run).filter(table=table, destinations=destinations)
    found = found.filter(structure=EXACT.get(table, structure))
    return float(found[f"{cache}_ns"].item())


def timed(destinations: str, cache: str, structure: str = FASTER) -> Measure:
    """Measure lookups."""
    title = f"a lookup, {destinations} destinations, {cache} caches, {structure}"
    take = partial(lookup, destinations=destinations, cache=cache, structure=structure)
    return Measure(title, "ns", take)


def on_the_way(results: Tables, keys: list[str], cache: str) -> pl.DataFrame:
    """Give the time of all lookups of a packet on its way, in ns.

    The receiver's region keeps the prefixes of the largest region, and so does the one that is
    crossed in a tunnel; without regions each router keeps those of all.
    """
    routers = results["routers"].filter(~pl.col("node").str.starts_with("h"))
    sent = results["routers"].group_by(keys).agg(pl.col("sent").sum())
    looks = routers.group_by(keys).agg(
        pl.col("region_lookups").sum(),
        (pl.col("address_lookups") + pl.col("tunnel_lookups")).sum().alias("own"),
        pl.len().alias("routers"),
    )
    rows = looks.join(sent, on=keys)
    code, own, all_prefixes = (
        nanoseconds(0, table, "zipf", cache, FASTER)
        for table in ("codes", "largest-region", "all-regions")
    )
    with_regions = (pl.col("region_lookups") * code + pl.col("own") * own) / pl.col("sent")
    value = pl.when(pl.col("sent") > 0).then(with_regions).otherwise(HOPS * all_prefixes)
    return rows.select(*keys, value.alias(VALUE))


HOPS = 7
"""The routers on the way of figure 8."""

MEASURES = {
    "warm-uniform": timed("uniform", "warm"),
    "warm-zipf": timed("zipf", "warm"),
    "cold-uniform": timed("uniform", "cold"),
    "cold-zipf": timed("zipf", "cold"),
    "warm-zipf-prefix-trie": timed("zipf", "warm", "prefix-trie"),
    "cold-zipf-prefix-trie": timed("zipf", "cold", "prefix-trie"),
    "warm-lookups-on-the-way": Measure(
        "all lookups of a packet on its way, warm caches", "ns", partial(on_the_way, cache="warm")
    ),
    "cold-lookups-on-the-way": Measure(
        "all lookups of a packet on its way, cold caches", "ns", partial(on_the_way, cache="cold")
    ),
}
