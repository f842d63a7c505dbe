"""Columns of results, and their titles.

The name of a column says what it holds and ends with its unit; `described` makes a title of it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MeasuredColumn:
    """A measured quantity: its column, its title and its base unit."""

    column: str
    title: str
    unit: str = ""


GOODPUT = MeasuredColumn("goodput_bps", "goodput", "bit/s")
RECEIVED = MeasuredColumn("received_bps", "received", "bit/s")
DELAY = MeasuredColumn("delay_s", "delay", "s")
ONE_WAY_DELAY = MeasuredColumn("one_way_delay_s", "one-way delay", "s")
ROUND_TRIP = MeasuredColumn("rtt_s", "round-trip time", "s")
DROPPED = MeasuredColumn("drops", "packets dropped")
RETRANSMISSIONS = MeasuredColumn("retransmissions", "retransmissions")
TIMEOUTS = MeasuredColumn("timeouts", "timeouts")
MARKS = MeasuredColumn("marks", "marks received")
FAIRNESS = MeasuredColumn("fairness", "Jain's fairness")
COMPLETION = MeasuredColumn("completion_s", "completion", "s")
UNFINISHED = MeasuredColumn("unfinished_transfers", "transfers that did not end within the run")
RATE = MeasuredColumn("rate_bps", "rate of the busiest link", "bit/s")
UTILISATION = MeasuredColumn("utilisation", "utilisation of the busiest link", "share")
QUEUEING = MeasuredColumn("queue_delay_s", "sojourn time at the busiest link", "s")
QUALITY = MeasuredColumn("quality_bps", "mean bitrate played", "bit/s")
STALLED = MeasuredColumn("stalled_s", "playing stalled", "s")
LOSS = MeasuredColumn("loss_share", "loss at the busiest link", "share")

UNITS = {"bps": "bit/s", "s": "s", "db": "dB", "dbm": "dBm", "packets": "packets"}
"""The units at the end of columns' names."""

WORDS = {"data": "Data", "interests": "Interests", "nacks": "NACKs", "rtt": "RTT"}
"""How words of column names are written in titles."""

NAMES = {
    "active_s": ("active", "s"),
    "delay_maximum_s": ("maximum delay", "s"),
    "delay_minimum_s": ("minimum delay", "s"),
    "delay_p50_s": ("median delay", "s"),
    "delay_p95_s": ("95th percentile of the delay", "s"),
    "delay_p99_s": ("99th percentile of the delay", "s"),
    "delivered": ("packets delivered", ""),
    "discipline_drops": ("dropped by the queue discipline", ""),
    "gave_up_s": ("time until it gave up", "s"),
    "jitter_s": ("jitter (RFC 3550)", "s"),
    "flow_controller": ("flow's controller", ""),
    "losses": ("lost on the link", ""),
    "lost": ("datagrams lost", ""),
    "medium_utilisation": ("utilisation of the shared medium", "share"),
    "maximum_queue_packets": ("longest queue", "packets"),
    "overlimit_drops": ("dropped at the queue's limit", ""),
    "experience": ("quality of experience of a segment", ""),
    "processing_drops": ("dropped before the forwarder", ""),
    "read_goodput_bps": ("goodput between reads", "bit/s"),
    "read_interval_maximum_s": ("longest time between reads", "s"),
    "read_interval_s": ("mean time between reads", "s"),
    "read_interval_variance_s2": ("variance of the time between reads", "s²"),
    "read_throughput_bps": ("throughput between reads", "bit/s"),
    "quality_bps": ("bitrate played", "bit/s"),
    "startup_s": ("start-up delay", "s"),
    "video_segments": ("segments", ""),
    "probes": ("tail loss probes", ""),
    "queue_packets": ("mean queue", "packets"),
    "sojourn_s": ("sojourn time", "s"),
    "unsolicited": ("unsolicited Data", ""),
    "utilisation": ("utilisation", "share"),
}
"""Title and unit of columns whose names do not give them."""


def described(column: str) -> MeasuredColumn:
    """Describe a column: `interests_in` is `Interests in`, `goodput_bps` is `goodput` in bit/s."""
    if column in NAMES:
        return MeasuredColumn(column, *NAMES[column])
    words = column.split("_")
    unit = UNITS.get(words[-1], "") if len(words) > 1 else ""
    title = " ".join(WORDS.get(word, word) for word in (words[:-1] if unit else words))
    return MeasuredColumn(column, title, unit)
