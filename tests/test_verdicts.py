"""Verdicts on numbers, rankings and claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from windtunnel.measures.common import MEASURES
from windtunnel.measures.measure import Bound, Measure
from windtunnel.papers.agreement import TIE
from windtunnel.papers.claims import Claim, Gain
from windtunnel.papers.experiment import Experiment
from windtunnel.papers.items import Item, Measured, summarise
from windtunnel.papers.numbers import judge
from windtunnel.papers.published import Published, Table
from windtunnel.papers.verdicts import compare_all

UNBOUNDED = Bound()

RUNS = 4


def measured(mean: float) -> Measured:
    """Give a measured value without spread."""
    found = summarise([mean] * RUNS, "Mbps")
    assert found
    return found


def published(**values: str) -> dict[str, Decimal]:
    """Give published values with their digits."""
    return {name: Decimal(value) for name, value in values.items()}


def experiment(
    values: Mapping[str, list[float]], readings: list[str] | None = None, **more: Any
) -> Experiment:
    """Give an experiment with the throughput of each controller in each run.

    Under every reading but the first it is twice as much.
    """
    readings = readings or ["default"]
    cases: list[tuple[str, ...]] = [(name, reading) for name in values for reading in readings]
    runs: dict[tuple[str, ...], dict[int, float]] = {
        (name, reading): {
            run: value * (1 if reading == readings[0] else 2) for run, value in enumerate(each)
        }
        for name, each in values.items()
        for reading in readings
    }
    bounds = {case: (5e6, 0.01) for case in cases}
    return Experiment(["controller", "reading"], cases, bounds, {"throughput": runs, **more})


def table(
    rows: dict[str, dict[str, Decimal]], mean_over: list[str] | None = None, **more: Any
) -> Table:
    """Give a table of throughputs by controller."""
    printed = [value for values in rows.values() for value in values.values()]
    measures = more.pop("measures", ["throughput"])
    return Table("table-1", measures, "controller", mean_over, rows, printed, **more)


def compared(
    given: Mapping[str, Experiment],
    tables: list[Table] | None = None,
    claims: list[Claim] | None = None,
    readings: list[str] | None = None,
    measures: Mapping[str, Measure] = MEASURES,
) -> list[Item]:
    """Compare under some readings."""
    return compare_all(
        Published(tables or []), claims or [], readings or ["default"], given, measures
    )


def constant(**values: float) -> dict[str, list[float]]:
    """Give the same value in every run."""
    return {name: [value] * RUNS for name, value in values.items()}


def verdict(value: str, mean: float, half_digit: float = 0.0, bound: Bound = UNBOUNDED) -> str:
    """Give the verdict on a number."""
    return judge(Decimal(value), half_digit, measured(mean), bound)[0]


# Numbers.


@pytest.mark.parametrize(
    ("mean", "found"), [(90.0, "matches"), (110.0, "matches"), (89.9, "differs")]
)
def test_a_value_within_ten_per_cent_matches(mean: float, found: str) -> None:
    assert verdict("100", mean) == found


def test_a_value_within_the_rounding_of_a_published_one_matches() -> None:
    # 0.04 is from 0.035 to 0.045: more than ten per cent of it.
    assert verdict("0.04", 0.0449, 0.005) == "matches"
    assert verdict("0.040", 0.0449, 0.0005) == "differs"
    # A zero beside values with two digits.
    assert verdict("0", 0.0049, 0.005) == "matches"
    assert verdict("0", 0.0051, 0.005) == "differs"


def test_what_no_network_allows_is_impossible_whatever_was_measured() -> None:
    most = Bound(maximum=5.0, reason="too much")
    for value in (None, measured(4.9), measured(5.2)):
        assert judge(Decimal("5.2"), 0.05, value, most) == ("impossible", "too much")


def test_what_rounding_or_three_per_cent_explains_is_at_the_bound_only_if_it_matches() -> None:
    minimum = Bound(minimum=0.0401, reason="too soon")
    assert verdict("0.04", 0.0402, 0.005, minimum) == "at the bound"
    assert verdict("0.04", 0.0602, 0.005, minimum) == "differs"
    assert verdict("0.03", 0.0402, 0.005, minimum) == "impossible"
    most = Bound(maximum=100.0)
    assert verdict("102.9", 99.0, 0.05, most) == "at the bound"
    assert verdict("103.1", 99.0, 0.05, most) == "impossible"


def test_a_column_that_is_not_stated_is_context_and_a_chosen_value_an_input() -> None:
    given = {"s": experiment(constant(a=1.0, b=2.0))}
    rows = {"s": published(a="1.0")}
    kinds = [(item.kind, item.verdict) for item in compared(given, [table(rows)])]
    assert kinds == [("number", "matches"), ("context", None)]
    chosen = [
        (item.kind, item.verdict, item.note)
        for item in compared(given, [table(rows, chosen="so that it fits")])
    ]
    assert chosen == [("input", None, "so that it fits"), ("context", None, "")]


def test_the_definitions_of_a_number_are_told_apart() -> None:
    given = {
        "s": experiment(constant(a=1.0), other={("a", "default"): dict.fromkeys(range(RUNS), 4.0)})
    }
    measures = {**MEASURES, "other": MEASURES["throughput"]}
    tables = [table({"s": published(a="1.0")}, measures=["throughput", "other"])]
    items = compared(given, tables, measures=measures)
    found = [(it.definition, it.measured and it.measured.mean, it.verdict) for it in items]
    assert found == [("", 1.0, "matches"), ("other", 4.0, "differs")]


def test_a_number_has_an_item_for_each_reading_that_concerns_its_experiments() -> None:
    given = {
        "s": experiment(constant(a=1.0), ["default", "x", "y", "x + y"]),
        "t": experiment(constant(a=1.0), ["default", "y"]),
    }
    rows = {"s": published(a="1"), "t": published(a="1")}
    items = compared(given, [table(rows)], readings=["default", "x", "y", "x + y"])
    assert [(item.id.split("/")[1], item.reading) for item in items] == [
        ("s", "default"),
        ("s", "x"),
        ("s", "y"),
        ("s", "x + y"),
        ("t", "default"),
        ("t", "y"),
    ]


def test_a_mean_over_experiments_takes_each_under_what_concerns_it() -> None:
    given = {
        "one": experiment(constant(a=1.0), ["default", "x"]),
        "two": experiment(constant(a=3.0)),
    }
    tables = [table({"both": published(a="2.5")}, ["one", "two"])]
    items = compared(given, tables, readings=["default", "x"])
    # Under x, the first has 2 and the second still 3.
    assert [item.measured.mean for item in items if item.measured] == [2.0, 2.5]


# Rankings.


def ranked(values: Mapping[str, list[float]], **row: str) -> Item:
    """Give the item of the ranking of a row."""
    items = compared({"s": experiment(values)}, [table({"s": published(**row)})])
    (found,) = (item for item in items if item.kind == "ranking")
    return found


def test_a_ranking_is_counted_once_and_confirmed_if_every_step_is() -> None:
    assert ranked(constant(a=1.0, b=2.0, c=3.0), a="1", b="2", c="3").verdict == "confirmed"
    assert ranked(constant(a=2.0, b=1.0, c=3.0), a="1", b="2", c="3").verdict == "not confirmed"
    assert ranked(constant(a=1.99, b=2.0, c=3.0), a="1", b="2", c="3").verdict == "tied"


def test_a_ranking_of_values_far_from_the_published_ones_is_not_confirmed() -> None:
    found = ranked(constant(a=66.0, b=132.0), a="1", b="2")
    assert found.verdict == "not confirmed" and "66 times" in found.note


def test_a_ranking_whose_runs_disagree_is_not_confirmed() -> None:
    spread = {"a": [1.0, 3.0, 1.0, 3.0], "b": [2.2, 2.2, 2.2, 2.2]}
    assert ranked(spread, a="1.9", b="2.2").verdict == "not confirmed"


def test_values_published_as_equal_are_to_be_tied() -> None:
    assert ranked(constant(a=1.0, b=1.0, c=3.0), a="1.0", b="1.0", c="3.0").verdict == "confirmed"
    assert (
        ranked(constant(a=1.0, b=1.3, c=3.0), a="1.00", b="1.00", c="3.00").verdict != "confirmed"
    )
    # Both may have been rounded: 1.3 and 0.7 are printed as 1.
    assert ranked(constant(a=1.0, b=1.3, c=3.0), a="1", b="1", c="3").verdict == "confirmed"


def test_a_row_of_equal_values_has_no_ranking() -> None:
    items = compared(
        {"s": experiment(constant(a=1.0, b=1.0))}, [table({"s": published(a="1", b="1")})]
    )
    assert [item.kind for item in items] == ["number", "number"]


# Claims.


def claim(**what: Any) -> Claim:
    """Give a claim about the throughput in one experiment."""
    return Claim("c", "so it is", "throughput", "controller", {"s": ["s"]}, **what)


def decided(values: Mapping[str, list[float]], **what: Any) -> Item:
    """Give the item of a claim."""
    (item,) = compared({"s": experiment(values)}, claims=[claim(**what)])
    return item


@pytest.mark.parametrize(
    ("values", "answer", "verdict"),
    [
        ([2.0, 2.1, 2.0, 2.1], "yes", "confirmed"),
        ([1.0, 1.01, 0.99, 1.0], "tied", "tied"),
        ([0.5, 0.5, 0.5, 0.5], "no", "not confirmed"),
        ([0.5, 2.0, 0.5, 2.0], "undecided", "not confirmed"),
    ],
)
def test_an_order_is_decided_by_the_interval_of_the_runs(
    values: list[float], answer: str, verdict: str
) -> None:
    item = decided({"a": values, "b": [1.0] * RUNS}, order=[["a"], ["b"]])
    assert (item.answer, item.verdict) == (answer, verdict)


def test_runs_of_one_number_are_compared_with_each_other() -> None:
    # The runs differ by a factor of eight, yet in each the first has 10 % more.
    others = [1.0, 2.0, 4.0, 8.0]
    item = decided({"a": [1.1 * it for it in others], "b": others}, order=[["a"], ["b"]])
    unpaired = decided({"a": [8.8, 1.1, 2.2, 4.4], "b": others}, order=[["a"], ["b"]])
    assert item.measured and unpaired.measured
    assert width_of(item.measured) < 1e-9 < width_of(unpaired.measured)


def width_of(value: Measured) -> float:
    """Give the width of an interval."""
    assert value.interval
    return value.interval[1] - value.interval[0]


@pytest.mark.parametrize(
    "what",
    [
        {"order": [["a"], ["b"]]},
        {"alike": ["a", "b"]},
        {"below": {"a": 5.0}},
        {"gain": Gain("a", "b", Decimal("100"))},
    ],
)
def test_one_run_decides_no_claim(what: dict[str, Any]) -> None:
    item = decided({"a": [2.0], "b": [1.0]}, **what)
    assert item.verdict == "one run" and item.answer in ("one run", "")
    assert item.measured and item.measured.interval is None


def test_one_run_decides_no_number_and_no_ranking() -> None:
    stated = table({"s": published(a="2", b="1")})
    items = compared({"s": experiment({"a": [2.0], "b": [1.0]})}, tables=[stated])
    assert {it.kind: it.verdict for it in items} == {"number": "one run", "ranking": "one run"}


def test_a_number_of_a_single_run_is_judged_by_where_one_run_is_expected() -> None:
    # Of these runs the mean is 1, and with 95 % one more is between 0.42 and 1.58: the standard
    # deviation is 0.163, Student's t of 3 degrees of freedom 3.18, √(1 + 1/4) 1.118.
    values = {"a": [0.8, 1.0, 1.0, 1.2]}
    for value, of_one_run in (("0.39", "matches"), ("0.37", "differs"), ("1.74", "matches")):
        rows = published(a=value)
        [item] = compared({"s": experiment(values)}, tables=[table({"s": rows}, single_run=True)])
        assert item.verdict == of_one_run, value
        [item] = compared({"s": experiment(values)}, tables=[table({"s": rows})])
        assert item.verdict == "differs"


def test_the_paper_s_margin_is_that_over_its_own_best_competitor() -> None:
    # Here b comes next, in the paper c.
    stated = table({"s": published(a="90", b="30", c="72")})
    claims = [claim(order=[["a"], ["b", "c"]])]
    found = compared({"s": experiment(constant(a=4.0, b=2.0, c=1.0))}, [stated], claims)
    [item] = [it for it in found if it.of_claim]
    assert item.measured_of == ("a", "b") and item.measured and item.measured.mean == 100
    assert item.published_of == ("a", "c") and item.published == 25


def test_a_claim_states_a_value_that_no_table_has() -> None:
    item = decided(constant(a=4.0, b=2.0), order=[["a"], ["b"]], stated=Decimal(50))
    assert item.published == 50 and item.published_of == ("a", "b")


def test_the_relation_that_runs_confirm_least_decides() -> None:
    item = decided(constant(a=3.0, b=1.0, c=2.99), order=[["a"], ["b", "c"]])
    assert item.verdict == "tied" and item.note.endswith("a over c")
    # A contradiction decides before what is open.
    values = {"a": [2.0] * RUNS, "b": [1.0, 3.0, 1.0, 3.0], "c": [4.0] * RUNS}
    assert decided(values, order=[["a"], ["b", "c"]]).answer == "no"


@pytest.mark.parametrize(("factor", "answer"), [(2.9, "yes"), (3.0, "tied"), (3.2, "no")])
def test_a_claim_may_be_of_so_many_times_more(factor: float, answer: str) -> None:
    assert decided(constant(a=3.0, b=1.0), order=[["a"], ["b"]], factor=factor).answer == answer


@pytest.mark.parametrize(("most", "answer"), [(2.5, "yes"), (2.0, "undecided"), (1.5, "no")])
def test_a_claim_may_be_of_less_than_a_value(most: float, answer: str) -> None:
    assert decided({"a": [1.9, 2.0, 2.0, 2.1]}, below={"a": most}).answer == answer


def test_a_value_answers_what_the_paper_leaves_open() -> None:
    item = decided({"a": [1.0, 2.0, 3.0, 4.0]}, value="a", question="How much?")
    assert (item.kind, item.verdict, item.answer) == ("claim", "measured", "")
    assert item.measured and item.measured.mean == 2.5
    assert item.published is None
    assert decided({"a": []}, value="a").verdict == "not measured"


@pytest.mark.parametrize(("other", "answer"), [(1.05, "yes"), (1.3, "no")])
def test_columns_are_alike_within_ten_per_cent(other: float, answer: str) -> None:
    assert decided(constant(a=1.0, b=other), alike=["a", "b"]).answer == answer


def test_a_claim_that_the_papers_own_numbers_deny_is_named() -> None:
    own = table({"s": published(a="4", b="2")})
    given = {"s": experiment(constant(a=1.0, b=3.0))}
    *_, item = compared(given, [own], [claim(order=[["b"], ["a"]])])
    assert item.verdict == "confirmed"
    assert item.note.endswith("the paper's own numbers contradict it")


@pytest.mark.parametrize(
    ("percent", "of", "found"),
    [
        # As factors: 0.12 and 0.21 differ by far more than -88 and -79.
        ("-88", 0.21, "differs"),
        ("-88", 0.125, "matches"),
        ("-88", 0.999, "differs"),
        ("300", 3.7, "matches"),
        ("300", 3.5, "differs"),
    ],
)
def test_a_gain_is_compared_as_the_factor_that_it_stands_for(
    percent: str, of: float, found: str
) -> None:
    gain = Gain("a", "b", Decimal(percent))
    item = decided(constant(a=of, b=1.0), gain=gain)
    assert (item.kind, item.verdict) == ("number", found)


def test_a_gain_over_nothing_is_not_measured() -> None:
    item = decided(constant(a=1.0, b=0.0), gain=Gain("a", "b", Decimal(10)))
    assert item.verdict == "not measured"


def test_nothing_measured_makes_no_summary_and_a_question_stays_with_its_claim() -> None:
    assert summarise([], "s") is None
    said = replace(claim(order=[["a"], ["b"]]), question="Is it?")
    (item,) = compared({"s": experiment({"a": [], "b": []})}, claims=[said])
    assert (item.verdict, item.question) == ("not measured", "Is it?")


def test_a_tie_is_two_per_cent() -> None:
    for more, answer in ((1 + 0.9 * TIE, "tied"), (1 + 1.1 * TIE, "yes")):
        assert decided(constant(a=more, b=1.0), order=[["a"], ["b"]]).answer == answer
