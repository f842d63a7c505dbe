"""Quantities: numbers with units, as scenario and study files have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from windtunnel import _core

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
        """The written unit in base units."""
        return units()[self.written][0] if self.written else 1.0

    def at(self, number: float) -> str:
        """Write another number of base units in the same unit: `15 ms`."""
        return f"{number / self.worth:.{DIGITS}g} {self.written}".rstrip()


@cache
def units() -> dict[str, tuple[float, str]]:
    """Give each unit's worth in its base unit, and the name of that."""
    return {unit: (worth, base) for unit, worth, base in _core.units()}


def quantity(value: Any) -> Quantity | None:
    """Parse a number, or a text with a number and a unit; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Quantity(float(value), "")
    if not isinstance(value, str):
        return None
    match = re.fullmatch(r"\s*([-+]?[\d_]*\.?\d+(?:[eE][-+]?\d+)?)\s*(\S.*?)\s*", value)
    if match is None or match[2] not in units():
        return None
    worth, base = units()[match[2]]
    # Rounded, so that products such as 0.1 * 1000 do not end in ...0001.
    number = float(f"{float(match[1].replace('_', '')) * worth:.15g}")
    return Quantity(number, base, match[2])
