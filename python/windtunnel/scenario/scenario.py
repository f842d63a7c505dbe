"""Scenarios: read from files, built and changed in Python; the core checks them all."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast, final

from windtunnel import _core
from windtunnel._core import ScenarioError
from windtunnel.extensions import Extensions
from windtunnel.scenario import writing
from windtunnel.texts import name_of, read_text

if TYPE_CHECKING:
    # Not at run time: they take a tenth of a second to make.
    from windtunnel.scenario.tables import ScenarioTables

BUILT = "scenario"
"""The name, in messages, of a scenario that was not read from a file."""


@final
class Scenario(_core.Scenario):
    """A scenario: a network, what runs on it, for how long, and what is compared.

    The keywords are the keys of a scenario file, with dictionaries for its tables. Paths of
    files that it names, such as maps and traces, are relative to the file that it was
    loaded from, or else to the working directory.

    A scenario is immutable and checked when it is made. Raises ScenarioError for an invalid
    scenario; the message names the line of its text and the fix.

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
        return cls.parse(writing.document(tables))

    @staticmethod
    def load(
        file: Path | str,
        settings: Mapping[str, object] | None = None,
        extensions: Extensions | None = None,
    ) -> Scenario:
        """Read a scenario file; `settings` replace values by their paths.

        `extensions` are classes written in Python, by their names in the scenario.
        Raises ScenarioError, or OSError if the file cannot be read.
        """
        return read_file(file, encoded(settings or {}), extensions)

    @staticmethod
    def parse(text: str, file: str = BUILT, extensions: Extensions | None = None) -> Scenario:
        """Read a scenario's text, in TOML. Raises ScenarioError.

        `file` is its name in messages; paths in the scenario are relative to it.
        `extensions` are classes written in Python, by their names in the scenario.
        """
        return checked(file, text, (), extensions)

    def changed(
        self, settings: Mapping[str, object], extensions: Extensions | None = None
    ) -> Scenario:
        """Copy the scenario with other values, by their paths, or more extensions.

        Raises ScenarioError for an unknown path or an invalid value.

        >>> scenario.changed({"links.air.rate": "50 Mbps", "runs": 10})
        """
        named = {**self.extensions, **(extensions or {})}
        return checked(self.file, self.text, encoded(settings), named)

    @property
    def tables(self) -> ScenarioTables:
        """The scenario as the keywords that build it."""
        return cast("ScenarioTables", tomllib.loads(self.text))

    def __eq__(self, other: object) -> bool:
        """Compare the text, the files that it names, and its extensions."""
        if not isinstance(other, Scenario):
            return NotImplemented
        parts = ((it.text, it.files, it.extensions) for it in (self, other))
        return next(parts) == next(parts)

    def __hash__(self) -> int:
        """Hash the text."""
        return hash(self.text)

    def __reduce__(self) -> tuple[Callable[..., Scenario], tuple[str, str, Extensions]]:
        """Support copying and pickling."""
        return Scenario.parse, (self.text, self.file, self.extensions)

    def __repr__(self) -> str:
        """Show title, cases, runs and simulated time."""
        what = f"cases: {len(self.cases)}, runs of each: {self.runs}"
        name = self.title or self.file
        return f"<Scenario {name!r}, {what}, simulated: {self.total_simulated_s:g} s>"


def read_file(
    file: Path | str,
    settings: Iterable[tuple[str, str]] = (),
    extensions: Extensions | None = None,
    *,
    may_be_idle: bool = False,
) -> Scenario:
    """Read and check a scenario file; `settings` are paths and values as the core takes them.

    With `may_be_idle` it may be a network in which nothing is simulated.

    Raises ScenarioError with the place in the file, or OSError.
    """
    return checked(name_of(file), read_text(file), settings, extensions, may_be_idle=may_be_idle)


def checked(
    file: str,
    text: str,
    settings: Iterable[tuple[str, str]] = (),
    extensions: Extensions | None = None,
    *,
    may_be_idle: bool = False,
) -> Scenario:
    """Check a text with settings: each is a path, and a TOML value or plain text."""
    try:
        return _core.Scenario.__new__(
            Scenario,
            file,
            text,
            list(settings),
            dict(extensions or {}),
            may_be_idle=may_be_idle,
        )
    except UnicodeEncodeError as error:
        around = error.object[max(error.start - 20, 0) : error.end + 20]
        shown = around.encode(errors="replace").decode()
        raise ScenarioError(f"{file}: not text in UTF-8: {shown}") from error


def encoded(settings: Mapping[str, object]) -> Iterable[tuple[str, str]]:
    """Encode settings as the core takes them."""
    return [(path, writing.in_toml(path, value)) for path, value in settings.items()]
