"""Answers in words: for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.evaluation import Answer
from windtunnel.evaluation.judging import Judged, Verdict
from windtunnel.evaluation.measures import MEASURES
from windtunnel.pictures.units import Scale, decimals, scale, written

FORMS = {"harm": "harm to {}", "ratio": "{}, of that in the plain case", "difference": "{}"}
"""How measures in relation to another case are named."""


def title(judged: Judged) -> str:
    """Name what was measured."""
    name = MEASURES[judged.check.measure].column.title
    relative = judged.check.relative
    return FORMS[relative.form].format(name) if relative else name


def fitting(judged: Judged) -> Scale:
    """Choose the unit of a measure."""
    relative = judged.check.relative
    unit = MEASURES[judged.check.measure].column.unit
    if relative and relative.form != "difference":
        unit = "share"
    return scale(unit, [judged.value.mean, judged.limit])


def measured(judged: Judged) -> str:
    """Write the value, the limit, and by how much the one is beyond the other."""
    shown = fitting(judged)
    means = [judged.value.mean / shown.size, judged.limit / shown.size]
    digits = min(decimals(means), 3)
    value, limit = (written(it, digits) for it in means)
    mean, low, high = (
        f"{it / shown.size:+,.{digits}f}" for it in (judged.excess.mean, *judged.excess.ends)
    )
    unit = f" {shown.unit}" if shown.unit else ""
    return f"{title(judged)} {value}{unit}, limit {limit}{unit}: {mean} [{low}, {high}]"


def place(judged: Judged) -> str:
    """Name the point."""
    return ", ".join(f"{name} {text}" for name, text in judged.point.items()) or "all runs"


def amount(answer: Answer) -> str:
    """Say by how much a criterion holds or does not, where it is nearest to its limit."""
    worst = answer.worst
    return measured(worst) if worst else ""


def why(answer: Answer) -> str:
    """Say why, and at how many points."""
    worst = answer.worst
    if worst is None:
        return answer.reason
    failing, undecided = (answer.count(it) for it in (Verdict.FAILS, Verdict.UNDECIDED))
    if answer.verdict == Verdict.FAILS:
        cases = f"in {failing} of {len(answer.judged)} cases, most with {place(worst)}"
        return f"{answer.reason}; {cases}"
    if undecided:
        cases = f"the interval holds the limit in {undecided} of {len(answer.judged)} cases"
        return "; ".join(filter(None, [answer.reason, f"{cases}, such as {place(worst)}"]))
    return answer.reason or f"nearest to the limit with {place(worst)}"


def abstract(answers: Sequence[Answer], candidate: Candidate) -> str:
    """Draft the sentences that RFC 9743 asks of a controller's specification in its abstract."""
    of = {verdict: [it for it in answers if it.verdict == verdict] for verdict in Verdict}
    listed = ", ".join(f"{it.criterion.title} ({it.criterion.section})" for it in of[Verdict.FAILS])
    decided = len(of[Verdict.HOLDS]) + len(of[Verdict.FAILS])
    said = [
        f"In simulations {candidate.name} met {len(of[Verdict.HOLDS])} of the {decided} criteria "
        f"of {candidate.subject.source} that were decided."
    ]
    if listed:
        said.append(f"It is not recommended where these matter, until explained: {listed}.")
    return " ".join(said)
