"""The experiments: studies in `experiments/`, into which the candidate is put.

Each varies `controller`, whose cases are the standard controllers in the candidate's place; the
candidate becomes another case of it.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from windtunnel.evaluation.candidates import Candidate
from windtunnel.scenario.writing import document
from windtunnel.studies.file import Study, build

FOLDER = Path(__file__).with_name("experiments")

QUICK = Path(__file__).with_name("quick.toml")

CONTROLLER = "controller"
"""The parameter whose cases are the candidate and the standards."""

STANDARDS = ("cubic", "new-reno")
"""The controllers that a candidate is compared with: RFC 9438 and RFC 5681."""

PLACE = "controllers.candidate"
"""The path of the candidate in the scenarios."""


ECN = "flows.candidate.ecn"
"""The path by which an experiment turns ECN on."""


def study(experiment: str, candidate: Candidate, quick: bool) -> Study:
    """Read an experiment's study, with the candidate in it."""
    file = FOLDER / f"{experiment}.toml"
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    if quick:
        shorten(tables, chosen()[experiment])
    cases = tables["vary"][CONTROLLER]["cases"]
    cases.setdefault(candidate.name, in_place(candidate, ECN in str(tables)))
    made = build(str(file), document(tables), tables, FOLDER)
    return replace(made, extensions=candidate.extensions)


def in_place(candidate: Candidate, has_ecn: bool) -> dict[str, str]:
    """Give what puts the candidate in its place; with ECN in the way that it needs."""
    needed = {ECN: "scalable"} if has_ecn and "l4s" in candidate.needs else {}
    return {PLACE: candidate.name, **needed}


@cache
def chosen() -> dict[str, dict[str, Any]]:
    """Read what `--quick` runs of each experiment."""
    return tomllib.loads(QUICK.read_text(encoding="utf-8"))


def shorten(tables: dict[str, Any], kept: dict[str, Any]) -> None:
    """Leave of a study only what is kept: its seeds, and values of its parameters."""
    for name, values in kept.items():
        if name == "seeds":
            tables[name] = values
            continue
        varied = tables["vary"][name]
        if "cases" in varied:
            varied["cases"] = {it: varied["cases"][it] for it in values}
        else:
            varied["values"] = [it for it in varied["values"] if it in values]
