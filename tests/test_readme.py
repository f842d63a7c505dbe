"""The README's examples, as a newcomer would follow them."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

from windtunnel import _core
from windtunnel.pictures.units import maximum, minimum
from windtunnel.running import run_scenario

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """The README's first code block in a language."""
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found, f"the README has no {language}"
    return found.group(1)


def test_the_scenario_is_the_file_that_the_commands_run() -> None:
    assert block("toml") == (ROOT / "scenarios" / "first.toml").read_text(encoding="utf-8")
    assert len(block("toml").splitlines()) == 10


def test_the_scenario_fills_most_of_its_link() -> None:
    scenario = _core.Scenario("README.md", block("toml"), [("duration", "10 s")])
    goodput = run_scenario(scenario)["flows"]["goodput_bps"]
    (most, _), *_ = scenario.bounds()
    assert minimum(goodput) > 0.5 * most
    assert maximum(goodput) <= most


def test_the_python_example_prints_both_controllers() -> None:
    printed = io.StringIO()
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(printed):
            exec(block("python"), {})
    finally:
        os.chdir(before)
    assert "ec-elastic" in printed.getvalue()
    assert "cubic" in printed.getvalue()
