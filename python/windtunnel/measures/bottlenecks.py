"""The bottleneck of a direction: of the links that its flows cross that way, the busiest one."""

from __future__ import annotations

import polars as pl

from windtunnel.measures import directions
from windtunnel.measures.directions import REVERSE
from windtunnel.measures.links import busiest_of, with_shapers
from windtunnel.measures.measure import Tables


def crossed(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the links that flows cross, with `REVERSE`; `keys` identify a run.

    Where no path is known, as of consumers, they are all links.
    """
    oriented = with_shapers(results).join(
        directions.of_pairs(results, keys),
        on=[*keys, "from", "to"],
        how="left",
        maintain_order="left",
    )
    unknown = pl.col(REVERSE).is_null().all().over(pl.lit(0), *keys)
    known = oriented.filter(pl.col(REVERSE).is_not_null() | unknown)
    return known.with_columns(pl.col(REVERSE).fill_null(value=False))


def of_fuller(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the bottleneck's row for each run, in the direction that received more."""
    found = busiest_of(crossed(results, keys), [*keys, REVERSE])
    fuller = directions.fuller(results, keys).select(*keys, REVERSE)
    return found.join(fuller, on=[*keys, REVERSE], how="semi", maintain_order="left")
