"""Spreads: the same mean, interval and range wherever values of several runs are shown."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import polars as pl
import pytest

from windtunnel.measures.intervals import factor, interval
from windtunnel.measures.spreads import FIELDS, spread

TABLE = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 10: 2.262, 30: 2.045, 121: 1.980}
"""Of this many values the quantile 0.975 of Student's t, as in the tables of textbooks."""


@pytest.mark.parametrize(("count", "quantile"), TABLE.items())
def test_the_factor_is_that_of_the_tables_of_students_t(count: int, quantile: float) -> None:
    found = factor(count)
    assert found is not None and found * math.sqrt(count) == pytest.approx(quantile, abs=5e-4)


def test_a_single_value_has_no_interval() -> None:
    assert factor(1) is None
    frame = pl.DataFrame({"case": ["a"], "value": [4.0]})
    [measured] = spread(frame, ["case"], ["value"])["value"].struct.unnest().rows(named=True)
    known = dict.fromkeys(("mean", "minimum", "maximum"), 4.0) | {"runs": 1}
    assert measured == dict.fromkeys(FIELDS) | known


def test_spreads_are_those_of_each_key_and_leave_out_what_is_missing() -> None:
    values: dict[str, list[float | None]] = {"a": [1.0, 2.0, 6.0], "b": [5.0, 7.0, None, math.nan]}
    rows = [(case, value) for case, them in values.items() for value in them]
    frame = pl.DataFrame(rows, {"case": pl.String, "value": pl.Float64}, orient="row")
    found = spread(frame, ["case"], ["value"])
    for (case, measured), known in zip(found.rows(), ([1.0, 2.0, 6.0], [5.0, 7.0]), strict=True):
        assert case in values
        expected = interval(known)
        assert (measured["mean"], measured["runs"]) == (fmean(known), len(known))
        assert (measured["low"], measured["high"]) == pytest.approx(expected.ends)
        assert (measured["minimum"], measured["maximum"]) == (min(known), max(known))
        assert measured["standard_deviation"] == pytest.approx(stdev(known))
    assert spread(frame.clear(), ["case"], ["value"]).is_empty()
    [[of_all]] = spread(frame, [], ["value"]).rows()
    assert of_all["runs"] == 5


@pytest.mark.parametrize("runs", [2, 5, 20])
def test_the_interval_holds_the_true_mean_in_95_of_100_samples(runs: int) -> None:
    draw, samples = random.Random(7), 4_000
    rows = [(it, draw.gauss(3.0, 2.0)) for it in range(samples) for _ in range(runs)]
    frame = pl.DataFrame(rows, {"sample": pl.Int64, "value": pl.Float64}, orient="row")
    ends = spread(frame, ["sample"], ["value"])["value"].struct.unnest()
    held = ends.filter(pl.col("low") <= 3.0, pl.col("high") >= 3.0).height
    # Within four standard deviations of a binomial count.
    assert held / samples == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / samples))
