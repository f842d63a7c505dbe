"""The output of iperf3 and ss, as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Figures = dict[str, Any]


def transfer(report: Figures) -> Figures:
    """Give the figures of one iperf3 client's JSON report.

    Goodput is what the receiver's application read, headers not counted. The series
    has one value for each interval; the smoothed round trip is the kernel's `srtt`.
    """
    end = report["end"]
    stream = end["streams"][0]["sender"]
    intervals = [it["streams"][0] for it in report["intervals"]]
    segment = report["start"]["tcp_mss_default"]
    return {
        "goodput_bps": round(end["sum_received"]["bits_per_second"]),
        "retransmissions": stream["retransmits"],
        "mean_smoothed_rtt_ms": stream["mean_rtt"] / 1e3,
        "series": {
            "time_s": [round(it["end"], 2) for it in intervals],
            "cwnd_segments": [it["snd_cwnd"] // segment for it in intervals],
            "smoothed_rtt_ms": [round(it["rtt"] / 1e3, 1) for it in intervals],
            "retransmissions": [it["retransmits"] for it in intervals],
        },
    }


def data_port(report: Figures) -> int:
    """Give the sender's port of the connection that carries the data."""
    return report["start"]["connected"][0]["local_port"]


def socket_samples(text: str, port: int) -> Iterator[Figures]:
    """Give each sample of one socket.

    `text` is what `date +%s.%N; ss -Htin state established` printed, again and again:
    a time, and then two lines for each socket, its addresses and its state.
    """
    time, ours = 0.0, False
    for line in text.splitlines():
        words = line.split()
        if len(words) == 1:
            time = float(line)
        elif not line.startswith("\t"):
            ours = words[2].endswith(f":{port}")
        elif ours:
            yield {"time_s": time} | socket_figures(line)


def socket_figures(line: str) -> Figures:
    """Give what an information line of ss says about window, round trip and limits.

    `ssthresh` is missing until slow start ends; the times limited are missing where
    nothing but the congestion window limited.
    """
    words = dict(word.split(":", 1) for word in line.split() if ":" in word)
    return {
        "cwnd": int(words["cwnd"]),
        "ssthresh": int(words["ssthresh"]) if "ssthresh" in words else None,
        "minimum_rtt_ms": float(words["minrtt"]) if "minrtt" in words else None,
        "limited_by_receiver_ms": milliseconds(words.get("rwnd_limited", "0ms")),
        "limited_by_send_buffer_ms": milliseconds(words.get("sndbuf_limited", "0ms")),
    }


def milliseconds(text: str) -> int:
    """Read `40ms(2.0%)`."""
    return int(text.partition("ms")[0])


def socket_summary(text: str, port: int) -> Figures:
    """Give where slow start ended, the smallest round trip, and whether a buffer limited."""
    samples = list(socket_samples(text, port))
    first, last = samples[0], samples[-1]
    ended = next((it for it in samples if it["ssthresh"] is not None), None)
    return {
        "slow_start": ended
        and {
            "ended_by_s": round(ended["time_s"] - first["time_s"], 2),
            "ssthresh_segments": ended["ssthresh"],
        },
        "minimum_rtt_ms": last["minimum_rtt_ms"],
        "limited_by_receiver_ms": last["limited_by_receiver_ms"],
        "limited_by_send_buffer_ms": last["limited_by_send_buffer_ms"],
    }


def counters(text: str) -> dict[str, int]:
    """Read what nstat printed: a counter's name, its value and its rate on each line."""
    lines = (line.split() for line in text.splitlines() if not line.startswith("#"))
    return {name: int(value) for name, value, _ in lines}
