"""A study from its file to its results."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from windtunnel._core import __version__
from windtunnel.axes import column_of
from windtunnel.extensions import Extensions, described
from windtunnel.folders import (
    STUDY_FILE,
    VERSION_KEY,
    relative,
    write_csv,
    write_manifest,
    write_table,
    written_whole,
)
from windtunnel.measures.frame import Parameter
from windtunnel.progress import shown
from windtunnel.studies import checking, design, runner, worker
from windtunnel.studies.errors import StudyError
from windtunnel.studies.file import Sample, Study, Varied, read
from windtunnel.studies.outcome import POINTS, STUDY, StudyResults, of_points
from windtunnel.studies.runner import Progress, Ran, settings_of
from windtunnel.studies.store import OF_FRAMES, RUNS, TABLES, Store
from windtunnel.studies.worker import Base, Task

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import polars as pl

STORE = Path("results/store")
"""The default folder of the store."""

PROBES = 4
"""The maximum number of runs of an estimate."""

MOST_APART = 100_000
"""The number of points among which it chooses them."""

PROBE_S = 5.0
"""Seconds after which an estimate starts no more runs."""


def study(
    file: Path | str,
    *,
    store: Path | str = STORE,
    jobs: int | None = None,
    dask: str | None = None,
    retry_failed: bool = False,
    progress: bool = True,
    extensions: Extensions | None = None,
) -> StudyResults:
    """Run a study file and return its results; runs in the store are not repeated.

    `jobs` is the number of runs at a time (default: the number of processors). `dask` is
    the address of a Dask cluster to run on; `local` starts one on this machine. `progress`
    shows a bar in a notebook or on a terminal. `extensions` are controllers, schedulers and
    rules written in Python, by the names that the scenario uses for them; one that fails is the
    error of its run. An interruption (Ctrl-C) keeps finished runs.
    Raises StudyError, ScenarioError or OSError.

    >>> results = windtunnel.study("scenarios/studies/buffer-sizing.toml")
    >>> results.frame.group_by("controller").agg(pl.col("goodput_bps").mean())
    """
    read_study, kept = read(file, extensions), Store(store)
    with shown() if progress else nullcontext() as watch:
        ran = run(read_study, kept, jobs=jobs, dask=dask, retry_failed=retry_failed, watch=watch)
    return results(read_study, kept, ran)


def run(
    read_study: Study,
    store: Store,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    retry_failed: bool = False,
    watch: Callable[[Progress], None] | None = None,
) -> Ran:
    """Run the runs of a study that are not in the store."""
    # Before the store is created.
    checking.check(read_study, Base(read_study))
    with store.opened(), executing(jobs, dask) as (executor, width):
        return runner.run(
            read_study, store, executor, width, retry_failed=retry_failed, watch=watch
        )


@contextmanager
def executing(jobs: int | None, dask: str | None) -> Iterator[tuple[Executor, int]]:
    """Give the executor of batches, and how many it runs at a time."""
    if dask is None:
        width = jobs or os.cpu_count() or 1
        with runner.threads(width) as executor:
            yield executor, width
        return
    try:
        from windtunnel.studies import cluster
    except ImportError as error:
        raise StudyError(
            f"--dask requires {error.name}\nhelp: pip install windtunnel[dask]"
        ) from error
    with cluster.executor(dask, jobs) as (executor, width):
        yield executor, width


def results(read_study: Study, store: Store, ran: Ran) -> StudyResults:
    """Collect the results of a study."""
    points = frame_of(read_study, ran)
    varied = [parameter(it, points, read_study.sample) for it in read_study.parameters]
    return of_points(read_study.title, varied, points, store, ran.progress.runs, None)


def parameter(varied: Varied, points: pl.DataFrame, sample: Sample | None) -> Parameter:
    """Give a parameter with its values; those of a sampled range are the ones drawn."""
    name, values, numbers = column_of(varied.name, OF_FRAMES), varied.values, varied.numbers
    if sample and varied.ends:
        numbers = points[name].unique().sort().to_list()
        values = [varied.ends[0].at(it) for it in numbers]
    return Parameter(name, values, numbers, varied.unit, varied.logarithmic)


def frame_of(read_study: Study, ran: Ran) -> pl.DataFrame:
    """Give parameters, `seed` and `key` of the runs, in the order of points and seeds."""
    import polars as pl

    kinds = {
        column_of(it.name, OF_FRAMES): pl.String if it.numbers is None else pl.Float64
        for it in read_study.parameters
    }
    rows = [
        (*point.values, seed, key)
        for point, seed, key in zip(ran.points, ran.seeds, ran.keys, strict=True)
    ]
    return pl.DataFrame(rows, {**kinds, "seed": pl.Int64, "key": pl.String}, orient="row")


def save(read_study: Study, found: StudyResults, folder: Path, ran: Ran, csv: bool = False) -> Path:
    """Write a study's folder: its file, its points, and the path of its store.

    With `csv`, also its frame as `runs.csv`, and the other tables of the runs: `flows.csv`, ….

    The folder is written as a whole or not at all. The files of an earlier study in it are
    replaced; other files stay. Raises OSError if it cannot be written.
    """
    assert found.store and found.points is not None
    store = relative(found.store.folder, folder)
    with written_whole(folder) as written:
        (written / STUDY).write_text(read_study.text, encoding="utf-8")
        (written / read_study.base.name).write_text(read_study.scenario, encoding="utf-8")
        write_table(found.points, written / POINTS)
        for name, table in tables(found) if csv else ():
            write_csv(table, written / f"{name}.csv")
        manifest = {
            VERSION_KEY: __version__,
            "title": found.title,
            STUDY_FILE: relative(read_study.file, folder),
            "store": store,
            "parameters": [vars(it) for it in found.parameters],
            "extensions": described(read_study.extensions),
            "planned": found.planned,
            "interrupted": ran.interrupted,
        }
        write_manifest(written, manifest)
    return folder


def tables(found: StudyResults) -> Iterator[tuple[str, pl.DataFrame]]:
    """Give the tables that a study has of its runs, those with rows."""
    yield RUNS, found.frame
    for name in TABLES:
        if name != RUNS and not (table := found.table(name)).is_empty():
            yield name, table


@dataclass(frozen=True)
class Estimate:
    """An estimate of a study."""

    points: int
    runs: int
    """With a stop rule, the minimum."""
    stored: int | None
    """How many of them are in the store; None if there are too many to check."""
    seconds: float
    """The time of the others, in s."""
    bytes: float
    """The bytes that they would add to the store."""


def planned(read_study: Study) -> tuple[int, int]:
    """Count a study's points and runs; with a stop rule, the minimum of runs."""
    points = design.count(read_study)
    seeds = read_study.stop.minimum_seeds if read_study.stop else len(read_study.seeds)
    return points, points * seeds


def estimate(read_study: Study, store: Store, jobs: int, most_looked_at: int) -> Estimate:
    """Estimate a study from a few of its runs, which are not stored."""
    base = Base(read_study)
    checking.check(read_study, base)
    points, runs = planned(read_study)
    stored = None
    if runs <= most_looked_at:
        kept = store.outcomes(None)
        seeds = read_study.seeds
        if read_study.stop:
            seeds = list(range(1, read_study.stop.minimum_seeds + 1))
        keys = (
            base.key(settings_of(point, seed))
            for point in design.points(read_study)
            for seed in seeds
        )
        stored = sum(key in kept for key in keys)
    tried = probes(read_study, base, points)
    # The first run also loads libraries.
    seconds = fmean(real for real, _ in tried[1:] or tried)
    bytes_each = fmean(size for _, size in tried)
    left = runs - (stored or 0)
    return Estimate(points, runs, stored, left * seconds / jobs, left * bytes_each)


def probes(read_study: Study, base: Base, points: int) -> list[tuple[float, float]]:
    """Run a few points; return the time of each, in s, and the bytes of its tables.

    They are spread over the study, or over the beginning of a very large one.
    """
    tried: list[tuple[float, float]] = []
    step = max(1, min(points, MOST_APART) // PROBES)
    for point in islice(design.points(read_study), 0, PROBES * step, step):
        settings = settings_of(point, read_study.seeds[0])
        started = time.monotonic()
        tables = worker.simulated(base, [Task("", settings)], None)
        seconds = time.monotonic() - started
        sizes: list[float] = [table.estimated_size() for table in tables.values()]
        tried.append((seconds, float(sum(sizes))))
        if sum(real for real, _ in tried) > PROBE_S:
            break
    return tried
