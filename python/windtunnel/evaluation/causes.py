"""The cause of a verdict in a sentence: what differs most from the standard at the same point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.judging import Judged, stored
from windtunnel.pictures.units import decimals, scale, written
from windtunnel.studies.outcome import StudyResults

MOST_NAMED = 2
"""The number of differences that a sentence names."""

LEAST_RATIO = 1.25
"""Smaller differences than by this factor explain nothing."""


@dataclass(frozen=True)
class Evidence:
    """A figure that can explain a verdict."""

    words: str
    unit: str
    floor: float
    """Below it, differences do not count."""
    value: pl.Expr
    """From the rows of a run's flows."""


EVIDENCE = (
    Evidence(
        "decreases of its window a second",
        "",
        0.02,
        pl.col("decreases").sum() / pl.col("active_s").sum(),
    ),
    Evidence("timeouts", "", 1.0, pl.col("timeouts").sum()),
    Evidence(
        "sent again",
        "share",
        0.002,
        pl.col("retransmissions").sum() / pl.col("segments").sum(),
    ),
    Evidence("round-trip time", "s", 1e-4, pl.col("rtt_s").mean()),
)


def cause(
    judged: Judged, results: StudyResults, tables: Mapping[str, pl.DataFrame], candidate: Candidate
) -> str:
    """Say in a sentence what differs most between the candidate and the standard at a point."""
    runs = results.frame.filter(pl.col(candidate.subject.word) == candidate.name)
    others = results.frame.filter(pl.col(candidate.subject.word) == judged.standard)
    own = evidence(judged, results, tables, runs)
    standard = evidence(judged, results, tables, others)
    differing = sorted(
        (
            (strength(it, own[it.words], standard[it.words]), it)
            for it in EVIDENCE
            if it.words in own and it.words in standard
        ),
        key=lambda pair: -pair[0],
    )
    named = [
        f"{it.words} {shown(it, own[it.words])} (with {judged.standard} "
        f"{shown(it, standard[it.words])})"
        for ratio, it in differing[:MOST_NAMED]
        if ratio > math.log(LEAST_RATIO)
    ]
    return "; ".join([judged.check.failed, *named])


def evidence(
    judged: Judged, results: StudyResults, tables: Mapping[str, pl.DataFrame], runs: pl.DataFrame
) -> dict[str, float]:
    """Give the mean of each figure at a point, over those of some runs that have it."""
    for name, text in judged.point.items():
        runs = runs.filter(pl.col(name).is_in(stored(results.parameters, name, [text])))
    flows = tables["flows"].join(runs.select("key"), on="key", how="semi")
    own = flows.filter(pl.col("flow").str.contains("^(candidate|long|short)"))
    rows = own.group_by("key").agg(it.value.alias(it.words) for it in EVIDENCE)
    means = rows.select(pl.col(it.words).fill_nan(None).mean() for it in EVIDENCE)
    return {name: value for name, value in means.row(0, named=True).items() if value is not None}


def strength(evidence: Evidence, own: float, standard: float) -> float:
    """Give how much two values differ: the logarithm of their ratio."""
    return abs(math.log(max(own, evidence.floor) / max(standard, evidence.floor)))


def shown(evidence: Evidence, value: float) -> str:
    """Write a figure with its unit."""
    fitting = scale(evidence.unit, [value])
    text = written(value / fitting.size, decimals([value / fitting.size]))
    return f"{text} {fitting.unit}".strip()
