"""Verdicts: what a published value and a measured one make."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from windtunnel.measures.common import MEASURES
from windtunnel.measures.measure import Bound
from windtunnel.papers.experiment import Experiment
from windtunnel.papers.published import Claim, Gain, Published, Table
from windtunnel.papers.verdicts import Measured, compare_all, judge, same_order

UNBOUNDED = Bound()


def measured(mean: float) -> Measured:
    """Give a measured value without spread."""
    return Measured(mean, mean, mean, 1, "Mbps")


def numbers(**values: str) -> dict[str, Decimal]:
    """Give published values with their digits."""
    return {name: Decimal(value) for name, value in values.items()}


@pytest.mark.parametrize("value", [90.0, 100.0, 110.0])
def test_a_value_within_ten_per_cent_matches(value: float) -> None:
    assert judge(Decimal(100), measured(value), UNBOUNDED, in_order=False)[0] == "matches"


@pytest.mark.parametrize("value", [89.9, 110.1, 0.0, -100.0])
def test_a_value_beyond_ten_per_cent_differs_unless_the_order_holds(value: float) -> None:
    assert judge(Decimal(100), measured(value), UNBOUNDED, in_order=False)[0] == "differs"
    assert judge(Decimal(100), measured(value), UNBOUNDED, in_order=True)[0] == "same order"


def test_only_zero_matches_zero() -> None:
    assert judge(Decimal(0), measured(0.0), UNBOUNDED, in_order=False)[0] == "matches"
    assert judge(Decimal(0), measured(1e-9), UNBOUNDED, in_order=False)[0] == "differs"


def test_a_value_beyond_a_bound_is_impossible_whatever_was_measured() -> None:
    most = Bound(maximum=5.0, reason="too much")
    for value in (None, measured(4.9), measured(5.1)):
        assert judge(Decimal("5.1"), value, most, in_order=True) == ("impossible", "too much")
    minimum = Bound(minimum=0.0401, reason="too soon")
    assert judge(Decimal("0.0400"), measured(0.04), minimum, True) == ("impossible", "too soon")


def test_a_value_that_rounding_explains_is_possible() -> None:
    minimum = Bound(minimum=0.0401)
    # Printed with two digits, it may have been 0.0449.
    assert judge(Decimal("0.04"), measured(0.0402), minimum, in_order=False)[0] == "matches"
    assert judge(Decimal("0.03"), measured(0.0402), minimum, in_order=False)[0] == "impossible"
    most = Bound(maximum=93.7)
    assert judge(Decimal(94), measured(93.0), most, in_order=False)[0] == "matches"
    assert judge(Decimal("94.0"), measured(93.0), most, in_order=False)[0] == "impossible"


def test_what_is_not_published_is_not_stated_and_what_was_not_run_not_measured() -> None:
    assert judge(None, measured(1.0), UNBOUNDED, in_order=False)[0] == "not stated"
    assert judge(Decimal(1), None, UNBOUNDED, in_order=False)[0] == "not measured"


def test_the_order_is_that_of_all_values() -> None:
    published = numbers(a="1", b="2", c="3")
    assert same_order(published, {"a": 10.0, "b": 11.0, "c": 900.0})
    assert not same_order(published, {"a": 10.0, "b": 9.0, "c": 900.0})
    assert not same_order(published, {"a": 10.0, "b": 10.0, "c": 900.0})
    assert not same_order(published, {"a": 10.0, "c": 900.0})


def test_values_published_as_equal_must_match_each_other() -> None:
    published = numbers(a="1", b="1", c="3")
    assert same_order(published, {"a": 5.0, "b": 5.2, "c": 6.0})
    assert not same_order(published, {"a": 5.0, "b": 5.9, "c": 6.0})


def test_a_row_of_equal_values_has_no_order() -> None:
    assert not same_order(numbers(a="0", b="0"), {"a": 1.0, "b": 1.0})
    assert not same_order(numbers(a="1"), {"a": 1.0})


def experiment(readings: list[str], values: dict[str, float]) -> Experiment:
    """Give an experiment of two runs, whose second is one more than its first."""
    cases: list[tuple[str, ...]] = [(name, reading) for name in values for reading in readings]
    runs = {case: {0: values[case[0]], 1: values[case[0]] + 1.0} for case in cases}
    bounds = {case: (5e6, 0.01) for case in cases}
    return Experiment(["controller", "reading"], cases, bounds, {"throughput": runs})


def table(rows: dict[str, dict[str, Decimal]], mean_over: list[str] | None = None) -> Table:
    """Give a table of throughputs by controller."""
    return Table("table-1", ["throughput"], "controller", mean_over, rows)


def test_there_is_an_item_for_every_column_under_every_reading() -> None:
    given = {"s": experiment(["default", "other"], {"a": 1.0, "b": 2.0})}
    items = compare_all(Published([table({"s": numbers(a="1.5")})], []), given, MEASURES)
    assert [(item.id, item.reading, item.verdict) for item in items] == [
        ("table-1/s/a/throughput", "default", "matches"),
        ("table-1/s/b/throughput", "default", "not stated"),
        ("table-1/s/a/throughput", "other", "matches"),
        ("table-1/s/b/throughput", "other", "not stated"),
    ]
    assert items[0].measured == Measured(1.5, 1.0, 2.0, 2, "Mbps")


def test_a_bound_comes_from_the_case_itself() -> None:
    given = {"s": experiment(["default"], {"a": 1.0})}
    [item] = compare_all(Published([table({"s": numbers(a="5.1")})], []), given, MEASURES)
    assert item.verdict == "impossible"
    assert "5 Mbps" in item.note


def test_a_mean_over_experiments_leaves_alone_those_that_a_reading_does_not_concern() -> None:
    given = {
        "one": experiment(["default", "other"], {"a": 1.0}),
        "two": experiment(["default"], {"a": 3.0}),
    }
    published = Published([table({"both": numbers(a="2.5")}, ["one", "two"])], [])
    items = compare_all(published, given, MEASURES)
    assert [item.reading for item in items] == ["default", "other"]
    assert [item.measured for item in items] == [Measured(2.5, 2.0, 3.0, 2, "Mbps")] * 2


def claim(order: list[list[str]], alike: list[str]) -> Claim:
    """Give a claim about the throughput in one experiment."""
    return Claim("c", "so it is", "throughput", "controller", {"s": ["s"]}, order, alike)


@pytest.mark.parametrize(
    ("order", "alike", "verdict"),
    [
        ([["b"], ["a"]], [], "same order"),
        ([["a"], ["b"]], [], "differs"),
        ([["b", "c"], ["a"]], [], "same order"),
        ([["b"], ["a", "c"]], [], "differs"),
        ([], ["b", "c"], "matches"),
        ([], ["a", "b"], "differs"),
    ],
)
def test_a_claim_is_held_against_the_measured_order(
    order: list[list[str]], alike: list[str], verdict: str
) -> None:
    given = {"s": experiment(["default"], {"a": 1.0, "b": 3.0, "c": 3.0})}
    [item] = compare_all(Published([], [claim(order, alike)]), given, MEASURES)
    assert (item.id, item.verdict, item.note) == ("claims/s/c", verdict, "so it is")


def test_a_claim_that_the_papers_own_numbers_deny_is_named() -> None:
    given = {"s": experiment(["default"], {"a": 1.0, "b": 3.0})}
    own = table({"s": numbers(a="4", b="2")})
    *_, item = compare_all(Published([own], [claim([["b"], ["a"]], [])]), given, MEASURES)
    assert item.verdict == "same order"
    assert item.note == "so it is; the paper's own numbers contradict this"


def gain(percent: str) -> Gain:
    """Give a gain of b over a."""
    return Gain("g", "so much", "throughput", "controller", "b", "a", "s", Decimal(percent))


@pytest.mark.parametrize(
    ("percent", "verdict"),
    [("150", "matches"), ("140", "matches"), ("20", "same order"), ("-20", "differs")],
)
def test_a_gain_is_taken_in_each_run_and_is_of_the_papers_order_if_the_same_is_ahead(
    percent: str, verdict: str
) -> None:
    given = {"s": experiment(["default"], {"a": 1.0, "b": 3.0})}
    # From 1 to 3 in the first run, from 2 to 4 in the second.
    [item] = compare_all(Published([], [], [gain(percent)]), given, MEASURES)
    assert item.measured == Measured(150.0, 100.0, 200.0, 2, "%")
    assert (item.id, item.verdict) == ("gains/s/g/throughput-gain", verdict)


def test_a_gain_over_nothing_is_not_measured() -> None:
    given = {"s": experiment(["default"], {"a": -1.0, "b": 3.0})}
    [item] = compare_all(Published([], [], [gain("10")]), given, MEASURES)
    assert item.verdict == "not measured"


@pytest.mark.parametrize(("factor", "verdict"), [(3.0, "same order"), (4.0, "differs")])
def test_a_claim_may_be_of_so_many_times_more(factor: float, verdict: str) -> None:
    given = {"s": experiment(["default"], {"a": 1.0, "b": 5.0})}
    said = replace(claim([["b"], ["a"]], []), factor=factor)
    # On average 1.5 and 5.5.
    [item] = compare_all(Published([], [said]), given, MEASURES)
    assert item.verdict == verdict


@pytest.mark.parametrize(("most", "verdict"), [(2.0, "matches"), (1.5, "differs")])
def test_a_claim_may_be_of_less_than_a_value(most: float, verdict: str) -> None:
    given = {"s": experiment(["default"], {"a": 1.0})}
    said = replace(claim([], []), below={"a": most})
    [item] = compare_all(Published([], [said]), given, MEASURES)
    assert item.verdict == verdict
