"""Progress on a terminal and in a notebook: time done, time left, speed. Elsewhere, nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from windtunnel import running

Watch = Callable[[running.Progress], None]

PATIENCE = 0.5
"""Seconds before a bar is shown on a terminal: what is done sooner needs none."""


@contextmanager
def shown() -> Iterator[Watch]:
    """Show how far a scenario is: in a notebook, or on standard error if that is a terminal.

    Gives the `watch` of `run_scenario`; the bar vanishes at the end.
    """
    console = Console(stderr=True)
    with in_notebook() if console.is_jupyter else on_terminal(console) as watch:
        yield watch


@contextmanager
def on_terminal(console: Console) -> Iterator[Watch]:
    """Show a bar on a terminal."""
    bar = Progress(
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.fields[simulated]}"),
        TextColumn("{task.fields[speed]}"),
        TextColumn("{task.fields[runs]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        expand=True,
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("", total=1.0, simulated="", speed="", runs="")

    def watch(now: running.Progress) -> None:
        if now.real_s > PATIENCE:
            bar.start()
        bar.update(
            task,
            completed=now.share,
            simulated=simulated(now),
            speed=speed(now),
            runs=runs(now),
        )

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

    def watch(now: running.Progress) -> None:
        told = ", ".join([simulated(now), speed(now), runs(now)])
        place.update(
            {"text/html": f'<progress value="{now.share:.3f}"></progress> {told}'}, raw=True
        )

    try:
        yield watch
    finally:
        place.update({"text/html": ""}, raw=True)


def simulated(now: running.Progress) -> str:
    """Tell the simulated time."""
    return f"{now.simulated_s:.1f} of {now.total_simulated_s:g} s"


def speed(now: running.Progress) -> str:
    """Tell the speed."""
    return f"{now.speed:.1f}× real time"


def runs(now: running.Progress) -> str:
    """Tell how many runs have ended."""
    return f"{now.finished} of {now.runs} runs"
