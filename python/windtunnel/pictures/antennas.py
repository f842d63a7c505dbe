"""What the antennas of fixed radio links lose beside their axes."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.cases import BETWEEN, Comparison
from windtunnel.pictures.charts import Drawing, Encodings
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture

MOST = 6
"""The maximum number of pictures."""


def losses(comparison: Comparison) -> list[Picture]:
    """Draw the loss over the angle from the axis, a picture for each antenna, and where the
    other end is in each case."""
    table = comparison.tables.get("antennas")
    # Results of earlier versions have no such table.
    if table is None or table.is_empty():
        return []
    ends = table.select("link", "node").unique(maintain_order=True).rows()
    made = []
    for number, (link, node) in enumerate(ends[:MOST], start=1):
        rows = table.filter(link=link, node=node)
        # It is the same in all runs of a case.
        rows = rows.filter(pl.col("run") == pl.col("run").min().over("case"))
        curve = rows.filter("on_curve").filter(pl.col("case") == rows["case"].min())
        present = rows.filter(~pl.col("on_curve")).with_columns(
            label=pl.col("case").map_elements(
                lambda case: BETWEEN.join(comparison.parts(case)), pl.String
            )
        )
        made.append(
            Picture(
                name="antennas" if len(ends) == 1 else f"antennas-{number}",
                title=f"Loss of the antenna on {node} over the angle ({link})",
                caption="Points: the angle of the other end from the beam in use, and the total"
                " loss of the antenna there, including scan loss.",
                lines=[],
                chart=partial(chart, curve, together(present)),
            )
        )
    return made


def together(present: pl.DataFrame) -> pl.DataFrame:
    """Give cases that are at one point one label."""
    return present.group_by("angle_deg", "loss_db", maintain_order=True).agg(
        pl.col("label").unique(maintain_order=True).str.join(", ")
    )


def chart(curve: pl.DataFrame, present: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw a curve, and named points."""
    axes: Encodings = {
        "x": alt.X("angle_deg:Q", title="angle from the beam (°)"),
        "y": alt.Y("loss_db:Q", title="loss (dB)"),
    }
    rounded = curve.select(pl.col("angle_deg", "loss_db").round_sig_figs(charts.DIGITS))
    line = alt.Chart(source(rounded)).mark_line(color=ink.hue(None), strokeWidth=1.8)
    point = alt.Chart(source(present)).encode(**axes)
    marks = point.mark_point(filled=True, size=70, color=ink.text, opacity=1)
    text = point.mark_text(align="left", dx=8, dy=-8, color=ink.text, fontSize=ink.sizes.font)
    layers = [line.encode(**axes, order="angle_deg:Q"), marks, text.encode(text="label:N")]
    width = "container" if ink is SCREEN else ink.sizes.width
    return charts.layered(layers, ink, width=width, height=ink.sizes.height)
