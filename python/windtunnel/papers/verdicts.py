"""Verdicts: what a paper published and claims, compared with what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from statistics import fmean
from typing import Any, Literal

from windtunnel.measures.intervals import interval
from windtunnel.measures.measure import Bound, Measure
from windtunnel.papers import agreement
from windtunnel.papers.agreement import NEAR, TIE, TOLERANCE, Relation, Runs
from windtunnel.papers.claims import Claim, Gain
from windtunnel.papers.experiment import Experiment
from windtunnel.papers.published import Published, Table

Kind = Literal["number", "ranking", "claim", "context"]
"""What an item is: a published number, the ranking of a row of them, a claim, or a measured
value beside them that the paper does not state."""

Verdict = Literal[
    "matches",
    "differs",
    "at the bound",
    "impossible",
    "confirmed",
    "tied",
    "not confirmed",
    "not measured",
]
"""The verdict on a number, or on a ranking or claim.

A number `matches` within 10 % or its rounding, and `differs` otherwise; one that matches, but
lies beyond what the network allows by its rounding or up to 3 %, is `at the bound`. No protocol
can reach one that is `impossible`. A ranking or a claim is `confirmed` if the 95 % interval over
the runs clears the margin of a tie, `tied` if it lies within it, and `not confirmed` otherwise.
`not measured`: the reproduction was interrupted before.
"""


@dataclass(frozen=True)
class Measured:
    """A value with its spread over the runs."""

    mean: float
    low: float
    high: float
    runs: int
    unit: str
    interval: tuple[float, float]
    """The 95 % interval of the mean."""


@dataclass(frozen=True)
class Item:
    """One number, ranking or claim of a paper under one reading, or a value beside them."""

    id: str
    kind: Kind
    reading: str
    published: Decimal | None
    unit: str
    measured: Measured | None
    verdict: Verdict | None
    """None for what the paper does not state."""
    note: str
    question: str = ""
    """The question that a claim answers, if it is one of the first screen."""

    def document(self) -> dict[str, Any]:
        """Give the item as JSON values."""
        published = self.published
        stated = None if published is None else {"value": float(published), "unit": self.unit}
        measured = None if self.measured is None else {**vars(self.measured)}
        if measured:
            measured["interval"] = list(measured["interval"])
        return {
            "id": self.id,
            "kind": self.kind,
            "reading": self.reading,
            "published": stated,
            "measured": measured,
            "verdict": self.verdict,
            "note": self.note,
            "question": self.question,
        }


def summarise(runs: Sequence[float], unit: str) -> Measured | None:
    """Summarise runs; None without any."""
    if not runs:
        return None
    found = interval(runs)
    ends = (found.low, found.high)
    return Measured(found.mean, min(runs), max(runs), len(runs), unit, ends)


def compare_all(
    published: Published,
    claims: Sequence[Claim],
    experiments: Mapping[str, Experiment],
    measures: Mapping[str, Measure],
) -> list[Item]:
    """Give an item for every number, every ranking and every claim under every reading."""
    items: list[Item] = []
    for table in published.tables:
        for row in table.rows:
            over = [experiments[name] for name in table.experiments(row)]
            for reading in readings(over):
                for name in table.measures:
                    place = "/".join([table.id, row, *table.where.values()])
                    line = Line(table.axis, name, measures[name], reading, over, table.where)
                    items.extend(numbers(place, line, table, row))
    for claim in claims:
        for place, names in claim.places.items():
            over = [experiments[name] for name in names]
            for reading in readings(over):
                measure = measures[claim.measure]
                line = Line(claim.axis, claim.measure, measure, reading, over, claim.where)
                own = [published.row(it, claim.measure, claim.axis, claim.where) for it in names]
                items.append(judge_claim(f"claims/{place}/{claim.id}", claim, line, own))
    return items


def readings(over: Sequence[Experiment]) -> list[str]:
    """List the readings of some experiments, the default first."""
    return list(dict.fromkeys(name for it in over for name in it.readings()))


@dataclass(frozen=True)
class Line:
    """The columns of a row, in one measure and under one reading."""

    axis: str
    name: str
    """The measure's name in the paper's files."""
    measure: Measure
    reading: str
    over: list[Experiment]
    where: Mapping[str, str]

    def columns(self) -> list[str]:
        """List all columns that were run."""
        return self.over[0].along(self.axis)

    def runs(self, column: str) -> Runs:
        """Give a column's value in every run: the mean over the experiments."""
        each = [it.runs(self.name, self.axis, column, self.reading, self.where) for it in self.over]
        common = set.intersection(*(set(runs) for runs in each))
        return {number: fmean(runs[number] for runs in each) for number in sorted(common)}

    def measured(self, column: str) -> Measured | None:
        """Summarise a column."""
        return summarise(list(self.runs(column).values()), self.measure.unit)

    def bound(self, column: str) -> Bound:
        """Compute the bound of this measure."""
        bounds = [it.bounds[self.case(it, column)] for it in self.over]
        goodputs, delays = zip(*bounds, strict=True)
        return self.measure.bound(fmean(goodputs), fmean(delays))

    def case(self, experiment: Experiment, column: str) -> tuple[str, ...]:
        """Find the case of a column."""
        return experiment.case(self.axis, column, self.reading, self.where)


# -- Numbers and rankings ---------------------------------------------------------------------


def numbers(place: str, line: Line, table: Table, row: str) -> Iterator[Item]:
    """Give an item for every column of a row, and one for its ranking if it has one."""
    unit, values = line.measure.unit, table.rows[row]
    for column in line.columns():
        id = f"{place}/{column}/{line.name}"
        published, measured = values.get(column), line.measured(column)
        if published is None:
            yield Item(id, "context", line.reading, None, unit, measured, None, "")
            continue
        half = table.half_digit(row, column)
        verdict, note = judge(published, half, measured, line.bound(column))
        yield Item(id, "number", line.reading, published, unit, measured, verdict, note)
    if len(set(values.values())) > 1:
        verdict, note = ranking(values, {it: line.runs(it) for it in values}, table, row)
        id = f"rankings/{place}/{line.name}"
        yield Item(id, "ranking", line.reading, None, unit, None, verdict, note)


def judge(
    published: Decimal, half_digit: float, measured: Measured | None, bound: Bound
) -> tuple[Verdict, str]:
    """Give the verdict on a published number, and its reason."""
    where = agreement.place(published, half_digit, bound)
    if where == "impossible":
        return where, bound.reason
    if measured is None:
        return "not measured", ""
    difference = compare(float(published), measured.mean)
    if not agreement.match(float(published), measured.mean, half_digit):
        return "differs", difference
    if where == "at the bound":
        return where, f"{bound.reason}; rounding or headers counted as payload would explain it"
    return "matches", difference


def compare(published: float, measured: float) -> str:
    """Describe a measured value relative to a published one."""
    if published == measured:
        return "equal to the published value"
    if published == 0:
        return "published as 0"
    ratio = measured / published
    if not 0.5 < ratio < 2:
        return f"{ratio:.2g} times the published value"
    return f"{abs(ratio - 1):.0%} {'above' if ratio > 1 else 'below'} the published value"


def ranking(
    published: Mapping[str, Decimal], runs: Mapping[str, Runs], table: Table, row: str
) -> tuple[Verdict, str]:
    """Say whether the runs confirm the ranking of a row.

    Values that are published as equal must be tied, within their rounding as well. Values that
    are not within a factor of `NEAR` of the published ones confirm nothing.
    """
    if not all(runs[name] for name in published):
        return "not measured", ""
    ratios = {
        name: fmean(runs[name].values()) / float(value)
        for name, value in published.items()
        if value
    }
    name, ratio = max(ratios.items(), key=lambda it: max(it[1], 1 / it[1]) if it[1] > 0 else 1e99)
    if not 1 / NEAR <= ratio <= NEAR:
        return "not confirmed", f"{name} has {ratio:.2g} times the published value"
    found: list[Verdict] = []
    against = []
    for more, less in combinations(sorted(published, key=lambda it: -published[it]), 2):
        equal = published[more] == published[less]
        size = float(published[more])
        digits = 2 * table.half_digit(row, more) / size if equal and size else 0.0
        related = agreement.relation(runs[more], runs[less], tie=max(TIE, digits))
        wanted: Relation = "tied" if equal else "more"
        if related == wanted:
            found.append("confirmed")
        elif related == "tied":
            found.append("tied")
            against.append(f"{more} and {less} are tied")
        else:
            found.append("not confirmed")
            against.append(f"{more} and {less}: {difference_of(runs[more], runs[less])}")
    return worst(found), "; ".join(against)


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Give the verdict on all of several relations."""
    order: list[Verdict] = ["not measured", "not confirmed", "tied", "confirmed"]
    return min(verdicts, key=order.index)


def difference_of(of: Runs, over: Runs, factor: float = 1.0) -> str:
    """Describe how two values differ, with the interval."""
    found = agreement.difference(of, over, factor)
    if found is None:
        return "not measured"
    times = "" if factor == 1.0 else f" beyond {factor:g} times the other"
    return f"{found.mean:+.1%} ({found.low:+.1%} to {found.high:+.1%}){times}"


# -- Claims -----------------------------------------------------------------------------------


def judge_claim(id: str, claim: Claim, line: Line, own: list[Mapping[str, Decimal]]) -> Item:
    """Give the item of a claim. `own` are the paper's numbers for it, where it has some."""
    if claim.gain:
        return judge_gain(id, claim, claim.gain, line)
    unit, columns = ("%" if claim.below == {} else line.measure.unit), claim.columns()
    runs = {name: line.runs(name) for name in columns}
    published = None
    if not all(runs.values()):
        says, asks = claim.says, claim.question
        return Item(id, "claim", line.reading, None, unit, None, "not measured", says, asks)
    decided = decide(claim, runs)
    note = f"{claim.says}; {decided.about}"
    if all(set(columns) <= values.keys() for values in own):
        stated = {name: {0: fmean(float(values[name]) for values in own)} for name in columns}
        if decide(claim, stated).verdict == "not confirmed":
            note += "; the paper's own numbers contradict it"
        if claim.below == {}:
            of, over = (stated[name][0] for name in decided.columns)
            published = Decimal(f"{gain_of(of, over):.1f}") if over > 0 else None
    measured = summarise(decided.values, unit)
    verdict, question = decided.verdict, claim.question
    return Item(id, "claim", line.reading, published, unit, measured, verdict, note, question)


@dataclass(frozen=True)
class Decided:
    """What decides a claim: the relation in it that its runs confirm least."""

    verdict: Verdict
    columns: tuple[str, ...]
    """The columns that it is about."""
    values: list[float]
    """By how many percent one column exceeds another in each run, or a column's values."""

    @property
    def about(self) -> str:
        """Name the columns."""
        return " over ".join(self.columns)


def decide(claim: Claim, runs: Mapping[str, Runs]) -> Decided:
    """Say whether runs confirm a claim, and what decides."""
    found: list[tuple[float, Decided]] = []
    for more, less in claim.pairs():
        related = agreement.relation(runs[more], runs[less], claim.factor)
        verdicts: dict[Relation | None, Verdict] = {"more": "confirmed", "tied": "tied"}
        verdict = verdicts.get(related, "not confirmed")
        difference = agreement.difference(runs[more], runs[less], claim.factor)
        gains = gains_of(runs[more], runs[less])
        found.append((difference.low if difference else 0, Decided(verdict, (more, less), gains)))
    for one, other in combinations(claim.alike, 2):
        related = agreement.relation(runs[one], runs[other], tie=TOLERANCE)
        alike: Verdict = "confirmed" if related == "tied" else "not confirmed"
        gains = gains_of(runs[one], runs[other])
        found.append((-abs(fmean(gains or [0.0])), Decided(alike, (one, other), gains)))
    for name, most in claim.below.items():
        values = list(runs[name].values())
        value = interval(values)
        below: Verdict = "confirmed" if value.high < most else "not confirmed"
        found.append((most - value.high, Decided(below, (name,), values)))
    verdict = worst([it.verdict for _, it in found])
    _, decided = min((it for it in found if it[1].verdict == verdict), key=lambda it: it[0])
    return decided


def gains_of(of: Runs, over: Runs) -> list[float]:
    """Give by how many percent one value exceeds another in each run that has both."""
    common = [number for number in of if number in over and over[number] > 0]
    return [gain_of(of[number], over[number]) for number in common]


def gain_of(of: float, over: float) -> float:
    """Give by how many percent one value exceeds another."""
    return 100 * (of / over - 1)


def judge_gain(id: str, claim: Claim, gain: Gain, line: Line) -> Item:
    """Give the item of a gain: a number, compared as the factor that it stands for."""
    of, over = line.runs(gain.of), line.runs(gain.over)
    measured = summarise(gains_of(of, over), "%")
    verdict: Verdict = "not measured"
    note = claim.says
    if measured:
        half = agreement.rounding(gain.percent)
        matches = agreement.match_gain(float(gain.percent), measured.mean, half)
        verdict = "matches" if matches else "differs"
        published, here = (agreement.factor_of(it) for it in (float(gain.percent), measured.mean))
        note += f"; {here:.3g} times, published {published:.3g} times"
    question = claim.question
    return Item(id, "number", line.reading, gain.percent, "%", measured, verdict, note, question)
