"""The page on controllers in continuous integration, followed with its class and its crate."""

from __future__ import annotations

import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from conftest import Command
from windtunnel import Plugin, run
from windtunnel.cli import gating
from windtunnel.cli.gating import Options
from windtunnel.extensions import UnknownExtension, load
from windtunnel.fingerprints import fingerprint

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "controller-in-ci.md").read_text(encoding="utf-8")
ACTIONS = {
    name: yaml.safe_load((ROOT / name / "action.yml").read_text(encoding="utf-8"))
    for name in (".", "conform")
}


def blocks(language: str) -> list[str]:
    """Give the page's code blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page; work there."""
    network, study, _ = blocks("toml")
    [mine] = blocks("python")
    (tmp_path / "gate").mkdir()
    # As long as it takes to see both flows.
    shorter = network.replace('"10 s"', '"5 s"')
    assert shorter != network
    (tmp_path / "gate" / "network.toml").write_text(shorter, encoding="utf-8")
    (tmp_path / "gate" / "study.toml").write_text(study, encoding="utf-8")
    (tmp_path / "mine.py").write_text(mine, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def update(project: Path) -> None:
    """Make the page's baseline."""
    options = Options(
        Path("gate/baseline.json"),
        update=True,
        settings={},
        extensions=["mine.py:Gentle"],
        measures=[],
        tolerances=[],
        junit=None,
        jobs=None,
        store=Path("results/store"),
        as_json=False,
    )
    gating.gate(Path("gate/study.toml"), options)


# -- The action --------------------------------------------------------------


def step(action: str, name: str) -> dict[str, Any]:
    """Give a step of an action."""
    [found] = [it for it in ACTIONS[action]["runs"]["steps"] if it.get("name") == name]
    return dict(found)


def environment(action: str, of: dict[str, Any], given: dict[str, str]) -> dict[str, str]:
    """Give the environment of a step, with the inputs in it."""

    def value(text: str) -> str:
        name = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", text)
        assert name, text
        return str(given.get(name[1], ACTIONS[action]["inputs"][name[1]].get("default", "")))

    own = {name: value(text) for name, text in of["env"].items()}
    return {**os.environ, **own, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def done(action: str, name: str, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a step of an action as GitHub does."""
    chosen = step(action, name)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", chosen["run"]],
        env=environment(action, chosen, given),
        capture_output=True,
        text=True,
        check=False,
    )


def given_by_workflow(place: int, action: str) -> dict[str, str]:
    """Give the inputs of a workflow of the page, which must be those of the action."""
    [job] = yaml.safe_load(blocks("yaml")[place])["jobs"].values()
    given: dict[str, str] = job["steps"][1]["with"]
    inputs = ACTIONS[action]["inputs"]
    assert set(given) <= set(inputs)
    assert {name for name, it in inputs.items() if it.get("required")} <= set(given)
    return given


def test_the_action_compares_what_the_pages_workflow_gives_it(project: Path) -> None:
    given = given_by_workflow(0, ".")

    def compare(given: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return done(".", "Compare with the baseline", given)

    update(project)
    same = compare(given)
    assert same.returncode == 0, same.stderr
    assert same.stdout.endswith("0 regressions, 0 improvements\n")
    assert len(ElementTree.parse("windtunnel-gate.xml").getroot()[0]) > 20
    worse = compare({**given, "set": "defaults.flow.controller=fixed\n"})
    assert worse.returncode == 1 and "regressions" in worse.stderr
    # An input is a word of the command, whatever is in it.
    strange = compare({**given, "measure": "$(touch taken); goodput_bps"})
    assert strange.returncode == 2 and "unknown measure" in strange.stderr
    assert not Path("taken").exists()


CASES = """\
title = "Gentle"
document = "its page"
controllers = []

[[cases]]
name = "keeps"
holds = "A loss leaves nine tenths of the window."
source = "the class"
start = { window = 80 }
steps = [{ signal = "loss", expect = { cwnd = 72 } }]
"""


def test_the_action_plays_the_cases_that_its_workflow_names(project: Path) -> None:
    given = given_by_workflow(1, ".")
    Path("cases.toml").write_text(CASES, encoding="utf-8")
    update(project)
    passed = done(".", "Compare with the baseline", given)
    assert passed.returncode == 0, passed.stderr
    assert passed.stdout.endswith("0 improvements\ngentle: 1 case: 1 passes\n")
    assert len(ElementTree.parse("windtunnel-gate.xml").getroot()) == 2
    Path("cases.toml").write_text(CASES.replace("72", "71"), encoding="utf-8")
    failed = done(".", "Compare with the baseline", given)
    assert failed.returncode == 1 and "gentle: 1 case failed" in failed.stderr
    other = {**given, "suite": "cases.toml\nreno\n", "controller": "reno"}
    assert "reno: 1 case failed" in done(".", "Compare with the baseline", other).stderr
    strange = done(".", "Compare with the baseline", {**given, "suite": "$(touch taken)"})
    assert strange.returncode == 2 and "unknown suite" in strange.stderr
    assert not Path("taken").exists()


def test_the_other_action_plays_the_cases_that_the_pages_workflow_names(project: Path) -> None:
    given = given_by_workflow(2, "conform")
    Path("cases.toml").write_text(CASES, encoding="utf-8")
    passed = done("conform", "Play the cases", given)
    assert passed.returncode == 0, passed.stderr
    assert passed.stdout.endswith("1 case: 1 passes\n")
    assert len(ElementTree.parse("windtunnel-conform.xml").getroot()[0].findall("testcase")) == 1
    failed = done("conform", "Play the cases", {**given, "suite": "cases.toml\nreno\n"})
    assert failed.returncode == 1 and "failed" in failed.stderr
    strange = done("conform", "Play the cases", {**given, "suite": "$(touch taken)"})
    assert strange.returncode == 2 and "unknown suite" in strange.stderr
    assert not Path("taken").exists()


@pytest.mark.parametrize("action", ACTIONS)
def test_the_steps_of_an_action_are_valid_scripts(action: str) -> None:
    steps = ACTIONS[action]["runs"]["steps"]
    assert ACTIONS[action]["runs"]["using"] == "composite"
    for it in steps:
        assert ("run" in it) is ("shell" in it) and ("run" in it) is not ("uses" in it)
        if "run" in it:
            subprocess.run(["bash", "-n", "-c", it["run"]], check=True)
            assert "${{" not in it["run"]
    install = step(action, "Install Windtunnel")
    assert environment(action, install, {})["WINDTUNNEL"] == ""


# -- A crate outside the tree ------------------------------------------------


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the page's crate, with the workspace's own crates in place of those on the net."""
    crate = tmp_path_factory.mktemp("gentle")
    manifest = blocks("toml")[-1]
    here = f'path = "{ROOT / "crates" / "plugin"}"'
    manifest, replaced = re.subn(r'git = "[^"]+"', here, manifest)
    assert replaced == 1
    (crate / "src").mkdir()
    (crate / "Cargo.toml").write_text(manifest, encoding="utf-8")
    [source] = blocks("rust")
    (crate / "src" / "lib.rs").write_text(source, encoding="utf-8")
    # What others wrote is compiled once, for this test and for the workspace.
    target = ROOT / "target"
    built = subprocess.run(
        ["cargo", "build", "--offline"],
        cwd=crate,
        env={**os.environ, "CARGO_TARGET_DIR": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    [found] = [*(target / "debug").glob("libgentle.so"), *(target / "debug").glob("*gentle.dylib")]
    return found


SETTINGS = {"duration": "3 s", "links.line.loss": "0.5 %"}


def test_a_crate_outside_the_tree_gives_what_the_class_gives(project: Path, library: Path) -> None:
    [(name, loaded)] = load([str(library)]).items()
    assert name == "gentle"
    in_rust, in_python = (
        run("gate/network.toml", settings=SETTINGS, extensions=it, progress=False)
        for it in ({name: loaded}, load(["mine.py:Gentle"]))
    )
    assert in_rust.tables.keys() == in_python.tables.keys()
    for table, rows in in_rust.tables.items():
        assert rows.equals(in_python[table]), table
    assert in_rust["flows"]["retransmissions"].to_list()[0] > 0
    assert fingerprint(pickle.loads(pickle.dumps(loaded))) == fingerprint(loaded)
    # It is what is in the file that counts, wherever that is.
    moved = shutil.copy(library, project / "moved.so")
    assert fingerprint(Plugin(moved)) == fingerprint(loaded)


def test_the_crate_passes_the_gate_of_the_class(
    project: Path, library: Path, windtunnel: Command
) -> None:
    update(project)
    command = ("gate", "gate/study.toml", "--baseline", "gate/baseline.json")
    done = windtunnel(*command, "--extension", library, cwd=project)
    assert done.returncode == 0, done.stderr
    assert "0 regressions, 0 improvements" in done.stdout


def test_what_is_no_library_is_refused(project: Path) -> None:
    Path("text.so").write_text("text", encoding="utf-8")
    with pytest.raises(UnknownExtension, match=r"text\.so: not a dynamic library"):
        load(["text.so"])
    with pytest.raises(UnknownExtension, match=r"absent\.so: not a dynamic library"):
        load(["absent.so"])
    from windtunnel import _core

    with pytest.raises(UnknownExtension, match="exports no controller; write windtunnel_plugin"):
        load([str(Path(str(_core.__file__)).resolve())])
    with pytest.raises(ValueError, match="not a dynamic library"):
        Plugin("text.so")
