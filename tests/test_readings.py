"""Readings, their combinations, and how well each fits."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest

from windtunnel.papers.items import Item, Verdict
from windtunnel.papers.readings import DEFAULT, Space, known_parts, overrides, parts, restricted
from windtunnel.papers.scores import Numbers, Score, best, effects

SPACE = Space({"queue": ["red", "codel"], "cache": ["none"], "timer": ["fast", "slow", "off"]})


def space_of(seed: int) -> Space:
    """Draw a space."""
    draw = random.Random(seed)
    sizes = [draw.randint(1, 4) for _ in range(draw.randint(1, 5))]
    return Space({f"{i}": [f"{i}-{j}" for j in range(size)] for i, size in enumerate(sizes)})


@pytest.mark.parametrize("seed", range(20))
def test_all_combinations_are_there_once_the_default_first(seed: int) -> None:
    space = space_of(seed)
    every = [space.at(place) for place in range(space.size)]
    assert every[0] == DEFAULT
    assert len(set(every)) == space.size
    for reading in every:
        taken = [space.option(reading, axis) for axis in space.axes]
        assert parts(reading) == [it for it in taken if it != DEFAULT]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("count", [1, 7, 50])
def test_a_sample_has_different_combinations_and_is_the_same_each_time(
    seed: int, count: int
) -> None:
    space = space_of(seed)
    drawn = space.sample(count)
    assert len(drawn) == len(set(drawn)) == min(count, space.size)
    assert drawn == space.sample(count)


def test_each_combination_is_as_likely() -> None:
    space = Space({"a": ["1"], "b": ["2", "3"], "c": [f"c{i}" for i in range(200)]})
    drawn = space.sample(600)
    with_1 = sum(space.option(it, "a") == "1" for it in drawn)
    # Of 1,206 combinations half have it; five standard deviations of a draw without repetition.
    assert abs(with_1 - 300) < 5 * (600 * 0.25 * (1 - 600 / 1206)) ** 0.5


def test_what_does_not_concern_an_experiment_is_left_out() -> None:
    known = known_parts([DEFAULT, "red", "none + fast"])
    assert known == {"red", "none", "fast"}
    assert restricted("red + slow", known) == "red"
    assert restricted("slow", known) == DEFAULT
    assert restricted("red + none", known) == "red + none"
    assert restricted(DEFAULT, known) == DEFAULT


def test_a_combination_sets_what_its_parts_set_the_later_last() -> None:
    each: dict[str, dict[str, object]] = {
        "red": {"queue": "red", "limit": 1},
        "large": {"limit": 2},
    }
    assert overrides(DEFAULT, each) == {}
    assert overrides("red + large", each) == {"queue": "red", "limit": 2}
    assert overrides("large + red", each) == {"queue": "red", "limit": 1}


def item(number: str, reading: str, verdict: Verdict, definition: str = "") -> Item:
    """Give the item of a number."""
    measure = definition or "throughput"
    id = f"table-1/row/{number}/{measure}"
    return Item(id, "number", reading, Decimal(1), "", None, verdict, "", definition)


def test_a_number_is_counted_once_whatever_its_definitions() -> None:
    numbers = Numbers(
        [
            item("a", DEFAULT, "differs"),
            item("a", DEFAULT, "matches", "other"),
            item("b", DEFAULT, "matches"),
            item("b", DEFAULT, "matches", "other"),
            item("c", DEFAULT, "at the bound"),
        ]
    )
    assert numbers.score(DEFAULT) == Score(DEFAULT, 2, 3, [])
    assert numbers.score(DEFAULT, any_definition=True) == Score(DEFAULT, 3, 3, ["other"])


def test_one_definition_holds_for_all_numbers_for_which_it_is_open() -> None:
    # Each number matches under one of two definitions, but no definition has both.
    numbers = Numbers(
        [
            item("a", DEFAULT, "differs"),
            item("a", DEFAULT, "matches", "other"),
            item("b", DEFAULT, "matches"),
            item("b", DEFAULT, "differs", "other"),
        ]
    )
    assert numbers.score(DEFAULT, any_definition=True) == Score(DEFAULT, 1, 2, [])


def test_a_number_that_a_reading_does_not_concern_keeps_its_verdict() -> None:
    numbers = Numbers(
        [
            item("a", DEFAULT, "differs"),
            item("a", "red", "matches"),
            item("b", DEFAULT, "matches"),
            item("b", "none", "differs"),
        ]
    )
    scored = {it: numbers.score(it).agree for it in (DEFAULT, "red", "none", "red + none")}
    # Of the combination, each number takes what concerns it.
    assert scored == {DEFAULT: 1, "red": 2, "none": 0, "red + none": 1}


def test_rankings_and_claims_are_no_numbers() -> None:
    other = Item("claims/s/c", "claim", DEFAULT, None, "", None, "confirmed", "")
    assert Numbers([other]).score(DEFAULT) == Score(DEFAULT, 0, 0, [])


def test_of_equal_scores_the_first_is_best() -> None:
    scores = [Score(name, agree, 9, []) for name, agree in (("a", 1), ("b", 3), ("c", 3))]
    assert best(scores).reading == "b"


def test_effects_are_found_in_a_sum_of_them() -> None:
    adds = {"codel": 5, "none": -2, "slow": 1}
    scores = [
        Score(reading, 10 + sum(adds.get(part, 0) for part in parts(reading)), 99, [])
        for reading in SPACE.sample(SPACE.size)
    ]
    found = {it.reading: it.gain for it in effects(scores, SPACE)}
    expected = {"red": 0, "codel": 5, "none": -2, "fast": 0, "slow": 1, "off": 0}
    assert found == pytest.approx(expected)


def test_without_two_combinations_nothing_is_said_of_an_effect() -> None:
    scores = [Score(DEFAULT, 1, 9, []), Score("red", 2, 9, [])]
    assert effects(scores, SPACE) == []
