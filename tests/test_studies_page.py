"""The page on studies: its examples are run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from windtunnel.studies import design
from windtunnel.studies.file import File, Stop, Vary, read
from windtunnel.studies.study import study

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
STUDIES = ROOT / "scenarios" / "studies"


def blocks(language: str) -> list[str]:
    """Give the page's code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with the studies, shortened, to be in."""
    shutil.copytree(STUDIES, tmp_path / "scenarios" / "studies")
    base = tmp_path / "scenarios" / "studies" / "bottleneck.toml"
    text = base.read_text().replace('duration = "20 s"', 'duration = "1 s"')
    base.write_text(text.replace('start_within = "1 s"', 'start_within = "100 ms"'))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_example_and_its_stop_rule_can_be_run(folder: Path) -> None:
    example, stop = blocks("toml")
    file = folder / "scenarios" / "studies" / "example.toml"
    file.write_text(example)
    assert design.count(read(file)) == 3 * 3 * 7
    file.write_text(example.replace("seeds = 5\n", "") + stop)
    assert read(file).stop == Stop(measure="goodput_bps", precision="2 %")


def test_the_python_example_prints_a_row_for_each_combination(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exec(blocks("python")[0], {})
    printed = capsys.readouterr().out
    assert "shape: (15, 3)" in printed and "shape: (1_050, 3)" in printed


def test_other_tools_read_the_store_in_place(folder: Path) -> None:
    (query,) = blocks("sql")
    pattern = re.search(r"FROM '(.*)'", query)
    assert pattern
    results = study("scenarios/studies/buffer-sizing.toml")
    frame = pl.read_parquet(pattern[1], columns=["key", "goodput_bps"])
    assert frame.sort("key").equals(results.frame.select("key", "goodput_bps").sort("key"))


def test_every_study_that_comes_along_can_be_run() -> None:
    with_vary = [file for file in STUDIES.glob("*.toml") if "[vary." in file.read_text()]
    assert len(with_vary) >= 4
    for file in with_vary:
        assert design.count(read(file)) > 0


def test_every_key_is_on_the_page() -> None:
    keys = [field.alias or name for name, field in Vary.model_fields.items()]
    for key in [*keys, *File.model_fields]:
        assert f"`{key}" in PAGE or f".{key}`" in PAGE, key
