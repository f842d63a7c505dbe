"""Queues under known traffic: utilisation, delay, shares and waiting time."""

from __future__ import annotations

import math
import statistics

import polars as pl

from laws.marks import prague
from laws.simulate import (
    PACKET,
    SEGMENT,
    Law,
    around,
    at_queue,
    each,
    flow_totals,
    goodputs,
    jain,
    path,
)

SEEDS = (1, 2, 3)
BUFFERS = (0.1, 0.25, 0.5, 0.75, 1.0)
"""Buffers of Reno's path, in bandwidth-delay products."""
ROUND_TRIPS = (20, 50, 100)


def utilisation_law(buffer: float) -> float:
    """Give Reno's utilisation: the mean of its sawtooth where the queue may be empty."""
    return 0.75 * (1 + buffer) ** 2 / (buffer**2 + buffer + 1)


def utilisation(case: tuple[float, float]) -> float:
    """Measure one Reno flow's utilisation, by its buffer and round trip in ms."""
    buffer, round_trip = case
    rate = 20
    product = rate * 1e3 * round_trip / (8 * PACKET)
    duration = max(60.0, 3 * round_trip)
    queue = f'{{ kind = "drop-tail", limit = "{buffer * product:.0f} packets" }}'
    flows = {"one": '{ controller = "reno" }'}
    results = path(
        duration,
        flows,
        rate_mbps=rate,
        round_trip_ms=round_trip,
        queue=queue,
        interval=f"{duration / 4} s",
    )
    return at_queue(results, duration * 0.26)["utilisation"].mean()


def utilisations() -> pl.DataFrame:
    """Give columns `buffer`, `round_trip_ms` and `utilisation`."""
    cases = [(buffer, round_trip) for buffer in BUFFERS for round_trip in ROUND_TRIPS]
    rows = [(*case, value) for case, value in zip(cases, each(utilisation, cases), strict=True)]
    return pl.DataFrame(rows, schema=["buffer", "round_trip_ms", "utilisation"], orient="row")


def utilisation_laws(frame: pl.DataFrame) -> list[Law]:
    """Compare each buffer's utilisation with the law."""
    laws = []
    for buffer in BUFFERS:
        expected = utilisation_law(buffer)
        runs = frame.filter(pl.col("buffer") == buffer)["utilisation"].to_list()
        low, high = expected - 0.01, expected + 0.01
        name = f"Reno alone, buffer of {buffer} BDP: utilisation"
        laws.append(Law(name, f"{expected:.3f}", low, high, runs, "", 3))
    return laws


# -- Marking and dropping ---------------------------------------------------------


def dctcp_queue(acknowledge_every: int = 1) -> pl.DataFrame:
    """Give the queue of two DCTCP flows at 10 Gbps and 100 µs, marked beyond 65 packets.

    That many packets take 78 µs: CoDel's `ce_threshold` marks what waited longer, and
    its target is never reached.
    """
    queue = (
        '{ kind = "codel", limit = "1000 packets", action = "mark", target = "1 s", '
        'ce_threshold = "78 us" }'
    )
    flow = (
        '{ controller = "dctcp", start_within = "1 ms", '
        f'acknowledgements.every = "{acknowledge_every} segments" }}'
    )
    flows = {"one": flow, "two": flow}
    results = path(0.06, flows, rate_mbps=10_000, round_trip_ms=0.1, queue=queue, interval="2 us")
    return at_queue(results, 0.03).select("time_s", "queue_packets")


def dctcp_bounds() -> tuple[float, float]:
    """Give the minimum and maximum queue of the paper's model (section 3.3).

    With `W = (C T + K) / N` the maximum is `K + N`, and it falls by
    `sqrt(2 N (C T + K)) / 2`.
    """
    flows, threshold, on_the_path = 2, 65, 10e9 * 1e-4 / (8 * PACKET)
    swing = math.sqrt(2 * flows * (on_the_path + threshold)) / 2
    return threshold + flows - swing, threshold + flows


def dctcp() -> list[Law]:
    """Compare DCTCP's queue with the paper's model, to the nearest three packets."""
    queue = dctcp_queue()["queue_packets"]
    name = "DCTCP, 2 flows at 10 Gbps and 100 µs, K = 65"
    found = (("minimum", "K + N − √(2N(CT + K))/2", queue.min()), ("maximum", "K + N", queue.max()))
    return [
        Law(
            f"{name}: {which} queue",
            f"{formula} = {bound:.1f}",
            bound - 3,
            bound + 3,
            [value],
            "packets",
            1,
        )
        for (which, formula, value), bound in zip(found, dctcp_bounds(), strict=True)
    ]


def pie(flows: int) -> list[Law]:
    """Compare PIE's delay and drops under Reno flows with its target and Reno's law."""
    names = {f"f{n}": '{ controller = "reno", start_within = "1 s" }' for n in range(flows)}
    delays, shares = [], []
    for seed in SEEDS:
        results = path(
            60,
            names,
            rate_mbps=40,
            round_trip_ms=50,
            queue='{ kind = "pie", limit = "10000 packets" }',
            seed=seed,
        )
        queue = at_queue(results, 20)
        delays.append(queue["sojourn_s"].mean() * 1e3)
        packets = queue["throughput_bps"].mean() * 40 / (8 * PACKET)
        shares.append(queue["discipline_drops"].sum() / packets * 100)
    # 1.31 and not 1.22, because the drops are random.
    share = (1.31 * flows / (40e6 / (8 * PACKET) * 0.065)) ** 2 * 100
    name = f"PIE, {flows} Reno flows at 40 Mbps and 50 ms"
    return [
        Law(f"{name}: delay", "15 ms", *around(15, 0.1), delays, "ms", 1),
        Law(f"{name}: drops", "(1.31 N / CT)²", *around(share, 0.2), shares, "%", 3),
    ]


def codel() -> Law:
    """Compare CoDel's delay under some Reno flows with its target."""
    flows = {f"f{n}": '{ controller = "reno", start_within = "1 s" }' for n in range(5)}
    queue = '{ kind = "codel", limit = "10000 packets" }'
    delays = []
    for seed in SEEDS:
        results = path(60, flows, rate_mbps=40, round_trip_ms=50, queue=queue, seed=seed)
        delays.append(at_queue(results, 20)["sojourn_s"].mean() * 1e3)
    name = "CoDel, 5 Reno flows at 40 Mbps and 50 ms: mean delay"
    return Law(name, "5 ms", *around(5, 0.2), delays, "ms", 1)


def dual_pi2(rate_mbps: float, round_trip_ms: float) -> list[Law]:
    """Compare the rates of ten Prague and ten Reno flows, and the low-latency delay."""
    flows = {f"l{n}": '{ controller = "prague", start_within = "100 ms" }' for n in range(10)}
    flows |= {f"c{n}": '{ controller = "reno", start_within = "100 ms" }' for n in range(10)}
    ratios, windows, delays = [], [], []
    for seed in SEEDS:
        results = path(
            30,
            flows,
            rate_mbps=rate_mbps,
            round_trip_ms=round_trip_ms,
            queue='{ kind = "dualpi2" }',
            interval="100 ms",
            seed=seed,
        )
        rates = [statistics.fmean(goodputs(results, 10, names=kind)) for kind in "lc"]
        totals = flow_totals(results)
        trips = [totals[name]["rtt_s"] for name in ("l0", "c0")]
        counted = results["flow_series"].filter(pl.col("time_s") > 10)
        marks = counted.filter(pl.col("flow").str.starts_with("l"))
        share = marks["marks"].sum() / (10 * rates[0] * 1e6 * 20 / 8 / SEGMENT)
        window = rates[0] * 1e6 * trips[0] / 8 / SEGMENT
        ratios.append(rates[0] / rates[1] / (trips[1] / trips[0]))
        windows.append(window / prague(share))
        delays.append(trips[0] * 1e3 - round_trip_ms)
    name = f"DualPI2, 10 Prague and 10 Reno flows at {rate_mbps} Mbps and {round_trip_ms} ms"
    return [
        Law(
            f"{name}: ratio of rates / (T_C/T_L)",
            "0.82 … 1.04",
            0.82 * 0.9,
            1.04 * 1.1,
            ratios,
        ),
        Law(f"{name}: Prague's window / its law", "1", *around(1, 0.1), windows),
        Law(f"{name}: L queue delay", "≤ 1 ms", 0, 1, delays, "ms"),
    ]


# -- Shares -----------------------------------------------------------------------


def sparse_flow() -> Law:
    """Measure the queueing delay of a low-rate flow that competes with four CUBIC flows."""
    flows = {f"f{n}": '{ controller = "cubic" }' for n in range(4)}
    flows["sparse"] = '{ protocol = "udp", rate = "100 kbps", payload = "200 B" }'
    results = path(30, flows, queue='{ kind = "fq-codel" }')
    it = flow_totals(results)["sparse"]
    wait = (it["delay_maximum_s"] - it["delay_minimum_s"]) * 1e3
    most = 4 * PACKET * 8 / 20e6 * 1e3
    name = "FQ-CoDel, a sparse flow and 4 CUBIC flows at 20 Mbps: maximum queueing delay"
    return Law(name, "≤ one packet per flow", 0, most, [wait], "ms", 2)


def isolation() -> Law:
    """Measure how evenly eight different controllers share a link."""
    names = ["cubic", "reno", "bbr1", "bbr3", "scalable", "illinois", "h-tcp", "westwood"]
    flows = {name: f'{{ controller = "{name}", start_within = "1 s" }}' for name in names}
    queue = '{ kind = "fq-codel" }'
    runs = [path(40, flows, rate_mbps=40, queue=queue, seed=seed) for seed in SEEDS]
    name = "FQ-CoDel, 8 different controllers: Jain's index"
    return Law(name, "≈ 1", 0.99, 1, [jain(goodputs(run, 10)) for run in runs], "", 3)


# -- Waiting ----------------------------------------------------------------------


def waiting(load: float) -> Law:
    """Compare the mean wait of datagrams that arrive at random with M/D/1's."""
    service = 1428 * 8 / 10e6
    # A turn is shorter than the time of a datagram, so that each sends one.
    off = f"{service / load * 1e3:.6f} ms"
    workload = f'{{ kind = "on-off", on = "1 ns", off = "{off}", periods = "exponential" }}'
    flow = f'{{ protocol = "udp", rate = "1 Gbps", payload = "1400 B", workload = {workload} }}'
    waits = []
    for seed in SEEDS:
        queue = '{ kind = "drop-tail", limit = "100000 packets" }'
        results = path(600, {"u": flow}, rate_mbps=10, queue=queue, interval="600 s", seed=seed)
        waits.append(results["links"]["sojourn_s"][0] / service)
    expected = load / (2 * (1 - load))
    name = f"Poisson arrivals of datagrams, load {load}: mean waiting time / service time (M/D/1)"
    return Law(name, f"{expected:.2f}", *around(expected, 0.1), waits)


def processor_sharing() -> Law:
    """Compare the mean completion of web-search flows with M/G/1-PS's, `E[S] / C (1 - ρ)`."""
    seconds = 1000
    workload = '{ kind = "arrivals", sizes = "web-search", load = "50 %" }'
    flow = {"web": f'{{ controller = "cubic", workload = {workload} }}'}
    ratios = []
    for seed in SEEDS:
        results = path(
            seconds,
            flow,
            rate_mbps=100,
            round_trip_ms=1,
            queue='{ kind = "fq-codel" }',
            interval=f"{seconds} s",
            seed=seed,
        )
        transfers = results["transfers"]
        ideal = transfers["size_bytes"].mean() * 8 * PACKET / SEGMENT / 100e6
        ratios.append(transfers["completion_s"].mean() / ideal)
    name = "Web-search flows at load 0.5, FQ-CoDel, 1 ms: mean completion time / (E[S]/C)"
    return Law(name, "1 / (1 − ρ) = 2", *around(2, 0.2), ratios)
