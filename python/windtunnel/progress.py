"""Progress on a terminal and in a notebook: time done, time left, speed. Elsewhere, nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn


class Progress(Protocol):
    """How far something is that takes long."""

    @property
    def real_s(self) -> float:
        """Seconds since its start."""

    @property
    def share(self) -> float:
        """The share done, from 0 to 1."""

    def told(self) -> list[str]:
        """Say it in words."""


Watch = Callable[[Progress], None]

PATIENCE = 0.5
"""Seconds before a bar is shown on a terminal: what is done sooner needs none."""


@contextmanager
def shown() -> Iterator[Watch]:
    """Show how far something is: in a notebook, or on standard error if that is a terminal.

    Gives the `watch` of who does it; the bar vanishes at the end.
    """
    console = Console(stderr=True)
    with in_notebook() if console.is_jupyter else on_terminal(console) as watch:
        yield watch


@contextmanager
def on_terminal(console: Console) -> Iterator[Watch]:
    """Show a bar on a terminal."""
    bar = rich.progress.Progress(
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        expand=True,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("", total=1.0, told="")

    def watch(now: Progress) -> None:
        if now.real_s > PATIENCE:
            bar.start()
        bar.update(task, completed=now.share, told="  ".join(now.told()))

    try:
        yield watch
    finally:
        bar.stop()


@contextmanager
def in_notebook() -> Iterator[Watch]:
    """Show a bar in the output of a notebook's cell.

    It is one of HTML, and not Rich's, which needs a widget that not every notebook has.
    """
    from IPython.display import display

    place = display({"text/html": ""}, raw=True, display_id=True)

    def watch(now: Progress) -> None:
        told = ", ".join(now.told())
        place.update(
            {"text/html": f'<progress value="{now.share:.3f}"></progress> {told}'}, raw=True
        )

    try:
        yield watch
    finally:
        place.update({"text/html": ""}, raw=True)
