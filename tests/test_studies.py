"""Studies: what they run, what they keep, and what they refuse."""

from __future__ import annotations

import errno
import json
import math
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from windtunnel import ScenarioError
from windtunnel.folders import write_table
from windtunnel.measures.intervals import half_width
from windtunnel.quantities import quantity
from windtunnel.report import of_study
from windtunnel.studies import design, runner, store, worker
from windtunnel.studies.derived import Formula
from windtunnel.studies.errors import StudyError
from windtunnel.studies.file import read
from windtunnel.studies.outcome import StudyResults
from windtunnel.studies.store import Store
from windtunnel.studies.study import run, study
from windtunnel.studies.values import labels, spaced

SCENARIO = """\
duration = "2 s"
nodes = { a = {}, b = {} }
[links.path]
nodes = ["a", "b"]
rate = "10 Mbps"
delay = "10 ms"
loss = { probability = "1 %" }
queue = { kind = "drop-tail", limit = "50 kB" }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"""

STUDY = """\
scenario = "scenario.toml"
seeds = 3
[vary.delay]
path = "links.path.delay"
values = ["5 ms", "10 ms"]
[vary.controller]
path = "flows.f.controller"
values = ["cubic", "new-reno"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with a scenario."""
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    return tmp_path


def written(folder: Path, text: str, name: str = "study.toml") -> Path:
    """Write a study beside its scenario."""
    file = folder / name
    file.write_text(text)
    return file


def points(folder: Path, text: str) -> list[tuple[float | str, ...]]:
    """Give the values of all points of a study."""
    return [point.values for point in design.points(read(written(folder, text)))]


def refused(folder: Path, text: str) -> str:
    """Give the message that a study file is refused with."""
    with pytest.raises(StudyError) as error:
        read(written(folder, text))
    return str(error.value)


# -- What is run -------------------------------------------------------------


def test_a_grid_has_all_combinations_and_the_last_parameter_turns_fastest(folder: Path) -> None:
    assert points(folder, STUDY) == [
        (0.005, "cubic"),
        (0.005, "new-reno"),
        (0.01, "cubic"),
        (0.01, "new-reno"),
    ]


def test_a_parameter_may_be_named_as_a_column(folder: Path) -> None:
    """As one of a study's frame, or as one of a table of its runs."""
    for name in ("utilisation", "marks", "mtu_bytes", "seed"):
        text = STUDY.replace("[vary.delay]", f"[vary.{name}]").replace("seeds = 3", "seeds = 1")
        found = study(written(folder, text), store=folder / "store", progress=False)
        column = f"axis.{name}"
        assert [it.name for it in found.parameters] == [column, "controller"]
        assert found.frame[column].to_list() == [0.005, 0.005, 0.01, 0.01]
        flows = found.table("flows")
        assert flows[column].to_list() == [0.005, 0.005, 0.01, 0.01]
        assert all(flows["received_bytes"] > 0) and all(flows["marks"] == 0)


SEEDS_ALONE = 'scenario = "scenario.toml"\nseeds = 5\n'


def test_seeds_alone_are_one_point_with_a_run_each(folder: Path) -> None:
    assert points(folder, SEEDS_ALONE) == [()]
    assert read(written(folder, SEEDS_ALONE)).seeds == [1, 2, 3, 4, 5]


def test_a_study_of_nothing_is_refused(folder: Path) -> None:
    assert "nothing varies" in refused(folder, SEEDS_ALONE.replace("5", "1"))
    sample = '[sample]\ndesign = "latin-hypercube"\npoints = 4\n'
    assert "needs parameters" in refused(folder, SEEDS_ALONE + sample)


def test_parameters_zipped_together_vary_together(folder: Path) -> None:
    text = STUDY.replace('"10 ms"]\n', '"10 ms"]\nzip = "a"\n')
    text = text.replace('"new-reno"]\n', '"new-reno"]\nzip = "a"\n')
    assert points(folder, text) == [(0.005, "cubic"), (0.01, "new-reno")]
    message = refused(folder, text.replace('"cubic", ', ""))
    assert "`delay` and `controller` vary together, but have 2 and 1 values" in message


def test_a_logarithmic_range_has_equal_ratios_and_a_linear_one_equal_steps() -> None:
    ratios = spaced(1.0, 1000.0, 4, logarithmic=True)
    assert ratios == pytest.approx([1.0, 10.0, 100.0, 1000.0])
    assert spaced(0.0, 3.0, 4, logarithmic=False) == [0.0, 1.0, 2.0, 3.0]


def test_a_range_is_written_in_the_unit_of_its_beginning(folder: Path) -> None:
    text = STUDY.replace('values = ["5 ms", "10 ms"]', 'from = "5 ms"\nto = "0.01 s"\nsteps = 3')
    read_study = read(written(folder, text))
    assert read_study.parameters[0].values == ["5 ms", "7.5 ms", "10 ms"]
    assert read_study.parameters[0].numbers == [0.005, 0.0075, 0.01]


def test_a_latin_hypercube_has_one_point_in_each_slice_of_every_dimension(folder: Path) -> None:
    text = """\
scenario = "scenario.toml"
[vary.delay]
path = "links.path.delay"
from = "0 ms"
to = "100 ms"
[vary.rate]
path = "links.path.rate"
from = "1 Mbps"
to = "101 Mbps"
[sample]
design = "latin-hypercube"
points = 20
"""
    drawn = points(folder, text)
    for place, width, minimum in ((0, 0.005, 0.0), (1, 5e6, 1e6)):
        values = [float(row[place]) for row in drawn]
        slices = sorted(math.floor((value - minimum) / width + 1e-9) for value in values)
        assert slices == list(range(20))
    assert points(folder, text) == drawn, "the same points each time"
    other = points(folder, text.replace("latin-hypercube", "random"))
    assert len(other) == 20 and other != drawn


def test_a_sample_of_ranges_has_a_report(folder: Path) -> None:
    text = STUDY.replace('values = ["5 ms", "10 ms"]', 'from = "1 ms"\nto = "100 ms"')
    text += '[sample]\ndesign = "latin-hypercube"\npoints = 20\n'
    command = [sys.executable, "-m", "windtunnel", "study", str(written(folder, text))]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    results = StudyResults.load(folder / "results" / "study")
    delays = results.parameters[0]
    assert len(delays.values) == 20
    assert delays.numbers == results.frame["delay"].unique().sort().to_list()
    assert (folder / "results" / "study" / "report.html").exists()


CODEL = {"kind": "codel", "limit": "1000 packets"}
CAKE = {"kind": "cake", "rate": "38 Mbps"}


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["10 ms", "cubic", 3, True], ["10 ms", "cubic", "3", "true"]),
        ([{"kind": "drop-tail", "limit": "9 kB"}, CODEL], ["drop-tail", "codel"]),
        (
            [CAKE, CODEL | {"target": "1 ms"}, CODEL | {"target": "5 ms"}],
            ["cake", "codel, target 1 ms", "codel, target 5 ms"],
        ),
        ([CODEL, CODEL | {"target": "1 ms"}], ["codel", "codel, target 1 ms"]),
        ([{"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "c": 2}], ["a.b 1", "a.b 3"]),
        (
            [[CAKE, CAKE], [CAKE, CAKE | {"rate": "8 Mbps"}], [CODEL, CODEL]],
            ["cake", "cake, 2.rate 8 Mbps", "codel"],
        ),
        ([1, {"kind": "codel"}], ["1", '{kind = "codel"}']),
    ],
)
def test_values_that_are_tables_have_short_and_different_names(
    values: list[Any], names: list[str]
) -> None:
    assert labels(values) == names


def test_derived_values_are_arithmetic_in_base_units(folder: Path) -> None:
    text = STUDY + '[derive.limit]\npath = "links.path.queue.limit"\n'
    text += 'value = "max(2 * delay * 10e6 / 8, 20000)"\nunit = "B"\n'
    settings = [dict(it.settings) for it in design.points(read(written(folder, text)))]
    limits = [it["links.path.queue.limit"] for it in settings]
    assert limits == ['"20000 B"', '"20000 B"', '"25000 B"', '"25000 B"']


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1 + 2 * 3", 7), ("-2 ** 2", -4), ("min(4, sqrt(9)) / 2", 1.5), ("ceil(x) - floor(x)", 1)],
)
def test_formulas_compute(text: str, expected: float) -> None:
    assert Formula(text)({"x": 1.5}) == expected


@pytest.mark.parametrize(
    "text",
    ["", "x.y", "open('f')", "[1]", "x if 1 else 2", "'a'", "f(x)", "True", "1 +", "(" * 500],
)
def test_what_is_no_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a valid formula"):
        Formula(text)


@pytest.mark.parametrize("text", ["1 / 0", "10.0 ** 400", "sqrt(0 - 1)", "(0 - 8) ** 0.5"])
def test_a_formula_without_a_finite_value_says_so(text: str) -> None:
    with pytest.raises(ValueError, match="has no finite value"):
        Formula(text)({})


def test_quantities_are_numbers_in_base_units() -> None:
    read_quantities = [quantity(it) for it in ("10 ms", "0.5 Gbps", "5 %", "64 KiB", 3)]
    assert [(it.number, it.base) for it in read_quantities if it] == [
        (0.01, "s"),
        (5e8, "bps"),
        (0.05, ""),
        (65536.0, "B"),
        (3.0, ""),
    ]
    assert [quantity(it) for it in ("cubic", "10", "10 parsecs", True, None, [1])] == [None] * 6


# -- What is kept ------------------------------------------------------------


def test_a_study_gives_a_row_for_each_run_with_parameters_and_measures(folder: Path) -> None:
    results = study(written(folder, STUDY), store=folder / "store")
    assert results.frame.height == results.planned == 12
    assert results.frame.columns[:4] == ["delay", "controller", "seed", "key"]
    assert results.frame["key"].n_unique() == 12
    flows = results.table("flows")
    assert flows.columns[:4] == ["delay", "controller", "seed", "key"]
    by_hand = flows.group_by("key").agg(pl.col("goodput_bps").sum())
    joined = results.frame.join(by_hand, on="key")
    assert joined["goodput_bps"].to_list() == joined["goodput_bps_right"].to_list()
    # The command runs the same scenario to the same numbers.
    import windtunnel

    row = results.frame.filter(delay=0.005, controller="new-reno", seed=2).row(0, named=True)
    settings = {"links.path.delay": "5 ms", "flows.f.controller": "new-reno"}
    single = windtunnel.run(folder / "scenario.toml", settings=settings, seed=2)
    assert single["flows"]["goodput_bps"].to_list() == [row["goodput_bps"]]


ARRIVALS = """
[flows.f.workload]
kind = "arrivals"
sizes = "web-search"
load = "180 %"
"""


def test_transfers_that_did_not_end_are_counted_and_told_of(folder: Path) -> None:
    results = study(written(folder, STUDY), store=folder / "store")
    assert results.frame["unfinished_transfers"].null_count() == 12, "there is none to end"
    assert not results.unfinished
    (folder / "scenario.toml").write_text(SCENARIO + ARRIVALS)
    results = study(written(folder, STUDY), store=folder / "store")
    left = results.table("flows").group_by("key").agg(pl.col("unfinished_transfers").sum())
    joined = results.frame.join(left, on="key")
    counts = joined["unfinished_transfers"].to_list()
    assert counts == joined["unfinished_transfers_right"].to_list()
    assert results.unfinished.startswith(f"{sum(counts):,.0f} of ")
    assert "transfers did not end within the run" in results.unfinished
    assert results.unfinished in of_study.warnings(results)


def test_a_store_of_an_earlier_version_lacks_what_that_did_not_measure(folder: Path) -> None:
    file = written(folder, STUDY)
    run(read(file), Store(folder / "store"))
    for name, column in (("runs", "unfinished_transfers"), ("flows", "lost")):
        for stored in (folder / "store" / "chunks").glob(f"*/{name}.parquet"):
            write_table(pl.read_parquet(stored).drop(column), stored)
    later = written(folder, STUDY.replace('"10 ms"', '"15 ms"'))
    results = study(later, store=folder / "store")
    assert results.frame["goodput_bps"].null_count() == 0
    assert results.table("flows").height == 12


def test_a_run_that_the_store_has_is_not_run_again_in_this_study_or_another(folder: Path) -> None:
    file = written(folder, STUDY)
    ran = run(read(file), Store(folder / "store"))
    assert (ran.progress.done, ran.progress.stored) == (12, 0)
    again = run(read(file), Store(folder / "store"))
    assert (again.progress.done, again.progress.stored) == (0, 12)
    assert again.keys == ran.keys
    # Half of another study's.
    other = written(folder, STUDY.replace('"5 ms", ', '"7 ms", '), "other.toml")
    third = run(read(other), Store(folder / "store"))
    assert (third.progress.done, third.progress.stored) == (6, 6)


def test_the_number_of_threads_does_not_change_the_results(folder: Path) -> None:
    file = written(folder, STUDY)
    frames = [study(file, store=folder / f"store-{jobs}", jobs=jobs).frame for jobs in (1, 2, 5)]
    assert_frame_equal(frames[0], frames[1])
    assert_frame_equal(frames[0], frames[2])


LATER = """\
scenario = "scenario.toml"
seeds = 3
[set]
duration = "2 s"
[vary.change.cases]
none = {}
slow = { "links.path.changes" = [{ at = "1 s", rate = "1 Mbps" }] }
down = { "links.path.changes" = [{ at = "1500 ms", state = "down" }] }
lossy = { "links.path.changes" = [{ at = "1 s", loss = { probability = "5 %" } }] }
[vary.controller]
path = "flows.f.controller"
values = ["cubic", "new-reno"]
"""
"""Runs that differ in later changes of a link."""


def test_runs_that_begin_alike_give_what_they_give_alone(folder: Path) -> None:
    # With a limit of real time, each begins by itself.
    alone = LATER.replace("[set]", '[set]\nreal_time_limit = "1 h"')
    frames = [
        study(written(folder, text), store=folder / f"store-{place}-{jobs}", jobs=jobs).frame
        for place, text in enumerate((alone, LATER))
        for jobs in (1, 3)
    ]
    for frame in frames[1:]:
        assert_frame_equal(frames[0].drop("key"), frame.drop("key"))


def test_runs_that_begin_alike_are_taken_together_and_shared_out(folder: Path) -> None:
    read_study = read(written(folder, LATER))
    wanted = runner.Wanted(read_study, worker.Base(read_study), {}, retry=False)
    batches = list(iter(lambda: wanted.take(1, 2), []))
    assert sum(map(len, batches)) == 24
    beginnings = [{task.beginning for task in batch} for batch in batches]
    assert all(len(them) == 1 for them in beginnings)
    assert [len(batch) for batch in batches if batch[0].beginning][:2] == [2, 1]


def test_the_first_batch_does_not_wait_until_all_seeds_of_a_point_are_read(folder: Path) -> None:
    text = STUDY.replace("seeds = 3", "seeds = 1000")
    wanted = runner.Wanted(
        read(written(folder, text)), worker.Base(read(folder / "study.toml")), {}, retry=False
    )
    assert len(wanted.take(3, 2)) == 3
    assert wanted.ran.seeds == [1, 2, 3]


def test_batches_do_not_become_so_short_that_their_own_cost_counts() -> None:
    pace = runner.Pace()
    assert pace.batch(1000) == 1, "before it is known how long a run takes"
    pace.note(100, 1.0)
    assert pace.batch(1000) == pytest.approx(runner.BATCH_S * 100, abs=1)
    assert pace.batch(40) == 40
    assert pace.batch(0) == pytest.approx(runner.SHORTEST_BATCH_S * 100, abs=1)
    slow = runner.Pace()
    slow.note(1, 60.0)
    assert slow.batch(1000) == slow.batch(0) == 1


def test_a_task_goes_to_a_cluster_without_the_scenario_that_was_read_for_it(folder: Path) -> None:
    read_study = read(written(folder, STUDY))
    base = worker.Base(read_study)
    (point, *_) = design.points(read_study)
    task = base.task(runner.settings_of(point, 1))
    sent = pickle.loads(pickle.dumps(task))
    assert task.scenario and sent.scenario is None
    assert (sent.key, sent.settings) == (task.key, task.settings)
    here, there = (worker.simulated(base, [it], None) for it in (task, sent))
    assert all(here[name].equals(there[name]) for name in here)


def test_a_failure_that_is_retried_and_mended_is_no_failure_any_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = worker.Base.read

    def failing(self: worker.Base, settings: object) -> object:
        raise ScenarioError("not today")

    file = read(written(folder, STUDY))
    keys = [worker.Base(file).key(runner.settings_of(it, 1)) for it in design.points(file)]
    tasks = [worker.Task(key, ()) for key in keys]
    monkeypatch.setattr(worker.Base, "read", failing)
    kept = Store(folder / "store")
    with kept.opened():
        worker.work(worker.Base(file), tasks, kept.folder, None)
    monkeypatch.setattr(worker.Base, "read", whole)
    assert set(rows(kept, "runs")["error"]) == {"not today"}
    run(file, kept, retry_failed=True)
    assert rows(kept, "runs")["error"].null_count() == 12


def rows(kept: Store, table: str) -> pl.DataFrame:
    """Give a table of a store that has it."""
    found = kept.table(table)
    assert found is not None
    return found


def test_with_a_stop_rule_each_point_has_as_many_seeds_as_its_interval_needs(folder: Path) -> None:
    rule = (
        '[stop]\nmeasure = "goodput_bps"\nprecision = "4 %"\n'
        "minimum_seeds = 3\nmaximum_seeds = 12\n"
    )
    text = STUDY.replace("seeds = 3\n", "") + rule
    stop = read(written(folder, text)).stop
    assert stop
    frames = []
    for jobs in (1, 3):
        results = study(folder / "study.toml", store=folder / f"store-{jobs}", jobs=jobs)
        frames.append(results.frame.sort("delay", "controller", "seed"))
    assert_frame_equal(frames[0], frames[1])
    needed = []
    for _, of_point in frames[0].group_by("delay", "controller"):
        values = of_point["goodput_bps"].to_list()
        assert of_point["seed"].to_list() == list(range(1, len(values) + 1))
        assert runner.is_enough(values, stop) or len(values) == 12
        assert not any(runner.is_enough(values[:count], stop) for count in range(3, len(values)))
        needed.append(len(values))
    assert len(set(needed)) > 1, "some points vary more than others"


def test_points_that_share_their_runs_each_have_the_seeds_they_need(folder: Path) -> None:
    rule = (
        '[stop]\nmeasure = "goodput_bps"\nprecision = "4 %"\n'
        "minimum_seeds = 3\nmaximum_seeds = 12\n"
    )
    text = STUDY.replace("seeds = 3\n", "") + rule
    alone = study(written(folder, text), store=folder / "alone").frame
    # It sets nothing, so that each run is that of two points.
    twice = text.replace("[vary.controller]", '[vary.twin]\nvalues = ["x", "y"]\n[vary.controller]')
    both = study(written(folder, twice, "twice.toml"), store=folder / "twice").frame
    assert both.height == 2 * alone.height
    for _, half in both.group_by("twin"):
        assert_frame_equal(half.drop("twin"), alone, check_row_order=False)


def test_half_an_interval_is_that_of_students_distribution() -> None:
    # Five values of standard deviation √2.5: t is 2.776 with four degrees of freedom.
    half = half_width([1.0, 2.0, 3.0, 4.0, 5.0], 0.95)
    assert half == pytest.approx(2.776445 * math.sqrt(2.5 / 5), rel=1e-6)


# -- Killed, and resumed -----------------------------------------------------

LONG = STUDY.replace("seeds = 3", "seeds = 60")


def sorted_tables(folder: Path) -> dict[str, pl.DataFrame]:
    """Read all tables of a store, in an order of their own."""
    tables = {name: Store(folder).table(name) for name in store.TABLES}
    return {name: it.sort(it.columns) for name, it in tables.items() if it is not None}


def test_a_study_killed_at_any_moment_and_resumed_gives_what_it_gives_undisturbed(
    folder: Path,
) -> None:
    text = LONG.replace("scenario.toml", "long.toml")
    (folder / "long.toml").write_text(SCENARIO.replace('"2 s"', '"20 s"'))
    file = written(folder, text)
    study(file, store=folder / "whole")
    command = [sys.executable, "-m", "windtunnel", "study", str(file), "--store", "killed"]
    moments = random.Random(5)
    stored = []
    for _ in range(3):
        started = subprocess.Popen(
            [*command, "--out", "results"], cwd=folder, stderr=subprocess.PIPE
        )
        wait_for_more(folder / "killed", started)
        time.sleep(moments.uniform(0.0, 0.3))
        started.send_signal(signal.SIGKILL)
        started.communicate()
        runs = Store(folder / "killed").table("runs")
        stored.append(0 if runs is None else runs.height)
    assert 0 < stored[0] < stored[1] < stored[2], f"each went on: {stored}"
    # Whatever a killed process has in hand is not in the store.
    flows = rows(Store(folder / "killed"), "flows")
    assert flows["key"].n_unique() == stored[-1]
    ended = subprocess.run([*command, "--out", "results", "--resume"], cwd=folder)
    assert ended.returncode == 0
    whole, killed = sorted_tables(folder / "whole"), sorted_tables(folder / "killed")
    assert whole["runs"].height == 240
    for name, table in whole.items():
        assert_frame_equal(table, killed[name])


def wait_for_more(folder: Path, process: subprocess.Popen[Any]) -> None:
    """Wait until a store has another chunk, or its process has ended."""
    before = len(list(folder.glob("chunks/[!.]*")))
    for _ in range(3000):
        if len(list(folder.glob("chunks/[!.]*"))) > before or process.poll() is not None:
            return
        time.sleep(0.01)
    raise AssertionError("no chunk within 30 s")


def test_a_dask_cluster_gives_the_same_results_also_if_a_worker_is_killed(folder: Path) -> None:
    distributed = pytest.importorskip("distributed")
    (folder / "scenario.toml").write_text(SCENARIO.replace('"2 s"', '"20 s"'))
    file = written(folder, LONG)
    study(file, store=folder / "here")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        address, killed = cluster.scheduler_address, threading.Event()

        def kill() -> None:
            with distributed.Client(address) as client:
                pids = client.run(os.getpid)
            for _ in range(3000):
                if list((folder / "there").glob("chunks/[!.]*")):
                    break
                time.sleep(0.01)
            os.kill(next(iter(pids.values())), signal.SIGKILL)
            killed.set()

        killer = threading.Thread(target=kill)
        killer.start()
        study(file, store=folder / "there", dask=address)
        killer.join()
    assert killed.is_set()
    here, there = sorted_tables(folder / "here"), sorted_tables(folder / "there")
    for name, table in here.items():
        assert_frame_equal(table, there[name])


# -- What is refused ---------------------------------------------------------


def test_mistakes_in_a_file_name_their_line_and_what_would_be_right(folder: Path) -> None:
    message = refused(folder, STUDY.replace('values = ["cubic"', 'valeus = ["cubic"'))
    assert "study.toml:8: `vary.controller.valeus`: unknown key" in message
    assert "did you mean `values`?" in message
    message = refused(folder, STUDY + "[vary]\nother = [1, 2]\n")
    assert "`vary.other`: must be a table\nhelp: its keys: path, values, " in message
    message = refused(folder, STUDY.replace("seeds = 3", "seeds = 0"))
    assert "study.toml:2: `seeds`" in message
    message = refused(folder, STUDY.replace("scenario.toml", "missing.toml"))
    assert "study.toml:1: `scenario`" in message and "No such file" in message
    text = STUDY.replace('values = ["5 ms", "10 ms"]', 'from = "5 ms"\nto = "10 Mbps"')
    assert "different dimensions" in refused(folder, text)
    text = STUDY + '[derive.x]\npath = "links.path.rate"\nvalue = "dela * 2"\n'
    message = refused(folder, text)
    assert "study.toml:11: `derive.x.value`" in message and "did you mean `delay`?" in message
    rule = '[stop]\nmeasure = "godput_bps"\nprecision = "2 %"\n'
    message = refused(folder, STUDY.replace("seeds = 3\n", "") + rule)
    assert "did you mean `goodput_bps`?" in message
    with pytest.raises(ScenarioError, match=r"study\.toml:1:"):
        read(written(folder, "a = ["))


def test_a_path_that_does_not_exist_names_the_nearest_before_anything_runs(folder: Path) -> None:
    text = STUDY.replace("links.path.delay", "links.paht.delay")
    with pytest.raises(StudyError, match=r"there is no `paht` in links[\s\S]*did you mean `path`"):
        study(written(folder, text), store=folder / "store")
    assert not (folder / "store").exists()


def test_a_base_scenario_that_compares_by_itself_is_refused(folder: Path) -> None:
    compare = '[compare.a]\nx = { duration = "1 s" }\n'
    (folder / "scenario.toml").write_text(SCENARIO + compare)
    with pytest.raises(StudyError, match="must not have \\[compare\\]: a"):
        study(written(folder, STUDY), store=folder / "store")


def test_a_store_of_a_newer_version_is_refused(folder: Path) -> None:
    study(written(folder, STUDY), store=folder / "store")
    (folder / "store" / "store.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(StudyError, match="written by a newer version"):
        study(folder / "study.toml", store=folder / "store")


def test_a_truncated_file_is_named_and_its_runs_can_be_made_anew(folder: Path) -> None:
    file = written(folder, STUDY)
    before = study(file, store=folder / "store").frame
    chunk = next((folder / "store" / "chunks").iterdir())
    whole = (chunk / "runs.parquet").read_bytes()
    (chunk / "runs.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StudyError, match=r"runs\.parquet: cannot be read[\s\S]*remove the folder"):
        study(file, store=folder / "store")
    import shutil

    shutil.rmtree(chunk)
    assert_frame_equal(study(file, store=folder / "store").frame, before)


def test_a_full_disk_loses_nothing_that_was_finished(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_files: list[Path] = []
    real = write_table

    def filling(table: pl.DataFrame, file: Path) -> None:
        if len(written_files) >= 2 * len(store.TABLES):
            raise OSError(errno.ENOSPC, "No space left on device", str(file))
        written_files.append(file)
        real(table, file)

    monkeypatch.setattr(store, "write_table", filling)
    file = written(folder, STUDY)
    with pytest.raises(OSError, match="No space left"):
        study(file, store=folder / "store", jobs=1)
    kept = rows(Store(folder / "store"), "runs").height
    assert 0 < kept < 12
    assert not list((folder / "store" / "chunks").glob(".*"))
    monkeypatch.undo()
    assert run(read(file), Store(folder / "store")).progress.stored == kept


def test_a_second_process_on_a_store_is_told_who_is_there(folder: Path) -> None:
    file = written(folder, STUDY)
    with (
        Store(folder / "store").opened(),
        pytest.raises(StudyError, match=f"process {os.getpid()} is using this store"),
    ):
        study(file, store=folder / "store")


def test_a_folder_with_something_else_is_no_store(folder: Path) -> None:
    with pytest.raises(StudyError, match="does not hold a store"):
        study(written(folder, STUDY), store=folder)


def test_a_study_of_a_billion_runs_is_asked_about_before_it_starts(folder: Path) -> None:
    axis = '[vary.x{0}]\npath = "links.path.delay"\nfrom = "1 ms"\nto = "2 ms"\nsteps = 1000\n'
    text = 'scenario = "scenario.toml"\n' + "".join(axis.format(it) for it in range(3))
    written(folder, text)
    command = [sys.executable, "-m", "windtunnel", "study", "study.toml"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=20)
    assert ended.returncode == 2
    assert "1,000,000,000 runs" in ended.stderr and "--dry-run" in ended.stderr
    assert not (folder / "results").exists()
    ended = subprocess.run([*command, "--dry-run"], cwd=folder, capture_output=True, text=True)
    assert "1,000,000,000 runs" in ended.stdout and "about" in ended.stdout


def test_an_interrupted_study_keeps_what_was_finished_and_wants_resume(folder: Path) -> None:
    (folder / "scenario.toml").write_text(SCENARIO.replace('"2 s"', '"20 s"'))
    written(folder, LONG)
    command = [sys.executable, "-m", "windtunnel", "study", "study.toml"]
    started = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    wait_for_more(folder / "results" / "store", started)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=20)
    assert started.returncode == 130 and "continue with --resume" in said
    kept = rows(Store(folder / "results" / "store"), "runs").height
    assert 0 < kept < 240
    assert f"{240 - kept} runs left" in said
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 2 and "was interrupted" in ended.stderr
    resumed = subprocess.run([*command, "--resume", "--json"], cwd=folder, capture_output=True)
    assert resumed.returncode == 0
    document = json.loads(resumed.stdout)
    assert (document["planned"], document["finished"], document["failed"]) == (240, 240, 0)
