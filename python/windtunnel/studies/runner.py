"""Running a study: batches of runs on an executor, each stored as soon as it is done.

The local executor has threads, which release the interpreter lock while they simulate;
Dask's executor has the same interface, on a cluster.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from statistics import fmean

from windtunnel.measures.intervals import half_width
from windtunnel.quantities import quantity
from windtunnel.studies import design
from windtunnel.studies.design import Point
from windtunnel.studies.file import Stop, Study
from windtunnel.studies.store import Store
from windtunnel.studies.worker import Base, Done, Task, work

BATCH_S = 1.0
"""The target duration of a batch, which is lost if the process is killed."""

SHORTEST_BATCH_S = 0.1
"""The duration below which batches do not become shorter towards the end of a study: of less time,
much would go into what each batch takes beside its runs."""

MOST_IN_BATCH = 1024

MOST_ALIKE = 256
"""The number of runs that are read ahead to find those that begin alike."""


@dataclass
class Progress:
    """The progress of a study."""

    runs: int
    """The number of runs of the study so far; a stop rule may add more."""
    stored: int = 0
    """The number of runs that were in the store before."""
    done: int = 0
    failed: int = 0
    real_s: float = 0.0

    @property
    def left(self) -> int:
        """The number of runs left."""
        return self.runs - self.stored - self.done - self.failed

    @property
    def share(self) -> float:
        """The share done, from 0 to 1."""
        return 1 - self.left / self.runs if self.runs else 1.0

    def words(self) -> list[str]:
        """Describe it."""
        ended = f"{self.stored + self.done:,} of {self.runs:,} runs"
        return [ended, f"{self.failed:,} failed"] if self.failed else [ended]


@dataclass
class Ran:
    """The runs of a study, in the order of its points."""

    points: list[Point] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    interrupted: bool = False
    progress: Progress = field(default_factory=lambda: Progress(0))


def settings_of(point: Point, seed: int) -> tuple[tuple[str, str], ...]:
    """Give the settings of one run of a point."""
    return (*point.settings, ("seed", str(seed)), ("runs", "1"))


def run(
    study: Study,
    store: Store,
    executor: Executor,
    width: int,
    *,
    retry_failed: bool = False,
    watch: Callable[[Progress], None] | None = None,
) -> Ran:
    """Run the runs of a study that are not in the store, `width` batches at a time.

    The store must be open. An interruption (Ctrl-C) ends the runs within a second and
    keeps the finished ones. Raises StudyError, or OSError if the store cannot be written;
    runs finished before are kept.
    """
    base = Base(study)
    # Only local threads can be cancelled; a cluster finishes the batches it has begun.
    cancelled = threading.Event() if isinstance(executor, ThreadPoolExecutor) else None
    measure = study.stop.measure if study.stop else None
    wanted = Wanted(study, base, store.outcomes(measure), retry_failed)
    started, waiting = time.monotonic(), set[Future[tuple[list[Done], float]]]()
    pace = Pace()
    try:
        while True:
            while len(waiting) < 2 * width and (
                tasks := wanted.take(pace.batch(wanted.progress.left // (2 * width)), width)
            ):
                waiting.add(executor.submit(work, base, tasks, store.folder, measure, cancelled))
            if watch:
                wanted.progress.real_s = time.monotonic() - started
                watch(wanted.progress)
            if not waiting:
                break
            finished, waiting = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in finished:
                done, seconds = future.result()
                pace.note(len(done), seconds)
                wanted.finish(done)
    except KeyboardInterrupt:
        wanted.ran.interrupted = True
    finally:
        if cancelled:
            cancelled.set()
        for future in waiting:
            future.cancel()
        for future in waiting:
            if not future.cancelled() and not future.exception():
                wanted.finish(future.result()[0])
    wanted.ran.progress = wanted.progress
    return wanted.ran


class Pace:
    """Estimates the number of runs in `BATCH_S`."""

    def __init__(self) -> None:
        """Start without an estimate."""
        self.runs, self.seconds = 0, 0.0

    def note(self, runs: int, seconds: float) -> None:
        """Record the duration of a batch."""
        self.runs += runs
        self.seconds += seconds

    def batch(self, most: int) -> int:
        """Give the size of the next batch: of more than the shortest duration only up to `most`,
        which leaves work for the others."""
        if not self.runs or not self.seconds:
            return 1
        longest, shortest = (
            int(it * self.runs / self.seconds) for it in (BATCH_S, SHORTEST_BATCH_S)
        )
        return max(1, min(MOST_IN_BATCH, longest, max(most, shortest)))


class Wanted:
    """The runs of a study, generated as they are needed."""

    def __init__(
        self,
        study: Study,
        base: Base,
        stored: dict[str, tuple[str | None, float | None]],
        retry: bool,
    ) -> None:
        """Start with the outcomes in the store."""
        self.study, self.base, self.stored, self.retry = study, base, stored, retry
        self.first_seeds = study.seeds
        if study.stop:
            self.first_seeds = list(range(1, study.stop.minimum_seeds + 1))
        self.ran = Ran()
        self.progress = Progress(design.count(study) * len(self.first_seeds))
        self.points = self.first()
        self.ready: deque[Task] = deque()
        """Runs that are not in a batch yet."""
        self.again: deque[tuple[int, Point, list[int]]] = deque()
        """Points that need more seeds."""
        self.open: dict[int, Rounds] = {}
        """By its index, each point whose runs the stop rule waits for."""
        self.owners: dict[str, set[int]] = {}
        """The points that wait for a run; several can share one."""
        self.asked: set[str] = set()

    def take(self, most: int, width: int) -> list[Task]:
        """Take runs that are not in the store; none if there is nothing to do now.

        Runs that begin as the first one go before the others, and a batch may have more than
        `most` of them, as many as leave work for `width` batches: what they have in common is
        simulated once in each batch.
        """
        self.fill(most)
        if self.ready and (beginning := self.ready[0].beginning) is not None:
            self.fill(MOST_ALIKE)
            alike = sum(it.beginning == beginning for it in self.ready)
            most = max(most, ceil(alike / width))
            self.ready = deque(sorted(self.ready, key=lambda it: it.beginning != beginning))
        return [self.ready.popleft() for _ in range(min(most, len(self.ready)))]

    def fill(self, count: int) -> None:
        """Have so many runs ready, as far as there are."""
        while len(self.ready) < count:
            if self.again:
                self.ask(*self.again.popleft())
            elif (following := next(self.points, None)) is not None:
                self.ask(*following)
            else:
                break

    def first(self) -> Iterator[tuple[int, Point, list[int]]]:
        """Give the points with their first seeds: with a stop rule, which counts them, all at once,
        else one at a time, since a study may have thousands."""
        for place, point in enumerate(design.points(self.study)):
            if self.study.stop:
                yield place, point, self.first_seeds
            else:
                yield from ((place, point, [seed]) for seed in self.first_seeds)

    def ask(self, place: int, point: Point, seeds: list[int]) -> None:
        """Add a point's runs with these seeds, and queue those that are not in the store."""
        rounds = self.open.setdefault(place, Rounds(point, [])) if self.study.stop else None
        for seed in seeds:
            settings = settings_of(point, seed)
            task = self.base.task(settings)
            key = task.key
            self.ran.points.append(point)
            self.ran.seeds.append(seed)
            self.ran.keys.append(key)
            if rounds:
                rounds.keys.append(key)
            error, value = self.stored.get(key, (None, None))
            if key in self.stored and not (self.retry and error):
                self.progress.stored += 1
                if rounds:
                    rounds.values[key] = value
                continue
            if rounds:
                self.owners.setdefault(key, set()).add(place)
            if key in self.asked:
                self.progress.stored += 1
            else:
                self.asked.add(key)
                self.ready.append(task)
        if rounds and len(rounds.values) == len(rounds.keys):
            self.settle(place)

    def finish(self, done: list[Done]) -> None:
        """Record the outcomes of runs."""
        places = set()
        for it in done:
            self.stored[it.key] = (it.error, it.measure)
            self.progress.done += it.error is None
            self.progress.failed += it.error is not None
            if self.study.stop:
                for place in self.owners.pop(it.key):
                    self.open[place].values[it.key] = it.measure
                    places.add(place)
        for place in sorted(places):
            if len(self.open[place].values) == len(self.open[place].keys):
                self.settle(place)

    def settle(self, place: int) -> None:
        """Add a seed to a point whose runs have all ended, unless the stop rule is met."""
        assert self.study.stop
        rounds = self.open[place]
        values = [value for value in rounds.values.values() if value is not None]
        if len(rounds.keys) >= self.study.stop.maximum_seeds or is_enough(values, self.study.stop):
            del self.open[place]
            return
        self.again.append((place, rounds.point, [len(rounds.keys) + 1]))
        self.progress.runs += 1


@dataclass
class Rounds:
    """A point under a stop rule: its runs, and their measure."""

    point: Point
    keys: list[str]
    values: dict[str, float | None] = field(default_factory=dict)


def is_enough(values: list[float], stop: Stop) -> bool:
    """Say whether the mean's confidence interval (Student's t) is small enough.

    Equal values have none: from runs without anything random nothing is learned of a spread.
    """
    precision, confidence = quantity(stop.precision), quantity(stop.confidence)
    assert precision and confidence
    if len(set(values)) < 2:
        return False
    return half_width(values, confidence.number) <= precision.number * abs(fmean(values))


@contextmanager
def threads(jobs: int) -> Iterator[Executor]:
    """Give an executor of threads."""
    with ThreadPoolExecutor(jobs, thread_name_prefix="windtunnel") as executor:
        yield executor
