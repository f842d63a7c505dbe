"""The command `check`: what a scenario or study file would run, without running it."""

from __future__ import annotations

import dataclasses
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from windtunnel import __version__, progress
from windtunnel.cli.output import INVALID, answer, count, of_system, say
from windtunnel.cli.run import is_of_study
from windtunnel.extensions import Extensions
from windtunnel.scenario.scenario import Scenario, checked
from windtunnel.studies import checking as study_checking
from windtunnel.studies import file as study_files
from windtunnel.studies.study import planned
from windtunnel.studies.worker import Base
from windtunnel.texts import MOST_READ, decoded, name_of, read_text

STANDARD_INPUT = "-"

PACKET_HOPS_PER_SECOND = 4e6
"""Of one processor, about: between 2 and 8 million (docs/performance.md)."""

Facts = dict[str, Any]


def check(
    file: str, settings: dict[str, str], as_json: bool, extensions: Extensions | None = None
) -> None:
    """Check a file, and say what it would run. Raises what reading it does."""
    try:
        found = facts(file, settings, extensions)
    except (*INVALID, OSError) as error:
        if as_json:
            said = of_system(error) if isinstance(error, OSError) else str(error)
            answer({"file": file, "version": __version__, "is_valid": False, **placed(said)})
        raise
    if as_json:
        answer({"file": file, "version": __version__, "is_valid": True, **found})
        return
    say(f"{file}: valid: {words(found)}")
    if "packet_hops" in found:
        say(size(found["packet_hops"]))
    for line in found["imports"]:
        say(line)
    progress.tell(found["notes"])
    progress.tell([f"advice: {it}" for it in found["advice"]])


def expand(file: str, settings: dict[str, str], extensions: Extensions | None = None) -> None:
    """Print a scenario with all that its tables stand for, as TOML."""
    scenario = checked(name_of(file), text_of(file), settings.items(), extensions)
    print(scenario.expanded(), end="", flush=True)


def stacks(
    file: str, settings: dict[str, str], as_json: bool, extensions: Extensions | None = None
) -> list[Facts]:
    """Run flows over implementations of protocols twice, say where they differ, and give that."""
    scenario = checked(name_of(file), text_of(file), settings.items(), extensions)
    cases: list[list[str]] = scenario.cases
    repeats: list[Facts] = [
        {
            "case": cases[case],
            "flow": flow,
            "stack": stack,
            "difference_s": difference[0] if difference else None,
            "difference": difference[1] if difference else None,
            "has_same_bytes": has_same_bytes,
        }
        for case, flow, stack, difference, has_same_bytes in scenario.flow_repeats()
    ]
    if as_json:
        answer({"file": file, "version": __version__, "flows": repeats})
    elif not repeats:
        say(f"{file}: no flow is over an implementation of a protocol")
    for it in [] if as_json else repeats:
        case = "".join(f"{value}, " for value in it["case"])
        same = "times, sizes and bytes" if it["has_same_bytes"] else "times and sizes"
        what = it["difference"] or f"the same {same} of all datagrams in two runs"
        say(f"{case}flow `{it['flow']}` ({it['stack']}): {what}")
    return repeats


def facts(file: str, settings: dict[str, str], extensions: Extensions | None = None) -> Facts:
    """Read a scenario or a study, and give what it would run."""
    name, text = name_of(file), text_of(file)
    document = parsed(text)
    if is_of_study(document):
        study = study_files.build(name, text, document, Path(file).parent)
        return of_study(dataclasses.replace(study, extensions=extensions or {}), settings)
    return of_scenario(checked(name, text, settings.items(), extensions))


def text_of(file: str) -> str:
    """Read a file or, for `-`, standard input. Raises ScenarioError if it is not text."""
    if file == STANDARD_INPUT:
        return decoded(file, sys.stdin.buffer.read(MOST_READ))
    return read_text(file)


def parsed(text: str) -> Facts:
    """Parse TOML; empty if it is wrong or large, which the core reports with its place."""
    if len(text) > study_files.MOST_BYTES:
        return {}
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def of_scenario(scenario: Scenario) -> Facts:
    """Give what a scenario would run."""
    return {
        "kind": "scenario",
        "title": scenario.title,
        "axes": scenario.axes,
        "cases": scenario.cases,
        "runs": scenario.runs,
        "seed": scenario.seed,
        "simulated_s": scenario.total_simulated_s,
        "packet_hops": scenario.packet_hops(),
        "imports": scenario.imports,
        "notes": scenario.notes,
        "advice": scenario.advice(),
    }


def of_study(study: study_files.Study, settings: dict[str, str]) -> Facts:
    """Give what a study would run; `settings` are of its scenario, as under its key `set`."""
    study = dataclasses.replace(study, settings={**study.settings, **settings})
    advice = study_checking.check(study, Base(study))
    points, runs = planned(study)
    return {
        "kind": "study",
        "title": study.title,
        "scenario": str(study.base),
        "parameters": {it.name: it.values for it in study.parameters},
        "points": points,
        "runs": runs,
        "is_minimum": study.stop is not None,
        "imports": [],
        "notes": [],
        "advice": advice,
    }


def words(found: Facts) -> str:
    """Say what would be run."""
    if found["kind"] == "study":
        least = "at least " if found["is_minimum"] else ""
        points = count(found["points"], "point")
        return f"{points} of {found['scenario']}, {least}{count(found['runs'], 'run')}"
    what = f"{count(len(found['cases']), 'case')} × {count(found['runs'], 'run')}"
    return f"{what}, {found['simulated_s']:g} s simulated"


def size(packet_hops: float) -> str:
    """Say how large runs are that take this many packet-hops."""
    seconds = packet_hops / PACKET_HOPS_PER_SECOND
    took = f"{seconds:.0f} s" if seconds >= 1 else "less than a second"
    return f"about {packet_hops:,.0f} packet-hops at the most: {took} of one processor"


def placed(message: str) -> Facts:
    """Give a message with its line and column, null where it has none."""
    found = re.match(r"[^\n]*?:(\d+)(?::(\d+))?: ", message)
    line, column = found.groups() if found else (None, None)
    return {
        "message": message,
        "line": int(line) if line else None,
        "column": int(column) if column else None,
    }
