"""The manual states each default as it is used, and documents name columns that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from windtunnel import _core
from windtunnel.manual.scenarios import EXAMPLE
from windtunnel.measures.definitions import columns
from windtunnel.running import run_scenario
from windtunnel.scenario.writing import in_toml
from windtunnel.studies.measures import MEASURES

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads(_core.schema())


KINDS = ("Queue", "Controller")

SETTING = {
    "LinkDefaults": "defaults.link",
    "NodeDefaults": "defaults.node",
    "ProducerDefaults": "defaults.producer",
    "ConsumerDefaults": "defaults.consumer",
    "FlowDefaults": "defaults.flow",
    "Routing": "routing",
}
"""Where a scenario has a table of the schema, for all that it concerns."""

REQUIRED = {"rate": '"5 Mbps"', "burst": '"20 kB"'}
"""Values of keys without a default, of kinds of queues."""

MIXED = f"""{EXAMPLE}
[flows.web]
from = "server"
to = "viewer"
controller = "cubic"

[flows.call]
from = "server"
to = "viewer"
protocol = "udp"
rate = "100 kbps"
"""


def outcome(settings: dict[str, str]) -> bytes:
    """Run a scenario of all protocols shortly and give what the flows and links had."""
    given = [("duration", "1 s"), ("runs", "1"), ("links.access.queue", '"drop-tail"')]
    results = run_scenario(_core.Scenario("mixed", MIXED, [*given, *settings.items()]))
    return b"".join(results[name].write_ipc(None).getvalue() for name in ("flows", "links"))


def stated_defaults() -> list[tuple[str, str, str]]:
    """List each default of the schema: a path, its value, and that with all else left out."""
    found = []
    for name, definition in SCHEMA["$defs"].items():
        for kind in (definition, *definition.get("anyOf", []), *definition.get("oneOf", [])):
            keys = kind.get("properties", {})
            for key, described in keys.items():
                if "default" not in described:
                    continue
                value = in_toml(key, described["default"])
                if name in SETTING:
                    found.append((f"{SETTING[name]}.{key}", value, ""))
                elif name in KINDS:
                    tag = keys["kind"]["const"]
                    path = {"Queue": "links.access.queue", "Controller": "flows.web.controller"}[
                        name
                    ]
                    required = (it for it in kind.get("required", ()) if it != "kind")
                    needed = "".join(f", {it} = {REQUIRED[it]}" for it in required)
                    plain = f'{{ kind = "{tag}"{needed} }}'
                    found.append((path, f'{{ kind = "{tag}"{needed}, {key} = {value} }}', plain))
    return found


@pytest.mark.parametrize(("path", "value", "plain"), stated_defaults())
def test_a_default_of_the_manual_is_what_is_used_without_the_key(
    path: str, value: str, plain: str
) -> None:
    assert outcome({path: value}) == outcome({path: plain} if plain else {})


DOCUMENTS = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]

COLUMN = re.compile(r"`([a-z]+(?:_[a-z]+)*_(?:bps|s|packets|segments|db|m))`")
"""What looks like a column: its name ends with a unit."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda it: it.name)
def test_columns_that_a_document_names_exist(document: Path) -> None:
    known = {*columns(), *MEASURES, *keys(SCHEMA)}
    # A parameter of observations and actions of an environment.
    known.add("step_s")
    assert set(COLUMN.findall(document.read_text(encoding="utf-8"))) <= known


def keys(schema: object) -> set[str]:
    """Collect the keys of all tables of the schema."""
    if isinstance(schema, list):
        return set().union(*map(keys, schema))
    if not isinstance(schema, dict):
        return set()
    return set(schema.get("properties", {})).union(*map(keys, schema.values()))
