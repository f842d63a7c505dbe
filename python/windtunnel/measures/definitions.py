"""What the tables of results and their columns hold, as the core describes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Literal

from windtunnel._core import catalogue

Better = Literal["more", "less"]


@dataclass(frozen=True)
class ColumnDefinition:
    """A column of a table."""

    name: str
    definition: str
    title: str | None
    """Its title; None: the words of its name."""
    unit: str | None
    """Its unit, empty for a number that counts nothing; None: that of its name, or a count."""
    better: Better | None
    """In which direction a measure becomes better."""


@dataclass(frozen=True)
class TableDefinition:
    """A table."""

    about: str
    columns: dict[str, ColumnDefinition]
    """Its columns behind those of axes, by their names."""


@cache
def definitions() -> dict[str, TableDefinition]:
    """Give the definitions of all tables, by their names."""
    return {
        table["name"]: TableDefinition(
            table["about"], {it["name"]: ColumnDefinition(**it) for it in table["columns"]}
        )
        for table in json.loads(catalogue("tables"))
    }


@cache
def columns() -> dict[str, ColumnDefinition]:
    """Give the columns of all tables by their names, as the first table that has one defines it."""
    found: dict[str, ColumnDefinition] = {}
    for table in definitions().values():
        found = table.columns | found
    return found
