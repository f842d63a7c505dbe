"""Pictures of goodputs over the loss rate, beside the throughput models."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.measures.flows import active_goodput
from windtunnel.papers.readings import DEFAULT, READING
from windtunnel.pictures import charts
from windtunnel.pictures.cases import Comparison, Line, ranked
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import Ink
from windtunnel.pictures.data import by_line, source
from windtunnel.pictures.kinds import of_all
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import maximum, minimum

from . import models

LOSS = "loss"
"""The axis of loss rates, whose cases are named after the probability."""

SEGMENT_BITS = 8 * 1448
"""The data in a full segment, unless a scenario states another."""

MODEL = "model"
"""The name of a model's line."""


def beside_models(comparison: Comparison) -> list[Picture]:
    """Draw the goodput over the loss rate beside its model, a picture for each controller."""
    measured = over_loss(comparison)
    made = []
    for controller, model in models.MODELS.items():
        points = distinct(measured.filter(flow_controller=controller))
        if points.is_empty():
            continue
        names = points["name"].unique(maintain_order=True)
        lines = ranked((0, (name,), controller) for name in names)
        lines.append(Line(MODEL, 0, ("model",), None, 0, True))
        frame = pl.concat([named(points, lines), modelled(points, model)])
        made.append(
            Picture(
                name=f"models-{controller}",
                title=f"Goodput of {controller} over the loss rate",
                caption=f"Of {controller}.",
                lines=lines,
                chart=partial(over_loss_chart, frame, lines),
            )
        )
    return made


def over_loss(comparison: Comparison) -> pl.DataFrame:
    """Give each case's goodput in Mbps and its round trip in s, over its runs, by its loss rate."""
    place = comparison.axes.index(LOSS)
    cases = pl.DataFrame(
        {
            "case": range(len(comparison.cases)),
            LOSS: [float(case[place]) for case in comparison.cases],
            # What tells cases apart that differ in more than their loss.
            "name": [name_of(comparison, case) for case in comparison.cases],
        }
    ).cast({"case": pl.UInt32})
    value = active_goodput(comparison["flows"]) / 1e6
    flows = comparison["flows"].group_by("case", "flow_controller", maintain_order=True)
    return flows.agg(
        pl.col("rtt_s").mean(),
        queueing_s=(pl.col("rtt_s") - pl.col("delay_minimum_s")).mean(),
        mean=value.mean(),
        low=value.min(),
        high=value.max(),
    ).join(cases, on="case", maintain_order="left")


def name_of(comparison: Comparison, case: tuple[str, ...]) -> str:
    """Name a case after its reading, and the default after its controller."""
    names = dict(zip(comparison.axes, case, strict=True))
    reading = names.get(READING, DEFAULT)
    return names["controller"] if reading == DEFAULT else reading


def distinct(points: pl.DataFrame) -> pl.DataFrame:
    """Leave out readings that change nothing, since they are of another controller."""
    values = points.group_by("name", maintain_order=True).agg(pl.col("mean"))
    kept = values.unique("mean", keep="first", maintain_order=True)["name"]
    return points.filter(pl.col("name").is_in(kept.implode()))


def named(points: pl.DataFrame, lines: list[Line]) -> pl.DataFrame:
    """Give each point the line that is called as it is."""
    names = {line.parts[0]: line.name for line in lines}
    line = pl.col("name").replace_strict(names)
    return points.select(LOSS, "mean", "low", "high", line=line)


def modelled(points: pl.DataFrame, model: models.Model) -> pl.DataFrame:
    """Compute a model at the loss rates and the mean round trips of points.

    That of D-TCP is with one virtual flow.
    """
    conditions = points.group_by(LOSS).agg(pl.col("rtt_s", "queueing_s").mean()).sort(LOSS)
    values = [model(models.Conditions(*row)) * SEGMENT_BITS / 1e6 for row in conditions.rows()]
    mean = pl.Series("mean", values)
    return conditions.select(LOSS, mean, low=mean, high=mean, line=pl.lit(MODEL))


def over_loss_chart(frame: pl.DataFrame, lines: list[Line], ink: Ink) -> Drawing:
    """Draw goodputs in Mbps over loss rates, both by their logarithm.

    `frame` has `line`, `loss`, `mean`, `low` and `high`. A model that is far above what
    was measured leaves the picture.
    """
    measured = frame.filter(pl.col("line") != MODEL)
    ends = [0.8 * minimum(measured["low"]), 1.5 * maximum(measured["high"])]
    scale = alt.Scale(type="log", domain=ends, nice=False)
    losses = frame[LOSS].unique().sort().to_list()
    loss = alt.X(
        "loss:Q",
        title="share of packets lost",
        scale=alt.Scale(type="log", domain=[losses[0], losses[-1]], nice=False),
        axis=alt.Axis(values=losses, format="~g"),
    )
    base = alt.Chart(source(frame)).encode(
        x=loss,
        color=by_line(alt.Color, lines, [ink.hue(line.controller) for line in lines]),
        opacity=charts.emphasis(ink, 1.0, 0.1),
    )
    title = "goodput (Mbps)"
    mean = alt.Y("mean:Q", title=title, scale=scale)
    dash = by_line(alt.StrokeDash, lines, [line.dash for line in lines])
    form = by_line(alt.Shape, lines, [line.shape for line in lines])
    line = base.mark_line(strokeWidth=1.2, clip=True).encode(y=mean, strokeDash=dash)
    spread = base.mark_rule(strokeWidth=1.2, clip=True).encode(
        y=alt.Y("low:Q", title=title, scale=scale), y2=alt.Y2("high:Q")
    )
    point = base.mark_point(filled=True, size=42, clip=True).encode(y=mean, shape=form)
    return charts.together([line, spread, point], lines, ink)


PICTURES = {"models": of_all(beside_models)}
"""What only this paper draws, by its kind."""
