"""Losses by number, jitter, and loads above 100 %, in whole runs."""

from __future__ import annotations

import pytest

from windtunnel import Results, Scenario
from windtunnel.running import run_scenario

LINE = """\
duration = "4 s"
nodes = {{ a = {{}}, b = {{}} }}
[links.line]
nodes = ["a", "b"]
rate = "10 Mbps"
delay = "5 ms"
{link}
[flows.f]
from = "a"
to = "b"
{flow}
"""


def ran(link: str, flow: str) -> Results:
    """Run a flow over a link with these keys."""
    return run_scenario(Scenario.parse(LINE.format(link=link, flow=flow)))


def test_exactly_the_listed_packets_of_a_flow_are_lost() -> None:
    udp = 'protocol = "udp"\nrate = "1 Mbps"\npayload = "1000 B"\nstop = "3 s"'
    whole = ran("", udp)["flows"].row(0, named=True)
    link = 'loss = [{ kind = "listed", packets = [17, 18, 40] }, "0 %"]'
    lossy = ran(link, udp)["flows"].row(0, named=True)
    assert whole["received_bytes"] - lossy["received_bytes"] == 3 * 1000


def test_one_lost_packet_of_tcp_is_retransmitted_once() -> None:
    link = 'loss = [{ kind = "listed", packets = [30] }, "0 %"]'
    file = 'controller = "cubic"\nworkload = { kind = "file", size = "200 kB" }'
    flow = ran(link, file)["flows"].row(0, named=True)
    assert (flow["received_bytes"], flow["retransmissions"]) == (200_000, 1)


def test_jitter_that_keeps_the_order_delays_and_retransmits_nothing() -> None:
    file = 'controller = "cubic"\nworkload = { kind = "file", size = "200 kB" }'
    jitter = 'jitter = {{ kind = "uniform", most = "3 ms", reorders = {} }}'
    flow = ran(jitter.format("false"), file)["flows"].row(0, named=True)
    assert (flow["received_bytes"], flow["retransmissions"]) == (200_000, 0)


@pytest.mark.parametrize("load", [50, 150, 300])
def test_arrivals_offer_their_load_even_above_the_rate(load: int) -> None:
    arrivals = '{{ kind = "arrivals", sizes = "10 kB", load = "{} %" }}'
    results = ran("", f'controller = "cubic"\nworkload = {arrivals.format(load)}')
    # Seven segments with headers of 52 bytes each; arrivals are a Poisson process.
    expected = load / 100 * 10e6 / 8 / (10_000 + 7 * 52) * 4
    connections = results["flows"]["connections"].item()
    assert connections == pytest.approx(expected, abs=4 * expected**0.5)
