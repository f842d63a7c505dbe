"""Recipes: each runs as it is, and the manual shows it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from conftest import Command
from windtunnel import _core, recipes
from windtunnel.package_data import RECIPES
from windtunnel.running import run_scenario

PAGE = Path(__file__).parents[1] / "docs" / "recipes.md"
SHORT = {"satellite": "2 s", "fat-tree": "2 ms", "video": "10 s", "incast": "100 ms"}
"""How much is simulated here, where it is not three seconds."""


def test_the_page_is_what_the_recipes_are() -> None:
    assert PAGE.read_text(encoding="utf-8") == recipes.page(), "run `make docs`"


def test_new_lists_the_recipes_and_their_titles(windtunnel: Command) -> None:
    listed = windtunnel("new")
    assert listed.returncode == 0
    for name, title in recipes.titles().items():
        assert f"{name}" in listed.stdout and title in listed.stdout


@pytest.mark.parametrize("name", recipes.titles())
def test_new_prints_a_recipe_that_is_valid_and_short(
    windtunnel: Command, tmp_path: Path, name: str
) -> None:
    printed = windtunnel("new", name)
    text = (RECIPES / f"{name}.toml").read_text(encoding="utf-8")
    assert (printed.returncode, printed.stdout, printed.stderr) == (0, text, "")
    assert len(text.splitlines()) <= 20
    mine = tmp_path / "mine.toml"
    mine.write_text(printed.stdout, encoding="utf-8")
    assert windtunnel("check", str(mine)).returncode == 0


@pytest.mark.parametrize("name", recipes.titles())
def test_in_every_recipe_something_arrives(name: str) -> None:
    settings = [("duration", SHORT.get(name, "3 s"))]
    results = run_scenario(_core.Scenario(name, recipes.text(name), settings))
    assert results["flows"]["received_bytes"].sum() > 0


def test_a_ping_takes_the_round_trip_of_its_path() -> None:
    results = run_scenario(_core.Scenario("ping", recipes.text("ping"), [("duration", "3 s")]))
    transfers = results["transfers"].filter(pl.col("number") > 0)
    # 64 bytes with the headers of IPv4, TCP and its timestamps (RFC 7323), over four links.
    bits = 8 * (64 + 20 + 20 + 12)
    transmission = bits / 1e9 + bits / 20e6 + bits / 5e6 + bits / 1e9
    assert transfers.height > 30
    assert transfers["completion_s"].to_list() == pytest.approx(
        [2 * (0.010 + 0.005) + transmission] * transfers.height, rel=1e-4
    )


def test_a_recipe_that_is_not_there_is_one_message(windtunnel: Command) -> None:
    answered = windtunnel("new", "incats")
    assert answered.returncode == 2
    assert "there is no recipe `incats`" in answered.stderr and "incast" in answered.stderr


@pytest.mark.parametrize("name", ["fairness", "ndn-tree", "l4s-mix"])
def test_what_a_recipe_is_expanded_to_gives_the_same_results(
    windtunnel: Command, tmp_path: Path, name: str
) -> None:
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(recipes.text(name), encoding="utf-8")
    expanded = windtunnel("check", "--expand", str(recipe))
    assert (expanded.returncode, expanded.stderr) == (0, "")
    assert "topologies" not in expanded.stdout and "count" not in expanded.stdout
    texts = (recipes.text(name), expanded.stdout)
    one, other = (
        run_scenario(_core.Scenario("recipe.toml", it, [("duration", "2 s")])) for it in texts
    )
    assert one.tables.keys() == other.tables.keys()
    for table in one.tables:
        assert one[table].equals(other[table]), table
