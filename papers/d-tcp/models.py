"""Throughput models: what a controller sends at a steady state, by loss and round trip.

They are those of table 3 of Kanagarathinam et al., "NexGen D-TCP: next generation
dynamic TCP congestion control algorithm", IEEE Access 8, 2020, with its equations 27
to 30 and the works it takes them from. All give segments per second. `loss` is the
probability that a segment is lost, by chance or by congestion (the table's P + p);
`rtt_s` the round trip with its queueing (D + q), in seconds. Each holds for small
losses without timeouts. How fair two flows are to each other, the table's γ, is one
model's value over the other's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt


def reno(loss: float, rtt_s: float) -> float:
    """Reno, equation 28: sqrt(3 / 2 p) segments a round trip (Padhye et al., 1998)."""
    return sqrt(1.5 / loss) / rtt_s


def d_tcp(loss: float, rtt_s: float, flows: float) -> float:
    """D-TCP, equation 27: as many Reno flows as it has virtual ones."""
    return flows * reno(loss, rtt_s)


def virtual_flows(alpha: float, available: float, current: float) -> float:
    """D-TCP's expected number of virtual flows, equation 13.

    `available` is the estimated bandwidth and `current` the present one, in the same
    unit; where nothing is left unused there is no end to it.
    """
    unused = available - current
    return max(1.0, alpha * available / unused) if unused > 0 else float("inf")


def parallel(loss: float, rtt_s: float, flows: float) -> float:
    """Plain parallel Reno flows over one window, equation 29 (Crowcroft and Oechslin, 1998)."""
    return sqrt(flows * (4 * flows - 1) / (2 * loss)) / rtt_s


def compound(
    loss: float, rtt_s: float, alpha: float = 0.125, beta: float = 0.5, k: float = 0.75
) -> float:
    """Compound TCP: the window grows by alpha w^k a round trip and falls by beta w.

    That alone gives the value (Tan et al., 2006). Table 3 has alpha^(1 / (2 - k)) in
    the denominator and no 1 - k, so that faster growth would send less.
    """
    lost = (1 - (1 - beta) ** (2 - k)) / (2 - k)
    round_trips = (1 - (1 - beta) ** (1 - k)) / (1 - k)
    power = 1 / (2 - k)
    window: float = (alpha / loss) ** power * lost ** ((1 - k) * power) / round_trips
    return window / rtt_s


def veno(loss: float, rtt_s: float, kept: float = 0.8) -> float:
    """Veno, which keeps the share `kept` of its window: 1/2 when congested, else 4/5.

    Zhou et al., "A simple throughput model for TCP Veno", 2006.
    """
    return sqrt((1 + kept) / (2 * (1 - kept) * loss)) / rtt_s


def westwood(loss: float, rtt_s: float, queueing_s: float) -> float:
    """Westwood, of whose round trip `queueing_s` is queueing.

    Table 3's fairness and its upper bound follow from P D + q under the root, where
    the table prints P (D + q) for the throughput; D is the round trip without queue.
    """
    minimum = rtt_s - queueing_s
    return sqrt((1 - loss) / (loss * rtt_s * (loss * minimum + queueing_s)))


def fast(queued: float, queueing_s: float) -> float:
    """Vegas and FAST: `queued` segments stand in the queue, whatever is lost."""
    return queued / queueing_s


SEGMENT_BITS = 8 * 1448
"""The data in a full segment, unless a scenario states another."""

QUEUED_BY_VEGAS = 3
"""Segments: between its thresholds, 2 and 4."""

QUEUED_BY_FAST = 20
"""Segments: its parameter alpha, unless a scenario states another."""

Model = Callable[[float, float, float], float]
"""From loss, round trip and queueing in seconds to segments per second."""

MODELS: dict[str, Model] = {
    "reno": lambda loss, rtt_s, _: reno(loss, rtt_s),
    "d-tcp": lambda loss, rtt_s, _: d_tcp(loss, rtt_s, flows=1),
    "compound": lambda loss, rtt_s, _: compound(loss, rtt_s),
    "veno": lambda loss, rtt_s, _: veno(loss, rtt_s),
    "westwood": westwood,
    "vegas": lambda _, __, queueing_s: fast(QUEUED_BY_VEGAS, queueing_s),
    "fast": lambda _, __, queueing_s: fast(QUEUED_BY_FAST, queueing_s),
}
"""The model of each controller that has one."""
