"""Differences between cases are paired by run, told with their intervals, and fronts heed them."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import numpy
import polars as pl
import pytest

from conftest import Command
from windtunnel import Results, significance
from windtunnel.measures import differences
from windtunnel.measures.columns import DELAY, GOODPUT
from windtunnel.measures.differences import Difference, difference
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.measures.fronts import on_front
from windtunnel.report import write_report

NAMES = ("cubic", "bbr3")


def test_the_interval_is_that_of_a_paired_sample() -> None:
    """Gosset's sleep data (Student, "The probable error of a mean", Biometrika 6, 1908): ten
    patients, two drugs. The mean difference is 1.58 h; the interval is that of R's manual."""
    one = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    other = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    found = difference(DELAY, NAMES, dict(enumerate(one)), dict(enumerate(other)))
    assert found and found.low and found.high
    assert found.mean == pytest.approx(1.58) and found.runs == 10
    assert (found.low, found.high) == pytest.approx((0.7001142, 2.4598858))
    assert found.is_significant


def test_what_runs_have_in_common_cancels_out() -> None:
    draw = random.Random(3)
    common = {run: draw.gauss(0.0, 100.0) for run in range(8)}
    second = {run: value + 1.0 + draw.gauss(0.0, 0.1) for run, value in common.items()}
    found = difference(GOODPUT, NAMES, common, second)
    assert found and found.is_significant
    assert found.low is not None and found.low == pytest.approx(1.0, abs=0.3)


def test_only_what_both_have_is_paired_and_a_single_pair_tells_nothing() -> None:
    found = difference(DELAY, NAMES, {0: 1.0, 1: 2.0, 2: 9.0}, {0: 2.0, 1: 4.0, 5: 0.0})
    assert found and (found.mean, found.runs) == (1.5, 2)
    assert difference(DELAY, NAMES, {0: 1.0}, {0: 2.0}) is None
    assert difference(DELAY, NAMES, {0: 1.0, 1: 2.0}, {2: 1.0, 3: 2.0}) is None


def test_where_nothing_is_random_a_difference_is_exact() -> None:
    found = difference(DELAY, NAMES, {0: 0.25, 1: 0.25}, {0: 0.5, 1: 0.5})
    assert found and (found.low, found.high) == (None, None) and found.is_significant
    assert significance.sentence(found) == "delay: bbr3 − cubic = +250 ms (the same in all runs)"


def test_a_sentence_has_one_unit_and_says_what_is_not_significant() -> None:
    sure = Difference(DELAY, *NAMES, -0.136, -0.15, -0.122, 5)
    assert significance.sentence(sure) == ("delay: bbr3 − cubic = −136 ms (95 % CI −150 to −122)")
    wide = Difference(DELAY, *NAMES, -0.6578, -0.9092, -0.4065, 3)
    assert significance.sentence(wide).endswith("= −658 ms (95 % CI −909 to −406)")
    doubtful = Difference(GOODPUT, *NAMES, 1e6, -1e6, 3e6, 5)
    assert significance.sentence(doubtful).endswith("(95 % CI −1 to +3; not significant)")


def test_a_case_is_compared_with_the_first_that_differs_on_one_axis() -> None:
    assert differences.apart(("a", "x"), ("b", "x")) == [("a", "b")]
    assert differences.apart(("a", "x"), ("a", "y")) == [("x", "y")]
    assert differences.apart(("a", "x"), ("b", "y")) == []


def test_run_compare_and_the_report_tell_differences(windtunnel: Command, scenario: Path) -> None:
    ran = windtunnel("run", scenario.name, "--set", "runs=4").stdout
    results = Results.load(scenario.parent / "results" / "small")
    flows = results["flows"].sort("controller", "run", descending=[True, False])
    cubic, aimd = (flows.filter(controller=it)["goodput_bps"].to_list() for it in ("cubic", "aimd"))
    [found, *_] = differences.of_results(results)
    assert (found.first, found.second, found.runs) == ("cubic", "aimd", 4)
    less = [b - a for a, b in zip(cubic, aimd, strict=True)]
    assert found.mean == pytest.approx(sum(less) / 4)
    told = significance.sentence(found)
    assert told in ran and "differences from the first case, paired by run" in ran
    page = write_report(scenario.parent / "results" / "small").read_text(encoding="utf-8")
    assert f"<li>{told[0].upper()}{told[1:]}</li>" in page
    document = json.loads(windtunnel("run", scenario.name, "--set", "runs=4", "--json").stdout)
    assert document["differences"][0] == found.row()
    windtunnel("run", scenario.name, "--set", "runs=4", "--seed", 9, "--out", "other")
    compared = windtunnel("compare", "results/small", "other").stdout
    assert "differences: paired by run" in compared


def made(values: dict[tuple[str, float, int], float]) -> StudyFrame:
    """Make a study of controllers, delays and seeds."""
    rows = [(*key, "", value) for key, value in values.items()]
    columns = ["controller", "delay", "seed", "key", "goodput_bps"]
    controllers, delays = (list(dict.fromkeys(key[place] for key in values)) for place in (0, 1))
    parameters = [
        Parameter("controller", [str(it) for it in controllers], None, "", False),
        Parameter(
            "delay", [f"{it:g} s" for it in delays], [float(it) for it in delays], "s", False
        ),
    ]
    return StudyFrame("made", parameters, pl.DataFrame(rows, columns, orient="row"))


def test_a_study_is_compared_by_seed_over_all_else() -> None:
    effect = {1: 1e6, 2: 2e6, 3: 3e6}
    values = {
        (controller, delay, seed): 1e7 * delay + (effect[seed] if controller == "reno" else 0.0)
        for controller in ("cubic", "reno")
        for delay in (1.0, 5.0)
        for seed in effect
    }
    # Without a counterpart, it does not count; nor does a seed that lacks a combination.
    values["reno", 9.0, 1] = 1e9
    del values["cubic", 5.0, 3]
    [found] = differences.of_study(made(values), made(values).parameters[0])
    assert (found.first, found.second, found.runs) == ("cubic", "reno", 2)
    assert found.mean == pytest.approx(1.5e6)
    assert found.low is not None
    assert found.mean - found.low == pytest.approx(12.706 * 0.5e6, rel=1e-4)
    assert significance.of_study(made(values))[-1].startswith(
        "differences from the first controller"
    )


def test_differences_within_confidence_do_not_decide_a_front() -> None:
    # The second has as much goodput as far as is known, and surely less delay.
    delay = numpy.array([[10.0, 11.0, 10.5], [5.0, 5.5, 5.2]])
    goodput = numpy.array([[8.0, 8.6, 8.2], [8.1, 8.3, 7.9]])
    assert on_front(delay, goodput).tolist() == [False, True]
    # Where both differ within confidence, both are on it.
    close = numpy.array([[10.0, 11.0, 10.5], [10.1, 10.7, 10.4]])
    assert on_front(close, goodput).tolist() == [True, True]
    # By single runs the means decide, and a missing run is no pair.
    assert on_front(delay[:, :1], goodput[:, :1]).tolist() == [False, True]
    delay[0] = math.nan
    assert on_front(delay, goodput).tolist() == [True, True]


def test_a_front_of_equal_points_has_nearly_all_of_them() -> None:
    """Of pairs of points that differ by chance only, 5 % differ with confidence: in either of two
    measures, one of them better, at most one in ten."""
    draw = numpy.random.default_rng(1)
    beaten = 0
    for _ in range(500):
        delay, goodput = draw.normal(10.0, 1.0, (2, 2, 6))
        beaten += int((~on_front(delay, goodput)).sum())
    assert beaten / 500 < 0.1 + 4 * math.sqrt(0.1 * 0.9 / 500)
