"""The manual's page on scenario files: as the schema is, and with examples that run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from windtunnel import _core
from windtunnel.pictures.units import minimum
from windtunnel.running import run_scenario
from windtunnel.scenario.manual import ADDITIONS, EXAMPLE, manual

PAGE = Path(__file__).parents[1] / "docs" / "scenarios.md"
SCHEMA = json.loads(_core.schema())


def test_the_page_is_what_the_schema_gives() -> None:
    assert PAGE.read_text(encoding="utf-8") == manual(SCHEMA), "run `make docs`"


def test_every_example_on_the_page_is_known_here() -> None:
    examples = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert examples == [EXAMPLE, *ADDITIONS.values()]


def test_the_example_runs() -> None:
    results = run_scenario(_core.Scenario("example", EXAMPLE, [("duration", "1 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0


@pytest.mark.parametrize("addition", ADDITIONS.values())
def test_every_addition_fits_the_example(addition: str) -> None:
    text = f"{EXAMPLE}\n{addition}"
    results = run_scenario(_core.Scenario("example", text, [("duration", "3 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0


def test_every_key_of_the_schema_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for definition in [SCHEMA, *SCHEMA["$defs"].values()]:
        for table in (definition, *definition.get("anyOf", [])):
            for key in table.get("properties", {}):
                assert f"| `{key}` |" in page
        for value in definition.get("oneOf", []):
            assert "const" not in value or f"| `{value['const']}` |" in page
    for entry in json.loads(_core.catalogue("controllers")):
        assert f"### `{entry['name']}`" in page


def test_every_link_on_the_page_leads_to_a_heading() -> None:
    page = PAGE.read_text(encoding="utf-8")
    headings = re.findall(r"^##+ (.+)$", page, re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors
