"""Conformance: what the command answers, and what it says of wrong input."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conftest import Command
from windtunnel._core import ScenarioError
from windtunnel.conformance import suites
from windtunnel.conformance.playing import play
from windtunnel.controller_names import NamedController, find

SUITE = """\
title = "Halving"
document = "a draft"
controllers = ["reno"]

[[cases]]
name = "halves"
holds = "A loss halves the window."
source = "section 1"
start = { window = 100 }
steps = [{ signal = "loss", expect = { cwnd = 50 } }]

[[cases]]
name = "paces"
holds = "It paces."
source = "section 2"
needs = ["pacing"]
steps = [{ rounds = 1, expect = { pacing_rate = { least = 1 } } }]

[[cases]]
name = "quarters"
holds = "A loss leaves a quarter of the window."
source = "section 3"
fails = [{ controller = "reno", reason = "it halves" }]
steps = [{ signal = "loss", expect = { ratio = 0.25 } }]
"""

MINE = """\
import windtunnel

class Quarter(windtunnel.Controller):
    def on_acknowledgement(self, acknowledgement):
        self.grow(acknowledgement.acknowledged)

    def on_congestion(self, congestion):
        self.decrease(congestion.signal, self.cwnd / 4)

class Broken(Quarter):
    def on_congestion(self, congestion):
        raise RuntimeError("no idea")
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Write a suite, and controllers beside it."""
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    file = tmp_path / "cases.toml"
    file.write_text(SUITE, encoding="utf-8")
    return file


def verdicts(suite: Path, controller: NamedController) -> dict[str, str]:
    return {it.case: it.verdict for it in play(suites.read(str(suite)), controller)}


def test_cases_pass_fail_are_known_to_fail_or_do_not_apply(suite: Path) -> None:
    reno = {"halves": "passes", "paces": "does-not-apply", "quarters": "fails-as-known"}
    assert verdicts(suite, find("reno")) == reno
    quarter = find(f"{suite.parent}/mine.py:Quarter")
    assert quarter.name == "quarter"
    mine = {"halves": "fails", "paces": "does-not-apply", "quarters": "passes"}
    assert verdicts(suite, quarter) == mine


def test_a_failure_that_is_known_of_a_controller_must_be_one(suite: Path) -> None:
    suite.write_text(SUITE.replace("ratio = 0.25", "ratio = 0.5"), encoding="utf-8")
    assert verdicts(suite, find("reno"))["quarters"] == "passes-unexpectedly"


def test_a_controller_that_raises_an_exception_fails_with_its_message(suite: Path) -> None:
    broken = find(f"{suite.parent}/mine.py:Broken")
    [found] = play(suites.read(str(suite)), broken, "halves")
    assert found.verdict == "fails"
    assert found.failure is not None
    assert "no idea" in found.failure["expected"]
    assert found.failure["step"] == 1


def test_what_the_command_answers_and_its_exit_code(
    windtunnel: Command, suite: Path, tmp_path: Path
) -> None:
    junit = tmp_path / "found.xml"
    passed = windtunnel("conform", "reno", "--suite", str(suite), "--junit", str(junit))
    assert passed.returncode == 0, passed.stderr
    assert "3 cases: 1 passes, 1 does not apply, 1 known failure" in passed.stdout
    [one] = ElementTree.parse(junit).getroot()
    assert one.get("tests") == "3" and one.get("failures") == "0" and one.get("skipped") == "2"
    failed = windtunnel(
        *("conform", f"{suite.parent}/mine.py:Quarter", "--suite", str(suite)),
        *("--junit", str(junit), "--json"),
    )
    assert failed.returncode == 1
    document = json.loads(failed.stdout)
    assert document["failed"] == 1
    assert document["cases"][0]["failure"] == {
        "step": 1,
        "from_s": None,
        "time_s": 0.0,
        "quantity": "cwnd",
        "expected": "50",
        "measured": 25.0,
    }
    failure = ElementTree.parse(junit).getroot().find("testsuite/testcase/failure")
    assert failure is not None
    assert "cwnd: expected 50, measured 25" in failure.get("message", "")


def test_one_case_is_shown_with_its_trace(windtunnel: Command, suite: Path) -> None:
    shown = windtunnel("conform", "reno", "--suite", str(suite), "--case", "halves")
    assert shown.returncode == 0, shown.stderr
    assert "loss" in shown.stdout and "50" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cubik",), "unknown controller `cubik`\nhelp: did you mean `cubic`?"),
        (("cubic", "--suite", "cubi"), "unknown suite `cubi`\nhelp: did you mean `cubic`?"),
        (("cubic", "--case", "curv"), "unknown case `curv`\nhelp: did you mean `curve`?"),
        (("vegas",), "no suite is made for `vegas`\nhelp: choose one with --suite: bbr3, cubic"),
        (("cubic", "--suite", "no.toml"), "no.toml: No such file"),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(
    windtunnel: Command, arguments: tuple[str, ...], message: str
) -> None:
    answer = windtunnel("conform", *arguments)
    assert answer.returncode == 2
    assert message in answer.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('holds = "It', 'hold = "It', ":14:1: unknown key `hold`"),
        ("{ cwnd = 50 }", '{ cwnd = "50" }', '"50" is not a number'),
        ("{ cwnd = 50 }", "{ cwn = 50 }", "unknown key `cwn`"),
        ("{ ratio = 0.25 }", "{ ratio = {} }", "this says not which numbers are right"),
        ('"loss", expect = { cwnd', '"los", expect = { cwnd', "unknown value `los`"),
        ("{ rounds = 1, ", "{ ", ":17:10: nothing happens in this step"),
        ("{ rounds = 1, ", '{ rounds = 1, wait = "1 s", ', "several things happen"),
        ('["pacing"]', '["pacings"]', "unknown need `pacings`"),
        ('"paces"', '"halves"', "there is another case `halves`"),
        ("{ window = 100 }", "{ rtt = 100 }", ":9:17: "),
        ("{ rounds = 1, ", "{ rounds = 1, rate = 0, ", "`rate` must be greater than zero"),
    ],
)
def test_a_mistake_in_a_file_is_shown_where_it_is(
    suite: Path, right: str, wrong: str, message: str
) -> None:
    assert right in SUITE
    suite.write_text(SUITE.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(ScenarioError) as error:
        suites.read(str(suite))
    assert message in str(error.value)
    assert str(suite) in str(error.value)


def test_every_suite_has_controllers_and_sources() -> None:
    for name in suites.names():
        found = suites.read(name)
        assert found.controllers and found.document
        assert all(case["source"] and case["holds"].endswith(".") for case in found.cases.values())
