"""Scripts of packetdrill, played against Windtunnel's TCP: suites that come along, and files."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel._core import ScenarioError
from windtunnel.conformance.assertions import judge
from windtunnel.conformance.suites import FOLDER, ConformanceError
from windtunnel.texts import name_of, read_text

TCP = "tcp"
"""What scripts are played against, on the command line."""

ABOUT = "suite.toml"
"""The file that says what a suite is, in its folder of scripts."""

COMMENT = "//"


@dataclass(frozen=True)
class ScriptSuite:
    """Scripts that belong together."""

    name: str
    """Empty for files of the user."""
    title: str
    document: str
    files: dict[str, Path]
    """The scripts, each by the name of its case."""


@dataclass(frozen=True)
class Played:
    """What was found of a script."""

    suite: ScriptSuite
    case: str
    source: str
    """The document and the section that it follows from, as its first comment has them."""
    holds: str
    """What it checks, in the words of that comment."""
    verdict: str
    """`passes`, `differs-in-time`, `fails`, `skipped` or `unreadable`."""
    said: dict[str, Any]
    """What else the core says."""

    @property
    def is_wrong(self) -> bool:
        """Whether something else happened than the script has."""
        return self.verdict == "fails"


def names() -> list[str]:
    """Give the names of the suites that come with Windtunnel."""
    return sorted(it.parent.name for it in FOLDER.glob(f"*/{ABOUT}"))


def read(name: str) -> ScriptSuite:
    """Find a suite by its name. Raises ConformanceError."""
    if name not in names():
        known = _core.suggestion(name, names())
        raise ConformanceError(
            f"unknown suite `{name}` of TCP\nhelp: {known}; or name files and folders of scripts"
        )
    folder = FOLDER / name
    about = tomllib.loads((folder / ABOUT).read_text(encoding="utf-8"))
    files = {it.stem: it for it in sorted(folder.glob("*.pkt"))}
    return ScriptSuite(name, about["title"], about["document"], files)


def of_paths(paths: Sequence[Path]) -> ScriptSuite:
    """Collect scripts: files, and all in folders and below. Raises ConformanceError and OSError."""
    files: dict[str, Path] = {}
    for path in paths:
        found = sorted(path.rglob("*.pkt")) if path.is_dir() else [path]
        if not found:
            raise ConformanceError(
                f"{name_of(path)}: no scripts in this folder\nhelp: their names end in .pkt"
            )
        for file in found:
            # Missing files are reported before any is played.
            file.stat()
            files[name_of(file)] = file
    return ScriptSuite("", "scripts", "", files)


def play(suite: ScriptSuite, case: str | None = None) -> Iterator[Played]:
    """Play the scripts of a suite, or one of them. Raises ConformanceError if there is none."""
    if case is not None and case not in suite.files:
        known = _core.suggestion(case, list(suite.files))
        raise ConformanceError(f"{suite.name}: unknown case `{case}`\nhelp: {known}")
    for name in [case] if case else suite.files:
        yield played(suite, name)


def played(suite: ScriptSuite, case: str) -> Played:
    """Play a script."""
    file = suite.files[case]
    source = holds = ""
    try:
        text = read_text(file)
        if suite.name:
            source, holds = first_comment(text)
        said = judged(json.loads(_core.PacketdrillScript(name_of(file), text).play()))
    except ScenarioError as error:
        said = {"verdict": "unreadable", "reason": str(error), "trace": []}
    except SyntaxError as error:
        reason = f"{name_of(file)}:{error.lineno}: the code in %{{ }}% is not Python: {error.msg}"
        said = {"verdict": "unreadable", "reason": reason, "trace": []}
    return Played(suite, case, source, holds, said.pop("verdict"), said)


def judged(said: dict[str, Any]) -> dict[str, Any]:
    """Add to what the core says what the script's code asserts. Raises SyntaxError."""
    refuted, unchecked = judge(said.pop("assertions"))
    said["code_not_checked"] = unchecked
    if refuted is None:
        return said
    return {**said, "verdict": "fails", **asdict(refuted), "sent": []}


def first_comment(text: str) -> tuple[str, str]:
    """Give the source of a script of a suite, and what it checks: `// SOURCE: what holds`."""
    lines = takewhile(lambda it: it.startswith(COMMENT), text.splitlines())
    comment = " ".join(it.removeprefix(COMMENT).strip() for it in lines)
    source, _, holds = comment.partition(": ")
    return source, holds
