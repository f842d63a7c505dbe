"""Pictures of the busiest link: what it carries over time, its distribution and its mean."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures import links, spreads
from windtunnel.measures.columns import MeasuredColumn
from windtunnel.pictures import bar_charts, charts, distributions, series
from windtunnel.pictures.bars import MOST_BARS
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import Ink
from windtunnel.pictures.kinds import of_all
from windtunnel.pictures.over_time import over_time
from windtunnel.pictures.picture import Picture

CARRIED = MeasuredColumn("throughput_bps", "throughput of the link", "bit/s")
RUN = ["case", "run"]


def samples(comparison: Comparison) -> pl.DataFrame:
    """Give the samples of the busiest link of each run."""
    return links.samples(comparison, RUN)


def throughput(comparison: Comparison) -> list[Picture]:
    """Draw what the busiest link carries over time, with headers and repetitions."""
    carried = samples(comparison)
    get = partial(series.of_cases, carried, CARRIED.column)
    title = "Throughput of the busiest link"
    return over_time("link-throughput", title, CARRIED, comparison.by_case(), get)


def distribution(comparison: Comparison) -> list[Picture]:
    """Draw the distribution function of what the busiest link carries, of all runs together."""
    lines = comparison.by_case()
    numbered = series.numbered(lines).select("line", "case")
    carried = samples(comparison).join(numbered, on="case")
    quantiles = distributions.quantiles(carried.select("line", value=pl.col(CARRIED.column) / 1e9))
    chart = partial(distribution_chart, quantiles, lines)
    title = "Distribution of the throughput of the busiest link"
    caption = "Share of the samples, of all runs, that are not greater."
    return [Picture("link-throughput-distribution", title, caption, lines, chart)]


def distribution_chart(frame: pl.DataFrame, lines: list[Line], ink: Ink) -> Drawing:
    """Draw distribution functions. `frame` has `line`, `value` in Gbps and `share`."""
    title = "throughput of the link (Gbps)"
    drawn = distributions.layers(frame, lines, title, "samples", ink)
    return charts.together(drawn, lines, ink)


def bars(comparison: Comparison) -> list[Picture]:
    """Draw the mean of what the busiest link carries as bars."""
    carried = links.busiest(comparison, RUN).select(*RUN, CARRIED.column)
    lines = comparison.by_case()[:MOST_BARS]
    numbered = series.numbered(lines).select("line", "case")
    means = spreads.spread(carried, ["case"], [CARRIED.column]).join(numbered, on="case")
    values = means.select("line", pl.col(CARRIED.column).struct.unnest()).with_columns(
        pl.col("mean", "low", "high") / 1e9, published=pl.lit(None, pl.Float64)
    )
    chart = partial(bar_charts.bars, values, lines, "throughput of the link (Gbps)")
    caption = "Bars: mean over the runs; whiskers: minimum to maximum." * comparison.several_runs
    return [Picture("link-throughput-bars", "Throughput of the busiest link", caption, [], chart)]


PICTURES = {
    "link-throughput": of_all(throughput),
    "link-throughput-distribution": of_all(distribution),
    "link-throughput-bars": of_all(bars),
}
"""What only this paper draws, by its kind."""
