"""Each paper, tried: every experiment runs, every question and figure is drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from windtunnel.cli.commands import app
from windtunnel.papers.paper import find_papers

NAMES = [paper.name for paper in find_papers()]


@pytest.mark.parametrize("name", NAMES)
def test_everything_of_a_paper_runs_and_is_drawn(name: str, tmp_path: Path) -> None:
    out = tmp_path / name
    command = ["reproduce", name, "--quick", "--jobs", "1", "--out", str(out), "--json"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 0, ran.output
    document = json.loads(ran.stdout)
    assert not document["missing"]
    decided = {"matches", "differs", "confirmed", "not confirmed", "tied"}
    assert not decided & {item["verdict"] for item in document["items"]}
    assert (out / "report.html").is_file()
    # A run that is shortened may end before what a picture shows.
    drawn = [figure["id"] for figure in document["figures"] if figure["files"]]
    assert len(drawn) >= len(document["figures"]) / 2
