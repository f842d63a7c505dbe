"""Measure what flies beside what is simulated, and write it into the page on live use.

    python validation/compare_live.py docs/live.md

Over the path of `validation/live/path.toml`, emulated for real packets and simulated: the kernel's
own congestion control, our controllers in the kernel's TCP and in QUIC, and NDN consumers. Then how
exact the emulation is at several rates. It takes less than ten minutes, and needs root, iperf3, and
a core with controllers in the kernel.
Without a page the tables are printed.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
from compare_ndnsim import replaced
from emulated import (
    DROP_TAIL,
    PATH,
    ROOT,
    SERVER,
    UDP_HEADERS,
    WINDTUNNEL,
    documents,
    emulate,
    path,
)
from live_exactness import beside_rattan, exactness

from windtunnel.markdown import table
from windtunnel.running import run_scenario
from windtunnel.scenario.scenario import checked

TRANSFER = ROOT / "target/release/examples/transfer"
"""The example of the crate for quinn."""

SECONDS = 25
CROSSING_MS = 20 + 1500 * 8 / 50e3
"""What a full packet takes over the path behind the queue."""

NDN_BYTES = 120_000_000
"""What an NDN consumer fetches: some twenty seconds' worth."""

NDN_CONTENT = 1300

SIMULATED, OWN, OURS, QUINN, NOQ, REAL = (
    "simulated",
    "the kernel's own",
    "ours in the kernel",
    "ours in quinn",
    "ours in noq",
    "real",
)
"""Where a controller was measured."""

STEP = (
    'queue = { kind = "codel", limit = "170 packets", target = "1 s", interval = "10 s", '
    'ce_threshold = "12.12 ms" }'
)
"""A queue that marks all that waits for longer than 50.5 packets take (RFC 8257, section 4.1)."""


@dataclass(frozen=True)
class Case:
    """A controller over the path, and where it flies beside the simulation."""

    name: str
    simulated: str
    """The controller of the simulated flow."""
    kernel: str | None = None
    """The kernel's own."""
    fly: str | None = None
    """Ours in the kernel."""
    quic: str | None = None
    """Ours in QUIC: in quinn and in noq."""
    queue: str = DROP_TAIL
    """The path's."""


CASES = [
    Case("CUBIC", "cubic", "cubic", "cubic", "cubic"),
    Case("BBRv1", "bbr1", "bbr", "bbr1"),
    Case("BBRv3", "bbr3", None, "bbr3", "bbr3"),
    Case("Copa", "copa", None, "copa", "copa"),
    Case("DCTCP", "dctcp", None, "dctcp", None, STEP),
    Case("Prague", "prague", None, "prague", None, STEP),
]
NDN = ["ec-elastic", "aimd", "cubic", "bic"]


@dataclass(frozen=True)
class Figures:
    """What one run over the path measured."""

    case: str
    where: str
    goodput_mbps: float
    delay_ms: float
    """Mean, one way; of NDN there and back."""
    dropped: float
    """Of the packets that were sent, how many percent."""
    marked: float
    """Of those that arrived, how many percent."""


def simulate(addition: str, scenario: str, seconds: float, sender: str) -> tuple[dict, dict]:
    """Simulate what is added to a path; give its flow, and the path's direction from a node."""
    settings = [("duration", f"{seconds} s")]
    results = run_scenario(checked(str(PATH), scenario + addition, settings))
    [flow] = results["flows"].to_dicts()
    [direction] = results["links"].filter(link="path", **{"from": sender}).to_dicts()
    return flow, direction


def losses(direction: dict[str, Any]) -> tuple[float, float]:
    """Give how many percent of the packets a direction of a link dropped, and marked."""
    dropped = direction["overlimit_drops"] + direction["discipline_drops"]
    return 100 * dropped / direction["offered"], 100 * direction["marks"] / direction["delivered"]


def of_path(report: dict[str, Any], sender: str = "client") -> tuple[float, float, float]:
    """Give mean delay in ms, drops and marks in percent of what a host sent over the path."""
    place = report["attachments"].index(sender)
    it = next(it for it in report["directions"] if it["from"] == place)
    dropped = 100 * (it["entered_packets"] - it["left_packets"]) / it["entered_packets"]
    marked = 100 * it["marked_packets"] / it["left_packets"]
    return it["delay_s"]["mean"] * 1e3, dropped, marked


def over_tcp(case: Case, own: str | None = None) -> Figures:
    """Measure iperf3 with the kernel's own controller, or with ours in the kernel."""
    iperf = ["iperf3", "--client", SERVER, "--time", str(SECONDS), "--json"]
    command = [*iperf, "--congestion", own] if own else iperf
    server = "iperf3 --server --one-off"
    if not own:
        # Both ends: the receiver of counted marks must echo each.
        fly = [*WINDTUNNEL, "fly", "--controller", str(case.fly), "--json", "--"]
        command, server = [*fly, *iperf], " ".join([*fly, server])
    report, printed = emulate(path(case.queue), command, server)
    measured = next(it for it in documents(printed) if "sum_received" in it.get("end", {}))
    goodput = measured["end"]["sum_received"]["bits_per_second"] / 1e6
    return Figures(case.name, OWN if own else OURS, goodput, *of_path(report))


def over_quic(case: Case, where: str) -> Figures:
    """Measure the client and the server of the crate for quinn; the client is quinn or noq."""
    command = [str(TRANSFER), "--connect", f"{SERVER}:4433"]
    command += ["--stack", "noq" if where == NOQ else "quinn"]
    command += ["--controller", str(case.quic), "--seconds", str(SECONDS)]
    report, printed = emulate(path(case.queue), command, f"{TRANSFER} --server {SERVER}:4433")
    measured = next(it for it in documents(printed) if "goodput_bps" in it)
    return Figures(case.name, where, measured["goodput_bps"] / 1e6, *of_path(report))


def over_nothing(case: Case) -> Figures:
    """Simulate a flow over the path."""
    addition = f"""
[flows.one]
from = "client"
to = "server"
controller = "{case.simulated}"
buffers.receive = "1 GiB"
buffers.send = "1 GiB"
"""
    flow, link = simulate(addition, path(case.queue), SECONDS, "near")
    delay = link["sojourn_s"] * 1e3 + CROSSING_MS
    return Figures(case.name, SIMULATED, flow["goodput_bps"] / 1e6, delay, *losses(link))


def over_ip() -> list[Figures]:
    """Measure all cases, simulated and real."""
    figures = []
    for case in CASES:
        figures.append(over_nothing(case))
        if case.kernel:
            figures.append(over_tcp(case, case.kernel))
        if case.fly:
            figures.append(over_tcp(case))
        if case.quic:
            figures += [over_quic(case, where) for where in (QUINN, NOQ)]
    return figures


def over_ndn(controller: str, folder: Path) -> list[Figures]:
    """Fetch a file with a consumer, simulated and real."""
    file, copy = folder / "file", folder / "copy"
    put = f"ndn put --prefix /file --file {file} --bind {SERVER} --segment-size {NDN_CONTENT}"
    get = f"ndn get /file --out {copy} --controller {controller} --connect udp://{SERVER} --json"
    command = [*WINDTUNNEL, *get.split()]
    report, printed = emulate(path(DROP_TAIL), command, " ".join([*WINDTUNNEL, put]))
    measured = next(it for it in documents(printed) if "goodput_bps" in it)
    if copy.read_bytes() != file.read_bytes():
        sys.exit(f"{controller}: the copy is not the file")
    # Data comes from the server; what is compared is the round trip, which consumers measure.
    _, *lost = of_path(report, "server")
    goodput, rtt = measured["goodput_bps"] / 1e6, measured["rtt_mean_s"] * 1e3
    real = Figures(controller, REAL, goodput, rtt, *lost)
    addition = f"""
overhead = "{UDP_HEADERS} B"
[producers.file]
node = "server"
prefix = "/file"
payload = "{NDN_CONTENT} B"
[consumers.one]
node = "client"
prefix = "/file"
controller = "{controller}"
workload = {{ kind = "file", size = "{NDN_BYTES} B" }}
"""
    flow, link = simulate(addition, path(DROP_TAIL), 4 * measured["duration_s"], "far")
    goodput, rtt = NDN_BYTES * 8e-6 / flow["completion_s"], flow["rtt_s"] * 1e3
    return [Figures(controller, SIMULATED, goodput, rtt, *losses(link)), real]


def compared(figures: list[Figures], delay: str) -> str:
    """Lay real figures out beside the simulated ones of their case."""
    rows = []
    simulated = {it.case: it for it in figures if it.where == SIMULATED}
    for it in figures:
        of = simulated[it.case]
        pairs = [
            (it.goodput_mbps, of.goodput_mbps, 2),
            (it.delay_ms, of.delay_ms, 2),
        ]
        cells = [
            f"{value:.{digits}f}" + (f" ({value / base - 1:+.1%})" if it is not of else "")
            for value, base, digits in pairs
        ]
        rows.append([it.case, it.where, *cells, f"{it.dropped:.3f}", f"{it.marked:.2f}"])
    head = ["controller", "where", "goodput, Mbps", f"{delay}, ms", "dropped, %", "marked, %"]
    return table(head, rows)


def picture(figures: list[Figures]) -> alt.Chart:
    """Draw goodput and delay of those that are simulated, in the kernel and in QUIC."""
    everywhere = [case.name for case in CASES if case.fly and case.quic]
    shown = [it for it in figures if it.case in everywhere]
    frame = pl.DataFrame(
        {"case": it.case, "where": it.where, "measure": measure, "value": value}
        for it in shown
        for measure, value in (("goodput (Mbps)", it.goodput_mbps), ("delay (ms)", it.delay_ms))
    )
    places = [SIMULATED, OWN, OURS, QUINN, NOQ]
    colours = ["#a01038", "#9aa3ad", "#3a6ea5", "#4f9d69", "#a7c957"]
    bars = (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("where:N", title=None, sort=places, axis=alt.Axis(labels=False, ticks=False)),
            y=alt.Y("value:Q", title=None),
            color=alt.Color(
                "where:N",
                scale=alt.Scale(domain=places, range=colours),
                title=None,
                legend=alt.Legend(orient="top"),
            ),
        )
    )
    return (
        bars.properties(width=120, height=140)
        .facet(
            row=alt.Row("measure:N", title=None, sort=["goodput (Mbps)", "delay (ms)"]),
            column=alt.Column("case:N", title=None, sort=everywhere),
        )
        .resolve_scale(y="independent")
    )


def main() -> None:
    """Measure everything; write the page and its picture, or print."""
    build = "cargo build --release --quiet --locked -p windtunnel-quinn --example transfer"
    subprocess.run(build.split(), cwd=ROOT, check=True)
    figures = over_ip()
    named = []
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "file").write_bytes(os.urandom(NDN_BYTES))
        for controller in NDN:
            named += over_ndn(controller, Path(folder))
    machine = f"Linux {platform.release()}, {os.cpu_count()} processors.\n"
    tables = {
        "live: machine": machine,
        "live: exactness": exactness(),
        "live: rattan": beside_rattan(),
        "live: IP": compared(figures, "mean delay"),
        "live: NDN": compared(named, "mean round trip"),
    }
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
        picture(figures).save(page.with_name("live.svg"))
    else:
        print(*tables.values(), sep="\n")


if __name__ == "__main__":
    main()
