"""Multipath TCP beside the Linux kernel, while the delay of a path comes and goes."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import pytest

from windtunnel.results import Results

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "validation"), str(ROOT / "validation" / "kernel")]

import compare_delay_cycles as compare  # noqa: E402
import delay_cycles  # noqa: E402

Pairs = list[tuple[compare.Case, Results]]

CAPACITY = 3e6 / 8 / 1514
"""Full segments a second that a path carries."""
LOCKED_S = 5
"""With halves so short, the short round trip comes again before BBR's ten seconds are over."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    simulated: Pairs = compare.simulated()
    return simulated


def median(case: compare.Case, state: str, name: str) -> float:
    return float(statistics.median(run[state][name] for run in case["runs"]))


def test_the_page_has_the_tables_that_the_command_gives(pairs: Pairs) -> None:
    page = (ROOT / "docs" / "validation" / "kernel.md").read_text(encoding="utf-8")
    for name, text in compare.tables(pairs).items():
        assert text in page, f"{name}: run `make validate`"


def test_what_is_stored_is_what_the_program_measures() -> None:
    for found, case in zip(compare.kernel()["cases"], delay_cycles.cases(), strict=True):
        described = {name: found[name] for name in ("controller", "half_s", "base_rtt_ms")}
        assert described == {name: getattr(case, name) for name in described}
        assert len(found["runs"]) == delay_cycles.RUNS


def test_the_halves_of_a_cycle_take_turns() -> None:
    case = delay_cycles.Case("bbr", 5, 16)
    on = [delay_cycles.is_on(case, place) for place in range(200)]
    assert on == ([False] * 50 + [True] * 50) * 2


def test_both_are_locked_or_follow_alike(pairs: Pairs) -> None:
    for case, results in pairs:
        if case["controller"] != "bbr":
            continue
        ours = {on: compare.of_state(case, results, on=on)["cwnd_segments"] for on in (False, True)}
        theirs = [median(case, state, "cwnd_segments") for state in ("off", "on")]
        ratios = ours[True] / ours[False], theirs[1] / theirs[0]
        if case["half_s"] == LOCKED_S:
            assert all(0.9 < ratio < 1.1 for ratio in ratios), compare.case_name(case)
        else:
            assert all(ratio > 1.4 for ratio in ratios), compare.case_name(case)


def test_both_believe_in_more_than_the_path_carries_where_it_follows(pairs: Pairs) -> None:
    """The small segments at the ends of bursts are packets; 2 % is between the runs and ours."""
    for case, results in pairs:
        if case["controller"] != "bbr" or case["half_s"] == LOCKED_S:
            continue
        for state, on in compare.STATES.items():
            our = compare.of_state(case, results, on=on)["bandwidth_segments"]
            assert our == pytest.approx(median(case, state, "bandwidth_segments"), rel=0.02)
            assert our > 1.015 * CAPACITY
