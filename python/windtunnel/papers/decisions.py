"""Verdicts on the claims of a paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from statistics import fmean

from windtunnel.measures.intervals import interval
from windtunnel.papers import agreement
from windtunnel.papers.agreement import TOLERANCE, Relation, Runs
from windtunnel.papers.claims import Claim, Gain
from windtunnel.papers.items import ONE_RUN, Answer, Compared, Item, Verdict, summarise
from windtunnel.papers.line import Line


def judge_claim(id: str, claim: Claim, line: Line, own: list[Mapping[str, Decimal]]) -> Item:
    """Give the item of a claim. `own` are the paper's numbers for it, where it has some."""
    stated = {
        name: fmean(float(row[name]) for row in own)
        for name in claim.columns()
        if all(name in row for row in own)
    }
    columns = [Compared(name, stated.get(name), line.measured(name)) for name in claim.columns()]
    item = decided_item(id, claim, line, stated)
    return replace(item, measure=line.name, columns=tuple(columns))


def decided_item(id: str, claim: Claim, line: Line, stated: Mapping[str, float]) -> Item:
    """Give the item of a claim without its columns. `stated` are the paper's numbers of them."""
    if claim.gain:
        return judge_gain(id, claim, claim.gain, line)
    if claim.value:
        return answer_open(id, claim, line)
    unit, columns = ("%" if claim.below == {} else line.measure.unit), claim.columns()
    runs = {name: line.runs(name) for name in columns}
    item = Item(id, "claim", line.reading, None, unit, None, "not measured", claim.says)
    item = replace(item, question=claim.question)
    if not all(runs.values()):
        return item
    decided = decide(claim, runs)
    if claim.stated is not None:
        item = replace(item, published=claim.stated, published_of=claim.columns_of_stated())
    one_run = agreement.single(runs.values())
    item = replace(
        item,
        measured=summarise(decided.values, unit),
        verdict=ONE_RUN if one_run else decided.verdict,
        note=f"{claim.says}; {decided.about}",
        answer=ONE_RUN if one_run else decided.answer,
        measured_of=decided.columns,
    )
    if claim.stated is not None or not set(columns) <= stated.keys():
        return item
    return with_stated(item, claim, stated)


def with_stated(item: Item, claim: Claim, values: Mapping[str, float]) -> Item:
    """Add what the paper's own numbers say of its claim: the relation in it that they confirm
    least, which may be one of other columns than in the runs."""
    stated = decide(claim, {name: {0: value} for name, value in values.items()})
    if stated.verdict == "not confirmed":
        item = replace(item, note=f"{item.note}; the paper's own numbers contradict it")
    if claim.below:
        [name] = stated.columns
        return replace(item, published=Decimal(f"{values[name]:g}"), published_of=stated.columns)
    of, over = (values[name] for name in stated.columns)
    if over <= 0:
        return item
    gain = Decimal(f"{gain_of(of, over):.1f}")
    return replace(item, published=gain, published_of=stated.columns)


def answer_open(id: str, claim: Claim, line: Line) -> Item:
    """Give the item of what the paper leaves open: the value is the answer."""
    measured = line.measured(claim.value)
    verdict: Verdict = "measured" if measured else "not measured"
    item = Item(id, "claim", line.reading, None, line.measure.unit, measured, verdict, claim.says)
    return replace(item, question=claim.question)


@dataclass(frozen=True)
class Decided:
    """What decides a claim: the relation in it that its runs confirm least."""

    answer: Answer
    columns: tuple[str, ...]
    """The columns that it is about."""
    values: list[float]
    """By how many percent one column exceeds another in each run, or a column's values."""
    room: float
    """By how much the relation clears its limit; negative if it does not."""

    @property
    def about(self) -> str:
        """Name the columns."""
        return " over ".join(self.columns)

    @property
    def verdict(self) -> Verdict:
        """Give the verdict that belongs to the answer."""
        verdicts: dict[Answer, Verdict] = {"yes": "confirmed", "tied": "tied"}
        return verdicts.get(self.answer, "not confirmed")


ANSWERS: list[Answer] = ["no", "undecided", "tied", "yes"]
"""The answers, the one that decides a claim first."""


def decide(claim: Claim, runs: Mapping[str, Runs]) -> Decided:
    """Say whether runs confirm a claim, and what decides."""
    found = [
        *(ordered(more, less, claim.factor, runs) for more, less in claim.pairs()),
        *(similar(one, other, runs) for one, other in combinations(claim.alike, 2)),
        *(limited(name, most, runs) for name, most in claim.below.items()),
    ]
    return min(found, key=lambda it: (ANSWERS.index(it.answer), it.room))


def ordered(more: str, less: str, factor: float, runs: Mapping[str, Runs]) -> Decided:
    """Decide whether one column is more than `factor` times another."""
    answers: dict[Relation | None, Answer] = {
        "more": "yes",
        "tied": "tied",
        "open": "undecided",
    }
    answer = answers.get(agreement.relation(runs[more], runs[less], factor), "no")
    difference = agreement.difference(runs[more], runs[less], factor)
    room = difference.low if difference else 0.0
    return Decided(answer, (more, less), gains_of(runs[more], runs[less]), room)


def similar(one: str, other: str, runs: Mapping[str, Runs]) -> Decided:
    """Decide whether two columns match."""
    answers: dict[Relation | None, Answer] = {"tied": "yes", "open": "undecided"}
    answer = answers.get(agreement.relation(runs[one], runs[other], tie=TOLERANCE), "no")
    gains = gains_of(runs[one], runs[other])
    return Decided(answer, (one, other), gains, -abs(fmean(gains or [0.0])))


def limited(name: str, most: float, runs: Mapping[str, Runs]) -> Decided:
    """Decide whether a column is below a limit."""
    values = list(runs[name].values())
    value = interval(values)
    answer: Answer = "yes" if value.high < most else "undecided" if value.low < most else "no"
    return Decided(answer, (name,), values, most - value.high)


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
        verdict = ONE_RUN if measured.interval is None else "matches" if matches else "differs"
        published, here = (agreement.factor_of(it) for it in (float(gain.percent), measured.mean))
        note += f"; {here:.3g} times, published {published:.3g} times"
    return Item(
        id,
        "number",
        line.reading,
        gain.percent,
        "%",
        measured,
        verdict,
        note,
        question=claim.question,
        published_of=(gain.of, gain.over),
        measured_of=(gain.of, gain.over),
    )
