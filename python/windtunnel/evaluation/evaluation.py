"""An evaluation: the experiments are run as studies, and each criterion is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from windtunnel.evaluation import causes, experiments
from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.criteria import Check, Criterion, criteria
from windtunnel.evaluation.judging import Judged, Verdict, judge, rank, tables_of
from windtunnel.studies import checking, design
from windtunnel.studies import study as studies
from windtunnel.studies.file import Study
from windtunnel.studies.outcome import StudyResults
from windtunnel.studies.runner import Progress, Ran
from windtunnel.studies.store import Store
from windtunnel.studies.worker import Base

Watch = Callable[[Progress], None]
"""What is told of the progress of studies."""


@dataclass(frozen=True)
class Answer:
    """What is known of a criterion."""

    criterion: Criterion
    verdict: Verdict
    judged: list[Judged] = field(default_factory=list)
    """All limits at all points."""
    reason: str = ""
    """Why, in a sentence; empty if all limits hold."""

    @property
    def worst(self) -> Judged | None:
        """The limit and point that decide: those furthest beyond the limit, or nearest to it."""
        return max(self.judged, key=rank, default=None)

    def count(self, verdict: Verdict) -> int:
        """Count the limits and points with a verdict."""
        return sum(it.verdict == verdict for it in self.judged)


@dataclass
class Experiments:
    """The studies of an evaluation, and what came of them."""

    results: dict[str, StudyResults] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    """Why the candidate cannot be run in an experiment."""
    studies: dict[str, Study] = field(default_factory=dict)
    ran: dict[str, Ran] = field(default_factory=dict)
    interrupted: bool = False


def applies(criterion: Criterion, needs: tuple[str, ...]) -> bool:
    """Say whether a criterion is about such a controller."""
    return not criterion.needs or criterion.needs in needs


def wanted(candidate: Candidate) -> list[str]:
    """Name the experiments that decide what applies, in the order of the criteria."""
    named = (
        check.experiment
        for criterion in criteria(candidate.subject)
        if applies(criterion, candidate.needs)
        for check in criterion.checks
    )
    return list(dict.fromkeys(named))


def prepare(candidate: Candidate, quick: bool) -> Experiments:
    """Read the experiments with the candidate in them, and try whether it can be run there."""
    made = Experiments()
    for name in wanted(candidate):
        study = experiments.study(name, candidate, quick)
        if error := refusal(study, candidate):
            made.refused[name] = error
        else:
            made.studies[name] = study
    return made


def refusal(study: Study, candidate: Candidate) -> str:
    """Say why a study cannot be run with the candidate; empty if it can at some point."""
    base, error = Base(study), ""
    place = [it.name for it in study.parameters].index(candidate.subject.word)
    for point in design.points(study):
        if point.values[place] != candidate.name:
            continue
        try:
            read = checking.attempt(study, base, point)
        except ValueError as wrong:
            # A class that is not valid itself.
            return str(wrong)
        if not isinstance(read, Exception):
            return ""
        error = error or sentence(str(read))
    return error


def sentence(error: str) -> str:
    """Give what a scenario's error says, without the file and the lines of it."""
    first = error.splitlines()[0]
    return first.split(": ", 1)[-1] if first.split(": ", 1)[0].find(".toml") >= 0 else first


def run(made: Experiments, store: Store, jobs: int | None, watch: Watch | None) -> None:
    """Run the studies that are not in the store, one after another, until an interruption."""
    total = Progress(sum(studies.planned(it)[1] for it in made.studies.values()))
    for name, study in made.studies.items():
        ran = studies.run(study, store, jobs=jobs, watch=within(total, watch))
        add(total, ran.progress)
        made.ran[name] = ran
        made.interrupted = ran.interrupted
        if ran.interrupted:
            break
    once = ReadOnce(store.folder)
    for name, ran in made.ran.items():
        made.results[name] = studies.results(made.studies[name], once, ran)


def within(total: Progress, watch: Watch | None) -> Watch | None:
    """Give a function that shows the progress of one study as part of all."""
    if watch is None:
        return None

    def shown(now: Progress) -> None:
        both = Progress(total.runs, total.stored, total.done, total.failed, total.real_s)
        add(both, now)
        watch(both)

    return shown


def add(total: Progress, part: Progress) -> None:
    """Add the progress of a study to that of all."""
    total.stored += part.stored
    total.done += part.done
    total.failed += part.failed
    total.real_s += part.real_s


def answers(made: Experiments, candidate: Candidate) -> Iterator[Answer]:
    """Answer all criteria."""
    tables = {name: tables_of(it) for name, it in made.results.items()}
    for criterion in criteria(candidate.subject):
        if not applies(criterion, candidate.needs):
            reason = f"for controllers that need {criterion.needs}"
            yield Answer(criterion, Verdict.INAPPLICABLE, reason=reason)
        elif criterion.undecided:
            yield Answer(criterion, Verdict.UNDECIDED, reason=criterion.undecided)
        else:
            yield answer(criterion, made, tables, candidate)


def answer(
    criterion: Criterion,
    made: Experiments,
    tables: dict[str, dict[str, pl.DataFrame]],
    candidate: Candidate,
) -> Answer:
    """Answer a criterion that has checks."""
    judged: list[Judged] = []
    missing = []
    for check in criterion.checks:
        if error := unmeasured(check, made, candidate):
            missing.append(error)
            continue
        found = judge(check, made.results[check.experiment], tables[check.experiment], candidate)
        judged += found
        missing += [] if found else [f"nothing was measured: {check.experiment}"]
    if not judged and all(it.experiment in made.refused for it in criterion.checks):
        return Answer(criterion, Verdict.INAPPLICABLE, reason=missing[0])
    verdict = worst_of(judged, bool(missing))
    known = Answer(criterion, verdict, judged, "; ".join(dict.fromkeys(missing)))
    worst = known.worst
    if verdict != Verdict.FAILS or worst is None:
        return known
    name = worst.check.experiment
    why = causes.cause(worst, made.results[name], tables[name], candidate)
    return Answer(criterion, verdict, judged, why)


def unmeasured(check: Check, made: Experiments, candidate: Candidate) -> str:
    """Say why an experiment has nothing to judge; empty if it has."""
    if error := made.refused.get(check.experiment):
        return error
    results = made.results.get(check.experiment)
    if results is None:
        return "interrupted"
    failed = results.failures.filter(pl.col(candidate.subject.word) == candidate.name)
    return f"its runs failed: {failed['error'][0]}" if failed.height else ""


def worst_of(judged: list[Judged], is_partial: bool) -> Verdict:
    """Give the verdict of a criterion: the worst of its limits'."""
    verdicts = {it.verdict for it in judged}
    if Verdict.FAILS in verdicts:
        return Verdict.FAILS
    if Verdict.UNDECIDED in verdicts or is_partial or not judged:
        return Verdict.UNDECIDED
    return Verdict.HOLDS


class ReadOnce(Store):
    """A store whose tables are read once for all studies: it can have thousands of files."""

    def __init__(self, folder: Path) -> None:
        """Begin without a table."""
        super().__init__(folder)
        self.tables: dict[str, pl.DataFrame | None] = {}

    def table(self, name: str, columns: Iterable[str] | None = None) -> pl.DataFrame | None:
        """Give a table of all runs; None if there is none. Raises StudyError."""
        if name not in self.tables:
            self.tables[name] = super().table(name)
        table = self.tables[name]
        return table if table is None or columns is None else table.select(*columns)
