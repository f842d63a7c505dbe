"""The guides from beginning to end: what a page tells to type is typed, and prints what it says."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import nbformat

import pages
from windtunnel.studies import design
from windtunnel.studies.file import read

INSTALLING = ("python3 -m venv", "environment/bin/pip install", "source environment")
"""What `make dist` tries with each wheel that it makes."""

FILLING = ("mkdir stick", "pip download", "cp docs/worksheet.ipynb", "trial/bin/")
"""What needs the Internet, and what it has fetched."""

WORKING = ("jupyter lab",)
"""What does not end by itself."""


def test_a_home_router_is_compared_and_put_into_a_paper(tmp_path: Path) -> None:
    page = pages.text("home-router.md")
    pages.follow(page, tmp_path, INSTALLING)
    scenario = (pages.ROOT / "scenarios" / "home.toml").read_text(encoding="utf-8")
    assert (tmp_path / "home.toml").read_text(encoding="utf-8") == scenario
    (figure,) = re.findall(r"\\includegraphics\{(.*)\}", page)
    assert (tmp_path / figure).read_bytes().startswith(b"%PDF")
    results = tmp_path / "results" / "home"
    manifest = json.loads((results / "manifest.json").read_text(encoding="utf-8"))
    methods = " ".join(line[2:] for line in page.splitlines() if line.startswith("> "))
    assert f"Windtunnel {manifest['windtunnel']} (seed {manifest['seed']})" in methods
    sent = hashlib.sha256((results / "scenario.toml").read_bytes()).hexdigest()
    assert sent == manifest["scenario_sha256"] and f"`{sent[:8]}…`" in methods


def test_a_controller_is_compared_under_200_conditions_and_gated(tmp_path: Path) -> None:
    pages.follow(pages.text("controller-under-test.md"), tmp_path)
    # CUBIC and the page's class.
    assert design.count(read(tmp_path / "conditions.toml")) == 2 * 200


def test_laptops_get_the_same_bytes_and_the_lecturer_gets_what_a_student_saw(
    tmp_path: Path,
) -> None:
    page = pages.text("lecture.md")
    rooms = [tmp_path / "one laptop", tmp_path / "another"]
    for room in rooms:
        room.mkdir()
        pages.follow(page, room, (*INSTALLING, *FILLING, *WORKING))
    files = [(it / "results" / "room" / "flows.csv").read_bytes() for it in rooms]
    assert files[0] == files[1]
    # The class of the page and the line of the race are those of the worksheet's last part.
    worksheet = nbformat.read(pages.ROOT / "docs" / "worksheet.ipynb", as_version=4)
    seen = "".join(str(it.get("outputs", "")) for it in worksheet.cells)
    (printed,) = re.findall(r"^ada: (.*)$", page, re.MULTILINE)
    assert f"mine: {printed}" in seen
