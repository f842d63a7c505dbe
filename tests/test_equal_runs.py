"""Runs in which nothing is random are the same, and are not taken for several measurements."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Command
from windtunnel import Results, run, summary
from windtunnel.measures import repetition
from windtunnel.report import of_study, study_tables, write_report
from windtunnel.studies import runner
from windtunnel.studies.file import Stop
from windtunnel.studies.study import study

EQUAL = """\
duration = "2 s"
runs = 5
[topologies.d]
kind = "dumbbell"
pairs = 2
link = { rate = "10 Mbps", delay = "20 ms" }
access = { rate = "100 Mbps", delay = "1 ms" }
[flows.x]
from = "d-sender-*"
to = "d-receiver-*"
pattern = "one-to-one"
controller = "cubic"
"""
"""Nothing in it is random."""


def results_of(folder: Path, text: str, **settings: object) -> Results:
    """Run a scenario."""
    file = folder / "scenario.toml"
    file.write_text(text)
    dotted = {name.replace("__", "."): value for name, value in settings.items()}
    return run(file, settings=dotted, progress=False)


def test_equal_runs_are_told_and_shown_as_one(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "equal.toml").write_text(EQUAL)
    assert "the 5 runs are the same" in windtunnel("check", "equal.toml").stderr
    said = windtunnel("run", "equal.toml").stdout
    assert "the 5 runs are the same, because nothing in them is random" in said
    assert "±" not in said and "mean" not in said
    document = json.loads(windtunnel("run", "equal.toml", "--json").stdout)
    assert document["equal"] == [[]]
    assert document["flows"][0]["goodput_bps"]["standard_deviation"] is None
    page = write_report(tmp_path / "results" / "equal").read_text(encoding="utf-8")
    assert "The 5 runs are the same" in page


def test_runs_that_differ_are_measured_as_often_as_they_are(
    windtunnel: Command, tmp_path: Path
) -> None:
    (tmp_path / "random.toml").write_text(EQUAL + 'start_within = "100 ms"\n')
    assert "the same" not in windtunnel("check", "random.toml").stderr
    said = windtunnel("run", "random.toml").stdout
    assert (
        "the same" not in said
        and "mean ± 95 % confidence interval (Student’s t) over the runs" in said
    )


def test_of_several_cases_those_that_are_equal_are_named(tmp_path: Path) -> None:
    cases = """
[compare.loss]
none = {}
some = { "topologies.d.link.loss" = "1 %" }
"""
    results = results_of(tmp_path, EQUAL + cases)
    assert repetition.equal_cases(results) == [("none",)]
    kept = repetition.without_repetition(results)["flows"]
    assert kept.group_by("loss").len().sort("loss")["len"].to_list() == [2, 10]
    said = summary.text(results)
    assert "the 5 runs of none are the same" in said and "±" in said


def test_a_stop_rule_does_not_take_equal_runs_for_convergence() -> None:
    stop = Stop(measure="goodput_bps", precision="2 %")
    assert not runner.is_enough([5.0, 5.0, 5.0], stop)
    assert runner.is_enough([5.0, 5.001, 5.0], stop)


def test_a_study_of_what_is_not_random_is_worth_advice(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(EQUAL.replace("runs = 5\n", ""))
    text = 'scenario = "one.toml"\nseeds = 3\n[vary.rate]\npath = "topologies.d.link.rate"\n'
    (tmp_path / "study.toml").write_text(text + 'values = ["5 Mbps", "10 Mbps"]\n')
    assert "all its seeds give the same run" in windtunnel("check", "study.toml").stderr
    said = windtunnel("check", "study.toml", "--set", "flows.x.start_within=50 ms").stderr
    assert "same" not in said


def test_seeds_of_a_study_that_give_the_same_run_are_one(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(EQUAL.replace("runs = 5\n", ""))
    text = 'scenario = "one.toml"\nseeds = 3\n[vary.loss]\npath = "topologies.d.link.loss"\n'
    file = tmp_path / "study.toml"
    file.write_text(text + 'values = ["0 %", "1 %"]\n')
    results = study(file, store=tmp_path / "store", progress=False)
    said = repetition.said_of_study(results)
    assert said.startswith("all seeds give the same run at 1 of 2 combinations")
    assert repetition.each_once(results).frame["seed"].to_list() == [1, 1, 2, 3]
    assert said in of_study.warnings(results)
    [_, _, goodput, *_] = study_tables.summary(repetition.each_once(results)).table.columns
    assert ["±" in it.text for it in goodput.cells] == [False, True]
