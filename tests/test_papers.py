"""Papers: folders of data that are run, compared and kept."""

from __future__ import annotations

import errno
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from conftest import SCENARIO
from windtunnel import package_data
from windtunnel.cli.commands import app
from windtunnel.papers.check import along, check
from windtunnel.papers.claims import read_claims
from windtunnel.papers.errors import PaperError, UnknownPaper
from windtunnel.papers.paper import Paper, find_paper, find_papers
from windtunnel.papers.published import read_published
from windtunnel.papers.reproduction import plan, reproduce
from windtunnel.papers.unfinished import Unfinished
from windtunnel.results import Results
from windtunnel.running import Progress, read, run_scenario

PAPER = """\
title = "A small paper"
reference = "Nobody: A small paper"
[experiments]
first = "The first"
second = "The second"
[[figures]]
id = "figure-1"
title = "Goodput"
caption = "Over time."
kind = "goodput"
experiment = "first"
where = {}
series = "controller"
"""

PUBLISHED = """\
[[tables]]
id = "table-1"
measures = ["throughput", "delay"]
axis = "controller"
rows.first = { cubic = 9.10, aimd = 0.5 }
rows.second = { cubic = 99 }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a paper of two small experiments, the only one there is."""
    folder = tmp_path / "papers" / "small"
    folder.mkdir(parents=True)
    files = {"paper.toml": PAPER, "published.toml": PUBLISHED, "README.md": "# A small paper\n"}
    files |= {"first.toml": SCENARIO, "second.toml": SCENARIO}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(package_data, "PAPERS", folder.parent)
    return folder


def test_a_folder_is_a_paper(folder: Path) -> None:
    [paper] = find_papers()
    assert (paper.name, paper.title, paper.folder) == ("small", "A small paper", folder)
    assert paper.page == "# A small paper\n"


def test_an_unknown_paper_gets_the_nearest_name(folder: Path) -> None:
    with pytest.raises(UnknownPaper, match=r"`smal`\nhelp: did you mean `small`\?"):
        find_paper("smal")
    with pytest.raises(UnknownPaper, match="known here: `small`"):
        find_paper("zzz")


def test_every_published_number_has_an_item_with_its_spread(folder: Path) -> None:
    document = reproduce("small").document()
    assert json.loads(json.dumps(document)) == document
    assert (document["runs"], document["seed"]) == (2, 1)
    assert document["missing"] == []
    items = {item["id"]: item for item in document["items"] if item["kind"] != "ranking"}
    assert list(items) == [
        f"table-1/{row}/{name}/{measure}"
        for row in ("first", "second")
        for measure in ("throughput", "delay")
        for name in ("cubic", "aimd")
    ]
    # `delay` is another definition of the same numbers.
    assert {item["definition"] for item in items.values()} == {"", "delay"}
    rankings = [item["id"] for item in document["items"] if item["kind"] == "ranking"]
    assert rankings == [f"rankings/table-1/first/{it}" for it in ("throughput", "delay")]
    item = items["table-1/first/cubic/throughput"]
    assert item["published"] == {"value": 9.1, "unit": "Mbps"}
    assert item["measured"]["low"] <= item["measured"]["mean"] <= item["measured"]["high"]
    assert item["measured"]["runs"] == 2
    # The wire carries 10 Mbps.
    assert items["table-1/second/cubic/throughput"]["verdict"] == "impossible"
    assert items["table-1/second/aimd/throughput"]["published"] is None


ACCESS = """
[compare.access]
slow = { "links.wire.rate" = "1 Mbps" }
fast = {}
"""


def test_where_names_the_cases_of_axes_that_stand_still(folder: Path) -> None:
    (folder / "first.toml").write_text(SCENARIO + ACCESS, encoding="utf-8")
    with pytest.raises(PaperError, match="table `table-1`: `where` must name a case of `access`"):
        reproduce("small")
    table = """\
[[tables]]
id = "table-1"
measures = ["throughput"]
axis = "controller"
where = { access = "slow" }
rows.first = { cubic = 9.10 }
"""
    (folder / "published.toml").write_text(table, encoding="utf-8")
    [cubic, _] = reproduce("small").items
    assert cubic.id == "table-1/first/slow/cubic/throughput"
    # One Mbps carries no nine.
    assert cubic.verdict == "impossible"


def test_columns_may_be_flows_and_gains_are_of_each_run(folder: Path) -> None:
    second = """
[consumers.other]
node = "consumer"
prefix = "/video/other"
controller = "cubic"
start = "500 ms"
"""
    (folder / "first.toml").write_text(SCENARIO + second, encoding="utf-8")
    published = """\
[[tables]]
id = "table-1"
measures = ["throughput"]
axis = "flow"
where = { controller = "cubic" }
rows.first = { viewer = 1, other = 1 }

"""
    claims = """\
[[claims]]
id = "late"
says = "who comes first has more"
measure = "throughput"
axis = "flow"
experiments = ["first"]
where = { controller = "cubic" }
gain = { of = "viewer", over = "other", percent = 100.0 }
"""
    (folder / "published.toml").write_text(published, encoding="utf-8")
    (folder / "claims.toml").write_text(claims, encoding="utf-8")
    reproduction = reproduce("small")
    viewer, _, gain = reproduction.items
    flows = reproduction.results["first"]["flows"].filter(controller="cubic")
    active = flows.sort("run").select(
        "flow", goodput=pl.col("received_bytes") * 8 / pl.col("active_s")
    )
    goodput = {name: active.filter(flow=name)["goodput"] for name in ("viewer", "other")}
    assert viewer.measured and viewer.measured.mean == pytest.approx(fmean(goodput["viewer"]) / 1e6)
    expected = 100 * (goodput["viewer"] / goodput["other"] - 1)
    assert gain.measured and gain.measured.mean == pytest.approx(expected.mean())
    assert gain.id == "claims/first/late"


OWN = """\
import polars as pl
from windtunnel.measures.measure import Measure, of_runs

def twice(results, keys):
    return of_runs(results["flows"], keys, 2 * pl.col("goodput_bps").sum() / 1e6)

MEASURES = {"twice": Measure("twice the goodput", "Mbps", twice)}
"""


def test_what_only_a_paper_measures_lies_in_its_folder(folder: Path) -> None:
    (folder / "measures.py").write_text(OWN, encoding="utf-8")
    published = PUBLISHED.replace('"throughput", "delay"', '"throughput", "twice"')
    (folder / "published.toml").write_text(published, encoding="utf-8")
    means = {it.id: it.measured.mean for it in reproduce("small").items if it.measured}
    goodput = means["table-1/first/cubic/throughput"]
    assert means["table-1/first/cubic/twice"] == pytest.approx(2 * goodput)


INFINITE = """\
import polars as pl
from windtunnel.measures.measure import Measure, of_runs

def ratio(results, keys):
    # Infinite in the first run alone.
    divisor = pl.col("run").first()
    return of_runs(results["flows"], keys, pl.col("goodput_bps").sum() / divisor)

def broken(results, keys):
    raise ZeroDivisionError("of nothing")

MEASURES = {
    "ratio": Measure("a ratio", "", ratio),
    "broken": Measure("an error", "", broken),
}
"""


def test_a_ratio_to_nothing_is_not_measured(folder: Path) -> None:
    (folder / "measures.py").write_text(INFINITE, encoding="utf-8")
    published = PUBLISHED.replace('"throughput", "delay"', '"ratio"')
    (folder / "published.toml").write_text(published, encoding="utf-8")
    for item in reproduce("small").items:
        if item.kind != "ranking":
            assert item.measured and item.measured.runs == 1


def test_an_error_in_a_measure_loses_no_run(folder: Path, tmp_path: Path) -> None:
    (folder / "measures.py").write_text(INFINITE, encoding="utf-8")
    published = PUBLISHED.replace('"throughput", "delay"', '"broken"')
    (folder / "published.toml").write_text(published, encoding="utf-8")
    found = reproduce("small")
    assert found.items == []
    assert found.faults == ["ZeroDivisionError: of nothing (measures.py:10)"]
    saved = found.save(tmp_path / "results")
    assert Results.load(saved / "second")["flows"].equals(found.results["second"]["flows"])


@pytest.mark.parametrize(
    ("text", "message"),
    [("1 / 0", "measures.py: ZeroDivisionError"), ("", "measures.py: .*no attribute 'MEASURES'")],
)
def test_a_mistake_in_what_only_a_paper_measures_is_named(
    folder: Path, text: str, message: str
) -> None:
    (folder / "measures.py").write_text(text, encoding="utf-8")
    with pytest.raises(PaperError, match=message):
        reproduce("small")


def test_runs_and_seed_replace_those_of_the_files(folder: Path) -> None:
    (folder / "first.toml").write_text(SCENARIO.replace("runs = 2", "runs = 7"), encoding="utf-8")
    assert reproduce("small").document()["runs"] == 7
    again = reproduce("small", runs=3, seed=5)
    assert (again.document()["runs"], again.document()["seed"]) == (3, 5)
    for results in again.results.values():
        assert results["flows"]["run"].n_unique() == 3


READINGS = """
[compare.reading]
default = {}
slow = { "links.wire.rate" = "2 Mbps" }
fast = { "links.wire.rate" = "20 Mbps" }
late = { "links.wire.delay" = "50 ms" }
"""

AXES = """\
together = ["slow + late"]
[readings]
rate = ["slow", "fast"]
delay = ["late"]
"""


def write_readings(folder: Path) -> None:
    """Give the first experiment readings on two axes, and the second only one of them."""
    (folder / "first.toml").write_text(SCENARIO + READINGS, encoding="utf-8")
    one = "\n".join(READINGS.splitlines()[:4]) + "\n"
    (folder / "second.toml").write_text(SCENARIO + one, encoding="utf-8")
    paper = PAPER.replace("where = {}", 'where = { reading = "default" }')
    (folder / "paper.toml").write_text(
        paper.replace("[experiments]", f"{AXES}[experiments]"), encoding="utf-8"
    )


def test_readings_combine(folder: Path) -> None:
    write_readings(folder)
    found = reproduce("small", runs=1)
    items = {(it.id, it.reading): it for it in found.items}

    def measured(id: str, reading: str) -> float:
        value = items[id, reading].measured
        assert value
        return value.mean

    cubic = "table-1/first/cubic/throughput"
    assert [it.reading for it in found.items if it.id == cubic] == [
        "default",
        "slow",
        "fast",
        "late",
        "slow + late",
    ]
    assert measured(cubic, "slow + late") < measured(cubic, "slow") < 2
    # Only `slow` concerns the second experiment.
    other = "table-1/second/cubic/throughput"
    assert [it.reading for it in found.items if it.id == other] == ["default", "slow"]
    assert [score.reading for score in found.scores] == found.readings


def test_a_reading_replaces_what_a_case_before_it_sets(folder: Path) -> None:
    write_readings(folder)
    first = (folder / "first.toml").read_text(encoding="utf-8")
    axis, cases = first.split("[compare.controller]")[0], first.split("[compare.controller]")[1]
    # Both set the rate of the wire; the readings come after the controllers.
    cases = cases.replace("{ ", '{ "links.wire.rate" = "5 Mbps", ', 1)
    (folder / "first.toml").write_text(f"{axis}[compare.controller]{cases}", encoding="utf-8")
    found = reproduce("small", runs=1)
    cubic = {
        it.reading: it.measured for it in found.items if it.id.endswith("first/cubic/throughput")
    }
    slow, late = cubic["slow"], cubic["late"]
    assert slow and late
    assert slow.mean < 2 < late.mean < 5


def test_combinations_are_drawn_and_their_effects_told(folder: Path) -> None:
    write_readings(folder)
    found = reproduce("small", runs=2, combinations=6)
    # Six are all that there are.
    assert len(found.sample) == 6
    assert {effect.reading for effect in found.effects} == {"slow", "fast", "late"}
    document = found.document()
    assert (document["combinations"], document["sample"]) == (6, found.sample)
    assert json.loads(json.dumps(document)) == document
    assert any("combinations drawn at random" in it for it in found.summary.sentences)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('"slow", "fast"', '"slow"', r"first.toml: `\[compare.reading\]`: unknown reading `fast`"),
        ('"slow", "fast"', '"slow", "last"', r"`\[readings\]`: unknown reading `last`"),
        ('delay = ["late"', 'delay = ["slow", "late"', "`slow` is on two axes"),
        ("slow + late", "slow + last", "`together`: unknown reading `last`"),
    ],
)
def test_a_mistake_in_readings_is_named(folder: Path, right: str, wrong: str, message: str) -> None:
    write_readings(folder)
    file = folder / "paper.toml"
    file.write_text(file.read_text(encoding="utf-8").replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(PaperError, match=message):
        reproduce("small")


def test_a_saved_reproduction_holds_the_document_the_page_and_the_results(
    folder: Path, tmp_path: Path
) -> None:
    reproduction = reproduce("small")
    saved = reproduction.save(tmp_path / "results" / "small")
    document = json.loads((saved / "reproduction.json").read_text(encoding="utf-8"))
    assert document == {**reproduction.document(), "page": "# A small paper\n"}
    for name in ("first", "second"):
        kept = Results.load(saved / name)
        assert kept["flows"].equals(reproduction.results[name]["flows"])
    # And it is replaced by the next one.
    reproduction.save(saved)


def test_what_cannot_be_written_leaves_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reproduction = reproduce("small")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("windtunnel.papers.reproduction.write_manifest", full)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        reproduction.save(tmp_path / "results" / "small")
    assert not (tmp_path / "results").exists()


def test_an_interruption_keeps_what_was_finished_and_names_the_rest(
    folder: Path, tmp_path: Path
) -> None:
    long = SCENARIO.replace('"1 s"', '"10000 s"').replace('interval = "100 ms"', 'interval = "1 s"')
    (folder / "second.toml").write_text(long, encoding="utf-8")

    def interrupt(now: Progress) -> None:
        if now.finished >= 4:
            raise KeyboardInterrupt

    reproduction = reproduce("small", watch=interrupt)
    assert reproduction.interrupted
    assert reproduction.missing == ["second: 4 of 4 runs were not finished"]
    verdicts = {item.id: item.verdict for item in reproduction.items}
    assert verdicts["table-1/first/aimd/throughput"] != "not measured"
    # Nothing has to run to know what is impossible.
    assert verdicts["table-1/second/cubic/throughput"] == "impossible"
    saved = reproduction.save(tmp_path / "results")
    assert Results.load(saved / "first").manifest["unfinished"] == 0
    assert not (saved / "second").exists()


def test_what_was_interrupted_goes_on_with_the_experiments_that_have_not_run(
    folder: Path, tmp_path: Path
) -> None:
    unfinished = Unfinished(tmp_path / "unfinished")

    def interrupt(now: Progress) -> None:
        if now.finished >= 4:
            raise KeyboardInterrupt

    def killed(now: Progress) -> None:
        if now.finished >= 4:
            raise SystemExit

    long = SCENARIO.replace('"1 s"', '"10000 s"').replace('interval = "100 ms"', 'interval = "1 s"')
    whole = (folder / "second.toml").read_text(encoding="utf-8")
    (folder / "second.toml").write_text(long, encoding="utf-8")
    assert reproduce("small", watch=interrupt, unfinished=unfinished).interrupted
    assert [it.name for it in unfinished.folder.iterdir()] == ["first"]
    with pytest.raises(SystemExit):
        reproduce("small", watch=killed, unfinished=Unfinished(tmp_path / "killed"))
    assert [it.name for it in (tmp_path / "killed").iterdir()] == ["first"]
    (folder / "second.toml").write_text(whole, encoding="utf-8")
    seen: list[Progress] = []
    resumed = reproduce("small", watch=seen.append, unfinished=unfinished)
    assert {now.runs for now in seen} == {4}
    at_once = reproduce("small")
    assert resumed.document() == at_once.document()
    for name, results in at_once.results.items():
        for table, rows in results.tables.items():
            assert resumed.results[name].tables[table].equals(rows), (name, table)


def test_only_what_the_same_scenario_gave_is_taken(folder: Path, tmp_path: Path) -> None:
    unfinished = Unfinished(tmp_path / "unfinished")
    reproduce("small", unfinished=unfinished)
    paper = find_paper("small")
    for name, scenario in plan(paper).scenarios.items():
        assert unfinished.taken(name, scenario)
    for other in (plan(paper, seed=7), plan(paper, runs=1)):
        for name, scenario in other.scenarios.items():
            assert unfinished.taken(name, scenario) is None


def test_what_was_interrupted_is_not_begun_anew_without_a_word(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results"
    Unfinished(tmp_path / "results.unfinished").keep("first", reproduce("small").results["first"])
    ran = CliRunner().invoke(app, ["reproduce", "small", "--out", str(out)])
    assert isinstance(ran.exception, PaperError)
    assert "continue it with --resume" in str(ran.exception)
    assert not out.exists()
    ran = CliRunner().invoke(app, ["reproduce", "small", "--out", str(out), "--resume"])
    assert ran.exit_code == 0, ran.output
    assert out.is_dir()
    assert not (tmp_path / "results.unfinished").exists()


def test_progress_is_that_of_all_experiments(folder: Path) -> None:
    seen: list[Progress] = []
    reproduce("small", watch=seen.append)
    assert {now.runs for now in seen} == {8}
    assert {now.total_simulated_s for now in seen} == {8.0}
    shares = [now.share for now in seen]
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    ("file", "right", "wrong", "message"),
    [
        ("published.toml", "rows.second", "rows.third", "unknown experiment `third`"),
        ("published.toml", '"delay"', '"dlay"', "unknown measure `dlay`"),
        ("published.toml", 'axis = "controller"', 'axis = "queue"', "unknown axis `queue`"),
        ("published.toml", "aimd = 0.5", "amd = 0.5", "unknown controller `amd`"),
        ("published.toml", "id = ", "name = ", "`id` is missing"),
        ("published.toml", 'axis = "controller"', 'axis = "flow"', "unknown flow `cubic`"),
        (
            "published.toml",
            'axis = "controller"',
            'axis = "controller"\nwhere = { queue = "red" }',
            "unknown axis `queue`",
        ),
        ("published.toml", "0.5", "half", "published.toml:5:37: "),
        ("paper.toml", 'experiment = "first"', 'experiment = "last"', "unknown experiment `last`"),
        ("paper.toml", "caption", "text", "unexpected keyword argument 'text'"),
        ("paper.toml", "title = ", "name = ", "`title` is missing"),
    ],
)
def test_a_mistake_in_a_papers_folder_is_named(
    folder: Path, file: str, right: str, wrong: str, message: str
) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    (folder / file).write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(PaperError, match=message):
        reproduce("small")


def stated(paper: Paper, experiment: str) -> dict[str, Any]:
    """Give the tables of an experiment's scenario as they are written."""
    return tomllib.loads(paper.scenario(experiment).read_text(encoding="utf-8"))


EXPERIMENTS = [
    (paper, name)
    for paper in find_papers()
    for name in paper.experiments
    # Bounds are those of flows; sessions have none of their own.
    if stated(paper, name).keys() & {"consumers", "flows"}
]


@pytest.mark.parametrize("paper", find_papers(), ids=lambda paper: paper.name)
def test_the_papers_here_are_whole(paper: Paper) -> None:
    published = read_published(paper)
    scenarios = plan(paper).scenarios
    claims = read_claims(paper)
    assert any(claim.question for claim in claims.claims) and claims.unknown
    check(paper, published, claims.claims, scenarios, paper.measures())
    for scenario in scenarios.values():
        assert scenario.runs >= 5
    # The page says what each reading is.
    for readings in paper.space.axes.values():
        for reading in readings:
            assert f"`{reading}`" in paper.page, reading
    assert {figure.kind for figure in paper.figures} <= paper.pictures().keys()
    for table in published.tables:
        for row, values in table.rows.items():
            for experiment in table.experiments(row):
                assert values.keys() <= set(along(scenarios[experiment], table.axis))


FAST = 5e9
"""From this many bits per second on, a tenth of a second is enough to surpass a bound."""


def lasting(tables: Mapping[str, Any], duration: str) -> dict[str, str]:
    """Give the settings with which all cases last `duration`, also those with their own."""
    own = [
        f"compare.{axis}.{case}.duration"
        for axis, cases in tables.get("compare", {}).items()
        for case, changes in cases.items()
        if "duration" in changes
    ]
    return dict.fromkeys(["duration", *own], duration)


@pytest.mark.parametrize(
    ("paper", "name"), EXPERIMENTS, ids=[f"{paper.name}-{name}" for paper, name in EXPERIMENTS]
)
def test_no_case_of_a_paper_surpasses_its_bounds(paper: Paper, name: str) -> None:
    tables = stated(paper, name)
    # All start at once, so that the sum of their goodputs is that of the network.
    together = {"runs": "1", "defaults.consumer.start_within": "0 s"}
    if "regions" in tables:
        # Their routers have to know the ways first.
        later = [it for it, flow in tables["flows"].items() if "start" in flow]
        together |= {f"flows.{it}.start": "300 ms" for it in later}
    scenario = read(paper.scenario(name), {**together, **lasting(tables, "1 s")})
    if max(goodput for goodput, _ in scenario.bounds()) > FAST and "regions" not in tables:
        scenario = read(paper.scenario(name), {**together, **lasting(tables, "100 ms")})
    results = run_scenario(scenario)
    flows = results["flows"].rows_by_key([*scenario.axes, "run"], named=True)
    for case, (goodput, delay) in zip(scenario.cases, scenario.bounds(), strict=True):
        of_case = flows[(*case, 0)]
        assert sum(flow["goodput_bps"] or 0.0 for flow in of_case) <= goodput, case
        delays = [flow["delay_minimum_s"] for flow in of_case if flow["delay_minimum_s"]]
        assert all(it >= delay for it in delays), case
