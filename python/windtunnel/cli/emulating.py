"""The command `emulate`: a scenario in real time, with real hosts behind its nodes."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel import progress
from windtunnel.cli import in_place
from windtunnel.cli.linux_only import of_linux
from windtunnel.cli.output import INTERRUPTED, INVALID_INPUT, answer, count, fail, output, say
from windtunnel.cli.run import check_folder
from windtunnel.folders import beside
from windtunnel.running import (
    Captures,
    Details,
    check_details,
    read,
    results_of,
    run_scenario,
)
from windtunnel.scenario.scenario import Scenario
from windtunnel.terminal_tables import FittingTable

if TYPE_CHECKING:
    from windtunnel._core import Emulation, Outcome

HEAD_START_S = 5.0
"""How long the command waits at the most until the programs behind other nodes listen."""

MACHINE_ERROR = 1
"""The exit code where the machine did not let the emulation go on."""

LOOK_S = 0.02
"""How often it is looked whether the command has ended."""


CAUSES = {
    "overlimit_drops": "dropped:\nqueue full",
    "discipline_drops": "dropped by\ndiscipline",
    "losses": "lost on\nthe link",
    "corrupted": "changed on\nthe link",
    "marks": "marked",
    "some_congestion_marks": "marked\n(SCE)",
}
"""What a queue and its link count apart, and the titles of the columns."""


WITHOUT_ROOT = (
    "help: an emulation needs root, or user namespaces, which this system does not let you have; "
    "run it as root, or allow them: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` "
    "(Ubuntu), `sysctl -w kernel.unprivileged_userns_clone=1` (Debian)"
)


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    settings: dict[str, str]
    seed: int | None
    attach: list[str]
    """Nodes and their interfaces, such as `client=tun0` or `client=namespace/tun0`."""
    at: list[str]
    """Nodes and the programs behind them, such as `server=iperf3 -s`."""
    command: list[str]
    shell: str | None
    """The node with a shell in place of a command."""
    ethernet: bool
    """Whether nodes are bridges, and interfaces carry Ethernet frames."""
    internet: str | None
    """The node that the Internet is behind."""
    in_place_of: str | None
    """The flow that is simulated afterwards, and in whose place the real programs are."""
    out: Path | None
    """The folder of the results, if they are saved."""
    captures: Captures
    as_json: bool


def emulate_file(file: Path, options: Options) -> None:
    """Emulate a scenario until its end, or that of the command, and say what was counted."""
    of_linux("Emulation", "an emulation")
    scenario = read(file, options.settings, options.seed, may_be_idle=True)
    if options.in_place_of is not None and options.out is None:
        fail("--in-place-of needs --out DIR, the folder of both results", INVALID_INPUT)
    if len(scenario.cases) != 1:
        fail(
            f"{file}: an emulation has one case, and this scenario compares {len(scenario.cases)}"
            "\nhelp: leave `compare` out, and choose with --set",
            INVALID_INPUT,
        )
    doors, programs = behind(file, scenario, options)
    check_details(scenario, Details(options.captures))
    if options.internet:
        check_internet(options)
    become_root(doors)
    report, saved = recorded(file, scenario, doors, programs, options)
    if options.as_json:
        answer({"scenario": str(file), "results": saved and str(saved)} | report)
    else:
        tell(report)
        if saved:
            say(f"Results: {saved}")
    if report["failure"]:
        fail(report["failure"], MACHINE_ERROR)
    if report["interrupted"]:
        fail("interrupted", INTERRUPTED)
    if report["exit_code"]:
        sys.exit(report["exit_code"])


def recorded(
    file: Path, scenario: Scenario, doors: list[Door], programs: list[Program], options: Options
) -> tuple[dict[str, Any], Path | None]:
    """Emulate, and save what was recorded if that is asked for; give the report and where."""
    if options.out is None:
        if options.captures.nodes:
            fail("--pcap needs --out DIR, the folder of the captures", INVALID_INPUT)
        return emulate(scenario, doors, programs, options)[0], None
    progress.tell(check_folder(file, options.out, scenario, is_default=False))
    flow = options.in_place_of
    real = without(file, scenario, flow, options) if flow else scenario
    with beside(options.out) as folder:
        started = time.monotonic()
        report, outcome = emulate(real, doors, programs, options, folder)
        assert outcome is not None
        real_s = time.monotonic() - started
        results = results_of(real, outcome, report["interrupted"], real_s)
        results.manifest["emulation"] = report
        if flow:
            simulated = run_scenario(as_long_as(file, report["duration_s"], options))
            results = in_place.joined(results, folder, simulated, flow)
        return report, results.save(options.out, folder)


def without(file: Path, scenario: Scenario, flow: str, options: Options) -> Scenario:
    """Read the scenario as one in which that flow never begins."""
    never = in_place.without(flow, scenario.total_simulated_s)
    return read(file, options.settings | never, options.seed)


def as_long_as(file: Path, duration_s: float, options: Options) -> Scenario:
    """Read the scenario for a simulation that lasts as long as the emulation did."""
    return read(file, options.settings | {"duration": f"{duration_s} s"}, options.seed)


Door = tuple[str, str | None, str | None]
"""A node, its interface, and the namespace of that; none: one that is made."""

Program = tuple[int, list[str]]
"""A node by its place in the scenario, and what runs behind it."""


def behind(file: Path, scenario: Scenario, options: Options) -> tuple[list[Door], list[Program]]:
    """Give the nodes with real hosts behind them, and what runs there; the command last."""
    nodes = scenario.nodes(0)
    places = {name: place for place, (name, _) in enumerate(nodes)}

    def split(option: str, text: str, wanted: str) -> tuple[str, str]:
        node, separator, rest = text.partition("=")
        if not separator or not rest.strip():
            fail(f"{option} {text}: write a node, = and {wanted}", INVALID_INPUT)
        if node not in places:
            fail(
                f"{option} {text}: {file} has no node `{node}`; its nodes are " + ", ".join(places),
                INVALID_INPUT,
            )
        return node, rest.strip()

    attached = [split("--attach", it, "an interface, such as client=tun0") for it in options.attach]
    programs = [split("--at", it, 'a program, such as server="iperf3 -s"') for it in options.at]
    if options.shell and options.command:
        fail("--shell is in place of a command: leave one of them out", INVALID_INPUT)
    shells = [split("--shell", f"{options.shell}=sh", "")] if options.shell else []
    internet = [split("--internet", f"{options.internet}=x", "")] if options.internet else []
    ends = [] if attached else [name for name, links in nodes if links == 1]
    own = list(dict.fromkeys(ends + [node for node, _ in programs + shells + internet]))
    doors: list[Door] = []
    for node, interface in attached:
        namespace, _, name = interface.rpartition("/")
        doors.append((node, name, namespace or None))
    doors += [(node, None, None) for node in own]
    names = [node for node, *_ in doors]
    for node in names:
        if names.count(node) > 1:
            fail(f"the node {node} is attached twice", INVALID_INPUT)
    if len(names) < 2:
        fail(
            f"{file}: real packets go from one node to another, and there are not two to attach\n"
            "help: nodes with one link are attached by themselves; name others with "
            "--attach NODE=INTERFACE or --at NODE=PROGRAM",
            INVALID_INPUT,
        )
    # A command is on the near side of the Internet.
    near = [node for node in own if node != options.internet]
    run = [(places[node], shlex.split(program)) for node, program in programs]
    if options.shell:
        run.append((places[options.shell], [os.environ.get("SHELL", "sh")]))
    elif options.command:
        if not near:
            fail("with --attach alone there is no namespace to run a command in", INVALID_INPUT)
        run.append((places[near[0]], options.command))
    elif not attached and not run:
        fail(
            "name what runs behind the nodes: `-- COMMAND` behind the first, and "
            "--at NODE=PROGRAM behind others; or --attach NODE=INTERFACE",
            INVALID_INPUT,
        )
    return doors, run


def check_internet(options: Options) -> None:
    """Check that this user may have the machine forward packets, and that it can."""
    if options.ethernet:
        fail(
            "--tap and --internet cannot both be set: the Internet is behind routers, not bridges",
            INVALID_INPUT,
        )
    if os.geteuid() != 0:
        fail(
            "--internet needs root: the machine forwards the packets of the emulation\n"
            "help: run it with sudo, or leave --internet out",
            INVALID_INPUT,
        )
    if shutil.which("nft") is None:
        fail(
            "--internet needs `nft`, which is not installed\n"
            "help: install nftables (`apt install nftables`, `dnf install nftables`)",
            INVALID_INPUT,
        )


def become_root(doors: list[Door]) -> None:
    """Go on as the root of a user namespace, if that is needed and the user is not root."""
    if os.geteuid() == 0 or any(interface is not None for _, interface, _ in doors):
        return
    root = ["unshare", "--user", "--map-root-user", "--"]
    try:
        tried = subprocess.run([*root, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        fail("without root, an emulation needs `unshare` of util-linux", INVALID_INPUT)
    if tried.returncode:
        fail(f"{tried.stderr.strip()}\n{WITHOUT_ROOT}", INVALID_INPUT)
    os.execvp(root[0], [*root, sys.executable, "-m", "windtunnel", *sys.argv[1:]])


def emulate(
    scenario: Scenario,
    doors: list[Door],
    programs: list[Program],
    options: Options,
    folder: Path | None = None,
) -> tuple[dict[str, Any], Outcome | None]:
    """Run the emulation, and what is behind its nodes, to the end of the last program.

    Gives what it counted and, with a folder, what it recorded.
    """
    if options.as_json:
        # What programs print does not belong into the document.
        kept = os.dup(1)
        os.dup2(2, 1)
    captures = options.captures
    emulation: Emulation = of_linux("Emulation", "an emulation")(
        scenario,
        doors,
        folder,
        list(captures.nodes),
        ethernet=options.ethernet,
        internet=options.internet,
        directions=captures.directions,
        snap_length=captures.snap_length,
        window=captures.window,
    )
    interrupted, exit_code = False, None
    try:
        if not programs:
            progress.tell([f"{node}: {interface}" for node, interface, _ in doors])
        for place, (node, program) in enumerate(programs):
            if place + 1 == len(programs):
                wait_for_listeners(emulation, programs[:-1])
            last = emulation.spawn(node, program)
        emulation.begin()
        while not emulation.is_done():
            exit_code = emulation.poll(last) if programs else None
            if exit_code is not None:
                break
            time.sleep(LOOK_S)
    except KeyboardInterrupt:
        interrupted = True
    text, outcome = emulation.finish()
    report: dict[str, Any] = json.loads(text)
    report["attachments"] = [node for node, *_ in doors]
    if options.as_json:
        os.dup2(kept, 1)
        os.close(kept)
    if programs and exit_code is None and not interrupted and not report["failure"]:
        progress.tell(
            [
                "the scenario's `duration` ended before the command, which was killed; "
                "--set duration=… gives it longer"
            ]
        )
    return report | {"interrupted": interrupted, "exit_code": exit_code}, outcome


def wait_for_listeners(emulation: Emulation, programs: list[Program]) -> None:
    """Wait until a socket listens behind each node with a program, but not for long."""
    deadline = time.monotonic() + HEAD_START_S
    while not all(emulation.listens(node) for node, _ in programs):
        if time.monotonic() > deadline:
            return
        time.sleep(LOOK_S)


def tell(report: dict[str, Any]) -> None:
    """Print what went from node to node, and how exact the emulation was."""
    names, duration = report["attachments"], report["duration_s"]
    table = FittingTable()
    for title in ("from", "to"):
        table.add_column(title)
    for title in (
        "packets",
        "Mbps\nin",
        "Mbps\nout",
        "dropped\n%",
        "marked\n%",
        "in\nflight",
        "delay\nms",
        "delay\n99 %, ms",
    ):
        table.add_column(title, justify="right")
    for it in report["directions"]:
        if it["entered_packets"]:
            entered, left = it["entered_packets"], it["left_packets"]
            offered = entered + it["copied_packets"]
            table.add_row(
                names[it["from"]],
                names[it["to"]],
                f"{entered:,}",
                f"{it['entered_bytes'] * 8e-6 / duration:.2f}",
                f"{it['left_bytes'] * 8e-6 / duration:.2f}",
                f"{100 * it['dropped_packets'] / offered:.2f}",
                f"{100 * it['marked_packets'] / max(left, 1):.2f}",
                f"{it['in_flight_packets']:,}",
                f"{it['delay_s']['median'] * 1e3:.2f}",
                f"{it['delay_s']['p99'] * 1e3:.2f}",
            )
    output().print(table)
    if queues := [it for it in report["queues"] if any(it[key] for key in CAUSES)]:
        output().print(causes(queues))
    late, wait = report["lateness"]["percentiles"], report["wait"]["percentiles"]
    say(
        f"{duration:.2f} s; packets left {late['p99'] * 1e6:.0f} µs late at the 99th percentile "
        f"(median {late['median'] * 1e6:.0f}, maximum {late['maximum'] * 1e6:.0f}), and waited "
        f"{wait['p99'] * 1e6:.0f} µs at most to enter; it took "
        f"{report['processor_s'] / max(duration, 1e-9):.0%} of a processor"
    )
    if not report["kept_up"]:
        say(
            "The emulation did not keep up: what was measured is not exact. "
            "Packets by how late they left:"
        )
        output().print(histogram(report["lateness"]))
    for problem in problems(report):
        say(problem)


def causes(queues: list[dict[str, Any]]) -> Table:
    """Show what was dropped and marked where and why, with packets of simulated flows."""
    shown = {key: title for key, title in CAUSES.items() if any(it[key] for it in queues)}
    table = FittingTable()
    for title in ("link", "from", "to"):
        table.add_column(title)
    for title in ("packets", *shown.values(), "in\ntransit"):
        table.add_column(title, justify="right")
    for it in queues:
        counted = (it[key] for key in ("offered", *shown, "in_transit"))
        table.add_row(it["link"], it["from"], it["to"], *(f"{count:,}" for count in counted))
    return table


def histogram(lateness: dict[str, Any]) -> Table:
    """Show how many packets were how late."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("late by", justify="right")
    table.add_column("packets", justify="right")
    bounds = [f"up to {bound * 1e6:,.0f} µs" for bound in lateness["bounds_s"]] + ["more"]
    for bound, packets in zip(bounds, lateness["packets"], strict=True):
        table.add_row(bound, f"{packets:,}")
    return table


def problems(report: dict[str, Any]) -> Iterator[str]:
    """Say what did not enter or leave as it should have."""
    if not report["is_real_time"]:
        yield "The system did not allow real-time priority: packets are late when it is busy."
    counted = {
        "malformed": "were not whole IP packets",
        "unknown_destination": "had an address of no node",
        "unreachable": "had no path to their node",
        "unroutable": "were dropped on the way, where no path led on",
        "hop_limit_drops": "were dropped because their hop limit was used up",
        "too_big": "were larger than the MTU of a link and must not be fragmented",
        "refused": "were rejected by the kernel",
    }
    for key, what in counted.items():
        if report[key]:
            yield f"{count(report[key], 'packet')} {what}."
    for name, drops in zip(report["attachments"], report["interface_drops"], strict=True):
        if drops:
            what = f"were dropped at the full queue of the interface of {name}"
            yield f"{count(drops, 'packet')} {what}."
