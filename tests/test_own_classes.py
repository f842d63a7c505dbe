"""Classes of one's own on the command line and in studies, and what identifies their runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conftest import Command
from windtunnel import Controller, Results, run
from windtunnel.extensions import UnknownExtension, load
from windtunnel.fingerprints import fingerprint
from windtunnel.report import write_report
from windtunnel.studies.store import Store
from windtunnel.studies.study import study

GENTLE = '''\
import windtunnel
from helping import less


class Gentle(windtunnel.Controller):
    """Additive increase, small decrease."""

    def on_acknowledgement(self, acknowledgement):
        self.grow(self.slow_start(acknowledgement.acknowledged) / self.cwnd)

    def on_congestion(self, congestion):
        self.decrease(congestion.signal, less(self.cwnd))


class Broken(Gentle):
    def on_congestion(self, congestion):
        raise ArithmeticError("out of numbers")
'''
FAILED = "on_congestion: ArithmeticError: out of numbers (mine.py, line 17)"
HELPING = "def less(cwnd):\n    return 0.9 * cwnd\n"

SCENARIO = """\
duration = "1 s"
nodes = { a = {}, b = {} }
links.path = { nodes = ["a", "b"], rate = "10 Mbps", delay = "5 ms", loss = "1 %" }
flows.f = { from = "a", to = "b", controller = "gentle" }
"""

STUDY = """\
scenario = "own.toml"
seeds = 2
[vary.controller]
path = "flows.f.controller"
values = ["gentle", "reno"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a class, a scenario that names it, and a study of that; work there."""
    for name, text in [
        ("mine.py", GENTLE),
        ("helping.py", HELPING),
        ("own.toml", SCENARIO),
        ("study.toml", STUDY),
    ]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def gentle(kept: float) -> type[Controller]:
    """Make a class that keeps a share of the window."""

    class Gentle(Controller):
        def on_acknowledgement(self, acknowledgement: Any) -> None:
            self.grow(self.slow_start(acknowledgement.acknowledged) / self.cwnd)

        def on_congestion(self, congestion: Any) -> None:
            self.decrease(congestion.signal, kept * self.cwnd)

    return Gentle


OWN = ("--extension", "mine.py:Gentle")


# -- The command line --------------------------------------------------------


def test_a_run_on_the_command_line_is_that_in_python(folder: Path, windtunnel: Command) -> None:
    done = windtunnel("run", "own.toml", *OWN, "--report")
    assert done.returncode == 0, done.stderr
    here = run("own.toml", extensions={"gentle": gentle(0.9)}, progress=False)
    assert Results.load("results/own")["flows"].equals(here["flows"])


def test_runs_of_two_versions_of_a_class_are_said_to_differ(
    folder: Path, windtunnel: Command
) -> None:
    windtunnel("run", "own.toml", *OWN, "--out", "before")
    same = windtunnel("run", "own.toml", *OWN, "--out", "before")
    assert "replaces" not in same.stderr
    helping = folder / "helping.py"
    helping.write_text(HELPING.replace("0.9", "0.5"), encoding="utf-8")
    # Python knows a module that has changed by its size, and by the second in which it did.
    os.utime(helping, (1, 1))
    windtunnel("run", "own.toml", *OWN, "--out", "after")
    compared = json.loads(windtunnel("compare", "before", "after", "--json").stdout)
    assert [it["path"] for it in compared["settings"]] == ["extension gentle"]
    again = windtunnel("run", "own.toml", *OWN, "--out", "before")
    assert "gentle has changed" in again.stderr


def test_a_class_is_checked_with_its_scenario(folder: Path, windtunnel: Command) -> None:
    assert "there is no controller `gentle`" in windtunnel("check", "own.toml").stderr
    for file in ("own.toml", "study.toml"):
        assert "valid" in windtunnel("check", file, *OWN).stdout
    assert windtunnel("check", "own.toml", *OWN, "--expand").returncode == 0


def test_a_class_that_fails_ends_the_command_with_its_line(
    folder: Path, windtunnel: Command
) -> None:
    chosen = ("--set", "flows.f.controller=broken", "--extension", "mine.py:Broken")
    done = windtunnel("run", "own.toml", *chosen)
    assert done.returncode == 2
    assert (
        "`broken`: on_congestion: ArithmeticError: out of numbers (mine.py, line 17)" in done.stderr
    )
    assert "Traceback" not in done.stderr


def test_what_a_file_has_instead_of_a_class_is_said(folder: Path) -> None:
    with pytest.raises(UnknownExtension, match=r"help: the file has Gentle, Broken$"):
        load(["mine.py:Gentel"])


def test_two_classes_of_one_name_are_refused(folder: Path) -> None:
    with pytest.raises(UnknownExtension, match="there is another `gentle`"):
        load(["mine.py:Gentle", "mine.py:Gentle"])


def test_a_report_with_satellites_is_written_of_a_class(tmp_path: Path) -> None:
    root = Path(__file__).parents[1]
    results = run(
        root / "scenarios" / "starlink.toml",
        settings={"duration": "1 s", "flows.equator.controller": "gentle", "runs": 1},
        extensions={"gentle": gentle(0.9)},
        progress=False,
    )
    folder = results.save(tmp_path / "sky")
    assert write_report(folder).exists()


# -- Studies -----------------------------------------------------------------


def test_a_study_runs_a_class_and_keeps_its_runs(folder: Path, windtunnel: Command) -> None:
    done = windtunnel("study", "study.toml", *OWN)
    assert done.returncode == 0, done.stderr
    assert "4 of 4 runs finished" in done.stdout
    first = study("study.toml", extensions=load(OWN[1:]), progress=False)
    runs = Store("results/store").table("runs")
    assert runs is not None and set(runs["key"]) == set(first.frame["key"])


def keys(extensions: dict[str, type]) -> dict[str, set[str]]:
    """Run the study; give the keys of the runs of each controller."""
    frame = study("study.toml", extensions=extensions, progress=False).frame
    by = frame.group_by("controller").agg(pl.col("key"))
    return {name: set(them) for name, them in by.rows()}


def test_another_class_of_the_same_name_has_other_runs_and_the_rest_are_shared(
    folder: Path,
) -> None:
    one, other = keys({"gentle": gentle(0.9)}), keys({"gentle": gentle(0.5)})
    assert one["reno"] == other["reno"]
    assert one["gentle"].isdisjoint(other["gentle"])
    assert keys({"gentle": gentle(0.9)}) == one
    runs = Store("results/store").table("runs")
    assert runs is not None and runs.height == 6


def test_a_class_that_fails_in_a_study_is_an_error_of_its_runs(folder: Path) -> None:
    found = study("study.toml", extensions={"gentle": load(["mine.py:Broken"])["broken"]})
    assert found.failures["controller"].unique().to_list() == ["gentle"]
    (error,) = found.failures["error"].unique().to_list()
    assert (
        error
        == "controller `gentle`: on_congestion: ArithmeticError: out of numbers (mine.py, line 17)"
    )
    assert found.frame["controller"].unique().to_list() == ["reno"]


def test_a_cluster_runs_a_class_of_a_file(folder: Path) -> None:
    (folder / "mine.py").write_text(
        GENTLE.replace("from helping import less", "def less(cwnd):\n    return 0.9 * cwnd"),
        encoding="utf-8",
    )
    extensions = load(OWN[1:])
    away = study("study.toml", store="away", jobs=2, dask="local", extensions=extensions)
    here = study("study.toml", store="here", extensions=extensions)
    assert away.failures.is_empty() and away.frame.equals(here.frame)


# -- Fingerprints ------------------------------------------------------------


def test_a_fingerprint_is_of_what_a_class_does() -> None:
    assert fingerprint(gentle(0.9)) == fingerprint(gentle(0.9))
    assert fingerprint(gentle(0.9)) != fingerprint(gentle(0.5))
    base = gentle(0.9)
    assert fingerprint(type("Gentle", (base,), {})) != fingerprint(base)
    values: list[Any] = [0.9, 0.8, {1, 2}, {2, 1, 3}]
    made = (type("Gentle", (base,), {"kept": it}) for it in values)
    assert len({*map(fingerprint, made)}) == len(values)


def test_a_fingerprint_holds_what_is_decorated() -> None:
    def cached(kept: float) -> type:
        share = cache(lambda: kept)
        return type("Cached", (gentle(0.9),), {"share": share, "bound": partial(max, kept)})

    assert fingerprint(cached(0.9)) == fingerprint(cached(0.9))
    assert fingerprint(cached(0.9)) != fingerprint(cached(0.8))


def test_what_cannot_be_taken_apart_is_never_the_same() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with open(os.devnull) as opened:
        for value in (opened, deep):
            held = type("Held", (gentle(0.9),), {"value": value})
            assert fingerprint(held) != fingerprint(held)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("0.9", "0.8"),
        lambda text: text.replace(
            "return 0.9 * cwnd", "return half(cwnd)\n\n\ndef half(it):\n    return it / 2"
        ),
    ],
)
def test_a_fingerprint_is_the_same_in_every_process_and_holds_what_is_imported(
    folder: Path, change: Callable[[str], str]
) -> None:
    program = (
        "from windtunnel.extensions import load\n"
        "from windtunnel.fingerprints import fingerprint\n"
        "print(fingerprint(load(['mine.py:Gentle'])['gentle']))"
    )

    def computed(hash_seed: str) -> str:
        # Python takes what it compiled for a file that changes within a second and keeps its size.
        no_bytecode = {"PYTHONDONTWRITEBYTECODE": "1"}
        environment = {**os.environ, **no_bytecode, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", program]
        return subprocess.check_output(command, text=True, env=environment)

    before = computed("1")
    assert computed("2") == before
    (folder / "helping.py").write_text(change(HELPING), encoding="utf-8")
    assert computed("3") != before
