"""Papers: their experiments, figures and pages as folders of files."""

from __future__ import annotations

import importlib
import sys
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from windtunnel import package_data
from windtunnel.measures.common import MEASURES
from windtunnel.measures.measure import Measure
from windtunnel.papers.errors import PaperError, UnknownPaper

if TYPE_CHECKING:
    # At run time this import takes longer than most commands.
    from windtunnel.pictures.kinds import Kinds

PAPER = "paper.toml"
PAGE = "README.md"


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, and what it is drawn from."""

    id: str
    title: str
    caption: str
    kind: str
    """What is drawn: a kind of picture that the report knows."""
    experiment: str
    where: dict[str, str]
    """The cases of the axes that stand still."""
    series: str
    """The axis whose cases, or `flow` for the flows that, are drawn side by side."""

    def document(self) -> dict[str, Any]:
        """Give the figure as JSON values; whoever draws it names the files."""
        return {**vars(self), "files": []}


@dataclass(frozen=True)
class Paper:
    """A paper: a folder with its scenarios, its published values and its page."""

    name: str
    title: str
    reference: str
    folder: Path
    experiments: dict[str, str]
    """The titles of its experiments, by name; `NAME.toml` is the scenario."""
    figures: list[Figure]
    page: str
    """How the paper was understood, and what came out, in Markdown."""

    def scenario(self, experiment: str) -> Path:
        """Give the file of an experiment."""
        return self.folder / f"{experiment}.toml"

    def measures(self) -> dict[str, Measure]:
        """Give every measure that its files may name: the common ones and its own.

        Raises PaperError.
        """
        return {**MEASURES, **self.own("measures", "MEASURES")}

    def pictures(self) -> Kinds:
        """Give every kind of picture that its figures may be of: the common ones and its own.

        Raises PaperError.
        """
        # Here, because loading what draws takes longer than most commands.
        from windtunnel.pictures.kinds import KINDS

        return {**KINDS, **self.own("pictures", "PICTURES")}

    def own(self, part: str, name: str) -> dict[str, Any]:
        """Give a dictionary of a Python file in its folder; empty without the file.

        Raises PaperError.
        """
        file = self.folder / f"{part}.py"
        if not file.exists():
            return {}
        try:
            found: dict[str, Any] = getattr(module(file), name)
        except Exception as error:
            raise PaperError(f"{file}: {type(error).__name__}: {error}") from error
        return found


def find_papers() -> list[Paper]:
    """Find all papers, by name. Raises PaperError if a folder is not as it should be."""
    folders = sorted(path.parent for path in package_data.PAPERS.glob(f"*/{PAPER}"))
    return [read_paper(folder) for folder in folders]


def find_paper(name: str) -> Paper:
    """Find a paper by its name. Raises UnknownPaper with the nearest one, or PaperError."""
    papers = {paper.name: paper for paper in find_papers()}
    if name in papers:
        return papers[name]
    near = get_close_matches(name, papers, n=1)
    if near:
        help = f"did you mean `{near[0]}`?"
    elif papers:
        help = f"there are {', '.join(papers)}"
    else:
        help = f"there are none in {package_data.PAPERS}"
    raise UnknownPaper(f"there is no paper `{name}`; {help}")


def read_paper(folder: Path) -> Paper:
    """Read a paper's folder. Raises PaperError if it is not as it should be."""
    file = folder / PAPER
    data = load(file)
    try:
        return Paper(
            name=folder.name,
            title=data["title"],
            reference=data["reference"],
            folder=folder,
            experiments=data["experiments"],
            figures=[Figure(**figure) for figure in data.get("figures", [])],
            page=(folder / PAGE).read_text(encoding="utf-8"),
        )
    except (KeyError, TypeError) as error:
        raise PaperError(f"{file}: {explain(error)}") from error


def load(file: Path) -> dict[str, Any]:
    """Read a TOML file; numbers keep their digits."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise PaperError(f"{file}: {error}") from error


def explain(error: Exception) -> str:
    """Say what is wrong with a table."""
    return f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)


def module(file: Path) -> ModuleType:
    """Load a Python file of a paper's folder; `from . import NAME` finds those beside it."""
    package = f"windtunnel_paper_{file.parent}".replace(".", "_")
    parent = sys.modules.setdefault(package, ModuleType(package))
    parent.__path__ = [str(file.parent)]
    return importlib.import_module(f"{package}.{file.stem}")
