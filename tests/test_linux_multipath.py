"""Multipath TCP by Linux kernels that are the ends of a flow (RFC 8684)."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from conftest import needs_kernel
from test_capture import needs_tshark, tshark
from test_quic import tables
from windtunnel import Scenario, ScenarioError
from windtunnel.results import Results
from windtunnel.running import Captures, Details, run_scenario

SCENARIO = """
title = "Two paths between two kernels"
duration = "10 s"
nodes = {{ server = {{}}, phone = {{}} }}

[defaults.link]
queue = {{ kind = "drop-tail", limit = "60 packets" }}

[links]
wifi = {{ nodes = ["server", "phone"], rate = "10 Mbps", delay = "5 ms"{wifi} }}
lte = {{ nodes = ["server", "phone"], rate = "5 Mbps", delay = "20 ms" }}

[flows.download]
from = "server"
to = "phone"
protocol = "tcp-stack"
tcp = {{ stack = "linux", {keys} }}
{more}
"""
RATES = {"wifi": 10e6, "lte": 5e6}
SEGMENT = 1428
"""Bytes of data in a packet of 1,500: without the headers, 12 of timestamps and 20 of MPTCP."""


def scenario(keys: str = "multipath = true", wifi: str = "", more: str = "") -> Scenario:
    return Scenario.parse(SCENARIO.format(keys=keys, wifi=wifi, more=more))


def carried(result: Results) -> dict[str, float]:
    """Give the bits per second that each link carried from the server."""
    links = result["links"].to_dicts()
    return {it["link"]: it["throughput_bps"] for it in links if it["from"] == "server"}


@needs_kernel
def test_a_connection_uses_both_paths_and_nothing_is_counted_twice() -> None:
    plan = scenario()
    first, second = (run_scenario(plan, threads=it) for it in (1, 2))
    [flow] = first["flows"].to_dicts()
    of_links = carried(first)
    for name, rate in RATES.items():
        assert 0.93 * rate < of_links[name] <= rate, name
    assert flow["failure"] is None
    assert flow["goodput_bps"] <= sum(of_links.values()) * SEGMENT / 1500
    assert flow["goodput_bps"] > 0.9 * sum(RATES.values()) * SEGMENT / 1514
    for name, table in tables(first).items():
        assert table.equals(tables(second)[name]), name


@needs_kernel
@needs_tshark
def test_the_first_subflow_announces_and_the_second_joins(tmp_path: Path) -> None:
    """Each on its link, with its own address at the end that connects (RFC 8684, section 3)."""
    details = Details(captures=Captures(nodes=["server"]))
    run_scenario(scenario(), folder=tmp_path, details=details)
    [capture] = tmp_path.rglob("*.pcapng")
    fields = ("frame.interface_name", "ip.src", "tcp.options.mptcp.subtype")
    first, second = tshark(capture, "tcp.flags.syn == 1 && tcp.flags.ack == 0", *fields)
    # MP_CAPABLE is 0 and MP_JOIN 1.
    assert ("wifi" in first[0], first[2]) == (True, "0")
    assert ("lte" in second[0], second[2]) == (True, "1")
    assert first[1] != second[1]


@needs_kernel
def test_the_other_path_goes_on_when_one_fails_once_the_kernel_gives_it_up() -> None:
    """It does after as many timeouts in a row as `stale_loss_cnt` says, by default 4: until then
    new data are given to that path as well, and what follows them waits."""
    changes = ', changes = [{ at = "4 s", state = "down" }]'
    outages = []
    for timeouts in (1, 4):
        keys = f'multipath = true, sysctl = {{ "net.mptcp.stale_loss_cnt" = {timeouts} }}'
        series = run_scenario(scenario(keys, wifi=changes))["flow_series"]
        last = series.filter(pl.col("time_s") > 9)["goodput_bps"].mean()
        assert last == pytest.approx(RATES["lte"] * SEGMENT / 1514, rel=0.02)
        late = series.filter(pl.col("time_s") > 4.1)
        outages.append(late.filter(pl.col("goodput_bps") == 0).height)
    assert outages[0] < 0.8 * outages[1]


@needs_kernel
def test_a_connection_ends_when_both_ends_know_it() -> None:
    more = 'workload = { kind = "request-response", response = "100 kB", think = "200 ms" }'
    result = run_scenario(scenario(more=more))
    [flow] = result["flows"].to_dicts()
    assert flow["failure"] is None
    assert flow["transfers"] == result["transfers"].height > 20


@needs_kernel
def test_one_path_is_one_subflow() -> None:
    result = run_scenario(scenario('multipath = true, paths = [["lte"]]'))
    of_links = carried(result)
    assert of_links["lte"] > 0.93 * RATES["lte"]
    assert of_links["wifi"] == 0


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            'paths = [["wifi"], ["lte"]]',
            "linux sends IP packets, of one address",
        ),
        (
            'multipath = true, receiver = "windtunnel"',
            "windtunnel has no multipath",
        ),
        ('multipath = true, paths = [["wifi"], ["wifi"]]', "path 2 is named twice"),
    ],
)
@needs_kernel
def test_what_cannot_be_is_refused(keys: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)) as refused:
        scenario(keys)
    assert re.search(r"scenario:\d+:\d+: ", str(refused.value))
