"""Papers: their experiments, figures and pages as folders of files."""

from __future__ import annotations

import importlib
import sys
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from windtunnel import package_data
from windtunnel._core import ScenarioError, check_toml, suggestion
from windtunnel.measures.common import MEASURES
from windtunnel.measures.measure import Measure
from windtunnel.papers.errors import PaperError, UnknownPaper
from windtunnel.papers.readings import Space
from windtunnel.texts import read_text

if TYPE_CHECKING:
    # Not at run time: it takes longer to load than most commands take.
    from windtunnel.pictures.kinds import Kinds

PAPER = "paper.toml"
PAGE = "README.md"


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, and its data."""

    id: str
    title: str
    caption: str
    kind: str
    """The kind of picture: a common one, or one of the paper's own."""
    experiment: str
    where: dict[str, str]
    """The case on each axis that the figure does not show."""
    series: str
    """The axis whose cases are compared, or `flow`."""

    def document(self) -> dict[str, Any]:
        """Give the figure as JSON values; the report fills in the files."""
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
    space: Space
    """The readings of what the paper leaves open, by question."""
    together: list[str]
    """Combinations of readings that each reproduction runs."""
    page: str
    """The paper's page, in Markdown."""

    @property
    def source(self) -> str:
        """How it is found again: by its name where it is installed, else by its folder."""
        return self.name if self.folder.parent == package_data.PAPERS else str(self.folder)

    def scenario(self, experiment: str) -> Path:
        """Give the file of an experiment."""
        return self.folder / f"{experiment}.toml"

    def measures(self) -> dict[str, Measure]:
        """Give all measures that its files can name: the common ones and its own.

        Raises PaperError.
        """
        return {**MEASURES, **self.own("measures", "MEASURES")}

    def pictures(self) -> Kinds:
        """Give all kinds of pictures for its figures: the common ones and its own.

        Raises PaperError.
        """
        # Imported here: Altair takes longer to load than most commands take.
        from windtunnel.pictures.kinds import OF_PAPERS

        return {**OF_PAPERS, **self.own("pictures", "PICTURES")}

    def own(self, part: str, name: str) -> dict[str, Any]:
        """Give a dictionary from a Python file in its folder; empty without the file.

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
    """Find all papers, by name. Raises PaperError for an invalid folder."""
    folders = sorted(path.parent for path in package_data.PAPERS.glob(f"*/{PAPER}"))
    return [read_paper(folder) for folder in folders]


def find_paper(name: str) -> Paper:
    """Find a paper by its name, or by its folder.

    Raises UnknownPaper, with the nearest name, or PaperError.
    """
    if is_folder(name):
        return read_paper(Path(name).resolve())
    papers = {paper.name: paper for paper in find_papers()}
    if name in papers:
        return papers[name]
    help = suggestion(name, list(papers)) if papers else f"{package_data.PAPERS} has no papers"
    help += "; a folder of yours is named with its path, such as ./mine"
    raise UnknownPaper(f"unknown paper `{name}`\nhelp: {help}")


def is_folder(name: str) -> bool:
    """Say whether a name is that of a paper's folder, and not of a paper that is installed."""
    return Path(name).name != name or (Path(name) / PAPER).is_file()


def read_paper(folder: Path) -> Paper:
    """Read a paper's folder. Raises PaperError if it is invalid."""
    file = folder / PAPER
    if not file.is_file():
        what = "a file" if folder.is_file() else f"it has no {PAPER}"
        raise PaperError(
            f"{folder}: not the folder of a paper: {what}\n"
            "help: `windtunnel new paper DIR` writes one to begin with"
        )
    data = load(file)
    try:
        return Paper(
            name=folder.name,
            title=data["title"],
            reference=data["reference"],
            folder=folder,
            experiments=data["experiments"],
            figures=[Figure(**figure) for figure in data.get("figures", [])],
            space=Space(data.get("readings", {})),
            together=data.get("together", []),
            page=read_text(folder / PAGE),
        )
    except (KeyError, TypeError) as error:
        raise PaperError(f"{file}: {explain(error)}") from error


def load(file: Path) -> dict[str, Any]:
    """Read a TOML file; numbers keep their digits."""
    text = read_text(file)
    try:
        check_toml(str(file), text)
        return tomllib.loads(text, parse_float=Decimal)
    except (ScenarioError, tomllib.TOMLDecodeError) as error:
        raise PaperError(str(error)) from error


def explain(error: Exception) -> str:
    """Describe what is wrong with a table."""
    return f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)


def module(file: Path) -> ModuleType:
    """Load a Python file of a paper's folder; `from . import NAME` finds those beside it."""
    package = f"windtunnel_paper_{file.parent}".replace(".", "_")
    parent = sys.modules.setdefault(package, ModuleType(package))
    parent.__path__ = [str(file.parent)]
    return importlib.import_module(f"{package}.{file.stem}")
