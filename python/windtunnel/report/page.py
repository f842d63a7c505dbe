"""A page: a self-contained HTML file, and the files of its pictures and tables."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
import vl_convert

from windtunnel.folders import replace
from windtunnel.pictures import colours
from windtunnel.pictures.picture import WRITERS, Picture, document

NAME = "report.html"
FIGURES = "figures"
TABLES = "tables"
FORMATS = (".svg", ".pdf")
"""What every picture is written as."""


def write_page(
    folder: Path,
    template: str,
    pictures: list[Picture],
    tables: Mapping[str, pl.DataFrame] | None = None,
    **content: Any,
) -> Path:
    """Write a page of a template's content, and the files of its pictures and tables.

    The files of each kind appear all or not at all, and the page after them. `tables`
    are written as CSV. Raises OSError.
    """
    figures = Path(tempfile.mkdtemp(prefix=f".{FIGURES}-", dir=folder))
    numbers = Path(tempfile.mkdtemp(prefix=f".{TABLES}-", dir=folder))
    page = folder / f".{NAME}"
    try:
        figures.chmod(0o755)
        numbers.chmod(0o755)
        for picture in pictures:
            drawn = document(picture)
            for suffix in FORMATS:
                (figures / f"{picture.name}{suffix}").write_bytes(WRITERS[suffix](drawn))
        for name, table in (tables or {}).items():
            (numbers / f"{name}.csv").write_text(table.write_csv(), encoding="utf-8")
        page.write_text(rendered(template, **content), encoding="utf-8")
        replace(folder / FIGURES, figures)
        if tables is not None:
            replace(folder / TABLES, numbers)
        return page.rename(folder / NAME)
    finally:
        # They still exist only after an error, or without tables.
        shutil.rmtree(figures, ignore_errors=True)
        shutil.rmtree(numbers, ignore_errors=True)
        page.unlink(missing_ok=True)


def files(picture: Picture) -> list[str]:
    """Name a picture's files, as seen from the page."""
    return [f"{FIGURES}/{picture.name}{suffix}" for suffix in FORMATS]


def table_file(name: str) -> str:
    """Name a table's file, as seen from the page."""
    return f"{TABLES}/{name}.csv"


def rendered(template: str, **content: Any) -> str:
    """Fill a template; text from users is escaped."""
    return templates().get_template(template).render(**content)


@cache
def templates() -> jinja2.Environment:
    """Prepare the templates, with what every page contains."""
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
        table_file=table_file,
        colours=colours.css(),
        style=package.joinpath("page.css").read_text(encoding="utf-8"),
        script=package.joinpath("page.js").read_text(encoding="utf-8"),
        # Vega, Vega-Lite and Vega-Embed, which draw the pictures in the page.
        vega=vl_convert.javascript_bundle(),  # type: ignore[call-arg]
    )
    return environment
