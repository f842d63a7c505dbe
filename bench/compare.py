"""Compare the speed and the memory of two commits: HEAD and a base.

    .venv/bin/python bench/compare.py [--pairs N] BASE [WORKLOAD ...]

Each commit is built once, in `target/compare`, as `make demo` builds it; the two last
compared are kept there. Then each workload of `windtunnel bench` runs on the base and
on HEAD in turns, because a machine's speed drifts. Printed are ratios, HEAD to base: the
median of the pairs, the smallest and the largest. If a workload has become slower by more than
3 %, and in no pair as fast, it is named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "target" / "compare"
DEPENDENCIES = FOLDER / "dependencies"
"""Cargo's target folder, which the builds share."""

MILLION = 1e6

SPEED = "packet_hops_per_cpu_s"
MEMORY = "peak_rss_bytes"

SLOWER = 0.97
"""The ratio of speeds below which a median is a regression, if every pair agrees with it."""

Measured = dict[str, Any]
"""What `windtunnel bench --json` says of a workload."""


class Failed(Exception):
    """A command failed; the message is its last line."""


@dataclass(frozen=True)
class Commit:
    """A commit, built in a folder of its own."""

    name: str
    """Its abbreviated hash."""
    subject: str

    @property
    def folder(self) -> Path:
        """Where it is built."""
        return FOLDER / self.name

    def build(self) -> None:
        """Build what has not been built yet."""
        if not self.folder.exists():
            self.check_out()
        if not (self.folder / ".venv/core.stamp").exists():
            # Both share the compiled dependencies, where Cargo takes the crates of the one for
            # those of the other unless they are newer than what was compiled.
            for file in (self.folder / "crates").rglob("*.*"):
                file.touch()
        # What the outer `make` was given is not for this one.
        environment = {key: value for key, value in os.environ.items() if "MAKE" not in key}
        environment["CARGO_TARGET_DIR"] = str(DEPENDENCIES)
        command = ["make", "--directory", str(self.folder), ".venv/core.stamp"]
        # Standard output is for the table.
        subprocess.run(command, env=environment, stdout=sys.stderr, check=True)

    def check_out(self) -> None:
        """Write the commit's files, all or none."""
        unfinished = self.folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        archive = ["git", "-C", str(ROOT), "archive", self.name]
        files = subprocess.run(archive, stdout=subprocess.PIPE, check=True).stdout
        subprocess.run(["tar", "-x", "-C", unfinished], input=files, check=True)
        unfinished.rename(self.folder)

    def windtunnel(self, *arguments: str) -> Any:
        """Call its `windtunnel` and give the answer. Raises Failed."""
        return json.loads(output(self.folder / ".venv/bin/windtunnel", *arguments, "--json"))

    def measure(self, workload: str) -> Measured:
        """Run a workload. Raises Failed."""
        [measured] = self.windtunnel("bench", workload)["workloads"]
        return dict(measured)


def output(*command: str | Path) -> str:
    """Give what a command prints. Raises Failed."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT)
    if done.returncode != 0:
        raise Failed((done.stderr.strip() or f"{command[0]} failed").splitlines()[-1])
    return done.stdout.strip()


def commit(revision: str) -> Commit:
    """Find a commit. Raises Failed."""
    format = "--format=%h%n%s"
    try:
        shown = output("git", "show", "--no-patch", format, f"{revision}^{{commit}}", "--")
    except Failed as error:
        raise Failed(f"there is no commit {revision}: {error}") from error
    return Commit(*shown.splitlines())


def remove_others(*kept: Commit) -> None:
    """Remove the builds of other commits."""
    for folder in FOLDER.iterdir():
        if folder not in [DEPENDENCIES, *(it.folder for it in kept)]:
            shutil.rmtree(folder)


def all_workloads(head: Commit) -> list[str]:
    """Name the workloads of a commit. Raises Failed."""
    return [it["name"] for it in head.windtunnel("list", "bench")["bench"]]


def pairs_of(base: Commit, head: Commit, workload: str, pairs: int) -> Iterator[list[Measured]]:
    """Measure the base and HEAD in turns. Raises Failed."""
    for number in range(1, pairs + 1):
        print(f"{workload}: pair {number} of {pairs}", file=sys.stderr)
        yield [base.measure(workload), head.measure(workload)]


def row(workload: str, pairs: list[list[Measured]]) -> str:
    """Lay out what was measured."""
    speed, memory = columns(pairs, SPEED, 2), columns(pairs, MEMORY, 0)
    return f"{workload:18}  {speed}  {memory}"


def columns(pairs: list[list[Measured]], key: str, digits: int) -> str:
    """Lay out a figure: the medians of both, in millions, and the ratio."""
    base, head = (median(it[key] for it in side) / MILLION for side in zip(*pairs, strict=True))
    found = ratios(pairs, key)
    spread = f"({min(found):.3f} to {max(found):.3f})"
    return f"{base:7.{digits}f} {head:7.{digits}f}  {median(found):.3f} {spread}"


def ratios(pairs: list[list[Measured]], key: str) -> list[float]:
    """Give HEAD's figure over the base's, of each pair."""
    return [head[key] / base[key] for base, head in pairs]


def is_slower(pairs: list[list[Measured]]) -> bool:
    """Say whether a workload is slower than noise explains: its median, and every pair."""
    speeds = ratios(pairs, SPEED)
    return median(speeds) < SLOWER and max(speeds) < 1


def heading(base: Commit, head: Commit, pairs: int) -> str:
    """Say what is compared."""
    columns = "   base    head  ratio (range)         "
    return (
        f"base: {base.name} {base.subject}\nhead: {head.name} {head.subject}\n"
        f"ratio: head to base, the median of {pairs} pairs and their range\n\n"
        f"{'':18}  {'million packet-hops a CPU second':39}  peak memory, MB\n"
        f"{'workload':18}  {columns}  {columns.rstrip()}"
    )


def compare(base: Commit, head: Commit, workloads: list[str], pairs: int) -> list[str]:
    """Build both, measure, and print a row for each workload.

    Returns the workloads that have become slower. Raises Failed.
    """
    for it in (base, head):
        it.build()
    remove_others(base, head)
    print(heading(base, head, pairs), flush=True)
    slower = []
    for workload in workloads or all_workloads(head):
        try:
            measured = list(pairs_of(base, head, workload, pairs))
            print(row(workload, measured), flush=True)
            slower += [workload] if is_slower(measured) else []
        except Failed as error:
            print(f"{workload:18}  not compared: {error}", flush=True)
    return slower


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Compare the speed of HEAD with a base's.")
    parser.add_argument("base", help="a commit")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each (default: 5)")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help="default: all")
    given = parser.parse_args()
    if given.pairs < 1:
        parser.error("--pairs must be at least 1")
    return given


def main() -> None:
    """Compare HEAD with the base that the command line names."""
    given = arguments()
    if output("git", "status", "--porcelain", "--untracked-files=no"):
        print("What is not committed is not measured.", file=sys.stderr)
    slower = compare(commit(given.base), commit("HEAD"), given.workloads, given.pairs)
    if slower:
        sys.exit(f"slower by more than 3 %, in every pair: {', '.join(slower)}")


if __name__ == "__main__":
    try:
        main()
    except (Failed, subprocess.CalledProcessError) as error:
        sys.exit(f"compare: {error}")
