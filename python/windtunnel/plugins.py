"""Plugins: congestion controllers in dynamic libraries, written in Rust outside this tree."""

from __future__ import annotations

import hashlib
from pathlib import Path

from windtunnel import _core

SUFFIXES = (".so", ".dylib", ".dll")
"""What the names of dynamic libraries end with."""


class Plugin(_core.Plugin):
    """A congestion controller in a dynamic library, as `windtunnel_plugin::export!` makes it.

    Its code runs in this process. Raises ValueError if it is not such a library.

    >>> windtunnel.run("scenario.toml", extensions={"gentle": windtunnel.Plugin("libgentle.so")})
    """

    __slots__ = ("sha256",)

    sha256: str
    """The hash of the library: what identifies the runs that it takes part in."""

    def __init__(self, file: Path | str) -> None:
        """Hash the library, which the core has loaded."""
        self.sha256 = hashlib.sha256(Path(file).read_bytes()).hexdigest()

    def __reduce__(self) -> tuple[type[Plugin], tuple[Path]]:
        """Support copying, and pickling for processes that see the same file."""
        return Plugin, (self.file,)
