"""The command `gate`: a study's figures compared with a baseline, for continuous integration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from windtunnel import __version__, progress
from windtunnel.cli import gating_cases
from windtunnel.cli.gating_cases import Cases
from windtunnel.cli.output import INTERRUPTED, answer, count, fail, output, say
from windtunnel.extensions import load
from windtunnel.gate import baseline, junit
from windtunnel.gate.baseline import Figures
from windtunnel.gate.comparison import (
    JUDGED,
    LEAST_SEEDS,
    Compared,
    Tolerances,
    Verdict,
    check_measure,
    check_points,
    compared,
    named,
)
from windtunnel.gate.words import cells
from windtunnel.studies import study as studies
from windtunnel.studies.errors import StudyError
from windtunnel.studies.file import Study, read
from windtunnel.studies.outcome import StudyResults
from windtunnel.studies.store import Store
from windtunnel.terminal_tables import FittingTable

REGRESSION = 1
"""The exit code if something has become worse, or a run failed."""

MOST_IMPROVEMENTS = 10
"""The maximum number of improvements that are listed."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    baseline: Path
    update: bool
    settings: dict[str, str]
    extensions: list[str]
    measures: list[str]
    tolerances: list[str]
    junit: Path | None
    jobs: int | None
    store: Path
    as_json: bool
    suites: list[str] = field(default_factory=list)
    controller: str | None = None


def gate(file: Path, options: Options) -> None:
    """Run a study, and write the baseline or compare with it, and play cases."""
    for measure in options.measures:
        check_measure("--measure", measure)
    tolerances = Tolerances(options.tolerances)
    study = read_study(file, options)
    chosen_cases = gating_cases.choose(
        options.suites, options.controller, options.extensions, study.extensions
    )
    before = None if options.update else kept(study, options.baseline)
    found = run(study, options)
    now = baseline.figures(study, found)
    if before is None:
        update(now, found, options)
        return
    check_points(before, points_of(found))
    chosen = options.measures or JUDGED
    errors = errors_of(found)
    comparisons = list(compared(without(before, errors), now, chosen, tolerances))
    cases = chosen_cases.play() if chosen_cases else None
    if options.junit:
        suites = cases.test_suites() if cases else []
        junit.write(options.junit, study.title, comparisons, errors, suites)
    if options.as_json:
        answer(document(comparisons, errors, cases))
    else:
        show(comparisons)
        if cases:
            cases.show()
    end(comparisons, errors, cases)


def read_study(file: Path, options: Options) -> Study:
    """Read a study with its classes and settings. Raises StudyError, also if it has one seed."""
    study = read(file, load(options.extensions))
    varied = {path: it.name for it in study.parameters for path in it.paths}
    for path in options.settings:
        if path in varied:
            raise StudyError(f"--set {path}: the study varies it, as `{varied[path]}`")
    if study.stop is None and len(study.seeds) < LEAST_SEEDS:
        raise StudyError(
            f"{file}: has one seed, whose figures have no interval\nhelp: write seeds = 5"
        )
    return replace(study, settings={**study.settings, **options.settings})


def kept(study: Study, file: Path) -> Figures:
    """Read the baseline. Raises StudyError if it is of other conditions."""
    before = baseline.read(file)
    if before.conditions != baseline.conditions(study):
        raise StudyError(
            f"{file}: the study or its scenario has changed since\n"
            "help: compare under the same conditions, or write a new baseline with --update"
        )
    version = before.made_with.get("windtunnel")
    if version != __version__:
        progress.tell([f"the baseline was made with Windtunnel {version}"])
    return before


def run(study: Study, options: Options) -> StudyResults:
    """Run the study."""
    store = Store(options.store)
    with progress.shown() as watch:
        ran = studies.run(study, store, jobs=options.jobs, watch=watch)
    if ran.interrupted:
        fail("interrupted: finished runs are kept; the same command continues", INTERRUPTED)
    return studies.results(study, store, ran)


def points_of(found: StudyResults) -> dict[baseline.Point, None]:
    """Give the points of a study, also those whose runs failed."""
    assert found.points is not None
    rows = found.points.iter_rows(named=True)
    return dict.fromkeys(baseline.point_of(row, found.parameters) for row in rows)


def errors_of(found: StudyResults) -> dict[tuple[baseline.Point, int], str]:
    """Give the errors of the runs that failed."""
    rows = found.failures.iter_rows(named=True)
    return {(baseline.point_of(it, found.parameters), it["seed"]): it["error"] for it in rows}


def without(before: Figures, errors: junit.Errors) -> Figures:
    """Leave out the points with runs that failed: the errors say what is wrong with them."""
    wrong = {point for point, _ in errors}
    kept = {point: it for point, it in before.points.items() if point not in wrong}
    return replace(before, points=kept)


def update(now: Figures, found: StudyResults, options: Options) -> None:
    """Write the baseline, if all runs finished."""
    if errors := errors_of(found):
        fail(f"nothing was written: {failed(errors)}", REGRESSION)
    baseline.write(now, options.baseline)
    document = {"baseline": str(options.baseline), "points": len(now.points)}
    if options.as_json:
        answer(document)
    else:
        say(f"Baseline: {options.baseline}, {count(len(now.points), 'point')}")


def failed(errors: junit.Errors) -> str:
    """Say how many runs failed, and why."""
    reasons = Counter(errors.values()).most_common()
    said = "; ".join(f"{error} ({count(times, 'run')})" for error, times in reasons)
    return f"{count(len(errors), 'run')} failed: {said}"


def show(comparisons: Sequence[Compared]) -> None:
    """Print what was found: everything that is worse, and some of what is better."""
    worse = [it for it in comparisons if it.is_worse]
    better = [it for it in comparisons if it.verdict == Verdict.IMPROVEMENT]
    if listed := [*worse, *better[:MOST_IMPROVEMENTS]]:
        table = FittingTable()
        for title in ("point", "measure", "baseline", "now", "difference, 95 % interval", ""):
            is_number = title not in ("point", "measure", "")
            table.add_column(title, justify="right" if is_number else "left", overflow="fold")
        for it in listed:
            table.add_row(named(it.point), *cells(it), str(it.verdict))
        output().print(table)
    points = count(len({it.point for it in comparisons}), "point")
    say(
        f"{len(comparisons):,} comparisons of {points}: {count(len(worse), 'regression')}, "
        f"{count(len(better), 'improvement')}"
    )


def document(
    comparisons: Sequence[Compared], errors: junit.Errors, cases: Cases | None
) -> dict[str, Any]:
    """Give everything as JSON values."""
    return {
        "regressions": sum(it.is_worse for it in comparisons),
        "comparisons": [{**asdict(it), "point": dict(it.point)} for it in comparisons],
        "failed_runs": [
            {"point": dict(point), "seed": seed, "error": error}
            for (point, seed), error in errors.items()
        ],
        **({"conformance": cases.document()} if cases else {}),
    }


def end(comparisons: Sequence[Compared], errors: junit.Errors, cases: Cases | None) -> None:
    """End the command with an error if something is worse, or a run or a case failed."""
    wrong = []
    if errors:
        wrong.append(failed(errors))
    elif worse := sum(it.is_worse for it in comparisons):
        wrong.append(count(worse, "regression"))
    if cases and cases.failed:
        wrong.append(f"{cases.failed}\n{cases.help}")
    if wrong:
        fail("; ".join(wrong), REGRESSION)
