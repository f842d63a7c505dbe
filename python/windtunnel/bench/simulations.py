"""The simulator's speed, beside ns-3's on the same work.

Each measurement has a process of its own, so that its peak memory is the
workload's. Comparisons take turns, Windtunnel and ns-3 one after the other,
because a machine's speed drifts.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel import _core
from windtunnel.bench.workloads import PPP_BYTES, WORKLOADS, Ndn, Workload, scenario
from windtunnel.results import Results
from windtunnel.running import run_scenario

if TYPE_CHECKING:
    import polars as pl

NS3 = Path(__file__).parents[3] / "bench" / "ns3" / "build"
"""Where `make bench-ns3` puts the programs that it builds."""

PAIRS = 3
"""Comparisons with ns-3 for each workload; the median counts."""

SAME_GOODPUT = 0.1
"""The share by which goodputs may differ before the comparison says so."""

MANY_FLOWS = 1000
"""From so many flows on, memory a flow means something."""


class UnknownWorkload(ValueError):
    """No workload of that name: the message says which there are."""


def measure(workload: Workload, duration_s: float, text: str) -> dict[str, Any]:
    """Run a workload, whose scenario is `text`, in this process and measure it.

    `cpu_s` is the processor time of the run, with the building of its world;
    `rss_bytes_a_flow` is what the run, its scenario and its results add to the
    interpreter's memory at the most, divided by the flows.
    """
    # What loading Polars takes is the interpreter's.
    import polars  # noqa: F401

    before = peak_rss_bytes()
    results = run_scenario(_core.Scenario(workload.name, text), jobs=1)
    peak = peak_rss_bytes()
    flows, manifest = results["flows"], results.manifest
    measured = {
        "packet_hops": manifest["packet_hops"],
        "cpu_s": manifest["cpu_s"],
        "packet_hops_per_cpu_s": manifest["packet_hops"] / manifest["cpu_s"],
        "events_per_cpu_s": manifest["events"] / manifest["cpu_s"],
        "goodput_bps": float(flows["received_bytes"].sum()) * 8 / duration_s,
        "flows": flows.height,
        "peak_rss_bytes": peak,
        "rss_bytes_a_flow": (peak - before) / flows.height,
    }
    return measured | sizes(results) if isinstance(workload.load, Ndn) else measured


def peak_rss_bytes() -> int:
    """Give the most memory that this process had at once."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, elsewhere kibibytes.
    return peak if sys.platform == "darwin" else peak * 1024


def sizes(results: Results) -> dict[str, float]:
    """Give the mean sizes of a lossless NDN workload's packets, without framing."""
    # Here, because loading Polars takes longer than most commands.
    from windtunnel.measures.links import DROPS

    links = results["links"]
    lost = links.select(DROPS).sum().row(0)
    if any(lost):
        raise RuntimeError(f"an NDN workload loses nothing, but this one did: {lost}")
    consumers = results["flows"]["node"].implode()
    return {
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
    command = [sys.executable, "-m", "windtunnel.bench.simulations", workload.name, str(duration_s)]
    return run_program(command, scenario(workload, duration_s))


def run_ns3(workload: Workload, duration_s: float, ours: dict[str, Any]) -> dict[str, Any]:
    """Measure a workload in ns-3; NDN's packets have the sizes that were measured here."""
    options = {"workload": workload.name, "duration": duration_s}
    if isinstance(workload.load, Ndn):
        options |= {
            "interest-size": round(ours["interest_bytes"]),
            "data-size": round(ours["data_bytes"]),
        }
    program = NS3 / workload.load.program
    return run_program([str(program), *(f"--{name}={value}" for name, value in options.items())])


def run_program(command: list[str], text: str = "") -> dict[str, Any]:
    """Run a program that reads a text and prints a JSON document."""
    ended = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    if ended.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {ended.stderr.strip()}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def compare(workload: Workload) -> dict[str, Any] | None:
    """Measure a workload here and in ns-3, in turns; nothing where ns-3 has it not."""
    duration_s = workload.compared_s
    if duration_s is None or not (NS3 / workload.load.program).exists():
        return None
    pairs = []
    for _ in range(PAIRS):
        ours = run_windtunnel(workload, duration_s)
        pairs.append((ours, run_ns3(workload, duration_s, ours)))
    ours, theirs = pairs[0]
    ratios = [a["packet_hops_per_cpu_s"] / b["packet_hops_per_cpu_s"] for a, b in pairs]
    return {
        "version": theirs["version"],
        "duration_s": duration_s,
        "packet_hops": theirs["packet_hops"],
        "windtunnel_packet_hops": ours["packet_hops"],
        "goodput_bps": theirs["goodput_bps"],
        "windtunnel_goodput_bps": ours["goodput_bps"],
        "same_goodput": abs(ours["goodput_bps"] / theirs["goodput_bps"] - 1) <= SAME_GOODPUT,
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
    nearest = get_close_matches(name, [*workloads, "study"], 1)
    guess = f"did you mean {nearest[0]}? " if nearest else ""
    raise UnknownWorkload(
        f"there is no workload {name}; {guess}known: {', '.join(workloads)}, study"
    )


def bench(name: str | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure a workload, or all; `say` hears what is being done.

    The answer has `version`, and for each of `workloads` its own figure, of the
    whole duration, and under `ns3` the comparison, of `duration_s` there.
    """
    measured = []
    for workload in chosen(name):
        say(f"{workload.name}: {workload.duration_s:g} s")
        own = run_windtunnel(workload, workload.duration_s)
        say(f"{workload.name}: in turns with ns-3")
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
    """Say how the figures were compared, and what a row has no room for."""
    workloads = document["workloads"]
    own = ", ".join(f"{it['name']} {it['duration_s']:g} s" for it in workloads)
    lines = [f"Simulated: {own}."]
    compared = [it for it in workloads if it["ns3"]]
    if compared:
        both = ", ".join(f"{it['name']} {it['ns3']['duration_s']:g} s" for it in compared)
        lines.append(
            f"Compared with ns-3 {compared[0]['ns3']['version']} over {both}: "
            f"the median of {PAIRS} pairs, taken in turns."
        )
    else:
        lines.append("For ns-3's figures: make bench-ns3.")
    lines += [different_goodput(it) for it in compared if not it["ns3"]["same_goodput"]]
    lines += [
        f"{it['name']}: {it['rss_bytes_a_flow'] / 1024:.2f} KiB of memory a flow."
        for it in workloads
        if it["flows"] >= MANY_FLOWS
    ]
    return "\n".join(lines)


def different_goodput(it: dict[str, Any]) -> str:
    """Say of a workload that its goodput is not ns-3's."""
    ours, theirs = (it["ns3"][key] / 1e6 for key in ("windtunnel_goodput_bps", "goodput_bps"))
    return (
        f"{it['name']}: the goodput is not that of ns-3, {ours:.1f} and {theirs:.1f} Mbps: "
        "the work differs."
    )


if __name__ == "__main__":
    name, duration = sys.argv[1:]
    print(json.dumps(measure(chosen(name)[0], float(duration), sys.stdin.read())))
