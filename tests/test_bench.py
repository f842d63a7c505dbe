"""The bench: its workloads do what they are said to do, and its figures agree."""

from __future__ import annotations

import json

import polars as pl
import pytest

from conftest import Command
from windtunnel import _core, bench
from windtunnel.running import run_scenario

NAMES = [workload.name for workload in bench.WORKLOADS]


def tables(workload: bench.Workload, duration_s: float) -> dict[str, pl.DataFrame]:
    """Run a workload in this process."""
    text = bench.scenario(workload.network(), duration_s)
    return run_scenario(_core.Scenario("workload", text)).tables


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_keeps_its_windows_full_and_loses_nothing(name: str) -> None:
    [workload] = bench.chosen(name)
    ran = tables(workload, 0.3)
    links, flows = ran["links"], ran["flows"]
    assert links.select("overflows", "discipline_drops", "losses").sum().row(0) == (0, 0, 0)
    assert flows.select("timeouts", "retransmissions", "nacks").sum().row(0) == (0, 0, 0)
    assert set(flows["in_flight"]) == {workload.network().window}
    assert flows["data"].min() > 0


def test_the_networks_have_the_sizes_of_those_in_ns3() -> None:
    nodes_links_pairs = {
        workload.name: (
            len({end for link in network.links for end in (link.first, link.second)}),
            len(network.links),
            len(network.pairs),
        )
        for workload in bench.WORKLOADS
        for network in [workload.network()]
    }
    assert nodes_links_pairs == {
        "ndn-chain": (4, 3, 1),
        "ndn-dumbbell": (14, 13, 6),
        "ndn-disjoint-1000": (4000, 3000, 1000),
    }


def test_the_chain_carries_what_its_rate_allows() -> None:
    """In one second, 1 Gbps of Data but for the first round trip."""
    [workload] = bench.chosen("ndn-chain")
    measured = bench.run_windtunnel(workload, 1.0)
    data_a_second = 1e9 / 8 / (measured["data_bytes"] + bench.PPP_BYTES)
    # Each Data crosses three links, and so does its Interest.
    assert measured["packet_hops"] == pytest.approx(6 * data_a_second, rel=0.02)


def test_the_figures_agree_with_each_other(windtunnel: Command) -> None:
    document = json.loads(windtunnel("bench", "ndn-dumbbell", "--json", timeout=300).stdout)
    [it] = document["workloads"]
    assert it["name"] == "ndn-dumbbell"
    assert it["packet_hops_per_cpu_s"] == pytest.approx(it["packet_hops"] / it["cpu_s"])
    # A hop costs one event; a sample of the series one more.
    assert it["events_per_cpu_s"] >= 0.9 * it["packet_hops_per_cpu_s"]
    # An interpreter takes some megabytes, and this workload not many more.
    assert 10e6 < it["peak_rss_bytes"] < 1e9
    if bench.NS3.exists():
        assert it["ns3"]["packet_hops"] == pytest.approx(it["packet_hops"], rel=0.01)
        assert min(it["ns3"]["ratios"]) <= it["ns3"]["ratio"] <= max(it["ns3"]["ratios"])
    else:
        assert it["ns3"] is None


def test_the_table_has_a_row_for_every_workload() -> None:
    figures = {
        "duration_s": 1,
        "packet_hops": 4_000_000,
        "cpu_s": 2.0,
        "packet_hops_per_cpu_s": 2e6,
        "events_per_cpu_s": 3e6,
        "peak_rss_bytes": 50_000_000,
        "ns3": None,
    }
    document = {"workloads": [{"name": name, **figures} for name in NAMES]}
    assert bench.table(document).row_count == len(NAMES)
