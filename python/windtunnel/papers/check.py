"""Checks that the names in a paper's files exist in its experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

from windtunnel import _core
from windtunnel.measures.measure import Measure
from windtunnel.papers.claims import CLAIMS, Claim
from windtunnel.papers.errors import PaperError
from windtunnel.papers.experiment import FLOW, flows
from windtunnel.papers.paper import PAPER, Paper
from windtunnel.papers.published import PUBLISHED, Published
from windtunnel.papers.readings import READING, known_parts


def check(
    paper: Paper,
    published: Published,
    claims: Sequence[Claim],
    scenarios: Mapping[str, _core.Scenario],
    measures: Mapping[str, Measure],
) -> None:
    """Refuse unknown experiments, measures and columns. Raises PaperError."""
    for table in published.tables:
        for row, values in table.rows.items():
            for experiment in table.experiments(row):
                place = f"{PUBLISHED}: table `{table.id}`"
                check_columns(place, scenarios, experiment, table.axis, list(values))
                check_where(place, scenarios[experiment], table.axis, table.where)
        for measure in table.measures:
            check_name(f"{PUBLISHED}: table `{table.id}`", "measure", measure, measures)
    for claim in claims:
        place = f"{CLAIMS}: claim `{claim.id}`"
        check_name(place, "measure", claim.measure, measures)
        for experiment in {name for names in claim.places.values() for name in names}:
            check_columns(place, scenarios, experiment, claim.axis, claim.columns())
            check_where(place, scenarios[experiment], claim.axis, claim.where)
    for figure in paper.figures:
        place = f"{PAPER}: figure `{figure.id}`"
        check_columns(place, scenarios, figure.experiment, figure.series, [])
        for axis, name in figure.where.items():
            check_columns(place, scenarios, figure.experiment, axis, [name])


def check_readings(paper: Paper, own: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse readings that no axis has, or no experiment. Raises PaperError.

    `own` are the readings of each experiment.
    """
    known = list(dict.fromkeys(name for readings in own.values() for name in readings))
    stated = [name for names in paper.space.axes.values() for name in names]
    for name in stated:
        check_name(f"{PAPER}: `[readings]`", "reading", name, known)
        if stated.count(name) > 1:
            raise PaperError(f"{PAPER}: `[readings]`: `{name}` is on two axes")
    for experiment, readings in own.items():
        for name in readings:
            check_name(f"{experiment}.toml: `[compare.reading]`", "reading", name, stated)
        check_overlaps(paper, experiment, readings)
    for name in known_parts(paper.together):
        check_name(f"{PAPER}: `together`", "reading", name, known)


def check_overlaps(paper: Paper, experiment: str, own: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse readings of different questions of which the second would replace what the first sets.

    `own` are what each reading of an experiment sets, by its paths. Raises PaperError.
    """
    questions = [[name for name in names if name in own] for names in paper.space.axes.values()]
    for earlier, later in combinations(questions, 2):
        for one, other in product(earlier, later):
            hidden = [path for path in own[one] if is_replaced(path, own[one][path], own[other])]
            if hidden:
                raise PaperError(
                    f"{experiment}.toml: the readings `{one}` and `{other}` of different questions "
                    f"both set `{hidden[0]}`: together, the second would replace the first"
                )


def is_replaced(path: str, value: Any, later: Mapping[str, Any]) -> bool:
    """Say whether later values replace a value, or the table that it is in."""
    return any(
        f"{path}.".startswith(f"{other}.") and (other != path or it != value)
        for other, it in later.items()
    )


def check_columns(
    place: str,
    scenarios: Mapping[str, _core.Scenario],
    experiment: str,
    axis: str,
    columns: list[str],
) -> None:
    """Refuse an unknown experiment, axis, or case."""
    check_name(place, "experiment", experiment, scenarios)
    scenario = scenarios[experiment]
    check_name(place, "axis", axis, [*scenario.axes, FLOW])
    for column in columns:
        check_name(place, axis, column, along(scenario, axis))


def check_where(place: str, scenario: _core.Scenario, axis: str, where: Mapping[str, str]) -> None:
    """Refuse a `where` that does not determine the cases of an experiment."""
    for name, case in where.items():
        check_name(place, "axis", name, scenario.axes)
        check_name(place, name, case, along(scenario, name))
    for name in scenario.axes:
        if name not in {axis, READING, *where}:
            raise PaperError(f"{place}: `where` must name a case of `{name}`")


def along(scenario: _core.Scenario, axis: str) -> list[str]:
    """List the names on an axis of a scenario."""
    if axis == FLOW:
        return flows(scenario)
    return list(dict.fromkeys(case[scenario.axes.index(axis)] for case in scenario.cases))


def check_name(place: str, kind: str, name: str, known: Any) -> None:
    """Refuse an unknown name."""
    if name not in known:
        raise PaperError(f"{place}: unknown {kind} `{name}`; known: {', '.join(known)}")
