"""CSV beside Parquet: each table with the same values, of runs and of studies."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from conftest import SCENARIO, Command
from windtunnel import folders
from windtunnel.results import Results

STUDY = """
scenario = "mine.toml"
seeds = 2
[vary.delay]
path = "links.wire.delay"
values = ["1 ms", "2 ms"]
"""


def test_each_table_is_there_as_csv_with_the_same_values(
    tmp_path: Path, windtunnel: Command
) -> None:
    (tmp_path / "mine.toml").write_text(SCENARIO, encoding="utf-8")
    windtunnel("run", "mine.toml", "--out", "found", "--csv")
    folder = tmp_path / "found"
    tables = sorted(folder.glob("*.parquet"))
    assert {it.stem for it in tables} >= {"runs", "flows", "links", "flow_series"}
    for file in tables:
        table = pl.read_parquet(file)
        read = pl.read_csv(file.with_suffix(".csv"), schema=table.schema)
        assert read.equals(table), file.name
    # Without it, the files of the run before do not stay.
    windtunnel("run", "mine.toml", "--out", "found")
    assert not list(folder.glob("*.csv"))


def test_a_study_has_the_tables_of_all_its_runs_as_csv(tmp_path: Path, windtunnel: Command) -> None:
    text, _, _ = SCENARIO.partition("[compare")
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    windtunnel("study", "study.toml", "--out", "found", "--csv")
    runs = pl.read_csv(tmp_path / "found" / "runs.csv")
    assert runs.height == 4 and {"delay", "seed", "goodput_bps"} <= set(runs.columns)
    assert pl.read_csv(tmp_path / "found" / "flows.csv")["key"].n_unique() == 4


@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9])
def test_a_csv_file_has_all_rows_and_one_header(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(folders, "CSV_ROWS", 4)
    table = pl.DataFrame({"name": [f'"{it}", and\n' for it in range(rows)], "value": range(rows)})
    table = table.cast({"name": pl.String, "value": pl.Int64})
    folders.write_csv(table, tmp_path / "table.csv")
    assert pl.read_csv(tmp_path / "table.csv", schema=table.schema).equals(table)


def test_results_are_saved_as_csv_from_python(tmp_path: Path) -> None:
    table = pl.DataFrame({"run": [0]})
    folder = Results([], {"runs": table}, "", {"windtunnel": "0"}).save(tmp_path / "a", csv=True)
    assert pl.read_csv(folder / "runs.csv").equals(table)
