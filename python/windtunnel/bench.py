"""The simulator's speed, beside ns-3's on the same work.

The workloads are those of `bench/ns3/ndn_workloads.cc`. Each measurement has a
process of its own, so that its peak memory is the workload's. Comparisons take
turns, Windtunnel and ns-3 one after the other, because a machine's speed drifts.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel import _core
from windtunnel.running import run_scenario

if TYPE_CHECKING:
    import polars as pl

NS3 = Path(__file__).parents[2] / "bench" / "ns3" / "build" / "ndn_workloads"
"""The program that `make bench-ns3` builds."""

PAIRS = 3
"""Comparisons with ns-3 for each workload; the median counts."""

PPP_BYTES = 2
"""The framing of ns-3's point-to-point links, which its options leave out."""


class UnknownWorkload(ValueError):
    """No workload of that name: the message says which there are."""


@dataclass(frozen=True)
class Link:
    """A duplex link between two nodes."""

    first: str
    second: str
    rate: str
    delay: str


@dataclass(frozen=True)
class Network:
    """Links, and who asks whom: pairs of a consumer's and a producer's node."""

    links: list[Link]
    pairs: list[tuple[str, str]]
    window: int
    """Interests that each consumer keeps in flight."""
    queue: int
    """Packets that fit before each link; more than the windows, so none is lost."""


@dataclass(frozen=True)
class Workload:
    """A network under a constant load."""

    name: str
    network: Callable[[], Network]
    duration_s: float
    """Simulated seconds of Windtunnel's own figure."""
    compared_s: float
    """Simulated seconds of both in a comparison: few, where ns-3 takes minutes."""


def path(name: str, rate: str, delay: str) -> list[Link]:
    """Join a consumer by two routers to a producer, with three equal links."""
    nodes = [f"{role}{name}" for role in ("consumer", "first-router", "second-router", "producer")]
    return [Link(*ends, rate, delay) for ends in pairwise(nodes)]


def chain() -> Network:
    """Lay out one path of 1 Gbps."""
    links = path("", "1 Gbps", "2 ms")
    return Network(links, [("consumer", "producer")], window=1500, queue=2000)


def dumbbell() -> Network:
    """Lay out six consumers and six producers around one bottleneck."""
    consumer_delays_ms = [1, 10, 15, 20, 25, 30]
    producer_delays_ms = [10, 10, 5, 5, 1, 1]
    producer_rates_mbps = [20, 10, 20, 10, 20, 10]
    links = [Link("left", "right", "50 Mbps", "15 ms")]
    for number in range(6):
        delay = f"{consumer_delays_ms[number]} ms"
        links.append(Link(f"consumer{number}", "left", "100 Mbps", delay))
        rate, delay = f"{producer_rates_mbps[number]} Mbps", f"{producer_delays_ms[number]} ms"
        links.append(Link("right", f"producer{number}", rate, delay))
    pairs = [(f"consumer{number}", f"producer{number}") for number in range(6)]
    return Network(links, pairs, window=60, queue=1000)


def disjoint() -> Network:
    """Lay out a thousand paths that share nothing."""
    names = [f"{number:03}" for number in range(1000)]
    links = [link for name in names for link in path(name, "10 Mbps", "5 ms")]
    pairs = [(f"consumer{name}", f"producer{name}") for name in names]
    return Network(links, pairs, window=40, queue=100)


WORKLOADS = [
    Workload("ndn-chain", chain, duration_s=30, compared_s=5),
    Workload("ndn-dumbbell", dumbbell, duration_s=30, compared_s=30),
    Workload("ndn-disjoint-1000", disjoint, duration_s=10, compared_s=0.5),
]


def scenario(network: Network, duration_s: float) -> str:
    """Write a network under load as a scenario file."""
    nodes = dict.fromkeys(end for link in network.links for end in (link.first, link.second))
    lines = [
        f'duration = "{duration_s:f} s"',
        # One sample: ns-3 records nothing on the way either.
        f'interval = "{duration_s:f} s"',
        "[defaults.link]",
        f'queue = {{ kind = "drop-tail", limit = "{network.queue} packets" }}',
        f'overhead = "{PPP_BYTES} B"',
        "[defaults.producer]",
        'payload = "1024 B"',
        "[defaults.consumer]",
        f'controller = {{ kind = "fixed", window = {network.window} }}',
        "[nodes]",
        *(f"{node} = {{}}" for node in nodes),
        "[links]",
    ]
    for link in network.links:
        ends = f'nodes = ["{link.first}", "{link.second}"]'
        name = f"{link.first}-{link.second}"
        lines.append(f'{name} = {{ {ends}, rate = "{link.rate}", delay = "{link.delay}" }}')
    for role, side in (("producers", 1), ("consumers", 0)):
        lines.append(f"[{role}]")
        for pair in network.pairs:
            prefix = f"/{pair[1]}"
            lines.append(f'{pair[side]} = {{ node = "{pair[side]}", prefix = "{prefix}" }}')
    return "\n".join(lines) + "\n"


def measure(text: str) -> dict[str, Any]:
    """Run a workload in this process and measure it.

    `cpu_s` is the processor time of the run, with the building of its world;
    `interest_bytes` and `data_bytes` are mean sizes, without framing.
    """
    results = run_scenario(_core.Scenario("workload", text), jobs=1)
    links, manifest = results["links"], results.manifest
    lost = links.select("overflows", "discipline_drops", "losses").sum().row(0)
    if any(lost):
        raise RuntimeError(f"a workload loses nothing, but this one did: {lost}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    consumers = results["flows"]["node"].implode()
    return {
        "packet_hops": manifest["packet_hops"],
        "cpu_s": manifest["cpu_s"],
        "packet_hops_per_cpu_s": manifest["packet_hops"] / manifest["cpu_s"],
        "events_per_cpu_s": manifest["events"] / manifest["cpu_s"],
        # Bytes on macOS, elsewhere kibibytes.
        "peak_rss_bytes": peak if sys.platform == "darwin" else peak * 1024,
        # What leaves a consumer is an Interest, and what comes to it is Data.
        "interest_bytes": mean_bytes(links.filter(links["from"].is_in(consumers))),
        "data_bytes": mean_bytes(links.filter(links["to"].is_in(consumers))),
    }


def mean_bytes(links: pl.DataFrame) -> float:
    """Give the mean size of the packets on some links, without framing."""
    delivered_bytes, delivered = links.select("delivered_bytes", "delivered").sum().row(0)
    mean: float = delivered_bytes / delivered
    return mean - PPP_BYTES


def run_windtunnel(workload: Workload, duration_s: float) -> dict[str, Any]:
    """Measure a workload in a process of its own."""
    text = scenario(workload.network(), duration_s)
    return run_program([sys.executable, "-m", "windtunnel.bench"], text)


def run_ns3(workload: Workload, sizes: dict[str, Any]) -> dict[str, Any]:
    """Measure a workload in ns-3, with packets of the sizes that were measured here."""
    options = {
        "workload": workload.name,
        "duration": workload.compared_s,
        "interest-size": round(sizes["interest_bytes"]),
        "data-size": round(sizes["data_bytes"]),
    }
    return run_program([str(NS3), *(f"--{name}={value}" for name, value in options.items())])


def run_program(command: list[str], text: str = "") -> dict[str, Any]:
    """Run a program that reads a text and prints a JSON document."""
    ended = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    if ended.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {ended.stderr.strip()}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def compare(workload: Workload) -> dict[str, Any] | None:
    """Measure a workload here and in ns-3, in turns; nothing where ns-3's is not built."""
    if not NS3.exists():
        return None
    pairs = []
    for _ in range(PAIRS):
        ours = run_windtunnel(workload, workload.compared_s)
        pairs.append((ours, run_ns3(workload, ours)))
    ours, theirs = pairs[0]
    ratios = [a["packet_hops_per_cpu_s"] / b["packet_hops_per_cpu_s"] for a, b in pairs]
    return {
        "version": theirs["version"],
        "duration_s": workload.compared_s,
        "packet_hops": theirs["packet_hops"],
        "windtunnel_packet_hops": ours["packet_hops"],
        "packet_hops_per_cpu_s": median(b["packet_hops_per_cpu_s"] for _, b in pairs),
        "windtunnel_packet_hops_per_cpu_s": median(a["packet_hops_per_cpu_s"] for a, _ in pairs),
        "ratio": median(ratios),
        "ratios": ratios,
        "peak_rss_bytes": theirs["peak_rss_bytes"],
    }


def chosen(name: str | None) -> list[Workload]:
    """Give the workload of a name, or all. Raises UnknownWorkload."""
    workloads = {workload.name: workload for workload in WORKLOADS}
    if name is None:
        return WORKLOADS
    if name in workloads:
        return [workloads[name]]
    nearest = get_close_matches(name, workloads, 1)
    guess = f"did you mean {nearest[0]}? " if nearest else ""
    raise UnknownWorkload(f"there is no workload {name}; {guess}known: {', '.join(workloads)}")


def bench(name: str | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure a workload, or all; `say` hears what is being done.

    The answer has `version`, and for each of `workloads` its own figure, of the
    whole duration, and under `ns3` the comparison, of `duration_s` there.
    """
    measured = []
    for workload in chosen(name):
        say(f"{workload.name}: {workload.duration_s:g} s")
        own = run_windtunnel(workload, workload.duration_s)
        say(f"{workload.name}: in turns with ns-3, {workload.compared_s:g} s")
        ns3 = compare(workload)
        measured.append(
            {"name": workload.name, "duration_s": workload.duration_s, **own, "ns3": ns3}
        )
    return {"version": _core.__version__, "workloads": measured}


def table(document: dict[str, Any]) -> Table:
    """Lay out what was measured, for a terminal."""
    table = Table(box=SIMPLE_HEAD, caption=caption(document), caption_justify="left")
    table.add_column("workload", no_wrap=True)
    for title in (
        "million\npacket-hops",
        "CPU\ns",
        "million hops\na CPU second",
        "million events\na CPU second",
        "peak memory\nMB",
        "ns-3: million hops\na CPU second",
        "times\nns-3",
    ):
        table.add_column(title, justify="right")
    for it in document["workloads"]:
        ns3 = it["ns3"]
        table.add_row(
            it["name"],
            f"{it['packet_hops'] / 1e6:.2f}",
            f"{it['cpu_s']:.2f}",
            f"{it['packet_hops_per_cpu_s'] / 1e6:.2f}",
            f"{it['events_per_cpu_s'] / 1e6:.2f}",
            f"{it['peak_rss_bytes'] / 1e6:.0f}",
            f"{ns3['packet_hops_per_cpu_s'] / 1e6:.3f}" if ns3 else "–",
            f"{ns3['ratio']:.1f}" if ns3 else "–",
        )
    return table


def caption(document: dict[str, Any]) -> str:
    """Say how the figures were compared."""
    workloads = document["workloads"]
    own = ", ".join(f"{it['name']} {it['duration_s']:g} s" for it in workloads)
    compared = [it for it in workloads if it["ns3"]]
    if not compared:
        return f"Simulated: {own}. For ns-3's figures: make bench-ns3."
    both = ", ".join(f"{it['name']} {it['ns3']['duration_s']:g} s" for it in compared)
    return (
        f"Simulated: {own}. Compared with ns-3 {compared[0]['ns3']['version']} over {both}: "
        f"the median of {PAIRS} pairs, taken in turns."
    )


if __name__ == "__main__":
    print(json.dumps(measure(sys.stdin.read())))
