"""The command `emulate`: real packets through a scenario's network."""

from __future__ import annotations

import contextlib
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
from processes import command_lines
from windtunnel.cli import emulating
from windtunnel.cli.output import Failure
from windtunnel.results import Results

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
def test_time_begins_with_the_command(windtunnel: Command, network: Path) -> None:
    # The program of --at never listens, so that the command waits for it for five seconds.
    network.write_text(
        NETWORK.replace('"5 ms" }', '"5 ms", changes = [{ at = "3 s", delay = "500 ms" }] }'),
        encoding="utf-8",
    )
    client = (
        "import socket, sys, time; it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
        "it.sendto(b'data', ('10.0.0.2', 7000)); time.sleep(1)"
    )
    command = ["emulate", network, "--at", "server=sleep 60", "--json", "--"]
    report = json.loads(windtunnel(*command, sys.executable, "-c", client).stdout)
    assert direction(report, "client")["delay_s"]["maximum"] < 0.1
    assert report["duration_s"] < 4


SEND_EVENLY = """
import socket, time
it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(100):
    it.sendto(bytes(972), ("10.0.0.2", 7000))
    time.sleep(0.01)
"""


@needs_namespaces
def test_an_emulation_is_saved_as_a_run(windtunnel: Command, network: Path, tmp_path: Path) -> None:
    command = ["emulate", network, "--pcap", "client", "--json", "--out"]
    for name in ("one", "other"):
        done = windtunnel(
            *command, tmp_path / name, "--", sys.executable, "-c", SEND_EVENLY, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["results"] == str(tmp_path / "other")
    results = Results.load(tmp_path / "other")
    entered = direction(report, "client")["entered_packets"]
    forth = results["links"].row(0, named=True)
    assert (forth["link"], forth["from"], forth["to"]) == ("line", "client", "server")
    assert forth["offered"] == entered >= 100
    assert forth["delivered"] + forth["in_transit"] == entered
    # The run is as long as the command: a second and what Python takes to start.
    assert results["runs"]["duration_s"][0] == pytest.approx(report["duration_s"])
    series = results["link_series"]
    assert max(series["time_s"]) <= report["duration_s"]
    rates = series.filter(series["from"] == "client")["throughput_bps"].to_list()
    # A thousand bytes with headers each ten milliseconds, or less often.
    assert 0 < sum(rates) / len(rates) <= 1000 * 8 * 100 * 1.05
    assert results.manifest["emulation"]["directions"] == report["directions"]
    # What the kernel sent is in the capture as it was sent.
    capture = next((tmp_path / "other" / "captures").rglob("*.pcapng")).read_bytes()
    assert capture.count(bytes(972)) >= 100
    assert windtunnel("report", tmp_path / "other").returncode == 0
    compared = windtunnel("compare", tmp_path / "one", tmp_path / "other")
    assert compared.returncode in (0, 1), compared.stderr


@needs_namespaces
def test_a_shell_is_at_the_node_that_is_named(windtunnel: Command, network: Path) -> None:
    environment = os.environ | {"SHELL": "/bin/sh"}
    answered = windtunnel(
        "emulate", network, "--shell", "server", input="ip -br address\n", env=environment
    )
    assert answered.returncode == 0, answered.stderr
    assert "10.0.0.2/8" in answered.stdout


@needs_namespaces
def test_an_interface_that_vanishes_ends_it_with_a_message(
    windtunnel: Command, network: Path, tmp_path: Path
) -> None:
    send = "import socket; socket.socket(type=socket.SOCK_DGRAM).sendto(b'data', ('10.0.0.2', 7))"
    client = f'{sys.executable} -c "{send}"; sleep 0.2; ip link delete world0; sleep 60'
    out = tmp_path / "out"
    answered = windtunnel("emulate", network, "--json", "--out", out, "--", "sh", "-c", client)
    assert answered.returncode == 1
    assert "the interface world0 has vanished" in answered.stderr
    assert "world0" in json.loads(answered.stdout)["failure"]
    kept = Results.load(out)
    assert "world0" in kept.manifest["emulation"]["failure"]
    assert kept["links"]["offered"].sum() >= 1


SEND_FIFTY = """
import socket, time
it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(50):
    it.sendto(bytes(972), ("10.0.0.2", 7000))
"""


@needs_namespaces
def test_what_is_in_flight_at_the_end_is_told_from_what_was_dropped(
    windtunnel: Command, network: Path
) -> None:
    # While the first is sent, for 10 ms, ten wait; all that are not dropped are still on their way.
    network.write_text(
        'duration = "60 s"\nnodes = { client = {}, server = {} }\n'
        'links.line = { nodes = ["client", "server"], rate = "800 kbps", delay = "5 s", '
        'queue = { limit = "10 packets" } }\n',
        encoding="utf-8",
    )
    command = ["emulate", network, "--json", "--", sys.executable, "-c", SEND_FIFTY]
    report = json.loads(windtunnel(*command).stdout)
    forth = direction(report, "client")
    assert forth["left_packets"] == 0
    assert forth["in_flight_packets"] + forth["dropped_packets"] == 50
    assert 11 <= forth["in_flight_packets"] < 50
    queue = report["queues"][0]
    assert (queue["link"], queue["from"], queue["to"]) == ("line", "client", "server")
    assert queue["overlimit_drops"] == forth["dropped_packets"]
    shown = windtunnel("emulate", network, "--", sys.executable, "-c", SEND_FIFTY).stdout
    assert "queue full" in shown
    assert "flight" in shown


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
        return sum(name in command and "bash" not in command for _, command in command_lines())

    def namespaces(*, of: str = "") -> set[str]:
        """Give those of processes with that in their command; other tests have some too."""
        found = set()
        for process, line in command_lines():
            if of in line:
                # Gone by now, or another user's.
                with contextlib.suppress(OSError):
                    found.add(os.readlink(f"/proc/{process}/ns/net"))
        return found

    def wait_for(number: int) -> None:
        deadline = time.monotonic() + 20
        while count() != number:
            assert time.monotonic() < deadline
            time.sleep(0.05)

    emulation = subprocess.Popen(
        [*command, "--at", f"server=sleep 1001{os.getpid()}", "--", *sleeping]
    )
    wait_for(2)
    own = namespaces(of=name) - {os.readlink("/proc/self/ns/net")}
    assert own
    emulation.send_signal(signal.SIGKILL)
    emulation.wait()
    wait_for(0)
    assert not namespaces() & own


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


CONTAINER = (
    "chown,dac_override,fowner,fsetid,kill,setgid,setuid,setpcap,net_bind_service,net_raw,"
    "sys_chroot,mknod,audit_write,setfcap,net_admin,sys_admin"
)
"""What root may do in a container: Docker's default, and what docs/live.md adds."""


def in_container(command: list[str]) -> list[str]:
    """Give a command that runs another as in a container, where /proc/sys is read-only."""
    read_only = "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys"
    bounding = "-all," + ",".join(f"+{it}" for it in CONTAINER.split(","))
    inside = ["setpriv", f"--bounding-set={bounding}", f"--inh-caps={bounding}", *command]
    return ["unshare", "--mount", "sh", "-c", f'{read_only} && exec "$0" "$@"', *inside]


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="it takes capabilities away from root")
def test_a_container_has_what_it_needs(network: Path) -> None:
    command = [sys.executable, "-m", "windtunnel", "emulate", str(network)]
    command += ["--", "getent", "hosts", "server"]
    answered = subprocess.run(in_container(command), capture_output=True, text=True, check=False)
    assert answered.returncode == 0, answered.stderr
    assert "server" in answered.stdout


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="it hides a device")
@pytest.mark.parametrize("is_there", [False, True])
def test_without_the_device_it_says_what_to_do(network: Path, is_there: bool) -> None:
    # One that is there and cannot be opened is one of another kind; where it could be made, it is.
    hide = "mount -t tmpfs none /dev/net"
    hide += " && mknod /dev/net/tun c 10 255" if is_there else " -o ro"
    command = [sys.executable, "-m", "windtunnel", "emulate", str(network), "--", "true"]
    answered = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{hide} && exec "$0" "$@"', *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answered.returncode == 2
    assert "Traceback" not in answered.stderr
    wanted = "/dev/net/tun may not be opened" if is_there else "there is no /dev/net/tun"
    assert wanted in answered.stderr
    assert "--device /dev/net/tun" in answered.stderr


def test_without_user_namespaces_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = tmp_path / "unshare"
    refusing.write_text("#!/bin/sh\necho unshare: not permitted >&2; exit 1\n", encoding="utf-8")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(Failure, match=r"unshare: not permitted(?s:.*)user namespaces"):
        emulating.become_root([("client", None, None)])


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
        (["--shell", "nobody"], ["no node `nobody`"]),
        (["--shell", "client", "--", "true"], ["--shell is in place of a command"]),
        (["--pcap", "client", "--", "true"], ["--pcap needs --out"]),
        (["--out", "x", "--pcap", "nobody", "--", "true"], ["--pcap nobody", "no such node"]),
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
