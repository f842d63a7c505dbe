"""The history of the speed: a line for each commit and machine, and pictures of all lines."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from windtunnel.bench.workloads import WORKLOADS

ROOT = Path(__file__).parents[1]

MACHINE = {"machine": "2 × A"}
OLD = {"commit": "a1", "date": "2026-01-02T03:04:05+00:00"} | MACHINE | {"tcp-old": "5000000"}
NEW = {"commit": "b2", "date": "2026-02-02T03:04:05+01:00"} | MACHINE | {"ndn-new": "6000000"}
"""The workload of the first is none of the second."""

DOCUMENT: dict[str, Any] = {"workloads": [{"name": "ndn-new", "packet_hops_per_cpu_s": 6e6}]}


@pytest.fixture
def history(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Load the script, with a history and pictures of its own, and a bench that only answers."""
    spec = importlib.util.spec_from_file_location("history", ROOT / "bench" / "history.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "history", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "HISTORY", tmp_path / "history.csv")
    monkeypatch.setattr(module, "PICTURES", tmp_path)
    monkeypatch.setattr(module.simulations, "bench", lambda *_: DOCUMENT)
    monkeypatch.setattr(module.simulations, "table", lambda _: "table")
    module.write([OLD], module.HISTORY)
    commit_all(tmp_path)
    return module


def commit_all(repository: Path) -> None:
    """Commit a source of the simulator and the history."""
    (repository / "crates").mkdir()
    (repository / "crates" / "engine.rs").touch()
    who = ["-c", "user.name=t", "-c", "user.email=t@t.example"]
    for arguments in (["init"], ["add", "."], [*who, "commit", "--message=first"]):
        subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True)


def test_each_commit_and_machine_has_one_line_its_last(history: ModuleType) -> None:
    again, elsewhere = NEW | {"ndn-new": "7000000"}, NEW | {"machine": "8 × B"}
    lines: list[dict[str, str]] = []
    for line in (NEW, OLD, again, elsewhere):
        lines = history.kept(lines, line)
    assert lines == [OLD, again, elsewhere]


def test_what_is_read_is_what_was_written(history: ModuleType) -> None:
    history.write([OLD, NEW], history.HISTORY)
    read = history.read(history.HISTORY)
    assert read == [OLD | {"ndn-new": ""}, NEW | {"tcp-old": ""}]
    written = history.HISTORY.read_bytes()
    history.write(read, history.HISTORY)
    assert history.HISTORY.read_bytes() == written


def test_every_figure_is_drawn_in_one_picture(history: ModuleType, tmp_path: Path) -> None:
    history.draw([OLD, NEW], tmp_path)
    drawn = {it: (tmp_path / f"over-time-{it}.svg").read_text() for it in history.GROUPS}
    for name in ("tcp-old", "ndn-new"):
        assert [group for group, svg in drawn.items() if name in svg] == [name[:3]]


def test_no_group_of_workloads_is_empty(history: ModuleType) -> None:
    assert {history.group(it.name) for it in WORKLOADS} == set(history.GROUPS)


def test_what_is_committed_gets_a_line(history: ModuleType) -> None:
    history.main()
    [old, new] = history.read(history.HISTORY)
    assert {key: old[key] for key in OLD} == OLD
    assert (new["machine"], new["ndn-new"]) == (history.machine(), "6000000")
    # The line itself makes the next measurement none of something else.
    history.main()
    assert len(history.read(history.HISTORY)) == 2


def test_what_is_not_committed_gets_none(history: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "crates" / "engine.rs").write_text("changed", encoding="utf-8")
    history.main()
    assert history.read(history.HISTORY) == [OLD]
