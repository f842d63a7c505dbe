"""`windtunnel check`: scenarios and studies, from files and from standard input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import SCENARIO, Command

STUDY = """\
scenario = "base.toml"
seeds = 3

[vary.rate]
path = "links.wire.rate"
values = ["5 Mbps", "10 Mbps"]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Write a study of two points and three seeds."""
    (tmp_path / "base.toml").write_text(SCENARIO.split("[compare")[0].replace("runs = 2\n", ""))
    file = tmp_path / "study.toml"
    file.write_text(STUDY)
    return file


def test_a_study_is_checked_with_its_first_point(windtunnel: Command, study: Path) -> None:
    checked = windtunnel("check", "study.toml")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout == "study.toml: valid: 2 points of base.toml, 6 runs\n"
    study.write_text(STUDY.replace("wire", "wrie"))
    refused = windtunnel("check", "study.toml")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "did you mean `wire`" in refused.stderr


def test_a_study_with_a_wrong_key_is_still_a_study(windtunnel: Command, study: Path) -> None:
    study.write_text(STUDY.replace("seeds = 3", "sedes = 3"))
    refused = windtunnel("check", "study.toml")
    assert refused.returncode == 2
    assert refused.stderr.startswith("windtunnel: study.toml:2: `sedes`: ")


def test_settings_are_checked_as_those_of_run(
    windtunnel: Command, scenario: Path, study: Path
) -> None:
    checked = windtunnel("check", scenario.name, "--set", "runs=5", "--set", "duration=2 s")
    assert checked.stdout.startswith("small.toml: valid: 2 cases × 5 runs, 20 s simulated\n")
    for file in (scenario.name, study.name):
        refused = windtunnel("check", file, "--set", "duratoin=2 s")
        assert refused.returncode == 2 and "did you mean `duration`" in refused.stderr


@pytest.mark.parametrize("text", [SCENARIO, STUDY], ids=["scenario", "study"])
def test_standard_input_is_a_file_in_the_working_directory(
    windtunnel: Command, study: Path, text: str
) -> None:
    study.write_text(text)
    from_file = json.loads(windtunnel("check", study.name, "--json").stdout)
    from_input = json.loads(windtunnel("check", "-", "--json", input=text).stdout)
    # The title of a study without one is the name of its file.
    assert {**from_input, "file": None, "title": None} == {**from_file, "file": None, "title": None}
    assert from_input["kind"] == ("study" if text == STUDY else "scenario")


def test_json_says_what_would_be_run(windtunnel: Command, scenario: Path) -> None:
    found = json.loads(windtunnel("check", scenario.name, "--json", "--set", "seed=7").stdout)
    assert found["is_valid"] and found["packet_hops"] > 0
    assert (found["cases"], found["runs"], found["seed"]) == ([["cubic"], ["aimd"]], 2, 7)
    assert (found["simulated_s"], found["axes"]) == (4, ["controller"])


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        (SCENARIO.replace('"10 Mbps"', '"10 ms"'), 9, 8),
        (SCENARIO.replace("[links.wire]", "[links.wire"), 7, 12),
        (STUDY.replace("seeds", "sedes"), 2, None),
    ],
)
def test_json_says_where_the_mistake_is(
    windtunnel: Command, text: str, line: int, column: int | None
) -> None:
    refused = windtunnel("check", "-", "--json", input=text)
    assert refused.returncode == 2
    found = json.loads(refused.stdout)
    assert not found["is_valid"]
    assert (found["line"], found["column"]) == (line, column)
    assert refused.stderr == f"windtunnel: {found['message']}\n"


def test_what_is_no_text(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with open(tmp_path / "binary", "rb") as binary:
        refused = windtunnel("check", "-", stdin=binary)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("windtunnel: -:1: not text in UTF-8: byte 0xff")
