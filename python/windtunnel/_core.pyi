"""The core: scenarios read, checked and run by the Rust crates."""

from pathlib import Path
from typing import Self, final

from typing_extensions import disjoint_base

__all__ = [
    "Batch",
    "Outcome",
    "Scenario",
    "ScenarioError",
    "Table",
    "__version__",
    "catalogue",
    "schema",
]

class ScenarioError(ValueError):
    """A scenario that cannot be run: the message says where, why, and what would be right."""

@final
class Table:
    """A table of results; any Arrow library takes it without a copy."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Outcome:
    """What came of a batch."""

    finished: int
    unfinished: int
    faults: list[str]
    """What went wrong on our side."""
    failed: list[tuple[int, str]]
    """The cases of those runs, and what happened in each."""
    work: tuple[int, int, float]
    """Events, packet-hops, and processor seconds, over all runs."""

    def tables(self) -> dict[str, Table]: ...

@final
class Batch:
    """Runs in progress."""

    @staticmethod
    def of_points(points: list[tuple[str, Scenario]], jobs: int) -> Batch:
        """Start one run of each scenario; their tables begin with the column `key`.

        Raises ValueError for a scenario of several cases or runs.
        """

    def progress(self) -> tuple[int, int, float, float, int]:
        """Finished runs, runs, simulated seconds done and in all, events."""

    def is_done(self) -> bool: ...
    def cancel(self) -> None: ...
    def finish(self) -> Outcome:
        """Wait for the end. Raises OSError if a capture could not be written."""

@disjoint_base
class Scenario:
    """A scenario, read and checked."""

    @property
    def file(self) -> str:
        """The file that it was read from, as it was named."""

    @property
    def title(self) -> str | None:
        """Its title, if it has one."""

    @property
    def axes(self) -> list[str]:
        """The axes of its comparison."""

    @property
    def cases(self) -> list[list[str]]:
        """For each case its name on every axis."""

    @property
    def runs(self) -> int:
        """How often each case is run."""

    @property
    def total_simulated_s(self) -> float:
        """Simulated seconds, over all runs."""

    @property
    def seed(self) -> int:
        """The seed of all random streams."""

    @property
    def text(self) -> str:
        """The text as run, with what was set from outside."""

    @property
    def files(self) -> list[tuple[str, str]]:
        """The files beside it that it names: each one's name there, and its text."""

    def __new__(cls, file: str, text: str, settings: list[tuple[str, str]] = ...) -> Self: ...
    def bounds(self) -> list[tuple[float, float]]:
        """For each case what no protocol can surpass there.

        The goodput of all consumers together in bit/s, and the least delay in s.
        """

    def start(self, jobs: int, captures: tuple[Path, list[str]] | None = None) -> Batch:
        """Start all runs; `captures` is a folder, and the nodes captured there.

        Raises ScenarioError if there is no such node.
        """

def units() -> list[tuple[str, float, str]]:
    """Give every unit of scenario files, its worth in a base unit, and the name of that."""

def schema() -> str: ...
def catalogue(kind: str) -> str: ...

__version__: str
