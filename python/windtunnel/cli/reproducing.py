"""`windtunnel reproduce`: a paper's experiments are run, its questions answered and reported."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel import __version__, progress
from windtunnel.cli import comparison
from windtunnel.cli.output import INTERRUPTED, answer, drawn, fail, output, say
from windtunnel.cli.replacing import Source, check
from windtunnel.cli.run import report_failures, report_faults
from windtunnel.folders import PAPER, REPRODUCTION
from windtunnel.papers.errors import PaperError
from windtunnel.papers.paper import Paper, find_paper
from windtunnel.papers.reproduction import Reproduction, reproduce
from windtunnel.papers.unfinished import Unfinished
from windtunnel.papers.variant import Variant


@dataclass(frozen=True)
class Options:
    """What the command was given beside the paper."""

    runs: int | None
    seed: int | None
    combinations: int
    variant: Variant
    jobs: int | None
    resume: bool
    out: Path | None
    everything: bool
    """Whether all numbers are printed."""
    as_json: bool


def reproduce_and_tell(name: str, options: Options) -> None:
    """Reproduce a paper, write its folder, and say what was found."""
    paper = find_paper(name)
    folder = options.out or default_folder(paper, options.variant)
    replaced = check(folder, Source(PAPER, paper.source), options.out is None)
    unfinished = Unfinished(folder.with_name(f"{folder.name}.unfinished"))
    check_resumed(unfinished, options)
    with progress.shown() as watch:
        found = reproduce(
            name,
            runs=options.runs,
            seed=options.seed,
            combinations=options.combinations,
            variant=options.variant,
            jobs=options.jobs,
            watch=watch,
            unfinished=unfinished,
        )
    if not any(results.tables for results in found.results.values()):
        report_faults(found.faults)
        report_failures(found.failures)
        fail("interrupted: no run was finished; nothing was written", INTERRUPTED)
    progress.tell(replaced.notes)
    found.save(folder)
    if not found.interrupted:
        unfinished.remove()
    if not options.as_json:
        show(found, options.everything)
    # An interruption must end within a second, and a report takes longer.
    page = None if found.interrupted else drawn(folder)
    if options.as_json:
        answer({"folder": str(folder), **reproduction_document(folder)})
    else:
        say(f"Report: {page}" if page else f"Results: {folder}")
    report_faults(found.faults)
    report_failures(found.failures)
    if found.interrupted:
        missing = "; ".join(found.missing)
        what = f"interrupted: {missing}; the other results are in {folder}"
        more = "\nhelp: continue with --resume" if unfinished.holds_any() else ""
        fail(what + more, INTERRUPTED)


def check_resumed(unfinished: Unfinished, options: Options) -> None:
    """Refuse to begin anew what was interrupted without `--resume`."""
    if unfinished.holds_any() and not options.resume:
        raise PaperError(
            f"{unfinished.folder}: this reproduction was interrupted\n"
            "help: continue it with --resume, remove that folder, or choose another one with --out"
        )


def reproduction_document(folder: Path) -> dict[str, Any]:
    """Read the document of a reproduction, with the files of its report."""
    document = json.loads((folder / REPRODUCTION).read_text(encoding="utf-8"))
    del document["page"]
    return {"version": __version__, **document}


def default_folder(paper: Paper, variant: Variant) -> Path:
    """Give the folder of a paper's results; what was changed does not replace the paper's own."""
    suffix = "-quick" if variant.quick else "-variant" if variant.words() else ""
    return Path("results", paper.name + suffix)


def show(found: Reproduction, everything: bool) -> None:
    """Print what was found."""
    if found.changed:
        say(f"Changed: {'; '.join(found.changed)}")
    for table in comparison.tables(found.items) if everything else ():
        output().print(table)
    for shown in comparison.screen(found):
        output().print(shown)
