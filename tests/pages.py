"""Follows a page of the manual: writes its files, types its commands, compares what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

BLOCK = re.compile(r"(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
"""A block of code, and the name of the file that it is, if a line before it gives one."""

OMITTED = "…"
"""A line that stands for any number of lines."""


@dataclass(frozen=True)
class File:
    """A file that the reader writes."""

    name: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command that the reader types, and what the page says that it prints."""

    line: str
    printed: str


def text(page: str) -> str:
    """Give the text of a page in `docs`."""
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def steps(page: str) -> list[File | Command]:
    """Give the files and commands of a page's text, in their order."""
    found: list[File | Command] = []
    for name, language, code in BLOCK.findall(page):
        if name:
            found.append(File(name, code))
        elif language == "console":
            found += commands(code)
    return found


def commands(console: str) -> list[Command]:
    """Give the commands of a console, with what is printed below each."""
    typed = re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]
    # A backslash at the end of a line continues it, and so does a line that begins with `> `.
    parted = [re.split(r"(?<!\\)\n(?!> )", it, maxsplit=1) for it in typed]
    return [Command(line.replace("\n> ", "\n"), printed) for line, printed in parted]


def follow(page: str, folder: Path, untyped: Collection[str] = ()) -> None:
    """Take the steps of a page's text in a folder, except the commands that begin with one of
    `untyped`, each of which must be there."""
    taken = steps(page)
    lines = [it.line for it in taken if isinstance(it, Command)]
    for beginning in untyped:
        assert any(it.startswith(beginning) for it in lines), f"not on the page: {beginning}"
    for step in taken:
        if isinstance(step, File):
            file = folder / step.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, encoding="utf-8")
        elif not step.line.startswith(tuple(untyped)):
            enter(step, folder)


def enter(command: Command, folder: Path) -> None:
    """Type a command, which must succeed and print what the page says, if it says anything."""
    here = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{here}:{os.environ['PATH']}"}
    shell = ["bash", "-eo", "pipefail", "-c", command.line]
    done = subprocess.run(
        shell, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, f"{command.line}\n{done.stderr}"
    if command.printed:
        assert_printed(command, done.stdout)


def assert_printed(command: Command, output: str) -> None:
    """Compare an output with the page's, in which spaces at the ends of lines do not count."""
    expected = [
        "(?:.*\n)*" if it == OMITTED else re.escape(it.rstrip()) + "\n"
        for it in command.printed.splitlines()
    ]
    printed = "".join(f"{it.rstrip()}\n" for it in output.splitlines())
    assert re.fullmatch("".join(expected), printed), f"{command.line}\n{printed}"
