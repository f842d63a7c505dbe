"""BBR's path model: the cost of probing, and of random loss."""

from __future__ import annotations

from laws.simulate import PACKET, SEGMENT, Law, at_queue, goodputs, path, random_loss, simulate

SEEDS = (1, 2, 3)
RANDOM_LOSS_SEEDS = range(1, 13)
"""Runs under random loss differ by up to a twentieth: three of them can lie on either side."""
RATE = 50
OUTSIDE_PROBE_RTT = 0.98
"""The share of time in which BBRv1 does not wait with four segments for the round trip."""


def probing() -> Law:
    """BBRv1 uses 200 ms in ten seconds to measure the round-trip time."""
    utilisations = []
    for seed in SEEDS:
        flow = {"one": '{ controller = "bbr1", start_within = "1 s" }'}
        results = path(120, flow, rate_mbps=RATE, interval="1 s", seed=seed)
        utilisations.append(at_queue(results, 20)["utilisation"].mean() * 100)
    name = "BBRv1 alone, deep buffer: utilisation"
    # A hundredth is the pacing's margin.
    return Law(name, "≥ 98 % · 0.99", 97, 100, utilisations, "%", 1)


def through_loss(controller: str, loss: float) -> list[float]:
    """Measure the goodput of each run under random loss, as a share of what gets through."""
    shares = []
    for seed in RANDOM_LOSS_SEEDS:
        results = simulate(
            {
                "duration": '"70 s"',
                "recording.interval": '"1 s"',
                "seed": str(seed),
                "links.path.rate": f'"{RATE} Mbps"',
                "links.path.delay": '"20 ms"',
                "links.path.loss": random_loss(loss),
                "links.path.queue": '{ kind = "drop-tail", limit = "1000 packets" }',
                "flows.one": f'{{ controller = "{controller}" }}',
            }
        )
        [goodput] = goodputs(results, 10)
        shares.append(goodput / RATE * PACKET / SEGMENT / (1 - loss))
    return shares


def bbr1_loss(loss: float) -> Law:
    """BBRv1 sends at the delivery rate, whatever is lost.

    At most `C (1 - p)` is delivered; sent at that rate, `C (1 - p)^2` arrives between
    two probes. A probe must deliver more than before: `1.25 (1 - p) > 1`. Where no queue
    stands, nothing makes up for the 200 ms in ten seconds in which it measures the round trip.
    """
    shares = through_loss("bbr1", loss)
    name = f"BBRv1, {loss:.0%} random loss: goodput / (C (1 − p))".replace("%", " %")
    least = OUTSIDE_PROBE_RTT * (1 - loss)
    return Law(name, f"98 % · (1 − p) to 1: {least:.2f} … 1", least * 0.95, 1.01, shares)


def bbr3_loss(loss: float, low: float, high: float, expected: str) -> Law:
    """BBRv3 reduces its rate if a round loses more than 2 %."""
    shares = through_loss("bbr3", loss)
    name = f"BBRv3, {loss * 100:g} % random loss: goodput / (C (1 − p))"
    return Law(name, expected, low, high, shares)
