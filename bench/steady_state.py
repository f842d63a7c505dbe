"""How much of a run is in a steady state: the most that could be left out of its simulation.

    .venv/bin/python bench/steady_state.py

Flows over one link are in a steady state from an interval on if in the ten before it each flow's
rate was within a tolerance of its mean there; the state lasts as long as the rates stay within
it, and is looked for anew after that. Whoever advances flows analytically does not know the rates
that follow, and has to simulate some of them to find out: the share is an upper bound. It is
printed for rates alone, and for rates and smoothed round trips, of intervals of one round trip
without a queue; `--intervals 10` takes ten of these as one.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import windtunnel

WARM = 10
"""The intervals over which a state must be steady."""

TOLERANCES = (0.05, 0.10)

MARKING = """{ kind = "red", limit = "250 kB", action = "mark", minimum_threshold = "30 kB",
  maximum_threshold = "30 kB", max_probability = "100 %", weight = 1.0 }"""
"""A queue that marks from 30 kB on, for DCTCP."""


@dataclass(frozen=True)
class Case:
    """Flows without end over one link."""

    flows: int
    controller: str
    mbps: int
    delay_ms: int
    queue: str
    duration_s: int

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.flows} {self.controller}, {self.mbps} Mbps, {self.delay_ms} ms"

    def scenario(self, round_trips: int) -> str:
        """Give its file, with intervals of so many round trips."""
        return f"""
duration = "{self.duration_s} s"
recording.interval = "{2 * self.delay_ms * round_trips} ms"
nodes = {{ a = {{}}, b = {{}} }}

[links.l]
nodes = ["a", "b"]
rate = "{self.mbps} Mbps"
delay = "{self.delay_ms} ms"
queue = {self.queue}

[flows.f]
from = "a"
to = "b"
controller = "{self.controller}"
count = {self.flows}
stagger = "{100 // self.flows} ms"
"""


def tail(packets: int) -> str:
    """Give a queue that drops what finds it full."""
    return f'{{ kind = "drop-tail", limit = "{packets} packets" }}'


CASES = [
    Case(1, "cubic", 100, 20, tail(333), 60),
    Case(1, "bbr3", 100, 20, tail(333), 60),
    Case(1, "copa", 100, 20, tail(333), 60),
    Case(2, "cubic", 100, 20, tail(333), 60),
    Case(2, "bbr3", 100, 20, tail(333), 60),
    Case(10, "cubic", 1000, 10, tail(1664), 30),
    Case(10, "bbr3", 1000, 10, tail(1664), 30),
    Case(10, "dctcp", 1000, 1, MARKING, 5),
]

Series = list[NDArray[np.float64]]
"""Arrays of shape (flows, intervals)."""


def series(case: Case, round_trips: int) -> Series:
    """Run a case, and give the rates of its flows and their round trips, after 2 s."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "flows.toml"
        file.write_text(case.scenario(round_trips), encoding="utf-8")
        table = windtunnel.run(file).tables["flow_series"].to_pandas()
    table = table[table["time_s"] > 2]
    columns = ("received_bps", "smoothed_rtt_s")
    return [table.pivot_table(it, "flow", "time_s").to_numpy() for it in columns]


def steady_share(series: Series, tolerance: float) -> float:
    """Give the share of intervals that follow a steady state and are like it."""
    intervals: int = series[0].shape[1]
    place, steady = WARM, 0
    while place < intervals:
        means = [it[:, place - WARM : place].mean(axis=1, keepdims=True) for it in series]

        def is_alike(part: slice, means: Series = means) -> bool:
            pairs = zip(series, means, strict=True)
            return all(
                bool((abs(it[:, part] - mean) <= tolerance * mean).all()) for it, mean in pairs
            )

        if not is_alike(slice(place - WARM, place)):
            place += 1
            continue
        while place < intervals and is_alike(slice(place, place + 1)):
            steady += 1
            place += 1
        place += WARM
    return steady / intervals


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--intervals", type=int, default=1, help="round trips in an interval")
    round_trips = parser.parse_args().intervals
    columns = [f"{what} within {it:.0%}" for it in TOLERANCES for what in ("rates", "both")]
    print("| flows |", " | ".join(columns), "|")
    print("|---|" + "---|" * len(columns))
    for case in CASES:
        both = series(case, round_trips)
        shares = [steady_share(it, by) for by in TOLERANCES for it in (both[:1], both)]
        print(f"| {case.name} |", " | ".join(f"{it:.2f}" for it in shares), "|", flush=True)


if __name__ == "__main__":
    main()
