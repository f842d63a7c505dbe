"""What the kernel says of processes, any of which may end while it is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def read(file: Path) -> str:
    """Give a file of /proc; nothing, if what it describes has ended."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def command_lines() -> Iterator[tuple[int, str]]:
    """Give each process, and its command with arguments separated by NUL."""
    for folder in Path("/proc").glob("[0-9]*"):
        yield int(folder.name), read(folder / "cmdline")
