"""The page on paths: its example runs, and reports show which paths were chosen."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import polars as pl
import pytest

import windtunnel
from windtunnel.pictures import paths
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.colours import LIGHT
from windtunnel.results import Results

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "paths.md"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Run the page's example."""
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path_factory.mktemp("page") / "paths.toml"
    file.write_text(example, encoding="utf-8")
    return windtunnel.run(file)


def test_the_example_takes_the_path_of_the_lowest_latency(results: Results) -> None:
    used = results["paths"].filter(node="alice")
    assert used["path"].to_list() == ["home east work"]
    assert used["announced_latency_s"].to_list() == [pytest.approx(0.007)]
    assert results["flows"]["goodput_bps"].item() > 50e6


def test_columns_on_the_page_are_there(results: Results) -> None:
    for name in ("paths", "path_changes", "autonomous_systems", "as_routers"):
        assert f"| `{name}` |" in PAGE.read_text(encoding="utf-8")
        assert not results[name].is_empty()


def test_every_flow_has_a_bar_of_its_paths() -> None:
    settings = {"duration": "12 s"}
    compared = windtunnel.run(ROOT / "scenarios" / "paths.toml", settings=settings)
    shares, over_time = paths.paths(Comparison(compared))
    assert (shares.name, over_time.name) == ("paths", "paths-over-time")
    assert isinstance(shares.chart, partial)
    bars: pl.DataFrame = shares.chart.args[0]
    totals = bars.group_by("row").agg(pl.col("share").sum())
    assert totals["share"].to_list() == pytest.approx([100.0] * totals.height)
    assert set(totals["row"]) >= {"first", "two-subflows · subflow 1"}
    assert shares.specification(LIGHT)["mark"]
    assert over_time.specification(LIGHT)["layer"]
