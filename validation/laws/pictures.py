"""The pictures of the page: what was measured as points, the laws as lines."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
import polars as pl

from laws.queues import dctcp_bounds, utilisation_law
from laws.responses import LOSSES, Fit

LAW, MEASURED = "law", "measured"
COLOURS = alt.Scale(domain=[LAW, MEASURED], range=["#56606b", "#a01038"])


def responses(fits: Sequence[Fit]) -> alt.FacetChart:
    """Draw a small picture for each response function, in logarithms."""
    frames = []
    for fit in fits:
        response = fit.response
        frames += [
            response.law.with_columns(kind=pl.lit(LAW), name=pl.lit(response.name)),
            fit.windows.select("loss", "window", kind=pl.lit(MEASURED), name=pl.lit(response.name)),
        ]
    frame = pl.concat(frames)
    base = alt.Chart(frame).encode(
        x=alt.X(
            "loss:Q",
            title="probability of loss or mark",
            scale=alt.Scale(type="log"),
            axis=exponents(),
        ),
        y=alt.Y(
            "window:Q",
            title="mean window (segments)",
            scale=alt.Scale(type="log"),
            axis=exponents(),
        ),
        color=alt.Color("kind:N", scale=COLOURS, title=None, legend=alt.Legend(orient="top")),
    )
    line = base.mark_line(strokeWidth=1.2).transform_filter(alt.datum.kind == LAW)
    points = base.mark_point(size=14, filled=True, opacity=0.8).transform_filter(
        alt.datum.kind == MEASURED
    )
    order = [fit.response.name for fit in fits]
    drawn = alt.layer(line, points).properties(width=150, height=120)
    return drawn.facet(facet=alt.Facet("name:N", title=None, sort=order), columns=4)


def exponents() -> alt.Axis:
    """Label an axis in logarithms by its decades."""
    decades = [10.0**n for n in range(math.floor(math.log10(min(LOSSES))), 6)]
    return alt.Axis(values=decades, format="~e", grid=True)


def utilisation(frame: pl.DataFrame) -> alt.LayerChart:
    """Draw Reno's utilisation by the buffer."""
    buffers = [n / 50 for n in range(51)]
    law = pl.DataFrame(
        {"buffer": buffers, "utilisation": [utilisation_law(it) for it in buffers]}
    ).with_columns(kind=pl.lit(LAW))
    measured = frame.select("buffer", "utilisation", kind=pl.lit(MEASURED))
    base = alt.Chart(pl.concat([law, measured])).encode(
        x=alt.X("buffer:Q", title="buffer (bandwidth-delay products)"),
        y=alt.Y("utilisation:Q", title="utilisation", scale=alt.Scale(zero=False)),
        color=alt.Color("kind:N", scale=COLOURS, title=None, legend=alt.Legend(orient="top")),
    )
    line = base.mark_line().transform_filter(alt.datum.kind == LAW)
    points = base.mark_point(filled=True).transform_filter(alt.datum.kind == MEASURED)
    return alt.layer(line, points).properties(width=420, height=220)


def dctcp(queue: pl.DataFrame) -> alt.LayerChart:
    """Draw two milliseconds of DCTCP's queue between the model's bounds."""
    shown = queue.filter(pl.col("time_s") < pl.col("time_s").min() + 2e-3).select(
        time_ms=(pl.col("time_s") - pl.col("time_s").min()) * 1e3, packets="queue_packets"
    )
    bounds = alt.Chart(pl.DataFrame({"packets": dctcp_bounds()})).mark_rule(
        color=COLOURS.range[0], strokeDash=[5, 3]
    )
    line = alt.Chart(shown).mark_line(strokeWidth=1, interpolate="step", color=COLOURS.range[1])
    return alt.layer(
        line.encode(
            x=alt.X("time_ms:Q", title="time (ms)"),
            y=alt.Y("packets:Q", title="queue (packets)", scale=alt.Scale(domain=[40, 75])),
        ),
        bounds.encode(y="packets:Q"),
    ).properties(width=520, height=200)


def convergence(runs: pl.DataFrame) -> alt.FacetChart:
    """Draw Jain's index over the time since the second flow started: mean, and 80 % of the runs."""
    index = pl.col("jain")
    times = runs.group_by("controller", "after_s", maintain_order=True).agg(
        mean=index.mean(), low=index.quantile(0.1), high=index.quantile(0.9)
    )
    scale = alt.Scale(domain=[0.5, 1])
    mean, low = (alt.Y(it, title="Jain's index", scale=scale) for it in ("mean:Q", "low:Q"))
    x = alt.X("after_s:Q", title="since the second flow (s)")
    base = alt.Chart(times).encode(x=x)
    line = base.mark_line(strokeWidth=1.2, color=COLOURS.range[1]).encode(y=mean)
    band = base.mark_area(color=COLOURS.range[1], opacity=0.2).encode(y=low, y2="high:Q")
    order = runs["controller"].unique(maintain_order=True).to_list()
    return (
        alt.layer(band, line)
        .properties(width=150, height=110)
        .facet(facet=alt.Facet("controller:N", title=None, sort=order), columns=4)
    )
