"""The outcome of an experiment in every measure."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from windtunnel import _core
from windtunnel.measures.measure import VALUE, Measure
from windtunnel.papers.readings import DEFAULT, READING, known_parts, restricted
from windtunnel.results import Results

FLOW = "flow"
"""The name used as an axis to compare the flows of each run."""


@dataclass(frozen=True)
class Experiment:
    """The outcome of an experiment: the values and bounds of each case."""

    axes: list[str]
    cases: list[tuple[str, ...]]
    bounds: dict[tuple[str, ...], tuple[float, float]]
    """The maximum goodput in bit/s, and the minimum delay in s."""
    values: dict[str, dict[tuple[str, ...], dict[int, float]]]
    """By measure, case and number of the run. The values of a single flow are under the
    case followed by the flow's name."""
    flows: list[str] = field(default_factory=list)
    """The names of its flows."""

    def along(self, axis: str) -> list[str]:
        """List the names on an axis, in the scenario's order."""
        if axis == FLOW:
            return self.flows
        place = self.axes.index(axis)
        return list(dict.fromkeys(case[place] for case in self.cases))

    def readings(self) -> list[str]:
        """List the readings, the default first."""
        return self.along(READING) if READING in self.axes else [DEFAULT]

    def case(self, axis: str, name: str, reading: str, where: Mapping[str, str]) -> tuple[str, ...]:
        """Find a case; `where` gives its names on the other axes.

        Parts of the reading that the experiment does not have do not concern it.
        """
        known = restricted(reading, known_parts(self.readings()))
        names = {**where, axis: name, READING: known}
        return tuple(names[it] for it in self.axes)

    def runs(
        self, measure: str, axis: str, name: str, reading: str, where: Mapping[str, str]
    ) -> Mapping[int, float]:
        """Give the values of a column by the number of the run."""
        case = self.case(axis, name, reading, where)
        return self.values[measure].get((*case, name) if axis == FLOW else case, {})


def evidence(
    scenario: _core.Scenario, results: Results | None, measures: Mapping[str, Measure]
) -> Experiment:
    """Compute the outcome of an experiment in every measure."""
    cases = [tuple(case) for case in scenario.cases]
    bounds = dict(zip(cases, scenario.bounds(), strict=True))
    values: dict[str, dict[tuple[str, ...], dict[int, float]]] = {}
    for name, measure in measures.items():
        values[name] = {}
        if results is None or not results.tables:
            continue
        for keys in ([], [FLOW]) if measure.of_each_flow else ([],):
            taken = measure.take(results, [*scenario.axes, *keys, "run"])
            # Where nothing was received, a ratio is not a number.
            for *case, run, value in taken.filter(pl.col(VALUE).is_finite()).iter_rows():
                values[name].setdefault(tuple(case), {})[run] = value
    return Experiment(scenario.axes, cases, bounds, values, flows(scenario))


def flows(scenario: _core.Scenario) -> list[str]:
    """List the names of a scenario's flows."""
    stated = tomllib.loads(scenario.text)
    return [*stated.get("consumers", {}), *stated.get("flows", {})]
