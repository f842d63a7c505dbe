"""Checking a study before anything runs: each value of each parameter, in its scenario."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel import _core
from windtunnel.studies import design
from windtunnel.studies.design import Point
from windtunnel.studies.errors import StudyError
from windtunnel.studies.file import Study, Varied
from windtunnel.studies.runner import settings_of
from windtunnel.studies.worker import Base

MOST_SHOWN = 10
"""The maximum number of values whose errors are shown."""

WITHOUT_RANDOMNESS = (
    "nothing is random at the first point, so all its seeds give the same run: "
    "`start_within` of flows, or `jitter` or `loss` of links, makes them differ"
)


@dataclass(frozen=True)
class WrongValue:
    """A value of parameters that vary together, with which the scenario is not valid."""

    parameters: list[Varied]
    place: int
    error: str
    """That of the scenario."""

    def __str__(self) -> str:
        """Name the value, and say what is wrong."""
        values = (f"{it.name} = {it.values[self.place]}" for it in self.parameters)
        return f"{', '.join(values)} cannot be run: {self.error}"


def check(study: Study, base: Base) -> list[str]:
    """Refuse a study with values that cannot be run, or whose first point cannot.

    Return what is probably not meant. Raises StudyError, with the scenario's own errors.
    """
    read = attempt(study, base, next(design.points(study)))
    wrong = list(wrong_values(study, base))
    if wrong and len(wrong) < sum(len(it[0].values) for it in design.groups(study.parameters)):
        raise refusal(study, wrong)
    if isinstance(read, _core.ScenarioError):
        raise StudyError(f"{study.file}: its first point cannot be run: {read}") from read
    if read.axes:
        raise StudyError(
            f"{study.base}: a scenario of a study must not have [compare]: "
            f"{', '.join(read.axes)}\nhelp: move it to the study, under [vary.NAME.cases]"
        )
    seeds = study.stop.minimum_seeds if study.stop else len(study.seeds)
    return [WITHOUT_RANDOMNESS] if seeds > 1 and read.without_randomness() else []


def wrong_values(study: Study, base: Base) -> Iterator[WrongValue]:
    """Find the values that can be run neither with the first values of the other parameters nor
    with the last ones."""
    for group in design.groups(study.parameters):
        for place in range(len(group[0].values)):
            error = error_of(study, base, group, place, 0)
            if error and error_of(study, base, group, place, -1):
                yield WrongValue(group, place, error)


def error_of(study: Study, base: Base, group: list[Varied], place: int, others: int) -> str | None:
    """Give the error of a value beside the others at a place; None if it can be run."""
    places = {it.name: place for it in group}
    chosen = {it.name: design.at_place(it, places.get(it.name, others)) for it in study.parameters}
    read = attempt(study, base, design.point(study, chosen))
    return str(read) if isinstance(read, _core.ScenarioError) else None


def attempt(study: Study, base: Base, point: Point) -> _core.Scenario | _core.ScenarioError:
    """Read the scenario of a point, or give its error."""
    try:
        return base.read(settings_of(point, study.seeds[0]))
    except _core.ScenarioError as error:
        return error


def refusal(study: Study, wrong: list[WrongValue]) -> StudyError:
    """Make an error of the values that cannot be run, each with its line."""
    said = [
        str(study.mistake(("vary", it.parameters[0].name), str(it))) for it in wrong[:MOST_SHOWN]
    ]
    if len(wrong) > MOST_SHOWN:
        said.append(f"{len(wrong) - MOST_SHOWN} more values cannot be run")
    return StudyError("\n".join(said))
