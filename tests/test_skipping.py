"""Skipped tests: failures where all are required, on the side of Python and on that of Rust."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SKIPPED = """\
import pytest

@pytest.mark.skipif(True, reason="no tool")
def test_by_a_mark(): ...

def test_by_a_call(): pytest.skip("no tool")

def test_by_an_import(): pytest.importorskip("no_such_module", reason="no tool")

@pytest.fixture
def tool(): pytest.skip("no tool")

def test_by_a_fixture(tool): ...

@pytest.mark.xfail
def test_that_fails_as_expected(): assert False

def test_that_passes(): ...
"""
WHOLE_FILE = 'import pytest\npytest.skip("no tool", allow_module_level=True)\n'


def outcome(folder: Path, text: str, required: str) -> str:
    """Run tests with the hooks of this folder; give what pytest says of them."""
    (folder / "test_some.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    environment = os.environ | {
        "PYTHONPATH": str(ROOT / "tests"),
        "WINDTUNNEL_REQUIRE_ALL": required,
    }
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-rA"]
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    return ended.stdout


def test_a_skip_is_a_failure_where_all_tests_are_required(tmp_path: Path) -> None:
    assert "1 passed, 4 skipped, 1 xfailed" in outcome(tmp_path, SKIPPED, "0")
    said = outcome(tmp_path, SKIPPED, "1")
    assert "1 passed, 1 xfailed" in said
    assert said.count("WINDTUNNEL_REQUIRE_ALL is 1, but Skipped: no tool") >= 4, said
    assert " skipped" not in said


def test_a_whole_file_that_is_skipped_is_a_failure_too(tmp_path: Path) -> None:
    assert "1 skipped" in outcome(tmp_path, WHOLE_FILE, "0")
    assert "1 error" in outcome(tmp_path, WHOLE_FILE, "1")


@pytest.mark.parametrize("call", ['println!("skipped', 'eprintln!("skipped'])
def test_rust_skips_by_the_one_function_that_can_refuse_to(call: str) -> None:
    files = [*ROOT.glob("crates/*/tests/**/*.rs"), *ROOT.glob("crates/*/src/**/*.rs")]
    by_itself = {it.name for it in files if call in it.read_text(encoding="utf-8")}
    assert by_itself <= {"skipping.rs"}
