"""Running the scenarios of this folder, two at a time."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import windtunnel
from windtunnel.results import Results

FOLDER = Path(__file__).parent
SEGMENT = 1448
"""Octets of data in a full segment."""
PACKET = 1500
"""Octets of its packet."""

Settings = Mapping[str, str]
Case = TypeVar("Case")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Law:
    """What must come out, and what came out of each run."""

    name: str
    expected: str
    """The value or the range, as the page shows it."""
    low: float
    high: float
    """What the median of the runs must be within."""
    runs: Sequence[float]
    unit: str = ""
    digits: int = 2

    @property
    def measured(self) -> float:
        """The median of the runs."""
        return statistics.median(self.runs)

    @property
    def holds(self) -> bool:
        """Whether the median is within the bounds."""
        return self.low <= self.measured <= self.high

    def cells(self) -> list[str]:
        """Give the law's row: name, expected, within, measured with least and most."""
        least, most = min(self.runs), max(self.runs)
        spread = f" ({self.text(least)} … {self.text(most)})" if len(self.runs) > 1 else ""
        bounds = f"{self.text(self.low)} … {self.text(self.high)}"
        measured = f"{self.text(self.measured)}{spread}"
        return [self.name, self.expected, bounds, measured, "yes" if self.holds else "**no**"]

    def text(self, value: float) -> str:
        """Write a value with its unit."""
        if value == float("inf"):
            return "∞"
        text = f"{value:,.{self.digits}f}".replace("-", "−")
        return f"{text} {self.unit}".rstrip()


def around(expected: float, share: float) -> tuple[float, float]:
    """Give the bounds a share below and above a value."""
    ends = sorted((expected * (1 - share), expected * (1 + share)))
    return ends[0], ends[1]


def simulate(settings: Settings, scenario: str = "path") -> Results:
    """Run a scenario of this folder, on one processor."""
    return windtunnel.run(FOLDER / f"{scenario}.toml", settings=settings, jobs=1)


def each(function: Callable[[Case], Value], cases: Iterable[Case]) -> list[Value]:
    """Give what a function makes of each case, on all processors."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(function, cases))


def jain(shares: Sequence[float]) -> float:
    """Give Jain's index: 1 where all have the same, 1 / n where one has everything."""
    return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))
