"""Suites of cases: those that come with Windtunnel, and files of users."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.texts import read_text

FOLDER = Path(__file__).parent / "suites"
"""The suites that come with Windtunnel: a file each."""


class ConformanceError(ValueError):
    """A suite, a case or a controller that does not exist."""


@dataclass(frozen=True)
class Suite:
    """A suite of cases."""

    name: str
    core: _core.Suite
    title: str
    document: str
    controllers: Sequence[str]
    """The controllers that it is made for."""
    cases: dict[str, dict[str, Any]]
    """What its file says of each case, by its name."""


def names() -> list[str]:
    """Give the names of the suites that come with Windtunnel."""
    return sorted(it.stem for it in FOLDER.glob("*.toml"))


def read(name: str) -> Suite:
    """Read a suite, by its name or as a file. Raises ConformanceError and ScenarioError."""
    if name in names():
        return read_file(FOLDER / f"{name}.toml", name)
    file = Path(name)
    if file.suffix != ".toml":
        known = _core.suggestion(name, names())
        raise ConformanceError(
            f"unknown suite `{name}`\nhelp: {known}; or write a file, cases.toml"
        )
    return read_file(file, file.stem)


def read_file(file: Path, name: str) -> Suite:
    """Read the file of a suite. Raises ScenarioError, and OSError if it cannot be read."""
    core = _core.Suite(str(file), read_text(file))
    said = json.loads(core.described())
    cases = {case["name"]: case for case in said["cases"]}
    return Suite(name, core, said["title"], said["document"], said["controllers"], cases)


def made_for(controller: str) -> list[Suite]:
    """Give the suites that are made for a controller. Raises ConformanceError if none is."""
    suites = [read(name) for name in names()]
    if found := [it for it in suites if controller in it.controllers]:
        return found
    raise ConformanceError(
        f"no suite is made for `{controller}`\n"
        f"help: choose one with --suite: {', '.join(it.name for it in suites)}"
    )
