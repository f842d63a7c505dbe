"""Progress on a terminal, in a notebook and in a log: done, time left, speed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn


class Progress(Protocol):
    """The progress of a long task."""

    @property
    def real_s(self) -> float:
        """Seconds since its start."""

    @property
    def share(self) -> float:
        """The share done, from 0 to 1."""

    def words(self) -> list[str]:
        """Describe it."""


Watch = Callable[[Progress], None]

BETWEEN_LINES = 30.0
"""Seconds between two lines where there is no terminal."""

PATIENCE = 0.5
"""Seconds before a bar appears on a terminal."""


def tell(notes: list[str]) -> None:
    """Print what was decided for the user, on standard error."""
    for note in notes:
        print(f"windtunnel: {note}", file=sys.stderr)


@contextmanager
def shown() -> Iterator[Watch]:
    """Show progress in a notebook or on standard error: as a bar on a terminal, else as lines.

    Gives the function to call with each progress; a bar disappears at the end.
    """
    console = Console(stderr=True)
    if not (console.is_jupyter or console.is_terminal):
        yield in_lines()
        return
    with in_notebook() if console.is_jupyter else on_terminal(console) as watch:
        yield watch


def in_lines() -> Watch:
    """Give a function that prints a line on standard error now and then, for logs."""
    told_s = 0.0

    def watch(now: Progress) -> None:
        nonlocal told_s
        if now.real_s < told_s + BETWEEN_LINES:
            return
        told_s = now.real_s
        tell([", ".join([f"{now.share:.0%} done", *now.words(), *left(now)])])

    return watch


def left(now: Progress) -> list[str]:
    """Say how long the rest takes at the speed so far, if that is known."""
    if not now.share:
        return []
    return [f"about {now.real_s * (1 / now.share - 1):.0f} s left"]


@contextmanager
def on_terminal(console: Console) -> Iterator[Watch]:
    """Show a bar on a terminal."""
    bar = rich.progress.Progress(
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.fields[words]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        expand=True,
        console=console,
        transient=True,
    )
    task = bar.add_task("", total=1.0, words="")

    def watch(now: Progress) -> None:
        if now.real_s > PATIENCE:
            bar.start()
        bar.update(task, completed=now.share, words="  ".join(now.words()))

    try:
        yield watch
    finally:
        bar.stop()


@contextmanager
def in_notebook() -> Iterator[Watch]:
    """Show a bar in the output of a notebook cell.

    The bar is plain HTML: Rich's needs a widget that not every notebook has.
    """
    from IPython.display import display

    place = display({"text/html": ""}, raw=True, display_id=True)

    def watch(now: Progress) -> None:
        words = ", ".join(now.words())
        place.update(
            {"text/html": f'<progress value="{now.share:.3f}"></progress> {words}'}, raw=True
        )

    try:
        yield watch
    finally:
        place.update({"text/html": ""}, raw=True)
