"""What applications ask of TCP, beside the Linux kernel: the page, and the bounds it gives."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "validation"), str(ROOT / "validation" / "kernel")]

import compare_exchanges as compare  # noqa: E402
import exchanges  # noqa: E402

Measures = dict[str, float]
Pairs = list[tuple[compare.Case, Measures]]

TIMES = ("first answer, ms", "second, ms", "sixth, ms")


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    simulated: Pairs = compare.simulated()
    return simulated


def with_medians(pairs: Pairs, workload: str) -> list[tuple[compare.Case, Measures, Measures]]:
    """Give cases, the medians of the kernel's measures, and ours."""
    return [
        (
            case,
            {name: statistics.median(runs) for name, runs in compare.by_measure(case).items()},
            our,
        )
        for case, our in pairs
        if case["workload"] == workload
    ]


def test_the_page_has_the_tables_that_the_command_gives(pairs: Pairs) -> None:
    page = (ROOT / "docs" / "validation" / "kernel.md").read_text(encoding="utf-8")
    for name, text in compare.tables(pairs).items():
        assert text in page, f"{name}: run `make validate`"
    assert compare.kernel()["kernel"] in page


def test_what_is_stored_is_what_the_program_measures() -> None:
    stored = compare.kernel()
    described = [compare.described(case) for case in stored["cases"]]
    assert described == [compare.described(vars(case)) for case in exchanges.cases()]
    assert all(len(case["runs"]) >= 5 for case in stored["cases"])
    assert not any("mem" in name for name in stored["changed_sysctls"])
    assert compare.BURST_SEGMENTS == exchanges.BURST_SEGMENTS


def test_answers_up_to_300_kb_take_as_long_except_where_the_send_buffer_grows(
    pairs: Pairs,
) -> None:
    for case, their, our in with_medians(pairs, "answers"):
        growing = case["size_bytes"] == 300_000 and not case["slow_start_after_idle"]
        for name in TIMES:
            if case["size_bytes"] <= 300_000 and not (growing and name == "second, ms"):
                assert our[name] == pytest.approx(their[name], rel=0.05), compare.described(case)


def test_the_first_answer_of_3_mb_takes_as_long(pairs: Pairs) -> None:
    for case, their, our in with_medians(pairs, "answers"):
        if case["size_bytes"] == 3_000_000:
            first = TIMES[0]
            assert our[first] == pytest.approx(their[first], rel=0.05), compare.described(case)


def test_after_silence_windows_are_decayed_or_kept_as_the_kernels(pairs: Pairs) -> None:
    before, after = "window before, segments", "window after, segments"
    for case, their, our in with_medians(pairs, "turns"):
        if case["controller"] == "bbr" or not case["slow_start_after_idle"]:
            assert their[after] == their[before], compare.described(case)
            assert our[after] == our[before], compare.described(case)
        elif case["off_s"] == 20:
            assert our[after] == their[after] == 10, compare.described(case)
        else:
            # One timeout more or less.
            assert 0.45 < our[after] / their[after] < 2.2, compare.described(case)


def test_goodput_in_turns_is_the_kernels(pairs: Pairs) -> None:
    for case, their, our in with_medians(pairs, "turns"):
        for name in ("goodput, Mbps", "first second of later turns, Mbps"):
            assert our[name] == pytest.approx(their[name], rel=0.06), compare.described(case)


def test_a_small_receive_buffer_limits_as_in_the_kernel_and_nothing_is_dropped(
    pairs: Pairs,
) -> None:
    goodput, dropped = "goodput, Mbps", "dropped, segments"
    for case, their, our in with_medians(pairs, "bulk"):
        if case["receive_buffer"]:
            assert our[goodput] == pytest.approx(their[goodput], rel=0.1), compare.described(case)
            assert our[dropped] == their[dropped] == 0, compare.described(case)


def test_segments_that_come_late_cost_both_goodput_once_others_are_repaired(pairs: Pairs) -> None:
    first, goodput = "goodput of the first 20 s, Mbps", "goodput, Mbps"
    [(_, their, our)] = [it for it in with_medians(pairs, "bulk") if it[0]["late_share"]]
    for measures in (their, our):
        assert 80 < measures[first] < 96
        # After a retransmission the receiver drops those that are late (PAWS).
        assert 65 < measures[goodput] < measures[first]


def test_goodput_with_bursts_of_losses_is_the_kernels(pairs: Pairs) -> None:
    for case, their, our in with_medians(pairs, "bursts"):
        for name in ("goodput, Mbps", "goodput of the first 20 s, Mbps"):
            assert our[name] == pytest.approx(their[name], rel=0.15), compare.described(case)


def test_short_transfers_with_losses_take_as_long_and_seldom_wait_for_the_timeout(
    pairs: Pairs,
) -> None:
    for case, their, our in with_medians(pairs, "transfers"):
        for name in ("median, ms", "mean, ms"):
            assert our[name] == pytest.approx(their[name], rel=0.1), compare.described(case)
        assert our["timeouts per 1,000"] < 10, compare.described(case)
        assert their["timeouts per 1,000"] < 10, compare.described(case)


def test_the_kernel_never_received_faster_than_the_bucket_lets_pass() -> None:
    most = exchanges.RATE_MBPS * 1448 / exchanges.FRAME
    for case in compare.kernel()["cases"]:
        for run in case["runs"]:
            assert run.get("goodput_mbps", 0) <= most * 1.001, compare.described(case)
