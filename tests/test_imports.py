"""Imports: files of the package lie in layers, each of which knows only those below it."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import windtunnel

PACKAGE = Path(windtunnel.__file__).parent
FILES = {
    ".".join(["windtunnel", *file.relative_to(PACKAGE).with_suffix("").parts]): file
    for file in PACKAGE.rglob("*.py")
}
MODULES = {name.removesuffix(".__init__"): file for name, file in FILES.items()}


def imported(module: str) -> set[str]:
    """Give the modules of the package that a module imports, at any place, for types too."""
    found = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            # A name is a module of its own, or something in the module that it comes from.
            names = (f"{node.module}.{name.name}" for name in node.names)
            found |= {it if it in MODULES else str(node.module) for it in names}
    # Importing a module runs the packages above it, except for those that it is in itself.
    above = {it.rpartition(".")[0] for it in found}
    above = {it for it in above if not f"{module}.".startswith(f"{it}.")}
    return (found | above) & MODULES.keys() - {module, "windtunnel"}


def assert_in_layers(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


def test_no_file_of_the_package_imports_itself_in_a_cycle() -> None:
    assert_in_layers({module: imported(module) for module in MODULES if module != "windtunnel"})


def test_no_folder_of_the_package_imports_itself_in_a_cycle() -> None:
    """A folder is a subject; a file beside the folders is one too."""
    graph: dict[str, set[str]] = {}
    for module in MODULES.keys() - {"windtunnel"}:
        own, *others = (it.split(".")[1] for it in (module, *imported(module)))
        graph.setdefault(own, set()).update({*others} - {own})
    assert_in_layers(graph)


def test_importing_the_package_loads_nothing_that_takes_long() -> None:
    slow = {"polars", "altair", "scipy", "gymnasium"}
    program = "import sys, windtunnel.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert slow & set(loaded.stdout.split()) == set(), loaded.stderr
