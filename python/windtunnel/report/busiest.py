"""Pictures of the busiest link: what it carries over time, its distribution and its mean."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel import link_measures
from windtunnel.report import charts, pictures, series, totals
from windtunnel.report.cases import Comparison, Line
from windtunnel.report.colours import Ink
from windtunnel.report.pictures import Picture
from windtunnel.report.totals import Measure

CARRIED = Measure("throughput_bps", "throughput of the link", "bit/s")
RUN = ["case", "run"]

POINTS = 200
"""Points of a distribution's line."""

MARKED = 25
"""Points from one shape on a line to the next."""


def samples(comparison: Comparison) -> pl.DataFrame:
    """Give the samples of the busiest link of each run."""
    return link_measures.samples(comparison, RUN)


def throughput(comparison: Comparison) -> list[Picture]:
    """Draw what the busiest link carries over time, with headers and repetitions."""
    carried = samples(comparison)
    get = partial(series.of_cases, carried, CARRIED.column)
    title = "Throughput of the busiest link"
    return pictures.over_time("link-throughput", title, CARRIED, comparison.by_case(), get)


def distribution(comparison: Comparison) -> list[Picture]:
    """Draw the distribution function of what the busiest link carries, of all runs together."""
    lines = comparison.by_case()
    value = pl.col(CARRIED.column) / 1e9
    shares = [index / POINTS for index in range(POINTS + 1)]
    quantiles = (
        samples(comparison)
        .join(series.numbered(lines).select("line", "case"), on="case")
        .group_by("line", maintain_order=True)
        .agg([value.quantile(share, "linear").alias(str(share)) for share in shares])
        .unpivot(index="line", variable_name="share", value_name="value")
        .cast({"share": pl.Float64})
    )
    chart = partial(distribution_chart, quantiles, lines)
    title = "Distribution of the throughput of the busiest link"
    caption = "Share of the samples, of all runs, that are not greater."
    return [Picture("link-throughput-distribution", title, caption, lines, chart)]


def distribution_chart(frame: pl.DataFrame, lines: list[Line], ink: Ink) -> alt.TopLevelMixin:
    """Draw distribution functions. `frame` has `line`, `value` in Gbps and `share`."""
    marked = (pl.col("share") * POINTS).round() % MARKED == 0
    rounded = frame.with_columns(
        pl.col("value", "share").round_sig_figs(charts.DIGITS), marked=marked.cast(pl.UInt8)
    )
    base = alt.Chart(charts.source(rounded)).encode(
        x=alt.X("value:Q", title="throughput of the link (Gbps)"),
        y=alt.Y("share:Q", title="share of samples"),
        color=charts.by_line(alt.Color, lines, [ink.hue(it.controller) for it in lines]),
        opacity=charts.emphasis(ink, 1.0, 0.1),
    )
    dash = charts.by_line(alt.StrokeDash, lines, [it.dash for it in lines])
    form = charts.by_line(alt.Shape, lines, [it.shape for it in lines])
    line = base.mark_line(strokeWidth=1.8, strokeJoin="round")
    line = line.encode(order="share:Q", strokeDash=dash)
    points = base.transform_filter("datum.marked == 1").mark_point(filled=True, size=42)
    return charts.together([line, points.encode(shape=form)], lines, ink)


def bars(comparison: Comparison) -> list[Picture]:
    """Draw the mean of what the busiest link carries as bars."""
    carried = link_measures.busiest(comparison, RUN).select(*RUN, CARRIED.column)
    lines = comparison.by_case()[: pictures.MOST_BARS]
    numbered = series.numbered(lines).select("line", "case")
    spread = totals.spread(carried, ["case"], [CARRIED.column]).join(numbered, on="case")
    values = spread.select("line", pl.col(CARRIED.column).struct.unnest()).with_columns(
        pl.col("mean", "low", "high") / 1e9, published=pl.lit(None, pl.Float64)
    )
    chart = partial(charts.bars, values, lines, "throughput of the link (Gbps)")
    caption = "Bars: mean over the runs; whiskers: least to greatest." * comparison.several_runs
    return [Picture("link-throughput-bars", "Throughput of the busiest link", caption, [], chart)]


KINDS = {
    "link-throughput": throughput,
    "link-throughput-distribution": distribution,
    "link-throughput-bars": bars,
}
"""What is drawn of the busiest link, by its kind."""
