"""The page on queues: its example, and what its scenario shows of each kind."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import windtunnel
from windtunnel import Scenario
from windtunnel.results import Results
from windtunnel.running import run_scenario

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "queues.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def compared() -> Results:
    """Run the page's scenario for a shorter time."""
    return windtunnel.run(ROOT / "scenarios" / "queues.toml", settings={"duration": "10 s"})


def delay(results: Results, queue: str, flow: str) -> float:
    """Give a flow's mean delay in seconds."""
    (value,) = results["flows"].filter(queue=queue, flow=flow)["delay_s"].to_list()
    return float(value)


def example(section: str) -> Scenario:
    """Read the scenario in that section of the page."""
    (text,) = re.findall(rf"^## {section}\n.*?```toml\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    return Scenario.parse(text)


CHANGES = "Changes during a run"


def test_a_step_marks_and_drops_nothing_after_slow_start() -> None:
    results = run_scenario(example("Marks"))
    (bottleneck,) = results["links"].filter(link="bottleneck", to="receiver").to_dicts()
    assert bottleneck["marks"] > 1000
    assert bottleneck["discipline_drops"] == 0
    assert results["flows"]["retransmissions"].sum() == bottleneck["overlimit_drops"]


def test_the_lost_packet_of_the_file_is_retransmitted_once() -> None:
    flows = run_scenario(example(CHANGES))["flows"]
    file = flows.row(by_predicate=pl.col("flow") == "file", named=True)
    assert (file["received_bytes"], file["retransmissions"], file["timeouts"]) == (100_000, 1, 0)


def test_losses_begin_and_end_with_their_changes() -> None:
    flows = run_scenario(example(CHANGES))["flows"]
    stream = flows.row(by_predicate=pl.col("flow") == "stream", named=True)
    # 2 s at 2 Mbps in datagrams of 1400 B, of which 1 % are lost: within five deviations.
    sent = 2 * 2e6 / 8 / 1400
    assert abs(stream["lost"] - 0.01 * sent) < 5 * (0.01 * sent) ** 0.5
    assert stream["lost"] > 0


def test_a_call_that_goes_first_waits_for_no_more_than_a_packet(compared: Results) -> None:
    # 15 ms of propagation; a full packet takes 0.6 ms on the line, and one is before the call.
    for queue in ("strict-priority", "cake"):
        assert 0.015 < delay(compared, queue, "call") < 0.015 + 3 * 0.6e-3


def test_cake_keeps_the_downloads_near_its_target(compared: Results) -> None:
    downloads = [delay(compared, "cake", f"download-{number}") for number in (1, 2)]
    others = [delay(compared, "shaper", f"download-{number}") for number in (1, 2)]
    assert max(downloads) < 0.75 * min(others)


@pytest.mark.parametrize("queue", ["shaper", "cake", "policer"])
def test_no_more_passes_than_the_rate(compared: Results, queue: str) -> None:
    line = compared["links"].filter(pl.col("from") == "router", queue=queue, link="line")
    (bytes_sent,) = line["delivered_bytes"].to_list()
    burst = 50_000
    assert bytes_sent * 8 <= 18e6 * 10 + 8 * burst
