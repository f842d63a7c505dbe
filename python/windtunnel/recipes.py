"""Recipes: short scenarios to begin with, and the page of the manual that shows them.

Each is a file in `data/recipes`; `make docs` writes the page.
"""

from __future__ import annotations

import errno
import os
import sys
import tomllib
from pathlib import Path

from windtunnel import interop
from windtunnel._core import suggestion
from windtunnel.folders import beside
from windtunnel.package_data import NEW_PAPER, RECIPES

PAPER = "paper"
"""What is written instead of a recipe: the folder of a paper."""

HEAD = """\
<!-- Made by `make docs` from python/windtunnel/data/recipes: change those. -->

# Recipes

Scenarios to begin with. `windtunnel new` lists them, and `windtunnel new incast > mine.toml`
writes one into a file of your own; `windtunnel run mine.toml` runs it.
`windtunnel check --expand mine.toml` prints all nodes, links and flows that its tables stand for.
What the keys mean is in [Scenario files](scenarios/README.md).
"""


class UnknownRecipe(ValueError):
    """There is no recipe of that name."""


def titles() -> dict[str, str]:
    """Give the title of each recipe, by its name."""
    return {it.stem: title(it) for it in sorted(RECIPES.glob("*.toml"))}


def title(file: Path) -> str:
    """Read the title of a recipe."""
    return str(tomllib.loads(file.read_text(encoding="utf-8"))["title"])


def text(name: str) -> str:
    """Give the text of a recipe, or the one for a line of quic-network-simulator.

    Raises UnknownRecipe if there is none of that name, and InteropError if the line is wrong.
    """
    if interop.is_line(name):
        return interop.scenario(name)
    names = titles()
    if name not in names:
        help = suggestion(name, [*names, *interop.SCENARIOS, PAPER])
        raise UnknownRecipe(f"there is no recipe `{name}`\nhelp: {help}")
    return (RECIPES / f"{name}.toml").read_text(encoding="utf-8")


def write_paper(folder: Path) -> Path:
    """Write the folder of a paper to begin with. Raises OSError if the folder is there already."""
    if folder.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))
    with beside(folder) as made:
        for file in NEW_PAPER.iterdir():
            (made / file.name).write_bytes(file.read_bytes())
        made.rename(folder)
    return folder


def page() -> str:
    """Write the page, in Markdown."""
    sections = (
        f"\n## {name}\n{it}.\n\n```toml\n{text(name)}```\n" for name, it in titles().items()
    )
    return HEAD + "".join(sections)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
