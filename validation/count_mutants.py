"""Print the share of mutants that the tests kill, crate by crate.

    python validation/count_mutants.py target/mutants/mutants.out/outcomes.json

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


def counts(outcomes: Path) -> dict[str, Counter[str]]:
    """For each crate, how many of its mutants had which outcome."""
    found: dict[str, Counter[str]] = {}
    for outcome in json.loads(outcomes.read_text(encoding="utf-8"))["outcomes"]:
        if outcome["scenario"] != "Baseline":
            crate = outcome["scenario"]["Mutant"]["package"].removeprefix("windtunnel-")
            found.setdefault(crate, Counter())[outcome["summary"]] += 1
    return found


def row(crate: str, counted: Counter[str]) -> tuple[str, float]:
    """The table's row of a crate, and the share that is killed."""
    killed = sum(counted[it] for it in KILLED)
    viable = killed + counted[SURVIVED]
    share = killed / viable if viable else 1.0
    return f"| {crate} | {viable} | {killed} | {100 * share:.1f} % |", share


def main(outcomes: Path) -> int:
    """Print the table; the exit code."""
    found = counts(outcomes)
    rows = [row(crate, found[crate])[0] for crate in sorted(found)]
    every, share = row("all", sum(found.values(), Counter()))
    head = ["| crate | mutants | killed | share |", "| --- | --- | --- | --- |"]
    print(*head, *rows, every, sep="\n")
    return 0 if share >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
