"""Progress on a terminal: time done, time left, speed. Elsewhere, nothing."""

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


@contextmanager
def shown() -> Iterator[Callable[[running.Progress], None]]:
    """Show how far a scenario is, on standard error if that is a terminal.

    Gives the `watch` of `run_scenario`; the line vanishes at the end.
    """
    console = Console(stderr=True)
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
    with bar:
        task = bar.add_task("", total=1.0, simulated="", speed="", runs="")

        def watch(now: running.Progress) -> None:
            bar.update(
                task,
                completed=now.share,
                simulated=f"{now.simulated_s:.1f} of {now.total_simulated_s:g} s",
                speed=f"{now.speed:.1f}× real time",
                runs=f"{now.finished} of {now.runs} runs",
            )

        yield watch
