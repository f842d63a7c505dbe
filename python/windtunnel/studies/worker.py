"""The work of a thread or of a cluster's worker: a batch of runs, simulated and stored."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel import _core
from windtunnel.fingerprints import fingerprint
from windtunnel.studies.file import Study
from windtunnel.studies.measures import measured
from windtunnel.studies.store import RUNS, TABLES, Store, schema

if TYPE_CHECKING:
    import polars as pl

SHORTEST_LOOK, LONGEST_LOOK = 0.0005, 0.02
"""Seconds between two polls of a batch."""


@dataclass(frozen=True)
class Task:
    """A run: its key, and its settings of the scenario."""

    key: str
    settings: tuple[tuple[str, str], ...]
    beginning: str | None = None
    """What decides how it begins, if other runs may begin in the same way."""
    scenario: _core.Scenario | None = None
    """Its scenario, if that is at hand: only in the process that read it."""

    def __getstate__(self) -> dict[str, Any]:
        """Give what goes to a cluster's worker, which reads the scenario itself."""
        return {**self.__dict__, "scenario": None}


@dataclass(frozen=True)
class Done:
    """The outcome of a run: its error if it failed, and the measure of the stop rule."""

    key: str
    error: str | None
    measure: float | None


class Base:
    """The base scenario of a study, which every worker has."""

    def __init__(self, study: Study) -> None:
        """Take it from a study."""
        self.file = os.fspath(study.base.resolve())
        self.text = study.scenario
        self.extensions = dict(study.extensions)
        self.fingerprints = {name: fingerprint(it) for name, it in study.extensions.items()}

    def read(self, settings: tuple[tuple[str, str], ...]) -> _core.Scenario:
        """Read it with settings. Raises ScenarioError."""
        return _core.Scenario(self.file, self.text, list(settings), self.extensions)

    def key(self, settings: tuple[tuple[str, str], ...]) -> str:
        """Identify a run by a hash of the scenario with its settings and seed, the files and the
        classes that it names, and the version."""
        return self.task(settings).key

    def task(self, settings: tuple[tuple[str, str], ...]) -> Task:
        """Give the run with these settings."""
        scenario = beginning = None
        try:
            scenario = self.read(settings)
            parts = [scenario.text, *(text for file in scenario.files for text in file)]
            beginning = scenario.beginning
        except _core.ScenarioError:
            # An invalid run is identified by its settings.
            parts = [self.text, *(text for setting in settings for text in setting)]
        parts += [it for name, it in self.fingerprints.items() if any(name in at for at in parts)]
        digest = hashlib.sha256(_core.__version__.encode())
        for part in parts:
            digest.update(len(part).to_bytes(8) + part.encode())
        # Of those that wait for others that begin alike there may be many.
        kept = scenario if beginning is None else None
        return Task(digest.hexdigest()[:40], settings, beginning, kept)


def work(
    base: Base,
    tasks: list[Task],
    store: Path,
    measure: str | None,
    cancelled: threading.Event | None = None,
) -> tuple[list[Done], float]:
    """Run a batch and store its tables; return the outcomes, and the time in s."""
    started = time.monotonic()
    tables = simulated(base, tasks, cancelled)
    runs = tables[RUNS]
    if not runs.is_empty():
        Store(store).add(tables)
    measures = runs[measure] if measure else [None] * runs.height
    done = [Done(*row) for row in zip(runs["key"], runs["error"], measures, strict=True)]
    return done, time.monotonic() - started


def simulated(
    base: Base, tasks: list[Task], cancelled: threading.Event | None
) -> dict[str, pl.DataFrame]:
    """Run a batch; return its tables, with a row of `runs` for each run that ended or failed."""
    import polars as pl

    points, errors = [], {}
    for task in tasks:
        try:
            points.append((task.key, task.scenario or base.read(task.settings)))
        except _core.ScenarioError as error:
            errors[task.key] = str(error)
    batch = _core.Batch.of_points(points, 1)
    # A short first pause, for short runs.
    pause = SHORTEST_LOOK
    while not batch.is_done():
        pause = min(2 * pause, LONGEST_LOOK)
        if cancelled is None:
            time.sleep(pause)
        elif cancelled.wait(pause):
            batch.cancel()
    outcome = batch.finish()
    errors |= {
        points[case][0]: f"internal error; please report it: {what}"
        for case, what in outcome.failed
    }
    # Each begins with the name of its case, which is the key.
    errors |= dict(failure.split(": ", 1) for failure in outcome.failures)
    tables = {name: pl.DataFrame(table) for name, table in outcome.tables().items()}
    kept = {name: tables[name].drop("run") for name in TABLES if name in tables}
    failed = pl.DataFrame({"key": list(errors), "error": list(errors.values())})
    ended = [kept[RUNS].join(measured(tables), on="key", maintain_order="left")] if kept else []
    # All columns exist, even if no run ended or none failed.
    rows = pl.concat([pl.DataFrame(schema=schema()), *ended, failed], how="diagonal_relaxed")
    return {**kept, RUNS: rows}
