"""`emulate --tap`: nodes as bridges, and frames that are not IP."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conftest import Command
from test_emulate import NETWORK, direction, needs_namespaces

RECEIVE = """
import socket
it = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88b5))
it.bind(("world0", 0x88b5))
# What is waited for before the command: a socket that listens.
ready = socket.create_server(("10.0.0.2", 7000))
while True:
    frame = it.recv(2000)
    print("received", frame[12:].hex(), flush=True)
"""
"""A program that receives frames of a type for experiments (RFC 9542)."""

SEND = """
import socket, time
it = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
it.bind(("world0", 0))
own = it.getsockname()[4]
it.send(b"\\xff" * 6 + own + bytes.fromhex("88b5") + b"to all")
it.send(bytes.fromhex("020000000099") + own + bytes.fromhex("88b5") + b"to one" + bytes(994))
time.sleep(0.3)
"""


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """Write a network in which nothing is simulated."""
    file = tmp_path / "network.toml"
    file.write_text(NETWORK, encoding="utf-8")
    return file


@needs_namespaces
def test_frames_that_are_not_ip_cross_as_they_are(
    windtunnel: Command, network: Path, tmp_path: Path
) -> None:
    for name, text in (("receive", RECEIVE), ("send", SEND)):
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    receive = f"{sys.executable} {tmp_path}/receive.py"
    send = [sys.executable, str(tmp_path / "send.py")]
    command = ["emulate", network, "--tap", "--at", f"server={receive}", "--json", "--", *send]
    answered = windtunnel(*command)
    for data in (b"to all", b"to one" + bytes(994)):
        assert f"received 88b5{data.hex()}" in answered.stderr, answered.stderr
    report = json.loads(answered.stdout)
    # As other packets of that size do: 1000 bytes at 100 Mbps behind 5 ms.
    assert direction(report, "client")["delay_s"]["maximum"] >= 0.00508
    assert report["malformed"] == report["refused"] == 0


@needs_namespaces
@pytest.mark.parametrize("version", ["-4", "-6"])
def test_hosts_find_each_other_by_hardware_addresses(
    windtunnel: Command, network: Path, version: str
) -> None:
    script = f"ping {version} -c 3 -i 0.2 server; ip {version} neighbour show dev world0"
    answered = windtunnel("emulate", network, "--tap", "--json", "--", "sh", "-c", script)
    assert answered.stderr.count("time=") == 3, answered.stderr
    assert "lladdr" in answered.stderr
    # Nodes are no routers.
    assert "ttl=64" in answered.stderr


@needs_namespaces
def test_frames_are_captured_as_they_are(
    windtunnel: Command, network: Path, tmp_path: Path
) -> None:
    ping = ["ping", "-4", "-c", "1", "server"]
    out = tmp_path / "out"
    done = windtunnel("emulate", network, "--tap", "--out", out, "--pcap", "client", "--", *ping)
    assert done.returncode == 0, done.stderr
    capture = next((out / "captures").rglob("*.pcapng")).read_bytes()
    # A request of ARP for 10.0.0.2: to all, of Ethernet and IPv4.
    assert bytes.fromhex("ffffffffffff") in capture
    assert bytes.fromhex("0806000108000604") in capture


def test_the_internet_is_behind_no_bridge(windtunnel: Command, network: Path) -> None:
    answered = windtunnel("emulate", network, "--tap", "--internet", "server", "--", "true")
    assert answered.returncode == 2
    assert "--tap and --internet cannot both be set" in answered.stderr
