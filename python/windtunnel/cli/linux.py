"""`windtunnel linux`: kernels that are hosts of simulated networks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from windtunnel import progress
from windtunnel.cli import completing
from windtunnel.cli.arguments import Json
from windtunnel.cli.output import INTERRUPTED, answer, fail, output, say
from windtunnel.linux import building, kernels

app = typer.Typer(
    help="The Linux kernel as a host of simulated networks: build, list and remove it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def common() -> None:
    """Accept the options that belong to no command."""


@app.command(epilog="windtunnel linux build\n\nwindtunnel linux build --source ~/net-next")
def build(
    source: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The source of a kernel, which is not changed; default: the package "
            "linux-source-6.12, fetched by apt-get.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Its name; default: that of the folder, or 6.12."),
    ] = None,
    files: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder whose files the kernel has at `/`, such as static programs; "
            "needs --name.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Build a kernel into the user's cache, in some minutes; needs no root."""
    try:
        with progress.shown() as watch:
            built = building.build(source, name, watch, files)
    except KeyboardInterrupt:
        fail("interrupted: nothing was kept", INTERRUPTED)
    if as_json:
        answer(described(built))
        return
    say(f"Kernel: {built.name}, Linux {built.about.release}, in {built.folder}")


@app.command("list", epilog="windtunnel linux list")
def list_built(as_json: Json = False) -> None:
    """List the kernels that were built."""
    found = kernels.all_built()
    if as_json:
        answer({"kernels": [described(it) for it in found]})
        return
    if not found:
        say("there are none; `windtunnel linux build` builds one")
        return
    table = Table.grid(padding=(0, 2))
    for it in found:
        size = f"{it.size / 1e6:.0f} MB"
        table.add_row(it.name, it.about.release, size, it.about.built, it.about.source)
    output().print(table)


@app.command("remove", epilog="windtunnel linux remove 6.12")
def remove(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A kernel, from `windtunnel linux list`.",
            autocompletion=completing.kernels,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Remove a kernel that was built."""
    removed = kernels.remove(name)
    if as_json:
        answer({"removed": [str(removed)]})
        return
    say(f"removed {removed}")


def described(kernel: kernels.Kernel) -> dict[str, Any]:
    """Describe a kernel for programs."""
    return {"name": kernel.name, "folder": str(kernel.folder), **asdict(kernel.about)}
