"""Types: what a type checker says of programs that use Windtunnel, and of the core's stubs."""

from __future__ import annotations

import inspect
import json
import shutil
import subprocess
import sys
import typing
from importlib import resources
from pathlib import Path

import pytest

import windtunnel
from windtunnel import _core
from windtunnel.package_data import PAPERS
from windtunnel.scenario.table_types import kind_of

ROOT = Path(__file__).parents[1]

RIGHT = """\
import altair
import polars

import windtunnel

scenario = windtunnel.Scenario(
    duration="10 s",
    nodes={"server": {}, "phone": {}},
    links={
        "air": {
            "nodes": ["server", "phone"],
            "rate": ["10 Mbps", "1 Mbps"],
            "delay": "20 ms",
            "queue": {"kind": "codel", "limit": "100 packets"},
        }
    },
    flows={"download": {"from": "server", "to": "phone", "controller": {"kind": "cubic"}}},
)
again: windtunnel.Scenario = windtunnel.Scenario(**scenario.tables)
changed: windtunnel.Scenario = scenario.changed({"links.air.delay": "10 ms", "runs": 2})
results: windtunnel.Results = windtunnel.run(changed, seed=3, jobs=2)
flows: polars.DataFrame = results["flows"]
chart: altair.TopLevelMixin = results.plot.window()
"""

WRONG = {
    "a number in place of a quantity": ('"10 s"', "10", "arg-type"),
    "an unknown key": ('"delay": "20', '"dealy": "20', "dict-item"),
    "an unknown queue": ('"kind": "codel"', '"kind": "codle"', "typeddict-item"),
    "a change of what is a value": ("again:", "scenario.runs = 3\nagain:", "misc"),
    "a kind of plot that there is none of": ("window()", "widow()", "attr-defined"),
}
"""For each mistake: what is right in the program, what is written instead, and mypy's code."""


def checked(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a module of mypy; what it learns of the libraries is kept for the next time."""
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", cwd=ROOT)


@pytest.mark.parametrize("name", ["right", *WRONG])
def test_a_type_checker_finds_mistakes_and_nothing_else(name: str, tmp_path: Path) -> None:
    right, wrong, code = WRONG.get(name, ("", "", ""))
    assert name == "right" or RIGHT.count(right) == 1
    program = tmp_path / "program.py"
    program.write_text(RIGHT.replace(right, wrong) if code else RIGHT, encoding="utf-8")
    answer = checked("mypy", "--strict", program)
    if code:
        assert f"[{code}]" in answer.stdout
        assert "Found 1 error" in answer.stdout
    else:
        assert answer.returncode == 0, answer.stdout


def test_what_only_a_paper_measures_and_draws_is_typed(tmp_path: Path) -> None:
    for file in PAPERS.glob("*/*.py"):
        # The name of a paper is no name of a package.
        package = tmp_path / file.parent.name.replace("-", "_")
        package.mkdir(exist_ok=True)
        (package / "__init__.py").touch()
        shutil.copy(file, package)
    answer = checked("mypy", tmp_path)
    assert answer.returncode == 0, answer.stdout


def test_the_stubs_are_what_the_core_has(tmp_path: Path) -> None:
    # Of the libraries that the package imports, the stubs need nothing.
    alone = tmp_path / "mypy.ini"
    options = f"[mypy]\nfollow_imports = skip\ncache_dir = {tmp_path}\n"
    alone.write_text(options, encoding="utf-8")
    answer = checked("mypy.stubtest", "windtunnel._core", "--mypy-config-file", alone)
    assert answer.returncode == 0, answer.stdout


def test_every_public_name_is_typed() -> None:
    assert resources.files(windtunnel).joinpath("py.typed").is_file()
    for name in windtunnel.__all__:
        for function in functions(getattr(windtunnel, name)):
            hints = function.__annotations__
            parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
            assert parameters | {"return"} <= set(hints), f"{name}: {function}"


def functions(public: object) -> list[typing.Callable[..., object]]:
    """Give a function, or those of a class that are public and its own."""
    if inspect.isfunction(public):
        return [public]
    members = vars(public).items() if inspect.isclass(public) else []
    return [
        it.__func__ if isinstance(it, staticmethod | classmethod) else it
        for member, it in members
        if not member.startswith("_") and inspect.isroutine(it)
    ]


def test_every_kind_of_a_table_has_a_name_of_its_own() -> None:
    definitions = json.loads(_core.schema())["$defs"]
    for name, definition in definitions.items():
        tables = [it for it in definition.get("anyOf", ()) if "properties" in it]
        if name != "Controller":
            assert len({kind_of(it, tables) for it in tables}) == len(tables), name
