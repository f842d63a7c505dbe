"""Multipath TCP beside the Linux kernel: the page, and the bounds it gives."""

from __future__ import annotations

import statistics
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from windtunnel.results import Results
from windtunnel.running import Captures, Details, read, run_scenario

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "validation"), str(ROOT / "validation" / "kernel")]

import compare_multipath as compare  # noqa: E402
import multipath  # noqa: E402
import multipath_segments  # noqa: E402

Pairs = list[tuple[compare.Case, Results]]

RATE_UNITS = 1e6
ENHANCED_PACKET = 6
"""The type of a pcapng block that has a packet."""
ETHERNET = 14
"""The bytes of a frame before its IP packet."""
FULL = compare.SEGMENT / compare.FRAME
"""The share of a path's rate that is data."""


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    simulated: Pairs = compare.simulated()
    return simulated


def measures(pairs: Pairs) -> list[tuple[compare.Case, compare.Measures, compare.Measures]]:
    """Give the cases without a cut, the medians of the kernel's measures, and ours."""
    return [
        (case, medians([compare.their_measures(run) for run in case["runs"]]), ours(results))
        for case, results in pairs
        if not case["cut_s"]
    ]


def ours(results: Results) -> compare.Measures:
    found: compare.Measures = compare.our_measures(results)
    return found


def medians(runs: list[compare.Measures]) -> compare.Measures:
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def rates_mbps(case: compare.Case) -> list[float]:
    return [path["rate_mbps"] for path in case["paths"]]


def segment(sizes: tuple[int, ...], flags: int, option: bytes) -> bytes:
    """Give an IPv4 packet with a TCP segment: timestamps, an option, and so much data."""
    stamps = bytes([1, 1, 8, 10, *bytes(8)])
    padded = stamps + option + bytes([1] * (-len(option) % 4))
    header = 20 + len(padded)
    tcp = struct.pack(">HHIIBBHHH", 1, 2, 3, 4, header // 4 << 4, flags, 5, 6, 7) + padded
    length = 20 + len(tcp) + sizes[0]
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, length, 0, 0, 64, 6, 0, 1, 2)
    return ip + tcp + bytes(sizes[0])


def test_the_page_has_the_tables_that_the_command_gives(pairs: Pairs) -> None:
    page = (ROOT / "docs" / "validation" / "kernel.md").read_text(encoding="utf-8")
    for name, text in compare.tables(pairs).items():
        assert text in page, f"{name}: run `make validate`"
    assert compare.kernel()["kernel"] in page


def test_what_is_stored_is_what_the_program_measures() -> None:
    stored = compare.kernel()
    for found, case in zip(stored["cases"], multipath.cases(), strict=True):
        described = {"controller": case.controller, "seconds": case.seconds}
        described |= {"cut_s": case.cut_s, "mended_s": case.mended_s}
        assert {name: found[name] for name in described} == described
        assert [path["rate_mbps"] for path in found["paths"]] == list(case.rates_mbps)
        assert [path["base_rtt_ms"] for path in found["paths"]] == list(case.base_rtts_ms)
        assert len(found["runs"]) == multipath.RUNS
    assert stored["sysctls"]["mptcp.scheduler"] == "default"


def test_a_segment_is_described_by_its_option_and_its_data() -> None:
    """Figures 4, 6 and 9 of RFC 8684: the first SYN, a SYN that joins, and data."""
    sizes = multipath_segments.sizes
    capable = segment((0,), 0x02, bytes([30, 4, 0x01, 0x81]))
    join = segment((0,), 0x12, bytes([30, 16, 0x10, *bytes(13)]))
    data = segment((1420,), 0x10, bytes([30, 26, 0x20, 0x0F, *bytes(22)]))
    plain = segment((100,), 0x10, b"")
    assert sizes([capable]) == {"MP_CAPABLE SYN": (56, 4, 0)}
    assert sizes([join]) == {"MP_JOIN SYN-ACK": (68, 16, 0)}
    assert sizes([data, plain]) == {"DSS data": (1500, 26, 1420)}


def test_the_kernels_segments_have_the_sizes_of_the_rfcs_options() -> None:
    """RFC 8684, sections 3.1 to 3.3: 4, 12 and 20 bytes; 12, 16 and 24; 26 padded to 28."""
    found = compare.kernel()["segments"]
    assert found["MP_CAPABLE SYN"] == [64, 4, 0]
    assert found["MP_CAPABLE SYN-ACK"] == [72, 12, 0]
    assert found["MP_CAPABLE ACK"] == [72, 20, 0]
    assert [found[f"MP_JOIN {it}"][1] for it in ("SYN", "SYN-ACK", "ACK")] == [12, 16, 24]
    assert found["DSS data"] == [1500, 26, compare.SEGMENT]
    assert found["DSS ACK"] == [64, 12, 0]


def test_our_segments_have_the_sizes_of_the_kernels(tmp_path: Path) -> None:
    found = compare.kernel()
    scenario = read(compare.SCENARIO, {"duration": '"1 s"'})
    run_scenario(scenario, folder=tmp_path, details=Details(Captures(["sender"])))
    [capture] = tmp_path.rglob("*.pcapng")
    our = multipath_segments.sizes(list(ip_packets(capture.read_bytes())))
    # The first data repeats the keys, as the kernel's does without a request. The kernel uses the
    # four bytes by which that option is shorter.
    assert [*our.pop("MP_CAPABLE data")] == [1496, 22, compare.SEGMENT]
    assert found["segments_without_request"]["MP_CAPABLE data"] == [1500, 22, compare.SEGMENT + 4]
    assert {kind: [*size] for kind, size in our.items()} == found["segments"]


def ip_packets(capture: bytes) -> Iterator[bytes]:
    """Give the packets of a pcapng file, without their Ethernet headers."""
    while capture:
        kind, length = struct.unpack_from("<II", capture)
        if kind == ENHANCED_PACKET:
            (size,) = struct.unpack_from("<I", capture, 20)
            yield capture[28 + ETHERNET : 28 + size]
        capture = capture[length:]


def test_nothing_is_faster_than_the_buckets_let_pass(pairs: Pairs) -> None:
    for case, results in pairs:
        most = sum(rates_mbps(case)) * FULL
        assert ours(results)["goodput, Mbps"] <= most
        for run in case["runs"]:
            # What the full buckets let through at once is beyond the rate.
            bursts = sum(path["burst_bytes"] for path in case["paths"]) * 8 / case["seconds"]
            assert run["goodput_mbps"] <= (most + bursts / RATE_UNITS) * 1.001, case


def test_both_fill_two_paths_as_the_kernels_own_test_asks(pairs: Pairs) -> None:
    """`simult_flows.sh`: at most 10/9 of the time that both rates need, and 400 ms."""
    for case, their, our in measures(pairs):
        least = sum(rates_mbps(case)) * 9 / 10 * (1 - 0.4 / case["seconds"])
        assert their["goodput, Mbps"] >= least, case
        assert our["goodput, Mbps"] >= least, case


def test_goodput_and_the_paths_shares_are_the_kernels(pairs: Pairs) -> None:
    for case, their, our in measures(pairs):
        assert our["goodput, Mbps"] == pytest.approx(their["goodput, Mbps"], rel=0.03), case
        share = "share of path 1, %"
        assert our[share] == pytest.approx(their[share], abs=1), case


def test_windows_and_round_trips_of_cubic_are_the_kernels(pairs: Pairs) -> None:
    for case, their, our in measures(pairs):
        if case["controller"] == "cubic":
            for name in (it for it in our if "window" in it or "rtt" in it):
                assert our[name] == pytest.approx(their[name], rel=0.1), (case, name)


def test_the_connection_outlives_the_cut_and_fills_the_other_path(pairs: Pairs) -> None:
    [(case, results)] = [pair for pair in pairs if pair[0]["cut_s"]]
    both = [compare.our_goodput(results), *(run["series"]["goodput_mbps"] for run in case["runs"])]
    remaining = rates_mbps(case)[0] * FULL
    last, mended = case["seconds"] * 10, case["mended_s"] * 10
    for goodput in both:
        assert statistics.fmean(goodput[mended - 20 : mended]) == pytest.approx(remaining, rel=0.03)
        assert statistics.fmean(goodput[last - 50 : last]) > 1.9 * remaining


def test_the_cut_path_is_used_again_when_its_timeout_goes_off(pairs: Pairs) -> None:
    """Six timeouts, each twice as long as the one before (RFC 6298, section 5.5)."""
    [(case, results)] = [pair for pair in pairs if pair[0]["cut_s"]]
    name = "path 2 used again, s"
    their = statistics.median(compare.their_cut(case, run)[name] for run in case["runs"])
    out_s = case["mended_s"] - case["cut_s"]
    assert compare.our_cut(case, results)[name] + out_s == pytest.approx(their + out_s, rel=0.1)
    assert [run["timeouts"] for run in case["runs"]] == [6] * len(case["runs"])
    assert results["subflows"].filter(subflow=1)["timeouts"].item() == 6
