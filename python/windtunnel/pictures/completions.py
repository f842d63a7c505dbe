"""Pictures of completion times: bars by the size of what was transferred."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures import transfers
from windtunnel.measures.spreads import OF_BARS, spread
from windtunnel.measures.transfers import CLASSES, SIZE_CLASS
from windtunnel.pictures import bar_charts
from windtunnel.pictures.bars import MOST_BARS
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.picture import Picture

STATISTICS = {"mean": "Mean", "median": "Median", "p99": "99th percentile"}
"""What is drawn of completion times, and its title."""


def by_size(comparison: Comparison) -> list[Picture]:
    """Draw completion times by size, a picture for each statistic; none without transfers."""
    finished = comparison["transfers"].filter(pl.col("completion_s").fill_nan(None).is_not_null())
    if finished.is_empty():
        return []
    # The spread is that over the runs.
    of_runs = transfers.by_size(finished, ["case", "run"])
    return [of_statistic(comparison, of_runs, name) for name in STATISTICS]


def of_statistic(comparison: Comparison, of_runs: pl.DataFrame, statistic: str) -> Picture:
    """Draw one statistic of the completion times."""
    column = f"completion_s_{statistic}"
    found = spread(of_runs, [SIZE_CLASS, "case"], [column]).unnest(column)
    controllers = {line.case: line.controller for line in comparison.by_case()}
    present = set(found.select(SIZE_CLASS, "case").rows())
    places = [(size, case) for size in CLASSES for case in controllers if (size, case) in present]
    places = places[:MOST_BARS]
    lines = comparison.ranked(
        (case, (size, *comparison.parts(case)), controllers[case]) for size, case in places
    )
    rows = [(line.name, *place) for line, place in zip(lines, places, strict=True)]
    named = pl.DataFrame(
        rows, {"line": pl.String, SIZE_CLASS: pl.String, "case": pl.UInt32}, orient="row"
    )
    values = named.join(found, on=[SIZE_CLASS, "case"], maintain_order="left")
    values = values.select("line", "mean", "low", "high", published=pl.lit(None, pl.Float64))
    title = f"{STATISTICS[statistic]} completion time by size"
    said = (OF_BARS * comparison.several_runs, transfers.unfinished(comparison["flows"]))
    caption = " ".join(filter(None, said))
    chart = partial(bar_charts.bars, values, lines, "completion time (s)")
    return Picture(f"completion-{statistic}", title, caption, [], chart)


KINDS = {"completion-by-size": by_size}
"""What is drawn of completion times, by its kind."""
