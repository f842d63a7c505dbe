"""Print the share of mutants that the tests kill, crate by crate or file by file.

    python validation/count_mutants.py target/mutants/mutants.out/outcomes.json [--files]

reads what `cargo mutants` found; mutants that do not compile are not counted. Exits with
1 if less than 90 % of all are killed.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

LEAST = 0.9
# A mutant that never ends is noticed as well.
KILLED = ("CaughtMutant", "Timeout")
SURVIVED = "MissedMutant"


def counts(outcomes: Path, by: str) -> dict[str, Counter[str]]:
    """For each crate or file, how many of its mutants had which outcome."""
    found: dict[str, Counter[str]] = {}
    for outcome in json.loads(outcomes.read_text(encoding="utf-8"))["outcomes"]:
        if outcome["scenario"] != "Baseline":
            name = outcome["scenario"]["Mutant"][by].removeprefix("windtunnel-")
            found.setdefault(name, Counter())[outcome["summary"]] += 1
    return found


def row(name: str, counted: Counter[str]) -> tuple[str, float]:
    """The table's row of a crate or a file, and the share that is killed."""
    killed = sum(counted[it] for it in KILLED)
    viable = killed + counted[SURVIVED]
    share = killed / viable if viable else 1.0
    return f"| {name} | {viable} | {killed} | {100 * share:.1f} % |", share


def main(outcomes: Path, by: str) -> int:
    """Print the table; the exit code."""
    found = counts(outcomes, by)
    rows = [row(name, found[name])[0] for name in sorted(found)]
    every, share = row("all", sum(found.values(), Counter()))
    what = "crate" if by == "package" else by
    head = [f"| {what} | mutants | killed | share |", "| --- | --- | --- | --- |"]
    print(*head, *rows, every, sep="\n")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), "file" if "--files" in sys.argv else "package"))
