"""Check what an emulation promises, with real programs, and write the page on it.

    python validation/check_emulation.py docs/validation/live.md

Needs root, iperf3, ping, traceroute and, for the Internet, nftables; it takes two minutes on a
quiet machine. Without a page the table is printed.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compare_ndnsim import replaced
from emulated import ROOT, SERVER, WINDTUNNEL, documents, path

from windtunnel.markdown import table
from windtunnel.results import Results

SECONDS = 10

SEND = """
import socket, sys, time
count, length, gap = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(count):
    it.sendto(bytes(length), ("10.0.0.2", 7000))
    time.sleep(gap)
time.sleep(0.5)
"""
"""Sends datagrams to the second node."""

CHAIN = """\
duration = "60 s"
nodes = { client = {}, near = {}, far = {}, server = {} }
links.access = { nodes = ["client", "near"], rate = "100 Mbps", delay = "5 ms" }
links.middle = { nodes = ["near", "far"], rate = "100 Mbps", delay = "5 ms", mtu = "1300 B" }
links.home = { nodes = ["far", "server"], rate = "100 Mbps", delay = "5 ms" }
"""
"""Two routers, and a link between them that carries less than Ethernet."""


@dataclass(frozen=True)
class Check:
    """What is promised, how it was tried, and what came of it."""

    promise: str
    command: str
    measured: str
    holds: bool

    @property
    def row(self) -> list[str]:
        """Give its row of the table."""
        return [self.promise, f"`{self.command}`", self.measured, "yes" if self.holds else "**no**"]


def line_of(link: str) -> str:
    """Give a scenario of two nodes and a link."""
    return (
        'duration = "60 s"\nrecording.interval = "100 ms"\nnodes = { client = {}, server = {} }\n'
        f'links.line = {{ nodes = ["client", "server"], {link} }}\n'
    )


def emulate(scenario: str, command: list[str], *options: str) -> tuple[dict[str, Any], str]:
    """Run a command over an emulation; give the report, and what it printed."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
        file.write(scenario)
        file.flush()
        line = [*WINDTUNNEL, "emulate", file.name, *options, "--json", "--", *command]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{' '.join(line)}\n{done.stderr}")
    return json.loads(done.stdout), done.stderr


def sending(count: int, length: int, gap_s: float) -> list[str]:
    """Give the command that sends datagrams."""
    return [sys.executable, "-c", SEND, str(count), str(length), str(gap_s)]


def forth(report: dict[str, Any]) -> dict[str, Any]:
    """Give what was counted from the first node on."""
    return next(it for it in report["directions"] if it["from"] == 0)


def time_begins_with_the_command() -> Check:
    """Have a delay change three seconds after the beginning, and a server that is never ready."""
    link = 'rate = "100 Mbps", delay = "5 ms", changes = [{ at = "3 s", delay = "500 ms" }]'
    report, _ = emulate(line_of(link), sending(10, 100, 0.1), "--at", "server=sleep 60")
    longest = forth(report)["delay_s"]["maximum"] * 1e3
    return Check(
        "Virtual time begins with the command, not with the programs of `--at`",
        'windtunnel emulate FILE --at server="sleep 60" -- SEND',
        f"a change at 3 s, five seconds of waiting before: packets took {longest:.1f} ms at most",
        longest < 100,
    )


def drops_are_told_from_what_is_in_flight() -> Check:
    """Overfill a queue on a link that is so long that nothing arrives."""
    link = 'rate = "800 kbps", delay = "5 s", queue = { limit = "10 packets" }'
    report, _ = emulate(line_of(link), sending(50, 972, 0))
    it, queue = forth(report), report["queues"][0]
    full, inside = queue["overlimit_drops"], it["in_flight_packets"]
    return Check(
        "Drops are counted by queue and cause, beside what is in flight",
        "windtunnel emulate FILE -- SEND",
        f"of {it['entered_packets']} packets {it['left_packets']} left, {full} were dropped by the "
        f"full queue, {inside} were in flight",
        it["entered_packets"] == it["left_packets"] + full + inside and full > 0,
    )


def it_is_a_run(folder: Path) -> Check:
    """Record a steady stream, and read the results."""
    link = 'rate = "100 Mbps", delay = "5 ms"'
    options = ["--out", str(folder), "--pcap", "client"]
    report, _ = emulate(line_of(link), sending(200, 972, 0.01), *options)
    series = Results.load(folder)["link_series"].filter(link="line", **{"from": "client"})
    mbps = series["throughput_bps"].mean() * 1e-6
    wanted = forth(report)["entered_bytes"] * 8e-6 / report["duration_s"]
    [capture] = (folder / "captures").rglob("*.pcapng")
    captured = capture.read_bytes().count(bytes(972))
    return Check(
        "It is a run, with series and captures",
        "windtunnel emulate FILE --out DIR --pcap client -- SEND",
        f"{mbps:.3f} Mbps on average in `link_series`, {wanted:.3f} counted; {captured} of 200 "
        "datagrams in the capture",
        abs(mbps / wanted - 1) < 0.02 and captured >= 200,
    )


def routers_are_seen() -> Iterator[Check]:
    """Ask the routers of a chain by traceroute and ping."""
    _, printed = emulate(CHAIN, ["traceroute", "-4", "server"])
    hops = [
        it.split()[1] for it in printed.splitlines() if it.split()[:1] and it.split()[0].isdigit()
    ]
    yield Check(
        "`traceroute` shows the scenario's routers",
        "windtunnel emulate FILE -- traceroute server",
        ", ".join(hops),
        hops == ["near", "far", "server"],
    )
    _, printed = emulate(CHAIN, ["ping", "-c", "3", "-i", "0.2", "far"])
    times = [float(it) for it in re.findall(r"time=([\d.]+)", printed)]
    yield Check(
        "A router answers `ping`",
        "windtunnel emulate FILE -- ping far",
        f"{len(times)} of 3 answers, after {min(times, default=0):.1f} ms at the least",
        len(times) == 3 and min(times) >= 20,
    )
    ping = ["ping", "-c", "1", "-W", "1", "-M", "do", "-s", "1400", "server"]
    _, printed = emulate(CHAIN, ping)
    found = re.search(r"mtu ?= ?(\d+)", printed)
    yield Check(
        "A router reports the MTU of the next link (ICMP)",
        "windtunnel emulate FILE -- ping -M do -s 1400 server",
        f"MTU {found[1]}" if found else "no report",
        bool(found) and found[1] == "1300",
    )


def the_internet_is_behind_a_node() -> Check:
    """Run the tests of the door, whose machine and outside are namespaces."""
    line = [sys.executable, "-m", "pytest", "-q", "tests/test_emulate_internet.py"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr
    return Check(
        "The Internet is behind a node: pages, names, IPv6, and nothing is left behind",
        "pytest tests/test_emulate_internet.py",
        re.sub(r" in [\d.]+s.*", "", last.strip("= ")),
        done.returncode == 0,
    )


def frames_cross() -> Check:
    """Ask for a hardware address, which is not IP."""
    link = 'rate = "100 Mbps", delay = "5 ms"'
    command = ["sh", "-c", "ping -4 -c 2 -i 0.2 server; ip neighbour show dev world0"]
    _, printed = emulate(line_of(link), command, "--tap")
    answers = len(re.findall(r"time=", printed))
    found = re.search(r"10\.0\.0\.2 lladdr (\S+)", printed)
    return Check(
        "With `--tap`, frames that are not IP cross",
        "windtunnel emulate FILE --tap -- ping server",
        f"{answers} of 2 answers; ARP {'found' if found else 'did not find'} the other host",
        answers == 2 and bool(found),
    )


def simulated_beside(folder: Path) -> Check:
    """Have a simulated flow and the kernel's over the same path, in one result."""
    flow = '\n[flows.download]\nfrom = "client"\nto = "server"\ncontroller = "cubic"\n'
    client = ["iperf3", "--client", SERVER, "--time", str(SECONDS)]
    options = ["--at", "server=iperf3 --server --one-off", "--out", str(folder)]
    options += ["--in-place-of", "download"]
    emulate(path('queue = { limit = "170 packets" }') + flow, client, *options)
    links = Results.load(folder)["links"].filter(link="path", **{"from": "near"})
    mbps = dict(zip(links["where"], links["throughput_bps"] * 1e-6, strict=True))
    off = mbps["emulated"] / mbps["simulated"] - 1
    return Check(
        "An emulation and a simulation of the same file are one result",
        "windtunnel emulate FILE --in-place-of download --out DIR "
        '--at server="iperf3 -s" -- iperf3 -c server',
        f"{mbps['emulated']:.2f} Mbps emulated, {mbps['simulated']:.2f} simulated ({off:+.1%})",
        abs(off) < 0.05,
    )


def speed(rate: str, delay: str, packets: int) -> tuple[float, float, dict[str, Any]]:
    """Measure TCP with both ends here: goodput in Mbps, the processor share, the report."""
    scenario = path(f'queue = {{ limit = "{packets} packets" }}')
    scenario = scenario.replace('"50 Mbps"', f'"{rate}"').replace('"20 ms"', f'"{delay}"')
    client = ["iperf3", "--client", SERVER, "--time", str(SECONDS), "--json"]
    report, printed = emulate(scenario, client, "--at", "server=iperf3 --server --one-off")
    measured = next(it for it in documents(printed) if "sum_received" in it.get("end", {}))
    goodput = measured["end"]["sum_received"]["bits_per_second"] * 1e-6
    return goodput, report["processor_s"] / report["duration_s"], report


def it_is_fast() -> Iterator[Check]:
    """Measure a slow link and a fast one."""
    for rate, delay, packets, least, most in (
        ("50 Mbps", "20 ms", 170, 45, 0.25),
        ("1 Gbps", "1 ms", 1000, 900, 1.0),
    ):
        goodput, share, report = speed(rate, delay, packets)
        late = report["lateness"]["percentiles"]["p99"] * 1e6
        yield Check(
            f"iperf3 over {rate}, both ends on this machine",
            'windtunnel emulate FILE --at server="iperf3 -s" -- iperf3 -c server',
            f"{goodput:.0f} Mbps, {share:.0%} of a processor; {late:.0f} µs late at the 99th "
            "percentile",
            goodput >= least and share <= most,
        )


def checks() -> Iterator[Check]:
    """Make all checks."""
    with tempfile.TemporaryDirectory() as folder:
        yield time_begins_with_the_command()
        yield drops_are_told_from_what_is_in_flight()
        yield it_is_a_run(Path(folder) / "run")
        yield from routers_are_seen()
        yield the_internet_is_behind_a_node()
        yield frames_cross()
        yield simulated_beside(Path(folder) / "both")
        yield from it_is_fast()


def main() -> None:
    """Make all checks; write the page, or print. Fails if a promise does not hold."""
    made = list(checks())
    head = ["promise", "command", "measured", "holds"]
    tables = {
        "emulation: machine": f"Linux {platform.release()}, {os.cpu_count()} processors.\n",
        "emulation: checks": table(head, [it.row for it in made]),
    }
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    else:
        print(*tables.values(), sep="\n")
    sys.exit(not all(it.holds for it in made))


if __name__ == "__main__":
    main()
