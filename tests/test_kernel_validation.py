"""The comparison with the Linux kernel: what is read from its tools, and what it stands on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "validation" / "kernel"
sys.path += [str(ROOT / "validation"), str(FOLDER)]

import compare_kernel as compare  # noqa: E402
import delay_line  # noqa: E402
import samples  # noqa: E402

SOCKETS = """\
1795310559.023716891
0      170    10.77.1.1:38608 10.77.2.2:5201
\t bbr wscale:11,11 rto:248 rtt:47.948/19.33 mss:1448 cwnd:11 bytes_sent:207 minrtt:43.97
1795310559.292356645
0      0       10.77.1.1:38608 10.77.2.2:5201
\t bbr wscale:11,11 rto:248 rtt:47/16.394 mss:1448 cwnd:13 ssthresh:99 minrtt:40.339
0      1572864 10.77.1.1:38618 10.77.2.2:5201
\t cubic wscale:11,11 rto:244 rtt:41.255/17.099 mss:1448 cwnd:10 send 2807902bps minrtt:40.253
1795310559.530012544
0      2438992 10.77.1.1:38618 10.77.2.2:5201
\t cubic rto:280 rtt:77.37/3.785 mss:1448 cwnd:118 ssthresh:95 retrans:3/3 minrtt:40.068
1795310559.642627567
0      1810000 10.77.1.1:38618 10.77.2.2:5201
\t cubic rtt:54.532/2.087 cwnd:49 ssthresh:46 busy:48ms rwnd_limited:12ms(25.0%) minrtt:40.061
"""
"""Four samples; the connection with port 38608 is the one that iperf3 controls the test by."""


def interval(end: float, cwnd: int, rtt: int, retransmits: int) -> dict[str, object]:
    stream = {"end": end, "snd_cwnd": cwnd, "rtt": rtt, "retransmits": retransmits}
    return {"streams": [stream]}


REPORT = {
    "start": {"connected": [{"socket": 5, "local_port": 38618}], "tcp_mss_default": 1448},
    "intervals": [interval(0.100149, 14480, 41255, 0), interval(0.200169, 107152, 77759, 17)],
    "end": {
        "streams": [{"sender": {"retransmits": 17, "mean_rtt": 59507}}],
        "sum_received": {"bytes": 3551944, "seconds": 3.058158, "bits_per_second": 9291721.36},
    },
}
"""What the comparison needs of iperf3's JSON."""


def test_of_several_sockets_only_the_one_with_the_data_is_read() -> None:
    found = list(samples.socket_samples(SOCKETS, samples.data_port(REPORT)))
    assert [it["cwnd"] for it in found] == [10, 118, 49]
    assert [it["ssthresh"] for it in found] == [None, 95, 46]
    assert found[0]["time_s"] == 1795310559.292356645


def test_slow_start_ends_at_the_first_sample_with_a_threshold() -> None:
    summary = samples.socket_summary(SOCKETS, 38618)
    assert summary["slow_start"] == {"ended_by_s": 0.24, "ssthresh_segments": 95}
    assert summary["minimum_rtt_ms"] == 40.061
    assert summary["limited_by_receiver_ms"] == 12
    assert summary["limited_by_send_buffer_ms"] == 0


def test_slow_start_that_never_ended_has_no_threshold() -> None:
    until_threshold = SOCKETS[: SOCKETS.index("1795310559.530012544")]
    assert samples.socket_summary(until_threshold, 38618)["slow_start"] is None


def test_windows_are_counted_in_segments_and_goodput_at_the_receiver() -> None:
    figures = samples.transfer(REPORT)
    assert figures["goodput_bps"] == 9291721
    assert figures["retransmissions"] == 17
    assert figures["series"] == {
        "time_s": [0.1, 0.2],
        "cwnd_segments": [10, 74],
        "smoothed_rtt_ms": [41.3, 77.8],
        "retransmissions": [0, 17],
    }


def test_the_kernels_counters_are_read_by_name() -> None:
    text = "#kernel\nTcpRetransSegs                  165                0.0\n"
    assert samples.counters(text) == {"TcpRetransSegs": 165}


def test_the_delay_line_tells_how_late_packets_left() -> None:
    assert delay_line.summary([]) == {}
    late = [us * 1e-6 for us in range(100)]
    assert delay_line.summary(late) == {
        "packets": 100,
        "median_us": 50.0,
        "p99_us": 99.0,
        "most_us": 99.0,
    }


def test_nothing_but_the_congestion_window_limited_the_kernel() -> None:
    for case in compare.kernel()["cases"]:
        for run in case["runs"]:
            assert run["limited_by_receiver_ms"] == 0, compare.case_name(case)
            assert run["limited_by_send_buffer_ms"] == 0, compare.case_name(case)


def test_the_kernel_never_received_faster_than_the_bucket_lets_pass() -> None:
    results = compare.kernel()
    for case in results["cases"]:
        payload = 1448 / results["frame_bytes"]
        for run in case["runs"]:
            # What the full bucket lets through at once is beyond the rate.
            burst = case["burst_bytes"] * 8 / results["seconds"]
            most = (case["rate_mbps"] * 1e6 + burst) * payload
            assert run["goodput_bps"] <= most * 1.001, compare.case_name(case)


def test_the_page_tells_what_was_measured() -> None:
    page = (ROOT / "docs" / "validation" / "kernel.md").read_text(encoding="utf-8")
    results = compare.kernel()
    assert compare.accuracy(results["cases"]) in page, "run `make validate`"
    assert results["kernel"] in page


def test_where_a_tool_is_missing_the_measurement_says_skipped(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "measure.py"), str(tmp_path / "results.json")]
    done = subprocess.run(
        command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == compare.SKIPPED
    assert done.stdout.startswith("skipped: unshare is not installed")
    assert not list(tmp_path.iterdir())
