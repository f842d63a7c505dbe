"""The speed of the simulator, compared with ns-3 on the same workloads.

Each measurement runs in its own process, so that its peak memory is the workload's.
Windtunnel and ns-3 run alternately, because the speed of a machine drifts.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel import _core
from windtunnel._core import suggestion
from windtunnel.bench.errors import UnknownWorkload
from windtunnel.bench.workloads import (
    LONG_WORKLOADS,
    PPP_BYTES,
    WORKLOADS,
    Ndn,
    Workload,
    scenario,
)
from windtunnel.results import Results
from windtunnel.running import run_scenario

if TYPE_CHECKING:
    import polars as pl

NS3 = Path(__file__).parents[3] / "bench" / "ns3" / "build"
"""The folder of the programs that `make bench-ns3` builds."""

PAIRS = 3
"""Comparisons with ns-3 for each workload; their median is reported."""

SAME_GOODPUT = 0.1
"""The relative difference of goodputs above which the comparison reports it."""

MANY_FLOWS = 1000
"""The number of flows from which the memory per flow is reported."""


OTHERS = ("study", "lookup")
"""What else can be measured than workloads."""


def measure(workload: Workload, duration_s: float, text: str, threads: int = 1) -> dict[str, Any]:
    """Run a workload, whose scenario is `text`, in this process and measure it.

    `cpu_s` is the CPU time of the run, including its setup; `rss_bytes_a_flow` is the
    peak memory of the run, its scenario and its results above the interpreter's own,
    per flow; `routing_s` is the real time in which links and paths followed satellites.
    """
    # The memory of Polars itself is part of the interpreter's.
    import polars  # noqa: F401

    before = peak_rss_bytes()
    results = run_scenario(_core.Scenario(workload.name, text), jobs=1, threads=threads)
    peak = peak_rss_bytes()
    flows, manifest = results["flows"], results.manifest
    measured = {
        "packet_hops": manifest["packet_hops"],
        "cpu_s": manifest["cpu_s"],
        "routing_s": manifest["routing_s"],
        "real_s": manifest["real_s"],
        "tables_sha256": hash_of(results),
        "packet_hops_per_cpu_s": manifest["packet_hops"] / manifest["cpu_s"],
        "events_per_cpu_s": manifest["events"] / manifest["cpu_s"],
        "goodput_bps": float(flows["received_bytes"].sum()) * 8 / duration_s,
        "flows": flows.height,
        "peak_rss_bytes": peak,
        "rss_bytes_a_flow": (peak - before) / flows.height,
    }
    return measured | sizes(results) if isinstance(workload.load, Ndn) else measured


def peak_rss_bytes() -> int:
    """Give the peak memory of this process."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, elsewhere kibibytes.
    return peak if sys.platform == "darwin" else peak * 1024


def sizes(results: Results) -> dict[str, float]:
    """Give the mean sizes of a lossless NDN workload's packets, without framing."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel.measures.links import DROPS

    links = results["links"]
    lost = links.select(DROPS).sum().row(0)
    if any(lost):
        raise RuntimeError(f"an NDN workload must not lose packets, but lost {lost}")
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


def hash_of(results: Results) -> str:
    """Compute the hash of all tables but the one of the runs, which has what they cost."""
    digest = hashlib.sha256()
    for name, table in sorted(results.tables.items()):
        if name != "runs":
            digest.update(table.hash_rows().to_numpy().tobytes())
    return digest.hexdigest()


def run_windtunnel(workload: Workload, duration_s: float, threads: int = 1) -> dict[str, Any]:
    """Measure a workload in its own process."""
    arguments = [workload.name, str(duration_s), str(threads)]
    command = [sys.executable, "-m", "windtunnel.bench.simulations", *arguments]
    return run_program(command, scenario(workload, duration_s))


def run_ns3(workload: Workload, duration_s: float, ours: dict[str, Any]) -> dict[str, Any]:
    """Measure a workload in ns-3, with NDN packets of the sizes measured here."""
    options = {"workload": workload.name, "duration": duration_s}
    if isinstance(workload.load, Ndn):
        options |= {
            "interest-size": round(ours["interest_bytes"]),
            "data-size": round(ours["data_bytes"]),
        }
    program = NS3 / workload.load.program
    return run_program([str(program), *(f"--{name}={value}" for name, value in options.items())])


def run_program(command: list[str], text: str = "") -> dict[str, Any]:
    """Run a program that reads text and prints a JSON document."""
    ended = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    if ended.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {ended.stderr.strip()}")
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def compare(workload: Workload) -> dict[str, Any] | None:
    """Measure a workload here and in ns-3 alternately; None if ns-3 does not have it."""
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
    """Give the workload of a name, or all that take no minutes. Raises UnknownWorkload."""
    workloads = {workload.name: workload for workload in [*WORKLOADS, *LONG_WORKLOADS]}
    if name is None:
        return WORKLOADS
    if name in workloads:
        return [workloads[name]]
    help = suggestion(name, [*workloads, *OTHERS])
    raise UnknownWorkload(f"unknown workload `{name}`\nhelp: {help}")


def bench(name: str | None, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure a workload, or all; `say` is called with the current step.

    The document has `version`, and for each of `workloads` its figures over the whole
    duration, and under `ns3` the comparison over `duration_s` there.
    """
    measured = []
    for workload in chosen(name):
        say(f"{workload.name}: {workload.duration_s:g} s")
        own = run_windtunnel(workload, workload.duration_s)
        say(f"{workload.name}: compared with ns-3")
        ns3 = compare(workload)
        measured.append(
            {"name": workload.name, "duration_s": workload.duration_s, **own, "ns3": ns3}
        )
    return {"version": _core.__version__, "workloads": measured}


def speed_up(name: str | None, threads: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure a workload, or all, on one thread and on `threads` alternately.

    The document has for each of `workloads` the `speed_up` of real time (the median of the
    pairs), and whether the results are the `same`.
    """
    measured = []
    for workload in chosen(name):
        pairs = []
        for pair in range(PAIRS):
            say(f"{workload.name}: 1 thread and {threads}, {pair + 1} of {PAIRS}")
            runs = [run_windtunnel(workload, workload.duration_s, it) for it in (1, threads)]
            pairs.append(runs)
        ratios = [one["real_s"] / many["real_s"] for one, many in pairs]
        same = len({run["tables_sha256"] for pair in pairs for run in pair}) == 1
        measured.append(
            {"name": workload.name, "speed_up": median(ratios), "ratios": ratios, "same": same}
        )
    return {"version": _core.__version__, "threads": threads, "workloads": measured}


def table_of_speed_up(document: dict[str, Any]) -> Table:
    """Format the speed-ups for a terminal."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("workload", no_wrap=True)
    table.add_column(f"times as fast\non {document['threads']} threads", justify="right")
    table.add_column("same results", justify="right")
    for it in document["workloads"]:
        table.add_row(it["name"], f"{it['speed_up']:.2f}", "yes" if it["same"] else "no")
    return table


def table(document: dict[str, Any]) -> Table:
    """Format the measurements for a terminal."""
    table = Table(box=SIMPLE_HEAD, caption=caption(document), caption_justify="left")
    table.add_column("workload", no_wrap=True)
    for title in (
        "million\npacket-hops",
        "CPU\ns",
        "million hops\nper CPU second",
        "million events\nper CPU second",
        "peak memory\nMB",
        "ns-3: million hops\nper CPU second",
        "ratio to\nns-3",
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
    """Describe the comparison, and what does not fit into the rows."""
    workloads = document["workloads"]
    own = ", ".join(f"{it['name']} {it['duration_s']:g} s" for it in workloads)
    lines = [f"Simulated: {own}."]
    compared = [it for it in workloads if it["ns3"]]
    if compared:
        both = ", ".join(f"{it['name']} {it['ns3']['duration_s']:g} s" for it in compared)
        lines.append(
            f"Compared with ns-3 {compared[0]['ns3']['version']} over {both}: "
            f"the median of {PAIRS} alternating pairs."
        )
    else:
        lines.append("To compare with ns-3: make bench-ns3.")
    lines += [
        f"{it['name']}: {it['routing_s'] / it['real_s']:.0%} of the real time is routing."
        for it in workloads
        if it["routing_s"]
    ]
    lines += [different_goodput(it) for it in compared if not it["ns3"]["same_goodput"]]
    lines += [
        f"{it['name']}: {it['rss_bytes_a_flow'] / 1024:.2f} KiB of memory per flow."
        for it in workloads
        if it["flows"] >= MANY_FLOWS
    ]
    return "\n".join(lines)


def different_goodput(it: dict[str, Any]) -> str:
    """Report that a workload's goodput differs from ns-3's."""
    ours, theirs = (it["ns3"][key] / 1e6 for key in ("windtunnel_goodput_bps", "goodput_bps"))
    return (
        f"{it['name']}: goodput {ours:.1f} Mbps, in ns-3 {theirs:.1f} Mbps: "
        "the workloads are not the same."
    )


if __name__ == "__main__":
    name, duration, threads = sys.argv[1:]
    text = sys.stdin.read()
    print(json.dumps(measure(chosen(name)[0], float(duration), text, int(threads))))
