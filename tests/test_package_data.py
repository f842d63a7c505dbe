"""Package data: papers, scenarios, maps and traces come with the package, whatever is beside it."""

from __future__ import annotations

import glob
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import windtunnel
from windtunnel.package_data import PAPERS, SCENARIOS

ROOT = Path(__file__).parents[1]
PACKAGE = Path(windtunnel.__file__).parent

PROGRAM = """\
from pathlib import Path
import windtunnel
from windtunnel.papers.check import check
from windtunnel.papers.paper import find_papers
from windtunnel.papers.published import read_published
from windtunnel.papers.claims import read_claims
from windtunnel.papers.reproduction import plan

assert Path(windtunnel.__file__).is_relative_to(Path.cwd().parent)
for paper in find_papers():
    claims = read_claims(paper).claims
    check(paper, read_published(paper), claims, plan(paper).scenarios, paper.measures())
    assert {it.kind for it in paper.figures} <= paper.pictures().keys()
    print(paper.name)
"""
"""Reads all papers, with their scenarios, maps and code."""


def test_the_links_of_the_package_lead_to_the_folders_of_the_repository() -> None:
    assert (ROOT / "papers", ROOT / "scenarios") == (PAPERS, SCENARIOS)


def test_a_wheel_holds_all_files_of_papers_and_scenarios() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [pattern] = settings["tool"]["maturin"]["include"]
    included = glob.glob(pattern, root_dir=ROOT, recursive=True)
    packed = {(ROOT / it).resolve() for it in included}
    for folder in (PAPERS, SCENARIOS):
        files = {it for it in folder.rglob("[!.]*.*") if it.suffix != ".pyc"}
        assert files and files <= packed


def test_an_installed_package_reads_its_papers_with_no_repository_beside_it(tmp_path: Path) -> None:
    # Copies in place of links, as in a wheel.
    shutil.copytree(PACKAGE, tmp_path / "site" / "windtunnel")
    empty = tmp_path / "empty"
    empty.mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, '../site')\n{PROGRAM}"],
        cwd=empty,
        capture_output=True,
        text=True,
    )
    assert ended.stdout.split() == sorted(it.parent.name for it in PAPERS.glob("*/paper.toml"))
    assert ended.stderr == ""
