"""The bench: its workloads do what they are said to do, and its figures agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conftest import Command
from windtunnel import _core
from windtunnel.allocations import by_country
from windtunnel.bench import lookups, simulations
from windtunnel.bench.errors import UnknownWorkload
from windtunnel.bench.workloads import (
    FRAME_BYTES,
    PPP_BYTES,
    SEGMENT_BYTES,
    WORKLOADS,
    Ndn,
    Tcp,
    Workload,
    scenario,
)
from windtunnel.pictures.units import maximum, minimum
from windtunnel.results import Results
from windtunnel.running import run_scenario

NAMES = [workload.name for workload in WORKLOADS]
NDN = [workload for workload in WORKLOADS if isinstance(workload.load, Ndn)]
COMPARED_TCP = [it for it in WORKLOADS if isinstance(it.load, Tcp) and it.compared_s]


def by_name(workload: Workload) -> str:
    """Name a test's case."""
    return workload.name


def run(text: str) -> Results:
    """Run a scenario in this process."""
    return run_scenario(_core.Scenario("workload", text), jobs=1)


@pytest.mark.parametrize("workload", NDN, ids=by_name)
def test_an_ndn_workload_keeps_its_windows_full_and_loses_nothing(workload: Workload) -> None:
    ran = run(scenario(workload, 0.3))
    links, flows = ran["links"], ran["flows"]
    assert links.select("overlimit_drops", "discipline_drops", "losses").sum().row(0) == (0, 0, 0)
    assert flows.select("timeouts", "retransmissions", "nacks").sum().row(0) == (0, 0, 0)
    assert isinstance(workload.load, Ndn)
    assert set(flows["in_flight"]) == {workload.load.window}
    assert minimum(flows["data"]) > 0


@pytest.mark.parametrize("workload", COMPARED_TCP, ids=by_name)
def test_every_flow_of_a_tcp_workload_delivers_and_only_full_queues_drop(
    workload: Workload,
) -> None:
    # A SYN that a full queue drops is sent again after a second.
    ran = run(scenario(workload, 1.5))
    links, flows = ran["links"], ran["flows"]
    assert flows.height == len(workload.network().pairs)
    assert minimum(flows["received_bytes"]) > 0
    assert links.select("discipline_drops", "losses").sum().row(0) == (0, 0)
    assert 0 < maximum(links["maximum_queue_packets"]) <= workload.network().queue


def test_ten_new_reno_flows_fill_a_link_with_a_buffer_of_one_bdp() -> None:
    [workload] = simulations.chosen("tcp-link-10")
    measured = simulations.run_windtunnel(workload, 3.0)
    most = 1e9 * SEGMENT_BYTES / FRAME_BYTES
    assert 0.9 * most < measured["goodput_bps"] <= most


def test_the_networks_have_the_sizes_of_those_in_ns3() -> None:
    nodes_links_flows_queues = {
        workload.name: (
            len({end for link in network.links for end in (link.first, link.second)}),
            len(network.links),
            len(network.pairs),
            network.queue,
        )
        for workload in WORKLOADS
        if workload.compared_s
        for network in [workload.network()]
    }
    assert nodes_links_flows_queues == {
        "ndn-chain": (4, 3, 1, 2000),
        "ndn-dumbbell": (14, 13, 6, 1000),
        "ndn-disjoint-1000": (4000, 3000, 1000, 100),
        # One bandwidth-delay product in frames of 1502 bytes.
        "tcp-link-10": (2, 1, 10, 1664),
        "tcp-dumbbell-10": (22, 21, 10, 1664),
        "tcp-dumbbell-100": (202, 201, 100, 3329),
        "tcp-disjoint-1000": (4000, 3000, 1000, 25),
        "tcp-dci-15": (32, 31, 15, 5010),
    }


def test_the_chain_carries_what_its_rate_allows() -> None:
    """In one second, 1 Gbps of Data except for the first round trip."""
    [workload] = simulations.chosen("ndn-chain")
    measured = simulations.run_windtunnel(workload, 1.0)
    data_a_second = 1e9 / 8 / (measured["data_bytes"] + PPP_BYTES)
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
    if (simulations.NS3 / "ndn_workloads").exists():
        assert it["ns3"]["packet_hops"] == pytest.approx(it["packet_hops"], rel=0.01)
        assert it["ns3"]["same_goodput"]
        assert min(it["ns3"]["ratios"]) <= it["ns3"]["ratio"] <= max(it["ns3"]["ratios"])
    else:
        assert it["ns3"] is None


FIGURES: dict[str, Any] = {
    "duration_s": 1,
    "packet_hops": 4_000_000,
    "cpu_s": 2.0,
    "real_s": 2.5,
    "routing_s": 0.0,
    "packet_hops_per_cpu_s": 2e6,
    "events_per_cpu_s": 3e6,
    "flows": 10,
    "peak_rss_bytes": 50_000_000,
    "rss_bytes_a_flow": 1024.0,
    "ns3": None,
}


def test_the_table_has_a_row_for_every_workload() -> None:
    document = {"workloads": [{"name": name, **FIGURES} for name in NAMES]}
    assert simulations.table(document).row_count == len(NAMES)


def test_the_caption_says_where_the_work_of_ns3_differs() -> None:
    ns3 = {"version": "3.37", "duration_s": 2, "goodput_bps": 8e8}
    same = {**ns3, "windtunnel_goodput_bps": 8e8, "same_goodput": True}
    other = {**ns3, "windtunnel_goodput_bps": 9e8, "same_goodput": False}
    workloads = [
        {"name": "tcp-link-10", **FIGURES, "ns3": same},
        {"name": "tcp-dumbbell-10", **FIGURES, "ns3": other},
    ]
    said = [
        it for it in simulations.caption({"workloads": workloads}).splitlines() if "goodput" in it
    ]
    assert said == [
        "tcp-dumbbell-10: goodput 900.0 Mbps, in ns-3 800.0 Mbps: the workloads are not the same."
    ]


def test_the_caption_gives_the_share_of_routing_where_nodes_move() -> None:
    moving = {**FIGURES, "name": "leo", "routing_s": 0.5}
    caption = simulations.caption({"workloads": [moving, {**FIGURES, "name": "tcp"}]})
    assert "leo: 20% of the real time is routing." in caption
    assert "tcp: " not in caption


def test_the_caption_gives_the_memory_a_flow_where_there_are_many() -> None:
    workloads = [
        {"name": "tcp-link-10", **FIGURES},
        {"name": "tcp-disjoint-1000", **FIGURES, "flows": 1000},
    ]
    said = [
        it for it in simulations.caption({"workloads": workloads}).splitlines() if "memory" in it
    ]
    assert said == ["tcp-disjoint-1000: 1.00 KiB of memory per flow."]


def test_lookups_are_timed_in_tables_of_the_sizes_of_countries() -> None:
    said: list[str] = []
    document = lookups.measure(said.append, evictions=2)
    own = list(by_country(4).values())
    sizes = {(it["table"], it["entries"]) for it in document["lookups"]}
    assert sizes == {
        ("codes", 254),
        ("full-codes", 254 * 256),
        ("longest-prefix-codes", 254 * 256),
        ("median-region", own[len(own) // 2]),
        ("largest-region", max(own)),
        ("all-regions", sum(own)),
    }
    assert all(it["warm_ns"] > 0 and it["cold_ns"] >= 0 for it in document["lookups"])
    assert lookups.table(document).row_count == len(document["lookups"]) == 20
    assert said


def test_a_table_that_does_not_fit_into_the_address_space_is_refused() -> None:
    with pytest.raises(ValueError, match="table `huge`"):
        _core.measure_lookups([("huge", [0] * 8 + [224] + [0] * 24)], 1, 1)


def test_unknown_workloads_are_answered_with_what_there_is() -> None:
    with pytest.raises(UnknownWorkload, match="did you mean `lookup`"):
        simulations.chosen("lookups")
