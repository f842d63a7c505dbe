"""Pictures of how delays, completion times and slowdowns spread, and of what caches answered."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import altair as alt
import polars as pl

from windtunnel.measures.columns import COMPLETION, DELAY, MeasuredColumn
from windtunnel.measures.spreads import OF_BARS, spread
from windtunnel.measures.transfers import unfinished
from windtunnel.pictures import bar_charts, charts, distributions, series
from windtunnel.pictures.bars import MOST_BARS
from windtunnel.pictures.cases import Comparison, Line, panels
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import Ink
from windtunnel.pictures.data import by_line, source
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.over_time import MOST_PANELS
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import maximum, minimum, scale

LEAST_VALUES = 4
"""The fewest values of which a distribution says something."""

SIZES = 12
"""The number of sizes of which slowdowns are put together."""

WIDE = 8
"""From how many times the median on the highest value needs a logarithmic axis."""

LOST = MeasuredColumn("lost", "datagrams lost", "share")
JITTER = MeasuredColumn("jitter_s", "jitter of datagrams", "s")

KEYS = ["case", "run", "flow"]


def spreads(comparison: Comparison) -> list[Picture]:
    """Draw all of them, as far as they were measured."""
    return [
        *delays(comparison),
        *completions(comparison),
        *slowdowns(comparison),
        *hit_ratios(comparison),
        *of_datagrams(comparison),
    ]


def named(comparison: Comparison, frame: pl.DataFrame, value: str) -> pl.DataFrame:
    """Give the values of a table of flows, with the line of each."""
    groups = (
        comparison["flows"]
        .select(*KEYS, GROUP)
        .join(series.numbered(comparison.by_group()), on=["case", GROUP])
    )
    known = frame.with_columns(value=pl.col(value).cast(pl.Float64).fill_nan(None))
    return known.drop_nulls("value").join(groups.select(*KEYS, "line"), on=KEYS)


def delays(comparison: Comparison) -> list[Picture]:
    """Draw the distribution of the delays of all intervals."""
    values = named(comparison, comparison["flow_series"], "delay_s")
    said = "Share of the intervals of the recording whose mean delay is not greater."
    return distribution(comparison, "delay-cdf", "delay", DELAY, "intervals", values, said)


def completions(comparison: Comparison) -> list[Picture]:
    """Draw the distribution of completion times: of transfers, or of flows that end."""
    of_what = "flows" if comparison["transfers"].is_empty() else "transfers"
    values = named(comparison, comparison[of_what], "completion_s")
    said = f"Share of the {of_what} that took no longer. {unfinished(comparison['flows'])}".rstrip()
    title = "completion time"
    return distribution(comparison, "completion-cdf", title, COMPLETION, of_what, values, said)


def distribution(
    comparison: Comparison,
    name: str,
    title: str,
    measure: MeasuredColumn,
    of_what: str,
    values: pl.DataFrame,
    caption: str,
) -> list[Picture]:
    """Draw distribution functions, a line for each group of flows with enough values.

    All pictures have the same axis.
    """
    values = values.filter(pl.len().over("line") >= LEAST_VALUES)
    there = set(values["line"])
    divided = panels([it for it in comparison.by_group() if it.name in there]) if there else []
    shown_in = scale(measure.unit, values["value"])
    quantiles = distributions.quantiles(values.select("line", pl.col("value") / shown_in.size))
    axis = axis_of(quantiles)
    made = []
    for index, panel in enumerate(divided[:MOST_PANELS], start=1):
        shown = quantiles.filter(pl.col("line").is_in([it.name for it in panel.lines]))
        chart = partial(
            draw_distribution, shown, panel.lines, shown_in.title(title), of_what, axis=axis
        )
        left_out = f" First {MOST_PANELS} of {len(divided)} pictures."
        said = caption + left_out * (index == MOST_PANELS < len(divided))
        legend = panel.lines if len(panel.lines) > 1 else []
        full = ": ".join(filter(None, [f"Distribution of the {title}", panel.title]))
        number = "" if len(divided) == 1 else f"-{index}"
        made.append(Picture(f"{name}{number}", full, said, legend, chart))
    return made


def axis_of(quantiles: pl.DataFrame) -> alt.Scale:
    """Choose the axis of distributions: logarithmic if the highest value is far from the others."""
    value = quantiles["value"].drop_nulls()
    low, median, high = (value.quantile(share) or 0.0 for share in (0.0, 0.5, 1.0))
    if low > 0 and high > WIDE * median:
        return alt.Scale(type="log", domain=[low, high], nice=False)
    return alt.Scale(domain=[min(0.0, low), high or 1.0])


def draw_distribution(
    frame: pl.DataFrame, lines: list[Line], title: str, of_what: str, ink: Ink, axis: alt.Scale
) -> Drawing:
    """Draw distribution functions."""
    layers = distributions.layers(frame, lines, title, of_what, ink, axis)
    return charts.together(layers, lines, ink)


def slowdowns(comparison: Comparison) -> list[Picture]:
    """Draw the slowdown of transfers over their size; none where all have one size."""
    transfers = comparison["transfers"]
    if transfers["size_bytes"].n_unique() < 2:
        return []
    values = named(comparison, transfers, "slowdown")
    size = pl.col("size_bytes").cast(pl.Float64).clip(1.0)
    logarithm = size.log10()
    low, high = logarithm.min(), logarithm.max()
    place = ((logarithm - low) / (high - low) * SIZES).floor().clip(0, SIZES - 1)
    slowdown = pl.col("value")
    points = (
        values.with_columns(place.alias("place"))
        .group_by("line", "place", maintain_order=True)
        .agg(
            kilobytes=size.median() / 1e3,
            median=slowdown.median(),
            p99=slowdown.quantile(0.99, "linear"),
        )
        .sort("line", "place")
    )
    divided = panels([it for it in comparison.by_group() if it.name in set(points["line"])])
    axes = [domain_of(points["kilobytes"]), domain_of(points["median"], points["p99"])]
    made = []
    for index, panel in enumerate(divided[:MOST_PANELS], start=1):
        shown = points.filter(pl.col("line").is_in([it.name for it in panel.lines]))
        title = ": ".join(filter(None, ["Slowdown by size", panel.title]))
        caption = (
            "Completion time divided by the minimum that the path allows. Lines: median; bands: up "
            f"to the 99th percentile; of up to {SIZES} sizes. {unfinished(comparison['flows'])}"
        ).rstrip()
        number = "" if len(divided) == 1 else f"-{index}"
        legend = panel.lines if len(panel.lines) > 1 else []
        chart = partial(draw_slowdowns, shown, panel.lines, axes=axes)
        made.append(Picture(f"slowdown{number}", title, caption, legend, chart))
    return made


def domain_of(*columns: pl.Series) -> list[float]:
    """Give the least and the greatest value of columns."""
    return [min(map(minimum, columns)), max(map(maximum, columns))]


def draw_slowdowns(
    frame: pl.DataFrame, lines: list[Line], ink: Ink, axes: list[list[float]]
) -> Drawing:
    """Draw medians, and bands up to the 99th percentile."""
    rounded = frame.with_columns(pl.col("kilobytes", "median", "p99").round_sig_figs(charts.DIGITS))
    top = "slowdown"
    sizes = alt.Scale(type="log", domain=axes[0], nice=False)
    base = alt.Chart(source(rounded)).encode(
        x=alt.X("kilobytes:Q", title="size (kB)", scale=sizes),
        color=by_line(alt.Color, lines, [it.colour(ink) for it in lines]),
    )
    y = alt.Y("median:Q", title=top, scale=alt.Scale(domain=axes[1], nice=True))
    opacity = charts.emphasis(ink, 1.0, 0.1)
    dash = by_line(alt.StrokeDash, lines, [it.dash for it in lines])
    form = by_line(alt.Shape, lines, [it.shape for it in lines])
    line = base.mark_line(strokeWidth=1.8).encode(y=y, opacity=opacity, strokeDash=dash)
    band = base.mark_area().encode(
        y=y, y2=alt.Y2("p99:Q"), opacity=charts.emphasis(ink, 0.15, 0.03)
    )
    points = base.mark_point(filled=True, size=42).encode(y=y, opacity=opacity, shape=form)
    return charts.together([band, line, points], lines, ink)


def of_datagrams(comparison: Comparison) -> list[Picture]:
    """Draw the share of datagrams that each flow over UDP lost, and their jitter."""
    flows = comparison["flows"].filter(protocol="udp")
    # Results of earlier versions have no such columns.
    if flows.is_empty() or not {"lost", "jitter_s"} <= set(flows.columns):
        return []
    share = pl.col("lost") / pl.col("datagrams")
    said = (
        "Datagrams that are missing before the last one that was received, of all that were sent."
    )
    jitter = "How much the transit time of datagrams varies from one to the next (RFC 3550)."
    return [
        *flow_bars(comparison, flows, LOST, share, said),
        *flow_bars(comparison, flows, JITTER, pl.col("jitter_s"), jitter),
    ]


def flow_bars(
    comparison: Comparison,
    flows: pl.DataFrame,
    measure: MeasuredColumn,
    value: pl.Expr,
    caption: str,
) -> list[Picture]:
    """Draw a bar for each flow of each case; no picture if all are zero."""
    measured = flows.select("case", "flow", value=value)
    found = spread(measured, ["case", "flow"], ["value"]).unnest("value")
    if not found["mean"].fill_null(0).ne(0).any():
        return []
    rows = found.select("case", "flow").rows()[:MOST_BARS]
    several = found["flow"].n_unique() > 1
    names = [
        (*comparison.parts(case), *([flow] if several or not comparison.parts(case) else []))
        for case, flow in rows
    ]
    # A flow that has a line of its own keeps its colour.
    looks = {(it.case, it.group): it.look for it in comparison.by_group()}
    made = comparison.ranked(
        (case, name, "udp") for (case, _), name in zip(rows, names, strict=True)
    )
    lines = [
        replace(it, place=looks.get(row, it.place)) for it, row in zip(made, rows, strict=True)
    ]
    shown_in = scale(measure.unit, found["mean"])
    values = found.head(MOST_BARS).select(
        pl.col("mean", "low", "high") / shown_in.size,
        line=pl.Series([it.name for it in lines]),
        published=pl.lit(None, pl.Float64),
    )
    if comparison.several_runs:
        caption = f"{caption} {OF_BARS}".strip()
    if found.height > MOST_BARS:
        caption += f" First {MOST_BARS} of {found.height} flows; all are in the table."
    title = measure.title[0].upper() + measure.title[1:]
    chart = partial(bar_charts.bars, values, lines, shown_in.title(measure.title))
    return [Picture(f"udp-{measure.column}", title, caption, [], chart)]


def hit_ratios(comparison: Comparison) -> list[Picture]:
    """Draw the share of Interests that each content store answered."""
    hits, misses = pl.col("content_store_hits"), pl.col("content_store_misses")
    asked = comparison["nodes"].filter(hits + misses > 0)
    # Stores in which nothing is kept answer nothing.
    asked = asked.filter(hits.sum().over("node") > 0)
    if asked.is_empty():
        return []
    ratio = 100 * hits / (hits + misses)
    measured = asked.select("case", "node", value=ratio).sort("case", maintain_order=True)
    found = spread(measured, ["case", "node"], ["value"]).unnest("value")
    controllers = {it.case: it.controller for it in comparison.by_case()}
    rows = found.select("case", "node").rows()
    lines = comparison.ranked(
        (case, (*comparison.parts(case), node), controllers.get(case))
        for case, node in rows[:MOST_BARS]
    )
    values = found.head(MOST_BARS).select(
        "mean",
        "low",
        "high",
        line=pl.Series([it.name for it in lines]),
        published=pl.lit(None, pl.Float64),
    )
    caption = "Interests that a content store answered, of all for which it was asked."
    if comparison.several_runs:
        caption += f" {OF_BARS}"
    if len(rows) > MOST_BARS:
        caption += f" First {MOST_BARS} of {len(rows)} stores; all are in the table."
    chart = partial(bar_charts.bars, values, lines, "hit ratio (%)")
    return [Picture("hit-ratio", "Hit ratio of content stores", caption, [], chart)]
