"""`emulate --internet`: real clients reach what is outside the machine, through a scenario.

The machine and what is outside are network namespaces.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import Command
from test_emulate import in_container, needs_namespaces

ROOT = Path(__file__).parents[1]

NETWORK = """\
duration = "60 s"
nodes = { client = {}, router = {}, gate = {} }
links.access = { nodes = ["client", "router"], rate = "100 Mbps", delay = "20 ms" }
links.line = { nodes = ["router", "gate"], rate = "100 Mbps", delay = "20 ms" }
"""

ROUND_TRIP_S = 0.08

NAME_SERVER = """
import socket, socketserver, struct, threading

def answer(query):
    end = query.index(0, 12) + 5
    kind = struct.unpack("!H", query[end - 4:end - 2])[0]
    name = query[12:end - 4]
    data = {1: socket.inet_aton("203.0.113.1"),
            28: socket.inet_pton(socket.AF_INET6, "2001:db8:1::1")}.get(kind)
    known = name.startswith(b"\\4page\\4test") and data
    head = query[:2] + b"\\x81\\x80" + struct.pack("!HHHH", 1, 1 if known else 0, 0, 0)
    record = b"\\xc0\\x0c" + struct.pack("!HHIH", kind, 1, 1, len(data)) + data if known else b""
    return head + query[12:end] + record

class Datagrams(socketserver.BaseRequestHandler):
    def handle(self):
        query, socket = self.request
        # All answers are too long for UDP: the client asks again over TCP.
        truncated = bytearray(answer(query)[:12] + query[12:])
        truncated[2] |= 2
        truncated[6:12] = bytes(6)
        socket.sendto(bytes(truncated), self.client_address)

class Streams(socketserver.StreamRequestHandler):
    def handle(self):
        while length := self.rfile.read(2):
            reply = answer(self.rfile.read(int.from_bytes(length, "big")))
            self.wfile.write(len(reply).to_bytes(2, "big") + reply)

address = ("203.0.113.1", 53)
threading.Thread(target=socketserver.ThreadingTCPServer(address, Streams).serve_forever).start()
socketserver.ThreadingUDPServer(address, Datagrams).serve_forever()
"""


def do(*command: str) -> str:
    """Run a command that must succeed, and give what it prints."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Machine:
    """A machine behind whose interface a web server and a name server are."""

    name: str
    resolver: Path

    def within(self, *command: str | Path) -> list[str]:
        """Give a command that runs another on it."""
        bind = f'mount --bind {self.resolver} /etc/resolv.conf && exec "$@"'
        inside = ["unshare", "--mount", "sh", "-c", bind, "sh"]
        return ["nsenter", f"--net=/run/netns/{self.name}", *inside, *map(str, command)]

    def state(self) -> tuple[str, str, list[str]]:
        """Give what an emulation may have changed: interfaces, nftables, and what it forwards."""
        files = ["ipv4/conf/uplink/forwarding", "ipv6/conf/all/forwarding"]
        files += ["ipv6/conf/uplink/accept_ra", "ipv4/ip_forward"]
        inside = ["ip", "netns", "exec", self.name]
        values = [do(*inside, "cat", f"/proc/sys/net/{it}") for it in files]
        return (
            do("ip", "-n", self.name, "-br", "link"),
            do(*inside, "nft", "list", "ruleset"),
            values,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Make the machine, and what is outside."""
    if os.geteuid() != 0 or not all(map(shutil.which, ("nft", "curl", "nsenter"))):
        pytest.skip("named namespaces need root, and this test nft, curl and nsenter")
    names = [f"windtunnel-{os.getpid()}-{it}" for it in ("machine", "outside")]
    mine, outside = names
    servers = []
    try:
        for name in names:
            do("ip", "netns", "add", name)
            do("ip", "-n", name, "link", "set", "lo", "up")
        peer = ["type", "veth", "peer", "name", "downlink", "netns", outside]
        do("ip", "-n", mine, "link", "add", "uplink", *peer)
        for name, device, host in ((mine, "uplink", 2), (outside, "downlink", 1)):
            do("ip", "-n", name, "address", "add", f"203.0.113.{host}/24", "dev", device)
            v6 = f"2001:db8:1::{host}/64"
            do("ip", "-n", name, "address", "add", v6, "dev", device, "nodad")
            do("ip", "-n", name, "link", "set", device, "up")
        do("ip", "-n", mine, "route", "add", "default", "via", "203.0.113.1")
        do("ip", "-n", mine, "-6", "route", "add", "default", "via", "2001:db8:1::1")
        (tmp_path / "site").mkdir()
        (tmp_path / "site" / "index.html").write_text("the page\n")
        web = ["-m", "http.server", "80", "--bind", "::", "--directory", str(tmp_path / "site")]
        for arguments in (web, ["-c", NAME_SERVER]):
            command = ["ip", "netns", "exec", outside, sys.executable, *arguments]
            servers.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        resolver = tmp_path / "resolv.conf"
        resolver.write_text("nameserver 203.0.113.1\n")
        wait_until(lambda: do("ip", "netns", "exec", outside, "ss", "-Hltn").count("LISTEN") >= 2)
        yield Machine(mine, resolver)
    finally:
        for server in servers:
            server.kill()
            server.wait()
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=False)


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """Write a scenario with 40 ms between its ends."""
    file = tmp_path / "network.toml"
    file.write_text(NETWORK, encoding="utf-8")
    return file


def emulate(machine: Machine, network: Path, *arguments: str) -> list[str]:
    """Give the command that emulates a network on the machine."""
    command = (sys.executable, "-m", "windtunnel", "emulate", network, "--internet", "gate")
    return machine.within(*command, *arguments)


TIMES = "%{http_code} %{time_namelookup} %{time_connect} %{time_starttransfer}"


@needs_namespaces
@pytest.mark.parametrize("version", ["-4", "-6"])
def test_a_page_outside_is_fetched_by_name_through_the_scenario(
    machine: Machine, network: Path, version: str
) -> None:
    before = machine.state()
    fetch = ["curl", "-s", version, "-w", TIMES, "--max-time", "20", "http://page.test/"]
    answered = subprocess.run(
        emulate(machine, network, "--json", "--", *fetch),
        capture_output=True,
        text=True,
        check=False,
    )
    assert answered.returncode == 0, answered.stderr
    page, times = answered.stderr.splitlines()[:2]
    assert page == "the page"
    code, named, connected, answered_at = (float(it) for it in times.split())
    assert code == 200
    # Over UDP, and over TCP again, whose connection takes a round trip as well.
    assert named >= 3 * ROUND_TRIP_S
    assert connected - named >= ROUND_TRIP_S
    assert answered_at - connected >= ROUND_TRIP_S
    report = json.loads(answered.stdout)
    assert report["unknown_destination"] == 0
    assert machine.state() == before


@needs_namespaces
def test_a_container_has_what_the_door_needs(machine: Machine, network: Path) -> None:
    before = machine.state()
    fetch = ["curl", "-s", "--max-time", "20", "http://page.test/"]
    command = [sys.executable, "-m", "windtunnel", "emulate", str(network), "--internet", "gate"]
    inside = machine.within(*in_container([*command, "--", *fetch]))
    answered = subprocess.run(inside, capture_output=True, text=True, check=False)
    assert answered.stdout.startswith("the page\n"), answered.stderr
    assert machine.state() == before


@needs_namespaces
def test_a_phone_on_the_hotspot_goes_through_the_scenario(machine: Machine, network: Path) -> None:
    phone = f"windtunnel-{os.getpid()}-phone"
    do("ip", "netns", "add", phone)
    try:
        peer = ["type", "veth", "peer", "name", "wlan0", "netns", machine.name]
        do("ip", "-n", phone, "link", "add", "wifi", *peer)
        for name, device, host in ((phone, "wifi", 2), (machine.name, "wlan0", 1)):
            do("ip", "-n", name, "address", "add", f"192.168.49.{host}/24", "dev", device)
            do("ip", "-n", name, "link", "set", device, "up")
        do("ip", "-n", phone, "route", "add", "default", "via", "192.168.49.1")
        # As docs/live/internet.md has it.
        page = (ROOT / "docs/live/internet.md").read_text(encoding="utf-8")
        lines = [
            it[2:] for it in page.split("## From other machines")[1].splitlines() if it[:2] == "$ "
        ]
        for line in lines[:-1]:
            do("ip", "netns", "exec", machine.name, *line.split())
        before = machine.state()[1:]
        command = emulate(machine, network, "--attach", "client=tun0")
        assert lines[-1].split()[-4:] == ["--attach", "client=tun0", "--internet", "gate"]
        emulation = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert emulation.stderr is not None
        assert "client: tun0" in emulation.stderr.readline()
        fetch = ["curl", "-s", "-w", TIMES, "--max-time", "20", "http://203.0.113.1/"]
        page, times = do("ip", "netns", "exec", phone, *fetch).splitlines()
        assert page == "the page"
        assert float(times.split()[2]) >= ROUND_TRIP_S
        emulation.send_signal(signal.SIGINT)
        emulation.communicate(timeout=20)
        assert machine.state()[1:] == before
    finally:
        subprocess.run(["ip", "netns", "delete", phone], check=False)


@needs_namespaces
def test_nothing_of_the_door_is_left_after_a_kill(machine: Machine, network: Path) -> None:
    before = machine.state()
    command = emulate(machine, network, "--", "sh", "-c", "echo ready; exec sleep 1000")
    emulation = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert emulation.stdout is not None
    assert emulation.stdout.readline() == "ready\n"
    links, rules, values = machine.state()
    assert "windtunnel-nat" in links
    assert "masquerade" in rules
    assert [it.strip() for it in values[:2]] == ["1", "1"]
    second = subprocess.run(
        emulate(machine, network, "--", "true"), capture_output=True, text=True, check=False
    )
    assert second.returncode == 2
    assert "another emulation has opened --internet" in second.stderr
    emulation.send_signal(signal.SIGKILL)
    emulation.wait()
    emulation.stdout.close()
    wait_until(lambda: machine.state() == before)


@needs_namespaces
def test_a_machine_without_a_route_is_reported(machine: Machine, network: Path) -> None:
    do("ip", "-n", machine.name, "route", "delete", "default")
    do("ip", "-n", machine.name, "-6", "route", "delete", "default")
    before = machine.state()
    answered = subprocess.run(
        emulate(machine, network, "--", "true"), capture_output=True, text=True, check=False
    )
    assert answered.returncode == 2
    assert "no route to the Internet" in answered.stderr
    assert machine.state() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--internet", "nobody", "--", "true"], ["--internet nobody", "no node `nobody`"]),
        (
            ["--internet", "gate", "--attach", "gate=tun0", "--attach", "client=tun1"],
            ["attached twice"],
        ),
    ],
)
def test_mistakes_are_explained(
    windtunnel: Command, network: Path, arguments: list[str], words: list[str]
) -> None:
    answered = windtunnel("emulate", network, *arguments)
    assert answered.returncode == 2
    assert all(it in answered.stderr for it in words), answered.stderr
