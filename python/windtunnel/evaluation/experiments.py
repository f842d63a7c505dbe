"""The experiments: studies in `experiments/`, into which the candidate is put.

Each varies what is evaluated: its cases are the standards in the candidate's place, and the
candidate becomes another case.
"""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import cache
from typing import Any

from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.subjects import Subject
from windtunnel.scenario.writing import document
from windtunnel.studies.file import Study, build

ECN = "flows.candidate.ecn"
"""The path by which an experiment turns ECN on."""

SHAPERS = ("cake", "shaper")
"""The queue disciplines that require a rate."""

RATE = "links.bottleneck.rate"
"""The path of the rate in the experiments for queues."""


def study(experiment: str, candidate: Candidate, quick: bool) -> Study:
    """Read an experiment's study, with the candidate in it."""
    subject = candidate.subject
    file = subject.folder / "experiments" / f"{experiment}.toml"
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    if quick:
        shorten(tables, chosen(subject)[experiment])
    cases = tables["vary"][subject.word]["cases"]
    network = tomllib.loads((file.parent / tables["scenario"]).read_text(encoding="utf-8"))
    cases.setdefault(candidate.name, in_place(candidate, tables, network))
    made = build(str(file), document(tables), tables, file.parent)
    return replace(made, extensions=candidate.extensions)


def in_place(
    candidate: Candidate, tables: dict[str, Any], network: dict[str, Any]
) -> dict[str, Any]:
    """Give what puts the candidate in its place: with ECN in the way that a controller needs, and
    as a table what shapes to the rate of the link."""
    place = candidate.subject.place
    if candidate.name in SHAPERS:
        rate = tables.get("set", {}).get(RATE, network["links"]["bottleneck"]["rate"])
        return {place: {"kind": candidate.name, "rate": rate}}
    needed = {ECN: "scalable"} if ECN in str(tables) and "l4s" in candidate.needs else {}
    return {place: candidate.name, **needed}


@cache
def chosen(subject: Subject) -> dict[str, dict[str, Any]]:
    """Read what `--quick` runs of each experiment."""
    return tomllib.loads((subject.folder / "quick.toml").read_text(encoding="utf-8"))


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
