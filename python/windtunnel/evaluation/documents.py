"""An evaluation as a folder: the studies of its experiments, and the answers as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel._core import __version__
from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.evaluation import Answer, Experiments, ReadOnce, answers
from windtunnel.evaluation.judging import Judged
from windtunnel.evaluation.subjects import SUBJECTS
from windtunnel.evaluation.words import abstract
from windtunnel.extensions import described
from windtunnel.folders import (
    EVALUATED,
    EVALUATION,
    VERSION_KEY,
    read_manifest,
    write_manifest,
    written_whole,
)
from windtunnel.measures.intervals import Interval
from windtunnel.results import not_results
from windtunnel.studies import study as studies
from windtunnel.studies.outcome import StudyResults


@dataclass(frozen=True)
class Evaluation:
    """The evaluation of a candidate."""

    candidate: Candidate
    quick: bool
    answers: list[Answer]
    results: dict[str, StudyResults]
    """The studies by the names of their experiments."""
    interrupted: bool


def evaluated(candidate: Candidate, quick: bool, made: Experiments) -> Evaluation:
    """Answer all criteria from the experiments."""
    found = [*answers(made, candidate)]
    return Evaluation(candidate, quick, found, made.results, made.interrupted)


def save(found: Evaluation, made: Experiments, folder: Path) -> None:
    """Write the folder of an evaluation: its document, and a folder for each experiment.

    Raises OSError.
    """
    candidate = found.candidate
    with written_whole(folder) as written:
        for name, results in made.results.items():
            studies.save(made.studies[name], results, written / name, made.ran[name])
        kept = {"needs": list(candidate.needs), "refused": made.refused}
        text = json.dumps({**document(found), **kept}, indent=2, ensure_ascii=False)
        (written / EVALUATION).write_text(text + "\n", encoding="utf-8")
        manifest = {
            VERSION_KEY: __version__,
            EVALUATED: candidate.name,
            "subject": candidate.subject.word,
            "quick": found.quick,
            "extensions": described(candidate.extensions),
            "interrupted": found.interrupted,
        }
        write_manifest(written, manifest)


def load(folder: Path) -> Evaluation:
    """Read an evaluation's folder. Raises ResultsError if it is not one, or StudyError."""
    try:
        manifest = read_manifest(folder)
        stored = json.loads((folder / EVALUATION).read_text(encoding="utf-8"))
        names = [it["experiment"] for it in stored["experiments"]]
        made = Experiments(refused=stored["refused"], interrupted=manifest["interrupted"])
        subject = SUBJECTS[manifest["subject"]]
        candidate = Candidate(subject, str(manifest[EVALUATED]), tuple(stored["needs"]), {})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise not_results(folder, "an evaluation", error) from error
    once: ReadOnce | None = None
    for name in names:
        results = StudyResults.load(folder / name)
        assert results.store
        once = once or ReadOnce(results.store.folder)
        made.results[name] = replace(results, store=once)
    found = [*answers(made, candidate)]
    return Evaluation(candidate, manifest["quick"], found, made.results, made.interrupted)


def document(found: Evaluation) -> dict[str, Any]:
    """Give an evaluation as JSON values."""
    return {
        "version": __version__,
        found.candidate.subject.word: found.candidate.name,
        "quick": found.quick,
        "source": found.candidate.subject.source,
        "abstract": abstract(found.answers, found.candidate),
        "criteria": [of_answer(it) for it in found.answers],
        "experiments": [
            {"experiment": name, "finished": it.frame.height, "planned": it.planned}
            for name, it in found.results.items()
        ],
    }


def of_answer(answer: Answer) -> dict[str, Any]:
    """Give an answer as JSON values."""
    criterion = answer.criterion
    return {
        "number": criterion.number,
        "section": criterion.section,
        "title": criterion.title,
        "asks": criterion.asks,
        "verdict": str(answer.verdict),
        "reason": answer.reason,
        "limits": [of_judged(it) for it in answer.judged],
    }


def of_judged(judged: Judged) -> dict[str, Any]:
    """Give a limit at a point as JSON values."""
    check = judged.check
    return {
        "experiment": check.experiment,
        "measure": check.measure,
        "form": check.relative.form if check.relative else "value",
        "point": judged.point,
        "verdict": str(judged.verdict),
        "value": ends(judged.value),
        "limit": judged.limit,
        "standard": judged.standard,
        "standard_value": ends(judged.of_standard) if judged.of_standard else None,
        "beyond_limit": ends(judged.excess),
        "limit_source": check.source,
    }


def ends(value: Interval) -> dict[str, float]:
    """Give a mean and its interval."""
    return {"mean": value.mean, "low": value.low, "high": value.high}
