"""The command `study`: its options, questions and output."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from windtunnel import progress
from windtunnel.cli.output import INTERNAL_ERROR, count, fail
from windtunnel.cli.replacing import Source, check
from windtunnel.extensions import load
from windtunnel.folders import STUDY_FILE, relative
from windtunnel.studies import study as studies
from windtunnel.studies.errors import StudyError
from windtunnel.studies.file import read
from windtunnel.studies.outcome import StudyResults
from windtunnel.studies.store import Store

MOST_UNASKED = 100_000
"""The number of runs above which the command asks for confirmation."""


MOST_ERRORS = 10
"""The maximum number of distinct errors of runs that are printed."""


@dataclass(frozen=True)
class StudyOptions:
    """The options of the command line."""

    jobs: int | None
    resume: bool
    retry_failed: bool
    dask: str | None
    store: Path
    yes: bool
    as_json: bool
    csv: bool
    """Whether to write the tables as CSV, too."""
    is_default: bool
    """Whether the folder of the results is the default one."""
    extensions: list[str]
    """Classes as FILE:CLASS."""


def run_study(file: Path, folder: Path, options: StudyOptions) -> tuple[StudyResults, bool]:
    """Run a study and write its folder; return its results, and whether it was interrupted."""
    study, store = read(file, load(options.extensions)), Store(options.store)
    source = Source(STUDY_FILE, relative(file, folder))
    replaced = check(folder, source, options.is_default)
    check_resumed(folder, replaced.manifest, options)
    ask(file, studies.planned(study)[1], options)
    progress.tell(replaced.notes)
    with progress.shown() as watch:
        ran = studies.run(
            study,
            store,
            jobs=options.jobs,
            dask=options.dask,
            retry_failed=options.retry_failed,
            watch=watch,
        )
    found = studies.results(study, store, ran)
    studies.save(study, found, folder, ran, options.csv)
    return found, ran.interrupted


def check_resumed(folder: Path, replaced: dict[str, Any], options: StudyOptions) -> None:
    """Refuse to overwrite an interrupted study without `--resume`."""
    if replaced.get("interrupted") and not options.resume:
        raise StudyError(
            f"{folder}: this study was interrupted\n"
            "help: continue it with --resume, or choose another folder with --out"
        )


def ask(file: Path, runs: int, options: StudyOptions) -> None:
    """Ask for confirmation of a very large study."""
    if runs <= MOST_UNASKED or options.yes:
        return
    question = f"{file}: {runs:,} runs; continue?"
    if not (sys.stdin.isatty() and typer.confirm(question, err=True)):
        raise StudyError(
            f"{file}: {runs:,} runs\nhelp: --dry-run estimates their time; --yes runs them"
        )


def estimate(file: Path, options: StudyOptions) -> None:
    """Print an estimate of a study's runs, time and disk space."""
    study = read(file, load(options.extensions))
    jobs = options.jobs or os.cpu_count() or 1
    found = studies.estimate(study, Store(options.store), jobs, MOST_UNASKED)
    if options.as_json:
        print(json.dumps(asdict(found), indent=2))
        return
    qualifier = " at least" if study.stop else ""
    print(f"{file}: {found.points:,} points,{qualifier} {found.runs:,} runs")
    if found.stored:
        print(f"already in the store: {found.stored:,}")
    print(f"about {words(found.seconds)} on {jobs} processors, {size(found.bytes)} in the store")


def words(seconds: float) -> str:
    """Format a duration."""
    for unit, worth in (("days", 86400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * worth:
            return f"{seconds / worth:,.0f} {unit}"
    return f"{seconds:.2g} s"


def size(count: float) -> str:
    """Format a size."""
    for unit, worth in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= worth:
            return f"{count / worth:,.1f} {unit}"
    return f"{count / 1e3:.0f} kB"


def print_results(found: StudyResults, folder: Path, page: Path | None, as_json: bool) -> None:
    """Print the outcome of a study."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel import significance
    from windtunnel.measures import repetition

    if as_json:
        document = {
            "folder": str(folder),
            "store": str(found.store.folder) if found.store else None,
            "title": found.title,
            "planned": found.planned,
            "finished": found.frame.height,
            "failed": found.failures.height,
            "parameters": [vars(it) for it in found.parameters],
            "runs": found.frame.rows(named=True),
            "failures": found.failures.rows(named=True),
            "differences": [it.row() for it in significance.differences_of(found)],
        }
        print(json.dumps(document, indent=2))
        return
    print(f"{found.frame.height:,} of {found.planned:,} runs finished", end="")
    print(f", {found.failures.height:,} failed" if found.failures.height else "")
    for line in significance.of_study(found):
        print(line)
    for said in (found.unfinished, repetition.said_of_study(found)):
        if said:
            print(said)
    print(f"Report: {page}" if page else f"Results: {folder}")


def report_failed(found: StudyResults) -> None:
    """Say why runs failed, each error once, and end the command; nothing if none failed."""
    errors = found.errors
    if not errors:
        return
    said = [f"{count(runs, 'run')}: {error}" for error, runs in errors[:MOST_ERRORS]]
    if len(errors) > MOST_ERRORS:
        said.append(f"{len(errors) - MOST_ERRORS} more errors are in the report")
    failed = f"{found.failures.height:,} of {count(found.planned, 'run')} failed"
    fail("\n".join([failed, *said]), INTERNAL_ERROR)
