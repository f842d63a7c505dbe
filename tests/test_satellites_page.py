"""The page on satellites: its examples are run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel import _core
from windtunnel.pictures.units import minimum
from windtunnel.running import run_scenario

PAGE = (Path(__file__).parents[1] / "docs" / "satellites.md").read_text(encoding="utf-8")

EXAMPLE, *ADDITIONS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("addition", ["", *ADDITIONS])
def test_the_example_runs_and_every_addition_fits_it(addition: str) -> None:
    text = f"{EXAMPLE}\n{addition}"
    results = run_scenario(_core.Scenario("example", text, [("duration", "3 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0


def test_the_table_of_routes_and_the_count_of_reordering_are_there() -> None:
    settings = [("duration", "1 s"), ("recording.interval", "100 ms")]
    results = run_scenario(_core.Scenario("example", EXAMPLE, settings))
    assert results["route_series"].height == 10
    assert "reordered" in results["flows"].columns
    assert "reordered" in results["flow_series"].columns
