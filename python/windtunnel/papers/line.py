"""A row of values: one measure of some experiments under one reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from windtunnel.measures.measure import Bound, Measure
from windtunnel.papers.agreement import Runs
from windtunnel.papers.experiment import Experiment
from windtunnel.papers.items import Measured, summarise
from windtunnel.papers.readings import known_parts, restricted


@dataclass(frozen=True)
class Line:
    """The columns of a row, in one measure and under one reading."""

    axis: str
    name: str
    """The measure's name in the paper's files."""
    measure: Measure
    reading: str
    over: Sequence[Experiment]
    where: Mapping[str, str]

    def columns(self) -> list[str]:
        """List all columns that were run."""
        return self.over[0].along(self.axis)

    def runs(self, column: str) -> Runs:
        """Give a column's value in every run: the mean over the experiments."""
        each = [it.runs(self.name, self.axis, column, self.reading, self.where) for it in self.over]
        common = set.intersection(*(set(runs) for runs in each))
        return {number: fmean(runs[number] for runs in each) for number in sorted(common)}

    def measured(self, column: str) -> Measured | None:
        """Summarise a column."""
        return summarise(list(self.runs(column).values()), self.measure.unit)

    def bound(self, column: str) -> Bound:
        """Compute the bound of this measure."""
        bounds = [it.bounds[self.case(it, column)] for it in self.over]
        goodputs, delays = zip(*bounds, strict=True)
        return self.measure.bound(fmean(goodputs), fmean(delays))

    def case(self, experiment: Experiment, column: str) -> tuple[str, ...]:
        """Find the case of a column."""
        return experiment.case(self.axis, column, self.reading, self.where)


def of_experiments(readings: Sequence[str], over: Sequence[Experiment]) -> list[str]:
    """List the readings that differ for some experiments, in the order of all readings."""
    known = known_parts(reading for it in over for reading in it.readings())
    return list(dict.fromkeys(restricted(reading, known) for reading in readings))
