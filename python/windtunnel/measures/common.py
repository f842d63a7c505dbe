"""The measures that several papers report; those of a single paper are in its folder."""

from __future__ import annotations

from windtunnel.measures import flows, losses
from windtunnel.measures.measure import Measure, delay_bound, goodput_bound, share_bound

MEASURES = {
    "throughput": Measure(
        "goodput of all flows in one direction", "Mbps", flows.throughput, True, goodput_bound(1e6)
    ),
    "timeouts": Measure("timeouts", "", flows.timeouts, True),
    "fairness": Measure("Jain's index while all flows send", "", flows.fairness),
    "delay": Measure(
        "from first Interest to Data, mean over the consumers", "s", flows.delay, bound=delay_bound
    ),
    "last-delay": Measure(
        "from last Interest to Data, mean over the consumers",
        "s",
        flows.last_delay,
        bound=delay_bound,
    ),
    "packet-loss": Measure("dropped packets per second", "packets/s", losses.packet_loss),
    "packet-loss-share": Measure(
        "dropped share of all packets", "share", losses.packet_loss_share, bound=share_bound
    ),
    "unanswered": Measure(
        "Interests less Data at the consumers, per second", "packets/s", losses.unanswered
    ),
}
"""Each by its name in papers' files."""
