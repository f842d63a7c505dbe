"""`run --watch`: again whenever the scenario, or a file that it names, is saved."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from windtunnel import progress
from windtunnel.cli.output import INTERRUPTED, INVALID, Failure, of_system
from windtunnel.cli.run import Options, run_file
from windtunnel.extensions import file_of

BETWEEN_LOOKS = 0.2
"""Seconds between two looks at the files; what is saved must also stay the same for so long."""

Stamp = tuple[int, int] | None
"""When a file was changed, and its size; None if there is none."""


def run_on_save(file: Path, options: Options) -> NoReturn:
    """Run a scenario now and after each save, until Ctrl-C. A mistake waits for the next save."""
    if not file.is_file():
        # Nothing that can be saved: the message is that of a run.
        options.read(file)
    while True:
        before = stamps(named(file, options))
        try:
            run_file(file, options)
        except Failure as failure:
            if failure.code == INTERRUPTED:
                raise
            progress.tell([str(failure)])
        except INVALID as error:
            progress.tell([str(error)])
        except OSError as error:
            progress.tell([of_system(error)])
        # One page is enough: the browser loads it again.
        options = replace(options, report=options.report or options.opens, opens=False)
        progress.tell([f"waiting until {file} is saved; Ctrl-C ends"])
        wait(before)


def named(file: Path, options: Options) -> list[Path]:
    """List the scenario's file, those of classes and, if it can be read, those that it names."""
    own = [file, *map(file_of, options.extensions)]
    try:
        scenario = options.read(file)
    except (*INVALID, OSError):
        return own
    return [*own, *(file.parent / name for name, _ in scenario.files)]


def wait(before: dict[Path, Stamp]) -> None:
    """Wait until a file is no longer as before, and nothing is written any more."""
    earlier, now = before, stamps(before)
    while now == before or now != earlier:
        time.sleep(BETWEEN_LOOKS)
        earlier, now = now, stamps(before)


def stamps(files: Iterable[Path]) -> dict[Path, Stamp]:
    """Give when files were changed."""
    return {file: stamp(file) for file in files}


def stamp(file: Path) -> Stamp:
    """Give when a file was changed; an editor may have put another in its place."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
