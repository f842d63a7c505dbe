"""Running scenarios: the core's threads, with progress and cancellation."""

from __future__ import annotations

import hashlib
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.extensions import ExtensionError, Extensions, described
from windtunnel.folders import SCENARIO_FILE, VERSION_KEY
from windtunnel.progress import shown, tell
from windtunnel.results import Results
from windtunnel.scenario.scenario import Scenario, read_file

BETWEEN_LOOKS = 0.05
"""Seconds between two polls of the progress, short enough for a prompt cancellation."""


MOST_LIVE_LINES = 6
"""Flows and queues of each run in progress that are told of: the busiest."""


@dataclass(frozen=True)
class LiveLine:
    """A flow or a queue of a run in progress."""

    name: str
    last: float
    """The last sample: of a flow its goodput in bit/s, of a queue the packets that wait."""
    means: list[float | None]
    """The means over equal shares of the duration, from its beginning on; None of one without
    a sample."""


@dataclass(frozen=True)
class LiveRun:
    """A run in progress."""

    case: list[str]
    number: int
    simulated_s: float
    duration_s: float
    flows: list[LiveLine]
    """The busiest."""
    all_flows: int
    """How many are recorded."""
    queues: list[LiveLine]
    """The busiest."""
    all_queues: int
    """In how many something waited."""


@dataclass(frozen=True)
class Progress:
    """The progress of a scenario."""

    finished: int
    """Runs that have ended."""
    runs: int
    """Runs in all."""
    simulated_s: float
    """Simulated seconds done, over all runs."""
    total_simulated_s: float
    """Simulated seconds in all."""
    events: int
    """Events handled so far."""
    real_s: float
    """Seconds since the start."""
    live: tuple[LiveRun, ...] = ()
    """What the runs in progress have sampled, if that was asked for."""

    @property
    def share(self) -> float:
        """The share done, from 0 to 1."""
        return self.simulated_s / self.total_simulated_s if self.total_simulated_s else 1.0

    @property
    def speed(self) -> float:
        """Simulated seconds a second, over all runs."""
        return self.simulated_s / self.real_s if self.real_s else 0.0

    def words(self) -> list[str]:
        """Describe it."""
        return [
            f"{self.simulated_s:.1f} of {self.total_simulated_s:g} s",
            f"{self.speed:.1f}× real time",
            f"{self.finished} of {self.runs} runs",
        ]


@dataclass(frozen=True)
class Captures:
    """What is captured in pcapng files."""

    nodes: Sequence[str] = ()
    """At which nodes."""
    directions: str | None = None
    """Packets that leave ("out"), that arrive ("in"), or "both"; default: at nodes where traffic
    begins or ends both, at others those that leave."""
    snap_length: int | None = None
    """How many bytes of each frame are kept; default: all."""
    window: tuple[str, str] | None = None
    """From which time on, and before which other one, such as ("2 s", "3 s")."""


@dataclass(frozen=True)
class Details:
    """What is seen of runs beside their series and totals."""

    captures: Captures = field(default_factory=Captures)
    events: Sequence[str] = ()
    """The flows whose every packet is recorded."""
    live: bool = False
    """Whether the progress tells what is sampled."""


def read(
    file: Path | str,
    settings: Mapping[str, str] | None = None,
    seed: int | None = None,
    *,
    extensions: Extensions | None = None,
    may_be_idle: bool = False,
) -> Scenario:
    """Read and check a scenario file; `settings` replace values by their paths.

    A setting is written as on the command line: as a TOML value, or as plain text. Paths of
    files that the scenario names, such as maps and traces, are relative to it.
    `extensions` are classes written in Python, by their names in the scenario.
    With `may_be_idle` it may be a network in which nothing is simulated.
    Raises ScenarioError with file and line, or OSError.
    """
    replaced = [(path, str(value)) for path, value in (settings or {}).items()]
    if seed is not None:
        replaced.append(("seed", str(seed)))
    return read_file(file, replaced, extensions, may_be_idle=may_be_idle)


def run_scenario(
    scenario: _core.Scenario,
    jobs: int | None = None,
    watch: Callable[[Progress], None] | None = None,
    folder: Path | None = None,
    details: Details | None = None,
    threads: int = 1,
) -> Results:
    """Run all cases and replications, `jobs` at a time, each on `threads` threads.

    Default of `jobs`: as many as there are processors for. Results do not depend on either.

    Series are written into `folder` while the runs go on, a Parquet file of each kind, and
    are not among the results' tables; those of runs that did not finish are in `unfinished`
    there, as far as they came. Without a folder, series stay in memory. Each node of
    `details.captures` gives a pcapng file in the folder `captures` there, in a subfolder for the
    case and the run, and each end of its flows `events` a qlog in the folder `events`. Raises
    ScenarioError if a node or a flow does not exist, and OSError if a file cannot be written.

    `watch` is called several times a second. An interruption (Ctrl-C) ends the
    runs within a second and keeps the finished ones; `unfinished` in the manifest counts
    the others.
    """
    started = time.monotonic()
    details = details or Details()
    asked = details.captures
    batch = scenario.start(
        jobs or processors(threads),
        folder,
        list(asked.nodes),
        threads,
        directions=asked.directions,
        snap_length=asked.snap_length,
        window=asked.window,
        events=list(details.events),
        is_live=details.live,
    )
    interrupted = False
    try:
        while not batch.is_done():
            if watch:
                watch(progress_of(batch, details.live, time.monotonic() - started))
            time.sleep(BETWEEN_LOOKS)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        # Cancels only after an exception; otherwise all runs have ended.
        batch.cancel()
    return results_of(scenario, batch.finish(), interrupted, time.monotonic() - started)


def results_of(
    scenario: _core.Scenario, outcome: _core.Outcome, interrupted: bool, real_s: float
) -> Results:
    """Make results of what came of a scenario's runs."""
    # Imported here: Polars takes longer to load than most commands take.
    import polars as pl

    tables = {name: pl.DataFrame(table) for name, table in outcome.tables().items()}
    manifest = {**description(scenario), **outcome_of(outcome, interrupted, real_s)}
    stops = tables["runs"]["stop"].to_list() if tables else []
    manifest["out_of_real_time"] = stops.count("out of real time")
    return Results(scenario.axes, tables, scenario.text, manifest, dict(scenario.files))


def check_details(scenario: _core.Scenario, details: Details) -> None:
    """Check that nodes and flows exist of which more is recorded. Raises ScenarioError."""
    asked = details.captures
    scenario.check_details(
        list(asked.nodes),
        directions=asked.directions,
        window=asked.window,
        events=list(details.events),
    )


def progress_of(batch: _core.Batch, live: bool, real_s: float) -> Progress:
    """Tell how far runs are, with what they sample if that is asked for."""
    runs = batch.live(MOST_LIVE_LINES) if live else []
    shown = (
        LiveRun(
            *progress,
            [LiveLine(*line) for line in flows],
            all_flows,
            [LiveLine(*line) for line in queues],
            all_queues,
        )
        for progress, (flows, all_flows), (queues, all_queues) in runs
    )
    return Progress(*batch.progress(), real_s=real_s, live=tuple(shown))


def processors(threads: int) -> int:
    """Give the number of runs of `threads` threads that the processors take at a time."""
    return max(1, (os.cpu_count() or 1) // threads)


def description(scenario: _core.Scenario) -> dict[str, Any]:
    """Describe the scenario, the version and the machine; one built in Python has no file."""
    return {
        VERSION_KEY: _core.__version__,
        "title": scenario.title,
        "seed": scenario.seed,
        "runs": scenario.runs,
        "notes": scenario.notes,
        SCENARIO_FILE: str(Path(scenario.file).resolve())
        if os.path.isfile(scenario.file)
        else None,
        "scenario_sha256": sha256(scenario.text),
        "files_sha256": {name: sha256(text) for name, text in scenario.files},
        "extensions": described(scenario.extensions),
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processors": os.cpu_count(),
            "python": platform.python_version(),
        },
    }


def sha256(text: str) -> str:
    """Compute the hash of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def outcome_of(outcome: _core.Outcome, interrupted: bool, real_s: float) -> dict[str, Any]:
    """Describe the outcome of the runs."""
    events, packet_hops, cpu_s, routing_s = outcome.work
    return {
        "finished": outcome.finished,
        "unfinished": outcome.unfinished,
        "faults": outcome.faults,
        "failures": outcome.failures,
        "interrupted": interrupted,
        "events": events,
        "packet_hops": packet_hops,
        "cpu_s": cpu_s,
        "routing_s": routing_s,
        "real_s": real_s,
    }


def run(
    scenario: Scenario | Path | str,
    *,
    settings: Mapping[str, object] | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    threads: int = 1,
    progress: bool = True,
    extensions: Extensions | None = None,
    events: Sequence[str] = (),
) -> Results:
    """Run a scenario or a scenario file; return its results as data frames.

    `settings` replace values by their paths, and `seed` replaces the seed. `jobs` is the
    number of runs at a time (default: as many as there are processors for), `threads` the
    number of threads of each. `progress` shows a bar in notebooks and on terminals, and says
    if series are recorded less often than usual. `extensions` are controllers,
    schedulers and rules written in Python, by the names that the scenario uses for them. Each
    packet of the flows `events` is in the table `packet_events`.

    Raises ScenarioError for an invalid scenario, OSError if a file cannot be read, and
    ExtensionError, with the results of the other runs, if one of the extensions fails.

    >>> results = windtunnel.run("scenarios/first.toml")
    >>> results["flows"].group_by("controller").agg(pl.col("goodput_bps").mean())
    """
    settings = {**(settings or {}), **({} if seed is None else {"seed": seed})}
    if isinstance(scenario, Scenario):
        chosen = scenario.changed(settings, extensions)
    else:
        chosen = Scenario.load(scenario, settings, extensions)
    if progress:
        tell([*chosen.notes, *chosen.after_the_end()])
    with shown() if progress else nullcontext() as watch:
        details = Details(events=events)
        results = run_scenario(chosen, jobs, watch, details=details, threads=threads)
    if failures := results.manifest["failures"]:
        raise ExtensionError("\n".join(failures), results)
    return results
