"""What runs sample while they go on, as lines of blocks on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from windtunnel.running import LiveLine, LiveRun, Progress

BLOCKS = "▁▂▃▄▅▆▇█"
"""The heights of a value, from the least on."""

RATES = (("Gbps", 1e9), ("Mbps", 1e6), ("kbps", 1e3), ("bps", 1.0))

UPDATES = 4
"""Pictures a second."""

BETWEEN_LINES = 10.0
"""Seconds between two lines where there is no terminal."""

WIDTH = 80
NAME = 24
"""Characters of a name."""


@contextmanager
def shown() -> Iterator[Callable[[Progress], None]]:
    """Show what is sampled on standard error; where that is no terminal, a line now and then.

    Gives the function to call with each progress; the picture disappears at the end.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield in_lines()
        return
    with Live(
        console=console, transient=True, auto_refresh=False, redirect_stdout=False
    ) as picture:
        last = 0.0

        def watch(now: Progress) -> None:
            nonlocal last
            if now.real_s - last >= 1 / UPDATES:
                last = now.real_s
                picture.update(
                    Group(*(Text(it) for it in lines(now, console.height))), refresh=True
                )

        yield watch


def in_lines() -> Callable[[Progress], None]:
    """Give what prints how far runs are now and then."""
    last = time.monotonic()

    def watch(now: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= BETWEEN_LINES:
            last = time.monotonic()
            print(f"windtunnel: {', '.join(now.words())}", file=sys.stderr, flush=True)

    return watch


def lines(now: Progress, height: int) -> list[str]:
    """Draw runs in progress, in as many lines as there are at the most."""
    drawn = ["  ".join(now.words())]
    for place, run in enumerate(now.live):
        of_run = run_lines(run, is_alone=now.runs == 1)
        left = len(now.live) - place
        # A line for the prompt, and one that says how many runs are not shown.
        if len(drawn) + len(of_run) + 2 > height and place > 0:
            drawn.append(more(left, "run"))
            break
        drawn += of_run
    return [line[:WIDTH] for line in drawn[: height - 1]]


def run_lines(run: LiveRun, is_alone: bool) -> list[str]:
    """Draw a run: its flows, then its queues."""
    name = ", ".join([*run.case, f"run {run.number}"])
    drawn = [] if is_alone else [f"{name}: {run.simulated_s:.1f} of {run.duration_s:g} s"]
    if not run.all_flows and not run.all_queues:
        return [*drawn, "nothing was recorded so far"]
    if run.flows:
        drawn.append(heading("goodput by flow", run))
        drawn += [line(it, rate(it.last)) for it in run.flows]
        drawn += rest(run.all_flows - len(run.flows))
    if run.queues:
        drawn.append(heading("packets in queues", run))
        drawn += [line(it, f"{it.last:.0f}") for it in run.queues]
        drawn += rest(run.all_queues - len(run.queues))
    return drawn


def heading(what: str, run: LiveRun) -> str:
    """Name what is drawn below, and from when to when."""
    end = f"{run.duration_s:g} s"
    shares = max((len(it.means) for it in [*run.flows, *run.queues]), default=0)
    return f"{what:<{NAME}} 0{end:>{shares - 1}}"


def line(of: LiveLine, value: str) -> str:
    """Draw a flow or a queue: its name, blocks as high as its means, its last value."""
    name = of.name if len(of.name) <= NAME else f"{of.name[: NAME - 1]}…"
    return f"{name:<{NAME}} {blocks(of.means)} {value}"


def rate(bps: float) -> str:
    """Write a rate in a unit that suits it."""
    unit, size = next((unit, size) for unit, size in RATES if bps >= size or size == 1.0)
    return f"{bps / size:.4g} {unit}"


def blocks(means: list[float | None]) -> str:
    """Draw values as blocks, of which the highest is the maximum; a blank for none."""
    top = max((it for it in means if it is not None), default=0.0)
    return "".join(" " if it is None else block(it / top if top else 0.0) for it in means)


def block(share: float) -> str:
    """Choose the block of a share from 0 to 1."""
    return BLOCKS[min(int(share * len(BLOCKS)), len(BLOCKS) - 1)]


def rest(count: int) -> list[str]:
    """Say how many are not drawn, if any are not."""
    return [f"and {count:,} more"] if count > 0 else []


def more(count: int, what: str) -> str:
    """Say how many are not drawn."""
    return f"and {count:,} more {what}{'' if count == 1 else 's'}"
