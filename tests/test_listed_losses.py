"""Losses and late packets by number, jitter, and loads above 100 %, in whole runs."""

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


def test_every_so_many_th_packet_is_overtaken() -> None:
    udp = 'protocol = "udp"\nrate = "1 Mbps"\npayload = "1000 B"\nstop = "3 s"'
    link = (
        'reordering = [{{ {} lateness = "10 ms" }}, {{ probability = "0 %", lateness = "1 ms" }}]'
    )
    # 375 datagrams, one each 8 ms: the 50th, the 100th and so on come after the next one.
    every = ran(link.format('kind = "periodic", every = 50,'), udp)["flows"].row(0, named=True)
    assert (every["reordered"], every["received_bytes"]) == (375 // 50, 375 * 1000)
    listed = ran(link.format('kind = "listed", packets = [7, 20],'), udp)["flows"]
    assert listed["reordered"].item() == 2


def test_netems_delays_are_about_their_mean() -> None:
    udp = 'protocol = "udp"\nrate = "4 Mbps"\npayload = "500 B"\nstop = "3500 ms"'
    keys = 'mean = "20 ms", deviation = "20 ms", correlation = "25 %", reorders = true'
    results = ran(f'jitter = {{ kind = "pareto", {keys} }}', udp)
    # Of 3500 delays; 5 ms of the link, and half a millisecond to send each. Levels with a
    # correlation of 25 % are between 0 and 1 and less often near 1, where the tail is.
    delay = results["flows"].row(0, named=True)
    assert 0.005 + 0.02 / 3 < delay["delay_minimum_s"] < 0.005 + 0.02 / 3 + 0.002
    assert 0.018 < delay["delay_s"] < 0.026
    assert 0.005 + 0.06 < delay["delay_maximum_s"] < 0.005 + 0.1 + 0.002


@pytest.mark.parametrize("load", [50, 150, 300])
def test_arrivals_offer_their_load_even_above_the_rate(load: int) -> None:
    arrivals = '{{ kind = "arrivals", sizes = "10 kB", load = "{} %" }}'
    results = ran("", f'controller = "cubic"\nworkload = {arrivals.format(load)}')
    # Seven segments with headers of 52 bytes each; arrivals are a Poisson process.
    expected = load / 100 * 10e6 / 8 / (10_000 + 7 * 52) * 4
    connections = results["flows"]["connections"].item()
    assert connections == pytest.approx(expected, abs=4 * expected**0.5)
