"""Evaluates all controllers by RFC 9743, quickly, and writes the table of docs/evaluation.md.

    python validation/score_controllers.py OUT [--jobs N] [CONTROLLER...]

`OUT` has the folder and the store of each evaluation; what is there is not run again. The standard
controllers are run once: each store begins as a copy of theirs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from windtunnel import _core
from windtunnel.evaluation import candidates, documents, evaluation
from windtunnel.evaluation.criteria import criteria
from windtunnel.evaluation.judging import Verdict
from windtunnel.folders import EVALUATION
from windtunnel.studies.store import Store

PAGE = Path(__file__).parents[1] / "docs" / "evaluation.md"

BEGIN, END = "<!-- The scoreboard: validation/score_controllers.py. -->\n", "<!-- End of it. -->\n"

SIGNS = {
    str(Verdict.HOLDS): "✓",
    str(Verdict.FAILS): "✗",
    str(Verdict.UNDECIDED): "?",
    str(Verdict.INAPPLICABLE): "–",
}

BASE = "cubic"
"""Its evaluation has the runs of all standards."""


def controllers() -> list[str]:
    """Name all controllers."""
    return [it["name"] for it in json.loads(_core.catalogue("controllers"))]


def score(name: str, out: Path, jobs: int | None) -> None:
    """Evaluate a controller, unless that has been done."""
    folder, store = out / name, out / "stores" / name
    if (folder / EVALUATION).exists():
        return
    if name != BASE and not store.exists():
        shutil.copytree(out / "stores" / BASE, store)
    started = time.monotonic()
    candidate = candidates.find(name)
    made = evaluation.prepare(candidate, quick=True)
    if made.studies:
        evaluation.run(made, Store(store), jobs, None)
    documents.save(documents.evaluated(candidate, True, made), made, folder)
    print(f"{name}: {time.monotonic() - started:.0f} s", flush=True)


def table(out: Path, names: list[str]) -> Iterator[str]:
    """Write the table in Markdown: a row for each controller."""
    numbers = [it.number for it in criteria() if not it.undecided]
    yield "| controller | " + " | ".join(map(str, numbers)) + " | ✓ | ✗ |"
    yield "|---" * (len(numbers) + 3) + "|"
    for name in (it for it in dict.fromkeys(names) if (out / it / EVALUATION).exists()):
        document = json.loads((out / name / EVALUATION).read_text(encoding="utf-8"))
        verdicts = {it["number"]: SIGNS[it["verdict"]] for it in document["criteria"]}
        cells = [verdicts[it] for it in numbers]
        counts = [str(cells.count(it)) for it in "✓✗"]
        yield f"| `{name}` | " + " | ".join([*cells, *counts]) + " |"


def main() -> None:
    """Evaluate, and write the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int)
    parser.add_argument("controllers", nargs="*")
    options = parser.parse_args()
    names = options.controllers or controllers()
    for name in dict.fromkeys([BASE, *names]):
        score(name, options.out, options.jobs)
    rows = "\n".join(table(options.out, names)) + "\n"
    print(rows)
    if not options.controllers:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n{rows}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
