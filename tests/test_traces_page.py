"""The page on traces: its scenario is the one beside the table, and does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

import windtunnel
from windtunnel.results import Results

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "traces.md").read_text(encoding="utf-8")
SCENARIO = ROOT / "scenarios" / "drive.toml"


@pytest.fixture(scope="module")
def drive() -> Results:
    """Run the page's scenario."""
    return windtunnel.run(SCENARIO, settings={"recording.interval": "500 ms"})


def test_the_page_shows_the_scenario_and_the_head_of_its_table() -> None:
    (scenario,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert scenario == SCENARIO.read_text(encoding="utf-8")
    (head,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert head in (ROOT / "scenarios" / "traces" / "drive.csv").read_text(encoding="utf-8")


def test_each_direction_has_the_rates_of_its_column(drive: Results) -> None:
    series = drive["channel_series"].sort("time_s")
    for node, rates in (("base", [94.8e6, 88.1e6]), ("car", [10.05e6, 9.8e6])):
        own = series.filter(pl.col("from") == node)
        assert own.filter(pl.col("time_s").is_in([1.5, 2.5]))["rate_bps"].to_list() == rates


def test_the_delay_is_half_of_the_round_trip(drive: Results) -> None:
    (flow,) = drive["flows"].to_dicts()
    # The first packets meet no queue: 31 ms on the air, 1 ms each way on the wire, and their own
    # time.
    assert 0.033 < flow["delay_minimum_s"] < 0.034


def test_nothing_arrives_in_the_tunnel(drive: Results) -> None:
    series = drive["flow_series"].filter(pl.col("time_s") == 9.5)
    assert series["goodput_bps"].to_list() == [0.0]
