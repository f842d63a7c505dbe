"""The comparison of two commits' speed, with programs that only say what they measured."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "bench" / "compare.py"

SPEEDS = {"base": [4e6, 2e6, 4e6], "head": [5e6, 3e6, 4e6]}
"""What each run measures, in turn: the ratios are 1.25, 1.5 and 1."""


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """Load the script, with two commits that are built already."""
    spec = importlib.util.spec_from_file_location("compare", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "compare", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    for name, speeds in SPEEDS.items():
        write_program(tmp_path, name, speeds)
    return module


def write_program(folder: Path, name: str, speeds: list[float]) -> None:
    """Write a `windtunnel` that notes each call and measures one speed after another."""
    program = folder / name / ".venv" / "bin" / "windtunnel"
    program.parent.mkdir(parents=True)
    answers = program.parent / "answers"
    lines = [
        json.dumps({"workloads": [{"packet_hops_per_cpu_s": it, "peak_rss_bytes": 5e7}]})
        for it in speeds
    ]
    answers.write_text("\n".join(lines) + "\n", encoding="utf-8")
    program.write_text(
        f"#!/bin/sh\necho {name} >> {folder}/calls\nhead -n 1 {answers} && sed -i 1d {answers}\n",
        encoding="utf-8",
    )
    program.chmod(0o755)


def measured(compare: ModuleType) -> list[list[dict[str, float]]]:
    """Measure three pairs."""
    base, head = compare.Commit("base", ""), compare.Commit("head", "")
    return list(compare.pairs_of(base, head, "tcp-link-10", 3))


def test_base_and_head_run_in_turns(compare: ModuleType, tmp_path: Path) -> None:
    measured(compare)
    assert (tmp_path / "calls").read_text(encoding="utf-8").split() == ["base", "head"] * 3


def test_the_ratio_is_the_median_of_the_pairs_ratios_head_to_base(compare: ModuleType) -> None:
    row = compare.row("tcp-link-10", measured(compare)).split()
    assert row[:3] == ["tcp-link-10", "4.00", "4.00"]
    assert row[3:7] == ["1.250", "(1.000", "to", "1.500)"]
    assert row[7:] == ["50", "50", "1.000", "(1.000", "to", "1.000)"]


@pytest.mark.parametrize(
    ("ratios", "is_slower"),
    [
        ([0.96, 0.96, 0.99], True),
        ([0.98, 0.98, 0.98], False),
        # One pair that contradicts: it may be the machine.
        ([0.90, 0.96, 1.01], False),
        ([1.02, 1.05, 1.10], False),
    ],
)
def test_slower_is_what_loses_more_than_3_percent_and_never_wins(
    compare: ModuleType, ratios: list[float], is_slower: bool
) -> None:
    pairs = [[{compare.SPEED: 1e6}, {compare.SPEED: it * 1e6}] for it in ratios]
    assert compare.is_slower(pairs) == is_slower


@pytest.mark.parametrize(("head", "ends_with"), [(4e6, "tcp-link-10"), (5e6, None)])
def test_a_workload_that_is_slower_is_named_and_is_an_error(
    compare: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    head: float,
    ends_with: str | None,
) -> None:
    for name, speed in (("old", 5e6), ("new", head)):
        write_program(tmp_path, name, [speed] * 3)
    commits = {"old": compare.Commit("old", ""), "HEAD": compare.Commit("new", "")}
    monkeypatch.setattr(compare, "commit", commits.get)
    monkeypatch.setattr(compare.Commit, "build", lambda _: None)
    monkeypatch.setattr(compare, "remove_others", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["compare.py", "--pairs", "3", "old", "tcp-link-10"])
    if ends_with is None:
        compare.main()
        return
    with pytest.raises(SystemExit) as end:
        compare.main()
    # A text is printed to standard error, and the exit code is 1.
    assert str(end.value.code).endswith(f"in every pair: {ends_with}")


def test_a_command_that_fails_is_named_with_its_last_line(compare: ModuleType) -> None:
    with pytest.raises(compare.Failed, match="there is no workload tcp-lnk-10"):
        compare.output("sh", "-c", "echo first; echo 'there is no workload tcp-lnk-10' >&2; exit 2")
