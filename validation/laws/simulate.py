"""Running the scenarios of this folder, two at a time."""

from __future__ import annotations

import math
import os
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import polars as pl

from windtunnel.results import Results
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent
SEGMENT = 1448
"""Bytes of data in a full segment."""
PACKET = 1500
"""Bytes of its packet."""

CONFIDENCE = 1.96
"""Standard errors of a mean in half of its 95 % confidence interval, of many runs."""

Settings = Mapping[str, str]
Case = TypeVar("Case")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Law:
    """What is expected, and the result of each run."""

    name: str
    expected: str
    """The value or the range, as the page shows it."""
    low: float
    high: float
    """The bounds for the mean of the runs."""
    runs: Sequence[float]
    unit: str = ""
    digits: int = 2
    sampled: bool = False
    """Whether the runs are a sample whose mean is only known within its confidence interval."""

    @property
    def measured(self) -> float:
        """The mean of the runs."""
        return statistics.fmean(self.runs)

    @property
    def margin(self) -> float:
        """Half of the 95 % confidence interval of the mean; 0 if it is not a sample's."""
        if not self.sampled:
            return 0.0
        return CONFIDENCE * statistics.stdev(self.runs) / math.sqrt(len(self.runs))

    @property
    def holds(self) -> bool:
        """Whether the mean is within the bounds, and so is its interval."""
        return self.low <= self.measured - self.margin and self.measured + self.margin <= self.high

    @property
    def fails(self) -> bool:
        """Whether the mean is out of the bounds, and so is its interval."""
        return self.measured + self.margin < self.low or self.high < self.measured - self.margin

    def cells(self) -> list[str]:
        """Give the law's row: name, expected, bounds, measured with minimum and maximum."""
        measured = self.text(self.measured)
        if self.sampled:
            measured += f" ± {self.text(self.margin)}"
        if len(self.runs) > 1:
            measured += f" ({self.text(min(self.runs))} … {self.text(max(self.runs))})"
        bounds = f"{self.text(self.low)} … {self.text(self.high)}"
        values = [f"{value} {self.unit}".rstrip() for value in (bounds, measured)]
        verdict = "yes" if self.holds else "**no**" if self.fails else "undecided"
        return [self.name, self.expected, *values, verdict]

    def text(self, value: float) -> str:
        """Write a value without its unit."""
        return f"{value:,.{self.digits}f}".replace("-", "−")


def counted(number: int, what: str) -> str:
    """Write a number of things."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def around(expected: float, share: float) -> tuple[float, float]:
    """Give the bounds a share below and above a value."""
    ends = sorted((expected * (1 - share), expected * (1 + share)))
    return ends[0], ends[1]


def random_loss(probability: float) -> str:
    """Give the loss of a link that loses packets from a to b only."""
    return f'[{{ probability = "{probability * 100} %" }}, {{ probability = "0 %" }}]'


def simulate(settings: Settings, scenario: str = "path") -> Results:
    """Run a scenario of this folder, on one processor."""
    return run_scenario(read(FOLDER / f"{scenario}.toml", settings), jobs=1)


def path(
    duration_s: float,
    flows: Mapping[str, str],
    *,
    rate_mbps: float = 20,
    round_trip_ms: float = 40,
    queue: str = '{ kind = "drop-tail", limit = "1000 packets" }',
    interval: str = "10 ms",
    seed: int = 1,
) -> Results:
    """Run flows over one link; they are tables as a scenario has them."""
    settings = {
        "duration": f'"{duration_s} s"',
        "recording.interval": f'"{interval}"',
        "seed": str(seed),
        "links.path.rate": f'"{rate_mbps} Mbps"',
        "links.path.delay": f'"{round_trip_ms / 2} ms"',
        "links.path.queue": queue,
    }
    return simulate(settings | {f"flows.{name}": flow for name, flow in flows.items()})


def at_queue(results: Results, since_s: float, sender: str = "a") -> pl.DataFrame:
    """Give the series of a sender's link from a time on."""
    series = results["link_series"]
    return series.filter((pl.col("from") == sender) & (pl.col("time_s") > since_s))


def goodputs(
    results: Results, since_s: float, until_s: float = math.inf, names: str = ""
) -> list[float]:
    """Give the goodput of each flow whose name begins so, in Mbps, in their order."""
    span = pl.col("time_s").is_between(since_s, until_s, closed="right")
    series = results["flow_series"].filter(span & pl.col("flow").str.starts_with(names))
    means = series.group_by("flow", maintain_order=True).agg(pl.col("goodput_bps").mean())
    return (means["goodput_bps"] / 1e6).to_list()


def flow_totals(results: Results) -> dict[str, dict[str, Any]]:
    """Give each flow's totals, by its name."""
    return {row["flow"]: row for row in results["flows"].to_dicts()}


def each(function: Callable[[Case], Value], cases: Iterable[Case]) -> list[Value]:
    """Apply a function to each case, on all processors."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(function, cases))


def jain(shares: Sequence[float]) -> float:
    """Give Jain's index: 1 if all shares are equal, 1 / n if one has everything."""
    return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))
