"""What was found, in sentences: each measure of what is compared, with its confidence interval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from windtunnel.measures import totals
from windtunnel.measures.columns import COMPLETION, DELAY, GOODPUT, MeasuredColumn
from windtunnel.measures.spreads import INTERVAL
from windtunnel.pictures import series
from windtunnel.pictures.cases import BETWEEN, Comparison
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.studies import layout, measures
from windtunnel.pictures.studies.figure import capital
from windtunnel.pictures.units import decimals, decimals_beside, scale, written
from windtunnel.studies.outcome import StudyResults

MEASURES = (GOODPUT, DELAY, COMPLETION)
"""What sentences are about."""

MOST_NAMED = 4
"""The number of cases that a sentence names; of more, the best and the worst."""


@dataclass(frozen=True)
class Findings:
    """Sentences, and what the intervals in them are."""

    sentences: list[str]
    note: str


def of_results(comparison: Comparison) -> Findings:
    """Compare the cases; of a single case, its groups of flows."""
    several = len(comparison.cases) > 1
    lines = comparison.by_case() if several else comparison.by_group()
    keys = ["case"] if several else ["case", GROUP]
    totals_of_runs, found = measured(comparison, keys)
    named = totals_of_runs.join(series.numbered(lines).select("line", *keys), on=keys)
    names = {it.name: it.label for it in lines}
    return written_down(named.with_columns(name=pl.col("line").replace_strict(names)), found)


def measured(
    comparison: Comparison, keys: list[str]
) -> tuple[pl.DataFrame, tuple[MeasuredColumn, ...]]:
    """Give the totals of each of `keys` and run, and what sentences are about: what users
    see comes before what the network did."""
    frame, of_users = totals.of_flows_and_users(comparison, keys, comparison.tables)
    return frame, (*of_users, *MEASURES)


def of_study(results: StudyResults) -> Findings:
    """Compare the combinations of parameters."""
    texts = [
        pl.lit("" if layout.is_controllers(it) else f"{it.name} ") + layout.text_of(it)
        for it in results.parameters
    ]
    name = pl.concat_str(texts, separator=BETWEEN) if texts else pl.lit("all runs")
    there = [it for it in MEASURES if it in measures.measured(results)]
    return written_down(results.frame.with_columns(name=name), there)


def written_down(frame: pl.DataFrame, found: Iterable[MeasuredColumn]) -> Findings:
    """Write a sentence for each measure of which anything is known, of the runs of each name."""
    samples = {it: frame.select("name", value=measures.known(it)).drop_nulls() for it in found}
    known = {it: those for it, those in samples.items() if those["value"].ne(0).any()}
    spreads = {it: measures.spread(those, ["name"]) for it, those in known.items()}
    if not spreads:
        return Findings([], "")
    note = f"±: half of the {INTERVAL} of the mean over the runs."
    if all(it["runs"].max() == 1 for it in spreads.values()):
        note = "One run of each case: the variation between runs is unknown."
    return Findings([sentence(*it) for it in spreads.items()], note)


def sentence(measure: MeasuredColumn, spread: pl.DataFrame) -> str:
    """Write the values of a measure, the best first."""
    more_is_better = measure.better == "more"
    ranked = spread.sort("mean", descending=more_is_better, maintain_order=True)
    shown = scale(measure.unit, ranked["mean"])
    half = (pl.col("high") - pl.col("mean")).fill_null(0.0)
    rows = ranked.select("name", pl.col("mean") / shown.size, half / shown.size).rows()
    values = [(name, f"{value(mean, width)} {shown.unit}") for name, mean, width in rows]
    title = capital(measure.title)
    if len(values) <= MOST_NAMED:
        return f"{title}: {'; '.join(f'{name} {written}' for name, written in values)}."
    best, worst = ("most", "least") if more_is_better else ("least", "most")
    ends = zip((best, worst), (values[0], values[-1]), strict=True)
    named = ", ".join(f"{word} {written} ({name})" for word, (name, written) in ends)
    return f"{title}: {named}; {len(values) - 2} others are between."


def value(mean: float, half: float) -> str:
    """Write a mean, with half of its interval if it has one."""
    digits = decimals_beside(half, decimals([mean, half]))
    return f"{written(mean, digits)} ± {written(half, digits)}" if half else written(mean, digits)
