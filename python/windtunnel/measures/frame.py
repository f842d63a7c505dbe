"""The parameters of a study, and a row for each of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Not at run time: it takes longer to load than most commands take.
    import polars as pl


@dataclass(frozen=True)
class Parameter:
    """A parameter of a study."""

    name: str
    """Its column in frames."""
    values: list[str]
    """All values in order, as written in the study: `5 ms`, `cubic`."""
    numbers: list[float] | None
    """The values as numbers in base units, if all are quantities."""
    unit: str
    """The base unit of the numbers: `s`, `bps`, `B`, `packets`, or empty."""
    logarithmic: bool
    """Whether its range is logarithmic."""


@dataclass(frozen=True)
class StudyFrame:
    """The measures of a study's runs."""

    title: str
    parameters: list[Parameter]
    """The parameters in the file's order, without the seed."""
    frame: pl.DataFrame
    """A row for each finished run: the parameters (quantities as numbers in base units, others
    as text), `seed`, `key`, and the measures."""
