"""The book: every page is in it, and every link on a page leads to a page, a heading or a file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COPIED = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "mkdocs.yml", "docs", "papers")
"""What a book with a mistake is made from; other files are found by links alone."""


def build(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """Build the book of a repository, as `make book` does."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(
        [*command, str(site)], cwd=root, env=environment, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book's site."""
    site = tmp_path_factory.mktemp("book")
    built = build(ROOT, site)
    assert built.returncode == 0, built.stderr
    return site


def test_every_section_of_the_manual_is_in_the_search(book: Path) -> None:
    index = json.loads((book / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {it["location"] for it in index["docs"]}
    assert {"docs/scenarios/queue.html#codel", "papers/d-tcp/index.html"} <= found


def test_a_file_that_a_page_links_to_is_beside_it(book: Path) -> None:
    file = "scenarios/first.toml"
    assert f'href="{file}"' in (book / "index.html").read_text(encoding="utf-8")
    assert (book / file).read_bytes() == (ROOT / file).read_bytes()


def test_a_link_that_leads_nowhere_and_a_page_that_is_not_in_the_nav_are_errors(
    tmp_path: Path,
) -> None:
    copy(tmp_path)
    (tmp_path / "docs" / "forgotten.md").write_text("# Forgotten\n", encoding="utf-8")
    links = ("nowhere.md", "queues.md#nowhere", "../scenarios/nowhere.toml")
    with (tmp_path / "docs" / "video.md").open("a", encoding="utf-8") as page:
        page.writelines(f"\n[A link]({link}).\n" for link in links)
    built = build(tmp_path, tmp_path / "site")
    assert built.returncode != 0
    warnings = [line for line in built.stderr.splitlines() if line.startswith("WARNING")]
    for link in links:
        assert any("docs/video.md" in it and f"'{link}'" in it for it in warnings)
    assert "docs/forgotten.md" in built.stderr


def copy(root: Path) -> None:
    """Copy what the book is made from to where it may be spoilt."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name)
        else:
            shutil.copy(ROOT / name, root)
