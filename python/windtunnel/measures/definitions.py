"""Definitions of the columns of results."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import polars as pl

from windtunnel.measures.columns import described

COMMON = "common"
"""The table of definitions that several tables share."""

ABOUT = "about"
"""The key of what a table holds."""

UNITS = {
    "bps": "bit/s",
    "s": "s",
    "s2": "s²",
    "db": "dB",
    "dbm": "dBm",
    "m": "m",
    "deg": "degrees",
    "bytes": "bytes",
    "packets": "packets",
    "segments": "segments",
}
"""The units at the end of columns' names."""

SHARES = {"utilisation", "medium_utilisation", "selected_bound", "data_share", "lost_share"}
"""The columns that hold shares, from 0 to 1."""

NUMBERS = {"run", "number", "subflow", "isd_as", "code", "mcs", "level", "stage", "held_since"}
"""The columns whose whole numbers count nothing."""


@cache
def definitions() -> dict[str, dict[str, str]]:
    """Read the definitions: for each table those of its columns and, as `about`, its own."""
    file = resources.files("windtunnel.measures").joinpath("definitions.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def definition(table: str, column: str) -> str:
    """Define a column of a table. Raises KeyError for one that has no definition."""
    own = definitions()[table]
    return own[column] if column in own else definitions()[COMMON][column]


def unit(column: str, dtype: pl.DataType) -> str:
    """Name the unit of a column, or what it holds."""
    if dtype == pl.String:
        return "text"
    if dtype == pl.Boolean:
        return "true or false"
    if column in SHARES:
        return "share"
    last = column.rpartition("_")[2] if "_" in column else ""
    counted = "count" if dtype.is_integer() and column not in NUMBERS else ""
    return described(column).unit or UNITS.get(last, counted)
