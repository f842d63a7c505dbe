"""Throughput models: what a controller sends at a steady state, by loss and round trip.

They are those of table 3 of Kanagarathinam et al., "NexGen D-TCP: next generation
dynamic TCP congestion control algorithm", IEEE Access 8, 2020, with its equations 27
to 30 and the works it takes them from. All give segments per second. `loss` is the
probability that a segment is lost, by chance or by congestion (the table's P + p);
`rtt_s` the round trip with its queueing (D + q), in seconds. Each holds for small
losses without timeouts. How fair two flows are to each other, the table's γ, is one
model's value over the other's. `MODELS` has what follows from the algorithms, `PRINTED`
those that the table prints otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


def printed_compound(
    loss: float, rtt_s: float, alpha: float = 0.125, beta: float = 0.5, k: float = 0.75
) -> float:
    """Compound TCP as table 3 prints it."""
    lost = (1 - (1 - beta) ** (2 - k)) / (2 - k)
    power = 1 / (2 - k)
    factor = lost ** ((1 - k) * power) / (alpha**power * (1 - (1 - beta) ** (1 - k)))
    window: float = factor / loss**power
    return window / rtt_s


def printed_westwood(loss: float, rtt_s: float) -> float:
    """Westwood as table 3 prints it."""
    return sqrt((1 - loss) / loss) / (rtt_s * sqrt(loss))


ALPHA = 0.2
"""D-TCP's α in the paper's experiments."""

QUEUED_BY_VEGAS = 3.0
"""Segments: between its thresholds, 2 and 4."""

QUEUED_BY_FAST = 20.0
"""Segments: its parameter alpha, unless a scenario states another."""


@dataclass(frozen=True)
class Conditions:
    """What a flow meets, at a steady state."""

    loss: float
    """The probability that a segment is lost."""
    rtt_s: float
    queueing_s: float
    """The part of the round trip that is queueing."""
    utilisation: float = 0.0
    """The share of the available bandwidth that is in use: (13) takes N from the rest."""


Model = Callable[[Conditions], float]
"""From conditions to segments per second."""


def d_tcp_at(it: Conditions) -> float:
    """D-TCP, equation 30, which is (27) with the N of (13)."""
    return d_tcp(it.loss, it.rtt_s, virtual_flows(ALPHA, 1.0, it.utilisation))


MODELS: dict[str, Model] = {
    "reno": lambda it: reno(it.loss, it.rtt_s),
    "d-tcp": d_tcp_at,
    "compound": lambda it: compound(it.loss, it.rtt_s),
    "veno": lambda it: veno(it.loss, it.rtt_s),
    "westwood": lambda it: westwood(it.loss, it.rtt_s, it.queueing_s),
    "vegas": lambda it: fast(QUEUED_BY_VEGAS, it.queueing_s),
    "fast": lambda it: fast(QUEUED_BY_FAST, it.queueing_s),
}
"""The model of each controller that has one."""

PRINTED: dict[str, Model] = {
    **MODELS,
    "compound": lambda it: printed_compound(it.loss, it.rtt_s),
    "westwood": lambda it: printed_westwood(it.loss, it.rtt_s),
}
"""The same, as the table prints them."""
