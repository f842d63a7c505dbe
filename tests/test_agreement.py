"""When values agree, and when runs confirm a relation: rounding, bounds, ratios, intervals."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest

from windtunnel.measures.intervals import factor, interval
from windtunnel.measures.measure import Bound
from windtunnel.papers import agreement


@pytest.mark.parametrize(
    ("published", "beside", "half"),
    [
        ("0.04", [], 0.005),
        ("0.001", [], 0.0005),
        ("93.778", [], 0.0005),
        ("15", [], 0.5),
        ("0", ["0.8", "1.064"], 0.0005),
        ("0", [], 0.5),
        # A value that is not zero has its own digits.
        ("1.7", ["173.96"], 0.05),
    ],
)
def test_a_published_value_means_what_its_digits_say(
    published: str, beside: list[str], half: float
) -> None:
    given = agreement.rounding(Decimal(published), map(Decimal, beside))
    assert given == pytest.approx(half)


@pytest.mark.parametrize("value", [0.0351, 0.0449, 0.036, 0.044])
def test_a_value_that_rounds_to_the_published_one_matches(value: float) -> None:
    assert agreement.match(0.04, value, 0.005)


@pytest.mark.parametrize("value", [0.0349, 0.0451])
def test_a_value_beyond_rounding_and_tolerance_does_not_match(value: float) -> None:
    assert not agreement.match(0.04, value, 0.005)


def test_less_than_half_of_the_last_digit_is_zero() -> None:
    assert agreement.match(0.0, 0.0004, 0.0005)
    assert not agreement.match(0.0, 0.0006, 0.0005)


@pytest.mark.parametrize(
    ("published", "measured", "matches"),
    [
        # To 0.12 times and to 0.21 times.
        (-88.0, -79.0, False),
        (-88.0, -87.0, True),
        # Six times and 5.5 times; 4.5 times.
        (500.0, 450.0, True),
        (500.0, 350.0, False),
        # 1.02 times and 1.05 times differ little.
        (2.0, 5.0, True),
    ],
)
def test_gains_are_compared_as_factors(published: float, measured: float, matches: bool) -> None:
    assert agreement.match_gain(published, measured) == matches


@pytest.mark.parametrize(
    ("published", "place"),
    [
        ("100", "possible"),
        ("100.4", "at the bound"),
        ("102.9", "at the bound"),
        ("103.2", "impossible"),
        # Half of its last digit is more than 3 %.
        ("1E+2", "possible"),
        ("1.5E+2", "impossible"),
    ],
)
def test_a_value_a_little_beyond_a_bound_is_at_it(published: str, place: str) -> None:
    value = Decimal(published)
    bound = Bound(maximum=100.0)
    assert agreement.place(value, agreement.rounding(value), bound) == place


def test_a_value_below_a_minimum_that_rounding_explains_is_at_the_bound() -> None:
    minimum = Bound(minimum=0.0401)
    assert agreement.place(Decimal("0.04"), 0.005, minimum) == "at the bound"
    assert agreement.place(Decimal("0.03"), 0.005, minimum) == "impossible"


def runs(*values: float) -> dict[int, float]:
    """Give values by the number of their run."""
    return dict(enumerate(values))


def test_an_interval_is_students() -> None:
    # Student's t for two degrees of freedom and 95 %: 4.3027.
    found = interval([1.0, 2.0, 3.0])
    assert found.mean == 2.0
    assert found.high - found.mean == pytest.approx(4.3027 / 3**0.5, rel=1e-4)
    assert interval([5.0]).low == interval([5.0]).high == 5.0


def test_runs_with_the_same_random_streams_are_compared_with_each_other() -> None:
    # Seeds differ far more than the two do; each pair says the same.
    of, over = runs(110.0, 55.0, 220.0, 11.0), runs(100.0, 50.0, 200.0, 10.0)
    assert agreement.difference(of, over) is not None
    paired = agreement.relation(runs(103, 53, 203, 13), runs(100, 50, 200, 10))
    assert paired == "more"
    shuffled = agreement.relation(runs(13, 203, 53, 103), runs(100, 50, 200, 10))
    assert shuffled == "open"


@pytest.mark.parametrize(
    ("of", "relation"),
    [
        ((110.0, 111.0, 109.0), "more"),
        ((90.0, 91.0, 89.0), "less"),
        ((100.5, 100.0, 99.5), "tied"),
        # The mean is ahead, but the runs do not confirm it.
        ((100.0, 130.0, 95.0), "open"),
    ],
)
def test_a_relation_is_confirmed_by_an_interval_that_clears_the_margin(
    of: tuple[float, ...], relation: str
) -> None:
    assert agreement.relation(runs(*of), runs(100.0, 100.0, 100.0)) == relation


def test_a_relation_may_be_with_a_multiple() -> None:
    of, over = runs(5.5, 5.6, 5.4), runs(1.5, 1.5, 1.5)
    assert agreement.relation(of, over, factor=3) == "more"
    assert agreement.relation(of, over, factor=4) == "less"


def test_without_common_runs_nothing_is_known() -> None:
    assert agreement.relation({0: 1.0}, {1: 1.0}) is None


@pytest.mark.parametrize("seed", range(50))
def test_relations_turn_round_and_do_not_depend_on_the_unit(seed: int) -> None:
    random = Random(seed)
    count, unit = random.randint(1, 8), random.uniform(0.01, 100)
    of, over = (runs(*(random.expovariate(1) for _ in range(count))) for _ in range(2))
    forth, back = agreement.relation(of, over), agreement.relation(over, of)
    assert {"more": "less", "less": "more"}.get(str(forth), forth) == back
    in_unit = [{run: unit * value for run, value in it.items()} for it in (of, over)]
    first, second = agreement.difference(of, over), agreement.difference(in_unit[0], in_unit[1])
    assert first is not None
    assert second is not None
    assert (second.low, second.high) == pytest.approx((first.low, first.high))


def test_a_confidence_interval_needs_two_values() -> None:
    assert factor(1) is None
