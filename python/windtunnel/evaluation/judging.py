"""Whether a limit holds: values of the candidate and of the standards, paired by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

import polars as pl

from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.criteria import Check, Relative
from windtunnel.evaluation.measures import MEASURES, RunMeasure
from windtunnel.measures.frame import Parameter
from windtunnel.measures.intervals import Interval, interval
from windtunnel.measures.measure import VALUE
from windtunnel.studies.outcome import StudyResults

Seeds = Mapping[int, float]
"""Values by their seeds."""


ENOUGH = 5
"""The seeds that decide where they agree: by chance they do with a probability of 1/32."""


class Verdict(StrEnum):
    """Whether a criterion, or a limit at one point, holds."""

    FAILS = "does not hold"
    UNDECIDED = "not decided"
    HOLDS = "holds"
    INAPPLICABLE = "does not apply"


@dataclass(frozen=True)
class Judged:
    """A check at one point of its experiment."""

    check: Check
    point: dict[str, str]
    """The parameters beside the candidate, as the study has them."""
    value: Interval
    """The candidate's."""
    limit: float
    """The mean over the seeds."""
    standard: str
    """The standard that the limit is of: the one that allows more."""
    of_standard: Interval | None
    """What it measured."""
    excess: Interval
    """By how much the candidate is beyond the limit, paired by seed; negative: within it."""

    verdict: Verdict

    @property
    def severity(self) -> float:
        """How far beyond the limit it is, in parts of the limit or of the value."""
        size = max(abs(self.limit), abs(self.value.mean))
        return self.excess.mean / size if size else 0.0


def tables_of(results: StudyResults) -> dict[str, pl.DataFrame]:
    """Read the tables of a study that measures need."""
    return {name: results.table(name) for name in ("runs", "flows", "links", "transfers")}


def values(check: Check, results: StudyResults, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Give the values of a check: the parameters, `seed` and `VALUE` of each run that has one."""
    names = [it.name for it in results.parameters]
    taken = MEASURES[check.measure].take(tables)
    runs = results.frame.select(*names, "seed", "key").join(taken, on="key")
    known = runs.drop("key").drop_nulls(VALUE).filter(pl.col(VALUE).is_finite())
    if check.relative:
        known = related(known, check.relative, results.parameters, MEASURES[check.measure])
    for name, allowed in check.where.items():
        known = known.filter(pl.col(name).is_in(stored(results.parameters, name, allowed)))
    return known


def stored(parameters: list[Parameter], name: str, texts: list[str]) -> list[float | str]:
    """Give the values of a parameter as frames have them."""
    parameter = next(it for it in parameters if it.name == name)
    if parameter.numbers is None:
        return [*texts]
    return [
        number
        for text, number in zip(parameter.values, parameter.numbers, strict=True)
        if text in texts
    ]


def related(
    known: pl.DataFrame, relative: Relative, parameters: list[Parameter], measure: RunMeasure
) -> pl.DataFrame:
    """Put each value in relation to that of another case with the same seed."""
    name = relative.parameter
    same = [it.name for it in parameters if it.name != name] + ["seed"]
    is_other = pl.col(name).is_in(stored(parameters, name, [relative.to]))
    other = known.filter(is_other).select(*same, other=VALUE)
    joined = known.filter(~is_other).join(other, on=same)
    value, base = pl.col(VALUE), pl.col("other")
    harm = (value - base) / value if measure.less_is_better else (base - value) / base
    form = {"difference": value - base, "ratio": value / base, "harm": harm}[relative.form]
    return joined.with_columns(form.alias(VALUE)).drop("other").filter(pl.col(VALUE).is_finite())


def less_is_better(check: Check) -> bool:
    """Say in which direction a check becomes better: harm when it falls."""
    is_harm = check.relative is not None and check.relative.form == "harm"
    return is_harm or MEASURES[check.measure].less_is_better


def judge(
    check: Check, results: StudyResults, tables: Mapping[str, pl.DataFrame], candidate: Candidate
) -> list[Judged]:
    """Judge a check at each point where the candidate has values."""
    found = values(check, results, tables)
    others = [it for it in results.parameters if it.name != candidate.subject.word]
    names = [it.name for it in others]
    made = []
    for point, rows in found.with_columns(all=0).group_by("all", *names, maintain_order=True):
        of = {
            name: dict(its.select("seed", VALUE).rows())
            for (name,), its in rows.group_by(candidate.subject.word, maintain_order=True)
        }
        named = {it.name: written(it, value) for it, value in zip(others, point[1:], strict=True)}
        if judged := at_point(check, named, of, candidate.name, candidate.subject.standards):
            made.append(judged)
    return made


def written(parameter: Parameter, value: object) -> str:
    """Write a value of a parameter as the study has it."""
    if parameter.numbers is None:
        return str(value)
    return parameter.values[parameter.numbers.index(float(str(value)))]


def at_point(
    check: Check,
    point: dict[str, str],
    of: Mapping[str, Seeds],
    candidate: str,
    standards: Sequence[str],
) -> Judged | None:
    """Judge a check at a point, of the values of each by its name; None: nothing can be said.

    Of the standards the one counts beside which the candidate does best: a standard always does as
    well as itself.
    """
    own = of.get(candidate, {})
    beside = (beside_one(check, point, own, it, of.get(it, {})) for it in standards)
    return min(filter(None, beside), key=rank, default=None)


def beside_one(
    check: Check, point: dict[str, str], own: Seeds, standard: str, base: Seeds
) -> Judged | None:
    """Judge a check at a point beside a standard; None: nothing can be said."""
    less = less_is_better(check)
    limits = {seed: check.limit.of(base.get(seed), less) for seed in own}
    pairs = [(own[seed], limit) for seed, limit in limits.items() if limit is not None]
    if not pairs:
        return None
    beyond = [value - limit if less else limit - value for value, limit in pairs]
    return Judged(
        check,
        point,
        interval([value for value, _ in pairs]),
        fmean(limit for _, limit in pairs),
        standard,
        interval([*base.values()]) if base else None,
        interval(beyond),
        decided(beyond),
    )


def decided(beyond: list[float]) -> Verdict:
    """Say whether a limit holds, of what each seed is beyond it: by the interval of the mean, or
    where all of enough seeds agree (sign test)."""
    excess, agree = interval(beyond), len(beyond) >= ENOUGH
    if excess.low > 0 or (agree and min(beyond) > 0):
        return Verdict.FAILS
    if excess.high <= 0 or (agree and max(beyond) <= 0):
        return Verdict.HOLDS
    return Verdict.UNDECIDED


ORDER = (Verdict.HOLDS, Verdict.UNDECIDED, Verdict.FAILS)
"""The verdicts of limits, the worst last."""


def rank(judged: Judged) -> tuple[int, float]:
    """Order limits at points: the worst is the greatest."""
    return ORDER.index(judged.verdict), judged.severity
