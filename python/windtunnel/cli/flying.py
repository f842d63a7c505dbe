"""The command `fly`: the sockets of a command use a controller in the kernel."""

from __future__ import annotations

from typing import Any

import typer
from rich.table import Table

from windtunnel import __version__, extensions, progress
from windtunnel._core import Flight, FlightError
from windtunnel.cli.output import INTERRUPTED, answer, fail, output
from windtunnel.controllers import Controller


def fly(controller: str, settings: dict[str, str], command: list[str], as_json: bool) -> None:
    """Run a command whose sockets use the controller; without one, wait for Ctrl-C."""
    flight = started(controller, settings)
    algorithm = flight.algorithm
    progress.tell(flight.notes)
    code, interrupted = None, False
    try:
        if command:
            flight.launch(command, as_json)
        else:
            progress.tell([f"TCP_CONGESTION={algorithm}, until Ctrl-C"])
        while code is None:
            code = flight.wait(0.1)
    except KeyboardInterrupt:
        interrupted = True
    totals = flight.finish()
    gigabits = totals["bytes"] * 8 / 1e9
    totals["cpu_s_per_gigabit"] = totals["cpu_s"] / gigabits if gigabits else None
    if as_json:
        head = {"version": __version__, "controller": controller, "algorithm": algorithm}
        answer({**head, "exit_code": code, **totals})
    else:
        output().print(table(controller, totals))
    if interrupted and command:
        fail("interrupted", INTERRUPTED)
    raise typer.Exit(code or 0)


def started(controller: str, settings: dict[str, str]) -> Flight:
    """Register a controller of the catalogue, or that of FILE.py:CLASS."""
    _, separator, name = controller.rpartition(":")
    if not separator:
        return Flight(controller, list(in_the_kernel(controller, settings).items()))
    if settings:
        raise FlightError(f"{controller}: a controller in Python has no parameters; derive a class")
    return Flight(name.lower(), [], loaded(controller))


def in_the_kernel(controller: str, settings: dict[str, str]) -> dict[str, str]:
    """Give a controller's parameters: in the kernel, CUBIC leaves slow start as the kernel's does.

    Its segments leave in trains, which Linux's HyStart measures; HyStart++ (RFC 9406) finds the
    increase of the delay a round trip later, when twice as much is on its way.
    """
    return {"hystart-variant": "linux", **settings} if controller == "cubic" else settings


def loaded(written: str) -> type[Controller]:
    """Load a controller's class from FILE.py:CLASS."""
    _, found = extensions.loaded(written)
    if not (isinstance(found, type) and issubclass(found, Controller)):
        raise FlightError(f"{written}: not derived from windtunnel.Controller")
    return found


def table(controller: str, totals: dict[str, Any]) -> Table:
    """Lay out what happened."""
    laid = Table.grid(padding=(0, 2))

    def delays(of: dict[str, float]) -> str:
        return ", ".join(f"{name} {value * 1e6:,.0f} µs" for name, value in of.items())

    per_gigabit = totals["cpu_s_per_gigabit"]
    rows = {
        "controller": controller,
        "connections": f"{totals['connections']:,}",
        "data": f"{totals['bytes'] / 1e6:,.1f} MB",
        "decisions": f"{totals['decisions']:,} of {totals['reports']:,} reports",
        "reports dropped": f"{totals['reports_dropped']:,}",
        "fallbacks to Reno's rule": f"{totals['fallbacks']:,}",
        "connections too many": f"{totals['undecided']:,}",
        "measured until decided": delays(totals["written_s"]),
        "measured until applied": delays(totals["applied_s"]),
        "CPU time of decisions": f"{totals['cpu_s']:.3f} s"
        + (f", {per_gigabit:.3f} s per gigabit" if per_gigabit is not None else ""),
    }
    for row in rows.items():
        laid.add_row(*row)
    return laid
