"""Show why some controllers share a bottleneck badly among a hundred flows.

    python validation/odd_cases.py [copa | late]

100 Mbps, 40 ms, and a queue of one BDP (333 packets) if nothing else is said. Each line has the
mean, the smallest and the largest of the given seeds; `docs/validation/odd-cases.md` quotes them.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable

import polars as pl

import windtunnel

SEEDS = range(1, 6)
NETWORK = """
duration = "{duration} s"
seed = {seed}
recording.interval = "1 s"
nodes = {{ sender = {{}}, router = {{}}, receiver = {{}} }}
defaults.flow = {{ from = "sender", to = "receiver", controller = {controller} }}
flows.f = {{ count = {flows}, start_within = "1 s" }}

[links.in]
nodes = ["sender", "router"]
rate = "2 Gbps"
delay = "0.1 ms"
queue = {{ limit = "1000000 packets" }}

[links.bottleneck]
nodes = ["router", "receiver"]
rate = "100 Mbps"
delay = "19.9 ms"
queue = {{ limit = "{queue} packets" }}
"""
EMPTIED = """changes = [
    {{ at = "{start} s", rate = "2 Gbps" }}, {{ at = "{end} s", rate = "100 Mbps" }},
]
"""
LATE = '[flows.late]\nstart = "20 s"\n'
COPA = '{ kind = "copa", competitive = false }'


def series(
    seed: int,
    controller: str,
    *,
    flows: int = 100,
    queue: int = 333,
    duration: int = 40,
    emptied: tuple[float, float] | None = None,
    late: bool = False,
) -> pl.DataFrame:
    """Simulate once: what each flow did in each second."""
    text = NETWORK.format(
        seed=seed, controller=controller, flows=flows, queue=queue, duration=duration
    )
    if emptied:
        text += EMPTIED.format(start=emptied[0], end=emptied[1])
    if late:
        text += LATE
    return windtunnel.run(windtunnel.Scenario.parse(text))["flow_series"]


def within(found: pl.DataFrame, start: float, end: float) -> pl.DataFrame:
    """Give each flow's sums over some seconds."""
    some = found.filter((pl.col("time_s") > start) & (pl.col("time_s") <= end))
    return some.group_by("flow").agg(pl.col("goodput_bps").mean(), pl.col("retransmissions").sum())


def jain(flows: pl.DataFrame) -> float:
    """Compute Jain's index of the flows' goodput."""
    goodput = flows["goodput_bps"]
    return goodput.sum() ** 2 / (len(goodput) * (goodput**2).sum())


def share_of_late(flows: pl.DataFrame) -> float:
    """Give the late flow's share of the goodput."""
    late = flows.filter(pl.col("flow") == "late")
    return late["goodput_bps"].sum() / flows["goodput_bps"].sum()


def show(what: str, values: Iterable[float], digits: int = 2) -> None:
    """Print the mean and the range of a value."""
    all_of = list(values)
    mean, least, most = statistics.mean(all_of), min(all_of), max(all_of)
    print(f"{what}: {mean:.{digits}f} ({least:.{digits}f} … {most:.{digits}f})", flush=True)


def copa() -> None:
    """Let the queue be empty once, for two seconds, and count what is sent again."""
    variants = ((COPA, None), (COPA, (30, 32)), ('"copa"', None))
    for flows, queue in ((30, 333), (50, 333), (100, 333), (100, 1000)):
        for controller, emptied in variants:
            runs = [
                series(seed, controller, flows=flows, queue=queue, duration=60, emptied=emptied)
                for seed in SEEDS
            ]
            what = f"{controller}, {flows} flows, {queue} packets"
            what += ", emptied at 30 s" if emptied else ""
            lost = [within(it, 40, 60)["retransmissions"].sum() / 20 for it in runs]
            show(f"{what}: retransmissions per second, 40 to 60 s", lost, 0)
            show(f"{what}: Jain, 40 to 60 s", (jain(within(it, 40, 60)) for it in runs))


def late() -> None:
    """Start one flow among 99 others, while the queue is full and while it is empty."""
    for controller in ("bbr1", "bbr3", "tcp-fit", "illinois", "reno"):
        for emptied in (None, (19.7, 20.1)):
            runs = [
                series(seed, f'"{controller}"', flows=99, duration=100, emptied=emptied, late=True)
                for seed in SEEDS
            ]
            what = f"{controller}" + (", queue empty as it starts" if emptied else "")
            for start, end in ((20, 30), (30, 40), (80, 100)):
                shares = (100 * share_of_late(within(it, start, end)) for it in runs)
                show(f"{what}: share of the late flow in %, {start} to {end} s", shares, 1)
            show(f"{what}: Jain, 80 to 100 s", (jain(within(it, 80, 100)) for it in runs))


EXPERIMENTS = {"copa": copa, "late": late}

if __name__ == "__main__":
    for name in sys.argv[1:] or EXPERIMENTS:
        EXPERIMENTS[name]()
