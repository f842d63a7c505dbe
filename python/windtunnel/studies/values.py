"""Values that vary: quantities with their units, ranges of them, and how TOML has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from windtunnel import _core
from windtunnel.scenario.scenario import in_toml

DIGITS = 9
"""Significant digits of a computed value."""


@dataclass(frozen=True)
class Quantity:
    """A number in a base unit, such as 0.01 in `s`, and the unit that it was written in."""

    number: float
    base: str
    written: str = ""

    @property
    def worth(self) -> float:
        """What the written unit is worth in the base unit."""
        return units()[self.written][0] if self.written else 1.0

    def at(self, number: float) -> str:
        """Write another number of base units in the same unit: `15 ms`."""
        return f"{number / self.worth:.{DIGITS}g} {self.written}".rstrip()


@cache
def units() -> dict[str, tuple[float, str]]:
    """Give each unit's worth in its base unit, and the name of that."""
    return {unit: (worth, base) for unit, worth, base in _core.units()}


def quantity(value: Any) -> Quantity | None:
    """Read a number, or a text of a number and a unit; none if it is something else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Quantity(float(value), "")
    if not isinstance(value, str):
        return None
    match = re.fullmatch(r"\s*([-+]?[\d_]*\.?\d+)\s*(\S.*?)\s*", value)
    if match is None or match[2] not in units():
        return None
    worth, base = units()[match[2]]
    # A product such as 0.1 * 1000 is not to end in ...0001.
    number = float(f"{float(match[1].replace('_', '')) * worth:.15g}")
    return Quantity(number, base, match[2])


def spaced(first: float, last: float, steps: int, logarithmic: bool) -> list[float]:
    """Give `steps` numbers from `first` to `last`, equally far apart or in equal ratios."""
    if steps == 1:
        return [first]
    shares = (index / (steps - 1) for index in range(steps))
    # A ratio such as 2 is not to end in ...0001.
    return [float(f"{between(first, last, it, logarithmic):.12g}") for it in shares]


def between(first: float, last: float, share: float, logarithmic: bool) -> float:
    """Give the number at a share of the way from `first` to `last`."""
    if logarithmic:
        ratio: float = (last / first) ** share
        return first * ratio
    return first + (last - first) * share


def label(value: Any) -> str:
    """Name a value for people: a text as it is, a table by its `kind` or in full."""
    if isinstance(value, str):
        return value
    return in_toml("", value)
