"""What came of a study: its parameters, and a row for each run that finished."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl


@dataclass(frozen=True)
class Parameter:
    """Something that varies in a study."""

    name: str
    """The name of its column."""
    values: list[str]
    """All its values in order, as the study has them."""
    numbers: list[float] | None
    """The same as numbers in base units, where all are quantities."""
    unit: str
    """The base unit of the numbers."""
    logarithmic: bool
    """Whether its range is."""


@dataclass(frozen=True)
class StudyResults:
    """The results of a study."""

    title: str
    parameters: list[Parameter]
    """Those that vary, in the file's order; the seed is none of them."""
    frame: pl.DataFrame
    """A row for each finished run: its parameters, `seed`, `key`, then what was measured."""
    failures: pl.DataFrame
    """Parameters, `seed`, `key` and `error` of each run that failed."""
    planned: int
    """The runs that the study wants."""
    folder: Path | None

    def table(self, name: str) -> pl.DataFrame:
        """Read a table of all runs; parameters and seed are its first columns."""
        file = self.folder / f"{name}.parquet" if self.folder else None
        return pl.read_parquet(file) if file and file.exists() else pl.DataFrame()
