"""Controllers in the kernel, by the command `fly`; skipped where this kernel takes none."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import Command
from processes import read
from windtunnel._core import Flight, FlightError
from windtunnel.cli.flying import in_the_kernel

PORT = "5301"
FAR = "10.79.0.2"


@pytest.fixture(autouse=True)
def kernel() -> None:
    """Skip where the kernel, its user or this build lacks what is needed."""
    try:
        Flight("reno").finish()
    except FlightError as error:
        pytest.skip(str(error))


@pytest.fixture
def near(tmp_path: Path) -> Iterator[str]:
    """Join two network namespaces, with iperf3 in the far one; give the near one's name."""
    if shutil.which("iperf3") is None or shutil.which("ip") is None:
        pytest.skip("needs iperf3 and ip")
    near, far = (f"fly-{os.getpid()}-{end}" for end in ("near", "far"))
    inside = {near: "10.79.0.1/24", far: f"{FAR}/24"}
    try:
        for namespace in inside:
            made = ip("netns", "add", namespace)
            if made.returncode:
                pytest.skip(made.stderr)
        wire = f"link add wire type veth peer name wire netns {far}".split()
        ip("-n", near, *wire)
        for namespace, address in inside.items():
            ip("-n", namespace, "address", "add", address, "dev", "wire")
            ip("-n", namespace, "link", "set", "wire", "up")
        server = subprocess.Popen(
            ["ip", "netns", "exec", far, "iperf3", "-s", "-p", PORT], stdout=subprocess.DEVNULL
        )
        listening = ["ip", "netns", "exec", far, "ss", "-Hltn", "sport", "=", f":{PORT}"]
        until(lambda: bool(subprocess.check_output(listening)))
        yield near
        server.kill()
        server.wait()
    finally:
        for namespace in inside:
            ip("netns", "del", namespace)


def ip(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)


def until(holds: Callable[[], bool], seconds: float = 5) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def transfer(near: str, seconds: float, algorithm: str = "") -> list[str]:
    chosen = ["-C", algorithm] if algorithm else []
    client = ["iperf3", "-c", FAR, "-p", PORT, "-t", str(seconds), *chosen]
    return ["ip", "netns", "exec", near, *client]


def window(near: str) -> int:
    """Give the window of the connection that has sent most, in segments."""
    command = ["ip", "netns", "exec", near, "ss", "-Htin", "dport", "=", f":{PORT}"]
    lines = subprocess.check_output(command, text=True)
    found = re.findall(r"cwnd:(\d+).*bytes_sent:(\d+)", lines)
    return max(((int(sent), int(cwnd)) for cwnd, sent in found), default=(0, 0))[1]


@contextmanager
def flying(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Fly without a command; give the process and the algorithm's name."""
    command = [sys.executable, "-m", "windtunnel", "fly", "--json", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            found = re.search(r"TCP_CONGESTION=(\S+),", said)
            assert found, said
            yield process, found[1]
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> dict[str, float]:
    """End a flight by Ctrl-C; give what it says."""
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=10)
    assert process.returncode == 0
    document: dict[str, float] = json.loads(printed)
    return document


def group(process: int) -> Path:
    """Give the control group of a flight."""
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()
    root = next(line.split()[1] for line in mounts if line.split()[2] == "cgroup2")
    return Path(root, f"windtunnel-{process}")


def is_running(process: int) -> bool:
    """Tell whether a process runs; one that has ended may wait for its parent."""
    status = read(Path(f"/proc/{process}/status"))
    return "State:" in status and "State:\tZ" not in status


def available() -> str:
    path = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    return path.read_text(encoding="utf-8")


def test_a_commands_sockets_use_the_controller(near: str, windtunnel: Command) -> None:
    done = windtunnel("fly", "--controller", "bbr3", "--json", "--", *transfer(near, 1))
    assert done.returncode == 0, done.stderr
    assert "iperf Done" in done.stderr
    said = json.loads(done.stdout)
    assert said["connections"] >= 2
    assert said["bytes"] > 1e6
    assert 0 < said["written_s"]["median"] < said["written_s"]["longest"] < 10
    assert said["algorithm"] not in available()


SEND_SINGLE_BYTES = """
import socket, threading, time
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
def serve():
    accepted, _ = listener.accept()
    while accepted.recv(65536):
        pass
threading.Thread(target=serve, daemon=True).start()
sender = socket.create_connection(listener.getsockname())
sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(1000):
    sender.send(b"x")
    time.sleep(0.0005)
sender.close()
time.sleep(0.2)
"""


def test_bytes_are_those_that_were_acknowledged(windtunnel: Command) -> None:
    command = ["fly", "--controller", "cubic", "--json", "--", sys.executable, "-c"]
    done = windtunnel(*command, SEND_SINGLE_BYTES)
    assert done.returncode == 0, done.stderr
    # A FIN has a sequence number as well, and each of the two ends may send one.
    assert 1000 <= json.loads(done.stdout)["bytes"] <= 1002


def test_the_commands_exit_code_is_that_of_fly(windtunnel: Command) -> None:
    assert windtunnel("fly", "--controller", "reno", "sh", "-c", "exit 7").returncode == 7
    missing = windtunnel("fly", "--controller", "reno", "--", "no-such-program")
    assert missing.returncode == 127
    assert "no-such-program" in missing.stderr


def test_a_transfer_outlives_its_controller_by_renos_rule(near: str) -> None:
    with flying("--controller", "fixed", "--set", "window=4") as (process, algorithm):
        with subprocess.Popen(transfer(near, 3, algorithm), stdout=subprocess.DEVNULL) as carrying:
            until(lambda: window(near) == 4)
            process.kill()
            until(lambda: window(near) > 20)
            assert carrying.wait(timeout=10) == 0
        until(lambda: not group(process.pid).exists())
        until(lambda: algorithm not in available())


def test_a_controller_that_was_late_leads_again(near: str) -> None:
    with flying("--controller", "fixed", "--set", "window=4") as (process, algorithm):
        with subprocess.Popen(transfer(near, 2, algorithm), stdout=subprocess.DEVNULL) as carrying:
            until(lambda: window(near) == 4)
            process.send_signal(signal.SIGSTOP)
            until(lambda: window(near) > 20)
            process.send_signal(signal.SIGCONT)
            until(lambda: window(near) == 4)
            assert carrying.wait(timeout=10) == 0
        assert ended(process)["fallbacks"] >= 1


def test_two_controllers_fly_at_a_time(near: str) -> None:
    first = flying("--controller", "fixed", "--set", "window=4")
    second = flying("--controller", "fixed", "--set", "window=9")
    with first as (one, first_name), second as (other, second_name):
        for name, segments in ((first_name, 4), (second_name, 9)):
            with subprocess.Popen(transfer(near, 1, name), stdout=subprocess.DEVNULL) as carrying:
                until(lambda expected=segments: window(near) == expected)  # type: ignore[misc]
                assert carrying.wait(timeout=10) == 0
        assert ended(one)["connections"] == ended(other)["connections"] == 2


def test_a_command_does_not_outlive_a_kill(tmp_path: Path) -> None:
    file = tmp_path / "process"
    command = ["sh", "-c", f"echo $$ > {file}; exec sleep 60"]
    fly = [sys.executable, "-m", "windtunnel", "fly", "--controller", "reno", "--", *command]
    with subprocess.Popen(fly) as process:
        until(lambda: file.is_file() and bool(file.read_text(encoding="utf-8")))
        child = int(file.read_text(encoding="utf-8"))
        assert group(process.pid).is_dir()
        process.kill()
    until(lambda: not group(process.pid).exists())
    assert not is_running(child)


def test_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    file = tmp_path / "process"
    command = ["sh", "-c", f"echo $$ > {file}; exec sleep 60"]
    fly = [sys.executable, "-m", "windtunnel", "fly", "--controller", "reno", "--", *command]
    # A group of processes of its own, as a terminal gives it.
    with subprocess.Popen(fly, start_new_session=True, stderr=subprocess.PIPE) as process:
        until(lambda: file.is_file() and bool(file.read_text(encoding="utf-8")))
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=10) == 130
    assert not is_running(int(file.read_text(encoding="utf-8")))
    assert not group(process.pid).exists()


EIGHT = """
import windtunnel

class Eight(windtunnel.Controller):
    def __init__(self, start):
        super().__init__(start)
        self.cwnd = 8.0

    def on_acknowledgement(self, acknowledgement):
        pass

    def on_congestion(self, congestion):
        pass

class Fails(windtunnel.Controller):
    def on_acknowledgement(self, acknowledgement):
        raise ValueError("no more")
"""


def test_a_controller_in_python_flies(near: str, windtunnel: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(EIGHT, encoding="utf-8")
    with flying("--controller", f"{file}:Eight") as (process, algorithm):
        with subprocess.Popen(transfer(near, 1, algorithm), stdout=subprocess.DEVNULL) as carrying:
            until(lambda: window(near) == 8)
            assert carrying.wait(timeout=10) == 0
        assert ended(process)["decisions"] > 10
    failed = windtunnel("fly", "--controller", f"{file}:Fails", "--", *transfer(near, 5))
    assert failed.returncode == 2
    assert "`fails`: on_acknowledgement" in failed.stderr
    assert "no more" in failed.stderr and "line 17" in failed.stderr


def test_cubic_leaves_slow_start_as_the_kernels_does_if_nothing_else_is_said() -> None:
    assert in_the_kernel("cubic", {}) == {"hystart-variant": "linux"}
    chosen = {"hystart-variant": "plus-plus", "beta": "0.5"}
    assert in_the_kernel("cubic", chosen) == chosen
    assert in_the_kernel("copa", {}) == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--controller", "nothing"], "unknown controller `nothing`"),
        (["--controller", "reno-sce"], "mark of some congestion"),
        (["--controller", "fixed", "--set", "window=0"], "must be a number from 1 to"),
        (["--controller", "fixed", "--set", "size=3"], "its parameters are window"),
        (["--controller", "nothing.py:Mine"], "nothing.py: No such file"),
    ],
)
def test_mistakes_are_answered(windtunnel: Command, options: list[str], message: str) -> None:
    done = windtunnel("fly", *options, "--", "true")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
