"""What commands answer with: text, JSON, messages, reports, and exit codes."""

from __future__ import annotations

import gc
import json
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from windtunnel import progress
from windtunnel._core import FlightError, ScenarioError
from windtunnel.bench.errors import UnknownWorkload
from windtunnel.conformance.suites import ConformanceError
from windtunnel.controller_names import UnknownController
from windtunnel.extensions import UnknownExtension
from windtunnel.interop import InteropError
from windtunnel.linux.errors import KernelError
from windtunnel.papers.errors import PaperError, UnknownPaper
from windtunnel.recipes import UnknownRecipe
from windtunnel.results import ResultsError
from windtunnel.studies.errors import StudyError

INTERNAL_ERROR = 1
INVALID_INPUT = 2
INTERRUPTED = 130

INVALID = (
    ScenarioError,
    FlightError,
    StudyError,
    ResultsError,
    UnknownPaper,
    InteropError,
    UnknownRecipe,
    PaperError,
    UnknownExtension,
    UnknownWorkload,
    ConformanceError,
    UnknownController,
    KernelError,
)
"""Errors of the user's input."""

INTERNAL = "internal error; please report it"


class Failure(Exception):
    """The end of a command: a message, and its exit code."""

    def __init__(self, message: str, code: int) -> None:
        """Set both."""
        super().__init__(message)
        self.code = code


def fail(message: str, code: int) -> NoReturn:
    """Say what is wrong, and end the command."""
    raise Failure(message, code)


def of_system(error: OSError) -> str:
    """Give the message of an error of the operating system, with the file if it names one."""
    return ": ".join(filter(None, [error.filename, error.strerror or str(error)]))


def answer(document: dict[str, Any]) -> None:
    """Print a JSON document."""
    # Piece by piece: as one text, the figures of 100,000 flows take gigabytes.
    json.dump(document, sys.stdout, indent=2)
    print(flush=True)


def output() -> Console:
    """Give standard output, wide enough for tables where it is not a terminal."""
    width = None if sys.stdout.isatty() else 200
    return Console(width=width, highlight=False, markup=False, emoji=False)


def say(line: str) -> None:
    """Print a line, however long."""
    output().print(line, soft_wrap=True)


def count(number: int, what: str) -> str:
    """Count things in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def drawn(
    folder: Path, figures: bool = False, width: str | None = None, formats: Sequence[str] = ()
) -> Path:
    """Write the report of a folder, and its pictures as files if asked for.

    On a terminal there is a status line.
    """
    # A report allocates much and frees little: to look for cycles takes a sixth of its time.
    gc.disable()
    # Imported here: Altair takes longer to load than most commands take.
    from windtunnel.report import write_report

    try:
        with Console(stderr=True).status("writing the report"):
            return write_report(folder, figures, width, formats)
    finally:
        gc.enable()


def open_page(page: Path) -> None:
    """Open a page in the browser; without one, a line says so."""
    if not webbrowser.open(page.resolve().as_uri()):
        progress.tell([f"no browser was found to open {page}; $BROWSER can name one"])
