"""The manual's page on Python: its examples run, and print what stands below them."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")

LONG, SHORT = 'duration = "1500 ms"', 'duration = "150 ms"'


def test_the_examples_run_one_after_the_other_and_print_what_the_page_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios")
    # Nothing on the page depends on how long the study's runs are.
    base = tmp_path / "scenarios" / "studies" / "data-centers.toml"
    text = base.read_text(encoding="utf-8")
    assert LONG in text
    base.write_text(text.replace(LONG, SHORT), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    examples = re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", PAGE, re.DOTALL)
    assert len(examples) == PAGE.count("```python")
    assert sum(bool(expected) for _, expected in examples) == PAGE.count("```text")
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected, code
