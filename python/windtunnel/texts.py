"""Files as text in UTF-8, and what is said of those that are not."""

from __future__ import annotations

import os
from pathlib import Path

from windtunnel._core import ScenarioError

MOST_READ = 17 << 20
"""Bytes read of a file: more than the core accepts, so that the core reports the error."""


def read_text(file: Path | str) -> str:
    """Read a file. Raises ScenarioError if it is not text in UTF-8, or OSError."""
    if (Path(file) / "manifest.json").is_file():
        raise ScenarioError(
            f"{name_of(file)}: a folder of results, not a file\n"
            "help: name a scenario or a study; `windtunnel report` shows results"
        )
    with open(file, "rb") as opened:
        return decoded(name_of(file), opened.read(MOST_READ))


def name_of(file: Path | str) -> str:
    """Give the name of a file for messages."""
    return os.fsencode(file).decode(errors="replace")


def decoded(name: str, content: bytes) -> str:
    """Decode a file's bytes. Raises ScenarioError, with the line of the first that is not text."""
    try:
        # As where a file is read as text.
        return content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        if len(content) == MOST_READ:
            return content.decode(errors="replace")
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise ScenarioError(
            f"{name}:{line}: not text in UTF-8: byte 0x{byte:02x}\nhelp: save the file as UTF-8"
        ) from error
