"""Papers in folders of the user's: tried, in part, and with other values and classes."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from windtunnel import recipes
from windtunnel.cli.commands import app
from windtunnel.extensions import UnknownExtension, load
from windtunnel.papers.errors import PaperError
from windtunnel.papers.paper import find_paper
from windtunnel.papers.published import Published, read_published
from windtunnel.papers.reproduction import Reproduction, plan, reproduce
from windtunnel.papers.variant import Variant
from windtunnel.progress import BETWEEN_LINES, in_lines
from windtunnel.running import Progress

RULE = '''\
import windtunnel


class SlowStart(windtunnel.Controller):
    """The window opens by what is acknowledged, and never closes below ten segments."""

    def on_acknowledgement(self, acknowledgement):
        self.slow_start(acknowledgement.acknowledged)

    def on_congestion(self, congestion):
        self.decrease(congestion.signal, 10.0)
'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Write the paper to begin with, shortened."""
    folder = recipes.write_paper(tmp_path / "mine")
    file = folder / "table-1.toml"
    text = (
        file.read_text(encoding="utf-8").replace('"30 s"', '"2 s"').replace("runs = 5", "runs = 2")
    )
    file.write_text(text, encoding="utf-8")
    (folder / "table-2.toml").write_text(text, encoding="utf-8")
    paper = folder / "paper.toml"
    stated = paper.read_text(encoding="utf-8")
    stated = stated.replace("[readings]", 'table-2 = "The same again"\n\n[readings]')
    paper.write_text(stated, encoding="utf-8")
    return folder


def run(mine: Path, *options: str) -> dict[str, object]:
    """Reproduce it by the command, and give the document. Fails unless the command succeeds."""
    out = str(mine.parent / "out")
    ran = CliRunner().invoke(app, ["reproduce", str(mine), *options, "--out", out, "--json"])
    assert ran.exit_code == 0, ran.output
    document: dict[str, object] = json.loads(ran.stdout)
    return document


def test_the_paper_to_begin_with_is_valid(mine: Path) -> None:
    paper = find_paper(str(mine))
    assert paper.name == "mine" and paper.source == str(mine)
    assert plan(paper).readings == ["default", "deep-queue"]


def test_a_folder_that_is_there_stays(mine: Path) -> None:
    ran = CliRunner().invoke(app, ["new", "paper", str(mine)])
    assert ran.exit_code != 0


def test_only_some_experiments_run(mine: Path) -> None:
    found = reproduce(str(mine), variant=Variant(only=["table-2"]))
    assert list(found.results) == ["table-2"]
    # Its number and its claim are those of the other experiment.
    assert found.items == [] and found.changed == ["only table-2"]
    with pytest.raises(PaperError, match="unknown experiment `table-3`; known: table-1, table-2"):
        reproduce(str(mine), variant=Variant(only=["table-3"]))


def test_a_zero_has_the_digits_of_its_table_where_only_its_row_runs(mine: Path) -> None:
    published = read_published(find_paper(str(mine)))
    rows = {"table-1": {"a": Decimal("0.001")}, "table-2": {"a": Decimal(0)}}
    printed = [Decimal("0.001"), Decimal(0)]
    table = replace(published.tables[0], rows=rows, printed=printed)
    kept = Variant(only=["table-2"]).published(Published([table])).tables[0]
    assert list(kept.rows) == ["table-2"] and kept.half_digit("table-2", "a") == 0.0005


def test_a_quick_reproduction_is_one_short_run_and_decides_nothing(mine: Path) -> None:
    found = reproduce(str(mine), variant=Variant(quick=True))
    assert (found.runs, found.readings) == (1, ["default"])
    assert simulated_s(found) == pytest.approx(2 * 2 * 0.1)
    assert {item.verdict for item in found.items} == {"one run"}
    assert found.summary.sentences[0].startswith("One run of each case has no interval")


def simulated_s(found: Reproduction) -> float:
    """Give the time that was simulated in all runs."""
    return float(sum(results["runs"]["duration_s"].sum() for results in found.results.values()))


def test_a_value_and_a_class_are_replaced(mine: Path) -> None:
    (mine / "rule.py").write_text(RULE, encoding="utf-8")
    chosen = "compare.controller.cubic={ 'flows.one.controller' = 'slow-start' }"
    extension = f"{mine / 'rule.py'}:SlowStart"
    document = run(mine, "--only", "table-1", "--extension", extension, "--set", chosen)
    assert document["changed"] == [
        "only table-1",
        chosen.replace("=", " = ", 1),
        "slow-start: SlowStart, in Python",
    ]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("SlowStart", "`SlowStart` has no class; write FILE:CLASS"),
        ("absent.py:SlowStart", "absent.py: No such file"),
        ("rule.py:Other", "`Other` is not a class derived from one of windtunnel.Controller"),
        ("broken.py:Rule", "broken.py: SyntaxError"),
    ],
)
def test_a_class_that_cannot_be_loaded_is_an_error_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rule.py").write_text(RULE, encoding="utf-8")
    Path("broken.py").write_text("class", encoding="utf-8")
    with pytest.raises(UnknownExtension, match=message):
        load([written])


def test_readings_that_replace_each_other_are_refused(mine: Path) -> None:
    paper = mine / "paper.toml"
    stated = paper.read_text(encoding="utf-8")
    two = 'queue = ["deep-queue"]\nother = ["codel"]'
    paper.write_text(stated.replace('queue = ["deep-queue"]', two), encoding="utf-8")
    for file in (mine / "table-1.toml", mine / "table-2.toml"):
        text = file.read_text(encoding="utf-8")
        codel = 'codel = { "links.path.queue" = { kind = "codel", limit = "100 packets" } }\n'
        file.write_text(text + codel, encoding="utf-8")
    with pytest.raises(
        PaperError, match="`deep-queue` and `codel` of different questions both set"
    ):
        reproduce(str(mine))
    # The other way round, the second changes a value of what the first has set.
    turned = 'other = ["codel"]\nqueue = ["deep-queue"]'
    paper.write_text(stated.replace('queue = ["deep-queue"]', turned), encoding="utf-8")
    assert plan(find_paper(str(mine))).readings == ["default", "codel", "deep-queue"]


def test_progress_in_a_log_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    watch = in_lines()
    for real_s in (1.0, BETWEEN_LINES, BETWEEN_LINES + 1, 2 * BETWEEN_LINES):
        watch(Progress(1, 4, 25.0, 100.0, 10, real_s))
    first, second = capsys.readouterr().err.splitlines()
    assert (
        first == "windtunnel: 25% done, 25.0 of 100 s, 0.8× real time, 1 of 4 runs, about 90 s left"
    )
    assert second.endswith("about 180 s left")
