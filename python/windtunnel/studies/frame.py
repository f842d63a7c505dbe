"""What a study varied, and a row for each of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # At run time this import takes longer than most commands.
    import polars as pl


@dataclass(frozen=True)
class Parameter:
    """What varied."""

    name: str
    """Its column in frames."""
    values: list[str]
    """All values in order, as the study has them: `5 ms`, `cubic`."""
    numbers: list[float] | None
    """The same as numbers in base units, where all are quantities."""
    unit: str
    """The base unit of the numbers: `s`, `bps`, `B`, `packets`; empty without one."""
    logarithmic: bool
    """Whether its range is."""


@dataclass(frozen=True)
class StudyFrame:
    """The measures of a study's runs."""

    title: str
    parameters: list[Parameter]
    """Those that varied, in the file's order; the seed is not one of them."""
    frame: pl.DataFrame
    """A row for each finished run: the parameters (numbers in base units where they are
    quantities, else text), `seed`, `key`, and the measures."""
