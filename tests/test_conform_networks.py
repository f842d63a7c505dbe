"""Conformance on a network: what is measured there, and what is said of wrong input."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from conftest import Command
from windtunnel._core import ScenarioError
from windtunnel.conformance import suites
from windtunnel.conformance.networks import loss, measured
from windtunnel.conformance.playing import Found, play
from windtunnel.controller_names import find
from windtunnel.running import run

SCENARIO = """
duration = "4 s"
nodes = { server = {}, client = {} }
links.path = { nodes = ["server", "client"], rate = "10 Mbps", delay = "20 ms" }
flows.flow = { from = "server", to = "client", protocol = "tcp", controller = "cubic" }
"""

SUITE = f"""\
title = "On a network"
document = "a draft"
controllers = ["cubic"]

[[cases]]
name = "full"
holds = "The path is full."
source = "section 1"
[cases.network]
scenario = \"\"\"{SCENARIO}\"\"\"
expect = [
    {{ from = "2 s", to = "4 s", goodput = {{ least = 9e6 }}, loss = 0, rtt = {{ most = 0.2 }} }},
]
"""

MINE = """\
import windtunnel

class One(windtunnel.Controller):
    def __init__(self, start):
        super().__init__(start)
        self.cwnd = 1

    def on_acknowledgement(self, acknowledgement):
        pass

    def on_congestion(self, congestion):
        pass

class Stalled(One):
    needs = ("pacing", "delivery-rate")

    def __init__(self, start):
        super().__init__(start)
        self.cwnd = 3
        self.pacing_rate = 1000.0

class Broken(One):
    def on_acknowledgement(self, acknowledgement):
        raise RuntimeError("no idea")
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Write a suite, and controllers beside it."""
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    file = tmp_path / "networks.toml"
    file.write_text(SUITE, encoding="utf-8")
    return file


def found(suite: Path, controller: str) -> Found:
    only = list(play(suites.read(str(suite)), find(controller)))
    return only[0]


def test_a_controller_is_put_into_the_scenario(suite: Path) -> None:
    assert found(suite, "cubic").verdict == "passes"
    one = found(suite, f"{suite.parent}/mine.py:One")
    assert one.verdict == "fails"
    assert one.failure is not None
    where = (one.failure["quantity"], one.failure["from_s"], one.failure["time_s"])
    assert where == ("goodput", 2.0, 4.0)
    # A segment of 1448 bytes in each round trip of 41.3 ms and a delayed acknowledgement of 40 ms.
    assert one.failure["measured"] == pytest.approx(1448 * 8 / 0.0813, rel=0.02)


def test_a_controller_that_raises_an_exception_fails_with_its_message(suite: Path) -> None:
    broken = found(suite, f"{suite.parent}/mine.py:Broken")
    assert broken.verdict == "fails"
    assert broken.failure is not None
    assert "no idea" in broken.failure["expected"]


def test_the_time_of_a_failure_is_told(windtunnel: Command, suite: Path) -> None:
    done = windtunnel("conform", f"{suite.parent}/mine.py:One", "--suite", str(suite))
    assert done.returncode == 1
    assert "goodput: expected at least 9000000, measured 1" in done.stdout
    assert "from 2 s to 4 s" in done.stdout


def test_a_mistake_in_a_scenario_is_shown_where_it_is(suite: Path) -> None:
    suite.write_text(suite.read_text().replace('"10 Mbps"', '"10 Mb"'), encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"networks: full:3:\d+: "):
        found(suite, "cubic")


def test_losses_are_those_of_data() -> None:
    events = pl.DataFrame(
        {
            "kind": ["sent", "sent", "retransmitted", "sent", "dropped", "lost", "dropped"],
            "data_bytes": [1, 1, 1, 1, 1, 1, 0],
        }
    )
    assert loss(events) == 0.5
    assert loss(events.clear()) is None


def test_means_are_of_the_interval(tmp_path: Path) -> None:
    """Conservation: what arrives before and after a time is what arrives in all."""
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    results = run(file, progress=False)
    parts = [measured(results, "goodput", *it) for it in ((0.0, 1.0), (1.0, 4.0))]
    assert parts[0] is not None
    assert parts[1] is not None
    received = results["flows"]["received_bytes"].item() * 8
    assert parts[0] * 1 + parts[1] * 3 == pytest.approx(received, rel=1e-9)


def on_networks() -> list[str]:
    """Name the cases of BBR's suite that are played on a network."""
    return [name for name, it in suites.read("bbr3").cases.items() if it.get("network")]


def test_bbr3_passes_the_cases_of_its_draft_that_need_a_network(suite: Path) -> None:
    """A window of three segments passes none of them."""
    assert len(on_networks()) == 6
    stalled = find(f"{suite.parent}/mine.py:Stalled")
    for name in on_networks():
        (right,) = play(suites.read("bbr3"), find("bbr3"), name)
        (wrong,) = play(suites.read("bbr3"), stalled, name)
        assert right.verdict == "passes", (name, right.failure)
        assert wrong.verdict == "fails", name


def test_the_suite_of_the_page_is_one(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "conformance.md").read_text(encoding="utf-8")
    [text] = [it for it in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "network" in it]
    (tmp_path / "page.toml").write_text(text, encoding="utf-8")
    assert found(tmp_path / "page.toml", "cubic").verdict == "passes"
