"""Studies with mistakes: each value is checked before anything runs, and no failure is silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import Command
from test_studies import STUDY, rows, written
from test_studies import folder as folder
from windtunnel.studies.errors import StudyError
from windtunnel.studies.file import read
from windtunnel.studies.store import Store
from windtunnel.studies.study import run, study

WRONG = STUDY.replace('"10 ms"]', '"-3 ms"]').replace('"new-reno"]', '"bbr2"]')
"""Of each parameter the second value cannot be run."""

CLASH = """\
scenario = "scenario.toml"
seeds = 3
[vary.start]
path = "flows.f.start"
values = ["0 s", "1 s"]
[vary.end]
path = "flows.f.stop"
values = ["2 s", "0.5 s"]
"""
"""Each value can be run, but not the second ones together."""


@pytest.mark.parametrize("command", ["study", "check"])
def test_every_value_is_checked_before_anything_runs(
    windtunnel: Command, folder: Path, command: str
) -> None:
    written(folder, WRONG)
    refused = windtunnel(command, "study.toml")
    assert (refused.returncode, refused.stdout) == (2, "")
    for line in (
        "study.toml:3: `vary.delay`: delay = -3 ms cannot be run: ",
        "study.toml:6: `vary.controller`: controller = bbr2 cannot be run: ",
    ):
        assert refused.stderr.count(line) == 1, refused.stderr
    assert '"-3 ms" is negative' in refused.stderr and "did you mean `bbr1`" in refused.stderr
    assert not (folder / "results").exists()


def test_a_dry_run_checks_every_value_too(windtunnel: Command, folder: Path) -> None:
    written(folder, WRONG)
    assert windtunnel("study", "study.toml", "--dry-run").returncode == 2


def test_the_first_value_may_be_the_wrong_one(folder: Path) -> None:
    text = STUDY.replace('"5 ms", ', '"-3 ms", ').replace('"cubic", ', '"bbr2", ')
    with pytest.raises(StudyError) as error:
        study(written(folder, text), store=folder / "store")
    assert "delay = -3 ms" in str(error.value) and "controller = bbr2" in str(error.value)
    assert "new-reno" not in str(error.value).split("Known here")[0]


def test_of_many_wrong_values_the_first_are_named(folder: Path) -> None:
    values = ", ".join(f'"{it} parsecs"' for it in range(13))
    text = STUDY.replace('"5 ms", "10 ms"', f'"5 ms", {values}')
    with pytest.raises(StudyError, match=r"3 more values cannot be run$"):
        study(written(folder, text), store=folder / "store")


def test_a_path_that_is_wrong_for_all_values_is_told_once(folder: Path) -> None:
    with pytest.raises(StudyError) as error:
        study(written(folder, STUDY.replace("links.path", "links.pth")), store=folder / "store")
    assert str(error.value).count("there is no `pth`") == 1


def test_a_study_with_failed_runs_says_why_and_ends_with_1(
    windtunnel: Command, folder: Path
) -> None:
    written(folder, CLASH)
    ended = windtunnel("study", "study.toml")
    assert ended.returncode == 1
    assert "9 of 12 runs finished, 3 failed" in ended.stdout
    assert ended.stderr.startswith("windtunnel: 3 of 12 runs failed\n3 runs: ")
    assert ended.stderr.count("`stop` is before the start") == 1
    # They are in the store now.
    assert windtunnel("study", "study.toml", "--json").returncode == 1


def test_a_run_that_fails_is_recorded_and_does_not_stop_the_others(folder: Path) -> None:
    file = written(folder, CLASH)
    results = study(file, store=folder / "store")
    assert (results.frame.height, results.failures.height) == (9, 3)
    [(error, runs)] = results.errors
    assert "`stop` is before the start" in error and runs == 3
    once = run(read(file), Store(folder / "store"))
    assert (once.progress.done, once.progress.failed, once.progress.stored) == (0, 0, 12)
    again = run(read(file), Store(folder / "store"), retry_failed=True)
    assert (again.progress.done, again.progress.failed, again.progress.stored) == (0, 3, 9)
    assert rows(Store(folder / "store"), "runs").height == 12
