"""Plugins: congestion controllers and stacks in dynamic libraries, written outside this tree."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Self

from windtunnel import _core

SUFFIXES = (".so", ".dylib", ".dll")
"""What the names of dynamic libraries end with."""

PROCESS = "process:"
"""What stands before a library's file if each end of its stack is in a process of its own."""


class Plugin(_core.Plugin):
    """A dynamic library with a congestion controller or a stack.

    `windtunnel_plugin::export!` makes one with a controller, `windtunnel_stack::export!` or
    `windtunnel_stack.h` one with a stack. Its code runs in this process; with `own_process`, each
    end of its stack is in one of its own, and one that crashes ends its flow alone. Raises
    ValueError if it is not such a library.

    >>> windtunnel.run("scenario.toml", extensions={"gentle": windtunnel.Plugin("libgentle.so")})
    """

    __slots__ = ("own_process", "sha256")

    own_process: bool
    """Whether each end of its stack is in a process of its own."""
    sha256: str
    """The hash of the library: what identifies the runs that it takes part in."""

    def __new__(cls, file: Path | str, *, own_process: bool = False) -> Self:
        """Load the library."""
        return super().__new__(cls, file, command() if own_process else None)

    def __init__(self, file: Path | str, *, own_process: bool = False) -> None:
        """Hash the library, which the core has loaded."""
        self.own_process = own_process
        self.sha256 = hashlib.sha256(Path(file).read_bytes()).hexdigest()

    def __reduce__(self) -> tuple[object, tuple[Path, bool]]:
        """Support copying, and pickling for processes that see the same file."""
        return loaded, (self.file, self.own_process)


def loaded(file: Path, own_process: bool) -> Plugin:
    """Load a library."""
    return Plugin(file, own_process=own_process)


def written(text: str) -> tuple[Path, bool]:
    """Give the file of `FILE` or `process:FILE`, and whether it is the latter."""
    return Path(text.removeprefix(PROCESS)), text.startswith(PROCESS)


def command() -> list[str]:
    """Give the program of a process with an end, and its arguments but the library's file."""
    program = Path(__file__).parent / "stacks" / "process.py"
    return [sys.executable, "-I", "-S", str(program), str(_core.__file__)]
