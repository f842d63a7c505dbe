"""Verdicts: what a paper published and claims, compared with what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windtunnel.measures.measure import Measure
from windtunnel.papers.claims import Claim
from windtunnel.papers.decisions import judge_claim
from windtunnel.papers.experiment import Experiment
from windtunnel.papers.items import CLAIMS, Item
from windtunnel.papers.line import Line, of_experiments
from windtunnel.papers.numbers import numbers
from windtunnel.papers.published import Published


def compare_all(
    published: Published,
    claims: Sequence[Claim],
    readings: Sequence[str],
    experiments: Mapping[str, Experiment],
    measures: Mapping[str, Measure],
) -> list[Item]:
    """Give an item for every number, every ranking and every claim under every reading.

    Each is there once for all readings that do not differ in its experiments.
    """
    items: list[Item] = []
    for table in published.tables:
        for row in table.rows:
            over = [experiments[name] for name in table.experiments(row)]
            place = "/".join([table.id, row, *table.where.values()])
            for reading in of_experiments(readings, over):
                for name in table.measures:
                    line = Line(table.axis, name, measures[name], reading, over, table.where)
                    items.extend(numbers(place, line, table, row))
    for claim in claims:
        for place, names in claim.places.items():
            over = [experiments[name] for name in names]
            own = [published.row(it, claim.measure, claim.axis, claim.where) for it in names]
            for reading in of_experiments(readings, over):
                measure = measures[claim.measure]
                line = Line(claim.axis, claim.measure, measure, reading, over, claim.where)
                items.append(judge_claim(f"{CLAIMS}/{place}/{claim.id}", claim, line, own))
    return items
