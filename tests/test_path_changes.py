"""Changes of paths: where they are found, what is aligned with them, and who used which satellite.

Of tables made by hand.
"""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest

from windtunnel.measures.path_changes import AFTER_S, BEFORE_S, around, changes
from windtunnel.pictures.handovers import stays
from windtunnel.pictures.path_changes import DIRECTIONS, counts

KEYS = ["run", "flow"]


def routes(*paths: tuple[str | None, float], flow: str = "f", run: int = 0) -> pl.DataFrame:
    """Give samples of paths every 100 ms, each with the round trip of light in ms."""
    rows = [
        {
            "run": run,
            "flow": flow,
            "time_s": number / 10,
            "propagation_s": None if path is None else 0.4e-3 * round_trip,
            "return_propagation_s": None if path is None else 0.6e-3 * round_trip,
            "path": path,
        }
        for number, (path, round_trip) in enumerate(paths, start=1)
    ]
    kinds = {"propagation_s": pl.Float64, "return_propagation_s": pl.Float64, "path": pl.String}
    return pl.DataFrame(rows, schema_overrides=kinds)


def found(*paths: tuple[str | None, float]) -> list[tuple[float, float | None]]:
    """Give when paths change, and by how many ms the round trip does."""
    rows = changes(routes(*paths), KEYS).select("changed_s", 1e3 * pl.col("step_s")).rows()
    return [(time, None if step is None else round(step, 9)) for time, step in rows]


def test_a_path_changes_with_its_nodes_and_not_with_its_length() -> None:
    assert found(("a", 10), ("a", 11), ("b", 14), ("b", 15), ("a", 9)) == [(0.3, 3), (0.5, -6)]


def test_without_a_path_in_between_the_step_is_to_the_next_one() -> None:
    assert found(("a", 10), (None, 0), (None, 0), ("b", 30)) == [(0.2, 20)]


def test_a_path_that_comes_back_or_does_not_has_no_step() -> None:
    assert found((None, 0), ("a", 10), (None, 0), ("a", 12)) == [(0.3, None)]
    assert found(("a", 10), (None, 0)) == [(0.2, None)]


def test_flows_and_runs_are_apart() -> None:
    frame = pl.concat(
        [
            routes(("a", 1), (None, 0)),
            routes(("b", 2), ("b", 2), flow="g"),
            routes(("c", 3), ("d", 4), run=1),
        ]
    )
    expected = [(0, "f", 0.2, None), (1, "f", 0.2, pytest.approx(1e-3))]
    assert changes(frame, KEYS).rows() == expected


def samples(end_s: float, interval_s: float = 0.1) -> pl.DataFrame:
    """Give samples whose value is the middle of their interval."""
    ends = [number * interval_s for number in range(1, round(end_s / interval_s) + 1)]
    rows = [{"run": 0, "flow": "f", "time_s": it, "value": it - interval_s / 2} for it in ends]
    return pl.DataFrame(rows)


def change(*times: float) -> pl.DataFrame:
    """Give changes at these times; their steps are their numbers."""
    rows = [(0, "f", float(it), float(number)) for number, it in enumerate(times)]
    return pl.DataFrame(rows, schema=[*KEYS, "changed_s", "step_s"], orient="row")


def test_samples_are_placed_by_the_middle_of_their_interval() -> None:
    aligned = around(samples(20), change(5, 15), KEYS)
    assert aligned.height == 2 * round((BEFORE_S + AFTER_S) / 0.1)
    off = aligned.select(pl.col("value") - pl.col("changed_s") - pl.col("offset_s"))
    assert off.to_series().to_list() == pytest.approx([0.0] * off.height, abs=1e-9)
    for _, of_one in aligned.group_by("changed_s"):
        assert of_one["offset_s"].min() == pytest.approx(0.05 - BEFORE_S)
        assert of_one["offset_s"].max() == pytest.approx(AFTER_S - 0.05)


def test_a_pulse_after_each_change_is_as_high_in_the_mean() -> None:
    changed = change(4, 11.3, 16)
    after = [pl.col("value").is_between(it, it + 0.3) for it in changed["changed_s"]]
    frame = samples(20).with_columns(value=pl.when(pl.any_horizontal(after)).then(7.0).otherwise(2))
    mean = around(frame, changed, KEYS).group_by("offset_s").agg(pl.col("value").mean())
    expected = [(it, 7.0 if 0 < it < 0.3 else 2.0) for it, _ in mean.sort("offset_s").rows()]
    assert mean.sort("offset_s").rows() == expected
    assert len(expected) == 40


def test_what_lies_beyond_another_change_is_left_out() -> None:
    aligned = around(samples(10), change(5, 5.5), KEYS)
    first, second = (
        aligned.filter(changed_s=it).sort("offset_s")["offset_s"].to_list() for it in (5, 5.5)
    )
    assert (first[0], first[-1]) == pytest.approx((0.05 - BEFORE_S, 0.45))
    assert (second[0], second[-1]) == pytest.approx((-0.45, AFTER_S - 0.05))


def test_intervals_across_a_change_count_once_and_offsets_are_common() -> None:
    aligned = around(samples(20, 0.2), change(5.1, 12.04), KEYS)
    assert aligned.select("time_s", "changed_s").is_unique().all()
    offsets = aligned["offset_s"].unique().sort().to_list()
    assert len(offsets) == round((BEFORE_S + AFTER_S) / 0.2)
    assert [b - a for a, b in pairwise(offsets)] == pytest.approx([0.2] * (len(offsets) - 1))


def test_other_flows_changes_are_not_ones_own() -> None:
    others = change(5).with_columns(flow=pl.lit("g"))
    assert around(samples(10), others, KEYS).is_empty()


@pytest.mark.parametrize(
    ("of_lines", "said"),
    [([1], "1 change makes"), ([3, 3], "3 changes make"), ([2, 4, 3], "2 to 4 changes make")],
)
def test_captions_count_the_changes_of_each_line(of_lines: list[int], said: str) -> None:
    rows = [
        (f"l{line}", line, 0, "f", float(number), 1e-3 * (number + 1))
        for line, count in enumerate(of_lines)
        for number in range(count)
        # Each change has many samples.
        for _ in range(5)
    ]
    kinds = ["line", "case", "run", "flow", "changed_s", "step_s"]
    frame = pl.DataFrame(rows, schema=kinds, orient="row")
    most = max(of_lines)
    expected = f"{said} the round trip longer, by up to {most} ms."
    assert counts(frame, DIRECTIONS[0]) == expected


CONTACTS = pl.DataFrame(
    [("a", "x"), ("a", "y"), ("b", "y"), ("b", "z")], schema=["node", "satellite"], orient="row"
)


def used(*frames: pl.DataFrame) -> list[tuple[str, str, int, float, float]]:
    """Give who used which satellite, when."""
    columns = ("row", "satellite", "number", "start_s", "end_s")
    return stays(pl.concat(frames), CONTACTS).select(columns).rows()


def test_a_place_uses_the_satellite_next_to_it_on_the_path() -> None:
    paths = ("a > x > y > b", "a > x > z > b", "a > x > z > b", "a > y > z > b")
    assert used(routes(*((it, 1) for it in paths))) == [
        ("a (1)", "x", 0, 0.0, 0.4),
        ("a (1)", "y", 1, 0.4, 0.4),
        ("b (1)", "y", 0, 0.0, 0.2),
        ("b (1)", "z", 1, 0.2, 0.4),
    ]


def test_hosts_behind_a_place_and_times_without_a_path_use_none() -> None:
    paths = ("h > a > x > b", None, "h > a > x > z > b", "h > a > x > z > b")
    assert used(routes(*((it, 1) for it in paths))) == [
        ("a (0)", "x", 0, 0.0, 0.2),
        ("a (0)", "x", 0, 0.3, 0.4),
        ("b (0)", "z", 0, 0.3, 0.4),
    ]


def test_a_place_that_several_flows_use_has_a_row_for_each() -> None:
    there = routes(("a > x > z > b", 1), ("a > x > z > b", 1))
    back = routes(("z > a", 1), ("y > a", 1), flow="g")
    assert [it[0] for it in used(there, back)] == ["a, f (0)", "b (0)", "a, g (0)"]
