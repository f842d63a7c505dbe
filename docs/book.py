"""What is in the book: pages of the whole repository, at their paths, and the files that they show.

Links between files are then the same on a code host and in the book. mkdocs itself knows only the
files of one folder, which cannot be the root of the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]

LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")
"""A link of Markdown to a file, or a picture."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replace folders and patterns in the nav by the pages that they stand for."""
    config.nav = expanded(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Give the pages, those that the nav has forgotten as well, and what they link to."""
    pages = {*listed(config.nav), *(name(it) for it in (ROOT / "docs").rglob("*.md"))}
    beside = with_linked(pages) - pages | {*config.extra_css}
    return Files(
        [
            *(it for it in files if it.src_dir != config.docs_dir),
            *(file(config, it, InclusionLevel.UNDEFINED) for it in sorted(pages)),
            *(file(config, it, InclusionLevel.NOT_IN_NAV) for it in sorted(beside)),
        ]
    )


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Give blocks of code a language alone: rustdoc's attributes would hide where they end."""
    return re.sub(r"^```rust,ignore$", "```rust", markdown, flags=re.MULTILINE)


def file(config: MkDocsConfig, path: str, inclusion: InclusionLevel) -> File:
    """Describe a file of the repository, as mkdocs does one of its folder."""
    return File.generated(config, path, abs_src_path=str(ROOT / path), inclusion=inclusion)


def expanded(entry: Any) -> Any:
    """Expand an entry of the nav: a page, a section, or a list of these."""
    match entry:
        case dict():
            return {title: expanded(it) for title, it in entry.items()}
        case list():
            return [page for it in entry for page in pages_of(it)]
    return entry


def pages_of(entry: Any) -> list[Any]:
    """Give what an entry of a list in the nav stands for: several, if it is a pattern."""
    if not isinstance(entry, str):
        return [expanded(entry)]
    if entry.endswith("/"):
        entry += "*.md"
    return sorted(name(it) for it in ROOT.glob(entry)) if "*" in entry else [entry]


def listed(entry: Any) -> Iterator[str]:
    """Give the pages of the nav."""
    match entry:
        case str():
            yield entry
        case dict():
            yield from (page for it in entry.values() for page in listed(it))
        case list():
            yield from (page for it in entry for page in listed(it))


def with_linked(files: set[str]) -> set[str]:
    """Add to files what they link to, what that links to, and so on."""
    found: set[str] = set()
    while new := files - found:
        found |= new
        files = {it for page in new if page.endswith(".md") for it in linked(page)}
    return found


def linked(page: str) -> Iterator[str]:
    """Give the files of the repository that a page links to."""
    source = ROOT / page
    targets = LINK.findall(source.read_text(encoding="utf-8")) if source.exists() else ()
    for target in targets:
        path = (source.parent / target).resolve()
        if path.is_file() and path.is_relative_to(ROOT):
            yield name(path)


def name(file: Path) -> str:
    """Give a file's path in the repository."""
    return file.relative_to(ROOT).as_posix()
