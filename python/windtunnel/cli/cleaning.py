"""`windtunnel live`: what concerns all live commands."""

from __future__ import annotations

import typer

from windtunnel import _core
from windtunnel.cli.arguments import Json
from windtunnel.cli.output import answer, say

app = typer.Typer(
    help="Removes what live commands have left on the system.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def common() -> None:
    """Accept the options that belong to no command."""


@app.command(epilog="windtunnel live clean")
def clean(as_json: Json = False) -> None:
    """Remove what live commands left behind that were killed: their control groups."""
    removed = _core.clean_leftovers() if hasattr(_core, "clean_leftovers") else []
    if as_json:
        answer({"removed": removed})
        return
    for path in removed:
        say(f"removed {path}")
    if not removed:
        say("there was nothing to remove")
