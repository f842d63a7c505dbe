"""Scenarios built and changed in Python: the same model as files, and the same messages."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import pty
import subprocess
import sys
import tomllib
import typing
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

import windtunnel
from conftest import OVER_KERNEL, SCENARIO, needs_kernel
from windtunnel import Scenario, ScenarioError, _core
from windtunnel.pictures.units import maximum
from windtunnel.scenario import tables
from windtunnel.scenario.table_types import module

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads(_core.schema())


@pytest.fixture
def small() -> Scenario:
    """Give the small scenario."""
    return Scenario.parse(SCENARIO)


def built(**changed: object) -> Scenario:
    """Build a scenario of one flow over one link, with some keys otherwise."""
    tables: dict[str, Any] = {
        "duration": "1 s",
        "nodes": {"server": {}, "phone": {}},
        "links": {"air": {"nodes": ["server", "phone"], "rate": "10 Mbps", "delay": "20 ms"}},
        "flows": {"download": {"from": "server", "to": "phone", "controller": "cubic"}},
    }
    return Scenario(**(tables | changed))


def test_a_scenario_of_dictionaries_gives_what_the_same_file_gives(
    scenario: Path, small: Scenario
) -> None:
    of_file = windtunnel.run(scenario)
    of_tables = windtunnel.run(Scenario(**tomllib.loads(SCENARIO)))
    for name, table in of_file.tables.items():
        assert_frame_equal(of_tables[name], table)
    assert small.tables == tomllib.loads(SCENARIO)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(it, id=it.stem, marks=[needs_kernel] if it.name == OVER_KERNEL else [])
        for it in sorted(ROOT.glob("scenarios/*.toml"))
    ],
)
def test_every_scenario_is_built_again_from_its_tables(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = Scenario.load(file)
    # Where a scenario that was built seeks what it names.
    monkeypatch.chdir(file.parent)
    again = Scenario(**loaded.tables)
    assert again.tables == loaded.tables
    assert again.cases == loaded.cases
    assert again.bounds() == loaded.bounds()
    assert again.files == loaded.files


def test_a_scenario_says_what_it_would_run(small: Scenario) -> None:
    assert (small.title, small.axes, small.runs) == (
        "Two controllers over one link",
        ["controller"],
        2,
    )
    assert small.cases == [["cubic"], ["aimd"]]
    assert small.total_simulated_s == 4
    assert "cases: 2, runs of each: 2, simulated: 4 s" in repr(small)


def test_a_changed_scenario_leaves_the_first_as_it_was(small: Scenario) -> None:
    slow = small.changed({"links.wire.rate": "1 Mbps", "runs": 1, "seed": 7})
    assert small.text == SCENARIO
    wire: Any = slow.tables["links"]["wire"]
    assert wire["rate"] == "1 Mbps"
    assert (slow.runs, slow.seed) == (1, 7)
    assert 0 < maximum(windtunnel.run(slow)["links"]["throughput_bps"]) <= 1e6


@pytest.mark.parametrize(
    "value",
    [
        "7",
        "true",
        'a "quoted" \\ text\nof two lines',
        "µ – 語 \x7f\x00",
    ],
)
def test_a_text_stays_a_text(small: Scenario, value: str) -> None:
    assert small.changed({"title": value}).title == value
    assert built(title=value).title == value


def test_tables_and_arrays_are_values_too(small: Scenario) -> None:
    changes = [{"at": "100 ms", "rate": "1 Mbps"}, {"at": "500 ms", "state": "down"}]
    queue = {"kind": "red", "limit": "50 packets", "gentle": False, "weight": 0.25}
    changed = small.changed(
        {"links.wire.changes": changes, "links.wire.queue": queue, "nodes.third": {}}
    )
    wire: Any = changed.tables["links"]["wire"]
    assert (wire["changes"], wire["queue"]) == (changes, queue)
    assert set(changed.tables["nodes"]) == {"consumer", "producer", "third"}


def test_run_takes_settings_as_a_change_does(scenario: Path, small: Scenario) -> None:
    settings = {"links.wire.rate": "2 Mbps", "runs": 1}
    of_change = windtunnel.run(small.changed({**settings, "seed": 3}))
    for source in (scenario, str(scenario), small):
        of_run = windtunnel.run(source, settings=settings, seed=3)
        assert of_run.scenario == of_change.scenario
        assert_frame_equal(of_run["flows"], of_change["flows"])


def test_a_scenario_is_a_value(small: Scenario) -> None:
    same = Scenario.parse(SCENARIO)
    assert {small: "kept"}[same] == "kept"
    assert small != small.changed({"seed": 2})
    assert small != SCENARIO
    for again in (copy.deepcopy(small), pickle.loads(pickle.dumps(small))):
        assert again == small
        assert again.file == small.file
    with pytest.raises(AttributeError):
        small.title = "another"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        small.name = "a new one"  # type: ignore[attr-defined]


def test_a_scenario_can_be_sent_to_another_process(small: Scenario) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(repr, [small]) == repr(small)


def test_files_are_sought_beside_the_file_that_it_was_loaded_from(
    scenario: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    trace = 'trace = { file = "traces/a", kind = "opportunities" }'
    text = SCENARIO.replace('rate = "10 Mbps"', trace)
    scenario.write_text(text, encoding="utf-8")
    (scenario.parent / "traces").mkdir()
    (scenario.parent / "traces" / "a").write_text("1\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    changed = Scenario.load(scenario).changed({"seed": 2})
    assert changed.files == [("traces/a", "1\n")]
    assert Scenario.parse(text, str(scenario)).files == changed.files
    with pytest.raises(ScenarioError, match="traces/a: no such file"):
        Scenario.parse(text)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"duratoin": "1 s"}, "unknown key `duratoin`(.|\n)*did you mean `duration`"),
        ({"duration": 10}, r"scenario:1:12: (.|\n)*10(.|\n)*10 ms"),
        ({"duration": "10"}, "no unit"),
        (
            {"flows": {"download": {"from": "server", "to": "fone", "controller": "cubic"}}},
            "did you mean `phone`",
        ),
        ({"nodes": {}}, "the scenario has no nodes"),
        ({"title": None}, "title: None is not a valid value(.|\n)*omit the key"),
        ({"links": {"air": {"changes": [{"at": object}]}}}, r"links\.air\.changes\[0\]\.at: "),
        ({"nodes": {1: {}}}, "nodes: the key 1 is not text; write '1'"),
        ({"title": "\ud800"}, "scenario: not text in UTF-8"),
    ],
)
def test_a_mistake_in_python_gets_the_message_of_one_in_a_file(
    changed: dict[str, object], said: str
) -> None:
    with pytest.raises(ScenarioError, match=said):
        built(**changed)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"links.wrie.rate": "5 Mbps"}, "there is no `wrie` in links(.|\n)*`wire`"),
        (
            {"links.wire.rate": "5 ms"},
            'links.wire.rate="5 ms": .*`ms` is not a valid unit for a rate',
        ),
        ({"links.wire.rat": "5 Mbps"}, "did you mean `rate`"),
        ({"title.text": "a"}, "`title` is a value, not a table"),
        ({"links..rate": "1 Mbps"}, "is not a valid path"),
        ({"runs": None}, "runs: None is not a valid value"),
        ({"runs": "3"}, 'runs="3": .*is not a whole number'),
        ({"title": "\ud800"}, "not text in UTF-8"),
    ],
)
def test_a_wrong_change_names_its_path_and_what_would_be_right(
    small: Scenario, settings: dict[str, object], said: str
) -> None:
    with pytest.raises(ScenarioError, match=said):
        small.changed(settings)


def test_settings_may_give_what_a_file_lacks(scenario: Path) -> None:
    scenario.write_text(SCENARIO.replace('duration = "1 s"\n', ""), encoding="utf-8")
    with pytest.raises(ScenarioError, match="missing key `duration`"):
        Scenario.load(scenario)
    assert Scenario.load(scenario, {"duration": "2 s"}).total_simulated_s == 8
    assert windtunnel.run(scenario, settings={"duration": "2 s"})["runs"].height == 4


def test_a_file_that_is_none_is_refused_as_on_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Scenario.load(tmp_path / "nowhere.toml")
    picture = tmp_path / "picture.toml"
    picture.write_bytes(b"\x89PNG")
    with pytest.raises(ScenarioError, match=r"picture\.toml:1: not text in UTF-8"):
        windtunnel.run(picture)


LONG = """\
import windtunnel
scenario = windtunnel.Scenario.parse({text!r}).changed({{"duration": "100000 s"}})
windtunnel.run(scenario{options}, settings={{"real_time_limit": "1 s"}})
"""


@pytest.mark.parametrize(("options", "is_shown"), [("", True), (", progress=False", False)])
def test_progress_is_shown_on_a_terminal_unless_it_is_not_wanted(
    options: str, is_shown: bool
) -> None:
    watched, terminal = pty.openpty()
    program = LONG.format(text=SCENARIO, options=options)
    subprocess.run([sys.executable, "-c", program], stderr=terminal, check=True, timeout=60)
    os.close(terminal)
    os.set_blocking(watched, False)
    said = b""
    try:
        while part := os.read(watched, 65536):
            said += part
    except OSError:
        pass
    os.close(watched)
    assert ("real time" in said.decode(errors="replace")) is is_shown


def test_the_types_are_what_the_schema_gives() -> None:
    command = [Path(sys.executable).with_name("ruff"), "format", "-"]
    options = {"capture_output": True, "encoding": "utf-8", "check": True, "cwd": ROOT}
    formatted = subprocess.run(command, input=module(SCHEMA), **options)  # type: ignore[call-overload]
    file = Path(tables.__file__)
    assert file.read_text(encoding="utf-8") == formatted.stdout, "run `make docs`"


def test_every_key_of_the_schema_has_a_type() -> None:
    for name, definition in [*SCHEMA["$defs"].items(), ("ScenarioTables", SCHEMA)]:
        if "properties" in definition:
            table = getattr(tables, name)
            types = typing.get_type_hints(table, include_extras=True)
            assert set(types) == set(definition["properties"])
            required = {it for it in types if typing.get_origin(types[it]) is typing.Required}
            # Of that key it cannot be said.
            assert required == set(definition.get("required", ())) - {"from"}
