"""The command `evaluate`: a controller by the criteria of RFC 9743, or a queue by RFC 7928."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel import progress
from windtunnel.cli.output import INTERRUPTED, answer, count, drawn, fail, output, say
from windtunnel.cli.replacing import Source, check
from windtunnel.evaluation import documents, evaluation, words
from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.documents import Evaluation
from windtunnel.evaluation.judging import Verdict
from windtunnel.folders import EVALUATED
from windtunnel.studies.errors import StudyError
from windtunnel.studies.store import Store

FAILED = 1
"""The exit code if a criterion does not hold, or a run failed."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    quick: bool
    jobs: int | None
    resume: bool
    store: Path
    out: Path | None
    as_json: bool


def evaluate(candidate: Candidate, options: Options) -> None:
    """Run the experiments, write the folder and the report, and say what was found."""
    suffix = "-quick" if options.quick else ""
    folder = options.out or Path("results", f"evaluate-{candidate.name}{suffix}")
    replaced = check(folder, Source(EVALUATED, candidate.name), options.out is None)
    if replaced.manifest.get("interrupted") and not options.resume:
        raise StudyError(
            f"{folder}: this evaluation was interrupted\n"
            "help: continue it with --resume, or choose another folder with --out"
        )
    made = evaluation.prepare(candidate, options.quick)
    if not made.studies:
        reason = next(iter(made.refused.values()))
        raise StudyError(
            f"`{candidate.name}` cannot be run in any of the experiments: {reason}\n"
            "help: the experiments are of TCP over IP; "
            f"`windtunnel list {candidate.name}` says what it requires"
        )
    progress.tell(replaced.notes)
    with progress.shown() as watch:
        evaluation.run(made, Store(options.store), options.jobs, watch)
    found = documents.evaluated(candidate, options.quick, made)
    documents.save(found, made, folder)
    page = None if found.interrupted else drawn(folder)
    if options.as_json:
        answer({"folder": str(folder), **documents.document(found)})
    else:
        show(found)
        say(f"Report: {page}" if page else f"Results: {folder}")
    end(found)


def show(found: Evaluation) -> None:
    """Print the table of criteria."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    source = found.candidate.subject.source
    for column in ("", source, "", "by how much, with its 95 % interval", "why"):
        table.add_column(column, overflow="fold")
    for it in found.answers:
        criterion = it.criterion
        name = f"{criterion.title} ({criterion.section})"
        cells = (str(criterion.number), name, str(it.verdict), words.amount(it), words.why(it))
        table.add_row(*cells)
    output().print(table)
    say(summary(found))
    say(words.abstract(found.answers, found.candidate))


def summary(found: Evaluation) -> str:
    """Count the verdicts."""
    counts = {it: sum(of.verdict == it for of in found.answers) for it in Verdict}
    order = (Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED, Verdict.INAPPLICABLE)
    return f"{found.candidate.name}: " + ", ".join(f"{counts[it]} {it}" for it in order)


def end(found: Evaluation) -> None:
    """End the command with an error if it was interrupted, a run failed, or a criterion did."""
    if found.interrupted:
        fail("interrupted: finished runs are kept; continue with --resume", INTERRUPTED)
    if errors := [error for it in found.results.values() for error, _ in it.errors]:
        runs = sum(it.failures.height for it in found.results.values())
        fail("\n".join([f"{count(runs, 'run')} failed", *dict.fromkeys(errors)][:5]), FAILED)
    if criteria := [it for it in found.answers if it.verdict == Verdict.FAILS]:
        said = (
            f"{len(criteria)} criteria do not hold"
            if len(criteria) > 1
            else "a criterion does not hold"
        )
        fail(f"{found.candidate.name}: {said}", FAILED)
