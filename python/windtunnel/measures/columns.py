"""Columns of results, and what people call them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class MeasuredColumn:
    """Something measured: its column, its name for people and its base unit."""

    column: str
    title: str
    unit: str = ""


GOODPUT = MeasuredColumn("goodput_bps", "goodput", "bit/s")
DELAY = MeasuredColumn("delay_s", "delay", "s")
ROUND_TRIP = MeasuredColumn("rtt_s", "round-trip time", "s")
DROPPED = MeasuredColumn("drops", "packets dropped")
RETRANSMISSIONS = MeasuredColumn("retransmissions", "retransmissions")
TIMEOUTS = MeasuredColumn("timeouts", "timeouts")
MARKS = MeasuredColumn("marks", "marks received")
FAIRNESS = MeasuredColumn("fairness", "Jain's fairness")
COMPLETION = MeasuredColumn("completion_s", "completion", "s")
UTILISATION = MeasuredColumn("utilisation", "utilisation of the busiest link", "share")
QUEUEING = MeasuredColumn("queue_delay_s", "sojourn time at the busiest link", "s")
LOSS = MeasuredColumn("loss_share", "loss at the busiest link", "share")
