"""The command `emulate`: real packets through a scenario's network."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from browser import CHROMIUM, needs_chromium
from conftest import Command

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios/live/emulate.toml"

NETWORK = """\
duration = "60 s"
nodes = { client = {}, server = {} }
links.line = { nodes = ["client", "server"], rate = "100 Mbps", delay = "5 ms" }
"""


def reason() -> str | None:
    """Say why this machine cannot emulate; None if it can."""
    for program in ("ip", "unshare", "setpriv"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    tried = subprocess.run(["unshare", "--net", "true"], capture_output=True, text=True)
    return None if tried.returncode == 0 else f"no namespaces: {tried.stderr.strip()}"


needs_namespaces = pytest.mark.skipif(reason() is not None, reason=str(reason()))


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """Write a network in which nothing is simulated."""
    file = tmp_path / "network.toml"
    file.write_text(NETWORK, encoding="utf-8")
    return file


def direction(report: dict[str, Any], from_node: str) -> dict[str, Any]:
    """Give what was counted from a node on."""
    place = report["attachments"].index(from_node)
    return next(it for it in report["directions"] if it["from"] == place)


@needs_namespaces
def test_a_command_knows_the_nodes_as_hosts_and_ends_the_emulation(
    windtunnel: Command, network: Path
) -> None:
    answered = windtunnel("emulate", network, "--", "getent", "hosts", "server")
    assert answered.returncode == 0
    assert answered.stdout.split()[1:2] == ["server"]
    assert windtunnel("emulate", network, "--", "sh", "-c", "exit 7").returncode == 7


@needs_namespaces
def test_a_file_crosses_unchanged(windtunnel: Command, network: Path, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    (tmp_path / "data").write_bytes(data)
    server = f"{sys.executable} -m http.server 8000 --directory {tmp_path}"
    client = (
        "import hashlib, urllib.request; "
        "data = urllib.request.urlopen('http://server:8000/data').read(); "
        "print(hashlib.sha256(data).hexdigest())"
    )
    answered = windtunnel(
        "emulate", network, "--at", f"server={server}", "--json", "--", sys.executable, "-c", client
    )
    # With --json, what the command prints is on standard error.
    assert hashlib.sha256(data).hexdigest() in answered.stderr
    report = json.loads(answered.stdout)
    assert report["exit_code"] == 0
    back = direction(report, "server")
    assert back["left_bytes"] > len(data)
    # The delay of the link and of a full packet, at the least.
    assert back["delay_s"]["median"] >= 0.005
    assert report["malformed"] == report["refused"] == 0


@needs_namespaces
@needs_chromium
def test_a_browser_shows_a_page(windtunnel: Command, network: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "data").write_bytes(bytes(1_000_000))
    (site / "index.html").write_text(
        '<p>not yet</p><script>fetch("data").then(it => it.arrayBuffer()).then(it => '
        "document.querySelector('p').textContent = it.byteLength)</script>"
    )
    server = f"{sys.executable} -m http.server 8000 --directory {site}"
    browser = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    browser += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000"]
    answered = windtunnel(
        "emulate", network, "--at", f"server={server}", "--", *browser, "http://server:8000/"
    )
    assert "<p>1000000</p>" in answered.stdout, answered.stderr


@needs_namespaces
@pytest.mark.skipif(shutil.which("iperf3") is None, reason="there is no iperf3")
def test_the_kernels_tcp_fills_the_bottleneck(windtunnel: Command) -> None:
    # As the scenario's head says, but shorter.
    command = ["iperf3", "--client", "server", "--time", "3", "--json"]
    answered = windtunnel(
        "emulate", SCENARIO, "--at", "server=iperf3 --server", "--json", "--", *command
    )
    report = json.loads(answered.stdout)
    forth = direction(report, "client")
    text = answered.stderr[answered.stderr.index('{\n\t"start"') :]
    measured, _ = json.JSONDecoder().raw_decode(text)
    goodput = measured["end"]["sum_received"]["bits_per_second"]
    # Of 50 Mbps, 1 is the call's, and 1,448 bytes of 1,500 are data.
    assert goodput < 49e6 * 1448 / 1500 * 1.001
    assert goodput > 30e6
    assert forth["delay_s"]["median"] >= 0.022


@needs_namespaces
def test_nothing_is_left_after_a_kill(network: Path) -> None:
    name = f"windtunnel-test-{os.getpid()}"
    sleeping = ["bash", "-c", f"exec -a {name} sleep 1000 & exec -a {name} sleep 1000"]
    command = [sys.executable, "-m", "windtunnel", "emulate", str(network)]

    def count() -> int:
        return sum(
            name in file.read_text(errors="replace") and "bash" not in file.read_text()
            for file in Path("/proc").glob("[0-9]*/cmdline")
            if file.exists()
        )

    def namespaces() -> set[str]:
        found = set()
        for link in Path("/proc").glob("[0-9]*/ns/net"):
            try:
                found.add(os.readlink(link))
            except OSError:
                continue
        return found

    def wait_for(number: int) -> None:
        deadline = time.monotonic() + 20
        while count() != number:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    before = namespaces()
    emulation = subprocess.Popen(
        [*command, "--at", f"server=sleep 1001{os.getpid()}", "--", *sleeping]
    )
    wait_for(2)
    assert namespaces() - before
    emulation.send_signal(signal.SIGKILL)
    emulation.wait()
    wait_for(0)
    assert not namespaces() - before


@needs_namespaces
def test_an_interruption_ends_it_with_a_report(network: Path) -> None:
    command = [sys.executable, "-m", "windtunnel", "emulate", str(network), "--json"]
    emulation = subprocess.Popen(
        [*command, "--", "sh", "-c", "echo ready >&2; sleep 1000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert emulation.stderr is not None
    assert emulation.stderr.readline() == "ready\n"
    emulation.send_signal(signal.SIGINT)
    out, _ = emulation.communicate(timeout=10)
    assert emulation.returncode == 130
    assert json.loads(out)["interrupted"]


@needs_namespaces
def test_it_says_that_it_did_not_keep_up(network: Path) -> None:
    source = (
        "import socket, sys, time; it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        "print('ready', file=sys.stderr, flush=True); time.sleep(0.5); "
        "[it.sendto(b'data', ('10.0.0.2', 7000)) for _ in range(100)]; time.sleep(1)"
    )
    command = [sys.executable, "-m", "windtunnel", "emulate", str(network)]
    emulation = subprocess.Popen(
        [*command, "--", sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert emulation.stderr is not None
    while "ready" not in emulation.stderr.readline():
        pass
    emulation.send_signal(signal.SIGSTOP)
    time.sleep(1)
    emulation.send_signal(signal.SIGCONT)
    out, error = emulation.communicate(timeout=20)
    assert "The emulation did not keep up" in out + error
    assert "up to 1,000 µs" in out + error


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="named namespaces need root")
def test_interfaces_are_attached_where_they_are_named(network: Path) -> None:
    names = [f"windtunnel-{os.getpid()}-{end}" for end in ("near", "far")]
    for name in names:
        subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        command = [sys.executable, "-m", "windtunnel", "emulate", str(network), "--json"]
        for node, name in zip(("client", "server"), names, strict=True):
            command += ["--attach", f"{node}={name}/tun7"]
        emulation = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert emulation.stderr is not None
        lines = [emulation.stderr.readline() for _ in names]
        assert "tun7" in lines[0]
        source = (
            "import socket, sys; it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
            "it.sendto(b'data', ('10.0.0.2', 7000))"
        )
        subprocess.run(["ip", "netns", "exec", names[0], sys.executable, "-c", source], check=True)
        time.sleep(0.2)
        emulation.send_signal(signal.SIGINT)
        out, _ = emulation.communicate(timeout=10)
        assert direction(json.loads(out), "client")["left_packets"] == 1
        left = subprocess.run(
            ["ip", "-n", names[0], "link"], check=True, capture_output=True, text=True
        )
        assert "tun7" not in left.stdout
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "delete", name], check=True)


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="it is run without root already")
def test_root_is_not_needed_where_users_may_have_namespaces() -> None:
    # Where /dev/net/tun is for root alone, the user sees another one.
    own = 'mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200 && exec "$0" "$@"'
    user = ["unshare", "--mount", "sh", "-c", own]
    user += ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    root = [*user, "unshare", "--user", "--map-root-user"]
    # Where the interpreter of the tests belongs to root alone, the system's may do.
    packages = os.pathsep.join([str(ROOT / "python"), *sys.path[1:]])
    environment = os.environ | {"PYTHONPATH": packages}
    for python in (sys.executable, "/usr/bin/python3"):
        tried = [*root, python, "-c", "import windtunnel.cli"]
        if subprocess.run(tried, env=environment, cwd="/", capture_output=True).returncode == 0:
            break
    else:
        pytest.skip("an ordinary user may not have namespaces here, or not read the package")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "network.toml"
        file.write_text(NETWORK)
        command = [*user, python, "-m", "windtunnel", "emulate", str(file), "--", "true"]
        answered = subprocess.run(
            command, env=environment, capture_output=True, text=True, cwd=folder
        )
    assert answered.returncode == 0, answered.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--", "true"], []),
        (["--at", "nobody=true"], ["no node `nobody`", "client, server"]),
        (["--at", "client"], ["write a node, = and a program"]),
        (["--attach", "client="], ["write a node, = and an interface"]),
        (["--attach", "client=tun0"], ["not two to attach"]),
        (["--attach", "client=tun0", "--attach", "client=tun1"], ["attached twice"]),
        ([], ["name what runs behind the nodes"]),
    ],
)
def test_mistakes_are_explained(
    windtunnel: Command, network: Path, arguments: list[str], words: list[str]
) -> None:
    if not words:
        network.write_text(
            NETWORK + '[compare.rate]\nslow = { "links.line.rate" = "1 Mbps" }\n'
            'fast = { "links.line.rate" = "2 Mbps" }\n'
        )
        words = ["compares 2", "--set"]
    answered = windtunnel("emulate", network, *arguments)
    assert answered.returncode == 2
    assert all(it in answered.stderr for it in words), answered.stderr
