"""Pictures of totals as bars."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures import totals
from windtunnel.measures.columns import (
    DELAY,
    DROPPED,
    FAIRNESS,
    FIRST_PAINT,
    GOODPUT,
    MARKS,
    ONE_WAY_DELAY,
    PAGE_LOAD,
    RETRANSMISSIONS,
    MeasuredColumn,
)
from windtunnel.measures.spreads import OF_BARS, spread
from windtunnel.pictures import bar_charts, series
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import scale

MOST_BARS = 100
"""The maximum number of bars of a picture."""


def bars(name: str, measure: MeasuredColumn, comparison: Comparison) -> list[Picture]:
    """Draw totals as bars with their spread over the runs; no picture if all are zero."""
    if measure is DROPPED:
        lines, keys, frame = comparison.by_case(), ["case"], comparison.of_links
    else:
        lines, keys = comparison.by_group(), ["case", GROUP]
        frame, of_users = comparison.of_flows_and_users
        if measure in totals.OF_WEB_PAGES and measure not in of_users:
            return []
    if not frame[measure.column].fill_null(0).ne(0).any():
        return []
    found = spread(frame, keys, [measure.column])
    named = series.numbered(lines).select("line", *keys)
    values = found.join(named, on=keys).select("line", pl.col(measure.column).struct.unnest())
    # Groups of datagrams have no delay there and back, and others none that is one way.
    values = values.drop_nulls("mean")
    known = set(values["line"])
    lines = [it for it in lines if it.name in known]
    drawn = lines[:MOST_BARS]
    values = values.filter(pl.col("line").is_in([it.name for it in drawn]))
    shown = scale(measure.unit, values["mean"])
    values = values.select(
        "line", pl.col("mean", "low", "high") / shown.size, published=pl.lit(None, pl.Float64)
    )
    title = measure.title[0].upper() + measure.title[1:]
    caption = OF_BARS * comparison.several_runs
    if measure is GOODPUT:
        caption = f"Over the whole run, also where a flow starts later. {caption}"
    if len(drawn) < len(lines):
        caption += f" The first {len(drawn)} of {len(lines)} bars; all are in the table."
    chart = partial(bar_charts.bars, values, drawn, shown.title(measure.title))
    return [Picture(name, title, caption.strip(), [], chart)]


BARS = {
    name: partial(bars, name, measure)
    for name, measure in (
        ("page-load-bars", PAGE_LOAD),
        ("first-paint-bars", FIRST_PAINT),
        ("bars", GOODPUT),
        ("delay-bars", DELAY),
        ("one-way-delay-bars", ONE_WAY_DELAY),
        ("drops-bars", DROPPED),
        ("retransmissions-bars", RETRANSMISSIONS),
        ("marks-bars", MARKS),
        ("fairness-bars", FAIRNESS),
    )
}
"""What is drawn as bars, by its kind."""
