"""Gates: what is a regression, what a baseline holds, and what continuous integration gets."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from scipy import stats

from conftest import Command
from windtunnel.cli import gating
from windtunnel.cli.gating import Options
from windtunnel.cli.output import Failure
from windtunnel.gate import baseline, comparison, junit
from windtunnel.gate.baseline import Figures, Values
from windtunnel.gate.comparison import JUDGED, Compared, Tolerances, Verdict
from windtunnel.studies.errors import StudyError
from windtunnel.studies.measures import MEASURED, MEASURES

SCENARIO = """\
duration = "2 s"
nodes = { a = {}, b = {} }
links.path = { nodes = ["a", "b"], rate = "10 Mbps", delay = "10 ms", loss = "1 %" }
flows.f = { from = "a", to = "b", controller = "cubic" }
"""

STUDY = """\
title = "Losses"
scenario = "scenario.toml"
seeds = 3
[vary.delay]
path = "links.path.delay"
values = ["5 ms", "10 ms"]
"""

TIMID = '''\
import windtunnel


class Timid(windtunnel.Controller):
    """Keeps its window at two segments."""

    def on_acknowledgement(self, acknowledgement):
        self.cwnd = 2.0

    def on_congestion(self, congestion):
        pass


class Broken(windtunnel.Controller):
    def on_acknowledgement(self, acknowledgement):
        raise ArithmeticError("no \\x01 number")
'''


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a study of two points and three seeds, and two classes; work there."""
    monkeypatch.chdir(tmp_path)
    for name, text in [
        ("scenario.toml", SCENARIO),
        ("study.toml", STUDY),
        ("mine.py", TIMID),
    ]:
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path / "study.toml"


def gate(study: Path, **options: Any) -> int:
    """Run the gate; give its exit code. Raises StudyError."""
    chosen = {
        "baseline": Path("baseline.json"),
        "update": False,
        "settings": {},
        "extensions": [],
        "measures": [],
        "tolerances": [],
        "junit": None,
        "jobs": None,
        "store": Path("store"),
        "as_json": False,
        **options,
    }
    try:
        gating.gate(study, Options(**chosen))
    except Failure as failure:
        return failure.code
    return 0


OWN = {
    "extensions": ["mine.py:Timid"],
    "settings": {"flows.f.controller": "timid"},
}


# -- What counts -------------------------------------------------------------


def judge(measure: str, before: Values, after: Values, *tolerances: str) -> Compared:
    """Judge a measure of a study of one point."""
    both = [Figures("", "", {}, {(): {measure: it}}) for it in (before, after)]
    [found] = comparison.compared(both[0], both[1], [measure], Tolerances(tolerances))
    return found


def values(*listed: float | None) -> Values:
    """Number values by seeds."""
    return dict(enumerate(listed, start=1))


@pytest.mark.parametrize("measure", JUDGED)
def test_more_is_better_or_worse_for_each_measure(measure: str) -> None:
    less, more = values(1.0, 1.1, 1.2), values(2.0, 2.2, 2.3)
    good, bad = (more, less) if MEASURED[measure].better == "more" else (less, more)
    assert judge(measure, good, bad).verdict == Verdict.REGRESSION
    assert judge(measure, bad, good).verdict == Verdict.IMPROVEMENT
    assert judge(measure, good, good).verdict == Verdict.SAME


def test_what_is_better_higher_is_what_the_measures_say() -> None:
    higher = {name for name, it in MEASURED.items() if it.better == "more"}
    assert higher == {"goodput_bps", "fairness", "utilisation"}
    assert {*JUDGED, "marks"} == set(MEASURES)


def test_the_interval_of_the_difference_is_students_of_pairs() -> None:
    before, after = values(10.0, 20.0, 30.0, 40.0), values(11.0, 22.0, 31.0, 43.0)
    found = judge("delay_s", before, after)
    paired = stats.ttest_rel(list(after.values()), list(before.values()))
    expected = paired.confidence_interval(0.95)
    assert found.difference is not None
    assert found.difference.ends == pytest.approx((expected.low, expected.high))
    # Seeds differ by more than a gate looks for: unpaired, it would see nothing.
    assert found.verdict == Verdict.REGRESSION
    alone = stats.ttest_ind(list(after.values()), list(before.values()), equal_var=False)
    assert alone.confidence_interval(0.95).low < 0


def test_a_difference_within_its_interval_or_a_tolerance_is_no_regression() -> None:
    assert judge("delay_s", values(1.0, 2.0, 3.0), values(1.5, 1.9, 3.4)).verdict == "same"
    worse = values(1.0, 1.0, 1.0), values(1.04, 1.05, 1.06)
    assert judge("delay_s", *worse).verdict == Verdict.REGRESSION
    # The whole interval must lie beyond: 0.05 ± 0.0248.
    assert judge("delay_s", *worse, "2 %").verdict == Verdict.REGRESSION
    assert judge("delay_s", *worse, "3 %").verdict == Verdict.SAME
    assert judge("delay_s", *worse, "delay_s=20 ms").verdict == Verdict.REGRESSION
    assert judge("delay_s", *worse, "delay_s=30 ms").verdict == Verdict.SAME
    assert judge("delay_s", *worse, "3 %", "delay_s=0 %").verdict == Verdict.REGRESSION


def test_equal_controllers_are_called_worse_once_in_forty_comparisons() -> None:
    import numpy

    generator = numpy.random.default_rng(1)
    drawn = generator.normal(10.0, 1.0, (2000, 2, 5))
    worse = sum(judge("delay_s", values(*one), values(*other)).is_worse for one, other in drawn)
    # Binomial: 50 ± 4 standard deviations.
    assert abs(worse - 50) < 4 * math.sqrt(2000 * 0.025 * 0.975)


def test_a_measure_that_is_gone_is_a_regression() -> None:
    found = judge("completion_s", values(1.0, 2.0, 3.0), values(1.0, None, None))
    assert found.verdict == Verdict.GONE and found.is_worse
    nothing = Figures("", "", {}, {(): {}})
    before = Figures("", "", {}, {(): {"rtt_s": values(1.0, 2.0)}})
    [found] = comparison.compared(before, nothing, ["rtt_s"], Tolerances([]))
    assert found.is_worse


def test_what_the_baseline_did_not_measure_is_not_compared() -> None:
    found = judge("completion_s", values(1.0, 2.0, None), values(1.0, 2.0, 9.0))
    assert found.verdict == Verdict.SAME


def test_a_measure_of_one_run_has_no_interval_and_is_not_compared() -> None:
    both = [
        Figures("", "", {}, {(): {"rtt_s": values(it, None), "drops": values(it, it)}})
        for it in (1.0, 2.0)
    ]
    found = comparison.compared(both[0], both[1], JUDGED, Tolerances([]))
    assert [it.measure for it in found] == ["drops"]


def test_too_few_seeds_in_common_are_refused() -> None:
    with pytest.raises(StudyError, match="fewer than 2 seeds of the baseline were run"):
        judge("delay_s", {1: 1.0, 2: 2.0}, {2: 1.0, 3: 2.0})


# -- Cases -------------------------------------------------------------------

CASES = """\
title = "Timid"
document = "its own"
controllers = []

[[cases]]
name = "small"
holds = "The window stays at two segments."
source = "the class"
start = { window = 10 }
steps = [{ rounds = 2, expect = { cwnd = 2 } }]
"""


@pytest.fixture
def cases(study: Path) -> Path:
    """Write a suite that the class `Timid` passes, and CUBIC fails; and the study's baseline."""
    assert gate(study, update=True, **OWN) == 0
    (study.parent / "cases.toml").write_text(CASES, encoding="utf-8")
    return study


def test_cases_that_pass_are_in_all_outputs_beside_the_figures(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    asked = {**OWN, "suites": ["cases.toml"], "junit": Path("gate.xml")}
    assert gate(cases, **asked) == 0
    assert capsys.readouterr().out.endswith(
        "0 regressions, 0 improvements\ntimid: 1 case: 1 passes\n"
    )
    figures, suite = ElementTree.parse("gate.xml").getroot()
    assert figures.get("name") == "Losses" and int(figures.get("tests", "")) > 10
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("Timid", "1", "0")
    root = ElementTree.parse("gate.xml").getroot()
    assert root.get("tests") == str(int(figures.get("tests", "")) + 1)
    assert gate(cases, **asked, as_json=True) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["regressions"] == 0 and said["conformance"]["failed"] == 0
    assert [it["verdict"] for it in said["conformance"]["cases"]] == ["passes"]


def test_a_case_that_fails_fails_the_gate_where_no_figure_is_worse(
    cases: Path, windtunnel: Command
) -> None:
    command = ("gate", "study.toml", "--baseline", "baseline.json", "--junit", "gate.xml")
    own = ("--extension", "mine.py:Timid", "--set", "flows.f.controller=timid")
    failed = windtunnel(*command, *own, "--suite", "cases.toml", "--controller", "cubic")
    assert failed.returncode == 1
    assert failed.stderr == (
        "windtunnel: cubic: 1 case failed\n"
        "help: windtunnel conform cubic --suite SUITE --case NAME shows one with its trace\n"
    )
    assert "0 regressions" in failed.stdout
    assert "fails  small  The window stays at two segments. (the class)" in failed.stdout
    assert "cwnd: expected 2" in failed.stdout
    root = ElementTree.parse(cases.parent / "gate.xml").getroot()
    assert (root.get("failures"), root[0].get("failures"), root[1].get("failures")) == (
        "1",
        "0",
        "1",
    )


def test_what_is_worse_and_what_fails_are_both_said(
    cases: Path, capsys: pytest.CaptureFixture[str], windtunnel: Command
) -> None:
    assert gate(cases, update=True) == 0
    command = ("gate", "study.toml", "--baseline", "baseline.json", "--measure", "goodput_bps")
    own = ("--extension", "mine.py:Timid", "--set", "flows.f.controller=timid")
    done = windtunnel(*command, *own, "--suite", "cases.toml", "--suite", "reno")
    assert done.returncode == 1
    assert re.match(r"windtunnel: 2 regressions; timid: \d+ cases failed\n", done.stderr)


def test_a_controller_alone_is_played_the_suites_that_are_made_for_it(
    cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(cases, **OWN, controller="prague") == 0
    assert re.search(r"^prague: \d+ cases: \d+ passes", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"suites": ["cubik"]}, "unknown suite `cubik`\nhelp: did you mean `cubic`"),
        ({"suites": ["absent.toml"]}, "absent.toml"),
        ({"suites": ["cubic"]}, "--suite cubic: which controller is it for?\nhelp: name it with"),
        ({"controller": "timid"}, "unknown controller `timid`"),
        ({"controller": "timid", "extensions": ["mine.py:Timid"]}, "no suite is made for `timid`"),
    ],
)
def test_mistakes_about_cases_are_answered_before_anything_runs(
    cases: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, OSError)) as error:
        gate(cases, store=Path("empty"), **options)
    assert message in str(error.value)
    assert not Path("empty").exists()


# -- Baselines ---------------------------------------------------------------


def test_a_study_is_no_worse_than_itself_and_a_timid_controller_is(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(study, update=True) == 0
    assert gate(study) == 0
    assert "0 regressions, 0 improvements" in capsys.readouterr().out
    assert gate(study, **OWN, junit=Path("gate.xml")) == 1
    shown = capsys.readouterr().out
    assert "delay = 10 ms" in shown and "goodput (Mbps)" in shown and "regression" in shown
    # Only what it does not do worse is judged.
    assert gate(study, **OWN, measures=["retransmissions", "queue_delay_s"]) == 0
    [suite] = ElementTree.parse("gate.xml").getroot()
    cases = {(it.get("classname"), it.get("name")): it for it in suite}
    assert cases["delay = 5 ms", "goodput_bps"].find("failure") is not None
    assert cases["delay = 5 ms", "retransmissions"].find("failure") is None
    assert suite.get("failures") == str(len(suite.findall("*/failure"))) != "0"


def test_a_baseline_has_a_line_for_each_measure_and_is_read_back(study: Path) -> None:
    assert gate(study, update=True) == 0
    text = Path("baseline.json").read_text(encoding="utf-8")
    [line] = [it for it in text.splitlines() if '"goodput_bps"' in it][:1]
    shown = json.loads("{" + line.strip().rstrip(",") + "}")["goodput_bps"]
    assert shown["n"] == len(shown["values"]) == 3
    assert shown["mean"] == pytest.approx(sum(shown["values"]) / 3, rel=1e-5)
    assert shown["low"] < shown["mean"] < shown["high"]
    made = json.loads(text)["made_with"]
    assert set(made) == {"windtunnel", "python", "settings", "extensions"}
    found = baseline.read(Path("baseline.json"))
    assert list(found.points) == [(("delay", "5 ms"),), (("delay", "10 ms"),)]
    baseline.write(found, Path("again.json"))
    assert Path("again.json").read_text(encoding="utf-8") == text


def test_a_run_that_fails_fails_the_gate_and_makes_no_baseline(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {"extensions": ["mine.py:Broken"], "settings": {"flows.f.controller": "broken"}}
    assert gate(study, update=True, **broken) == 1
    assert not Path("baseline.json").exists()
    assert gate(study, update=True) == 0
    assert gate(study, junit=Path("gate.xml"), **broken) == 1
    errors = ElementTree.parse("gate.xml").getroot().findall(".//error")
    assert len(errors) == 6
    assert "0 comparisons" in capsys.readouterr().out
    assert "ArithmeticError: no \N{REPLACEMENT CHARACTER} number" in str(errors[0].text)


def test_other_conditions_are_refused_and_a_comment_is_not(study: Path) -> None:
    assert gate(study, update=True) == 0
    study.write_text("# The same.\n" + STUDY.replace("Losses", "Other words"), encoding="utf-8")
    assert gate(study) == 0
    Path("scenario.toml").write_text(SCENARIO.replace("10 Mbps", "20 Mbps"), encoding="utf-8")
    with pytest.raises(StudyError, match=r"baseline\.json: the study or its scenario has changed"):
        gate(study)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"baseline.json: no such file\nhelp: --update writes it"),
        ({"measures": ["goodput"]}, "--measure goodput: unknown measure"),
        ({"measures": ["marks"]}, "--measure marks: neither direction"),
        ({"tolerances": ["goodput=1 %"]}, "--tolerance goodput: unknown measure"),
        ({"tolerances": ["0.5"]}, '--tolerance "0.5": not a valid tolerance; write such as "5 %"'),
        ({"tolerances": ["=1 %"]}, "--tolerance : unknown measure"),
        ({"tolerances": ["delay_s=1 Mbps"]}, '"delay_s=5 %" or "delay_s=1 ms"'),
        ({"tolerances": ["delay_s=-1 ms"]}, "not a valid tolerance"),
        ({"tolerances": ["drops=nan"]}, "not a valid tolerance"),
        ({"settings": {"links.path.delay": "1 ms"}}, "--set links.path.delay: the study varies it"),
        ({"settings": {"links.path.dealy": "1 ms"}, "update": True}, "dealy"),
        ({"extensions": ["mine.py:Absent"]}, "`Absent` is not a class"),
    ],
)
def test_mistakes_are_answered(study: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as error:
        gate(study, **options)
    assert message.replace(r"\n", "\n") in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a baseline of this version"),
        ("{}", "format: Field required"),
        ('{"format": 2}', "format: Input should be 1"),
    ],
)
def test_what_is_no_baseline_is_refused(study: Path, text: str, message: str) -> None:
    Path("baseline.json").write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=message):
        gate(study)


def test_a_study_of_one_seed_has_no_intervals(study: Path) -> None:
    study.write_text(STUDY.replace("seeds = 3", "seeds = 1"), encoding="utf-8")
    with pytest.raises(StudyError, match="has one seed, whose figures have no interval"):
        gate(study, update=True)


def test_a_junit_file_of_nothing_wrong_has_no_failures(tmp_path: Path) -> None:
    junit.write(tmp_path / "gate.xml", "Title", [judge("drops", values(1, 2), values(1, 2))], {})
    [suite] = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "0")


def test_the_command_ends_with_the_exit_codes_of_its_page(study: Path, windtunnel: Command) -> None:
    command = ("gate", "study.toml", "--baseline", "baseline.json")
    assert windtunnel(*command).returncode == 2
    assert windtunnel(*command, "--update").stdout == "Baseline: baseline.json, 2 points\n"
    chosen = ("--extension", "mine.py:Timid", "--set", "flows.f.controller=timid")
    worse = windtunnel(*command, *chosen, "--measure", "goodput_bps", "--json")
    assert worse.returncode == 1 and worse.stderr == "windtunnel: 2 regressions\n"
    assert json.loads(worse.stdout)["regressions"] == 2
