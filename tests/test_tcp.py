"""The commands `tcp connect` and `tcp listen`: files between our TCP and the kernel's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
        (["listen", "7", "--clients", "0"], "greater than or equal to 1"),
        (["listen", "7", "--receive", "missing/got"], "missing/got: No such file"),
    ],
)
def test_mistakes_are_answered(windtunnel: Command, arguments: list[str], message: str) -> None:
    done = windtunnel("tcp", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


CLIENTS = """\
import socket, sys, time
from concurrent.futures import ThreadPoolExecutor

def connect():
    for _ in range(200):
        try:
            return socket.create_connection(("10.9.0.2", 7007))
        except OSError:
            time.sleep(0.05)

idle = [connect() for _ in range(int(sys.argv[1]))]

def client(number):
    with connect() as connection:
        connection.sendall(bytes([number]) * 100_000)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))

began = time.monotonic()
with ThreadPoolExecutor(20) as pool:
    answers = set(pool.map(client, range(20)))
print(len(answers), len(answers.pop()), time.monotonic() - began, flush=True)
[it.close() for it in idle]
"""
"""Clients that say nothing, and then twenty at once that do."""


@pytest.fixture
def clients(tmp_path: Path) -> Callable[[int, int], tuple[list[str], dict[str, Any]]]:
    (tmp_path / "clients.py").write_text(CLIENTS, encoding="utf-8")
    (tmp_path / "sent").write_bytes(b"x" * 300_000)

    def run(count: int, idle: int) -> tuple[list[str], dict[str, Any]]:
        """Have `tcp listen` serve that many; give what the clients say, and the command."""
        script = f'"$0" clients.py {idle} > said & "$0" -m windtunnel tcp listen "$@"; wait'
        arguments = ["7007", "--clients", str(count), "--send", "sent", "--receive", "got"]
        done = subprocess.run(
            ["unshare", "--net", "sh", "-c", script, sys.executable, *arguments, "--json"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return (tmp_path / "said").read_text().split(), json.loads(done.stdout)

    return run


@needs_interfaces
def test_several_clients_are_served_at_once(clients: Any, tmp_path: Path) -> None:
    (answers, length, _), document = clients(20, 0)
    assert (answers, length) == ("1", "300000")
    assert (document["sent_bytes"], document["received_bytes"]) == (6_000_000, 2_000_000)
    assert (len(document["connections"]), document["failed"]) == (20, [])
    received = {(tmp_path / f"got.{number}").read_bytes() for number in range(1, 21)}
    assert received == {bytes([number]) * 100_000 for number in range(20)}


@needs_interfaces
def test_idle_clients_do_not_keep_others_out(clients: Any) -> None:
    # 128 are served at once. After a second idle ones give their places away, to those who do not
    # find one that another has left.
    (answers, length, seconds), document = clients(148, 128)
    assert (answers, length) == ("1", "300000")
    assert float(seconds) < 5
    assert any("was idle while others waited" in it["error"] for it in document["failed"])


HALF = """\
import select, socket, sys, time
from pathlib import Path

def connect():
    for _ in range(200):
        try:
            return socket.create_connection(("10.9.0.2", 7007))
        except OSError:
            time.sleep(0.05)

with connect() as whole:
    whole.sendall(bytes(100_000))
    whole.shutdown(socket.SHUT_WR)
    while whole.recv(65536):
        pass
half = connect()
half.sendall(bytes(50_000))
time.sleep(1)
Path("halfway").touch()
poll = select.poll()
poll.register(half, 0)
if poll.poll(20_000)[0][1] & select.POLLERR:
    Path("was-reset").touch()
"""
"""A client that is served, and one that says nothing more before its end."""


@needs_interfaces
def test_an_interruption_is_reported_with_what_was_counted(tmp_path: Path) -> None:
    (tmp_path / "half.py").write_text(HALF, encoding="utf-8")
    (tmp_path / "sent").write_bytes(b"x" * 300_000)
    script = (
        '"$0" half.py & trap "" INT; "$0" -c '
        '"import signal, subprocess, sys, time; from pathlib import Path; '
        "signal.signal(signal.SIGINT, signal.default_int_handler); "
        "command = [sys.executable, '-m', 'windtunnel', 'tcp', 'listen', *sys.argv[1:]]; "
        "it = subprocess.Popen(command)\n"
        "while not Path('halfway').exists(): time.sleep(0.05)\n"
        'it.send_signal(signal.SIGINT); sys.exit(it.wait())" "$@"; code=$?; wait; exit $code'
    )
    arguments = ["7007", "--clients", "3", "--send", "sent", "--receive", "got", "--json"]
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", script, sys.executable, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 130, done.stderr
    document = json.loads(done.stdout)
    assert document["interrupted"]
    [served], [failed] = document["connections"], document["failed"]
    assert (served["sent_bytes"], served["received_bytes"]) == (300_000, 100_000)
    assert (failed["error"], failed["received_bytes"]) == ("interrupted", 50_000)
    assert document["received_bytes"] == 150_000
    assert "interrupted; all connections were reset" in done.stderr
    assert (tmp_path / "was-reset").exists()
