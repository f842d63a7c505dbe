"""Segmentation offload at the interfaces of an emulation: what crosses are packets of a wire."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Command
from test_emulate import direction, needs_namespaces

NETWORK = """\
duration = "60 s"
nodes = { client = {}, near = {}, far = {}, server = {} }
links.access = { nodes = ["client", "near"], rate = "10 Gbps", delay = "0 ms" }
links.home = { nodes = ["far", "server"], rate = "10 Gbps", delay = "0 ms" }

[links.path]
nodes = ["near", "far"]
rate = "400 Mbps"
delay = "2 ms"
loss = "0.2 %"
queue = { kind = "codel", limit = "1000 packets", target = "1 ms", interval = "20 ms" }
"""

SERVER = """
import socket, sys, threading
sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
longest = 0
def sniff():
    global longest
    while True:
        longest = max(longest, len(sniffer.recv(1 << 17)))
threading.Thread(target=sniff, daemon=True).start()
family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
listener = socket.create_server((sys.argv[1], 8000), family=family)
connection, _ = listener.accept()
received = b"".join(iter(lambda: connection.recv(1 << 20), b""))
open(sys.argv[2], "wb").write(received)
open(sys.argv[2] + ".longest", "w").write(str(longest))
connection.sendall(b"done")
connection.close()
"""

CLIENT = """
import socket, sys
it = socket.create_connection((sys.argv[1], 8000))
it.sendall(open(sys.argv[2], "rb").read())
it.shutdown(socket.SHUT_WR)
assert it.recv(10) == b"done"
"""


def wrong(capture: Path) -> list[str]:
    """Give the frames in which tshark finds a wrong checksum, or more than a wire carries."""
    checks = [f"-o{it}.check_checksum:TRUE" for it in ("tcp", "ip")]
    faults = "tcp.checksum.status == Bad or ip.checksum.status == Bad or frame.len > 1514"
    line = ["tshark", "-r", str(capture), *checks, "-Y", faults, "-T", "fields", "-e", "frame.len"]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout.split()


@needs_namespaces
@pytest.mark.parametrize("address", ["10.0.0.4", "fd00::4"])
def test_a_connection_crosses_in_packets_of_a_wire(
    windtunnel: Command, tmp_path: Path, address: str
) -> None:
    data = os.urandom(20_000_000)
    (tmp_path / "data").write_bytes(data)
    for name, text in (("network.toml", NETWORK), ("server.py", SERVER), ("client.py", CLIENT)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    server = f"{sys.executable} {tmp_path}/server.py {address} {tmp_path}/copy"
    marks = "sysctl -q -w net.ipv4.tcp_ecn=1 || true; "
    client = f"{marks}exec {sys.executable} {tmp_path}/client.py {address} {tmp_path}/data"
    out = tmp_path / "out"
    command = ["emulate", tmp_path / "network.toml", "--at", f"server=sh -c '{marks}exec {server}'"]
    command += ["--json", "--out", out, "--pcap", "far", "--", "sh", "-c", client]
    answered = windtunnel(*command)
    assert answered.returncode == 0, answered.stderr
    digests = [hashlib.sha256(it).digest() for it in (data, (tmp_path / "copy").read_bytes())]
    assert digests[0] == digests[1]
    report = json.loads(answered.stdout)
    forth = direction(report, "client")
    # What a wire carries: no packet has more than 1500 bytes, and there are as many as that needs.
    assert forth["entered_bytes"] <= 1500 * forth["entered_packets"]
    assert forth["entered_packets"] > len(data) / 1448
    assert forth["dropped_packets"] > 0
    assert report["malformed"] == report["refused"] == 0
    # What the kernel of the server took were several packets at once.
    assert int((tmp_path / "copy.longest").read_text()) > 1500
    if shutil.which("tshark"):
        [capture] = (out / "captures").rglob("*.pcapng")
        assert wrong(capture) == []
