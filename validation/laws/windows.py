"""The window, round trip by round trip, on a path without a queue or a loss."""

from __future__ import annotations

import polars as pl

from laws.simulate import Law, around, simulate

ROUND_TRIP_MS = 100
INITIAL = 10


def laws() -> list[Law]:
    """Give the laws of slow start and of Reno's congestion avoidance."""
    return [slow_start(every, rounds) for every, rounds in ((1, 12), (2, 12))] + [avoidance()]


def slow_start(acknowledge_every: int, rounds: int) -> Law:
    """Compare each round trip's window with the initial one times 2^n."""
    results = simulate(
        {
            "duration": f'"{(rounds + 1) * ROUND_TRIP_MS + 10} ms"',
            "recording.interval": f'"{ROUND_TRIP_MS / 2} ms"',
            "links.path.rate": '"100 Gbps"',
            "links.path.queue": '{ kind = "drop-tail", limit = "100000 packets" }',
            "defaults.flow.acknowledgements.every": f'"{acknowledge_every} segments"',
            "flows.one": '{ controller = "cubic" }' if acknowledge_every > 1 else RENO,
        }
    )
    # The handshake takes the first round trip; half of one after a round began, all
    # its segments are on their way.
    instants = [(n + 1.5) * ROUND_TRIP_MS / 1e3 for n in range(rounds)]
    series = results["flow_series"]
    deviations = []
    for n, instant in enumerate(instants):
        at = series.filter((pl.col("time_s") - instant).abs() < 1e-6)
        windows = (at["cwnd_segments"].item(), at["in_flight"].item())
        deviations += [abs(window - INITIAL * 2**n) for window in windows]
    who = "Reno, every segment" if acknowledge_every == 1 else "CUBIC, every second segment"
    name = f"Slow start, {who} acknowledged: window and in flight after 0 to {rounds - 1} rounds"
    return Law(name, "10 · 2ⁿ, difference 0", 0, 0, [max(deviations)], "segments", 0)


RENO = '{ controller = "reno" }'


def avoidance() -> Law:
    """Measure Reno's growth after the loss that ends slow start, before a queue forms."""
    results = simulate(
        {
            "duration": '"40 s"',
            "recording.interval": '"1 s"',
            "links.path.queue": '{ kind = "drop-tail", limit = "100 packets" }',
            "flows.one": RENO,
        }
    )
    series = results["flow_series"].filter(pl.col("time_s").is_between(5, 30))
    windows = series["cwnd_segments"]
    growth = (windows.diff().drop_nulls() * ROUND_TRIP_MS / 1e3).to_list()
    name = "Reno in congestion avoidance: window growth per round trip, in each second"
    return Law(name, "1 segment", *around(1, 0.01), growth, "segments", 4)
