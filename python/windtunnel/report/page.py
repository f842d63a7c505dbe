"""A page: a self-contained HTML file, and the files of its pictures and tables."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2
import polars as pl
import vl_convert

from windtunnel.cache import cache_folder
from windtunnel.folders import put_report
from windtunnel.pictures import colours
from windtunnel.pictures.files import FigureFiles
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies.figure import capital

NAME = "report.html"
FIGURES = "figures"
TABLES = "tables"


def write_page(
    folder: Path,
    template: str,
    pictures: list[Picture],
    tables: Mapping[str, pl.DataFrame] | None = None,
    figure_files: FigureFiles | None = None,
    **content: Any,
) -> Path:
    """Write a page of a template's content, its tables and, as `figure_files`, its pictures.

    They replace those of an earlier page, all or none, and the page comes last; other files
    in the folder stay. `tables` are written as CSV. Raises OSError.
    """
    new = Path(tempfile.mkdtemp(prefix=".report-", dir=folder))
    try:
        (numbers := new / TABLES).mkdir()
        if figure_files:
            figure_files.write(new / FIGURES, pictures)
        for name, table in (tables or {}).items():
            (numbers / f"{name}.csv").write_text(table.write_csv(), encoding="utf-8")
        page = rendered(template, figure_files=figure_files, **content)
        (new / NAME).write_text(page, encoding="utf-8")
        put_report(folder, new)
        return folder / NAME
    finally:
        shutil.rmtree(new, ignore_errors=True)


def files(picture: Picture, figures: FigureFiles) -> list[str]:
    """Name a picture's files, as seen from the page."""
    return [f"{FIGURES}/{name}" for name in figures.names(picture)]


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
        capital=capital,
        colours=colours.css(),
        style=package.joinpath("page.css").read_text(encoding="utf-8"),
        script=package.joinpath("page.js").read_text(encoding="utf-8"),
        choices_script=package.joinpath("choices.js").read_text(encoding="utf-8"),
        network_script=package.joinpath("network.js").read_text(encoding="utf-8"),
        sky_script=package.joinpath("sky.js").read_text(encoding="utf-8"),
        vega=bundle(),
    )
    return environment


def bundle() -> str:
    """Give Vega, Vega-Lite and Vega-Embed, which draw the pictures in the page.

    Made once, which takes longer than a page, and kept in the user's cache.
    """
    kept = cache_folder() / f"vega-{version('vl-convert-python')}.js"
    with suppress(OSError, UnicodeDecodeError):
        return kept.read_text(encoding="utf-8")
    made: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    # A page does not need the cache.
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=kept.parent, encoding="utf-8", delete=False
        ) as file:
            file.write(made)
        Path(file.name).replace(kept)
    return made
