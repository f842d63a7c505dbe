"""The commands `tcp connect` and `tcp listen`: files between our TCP and the kernel's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Command

PEER = """\
import socket, sys
listener = socket.create_server(("10.9.0.1", 7007))
print("ready", flush=True)
connection, _ = listener.accept()
received = b"".join(iter(lambda: connection.recv(65536), b""))
connection.sendall(received[::-1])
connection.close()
"""


def reason() -> str | None:
    """Say why this machine has no interface for us; None if it has."""
    for program in ("ip", "unshare"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    make = ["unshare", "--net", "ip", "tuntap", "add", "dev", "windtunnel0", "mode", "tun"]
    tried = subprocess.run(make, capture_output=True, text=True)
    return None if tried.returncode == 0 else f"no TUN interface: {tried.stderr.strip()}"


needs_interfaces = pytest.mark.skipif(reason() is not None, reason=str(reason()))


@needs_interfaces
def test_a_file_goes_to_a_real_host_and_its_answer_comes_back(tmp_path: Path) -> None:
    sent, back = tmp_path / "sent", tmp_path / "back"
    sent.write_bytes(os.urandom(300_000))
    command = [sys.executable, "-m", "windtunnel", "tcp", "connect", "10.9.0.1:7007"]
    command += ["--send", str(sent), "--receive", str(back), "--controller", "copa", "--json"]
    (tmp_path / "peer.py").write_text(PEER, encoding="utf-8")
    script = (
        "ip tuntap add dev windtunnel0 mode tun && ip addr add 10.9.0.1/24 dev windtunnel0 && "
        'ip link set windtunnel0 up && { "$0" peer.py | { read ready; "$@"; }; }'
    )
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", script, sys.executable, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    assert back.read_bytes() == sent.read_bytes()[::-1]
    document = json.loads(done.stdout)
    assert (document["sent_bytes"], document["received_bytes"]) == (300_000, 300_000)
    assert document["controller"] == "copa"
    assert not (tmp_path / "back.unfinished").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["connect", "10.9.0.1:80", "--controller", "nope"], "there is no controller `nope`"),
        (["connect", "10.9.0.1:80", "--controller", "reno-sce"], "needs the milder mark"),
        (["connect", "10.9.0.1:80", "--address", "10.9.0.2"], "write one such as 10.9.0.2/24"),
        (["connect", "10.9.0.1"], "has no port"),
        (["connect", "[fd00::1]:80"], "has no address of IPv4"),
        (["connect", "10.9.0.1:80", "--send", "missing"], "missing: No such file"),
        (["listen", "0"], "greater than or equal to 1"),
    ],
)
def test_mistakes_are_answered(windtunnel: Command, arguments: list[str], message: str) -> None:
    done = windtunnel("tcp", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
