"""The runs per second of a study, including storage."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel import _core
from windtunnel.studies import study
from windtunnel.studies.file import read
from windtunnel.studies.runner import Progress
from windtunnel.studies.store import Store

SCENARIO = """\
duration = "10 s"
nodes = { sender = {}, receiver = {} }
[links.path]
nodes = ["sender", "receiver"]
rate = "10 Mbps"
delay = "20 ms"
queue = { kind = "drop-tail", limit = "50 kB" }
[flows.cubic]
from = "sender"
to = "receiver"
controller = "cubic"
"""
"""10 s of one CUBIC flow over 10 Mbps and 40 ms, with a buffer of one product."""

STUDY = """\
scenario = "scenario.toml"
seeds = {seeds}
[vary.delay]
path = "links.path.delay"
values = ["20 ms"]
"""

RUNS = 4000
"""Runs of a study that is timed with one thread and with several, alternately."""

PAIRS = 3
"""The number of repetitions; the median of the ratios is reported."""

MANY = 10_000
"""Runs of a long study, which must not slow down."""


def measure(say: Callable[[str], None]) -> dict[str, Any]:
    """Measure studies in temporary stores; `say` is called with the current step."""
    processors = os.cpu_count() or 1
    pairs = []
    for pair in range(PAIRS):
        say(f"{RUNS} runs with 1 and {processors} threads, {pair + 1} of {PAIRS}")
        pairs.append(tuple(runs_a_second(RUNS, jobs)[0] for jobs in (1, processors)))
    say(f"{MANY} runs")
    whole, seen = runs_a_second(MANY, processors)
    first = rate(seen, 0.0, 0.2)
    last = rate(seen, 0.8, 1.0)
    return {
        "version": _core.__version__,
        "processors": processors,
        "runs": RUNS,
        "one_thread_runs_per_s": median(one for one, _ in pairs),
        "runs_per_s": median(all for _, all in pairs),
        "ratio": median(all / one for one, all in pairs),
        "ratios": [all / one for one, all in pairs],
        "many_runs": MANY,
        "many_runs_per_s": whole,
        "many_first_runs_per_s": first,
        "many_last_runs_per_s": last,
    }


def runs_a_second(runs: int, jobs: int) -> tuple[float, list[tuple[int, float]]]:
    """Time a study; return its runs per second, and the runs done by time, in s."""
    seen: list[tuple[int, float]] = [(0, 0.0)]

    def watch(now: Progress) -> None:
        seen.append((now.done, now.real_s))

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "study.toml")
        file.write_text(STUDY.format(seeds=runs), encoding="utf-8")
        Path(folder, "scenario.toml").write_text(SCENARIO, encoding="utf-8")
        study.run(read(file), Store(Path(folder, "store")), jobs=jobs, watch=watch)
    done, seconds = seen[-1]
    return done / seconds, seen


def rate(seen: list[tuple[int, float]], start: float, end: float) -> float:
    """Compute the runs per second between two shares of all runs."""
    most = seen[-1][0]
    begin = next(it for it in seen if it[0] >= start * most)
    finish = next(it for it in seen if it[0] >= end * most)
    return (finish[0] - begin[0]) / (finish[1] - begin[1])


def table(document: dict[str, Any]) -> Table:
    """Format the measurements for a terminal."""
    made = Table(box=SIMPLE_HEAD, min_width=76, caption_justify="left", caption=caption(document))
    for title in ("runs", "threads", "runs per second"):
        made.add_column(title, justify="right")
    for runs, threads, speed in (
        (document["runs"], 1, document["one_thread_runs_per_s"]),
        (document["runs"], document["processors"], document["runs_per_s"]),
        (document["many_runs"], document["processors"], document["many_runs_per_s"]),
    ):
        made.add_row(f"{runs:,}", str(threads), f"{speed:.0f}")
    return made


def caption(document: dict[str, Any]) -> str:
    """Describe a run, and what does not fit into the table."""
    first, last = document["many_first_runs_per_s"], document["many_last_runs_per_s"]
    return (
        "A run: 10 s of one CUBIC flow at 10 Mbps and 40 ms, its tables stored.\n"
        f"{document['processors']} threads: {document['ratio']:.2f} times the runs per second of "
        f"one thread, the median of {PAIRS} alternating pairs.\n"
        f"Of {document['many_runs']:,} runs, the first fifth: {first:.0f} per second; "
        f"the last fifth: {last:.0f}."
    )
