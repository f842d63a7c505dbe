"""Fairness: convergence, and flows with different round-trip times."""

from __future__ import annotations

import math
from collections.abc import Iterable

import polars as pl

from laws.simulate import Law, around, flow_totals, goodputs, jain, path, simulate

SEEDS = (1, 2, 3)
MANY_SEEDS = range(1, 101)
"""Jain's index of a run varies by 0.03 to 0.05 (standard deviation): with this many runs the mean
is known to 0.01, which a bound of 0.95 requires."""
ROUND_TRIP = 0.1
EARLY = (200, 400)
SETTLED = (600, 1200)
"""Periods after the second flow's start, in round trips."""
LATE = 30
"""When the second flow starts, in seconds."""
CROSS = (
    '{ protocol = "udp", rate = "1 Gbps", payload = "500 B", workload = '
    '{ kind = "on-off", on = "1 ns", off = "10 ms", periods = "exponential" } }'
)
"""Datagrams at random, 2 % of the link: without them two flows of equal round trips keep
in step, and which of them loses a packet is not random (phase effects)."""


def two_flows(controller: str, seed: int, buffer: int = 167) -> pl.DataFrame:
    """Give Jain's index of each 5 s, from the second flow's start; 20 Mbps, 100 ms."""
    late = f'{{ controller = "{controller}", start = "{LATE} s", start_within = "1 s" }}'
    flows = {"one": f'{{ controller = "{controller}" }}', "two": late, "cross": CROSS}
    queue = f'{{ kind = "drop-tail", limit = "{buffer} packets" }}'
    until = round(SETTLED[1] * ROUND_TRIP)
    results = path(
        LATE + until + 1,
        flows,
        round_trip_ms=ROUND_TRIP * 1e3,
        queue=queue,
        interval="1 s",
        seed=seed,
    )
    rows = []
    for begin in range(LATE, LATE + until, 5):
        one, two = goodputs(results, begin, begin + 5, "one") + goodputs(
            results, begin, begin + 5, "two"
        )
        rows.append((controller, seed, begin - LATE + 2.5, jain([one, two]), one / (one + two)))
    columns = ["controller", "run", "after_s", "jain", "first_share"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def convergence(
    controller: str, buffer: int, fair: bool, seeds: Iterable[int] = MANY_SEEDS
) -> tuple[list[Law], pl.DataFrame]:
    """Compare Jain's index and, of flows that become fair, the shares with what is expected."""
    runs = pl.concat(two_flows(controller, seed, buffer) for seed in seeds)
    low, high = (0.95, 1.0) if fair else (0.5, 0.9)
    expected = "≥ 0.95" if fair else "unfair, ≤ 0.9"
    laws = []
    for period in (EARLY, SETTLED) if fair else (EARLY,):
        name, means = named(controller, "Jain's index", period), during(runs, "jain", period)
        laws.append(Law(name, expected, low, high, means, "", 3, sampled=True))
    if fair:
        laws.append(first_share(controller, during(runs, "first_share", SETTLED)))
    return laws, runs


def first_share(controller: str, shares: list[float]) -> Law:
    """Compare the first flow's share with a half: nothing but chance tells the flows apart.

    A late FAST flow takes some of the first one's queue for its base round-trip time: with all of
    it, the first one's share is that of the golden ratio.
    """
    golden = 2 / (3 + math.sqrt(5))
    low, high = (golden, 0.5) if controller == "fast" else around(0.5, 0.1)
    expected = f"{golden:.2f} … 1/2" if controller == "fast" else "1/2"
    name = named(controller, "share of the first", SETTLED)
    return Law(name, expected, low, high, shares, "", 3, sampled=True)


def named(controller: str, measure: str, period: tuple[int, int]) -> str:
    """Name a law of two flows in a period."""
    trips = f"round trips {period[0]:,} to {period[1]:,}"
    return f"Two {controller} flows, one starts late: {measure}, {trips}"


def during(runs: pl.DataFrame, measure: str, period: tuple[int, int]) -> list[float]:
    """Give the mean of a measure in a period, in round trips, for each run."""
    begin, end = (trips * ROUND_TRIP for trips in period)
    within = runs.filter(pl.col("after_s").is_between(begin, end))
    means = within.group_by("run", maintain_order=True).agg(pl.col(measure).mean())
    return means[measure].to_list()


def unequal(controller: str, queue: str, seed: int, far_first: bool = False) -> tuple[float, float]:
    """Give the ratio of rates, near over far, and of round trips, far over near.

    The round trips are 10 and 100 ms, without the queue. With `far_first` the near
    flow starts when the far one's first segments have passed, so that both measure theirs.
    """
    starts = (
        {"flows.near.start": '"150 ms"'}
        if far_first
        else {"flows.near.start_within": '"1 s"', "flows.far.start_within": '"1 s"'}
    )
    results = simulate(
        {
            "duration": '"150 s"',
            "seed": str(seed),
            "links.near.delay": '"5 ms"',
            "links.far.delay": '"50 ms"',
            "links.bottleneck.queue": queue,
            "flows.near.controller": controller,
            "flows.far.controller": controller,
            **starts,
        },
        "two-paths",
    )
    [near], [far] = (goodputs(results, 50, names=name) for name in ("near", "far"))
    totals = flow_totals(results)
    return near / far, totals["far"]["rtt_s"] / totals["near"]["rtt_s"]


def reno_exponents(queue: str, name: str, low: float, high: float, expected: str) -> Law:
    """Compare Reno's ratio of rates with a power of the ratio of round trips."""
    exponents = []
    for seed in SEEDS:
        rates, trips = unequal('"reno"', queue, seed)
        exponents.append(math.log(rates) / math.log(trips))
    return Law(f"Reno, 10 and 100 ms, {name}: exponent of T₂/T₁", expected, low, high, exponents)


SHALLOW = '{ kind = "drop-tail", limit = "33 packets" }'
DEEP = '{ kind = "drop-tail", limit = "333 packets" }'
EVEN = '{ kind = "pie", limit = "10000 packets" }'
COPA = '{ kind = "copa", competitive = false }'


def reno_round_trips() -> list[Law]:
    """Reno's rates go with the square of the rtt if both lose together, else linearly."""
    return [
        reno_exponents(SHALLOW, "drop-tail (both lose together)", 1.8, 2.2, "2"),
        reno_exponents(EVEN, "PIE (same drop probability)", 0.9, 1.1, "1"),
    ]


def other_round_trips() -> list[Law]:
    """FAST and Copa are independent of the round-trip time; BBRv1 favours the longer one."""
    fast = [unequal('"fast"', DEEP, 1, far_first=True)[0]]
    copa, bbr = ([unequal(it, DEEP, seed)[0] for seed in SEEDS] for it in (COPA, '"bbr1"'))
    rates = "10 and 100 ms: rate, near / far"
    return [
        Law(f"FAST, {rates}", "1", 0.95, 1.05, fast),
        Law(f"Copa, {rates}", "≈ 1", 0.5, 2, copa),
        Law(f"BBRv1, {rates}", "inverted, < 1", 0, 0.5, bbr),
    ]
