"""Results: the tables, and the folder that keeps them."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import windtunnel
from windtunnel import Results
from windtunnel.folders import MANIFEST
from windtunnel.measures.definitions import definitions
from windtunnel.pictures.units import maximum
from windtunnel.report import write_report
from windtunnel.results import ResultsError


@pytest.fixture
def results(scenario: Path) -> Results:
    """Run the small scenario."""
    return windtunnel.run(scenario)


def test_every_table_has_a_row_for_every_case_and_run(results: Results) -> None:
    assert results.tables.keys() == definitions().keys()
    cases = {(name, run) for name in ("cubic", "aimd") for run in (0, 1)}
    for name, table in results.tables.items():
        assert table.columns[:2] == ["controller", "run"], name
        if name not in {"runs", "flows", "links", "nodes", "flow_series", "link_series"}:
            # Consumers make none, and wires have none.
            assert table.is_empty()
            continue
        assert set(table.select("controller", "run").iter_rows()) == cases, name


def test_results_say_which_tables_they_have(results: Results) -> None:
    assert "flows" in results
    assert "flos" not in results
    assert list(results) == list(results.tables)


def test_a_table_that_is_not_there_is_answered_with_the_nearest(results: Results) -> None:
    with pytest.raises(ResultsError, match="no table `flos`; did you mean `flows`"):
        results["flos"]
    with pytest.raises(ResultsError, match=r"no table `x`; known here: .*`flows`, "):
        results["x"]
    with pytest.raises(ResultsError, match="no table `flows`: no run finished"):
        replace(results, tables={})["flows"]


def test_the_total_goodput_of_a_flow_is_the_mean_of_its_series(results: Results) -> None:
    keys = ["controller", "run"]
    means = results["flow_series"].group_by(keys).agg(pl.col("goodput_bps").mean().alias("mean"))
    joined = results["flows"].join(means, on=keys)
    assert joined.height == 4
    for total, mean in joined.select("goodput_bps", "mean").iter_rows():
        assert total > 0
        assert mean == pytest.approx(total, rel=1e-9)


def test_the_number_of_threads_changes_no_byte_of_the_tables(
    scenario: Path, tmp_path: Path
) -> None:
    one = windtunnel.run(scenario, jobs=1).save(tmp_path / "one")
    two = windtunnel.run(scenario, jobs=2).save(tmp_path / "two")
    for file in sorted(one.iterdir()):
        if file.name != MANIFEST:
            assert file.read_bytes() == (two / file.name).read_bytes(), file.name


def test_another_seed_gives_other_results(scenario: Path) -> None:
    first, second = (windtunnel.run(scenario, seed=seed)["flows"] for seed in (1, 2))
    assert not first.equals(second)


def test_a_setting_holds_and_is_kept(scenario: Path, tmp_path: Path) -> None:
    results = windtunnel.run(scenario, settings={"links.wire.rate": "1 Mbps"})
    assert 0 < maximum(results["links"]["throughput_bps"]) <= 1e6
    saved = Results.load(results.save(tmp_path / "slow"))
    assert 'rate = "1 Mbps"' in saved.scenario


def test_an_axis_may_be_named_as_a_column(scenario: Path, tmp_path: Path) -> None:
    text = scenario.read_text(encoding="utf-8").replace("compare.controller", "compare.rtt_s")
    scenario.write_text(text, encoding="utf-8")
    results = windtunnel.run(scenario, progress=False)
    assert results.axes == ["axis.rtt_s"]
    flows = results["flows"]
    assert flows["axis.rtt_s"].to_list() == flows["flow_controller"].to_list()
    assert all(flows["rtt_s"] > 0.01)
    assert "axis.rtt_s" in repr(results)
    write_report(results.save(tmp_path / "results"))
    # When an earlier version saved it, no table had another column of that name.
    tables = {
        name: table.select(pl.exclude("rtt_s")).rename({"axis.rtt_s": "rtt_s"})
        for name, table in results.tables.items()
    }
    earlier = replace(results, axes=["rtt_s"], tables=tables)
    loaded = Results.load(earlier.save(tmp_path / "earlier"))
    assert loaded.axes == results.axes
    assert_frame_equal(loaded["links"], results["links"])


def test_what_was_saved_is_loaded_again(results: Results, tmp_path: Path) -> None:
    loaded = Results.load(results.save(tmp_path / "deep" / "folder"))
    assert loaded.scenario == results.scenario
    assert loaded.axes == results.axes
    assert loaded.manifest == results.manifest
    assert loaded.tables.keys() == definitions().keys()
    for name, table in results.tables.items():
        assert_frame_equal(loaded[name], table)


def test_a_scenario_runs_again_from_its_results_with_the_files_it_names(
    scenario: Path, tmp_path: Path
) -> None:
    text = scenario.read_text(encoding="utf-8")
    trace = 'trace = { file = "traces/a", kind = "opportunities" }'
    scenario.write_text(text.replace('rate = "10 Mbps"', trace), encoding="utf-8")
    (scenario.parent / "traces").mkdir()
    (scenario.parent / "traces" / "a").write_bytes(b"# one a millisecond\r\n1\r\n")
    first = windtunnel.run(scenario)
    saved = first.save(tmp_path / "saved")
    assert (saved / "traces" / "a").read_bytes() == b"# one a millisecond\r\n1\r\n"
    assert Results.load(saved).files == first.files
    again = windtunnel.run(saved / "scenario.toml")
    assert_frame_equal(again["flows"], first["flows"])
    assert again.manifest["files_sha256"] == first.manifest["files_sha256"]


def test_the_manifest_says_what_was_run_and_where(results: Results) -> None:
    manifest = results.manifest
    assert manifest["windtunnel"] == windtunnel.__version__
    assert manifest["seed"] == 1
    assert (manifest["finished"], manifest["unfinished"], manifest["faults"]) == (4, 0, [])
    assert manifest["machine"]["processors"] >= 1
    assert manifest["cpu_s"] > 0


def test_runs_that_reach_the_limit_of_real_time_are_counted(scenario: Path) -> None:
    limited = {"real_time_limit": "1 ns", "duration": "60 s"}
    results = windtunnel.run(scenario, settings=limited)
    assert set(results["runs"]["stop"]) == {"out of real time"}
    assert results.manifest["out_of_real_time"] == 4


def test_results_replace_results_of_the_same_name(results: Results, tmp_path: Path) -> None:
    folder = results.save(tmp_path / "kept")
    write_report(folder)
    results.save(folder)
    assert not (folder / "report.html").exists()
    assert not (folder / "figures").exists()
    assert [it.name for it in tmp_path.iterdir() if it.name.startswith(".")] == []


def test_nothing_else_is_ever_replaced(results: Results, tmp_path: Path) -> None:
    precious = tmp_path / "thesis"
    precious.mkdir()
    (precious / "chapter-1.tex").write_text("It was a dark and stormy night.")
    (precious / MANIFEST).write_text(json.dumps({"name": "another program's manifest"}))
    with pytest.raises(FileExistsError, match="does not hold results"):
        results.save(precious)
    assert {it.name for it in precious.iterdir()} == {"chapter-1.tex", MANIFEST}


def test_the_folder_one_stands_in_is_not_replaced(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = results.save(tmp_path / "kept")
    monkeypatch.chdir(folder)
    with pytest.raises(OSError, match="the working directory"):
        results.save(Path())
    assert Results.load(folder).axes == results.axes


def test_a_full_disk_leaves_what_was_there(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = results.save(tmp_path / "kept")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}

    def fill_the_disk(table: pl.DataFrame, file: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "a name nobody knows")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fill_the_disk)
    with pytest.raises(OSError, match="No space left") as caught:
        results.save(folder)
    assert caught.value.filename == str(folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    assert {it.name for it in tmp_path.iterdir()} == {"kept", "small.toml"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (MANIFEST, b"{"),
        (MANIFEST, b"[]"),
        (MANIFEST, b'{"axes": []}'),
        (MANIFEST, b'{"windtunnel": "0.1.0"}'),
        (MANIFEST, b"\xff\xfe"),
        ("flows.parquet", b"PAR1"),
        ("scenario.toml", None),
    ],
)
def test_a_damaged_folder_is_refused(
    results: Results, tmp_path: Path, name: str, content: bytes | None
) -> None:
    folder = results.save(tmp_path / "damaged")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(ResultsError, match="not a folder of results"):
        Results.load(folder)
