"""Scenarios: read from files, built and changed in Python; the core checks them all."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Unpack, cast, final

import tomlkit
from tomlkit.items import Item

from windtunnel import _core
from windtunnel._core import ScenarioError
from windtunnel.controllers import Controller
from windtunnel.scenario.tables import ScenarioTables

Controllers = Mapping[str, type[Controller]]
"""Controllers written in Python, by the names that scenarios have for them."""

BUILT = "scenario"
"""What messages call a scenario that was read from no file."""

MOST_READ = 17 << 20
"""Characters of a file: more than the core takes, which says what is wrong with the rest."""


@final
class Scenario(_core.Scenario):
    """A scenario: a network, what runs on it, for how long, and what is compared.

    The keywords are the keys of a scenario file, with dictionaries for its tables. Files
    that it names, such as maps and traces, are sought in the working folder, or beside
    the file that it was loaded from.

    A scenario is a value: it is checked when it is made, and never changes. Raises
    ScenarioError where something is wrong: what, in which line of its text, and what would
    be right.

    >>> windtunnel.Scenario(
    ...     duration="10 s",
    ...     nodes={"server": {}, "phone": {}},
    ...     links={"air": {"nodes": ["server", "phone"], "rate": "10 Mbps", "delay": "20 ms"}},
    ...     flows={"download": {"from": "server", "to": "phone", "controller": "cubic"}},
    ... )
    """

    __slots__ = ()

    def __new__(cls, **tables: Unpack[ScenarioTables]) -> Scenario:
        """Build a scenario."""
        for key, value in tables.items():
            check_value(key, value)
        return cls.parse(tomlkit.dumps(tables))

    @staticmethod
    def load(
        file: Path | str,
        settings: Mapping[str, object] | None = None,
        controllers: Controllers | None = None,
    ) -> Scenario:
        """Read a scenario file, with other values by their paths where they are given.

        `controllers` are classes by the names that it has for them. Raises
        ScenarioError, or OSError if it cannot be read.
        """
        return read_file(file, encoded(settings or {}), controllers)

    @staticmethod
    def parse(text: str, file: str = BUILT, controllers: Controllers | None = None) -> Scenario:
        """Read a scenario's text, in TOML. Raises ScenarioError.

        Messages call it `file`, and the files that it names are sought beside that.
        `controllers` are classes by the names that it has for them.
        """
        return checked(file, text, (), controllers)

    def changed(
        self, settings: Mapping[str, object], controllers: Controllers | None = None
    ) -> Scenario:
        """Give the same scenario with other values, by their paths, or more controllers.

        Raises ScenarioError for a path that leads nowhere, and for a wrong value.

        >>> scenario.changed({"links.air.rate": "50 Mbps", "runs": 10})
        """
        named = {**self.controllers, **(controllers or {})}
        return checked(self.file, self.text, encoded(settings), named)

    @property
    def tables(self) -> ScenarioTables:
        """What its text says, as the keywords that build the same."""
        return cast(ScenarioTables, tomllib.loads(self.text))

    def __eq__(self, other: object) -> bool:
        """Compare the text, the files that it names, and its controllers."""
        if not isinstance(other, Scenario):
            return NotImplemented
        parts = ((it.text, it.files, it.controllers) for it in (self, other))
        return next(parts) == next(parts)

    def __hash__(self) -> int:
        """Let it be a key."""
        return hash(self.text)

    def __reduce__(self) -> tuple[Callable[..., Scenario], tuple[str, str, Controllers]]:
        """Let it be copied, and sent to another process."""
        return Scenario.parse, (self.text, self.file, self.controllers)

    def __repr__(self) -> str:
        """Say what it would run."""
        what = f"cases: {len(self.cases)}, runs of each: {self.runs}"
        name = self.title or self.file
        return f"<Scenario {name!r}, {what}, simulated: {self.total_simulated_s:g} s>"


def read_file(
    file: Path | str,
    settings: Iterable[tuple[str, str]] = (),
    controllers: Controllers | None = None,
) -> Scenario:
    """Read and check a scenario file; `settings` are paths and values as the core takes them.

    Raises ScenarioError with the place in the file, or OSError.
    """
    name = os.fsencode(file).decode(errors="replace")
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read(MOST_READ)
    except UnicodeDecodeError as error:
        raise not_text(name, error) from error
    return checked(name, text, settings, controllers)


def checked(
    file: str,
    text: str,
    settings: Iterable[tuple[str, str]] = (),
    controllers: Controllers | None = None,
) -> Scenario:
    """Check a text with settings: each a path, and a value in TOML or else a text."""
    try:
        return _core.Scenario.__new__(Scenario, file, text, list(settings), dict(controllers or {}))
    except UnicodeEncodeError as error:
        raise not_text(file, error) from error


def not_text(name: str, error: UnicodeError) -> ScenarioError:
    """Say that something is no text."""
    return ScenarioError(f"{name}: not text in UTF-8: {error}")


def encoded(settings: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Write settings as the core takes them."""
    return [(path, in_toml(path, value)) for path, value in settings.items()]


def in_toml(path: str, value: object) -> str:
    """Write a value in TOML, on one line."""
    check_value(path, value)
    # As in an inline table, which breaks no line.
    table = tomlkit.inline_table().append("value", value)
    item = table.value.item("value")
    assert isinstance(item, Item)
    return item.as_string()


def check_value(path: str, value: object) -> None:
    """Refuse what no scenario file could say, anywhere in a value."""
    match value:
        case dict():
            for key, one in value.items():
                if not isinstance(key, str):
                    raise ScenarioError(f"{path}: the key {key!r} is no text; write {str(key)!r}")
                check_value(f"{path}.{key}", one)
        case list() | tuple():
            for index, one in enumerate(value):
                check_value(f"{path}[{index}]", one)
        case str() | bool() | int() | float():
            pass
        case _:
            raise ScenarioError(
                f"{path}: {value!r} is no value of a scenario\n"
                "help: write a text, a number, True or False, a list or a dictionary, "
                "or leave the key out"
            )
