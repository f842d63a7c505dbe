"""Distribution functions: the share of values that are not greater, a line for each group."""

from __future__ import annotations

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.cases import Line
from windtunnel.pictures.colours import Ink
from windtunnel.pictures.data import by_line, source

POINTS = 200
"""Points of a distribution's line."""

MARKED = 25
"""Points from one shape on a line to the next."""


def quantiles(samples: pl.DataFrame) -> pl.DataFrame:
    """Give the quantiles of each line's values: `line`, `share` and `value`.

    `samples` has `line` and `value`.
    """
    shares = [index / POINTS for index in range(POINTS + 1)]
    value = pl.col("value")
    return (
        samples.group_by("line", maintain_order=True)
        .agg([value.quantile(share, "linear").alias(str(share)) for share in shares])
        .unpivot(index="line", variable_name="share", value_name="value")
        .cast({"share": pl.Float64})
    )


def layers(
    frame: pl.DataFrame,
    lines: list[Line],
    title: str,
    of_what: str,
    ink: Ink,
    scale: alt.Scale | None = None,
) -> list[alt.Chart]:
    """Draw distribution functions. `frame` is what `quantiles` gives, in the title's unit."""
    marked = (pl.col("share") * POINTS).round() % MARKED == 0
    rounded = frame.with_columns(
        pl.col("value", "share").round_sig_figs(charts.DIGITS), marked=marked.cast(pl.UInt8)
    )
    base = alt.Chart(source(rounded)).encode(
        x=alt.X("value:Q", title=title, scale=scale or alt.Scale()),
        y=alt.Y("share:Q", title=f"share of {of_what}"),
        color=by_line(alt.Color, lines, [it.colour(ink) for it in lines]),
        opacity=charts.emphasis(ink, 1.0, 0.1),
    )
    dash = by_line(alt.StrokeDash, lines, [it.dash for it in lines])
    form = by_line(alt.Shape, lines, [it.shape for it in lines])
    line = base.mark_line(strokeWidth=1.8, strokeJoin="round")
    points = base.transform_filter("datum.marked == 1").mark_point(filled=True, size=42)
    return [line.encode(order="share:Q", strokeDash=dash), points.encode(shape=form)]
