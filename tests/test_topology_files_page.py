"""The page on files of topologies: its examples, and that demands arrive at their rates."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import windtunnel

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "topology-files.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    """Give the page's only example in a language."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    return str(text)


def test_the_scenario_is_the_one_in_the_repository() -> None:
    assert example("toml") == (ROOT / "scenarios" / "demands.toml").read_text(encoding="utf-8")


def test_the_commands_print_what_the_page_says() -> None:
    blocks = re.split(r"^\$ ", example("console"), flags=re.MULTILINE)[1:]
    for block in blocks:
        command, expected = block.split("\n", 1)
        command = command.replace("windtunnel", f"{sys.executable} -m windtunnel", 1)
        done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
        assert (done.stdout, done.stderr) == (expected, "")


def test_demands_arrive_at_half_their_rates() -> None:
    flows = windtunnel.run(ROOT / "scenarios" / "demands.toml")["flows"]
    demands = flows.filter(flows["protocol"] == "udp")
    ends = zip(demands["peer"], demands["node"], demands["goodput_bps"], strict=True)
    found = {(source[4:], target[4:]): goodput for source, target, goodput in ends}
    expected = {
        ("Bern", "Geneva"): 10e6,
        ("Bern", "Zürich"): 15e6,
        ("Geneva", "Bern"): 5e6,
        ("Zürich", "Bern"): 20e6,
        ("Zürich", "Geneva"): 2.5e6,
    }
    # Two datagrams of 1400 B in ten seconds are 2240 bit/s.
    assert found == {ends: pytest.approx(rate, abs=2300) for ends, rate in expected.items()}


def test_the_directed_graph_is_the_link_that_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "net.gml").write_text(example("gml"), encoding="utf-8")
    text = """
duration = "1 s"
[topologies.net]
kind = "file"
file = "net.gml"
link = { delay = "5 ms" }
[flows.f]
from = "net-Zürich"
to = "net-Basel"
controller = "cubic"
"""
    scenario = windtunnel.Scenario.parse(text, str(tmp_path / "scenario.toml"))
    expanded = scenario.expanded()
    assert 'rate = ["10 Mbps", "1 Mbps"], delay = ["2 ms", "5 ms"]' in expanded
