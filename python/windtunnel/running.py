"""Running a scenario: threads in the core, progress and cancellation from here."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from windtunnel import _core
from windtunnel.results import Results

BETWEEN_LOOKS = 0.05
"""Seconds between two looks at the progress: a cancellation is felt at once."""


@dataclass(frozen=True)
class Progress:
    """How far a scenario is."""

    finished: int
    runs: int
    simulated_s: float
    total_simulated_s: float
    events: int
    real_s: float

    @property
    def share(self) -> float:
        """The share done, from 0 to 1."""
        return self.simulated_s / self.total_simulated_s if self.total_simulated_s else 1.0


def read(
    file: Path | str, settings: Mapping[str, str] | None = None, seed: int | None = None
) -> _core.Scenario:
    """Read and check a scenario file; `settings` replace values by their paths.

    Raises ScenarioError with the place in the file, or OSError.
    """
    replaced = [(path, str(value)) for path, value in (settings or {}).items()]
    if seed is not None:
        replaced.append(("seed", str(seed)))
    with open(file, encoding="utf-8") as opened:
        # One byte more than the core reads: it says what is wrong with the rest.
        text = opened.read(17 << 20)
    return _core.Scenario(str(file), text, replaced)


def run_scenario(
    scenario: _core.Scenario,
    jobs: int | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Results:
    """Run all cases and replications, `jobs` at a time (all processors by default).

    `watch` is called several times a second. An interruption (Ctrl-C) ends the
    runs within a second and keeps those that were finished; the manifest then
    counts the others under `unfinished`.
    """
    started = time.monotonic()
    batch = scenario.start(jobs or os.cpu_count() or 1)
    interrupted = False
    while not batch.is_done():
        try:
            if watch:
                watch(Progress(*batch.progress(), real_s=time.monotonic() - started))
            time.sleep(BETWEEN_LOOKS)
        except KeyboardInterrupt:
            interrupted = True
            batch.cancel()
    outcome = batch.finish()
    events, packet_hops, cpu_s = outcome.work
    manifest = {
        "windtunnel": _core.__version__,
        "title": scenario.title,
        "seed": scenario.seed,
        "runs": scenario.runs,
        "scenario_sha256": hashlib.sha256(scenario.text.encode()).hexdigest(),
        "finished": outcome.finished,
        "unfinished": outcome.unfinished,
        "faults": outcome.faults,
        "interrupted": interrupted,
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processors": os.cpu_count(),
            "python": platform.python_version(),
        },
        "events": events,
        "packet_hops": packet_hops,
        "cpu_s": cpu_s,
        "real_s": time.monotonic() - started,
    }
    tables = {name: pl.DataFrame(table) for name, table in outcome.tables().items()}
    return Results(scenario.text, scenario.axes, tables, manifest)


def run(
    file: Path | str,
    *,
    settings: Mapping[str, str] | None = None,
    seed: int | None = None,
    jobs: int | None = None,
) -> Results:
    """Run a scenario file and give its results as data frames.

    >>> results = windtunnel.run("scenarios/first.toml")
    >>> results["flows"].group_by("controller").agg(pl.col("goodput_bps").mean())
    """
    return run_scenario(read(file, settings, seed), jobs)
