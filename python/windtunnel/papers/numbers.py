"""Verdicts on the numbers of a paper, and on the rankings of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import combinations
from statistics import fmean

from windtunnel.measures.measure import Bound
from windtunnel.papers import agreement
from windtunnel.papers.agreement import NEAR, TIE, Relation, Runs
from windtunnel.papers.items import ONE_RUN, Item, Measured, Verdict
from windtunnel.papers.line import Line
from windtunnel.papers.published import Table


def numbers(place: str, line: Line, table: Table, row: str) -> Iterator[Item]:
    """Give an item for every column of a row, and one for its ranking if it has one."""
    unit, values = line.measure.unit, table.rows[row]
    definition = "" if line.name == table.measures[0] else line.name
    for column in line.columns():
        id = f"{place}/{column}/{line.name}"
        published, measured = values.get(column), line.measured(column)
        if published is None:
            yield Item(id, "context", line.reading, None, unit, measured, None, "", definition)
            continue
        if table.chosen:
            note = table.chosen
            yield Item(id, "input", line.reading, published, unit, measured, None, note, definition)
            continue
        half = table.half_digit(row, column)
        verdict, note = judge(published, half, measured, line.bound(column), table.single_run)
        yield Item(id, "number", line.reading, published, unit, measured, verdict, note, definition)
    if len(set(values.values())) > 1 and not table.chosen:
        verdict, note = ranking(values, {it: line.runs(it) for it in values}, table, row)
        id = f"rankings/{place}/{line.name}"
        yield Item(id, "ranking", line.reading, None, unit, None, verdict, note, definition)


def judge(
    published: Decimal,
    half_digit: float,
    measured: Measured | None,
    bound: Bound,
    single_run: bool = False,
) -> tuple[Verdict, str]:
    """Give the verdict on a published number, and its reason.

    A number that the paper has of a `single_run` is compared with where one more run is to be
    expected, the others with the mean of the runs.
    """
    where = agreement.place(published, half_digit, bound)
    if where == "impossible":
        return where, bound.reason
    if measured is None:
        return "not measured", ""
    difference = compare(float(published), measured.mean)
    if measured.of_one_run is None:
        return ONE_RUN, difference
    mean = (measured.mean, measured.mean)
    expected = measured.of_one_run if single_run else mean
    if not agreement.match_expected(float(published), expected, half_digit):
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
    if agreement.single(runs.values()):
        return ONE_RUN, ""
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
