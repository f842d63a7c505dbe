"""Verdicts: published values compared with measured ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from statistics import fmean
from typing import Any, Literal

from windtunnel.measures.measure import Bound, Measure
from windtunnel.papers.experiment import Experiment
from windtunnel.papers.published import Claim, Gain, Published, match

Verdict = Literal["matches", "same order", "differs", "impossible", "not stated", "not measured"]
"""The verdict on a published value.

`matches`: within 10 %. `impossible`: no protocol can reach it on the network as
described. `same order`: the values of its row are in the paper's order. `differs`: none
of these. `not stated`: the paper gives no value. `not measured`: the reproduction was
interrupted before.
"""


@dataclass(frozen=True)
class Measured:
    """A value with its spread over the runs."""

    mean: float
    low: float
    high: float
    runs: int
    unit: str


@dataclass(frozen=True)
class Item:
    """One number or claim of a paper under one reading."""

    id: str
    reading: str
    published: Decimal | None
    unit: str
    measured: Measured | None
    verdict: Verdict
    note: str

    def document(self) -> dict[str, Any]:
        """Give the item as JSON values."""
        published = self.published
        stated = None if published is None else {"value": float(published), "unit": self.unit}
        return {
            "id": self.id,
            "reading": self.reading,
            "published": stated,
            "measured": None if self.measured is None else vars(self.measured),
            "verdict": self.verdict,
            "note": self.note,
        }


def same_order(published: Mapping[str, Decimal], measured: Mapping[str, float]) -> bool:
    """Say whether measured values are in the order of the published ones.

    Values that are published as equal must match each other. If all are equal, there is
    no order.
    """
    if len(set(published.values())) < 2 or not published.keys() <= measured.keys():
        return False
    for a, b in combinations(published, 2):
        if published[a] == published[b]:
            if not match(measured[a], measured[b]):
                return False
        elif (published[a] < published[b]) != (measured[a] < measured[b]):
            return False
    return True


def surpasses(published: Decimal, bound: Bound) -> bool:
    """Say whether a value is beyond a bound by more than its rounding."""
    exponent = published.as_tuple().exponent
    assert isinstance(exponent, int), "a published value is a number"
    rounding = 0.5 * 10.0**exponent
    value = float(published)
    return (bound.maximum is not None and value - rounding > bound.maximum) or (
        bound.minimum is not None and value + rounding < bound.minimum
    )


def judge(
    published: Decimal | None, measured: Measured | None, bound: Bound, in_order: bool
) -> tuple[Verdict, str]:
    """Give the verdict on a published value, and its reason."""
    if published is None:
        return "not stated", ""
    if surpasses(published, bound):
        return "impossible", bound.reason
    if measured is None:
        return "not measured", ""
    difference = compare(float(published), measured.mean)
    if match(float(published), measured.mean):
        return "matches", difference
    if in_order:
        return "same order", difference
    return "differs", difference


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


def summarise(runs: Sequence[float], unit: str) -> Measured | None:
    """Summarise runs; None without any."""
    if not runs:
        return None
    return Measured(fmean(runs), min(runs), max(runs), len(runs), unit)


def compare_all(
    published: Published, experiments: Mapping[str, Experiment], measures: Mapping[str, Measure]
) -> list[Item]:
    """Give an item for every number and every claim under every reading."""
    items: list[Item] = []
    for table in published.tables:
        for row, values in table.rows.items():
            over = [experiments[name] for name in table.experiments(row)]
            for reading in readings(over):
                for name in table.measures:
                    place = "/".join([table.id, row, *table.where.values()])
                    measure = measures[name]
                    line = Line(place, table.axis, name, measure, reading, over, table.where)
                    items.extend(line.items(values))
    for gain in published.gains:
        experiment = experiments[gain.experiment]
        items.extend(gain_item(gain, experiment, reading) for reading in experiment.readings())
    for claim in published.claims:
        for place, names in claim.places.items():
            over = [experiments[name] for name in names]
            borne_out = claim_of(published, names, claim)
            for reading in readings(over):
                id, measure = f"claims/{place}/{claim.id}", measures[claim.measure]
                line = Line(id, claim.axis, claim.measure, measure, reading, over, claim.where)
                items.append(line.claim(claim, borne_out))
    return items


def gain_item(gain: Gain, experiment: Experiment, reading: str) -> Item:
    """Give the item of a gain: `same order` if the same column is ahead."""
    of, over = (
        experiment.runs(gain.measure, gain.axis, name, reading, gain.where)
        for name in (gain.of, gain.over)
    )
    measured = summarise(gain.measured(of, over), "%")
    ahead = measured is not None and (measured.mean > 0) == (gain.percent > 0)
    verdict, note = judge(gain.percent, measured, Bound(), ahead)
    id = f"gains/{gain.experiment}/{gain.id}/{gain.measure}-gain"
    note = "; ".join(filter(None, [gain.says, note]))
    return Item(id, reading, gain.percent, "%", measured, verdict, note)


def readings(over: Sequence[Experiment]) -> list[str]:
    """List the readings of some experiments, the default first."""
    return list(dict.fromkeys(name for it in over for name in it.readings()))


def claim_of(published: Published, experiments: Sequence[str], claim: Claim) -> bool | None:
    """Say whether the paper's own tables confirm a claim; None without numbers for it."""
    rows = [row_of(published, name, claim) for name in experiments]
    stated = [row for row in rows if row is not None]
    if len(stated) < len(rows):
        return None
    return claim.holds({it: fmean(float(row[it]) for row in stated) for it in claim.columns()})


def row_of(published: Published, experiment: str, claim: Claim) -> Mapping[str, Decimal] | None:
    """Find the row of a table with the numbers of a claim."""
    for table in published.tables:
        for row, values in table.rows.items():
            same = table.experiments(row) == [experiment] and table.measures[0] == claim.measure
            same = same and (table.axis, table.where) == (claim.axis, claim.where)
            if same and set(claim.columns()) <= values.keys():
                return values
    return None


@dataclass(frozen=True)
class Line:
    """A row of a table, in one measure and under one reading."""

    place: str
    axis: str
    name: str
    """The measure's name in the paper's files."""
    measure: Measure
    reading: str
    over: list[Experiment]
    where: Mapping[str, str]

    def items(self, values: Mapping[str, Decimal]) -> Iterator[Item]:
        """Give an item for every column."""
        measured = self.measured()
        means = {name: it.mean for name, it in measured.items()}
        in_order = same_order(values, means)
        for name in self.over[0].along(self.axis):
            published = values.get(name)
            verdict, note = judge(published, measured.get(name), self.bound(name), in_order)
            id = f"{self.place}/{name}/{self.name}"
            taken = measured.get(name)
            yield Item(id, self.reading, published, self.measure.unit, taken, verdict, note)

    def claim(self, claim: Claim, borne_out: bool | None) -> Item:
        """Give the item of a claim, which the paper's own numbers may confirm or not."""
        means = {name: it.mean for name, it in self.measured().items()}
        note = claim.says
        if borne_out is False:
            note += "; the paper's own numbers contradict this"
        if not set(claim.columns()) <= means.keys():
            verdict: Verdict = "not measured"
        elif claim.holds(means):
            verdict = "matches" if claim.alike or claim.below else "same order"
        else:
            verdict = "differs"
        return Item(self.place, self.reading, None, self.measure.unit, None, verdict, note)

    def measured(self) -> dict[str, Measured]:
        """Summarise the measured columns."""
        found = {}
        for name in self.over[0].along(self.axis):
            measured = summarise(self.runs(name), self.measure.unit)
            if measured:
                found[name] = measured
        return found

    def runs(self, name: str) -> list[float]:
        """Give a column's value in every run: the mean over the experiments."""
        each = [it.runs(self.name, self.axis, name, self.reading, self.where) for it in self.over]
        common = set.intersection(*(set(runs) for runs in each))
        return [fmean(runs[number] for runs in each) for number in sorted(common)]

    def bound(self, name: str) -> Bound:
        """Compute the bound of this measure."""
        bounds = [it.bounds[self.case(it, name)] for it in self.over]
        goodputs, delays = zip(*bounds, strict=True)
        return self.measure.bound(fmean(goodputs), fmean(delays))

    def case(self, experiment: Experiment, name: str) -> tuple[str, ...]:
        """Find the case of a column."""
        return experiment.case(self.axis, name, self.reading, self.where)
