"""Tables of results, without what was run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Not at run time: it takes longer to load than most commands take.
    import polars as pl


class ResultsError(ValueError):
    """Results that cannot be read or drawn: the message says what is wrong with them."""


@dataclass(frozen=True)
class ResultTables:
    """The tables of results; each begins with a column for every axis, and `run`."""

    axes: list[str]
    """The axes of the scenario's comparison."""
    tables: dict[str, pl.DataFrame]
    """The tables, by name."""

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Give a table by its name."""
        return self.tables[name]
