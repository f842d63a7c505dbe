"""The manual's page on results: every column is defined, and defined once."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import windtunnel
from windtunnel import Results
from windtunnel.manual.results import all_tables, in_order, page, unit
from windtunnel.measures.definitions import definitions
from windtunnel.studies.outcome import StudyResults

PAGE = Path(__file__).parents[1] / "docs" / "results.md"


def test_the_page_is_what_the_tables_and_definitions_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(all_tables()), "run `make docs`"


def test_the_core_describes_the_tables_that_runs_have() -> None:
    tables = all_tables()
    assert list(definitions()) == list(tables)
    assert {it: [*own.columns] for it, own in definitions().items()} == {
        name: table.columns for name, table in tables.items()
    }


def test_a_series_follows_the_table_of_what_it_samples() -> None:
    names = in_order(list(definitions()))
    assert sorted(names) == sorted(definitions())
    for name in ("flow", "link", "node", "subflow"):
        assert names.index(f"{name}_series") == names.index(f"{name}s") + 1


def test_units_are_those_of_the_names() -> None:
    flows = all_tables()["flows"].schema
    assert unit("flows", "goodput_bps", flows["goodput_bps"]) == "bit/s"
    assert unit("flows", "received_bytes", flows["received_bytes"]) == "bytes"
    assert unit("flows", "flow", flows["flow"]) == "text"
    assert unit("flows", "data", flows["data"]) == "count"
    assert unit("flows", "run", flows["run"]) == ""


class Cells(HTMLParser):
    """The texts of the cells of tables."""

    def __init__(self, text: str) -> None:
        """Read HTML."""
        super().__init__()
        self.texts: list[str] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        self.texts.append(data)


@pytest.fixture
def results(scenario: Path) -> Results:
    """Run the small scenario."""
    return windtunnel.run(scenario, progress=False)


def test_results_show_themselves_in_a_notebook_as_on_a_terminal(results: Results) -> None:
    shown = Cells(results._repr_html_()).texts
    assert {"cubic", "aimd", "viewer"} <= set(shown)
    # The same numbers as in text.
    numbers = [it for it in repr(results).split() if it.replace(".", "").isdigit()]
    assert numbers
    assert set(numbers) <= set(" ".join(shown).split())


def test_names_in_a_notebook_are_text(results: Results) -> None:
    nasty = "<script>alert(1)</script>"
    tables = {
        name: table.with_columns(controller=table["controller"].replace("aimd", nasty))
        for name, table in results.tables.items()
    }
    shown = Results(results.axes, tables)._repr_html_()
    assert nasty not in shown and "&lt;script&gt;" in shown
    assert "no run finished" in Results([], {})._repr_html_()


def test_a_study_shows_itself_in_a_notebook(tmp_path: Path, scenario: Path) -> None:
    text = scenario.read_text(encoding="utf-8").partition("[compare")[0].replace("runs = 2\n", "")
    scenario.write_text(text, encoding="utf-8")
    study = 'title = "Rates"\nscenario = "small.toml"\nseeds = 1\n\n[vary.rate]\n'
    study += 'path = "links.wire.rate"\nvalues = ["5 Mbps", "10 Mbps"]\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    found = windtunnel.study(tmp_path / "study.toml", store=tmp_path / "store", progress=False)
    assert isinstance(found, StudyResults)
    assert repr(found).startswith("Rates: 2 of 2 runs finished")
    shown = found._repr_html_()
    assert "Rates: 2 of 2 runs finished" in shown and "<table" in shown and "goodput_bps" in shown
