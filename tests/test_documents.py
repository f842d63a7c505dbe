"""The manual's pages on scenario files: as the schema is, and with examples that run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from windtunnel import _core
from windtunnel.manual.scenarios import ADDITIONS, EXAMPLE, manual
from windtunnel.pictures.units import minimum
from windtunnel.running import run_scenario
from windtunnel.scenario.definitions import pages, title

FOLDER = Path(__file__).parents[1] / "docs" / "scenarios"
SCHEMA = json.loads(_core.schema())


def written() -> dict[str, str]:
    """The pages that are in the manual, by the names of their files."""
    return {page.name: page.read_text(encoding="utf-8") for page in FOLDER.iterdir()}


def test_the_pages_are_what_the_schema_gives() -> None:
    assert written() == manual(SCHEMA), "run `make docs`"


def test_every_example_on_a_page_is_known_here() -> None:
    text = "\n".join(written()[name] for name in sorted(written()))
    examples = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert examples == [EXAMPLE, *ADDITIONS.values()]


def test_the_example_runs() -> None:
    results = run_scenario(_core.Scenario("example", EXAMPLE, [("duration", "1 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0


@pytest.mark.parametrize("addition", ADDITIONS.values())
def test_every_addition_fits_the_example(addition: str) -> None:
    text = f"{EXAMPLE}\n{addition}"
    results = run_scenario(_core.Scenario("example", text, [("duration", "3 s")]))
    assert minimum(results["flows"]["received_bytes"]) > 0


def test_every_key_of_the_schema_is_on_a_page() -> None:
    page = "\n".join(written().values())
    for definition in [SCHEMA, *SCHEMA["$defs"].values()]:
        for table in (definition, *definition.get("anyOf", [])):
            for key in table.get("properties", {}):
                assert f"| `{key}` |" in page
        for value in definition.get("oneOf", []):
            assert "const" not in value or f"| `{value['const']}` |" in page
    for entry in json.loads(_core.catalogue("controllers")):
        assert f"\n## `{entry['name']}`\n" in written()["controller.md"]


def test_no_two_definitions_on_a_page_have_the_same_heading() -> None:
    headings = [(page, title(name)) for name, page in pages(SCHEMA).items()]
    assert len(set(headings)) == len(headings)


def test_every_table_that_the_file_names_has_a_page() -> None:
    linked = re.findall(r"\| `([a-z_]+)` \| .*?\]\(([a-z-]+\.md)\)", written()["README.md"])
    assert len(linked) >= 20
    assert {page for _, page in linked} <= written().keys()


def test_a_link_leads_to_the_heading_of_the_page_that_has_it() -> None:
    texts = written()
    for name, text in texts.items():
        for page, anchor in re.findall(r"\]\(([a-z-]+\.md)#([a-z-]+)\)", text):
            headings = re.findall(r"^##+ (.+)$", texts[page], re.MULTILINE)
            assert anchor in {it.lower().replace(" ", "-") for it in headings}, name
