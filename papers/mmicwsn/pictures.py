"""Pictures of iPerf3's reports by second, of what limits what, of pointing, and of rain."""

from __future__ import annotations

from functools import partial

import altair as alt
import numpy as np
import polars as pl

from windtunnel.measures.flows import active_goodput
from windtunnel.pictures import charts
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.subflows import lines_over_time
from windtunnel.tables import ResultTables

from . import models
from .measures import CARRIER_GHZ, MEASURES, SEGMENT_BYTES


def by_second(
    results: ResultTables, value: pl.Expr, name: str, title: str, unit: str
) -> list[Picture]:
    """Draw a quantity of the flow over time, a line for the antennas of each measurement."""
    series = results["flow_series"].filter(pl.col("run") == pl.col("run").min())
    frame = series.select("time_s", value=value, line="antennas")
    chart = partial(lines_over_time, frame, unit)
    return [Picture(name, title, "First run of each.", [], chart)]


WINDOW = pl.col("cwnd_segments") * SEGMENT_BYTES / 2**20


CHUNK_BITS = 8 * 1024
"""The payload of a Content Object."""

INTERVALS = 1e6 * CHUNK_BITS / pl.col("goodput_bps")


def limits(results: ResultTables, axis: str) -> list[Picture]:
    """Draw what arrives, a bar for each case on an axis."""
    rates = results["flows"].group_by(axis, maintain_order=True)
    # Cefore counts from the first read on, which comes after the pauses of the first window.
    received = pl.coalesce("read_goodput_bps", active_goodput(results["flows"]))
    frame = rates.agg(value=received.mean() / 1e6)
    chart = partial(bars, frame, axis, "goodput (Mbps)")
    return [Picture("limits", "Goodput", "", [], chart)]


def bars(frame: pl.DataFrame, along: str, title: str, ink: Ink) -> Drawing:
    """Draw a bar with its number for each name."""
    base = alt.Chart(source(frame)).encode(
        x=alt.X("value:Q", title=title),
        y=alt.Y(
            f"{along}:N",
            sort=frame[along].to_list(),
            title=None,
            axis=alt.Axis(labelLimit=0),
        ),
    )
    bar = base.mark_bar(color=ink.hues[0], opacity=0.85)
    number = base.mark_text(align="left", dx=3, color=ink.text, fontSize=ink.sizes.font).encode(
        text=alt.Text("value:Q", format=",.3~r")
    )
    drawn: Drawing = alt.layer(bar, number).properties(
        width=width(ink), height=alt.Step(16), config=charts.config(ink)
    )
    return drawn


def pointing(results: ResultTables) -> list[Picture]:
    """Draw what arrives over the angle, a line for each power and whether beams are steered."""
    angle = pl.col("angle").str.strip_prefix("degrees-").str.replace("-", ".").cast(pl.Float64)
    means = results["flows"].group_by("angle", "power", "beams", maintain_order=True)
    frame = means.agg(y=active_goodput(results["flows"]).mean() / 1e6).select(
        x=angle, y="y", line=pl.format("{}, {}", "power", "beams")
    )
    chart = partial(curves, frame, ("angle of one antenna (°)", "goodput (Mbps)"), False)
    caption = "Beams are steered back to the other end, or stay on the antenna's axis."
    return [Picture("pointing", "Goodput over the angle", caption, [], chart)]


def rain_over_a_year(results: ResultTables) -> list[Picture]:
    """Draw what rain takes over the share of the year, and what each power can spare."""
    taken = MEASURES["rain"].take(results, ["climate", "power", "run"])
    worst = taken.filter(power="rated", run=taken["run"].min())
    percents = np.geomspace(models.RAREST, models.MOST_OFTEN, 60)
    parts = [
        pl.DataFrame(
            {
                "x": percents,
                "y": [value * models.exceeded(it, CARRIER_GHZ) for it in percents],
                "line": [climate] * len(percents),
            }
        )
        for climate, value in worst.select("climate", "value").iter_rows()
    ]
    titles = ("share of the year (%)", "what rain takes (dB)")
    chart = partial(curves, pl.concat(parts), titles, True)
    caption = "For which share of a year rain takes more, by rain zone."
    return [Picture("rain", "Rain over a year", caption, [], chart)]


def curves(frame: pl.DataFrame, titles: tuple[str, str], is_log: bool, ink: Ink) -> Drawing:
    """Draw `y` over `x`, a line for each `line`."""
    names = frame["line"].unique(maintain_order=True).to_list()
    legend = alt.Legend(orient="top", labelColor=ink.text, labelLimit=0)
    colour = alt.Scale(domain=names, range=ink.hues[: len(names)])
    along = alt.Scale(type="log") if is_log else alt.Scale(zero=False)
    decades = alt.Axis(values=[0.001, 0.01, 0.1, 1]) if is_log else alt.Axis()
    drawn: Drawing = (
        alt.Chart(source(frame))
        .mark_line(point=not is_log, strokeWidth=1.5)
        .encode(
            x=alt.X("x:Q", title=titles[0], scale=along, axis=decades),
            y=alt.Y("y:Q", title=titles[1]),
            color=alt.Color("line:N", scale=colour, title=None, legend=legend),
        )
        .properties(width=width(ink), height=240, config=charts.config(ink))
    )
    return drawn


def width(ink: Ink) -> float | str:
    """Give the width of a picture: on a screen that of the page."""
    return "container" if ink is SCREEN else ink.sizes.width


PICTURES = {
    "by-second": partial(
        by_second, value=pl.col("goodput_bps") / 1e6, name="goodput", title="Goodput", unit="Mbps"
    ),
    "windows": partial(by_second, value=WINDOW, name="windows", title="Window", unit="MiB"),
    "losses": partial(
        by_second, value=pl.col("lost_share"), name="losses", title="Lost share", unit="share"
    ),
    "read-intervals": partial(
        by_second, value=INTERVALS, name="intervals", title="Time between two reads", unit="µs"
    ),
    "limits": partial(limits, axis="changed"),
    "consumers": partial(limits, axis="consumer"),
    "pointing": pointing,
    "rain-over-a-year": rain_over_a_year,
}
"""What only this paper draws, by its kind."""
