"""Scenarios as text: what is written is read back, and the work grows with what is written."""

from __future__ import annotations

import random
import sys
import tomllib
from typing import Any

import pytest

from windtunnel import Scenario
from windtunnel.scenario.writing import document, in_toml

TEXTS = ["", "a b", 'a "quoted"\\text', "two\nlines\tand \x01\x7f\x00", "µ – 語 😀", "'''", "#"]
NUMBERS = [True, False, 0, -7, 2**63 - 1, 0.0, -1.5, 1e300, 1e-7, float("inf")]


def value(choice: random.Random, depth: int = 0) -> Any:
    """Draw a value that TOML can express."""
    kinds = ["text", "number", "array", "table", "tables"]
    match choice.choice(kinds[: 5 if depth < 4 else 2]):
        case "text":
            return choice.choice(TEXTS)
        case "number":
            return choice.choice(NUMBERS)
        case "array":
            return [value(choice, depth + 1) for _ in range(choice.randrange(4))]
        case "table":
            return table(choice, depth + 1)
        case _:
            return [table(choice, depth + 1) for _ in range(choice.randrange(1, 4))]


def table(choice: random.Random, depth: int = 0) -> dict[str, Any]:
    """Draw a table."""
    keys = ["key", "another-key", "with space", "with.dot", "", 'with "quotes"', "ключ"]
    return {key: value(choice, depth) for key in choice.sample(keys, choice.randrange(4))}


@pytest.mark.parametrize("seed", range(300))
def test_what_is_written_is_read_back(seed: int) -> None:
    tables = table(random.Random(seed))
    assert tomllib.loads(document(tables)) == tables
    line = in_toml("tables", tables)
    assert "\n" not in line
    assert tomllib.loads(f"tables = {line}") == {"tables": tables}


def many_flows(count: int) -> dict[str, Any]:
    """Give the tables of a scenario of this many flows."""
    flow = {"from": "a", "to": "b", "controller": "dctcp"}
    workload = {"kind": "file", "size": "5 kB"}
    return {
        "duration": "1 s",
        "nodes": {"a": {}, "b": {}},
        "links": {"line": {"nodes": ["a", "b"], "rate": "1 Gbps", "delay": "1 ms"}},
        "flows": {
            f"flow-{number}": {**flow, "start": f"{number} us", "workload": workload}
            for number in range(count)
        },
    }


def calls(count: int) -> int:
    """Count the calls that writing this many flows takes."""
    tables, seen = many_flows(count), 0

    def count_call(_frame: object, event: str, _argument: object) -> None:
        nonlocal seen
        seen += event in ("call", "c_call")

    sys.setprofile(count_call)
    try:
        document(tables)
    finally:
        sys.setprofile(None)
    return seen


def test_the_work_grows_with_the_number_of_flows() -> None:
    few, many, most = (calls(count) for count in (100, 200, 400))
    assert most - many == 2 * (many - few)
    # A flow has six values, in two tables.
    assert (many - few) / 100 < 300


def test_a_scenario_of_many_flows_is_that_of_its_text() -> None:
    scenario = Scenario(**many_flows(500))
    assert scenario == Scenario.parse(document(many_flows(500)))
    assert scenario.tables == many_flows(500)
