"""Our TCP behind a link that carries smaller packets than both ends take: with ICMP and without."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from test_tcp import needs_interfaces

NETWORK = """\
set -e
unshare --net sleep 60 &
far=$!
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done
ip link add near address 02:00:00:00:00:01 mtu 1400 type veth \\
    peer name far address 02:00:00:00:00:02 mtu 1500 netns $far
ip addr add 10.8.0.1/24 dev near
ip addr add fd00:8::1/64 dev near nodad
ip link set near up
inside="nsenter --target $far --net"
$inside ip addr add 10.8.0.2/24 dev far
$inside ip addr add fd00:8::2/64 dev far nodad
$inside ip link set far up
$inside ip route add 10.9.0.0/24 via 10.8.0.1
$inside ip route add fd00:9::/64 via fd00:8::1
for subnet in 10.8.0. fd00:8::; do
    ip neigh add ${subnet}2 lladdr 02:00:00:00:00:02 dev near
    $inside ip neigh add ${subnet}1 lladdr 02:00:00:00:00:01 dev far
done
echo 1 > /proc/sys/net/ipv4/ip_forward
echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
"""
"""A router, which is the kernel: 1400 bytes leave it at most, and up to 1500 reach it. Neighbours
know each other: to find out takes a second, which would be the first round trip."""

WITHOUT_REPORTS = """\
nft add table inet filter
nft 'add chain inet filter output { type filter hook output priority 0; }'
nft add rule inet filter output icmp type destination-unreachable drop
nft add rule inet filter output icmpv6 type packet-too-big drop
"""

PEER = """\
import hashlib, socket, sys
address = sys.argv[1]
family = socket.AF_INET6 if ":" in address else socket.AF_INET
listener = socket.create_server((address, 7007), family=family)
print("ready", flush=True)
connection, _ = listener.accept()
received = b"".join(iter(lambda: connection.recv(65536), b""))
connection.sendall(hashlib.sha256(received).hexdigest().encode())
connection.close()
"""


def send(folder: Path, size: int, *, over_ipv6: bool, filtered: bool) -> dict[str, object]:
    """Send a file through the router; give what the command says of it."""
    sent = os.urandom(size)
    (folder / "sent").write_bytes(sent)
    (folder / "peer.py").write_text(PEER, encoding="utf-8")
    ours, peer = ("fd00:9::2/64", "fd00:8::2") if over_ipv6 else ("10.9.0.2/24", "10.8.0.2")
    port = f"[{peer}]:7007" if over_ipv6 else f"{peer}:7007"
    script = NETWORK + (WITHOUT_REPORTS if filtered else "")
    script += (
        f'$inside "$0" peer.py {peer} | {{ read ready; "$0" -m windtunnel tcp connect "$@"; }}'
    )
    arguments = [port, "--address", ours, "--send", "sent", "--receive", "answer", "--json"]
    apart = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    done = subprocess.run(
        [*apart, "sh", "-c", script, sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=40,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "answer").read_text() == hashlib.sha256(sent).hexdigest()
    document: dict[str, object] = json.loads(done.stdout)
    return document


@needs_interfaces
@pytest.mark.parametrize("over_ipv6", [False, True])
def test_segments_are_as_large_as_a_router_says(tmp_path: Path, over_ipv6: bool) -> None:
    document = send(tmp_path, 3_000_000, over_ipv6=over_ipv6, filtered=False)
    assert document["maximum_segment"] == 1400 - (72 if over_ipv6 else 52)
    assert document["timeouts"] == 0


@needs_interfaces
@pytest.mark.skipif(shutil.which("nft") is None, reason="there is no nft")
@pytest.mark.parametrize("over_ipv6", [False, True])
def test_without_icmp_segments_become_as_large_as_they_may(tmp_path: Path, over_ipv6: bool) -> None:
    document = send(tmp_path, 3_000_000, over_ipv6=over_ipv6, filtered=True)
    largest = 1400 - (72 if over_ipv6 else 52)
    assert isinstance(document["maximum_segment"], int)
    assert largest - 8 <= document["maximum_segment"] <= largest
    assert document["timeouts"] == 4
