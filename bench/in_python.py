"""Measure what is done in Python: a controller written there, and environments' steps.

    .venv/bin/python bench/in_python.py

Prints for each figure the median of `REPEATS` measurements on this machine: of processor
time where there is one thread, of real time where there are more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import gymnasium
import numpy as np

import windtunnel
from windtunnel.environments import FlowEnvironment, FlowVectorEnvironment

SCENARIO = Path(__file__).parents[1] / "scenarios" / "learning.toml"
REPEATS = 5
SIMULATED = "60 s"
STEPS = 900
TOGETHER = 64


class Reno(windtunnel.Controller):
    """RFC 5681 with the congestion window halved, as the core's `reno`."""

    def on_acknowledgement(self, acknowledgement: windtunnel.controllers.Acknowledgement) -> None:
        """Grow by a segment for an acknowledgement, then by one for a round trip."""
        acknowledged = acknowledgement.acknowledged
        if self.cwnd < self.ssthresh:
            acknowledged = min(acknowledged, 1.0)
        self.grow(self.slow_start(acknowledged) / self.cwnd)

    def on_congestion(self, congestion: windtunnel.controllers.Congestion) -> None:
        """Halve the window."""
        self.decrease(congestion.signal, self.cwnd / 2.0)


def controller(name: str) -> float:
    """Give the packet-hops a second of processor time with that controller."""
    settings = {"flows.download.controller": name, "duration": SIMULATED}
    results = windtunnel.run(SCENARIO, settings=settings, jobs=1, extensions={"python-reno": Reno})
    return float(results.manifest["packet_hops"] / results.manifest["cpu_s"])


def one() -> float:
    """Give the steps a second of one environment."""
    environment = FlowEnvironment(SCENARIO)
    environment.reset(seed=1)
    return rate(lambda: environment.step(np.zeros(1, np.float32)), 1)


def made() -> float:
    """Give the same as `gymnasium.make` wraps it."""
    name = "windtunnel.environments:windtunnel/Flow-v0"
    environment = gymnasium.make(name, scenario=SCENARIO)
    environment.reset(seed=1)
    return rate(lambda: environment.step(np.zeros(1, np.float32)), 1)


def several(threads: int) -> float:
    """Give the steps a second of all of `TOGETHER` environments on this many threads."""
    environments = FlowVectorEnvironment(SCENARIO, TOGETHER, threads=threads)
    environments.reset(seed=1)
    actions = np.zeros((TOGETHER, 1), np.float32)
    clock = time.process_time if threads == 1 else time.perf_counter
    return rate(lambda: environments.step(actions), TOGETHER, clock)


def rate(
    step: Callable[[], object], flows: int, clock: Callable[[], float] = time.process_time
) -> float:
    """Give the steps a second of this many flows."""
    started = clock()
    for _ in range(STEPS):
        step()
    return STEPS * flows / (clock() - started)


def main() -> None:
    """Measure, and print a line for each figure."""

    def say(what: str, measure: Callable[[], float]) -> float:
        figure = median(measure() for _ in range(REPEATS))
        print(f"{what}: {figure:,.0f}")
        return figure

    core = say("packet-hops a CPU second, reno in the core", lambda: controller("reno"))
    own = say("packet-hops a CPU second, reno in Python", lambda: controller("python-reno"))
    print(f"times as long in Python: {core / own:.0f}")
    say("steps a CPU second, one environment", one)
    say("steps a CPU second, one as gymnasium.make wraps it", made)
    say(f"steps a CPU second, {TOGETHER} on one thread", lambda: several(1))
    threads = os.cpu_count() or 1
    if threads > 1:
        say(f"steps a second, {TOGETHER} on {threads} threads", lambda: several(threads))


if __name__ == "__main__":
    main()
