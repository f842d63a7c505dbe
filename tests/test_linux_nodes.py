"""Nodes whose hosts are Linux kernels: their flows are connections of one kernel."""

from __future__ import annotations

import re

import pytest

from conftest import needs_kernel
from test_quic import tables
from windtunnel import Scenario, ScenarioError
from windtunnel.running import run_scenario

pytestmark = needs_kernel

NETWORK = """
title = "A kernel as the host of a node"
duration = "5 s"
nodes = {{ server = {{ {server} }}, router = {{}}, client = {{ {client} }}, other = {{ {other} }} }}

[links]
client = {{ nodes = ["router", "client"], rate = "100 Mbps", delay = "1 ms" }}
other = {{ nodes = ["router", "other"], rate = "100 Mbps", delay = "1 ms" }}

[links.bottleneck]
nodes = ["server", "router"]
rate = "20 Mbps"
delay = "10 ms"
overhead = "0 B"
queue = {{ kind = "drop-tail", limit = "64 packets" }}
"""
KERNEL = "linux = {}"
REQUESTS = (
    'workload = { kind = "request-response", request = "100 B", response = "50 kB", workers = 3 }'
)

OTHERS = [
    '"request-response", request = "100 B", response = "50 kB", think = "50 ms"',
    '"on-off", on = "300 ms", off = "700 ms"',
    '"bulk", rate = "5 Mbps"',
    '"file", size = "1 MB"',
    '"arrivals", sizes = "100 kB", rate = "10 per second"',
]
"""The workloads beside those, but for what pages and videos are made of."""


def flow(name: str, *lines: str, to: str = "client") -> str:
    ends = ('from = "server"', f'to = "{to}"', 'protocol = "tcp"')
    return "\n".join([f"[flows.{name}]", *ends, *lines, ""])


def scenario(
    *flows: str, server: str = KERNEL, client: str = "", other: str = "", more: str = ""
) -> Scenario:
    text = NETWORK.format(server=server, client=client, other=other)
    return Scenario.parse("\n".join([more, text, *flows]))


def test_flows_of_one_kernel_share_a_link() -> None:
    """The sum is the link's rate: of a full packet of 1500 B, data have 1448 B."""
    to = flow("one", 'controller = "cubic"'), flow("two", to="other")
    result = run_scenario(scenario(*to, other=KERNEL))
    flows = result["flows"]
    assert flows["failure"].to_list() == [None, None]
    assert flows["flow_controller"].to_list() == ["linux's cubic"] * 2
    rate = sum(flows["goodput_bps"].to_list())
    assert 0.97 * 20e6 < rate * 1500 / 1448 <= 20e6
    # Each has its part of it, and repairs what was dropped.
    assert min(flows["goodput_bps"].to_list()) > 2e6
    drops = sum(result["links"]["overlimit_drops"].to_list())
    assert sum(flows["retransmissions"].to_list()) == pytest.approx(drops, abs=5)


@pytest.mark.parametrize(
    ("controller", "workload"),
    [
        ("cubic", ""),
        ("bbr", REQUESTS),
        *(("cubic", f"workload = {{ kind = {it} }}") for it in OTHERS),
    ],
)
def test_one_flow_of_a_node_is_as_one_with_kernels_of_its_own(
    controller: str, workload: str
) -> None:
    """All tables are the same, to the nanosecond."""
    host = f'linux = {{ controller = "{controller}" }}'
    of_nodes = scenario(flow("copy", workload), server=host, client=host)
    tcp = f'protocol = "tcp-stack"\ntcp = {{ stack = "linux", controller = "{controller}" }}'
    of_flow = flow("copy", workload).replace('protocol = "tcp"', tcp)
    first, second = (tables(run_scenario(it)) for it in (of_nodes, scenario(of_flow, server="")))
    assert set(first) == set(second)
    for name, table in first.items():
        assert table.equals(second[name]), name


def test_a_kernel_remembers_the_path_of_a_flow_before() -> None:
    """Its cache of metrics has the threshold of a connection that is over, and the next one to the
    same host begins with it; with kernels of its own it begins without, as the first one does."""
    sysctl = 'sysctl = { "net.ipv4.tcp_no_ssthresh_metrics_save" = 0 }'
    file = 'workload = { kind = "file", size = "4 MB" }'
    flows = flow("before", file), flow("after", file, 'start = "3 s"')
    host = f"linux = {{ {sysctl} }}"
    of_one = scenario(*flows, server=host, client=host)
    tcp = f'protocol = "tcp-stack"\ntcp = {{ stack = "linux", {sysctl} }}'
    of_each = scenario(*(it.replace('protocol = "tcp"', tcp) for it in flows), server="")
    for plan, remembers in ((of_one, True), (of_each, False)):
        series = run_scenario(plan)["flow_series"].to_dicts()
        at = {(it["flow"], round(it["time_s"], 2)): it["ssthresh_segments"] for it in series}
        # In its first round trip, after 50 ms.
        assert at["before", 0.05] is None
        assert at["after", 3.05] == (at["before", 1.7] if remembers else None)


def test_either_end_can_be_windtunnels() -> None:
    ours = 'controller = "bbr3"'
    for server, client, named in ((KERNEL, "", "linux's cubic"), ("", KERNEL, "bbr3")):
        result = run_scenario(scenario(flow("copy", ours), server=server, client=client))
        flows = result["flows"]
        assert flows["failure"].to_list() == [None]
        assert flows["flow_controller"].to_list() == [named]
        assert flows["goodput_bps"][0] > 0.8 * 20e6


def test_runs_are_the_same_on_any_number_of_threads() -> None:
    flows = (
        flow("requests", REQUESTS, 'controller = "cubic"'),
        flow("bulk", to="other"),
        flow("later", 'start = "1 s"', to="other"),
    )
    plan = scenario(*flows, other=KERNEL)
    first, second = (tables(run_scenario(plan, threads=it)) for it in (1, 2))
    for name, table in first.items():
        assert table.equals(second[name]), name


def test_a_kernel_that_panics_ends_its_flows_alone() -> None:
    """A send buffer of 90 MB does not fit into its memory: it kills its first program."""
    server = 'linux = { sysctl = { "net.ipv4.tcp_wmem" = "4096 90000000 90000000" } }'
    more = 'defaults.flow.controller = "cubic"'
    others = flow("others", to="other").replace('"server"', '"client"')
    plan = scenario(flow("one"), flow("two", to="other"), others, server=server, more=more)
    flows = {it["flow"]: it for it in run_scenario(plan)["flows"].to_dicts()}
    for name in ("one", "two"):
        assert "Kernel panic - not syncing" in flows[name]["failure"]
    assert flows["others"]["failure"] is None
    assert flows["others"]["goodput_bps"] > 50e6


@pytest.mark.parametrize(
    ("lines", "nodes", "message"),
    [
        (
            ('controller = "cubic"', "timestamps = true"),
            {},
            "`timestamps` cannot be set: the host of node `server` is a Linux kernel",
        ),
        (
            ('controller = "cubic"', 'buffers = { receive = "1 MB" }'),
            {},
            "`buffers` cannot be set: the host of node `server` is a Linux kernel",
        ),
        (
            ('controller = "cubic"',),
            {"client": KERNEL},
            "`controller` cannot be set: the hosts of both nodes are Linux kernels",
        ),
        ((), {}, "`copy` has no `controller`"),
        (('controller = "elastic-sinr"',), {}, "there is no controller `elastic-sinr`"),
        (
            ('controller = "cubic"',),
            {"server": 'linux = { controller = "cubik" }'},
            "linux has no controller `cubik`",
        ),
        (
            ('controller = "cubic"',),
            {"server": 'linux = { sysctl = { "net.ipv4.nothing" = 1 } }'},
            "the kernel of node `server`: sysctl net.ipv4.nothing = 1: No such file or directory",
        ),
        (
            ('controller = "cubic"',),
            {"server": 'linux = { kernel = "7.99" }'},
            "there is no kernel `7.99` in",
        ),
    ],
)
def test_what_a_kernel_has_no_place_for_is_refused(
    lines: tuple[str, ...], nodes: dict[str, str], message: str
) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)) as refused:
        scenario(flow("copy", *lines), **nodes)
    assert re.search(r"scenario:\d+:\d+: ", str(refused.value))


def test_a_kernel_has_hundreds_of_flows() -> None:
    """More than its devices and its first program take in at once: none of what is said is lost."""
    text = """
    title = "Three hundred flows of one kernel"
    duration = "2 s"
    nodes = { server.linux = {}, client.linux = {} }
    links.path = { nodes = ["server", "client"], rate = "100 Mbps", delay = "10 ms" }

    [flows.download]
    from = "server"
    to = "client"
    protocol = "tcp"
    count = 300
    stagger = "2 ms"
    workload = { kind = "file", size = "3 kB" }
    """
    flows = run_scenario(Scenario.parse(text))["flows"]
    assert flows["failure"].null_count() == 300
    assert flows["received_bytes"].to_list() == [3000] * 300
    # A round trip and a half, and the time of its packets.
    times = flows["completion_s"].to_list()
    assert 0.030 < min(times) <= max(times) < 0.032
