"""Programs that run in Linux kernels which are hosts of nodes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Command, needs_kernel
from test_quic import tables
from windtunnel import Scenario, ScenarioError
from windtunnel.linux import building
from windtunnel.linux.kernels import folder_of
from windtunnel.results import Results
from windtunnel.running import run_scenario

pytestmark = [
    needs_kernel,
    pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler"),
]

PAGE = Path(__file__).parents[1] / "docs" / "linux.md"
NETWORK = """
title = "Programs in kernels"
duration = "{duration} s"

[nodes.server.linux]
kernel = "hello"
run = [{{ at = "0 s", command = "/bin/hello server 80" }}]

[nodes.client.linux]
kernel = "hello"
run = [{run}]

[links.path]
nodes = ["server", "client"]
rate = "10 Mbps"
delay = "20 ms"
overhead = "0 B"
{flows}
"""
PROGRAMS = """
[flows.programs]
from = "server"
to = "client"
protocol = "programs"
"""
STARTING_S = 10e-6
"""How long it takes at most until a program runs and has ended: a kernel's clock advances by 256 ns
whenever it is read."""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a cache with a kernel that has the program of the page."""
    cache = tmp_path_factory.mktemp("cache")
    files = tmp_path_factory.mktemp("files")
    shutil.copytree(folder_of("6.12"), cache / "linux" / "6.12")
    [program] = re.findall(r"^`hello.c`:\n\n```c\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    (files / "hello.c").write_text(program, encoding="utf-8")
    (files / "bin").mkdir()
    subprocess.run(["cc", "-static", "-o", "bin/hello", "hello.c"], cwd=files, check=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("WINDTUNNEL_CACHE", str(cache))
        building.build(None, "hello", lambda _: None, files)
    return cache


@pytest.fixture(autouse=True)
def in_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WINDTUNNEL_CACHE", str(cache))


def scenario(*run: tuple[str, str], flows: str = PROGRAMS, duration: int = 3) -> Scenario:
    """Give a scenario whose client runs these commands, at these times."""
    commands = ", ".join(f'{{ at = "{at}", command = "{command}" }}' for at, command in run)
    return Scenario.parse(NETWORK.format(run=commands, flows=flows, duration=duration))


def on_the_way(*packets: int) -> float:
    """Give the time until the last of IP packets, sent at once, has arrived."""
    return 0.020 + 8 * sum(packets) / 10e6


def of_client(result: Results) -> list[dict[str, Any]]:
    return [it for it in result["commands"].to_dicts() if it["node"] == "client"]


def test_a_connection_between_programs_takes_as_long_as_its_packets() -> None:
    """SYN and its answer have 60 B, the acknowledgement 52 B, the byte 53 B and the FIN 52 B, and a
    reset has 40 B."""
    result = run_scenario(
        scenario(
            ("1 s", "/bin/hello client 10.0.0.1 80"),
            ("2 s", "/bin/hello client 10.0.0.1 81"),
            ("2.5 s", "/bin/nothing"),
        )
    )
    answered, refused, none = of_client(result)
    handshake = on_the_way(60) + on_the_way(60)
    expected = handshake + on_the_way(52) + on_the_way(53, 52)
    assert (answered["exit_code"], answered["output"]) == (0, "1 B\n")
    assert 0 <= answered["end_s"] - 1 - expected < STARTING_S
    assert (refused["exit_code"], refused["output"]) == (1, "connect: Connection refused\n")
    assert 0 <= refused["end_s"] - 2 - (on_the_way(60) + on_the_way(40)) < STARTING_S
    assert (none["exit_code"], none["output"]) == (127, "/bin/nothing: No such file or directory\n")
    # The server waits for others.
    [server] = [it for it in result["commands"].to_dicts() if it["node"] == "server"]
    assert (server["end_s"], server["exit_code"]) == (None, None)
    [flow] = result["flows"].to_dicts()
    # Those of the server: three, its last acknowledgement, and the reset.
    assert flow["datagrams"] == 5
    assert flow["received_bytes"] == 60 + 53 + 52 + 52 + 40


def test_programs_and_flows_share_a_kernel_and_its_link() -> None:
    """The handshake waits in the queue that the kernel's flow fills."""
    flows = '[flows.bulk]\nfrom = "server"\nto = "client"\nprotocol = "tcp"\n' + PROGRAMS
    plan = scenario(("2 s", "/bin/hello client 10.0.0.1 80"), flows=flows)
    first, second = (run_scenario(plan, threads=it) for it in (1, 2))
    [client] = of_client(first)
    assert client["exit_code"] == 0
    assert client["end_s"] > 2 + 0.080 + 0.020
    both = {it["flow"]: it for it in first["flows"].to_dicts()}
    assert both["bulk"]["goodput_bps"] > 8e6
    assert both["programs"]["received_bytes"] > 0
    for name, table in tables(first).items():
        assert table.equals(tables(second)[name]), name


@pytest.mark.parametrize(
    ("command", "flows", "message"),
    [
        ("bin/hello", PROGRAMS, "a command begins with the path of a program, from the root"),
        ("/bin/hello " + 70 * "x ", PROGRAMS, "a command has at most 1000 bytes and 64 words"),
        ("/bin/hello", "", "node `server` runs commands, but no flow of its kernel begins or ends"),
    ],
)
def test_what_cannot_be_run_is_refused(command: str, flows: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)) as refused:
        scenario(("1 s", command), flows=flows)
    assert re.search(r"scenario:\d+:\d+: ", str(refused.value))


def test_programs_need_a_kernel_at_both_ends() -> None:
    text = NETWORK.format(run="", flows=PROGRAMS, duration=1)
    text = text.replace('[nodes.client.linux]\nkernel = "hello"\nrun = []\n', "[nodes.client]\n")
    message = "the host of node `client` is not a Linux kernel, in which programs could run"
    with pytest.raises(ScenarioError, match=re.escape(message)):
        Scenario.parse(text)


def test_what_a_kernel_has_no_room_for_is_refused(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(bytes(31_000_000))
    built = windtunnel("linux", "build", "--files", tmp_path, "--name", "large")
    assert built.returncode == 2
    assert "has 31 MB, and a kernel has room for 30 MB" in built.stderr
    unnamed = windtunnel("linux", "build", "--files", tmp_path)
    assert unnamed.returncode == 2
    assert "a kernel with files has a name of its own" in unnamed.stderr


def test_the_files_of_a_kernel_that_are_gone_are_named(
    cache: Path, windtunnel: Command, tmp_path: Path
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    building.build(None, "gone", lambda _: None, files)
    files.rmdir()
    built = windtunnel("linux", "build", "--name", "gone")
    assert built.returncode == 2
    assert f"{files} is not a folder" in built.stderr
    assert (cache / "linux" / "gone").is_dir()
