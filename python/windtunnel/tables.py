"""Tables of results, without what was run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windtunnel._core import suggestion

if TYPE_CHECKING:
    # Not at run time: it takes longer to load than most commands take.
    import polars as pl


class ResultsError(ValueError):
    """Results that cannot be read or drawn: the message says what is wrong with them."""


@dataclass(frozen=True)
class ResultTables:
    """The tables of results; each begins with a column for every axis, and `run`."""

    axes: list[str]
    """The columns of the axes of the scenario's comparison."""
    tables: dict[str, pl.DataFrame]
    """The tables, by name."""
    compared: tuple[str, ...] = field(default=(), kw_only=True)
    """Controllers of other results on the same page: pictures give each a colour of its own."""

    def _ipython_key_completions_(self) -> list[str]:
        """Name the tables, for the completion of `results["` in IPython and Jupyter."""
        return list(self.tables)

    def __contains__(self, name: object) -> bool:
        """Say whether there is a table of that name."""
        return name in self.tables

    def __iter__(self) -> Iterator[str]:
        """Give the names of the tables."""
        return iter(self.tables)

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Give a table by its name. Raises ResultsError, with the nearest name, for another."""
        return table_of(self.tables, name)


def has_rows(tables: Mapping[str, pl.DataFrame], name: str) -> bool:
    """Say whether a table is there and has rows; results of earlier versions lack some tables."""
    return name in tables and not tables[name].is_empty()


def table_of(tables: Mapping[str, pl.DataFrame], name: str) -> pl.DataFrame:
    """Give a table by its name. Raises ResultsError, with the nearest name, if it is not there."""
    if name in tables:
        return tables[name]
    if not tables:
        raise ResultsError(f"no table `{name}`: no run finished")
    raise ResultsError(f"no table `{name}`; {suggestion(name, list(tables))}")
