"""Names that are asked for between regions: what a user is told of a flow whose name fails."""

from __future__ import annotations

import pytest

import windtunnel
from windtunnel.measures.silence import OUTCOMES, silent_flows

SCENARIO = """
duration = "12 s"
nodes = { host = {}, root-2 = {}, root-1 = {}, server = {} }
[defaults.link]
rate = "100 Mbps"
delay = "2 ms"
[links]
inside = { nodes = ["host", "root-2"] }
between = { nodes = ["root-2", "root-1"] }
there = { nodes = ["root-1", "server"] }
[regions.ct1]
code = 1
nodes = ["root-1", "server"]
root = "root-1"
names = { "www.xyz.com" = "server" }
[regions.ct2]
code = 2
nodes = ["host", "root-2"]
root = "root-2"
[region_protocol]
absent = "no-name"
[flows.visit]
from = "host"
to = "server"
peer_name = "www.xyz.com.ct1"
controller = "cubic"
start = "1 s"
"""


def run(settings: dict[str, str]) -> windtunnel.Results:
    """Run the scenario with settings."""
    scenario = windtunnel.Scenario.parse(SCENARIO)
    return windtunnel.run(scenario, settings=settings, progress=False)


@pytest.mark.parametrize(
    ("setting", "outcome"),
    [
        ({"flows.visit.peer_name": "www.xyz.com"}, "no-name"),
        ({"flows.visit.peer_name": "www.xyz.com", "region_protocol.absent": "no-data"}, "no-data"),
        ({"links.inside.loss": "100 %"}, "no-answer"),
    ],
)
def test_a_flow_whose_name_is_not_found_is_silent_for_that_reason(
    setting: dict[str, str], outcome: str
) -> None:
    results = run(setting)
    assert results["name_lookups"]["outcome"].to_list() == [outcome]
    [silent], count = silent_flows(results, 5)
    name = setting.get("flows.visit.peer_name", "www.xyz.com.ct1")
    assert (count, silent.reason) == (1, f"its name {name} was not found: {OUTCOMES[outcome]}")


def test_every_outcome_of_a_failure_has_words() -> None:
    assert {*OUTCOMES} == {"no-name", "no-data", "refused", "server-failure", "no-answer"}


def test_a_flow_whose_name_is_found_is_not_silent() -> None:
    results = run({})
    assert results["name_lookups"]["outcome"].to_list() == ["found"]
    assert silent_flows(results, 5) == ([], 0)
