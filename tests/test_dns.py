"""The roots of regions, asked by dig and by a recursive resolver: unbound."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Command
from windtunnel._core import DnsServer
from windtunnel.package_data import SCENARIOS

EXAMPLE = SCENARIOS / "dns" / "four-countries.toml"
needs_dig = pytest.mark.skipif(shutil.which("dig") is None, reason="needs dig")
needs_unbound = pytest.mark.skipif(shutil.which("unbound") is None, reason="needs unbound")

UNBOUND = """\
server:
    interface: 127.0.0.1@{port}
    port: {port}
    do-not-query-localhost: no
    module-config: "iterator"
    use-syslog: no
    logfile: "{folder}/unbound.log"
    chroot: ""
    username: ""
    directory: "{folder}"
    pidfile: "{folder}/unbound.pid"
    do-daemonize: no
    do-ip6: no
    root-hints: ""
    qname-minimisation: yes
remote-control:
    control-enable: no
stub-zone:
    name: "."
    stub-addr: {root}
"""


@pytest.fixture
def roots() -> Iterator[dict[str, str]]:
    """Start the example's roots on ports that are free; give where they answer."""
    text = EXAMPLE.read_text(encoding="utf-8")
    for port in range(5301, 5305):
        text = text.replace(f":{port}", ":0")
    server = DnsServer(str(EXAMPLE), text)
    yield dict(server.addresses)
    server.stop()


def dig(address: str, *question: str) -> dict[str, str]:
    """Ask; give the status, the flags, and the answer's data."""
    host, port = address.rsplit(":", 1)
    command = ["dig", f"@{host}", "-p", port, "+tries=2", "+time=3", *question]
    asked = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    header = next(line for line in asked.splitlines() if "status:" in line)
    flags = next(line for line in asked.splitlines() if line.startswith(";; flags:"))
    short = subprocess.run([*command, "+short"], capture_output=True, encoding="utf-8", check=True)
    return {
        "status": header.split("status: ")[1].split(",")[0],
        "flags": flags.split("flags: ")[1].split(";")[0],
        "answer": " ".join(short.stdout.split()),
        "all": asked,
    }


@needs_dig
def test_dig_gets_the_address_from_any_root_that_agrees(roots: dict[str, str]) -> None:
    for region in ("ct1", "ct2", "ct3"):
        answer = dig(roots[region], "www.xyz.com.ct1", "A")
        assert (answer["status"], answer["answer"]) == ("NOERROR", "192.0.2.10")
        assert "aa" in answer["flags"].split()
        # The region's code beside it: 1.0.0.0.
        assert "TYPE65280" in answer["all"]
        assert "01000000" in answer["all"]
    assert dig(roots["ct2"], "www.xyz.com.ct1", "AAAA")["answer"] == "2001:db8::10"


@needs_dig
def test_dig_gets_the_own_region_without_a_suffix_and_null_elsewhere(
    roots: dict[str, str],
) -> None:
    assert dig(roots["ct1"], "www.xyz.com")["answer"] == "192.0.2.10"
    assert dig(roots["ct3"], "www.xyz.com")["answer"] == "203.0.113.5"
    absent = dig(roots["ct2"], "www.xyz.com")
    assert (absent["status"], absent["answer"]) == ("NXDOMAIN", "")
    assert "SOA" in absent["all"]


@needs_dig
def test_dig_is_told_that_there_is_no_agreement(roots: dict[str, str]) -> None:
    answer = dig(roots["ct4"], "www.xyz.com.ct1")
    assert (answer["status"], answer["answer"]) == ("REFUSED", "")
    assert "EDE: 18" in answer["all"]


@needs_dig
@needs_unbound
def test_a_recursive_resolver_works_on_a_root(roots: dict[str, str], tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    root = roots["ct2"].replace(":", "@")
    file = tmp_path / "unbound.conf"
    file.write_text(UNBOUND.format(port=port, folder=tmp_path, root=root), encoding="utf-8")
    command = ["unbound", "-d", "-c", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as resolver:
        try:
            wait_for(port)
            resolved = f"127.0.0.1:{port}"
            foreign = dig(resolved, "www.xyz.com.ct1")
            assert (foreign["status"], foreign["answer"]) == ("NOERROR", "192.0.2.10")
            assert "ra" in foreign["flags"].split()
            assert dig(resolved, "www.abc.com")["answer"] == "198.51.100.7"
            absent = dig(resolved, "www.xyz.com")
            assert (absent["status"], absent["answer"]) == ("NXDOMAIN", "")
            # What is above a name is there, and has nothing.
            above = dig(resolved, "com.ct1")
            assert (above["status"], above["answer"]) == ("NOERROR", "")
        finally:
            resolver.send_signal(signal.SIGINT)


def wait_for(port: int) -> None:
    """Wait until a resolver answers."""
    for _ in range(100):
        command = ["dig", "@127.0.0.1", "-p", str(port), "+tries=1", "+time=1", "ct2"]
        asked = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        if "status: NOERROR" in asked.stdout:
            return
        time.sleep(0.1)
    raise AssertionError(f"no answer: {asked.stdout}")


def test_the_command_says_who_answers_where_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    text = EXAMPLE.read_text(encoding="utf-8").replace(":5301", ":0")
    for port in (5302, 5303, 5304):
        text = text.replace(f'listen = "127.0.0.1:{port}"\n', "")
    file = tmp_path / "names.toml"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "windtunnel", "dns", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("ct1: 127.0.0.1:")
        server.send_signal(signal.SIGINT)
        assert server.wait(10) == 0


def test_a_file_that_is_wrong_is_told_so(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(
        '[regions.ct1]\ncode = 1\nnames = { "a.ct1" = ["192.0.2.1"] }\n', encoding="utf-8"
    )
    told = windtunnel("dns", "wrong.toml")
    assert told.returncode == 2
    assert "wrong.toml:3:" in told.stderr
    assert "`ct1`, which is the name of a region" in told.stderr
    assert windtunnel("dns", "missing.toml").returncode == 2
    (tmp_path / "silent.toml").write_text("[regions.ct1]\ncode = 1\n", encoding="utf-8")
    silent = windtunnel("dns", "silent.toml")
    assert (silent.returncode, "no region has `listen`" in silent.stderr) == (2, True)
