"""Variants of a paper: what a reproduction changes of its experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal

from windtunnel._core import ScenarioError
from windtunnel.extensions import Extensions, in_words
from windtunnel.papers.claims import Claims
from windtunnel.papers.errors import PaperError
from windtunnel.papers.paper import Paper
from windtunnel.papers.published import Published, Table
from windtunnel.papers.readings import Space, compared, known_parts, readings_of
from windtunnel.running import read
from windtunnel.scenario.scenario import Scenario

QUICK_SHARES = (0.05, 0.1, 0.2, 0.4)
"""The shares of its duration for which an experiment runs if it is only tried: the first that is
long enough for what it records and observes, or else all of it.
"""


@dataclass(frozen=True)
class Variant:
    """What is changed of all experiments, and which of them run."""

    only: Sequence[str] = ()
    """The experiments to run; all if there are none."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Values of the scenarios that are replaced, by their paths."""
    extensions: Extensions = field(default_factory=dict)
    """Classes in Python that the scenarios may name."""
    quick: bool = False
    """Whether everything is only tried: one run of the readings that figures draw, shortened."""

    def words(self) -> list[str]:
        """Describe each change; empty if there is none."""
        share = f"{QUICK_SHARES[0]:.0%} of the durations, or as much as it takes"
        return [
            *([f"one run of the readings that are drawn, for {share}"] if self.quick else []),
            *([f"only {', '.join(self.only)}"] if self.only else []),
            *(f"{path} = {value}" for path, value in self.settings.items()),
            *(f"{name}: {in_words(it)}" for name, it in self.extensions.items()),
        ]

    def paper(self, paper: Paper) -> Paper:
        """Keep the experiments that run, and what concerns them alone.

        Raises PaperError for one that the paper does not have, and ScenarioError or OSError.
        """
        if not self.only:
            return paper
        for name in self.only:
            if name not in paper.experiments:
                there = ", ".join(paper.experiments)
                raise PaperError(f"{paper.name}: unknown experiment `{name}`; known: {there}")
        kept = {name: title for name, title in paper.experiments.items() if name in self.only}
        texts = (paper.scenario(name).read_text(encoding="utf-8") for name in kept)
        known = {reading for text in texts for reading in readings_of(compared(text))}
        axes = {
            axis: [it for it in names if it in known] for axis, names in paper.space.axes.items()
        }
        return replace(
            paper,
            experiments=kept,
            figures=[figure for figure in paper.figures if figure.experiment in kept],
            space=Space({axis: names for axis, names in axes.items() if names}),
            together=[it for it in paper.together if known_parts([it]) <= known],
        )

    def published(self, published: Published) -> Published:
        """Keep the rows that the experiments give."""
        if not self.only:
            return published
        tables = [replace(it, rows=self.rows(it)) for it in published.tables]
        return Published([it for it in tables if it.rows])

    def rows(self, table: Table) -> dict[str, dict[str, Decimal]]:
        """Give the rows of a table whose experiments all run."""
        runs = set(self.only)
        return {row: it for row, it in table.rows.items() if set(table.experiments(row)) <= runs}

    def claims(self, claims: Claims) -> Claims:
        """Keep the claims that the experiments decide."""
        if not self.only:
            return claims
        runs = set(self.only)
        kept = [
            replace(it, places={place: of for place, of in it.places.items() if set(of) <= runs})
            for it in claims.claims
        ]
        return replace(claims, claims=[it for it in kept if it.places])

    def scenario(self, paper: Paper, experiment: str) -> Scenario:
        """Read the scenario of an experiment. Raises ScenarioError or OSError."""
        file = paper.scenario(experiment)
        scenario = read(file, self.settings, extensions=self.extensions)
        if not self.quick or "duration" in self.settings:
            return scenario
        mean_s = scenario.total_simulated_s / (len(scenario.cases) * scenario.runs)
        for share in QUICK_SHARES:
            with suppress(ScenarioError):
                return scenario.changed({"duration": f"{share * mean_s:g} s"})
        return scenario


UNCHANGED = Variant()
"""The paper as it is."""
