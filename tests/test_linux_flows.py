"""Flows between Linux kernels in virtual time: captures, events, columns, and what is refused."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from conftest import Command
from test_capture import WRONG, needs_tshark, tshark
from test_quic import tables
from windtunnel import Scenario, ScenarioError
from windtunnel.linux.kernels import folder_of
from windtunnel.running import run_scenario

SCENARIO = """
title = "One flow"
duration = "3 s"
nodes = { server = {}, client = {} }

[links.path]
nodes = ["server", "client"]
rate = "20 Mbps"
delay = "10 ms"
queue = { kind = "drop-tail", limit = "64 packets" }

[flows.download]
from = "server"
to = "client"
protocol = "tcp-stack"
"""
REQUESTS = (
    'workload = { kind = "request-response", request = "100 B", response = "50 kB", workers = 3 }'
)


def scenario(*lines: str, tcp: str = 'stack = "linux"') -> Scenario:
    """Give the scenario with these lines for the flow; skip the test where no kernel was built."""
    try:
        return Scenario.parse("\n".join([SCENARIO, f"tcp = {{ {tcp} }}", *lines]))
    except ScenarioError as error:
        if "run `windtunnel linux build`" in str(error):
            pytest.skip(str(error))
        raise


def test_columns_have_what_the_kernel_tells() -> None:
    result = run_scenario(scenario(tcp='stack = "linux", controller = "bbr"'))
    flows = result["flows"]
    assert flows["failure"].to_list() == [None]
    assert flows["flow_controller"].to_list() == ["linux's bbr"]
    assert 0.8 * 20e6 < flows["goodput_bps"][0] < 20e6 * 1448 / 1500
    assert 0.02 < flows["delay_minimum_s"][0] < 0.0215
    assert flows["rtt_s"][0] > flows["delay_minimum_s"][0]
    assert flows["retransmissions"][0] == sum(result["links"]["overlimit_drops"].to_list())
    assert flows["lost"].to_list() == [None]
    series = result["flow_series"]
    assert max(series["cwnd_segments"].drop_nulls().to_list()) > 40
    # More than the path holds, and no more than the window.
    in_flight = series["in_flight"].drop_nulls().to_list()
    assert 34 < max(in_flight) <= max(series["cwnd_segments"].drop_nulls().to_list())
    assert flows["in_flight"][0] == in_flight[-1]
    # What the kernel does not tell is empty, and not 0.
    for column in ("lost", "timeouts", "decreases"):
        assert series[column].null_count() == len(series)


def test_requests_are_answered_on_connections_of_their_own() -> None:
    result = run_scenario(scenario(REQUESTS))
    flows, transfers = result["flows"], result["transfers"]
    assert flows["failure"].to_list() == [None]
    assert len(transfers) > 50
    assert min(transfers["completion_s"].to_list()) > 0.04
    received = flows["received_bytes"][0]
    assert 50_000 * len(transfers) <= received <= 50_000 * (len(transfers) + 3)


def test_settings_of_the_kernel_have_their_effect() -> None:
    tcp = 'stack = "linux", sysctl = { "net.ipv4.tcp_rmem" = "4096 16384 16384" }'
    goodput = run_scenario(scenario(tcp=tcp))["flows"]["goodput_bps"][0]
    # A window of less than 16 KiB for each round trip of 20 ms.
    assert 1e6 < goodput < 8 * 16384 / 0.02


def test_runs_are_the_same_on_any_number_of_threads() -> None:
    plan = scenario(REQUESTS, tcp='stack = "linux", controller = "reno"')
    first, second = (tables(run_scenario(plan, threads=it)) for it in (1, 2))
    for name, table in first.items():
        assert table.equals(second[name]), name


@needs_tshark
@pytest.mark.parametrize("ip", ["v4", "v6"])
def test_tshark_reads_the_packets_of_the_kernel(
    windtunnel: Command, tmp_path: Path, ip: str
) -> None:
    plan = scenario(f'ip = "{ip}"', 'dscp = "EF"')
    (tmp_path / "flow.toml").write_text(plan.text, encoding="utf-8")
    asked = ["--pcap", "client", "--events", "download", "--out", "out"]
    ended = windtunnel("run", "flow.toml", *asked)
    assert ended.returncode == 0, ended.stderr
    file = tmp_path / "out/captures/run-0/client.pcapng"
    assert tshark(file, WRONG, "frame.number") == []
    field = "ip.dsfield.dscp" if ip == "v4" else "ipv6.tclass.dscp"
    packets = tshark(file, "tcp", "tcp.len", "tcp.stream", field)
    assert len(packets) > 1000
    assert {(stream, dscp) for _, stream, dscp in packets} == {("0", "46")}
    assert max(int(length) for length, *_ in packets) == (1448 if ip == "v4" else 1428)
    logs = sorted((tmp_path / "out/events").glob("**/download.*.qlog"))
    assert len(logs) == 2
    assert all(len(it.read_text(encoding="utf-8").splitlines()) > 1000 for it in logs)


@pytest.mark.parametrize(
    ("tcp", "message"),
    [
        ('stack = "linux", controller = "cubik"', "linux has no controller `cubik`"),
        (
            'stack = "linux", sysctl = { "net.ipv4.nothing" = 1 }',
            "sysctl net.ipv4.nothing = 1: No such file or directory",
        ),
        ('sysctl = { "net.ipv4.tcp_ecn" = 1 }', "`sysctl` is of the kernel, which neither end has"),
        ('kernel = "6.12"', "`kernel` is of the kernel, which neither end has"),
        ('stack = "linux", kernel = "7.99"', "there is no kernel `7.99` in"),
        ('stack = "linux", kernel = "../linux/6.12"', "there is no kernel `../linux/6.12` in"),
    ],
)
def test_what_the_kernel_does_not_know_is_refused(tcp: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)):
        scenario(tcp=tcp)


def test_a_kernel_that_was_not_built_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WINDTUNNEL_CACHE", str(tmp_path))
    message = re.escape("linux/6.12/linux: run `windtunnel linux build`")
    with pytest.raises(ScenarioError, match=message):
        Scenario.parse(SCENARIO + 'tcp = { stack = "linux" }')


def test_each_flow_has_the_kernel_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario()
    own = tmp_path / "linux" / "net-next"
    own.parent.mkdir()
    shutil.copytree(folder_of("6.12"), own)
    monkeypatch.setenv("WINDTUNNEL_CACHE", str(tmp_path))
    text = SCENARIO + 'tcp = { stack = "linux", kernel = "net-next" }'
    with pytest.raises(ScenarioError, match="run `windtunnel linux build`"):
        Scenario.parse(text.replace("net-next", "6.12"))
    with pytest.raises(ScenarioError, match=re.escape("built are: `net-next`.")):
        Scenario.parse(text.replace("net-next", "mainline"))
    assert run_scenario(Scenario.parse(text))["flows"]["goodput_bps"].to_list()[0] > 5e6


def test_the_memory_of_many_kernels_is_said() -> None:
    many = scenario("count = 100").advice()
    assert any("200 hosts of flows in processes of their own" in it for it in many), many
    assert not any("memory" in it for it in scenario("count = 10").advice())
