"""What a paper published beside what was measured, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from statistics import fmean
from typing import Any, Literal

Verdict = Literal["matches", "same order", "differs", "impossible", "not stated", "not measured"]
"""What became of a published value.

`matches`: within 10 %. `impossible`: the network as described could not give it,
whatever the protocol. `same order`: the values of its row come in the paper's
order. `differs`: none of these. `not stated`: the paper gives no value.
`not measured`: an interruption came before.
"""

TOLERANCE = 0.1
"""The share of a value within which another one matches it."""

GOODPUTS = {"throughput": 1e6, "goodput": 1e3}
"""The measures that the network bounds, and how many bit/s their units are."""

DEFAULT = "default"
"""The reading that a paper's page argues for."""

READING = "reading"
"""The axis of the readings."""

FLOW = "flow"
"""What stands for an axis where the flows of each run are compared with each other."""


@dataclass(frozen=True)
class Measured:
    """A value with its spread over the runs."""

    mean: float
    low: float
    high: float
    runs: int
    unit: str


@dataclass(frozen=True)
class Bound:
    """What no protocol surpasses: the least and the most that can be measured."""

    least: float | None = None
    most: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Item:
    """One number or statement of a paper under one reading."""

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


@dataclass(frozen=True)
class Experiment:
    """What an experiment gave: for every case its values and its bounds."""

    axes: list[str]
    cases: list[tuple[str, ...]]
    bounds: dict[tuple[str, ...], tuple[float, float]]
    """The most goodput in bit/s, and the least delay in s."""
    values: dict[str, dict[tuple[str, ...], dict[int, float]]]
    """By measure, case and number of the run; what was not run is missing. A flow's
    own values stand under the case with its name behind."""
    flows: list[str] = field(default_factory=list)
    """The names of its flows."""

    def along(self, axis: str) -> list[str]:
        """List the names on an axis, in the scenario's order."""
        if axis == FLOW:
            return self.flows
        place = self.axes.index(axis)
        return list(dict.fromkeys(case[place] for case in self.cases))

    def readings(self) -> list[str]:
        """List the readings, the default first."""
        return self.along(READING) if READING in self.axes else [DEFAULT]

    def case(self, axis: str, name: str, reading: str, where: Mapping[str, str]) -> tuple[str, ...]:
        """Find a case, `where` naming it on the axes that stand still.

        A reading that does not concern the experiment leaves it as it is.
        """
        known = reading if reading in self.readings() else DEFAULT
        names = {**where, axis: name, READING: known}
        return tuple(names[it] for it in self.axes)

    def runs(
        self, measure: str, axis: str, name: str, reading: str, where: Mapping[str, str]
    ) -> Mapping[int, float]:
        """Give the values of a column by the number of the run."""
        case = self.case(axis, name, reading, where)
        return self.values[measure].get((*case, name) if axis == FLOW else case, {})


@dataclass(frozen=True)
class Table:
    """A table of a paper, or the values of a figure."""

    id: str
    measures: list[str]
    axis: str
    """The axis of the experiments whose cases are its columns."""
    mean_over: list[str] | None
    """The experiments whose mean its rows give; a row's own name if there are none."""
    rows: dict[str, dict[str, Decimal]]
    """For each row what is published, by column; what is not is missing."""
    where: dict[str, str] = field(default_factory=dict)
    """The cases of the axes that stand still."""

    def experiments(self, row: str) -> list[str]:
        """List the experiments that give a row."""
        return self.mean_over or [row]


@dataclass(frozen=True)
class Claim:
    """What a paper says of the order of its values, in words.

    Either `order`, groups of columns of which every one in an earlier group has
    more than `factor` times what every one in a later group has; or `alike`,
    columns whose values match; or `below`, what columns have less than.
    """

    id: str
    says: str
    measure: str
    axis: str
    places: dict[str, list[str]]
    """Where it is said to hold: by name, the experiments whose mean it is about."""
    order: list[list[str]]
    alike: list[str]
    where: dict[str, str] = field(default_factory=dict)
    """The cases of the axes that stand still."""
    factor: float = 1.0
    below: dict[str, float] = field(default_factory=dict)

    def holds(self, values: Mapping[str, float]) -> bool:
        """Say whether values bear the claim out."""
        pairs = (
            (values[a], values[b])
            for more, less in combinations(self.order, 2)
            for a in more
            for b in less
        )
        ordered = all(more > self.factor * less for more, less in pairs)
        alike = all(match(values[a], values[b]) for a, b in combinations(self.alike, 2))
        return ordered and alike and all(values[it] < most for it, most in self.below.items())

    def columns(self) -> list[str]:
        """List the columns that the claim is about."""
        return [*(name for group in self.order for name in group), *self.alike, *self.below]


@dataclass(frozen=True)
class Gain:
    """By how much a paper says that one column is more than another, in percent."""

    id: str
    says: str
    measure: str
    axis: str
    of: str
    over: str
    experiment: str
    percent: Decimal
    where: dict[str, str] = field(default_factory=dict)
    """The cases of the axes that stand still."""

    def measured(self, of: Mapping[int, float], over: Mapping[int, float]) -> list[float]:
        """Compute it for every run that has both."""
        common = sorted(number for number in of.keys() & over.keys() if over[number] > 0)
        return [100 * (of[number] / over[number] - 1) for number in common]


@dataclass(frozen=True)
class Published:
    """Everything that a paper published and that is compared."""

    tables: list[Table]
    claims: list[Claim]
    gains: list[Gain] = field(default_factory=list)


def match(published: float, measured: float) -> bool:
    """Say whether a measured value is within the tolerance of a published one."""
    return abs(measured - published) <= TOLERANCE * abs(published)


def same_order(published: Mapping[str, Decimal], measured: Mapping[str, float]) -> bool:
    """Say whether measured values come in the order of the published ones.

    Values that are published as equal must match each other. Where nothing else
    is published, there is no order.
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
    """Say whether a value is beyond a bound, however it was rounded to its digits."""
    exponent = published.as_tuple().exponent
    assert isinstance(exponent, int), "a published value is a number"
    rounding = 0.5 * 10.0**exponent
    value = float(published)
    return (bound.most is not None and value - rounding > bound.most) or (
        bound.least is not None and value + rounding < bound.least
    )


def judge(
    published: Decimal | None, measured: Measured | None, bound: Bound, in_order: bool
) -> tuple[Verdict, str]:
    """Give a verdict on a published value, and its reason in a few words."""
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
    """Say how a measured value lies to a published one."""
    if published == measured:
        return "the published value"
    if published == 0:
        return "published as 0"
    ratio = measured / published
    if not 0.5 < ratio < 2:
        return f"{ratio:.2g} times the published value"
    return f"{abs(ratio - 1):.0%} {'above' if ratio > 1 else 'below'} the published value"


def summarise(runs: Sequence[float], unit: str) -> Measured | None:
    """Sum runs up, if there are any."""
    if not runs:
        return None
    return Measured(fmean(runs), min(runs), max(runs), len(runs), unit)


def compare_all(
    published: Published, experiments: Mapping[str, Experiment], units: Mapping[str, str]
) -> list[Item]:
    """Give an item for every number and every claim under every reading.

    `units` are those of the measures, by their names.
    """
    items: list[Item] = []
    for table in published.tables:
        for row, values in table.rows.items():
            over = [experiments[name] for name in table.experiments(row)]
            for reading in readings(over):
                for measure in table.measures:
                    place = "/".join([table.id, row, *table.where.values()])
                    unit = units[measure]
                    line = Line(place, table.axis, measure, unit, reading, over, table.where)
                    items.extend(line.items(values))
    for gain in published.gains:
        experiment = experiments[gain.experiment]
        items.extend(gain_item(gain, experiment, reading) for reading in experiment.readings())
    for claim in published.claims:
        for place, names in claim.places.items():
            over = [experiments[name] for name in names]
            borne_out = claim_of(published, names, claim)
            for reading in readings(over):
                id, unit = f"claims/{place}/{claim.id}", units[claim.measure]
                line = Line(id, claim.axis, claim.measure, unit, reading, over, claim.where)
                items.append(line.claim(claim, borne_out))
    return items


def gain_item(gain: Gain, experiment: Experiment, reading: str) -> Item:
    """Give the item of a gain: it is of the paper's order where the same one is ahead."""
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
    """Say whether the paper's own tables bear a claim out, if they have numbers for it."""
    rows = [row_of(published, name, claim) for name in experiments]
    stated = [row for row in rows if row is not None]
    if len(stated) < len(rows):
        return None
    return claim.holds({it: fmean(float(row[it]) for row in stated) for it in claim.columns()})


def row_of(published: Published, experiment: str, claim: Claim) -> Mapping[str, Decimal] | None:
    """Find the row of a table that gives numbers for what a claim says."""
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
    measure: str
    unit: str
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
            id = f"{self.place}/{name}/{self.measure}"
            taken = measured.get(name)
            yield Item(id, self.reading, published, self.unit, taken, verdict, note)

    def claim(self, claim: Claim, borne_out: bool | None) -> Item:
        """Give the item of a claim that the paper's own numbers do or do not bear out."""
        means = {name: it.mean for name, it in self.measured().items()}
        note = claim.says
        if borne_out is False:
            note += "; the paper's own numbers say otherwise"
        if not set(claim.columns()) <= means.keys():
            verdict: Verdict = "not measured"
        elif claim.holds(means):
            verdict = "matches" if claim.alike or claim.below else "same order"
        else:
            verdict = "differs"
        return Item(self.place, self.reading, None, self.unit, None, verdict, note)

    def measured(self) -> dict[str, Measured]:
        """Sum up what was measured, by column; what was not is missing."""
        found = {}
        for name in self.over[0].along(self.axis):
            measured = summarise(self.runs(name), self.unit)
            if measured:
                found[name] = measured
        return found

    def runs(self, name: str) -> list[float]:
        """Give a column's value in every run: the mean over the experiments."""
        each = [
            it.runs(self.measure, self.axis, name, self.reading, self.where) for it in self.over
        ]
        common = set.intersection(*(set(runs) for runs in each))
        return [fmean(runs[number] for runs in each) for number in sorted(common)]

    def bound(self, name: str) -> Bound:
        """Compute what no protocol surpasses in this measure."""
        bounds = [it.bounds[self.case(it, name)] for it in self.over]
        if self.measure in GOODPUTS:
            most = fmean(goodput for goodput, _ in bounds)
            reason = f"no more than {most / 1e6:.3g} Mbps can be received here"
            return Bound(most=most / GOODPUTS[self.measure], reason=reason)
        if self.measure in ("delay", "last-delay"):
            least = fmean(delay for _, delay in bounds)
            return Bound(least=least, reason=f"no Data can take less than {least:.3g} s here")
        if self.measure == "packet-loss-share":
            return Bound(most=1.0, reason="a share is at most 1")
        return Bound()

    def case(self, experiment: Experiment, name: str) -> tuple[str, ...]:
        """Find the case of a column."""
        return experiment.case(self.axis, name, self.reading, self.where)
