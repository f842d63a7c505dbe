"""What a folder of results was made from, and whether a command may replace it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel.folders import EVALUATED, PAPER, SCENARIO_FILE, STUDY_FILE, check_replaceable
from windtunnel.results import SCENARIO, ResultsError
from windtunnel.running import description
from windtunnel.scenario.scenario import Scenario
from windtunnel.values import differences, values

MOST_NAMED = 3
"""The maximum number of changes that are named."""


@dataclass(frozen=True)
class Source:
    """What results are made from: a key of their manifest, and its value."""

    key: str
    value: str | None


@dataclass(frozen=True)
class Replaced:
    """What is in a folder that a command is going to replace."""

    manifest: dict[str, Any]
    """The manifest of results that were made from the same; empty if there are none."""
    notes: list[str]
    """What the user is told before they are replaced."""


def check(folder: Path, source: Source, is_default: bool) -> Replaced:
    """Check that a folder can be written or replaced, before any work is done for it.

    Results that were made from something else are replaced only if the user named the folder,
    and a note says so. Raises ResultsError if the folder is the default, and OSError as
    `check_replaceable`.
    """
    replaced = check_replaceable(folder)
    if not replaced or (source.key in replaced and replaced[source.key] == source.value):
        return Replaced(replaced, [])
    if is_default:
        raise ResultsError(
            f"{folder}: holds the results of {origin(folder, replaced)}\n"
            f"help: choose another folder with --out, or replace them with --out {folder}"
        )
    return Replaced({}, [f"{folder}: replaces the results of {origin(folder, replaced)}"])


def origin(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Say what results were made from."""
    if PAPER in manifest:
        return f"the paper {manifest[PAPER]}"
    if EVALUATED in manifest:
        return f"the evaluation of {manifest[EVALUATED]}"
    file = named_file(folder, manifest)
    return f"{file}, seed {manifest['seed']}" if "seed" in manifest else file


def named_file(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Give the path of the file that results were made from, from the working directory."""
    file = manifest.get(SCENARIO_FILE) or manifest.get(STUDY_FILE)
    return os.path.relpath(folder.resolve() / str(file)) if file else "a scenario without a file"


def changes(folder: Path, replaced: Mapping[str, Any], scenario: Scenario) -> list[str]:
    """Say in a line in what a scenario differs from its earlier results, if it does."""
    now = description(scenario)
    parts = ("seed", "scenario_sha256", "files_sha256", "extensions")
    if all(replaced.get(part, {}) == now[part] for part in parts):
        return []
    named = [
        f"{path} was {before}, is {after}"
        for path, before, after in differences(
            {**values(earlier_text(folder)), "seed": replaced.get("seed")},
            {**values(scenario.text), "seed": scenario.seed},
        )
    ]
    for part in ("files_sha256", "extensions"):
        before = replaced.get(part) or {}
        named += [f"{it} has changed" for it, sha in now[part].items() if before.get(it) != sha]
    if len(named) > MOST_NAMED:
        named[MOST_NAMED:] = [f"and {len(named) - MOST_NAMED} more"]
    said = "; ".join(named) or "the text has changed"
    file = named_file(folder, replaced)
    return [f"{folder}: replaces the results of {file}: {said}"]


def earlier_text(folder: Path) -> str:
    """Read the scenario of earlier results; empty if it is damaged."""
    try:
        return (folder / SCENARIO).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
