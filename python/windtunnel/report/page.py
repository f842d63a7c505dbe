"""A page: one HTML file with everything it needs inside, and its pictures' files."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import vl_convert

from windtunnel.folders import replace
from windtunnel.report import colours
from windtunnel.report.pictures import WRITERS, Picture, document

NAME = "report.html"
FIGURES = "figures"
FORMATS = (".svg", ".pdf")
"""What every picture is written as."""


def write_page(folder: Path, template: str, pictures: list[Picture], **content: Any) -> Path:
    """Write a page of a template's content, and the files of its pictures.

    The files appear all or not at all, and the page after them. Raises OSError.
    """
    figures = Path(tempfile.mkdtemp(prefix=f".{FIGURES}-", dir=folder))
    page = folder / f".{NAME}"
    try:
        figures.chmod(0o755)
        for picture in pictures:
            drawn = document(picture)
            for suffix in FORMATS:
                (figures / f"{picture.name}{suffix}").write_bytes(WRITERS[suffix](drawn))
        page.write_text(rendered(template, **content), encoding="utf-8")
        replace(folder / FIGURES, figures)
        return page.rename(folder / NAME)
    finally:
        # Still there only if something went wrong.
        shutil.rmtree(figures, ignore_errors=True)
        page.unlink(missing_ok=True)


def files(picture: Picture) -> list[str]:
    """Name a picture's files, as seen from the page."""
    return [f"{FIGURES}/{picture.name}{suffix}" for suffix in FORMATS]


def rendered(template: str, **content: Any) -> str:
    """Fill a template; whatever people wrote is escaped."""
    return templates().get_template(template).render(**content)


@cache
def templates() -> jinja2.Environment:
    """Prepare the templates, with what every page has inside."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("windtunnel.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    package = resources.files("windtunnel.report")
    environment.globals.update(
        SCREEN=colours.SCREEN,
        files=files,
        colours=colours.css(),
        style=package.joinpath("page.css").read_text(encoding="utf-8"),
        script=package.joinpath("page.js").read_text(encoding="utf-8"),
        # Vega, Vega-Lite and Vega-Embed, which draw the pictures in the page.
        vega=vl_convert.javascript_bundle(),
    )
    return environment
