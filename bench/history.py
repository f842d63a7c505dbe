"""The speed of commits over time: measured, kept and drawn.

    .venv/bin/python bench/history.py

Measures all workloads as `windtunnel bench` does and prints its table. What each workload reached
becomes a line of `bench/history.csv`, one for each commit and machine, and all lines are drawn as
pictures of `docs/performance/over-time.md`. What is not committed is measured, but not kept.
"""

from __future__ import annotations

import csv
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
from rich.console import Console

from windtunnel.bench import simulations

ROOT = Path(__file__).parents[1]
HISTORY = ROOT / "bench" / "history.csv"
PICTURES = ROOT / "docs" / "performance"

MEASURED = ("Cargo.lock", "Cargo.toml", "crates", "python")
"""What of the repository decides how fast it is."""

OF_COMMIT = ("commit", "date", "machine")
"""The first columns; the others are the workloads, in packet-hops per CPU second."""

GROUPS = ("ndn", "tcp", "others")
"""The first words of workloads that are drawn together, and what all others are."""

Line = dict[str, str]
"""A line of the history, by its columns; empty where a workload was not measured."""


def measured(document: dict[str, Any]) -> Line:
    """Give the speed of each workload of what `windtunnel bench --json` says."""
    return {it["name"]: f"{it['packet_hops_per_cpu_s']:.0f}" for it in document["workloads"]}


def commit() -> Line:
    """Give HEAD, when it was committed, and what is measured on."""
    name, date = git("log", "-1", "--format=%h%n%cI").splitlines()
    return dict(zip(OF_COMMIT, (name, date, machine()), strict=True))


def machine() -> str:
    """Name the processors, and how many there are."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    models = (it.partition(":")[2].strip() for it in lines if it.startswith("model name"))
    return f"{os.cpu_count()} × {next(models, platform.machine())}"


def is_committed() -> bool:
    """Say whether what is measured is what HEAD has."""
    return not git("status", "--porcelain", "--untracked-files=no", "--", *MEASURED)


def git(*arguments: str) -> str:
    """Give what git prints."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout


def kept(history: list[Line], line: Line) -> list[Line]:
    """Add a line, in place of an earlier one of the same commit and machine."""
    same = ("commit", "machine")
    others = [it for it in history if any(it[key] != line[key] for key in same)]
    return sorted([*others, line], key=lambda it: it["date"])


def read(file: Path) -> list[Line]:
    """Read the history."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def write(history: list[Line], file: Path) -> None:
    """Write the history: what any line has is a column."""
    columns = dict.fromkeys([*OF_COMMIT, *(key for it in history for key in it)])
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(columns), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(history)


def speeds(history: list[Line]) -> pl.DataFrame:
    """Give a row for each figure: its group, the workload, and millions of packet-hops per CPU
    second."""
    rows = [
        {**{key: it[key] for key in OF_COMMIT}, "workload": name, "group": group(name)}
        | {"millions": float(speed) / 1e6}
        for it in history
        for name, speed in it.items()
        if name not in OF_COMMIT and speed
    ]
    return pl.DataFrame(rows).with_columns(pl.col("date").str.to_datetime(time_zone="UTC"))


def group(workload: str) -> str:
    """Give the group of a workload."""
    first = workload.partition("-")[0]
    return first if first in GROUPS else GROUPS[-1]


def drawn(frame: pl.DataFrame) -> alt.LayerChart:
    """Draw some workloads over time, a line for each on each machine."""
    base = alt.Chart(frame).encode(
        x=alt.X("date:T", title="committed"),
        y=alt.Y("millions:Q", title="million packet-hops a CPU second"),
        color=alt.Color("workload:N", title=None, legend=alt.Legend(labelLimit=0)),
        strokeDash=alt.StrokeDash("machine:N", title=None, legend=alt.Legend(labelLimit=0)),
    )
    marks = base.mark_point(filled=True, size=30)
    return alt.layer(base.mark_line(), marks).properties(width=520, height=260)


def draw(history: list[Line], folder: Path) -> None:
    """Draw each group of workloads."""
    frame = speeds(history)
    for name in GROUPS:
        drawn(frame.filter(group=name)).save(folder / f"over-time-{name}.svg")


def main() -> None:
    """Measure, print, and keep what is committed."""
    is_kept, line = is_committed(), commit()
    with Console(stderr=True).status("") as status:
        document = simulations.bench(None, status.update)
    Console().print(simulations.table(document))
    if not is_kept:
        return print("What is not committed is not kept.")
    history = kept(read(HISTORY), line | measured(document))
    write(history, HISTORY)
    draw(history, PICTURES)


if __name__ == "__main__":
    main()
