"""Completion in the shell: files, folders of results, nodes, and what can be listed.

What cannot be read completes nothing; a shell has no place for a message.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from glob import escape, glob
from pathlib import Path
from typing import Any

import typer

from windtunnel import package_data, recipes
from windtunnel._core import catalogue
from windtunnel.cli import listing
from windtunnel.conformance import scripts as of_scripts
from windtunnel.conformance import stacks as of_stacks
from windtunnel.conformance import suites as of_cases
from windtunnel.folders import MANIFEST
from windtunnel.linux.errors import KernelError
from windtunnel.linux.kernels import all_built

MOST_BYTES = 1 << 20
"""The largest file that is read to find out what it is."""

BELOW = ("*", "*/*", "*/*/*")
"""Where files are looked for: in a folder, and two folders below it."""


def scenarios(incomplete: str) -> list[str]:
    """Complete the name of a scenario file."""
    return [it for it in below(incomplete, ".toml") if "duration" in document(it)]


def studies(incomplete: str) -> list[str]:
    """Complete the name of a study file."""
    return [it for it in below(incomplete, ".toml") if "scenario" in document(it)]


def checked(incomplete: str) -> list[str]:
    """Complete the name of a file that `check` takes."""
    return sorted([*scenarios(incomplete), *studies(incomplete)])


def results(incomplete: str) -> list[str]:
    """Complete the name of a folder of results."""
    return [os.path.dirname(it) for it in below(incomplete, f"/{MANIFEST}")]


def nodes(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a node of the scenario that is named before."""
    return starting(incomplete, named(ctx, "nodes"))


def flows(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a flow or a consumer of the scenario that is named before."""
    return starting(incomplete, [*named(ctx, "consumers"), *named(ctx, "flows")])


def kernels(incomplete: str) -> list[str]:
    """Complete the name of a kernel that was built."""
    with suppress(KernelError):
        return starting(incomplete, [it.name for it in all_built()])
    return []


def named(ctx: typer.Context, key: str) -> list[str]:
    """Give the names of a table of the scenario that is named before."""
    # An option without its value ends the parsing: what came before is left as it is.
    files = [ctx.params.get("file"), *ctx.args]
    found = (document(it).get(key) for it in files if it)
    return list(next((it for it in found if isinstance(it, dict)), ()))


def papers(incomplete: str) -> list[str]:
    """Complete the name of a paper."""
    folders = (it.parent.name for it in package_data.PAPERS.glob("*/paper.toml"))
    return starting(incomplete, sorted(folders))


def recipe(incomplete: str) -> list[str]:
    """Complete the name of a recipe, or of what else `new` writes."""
    return starting(incomplete, [*recipes.titles(), recipes.PAPER])


def what(incomplete: str) -> list[str]:
    """Complete a kind of things that can be listed, or a name."""
    kinds = starting(incomplete, listing.KINDS)
    return kinds or starting(incomplete, listing.names())


def workloads(incomplete: str) -> list[str]:
    """Complete the name of a workload of the bench."""
    return starting(incomplete, (it["name"] for it in listing.bench_workloads()))


def suites(incomplete: str) -> list[str]:
    """Complete the name of a suite of cases, or of the file of one."""
    files = [it for it in below(incomplete, ".toml") if "cases" in document(it)]
    return [*starting(incomplete, [*of_cases.names(), *of_scripts.names()]), *files]


def stacks(incomplete: str) -> list[str]:
    """Complete the name of an implementation of a transport protocol."""
    return starting(incomplete, of_stacks.names())


def conforming(incomplete: str) -> list[str]:
    """Complete the name of a controller, or of what else has suites of cases."""
    return [*controllers(incomplete), *starting(incomplete, [of_scripts.TCP])]


def controllers(incomplete: str) -> list[str]:
    """Complete the name of a controller."""
    return starting(incomplete, (it["name"] for it in json.loads(catalogue("controllers"))))


def starting(incomplete: str, names: Iterable[str]) -> list[str]:
    """Give the names that begin so."""
    return [it for it in names if it.startswith(incomplete)]


def below(incomplete: str, end: str) -> list[str]:
    """Give paths that begin and end so.

    Whole paths, and not only the next folder: after one of those, bash would write a space.
    """
    return sorted(it for depth in BELOW for it in glob(f"{escape(incomplete)}{depth}{end}"))


def document(file: Path | str) -> dict[str, Any]:
    """Read a TOML file; empty if it cannot be read."""
    with suppress(OSError, ValueError, RecursionError), open(file, "rb") as opened:
        return tomllib.loads(opened.read(MOST_BYTES).decode())
    return {}
