"""Pictures: which ones results have, and the files that hold them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import altair as alt
import polars as pl
import vl_convert
from altair.utils.schemapi import debug_mode

from windtunnel.report import charts, series, totals
from windtunnel.report.cases import Comparison, Line, panels
from windtunnel.report.colours import LIGHT, Ink
from windtunnel.report.series import Series
from windtunnel.report.totals import (
    DELAY,
    DROPPED,
    FAIRNESS,
    GOODPUT,
    MARKS,
    RETRANSMISSIONS,
    Measure,
)
from windtunnel.report.units import scale

MOST_PANELS = 6
"""Pictures that one quantity is divided among at most."""

MOST_DETAILS = 12
"""Pictures of single flows, or of single queues, at most."""

MOST_BARS = 100
"""Bars of a picture at most."""

PNG_SCALE = 2.0
"""Pixels of a PNG for one of the picture: sharp on fine screens."""

WINDOW = Measure("cwnd_segments", "window", "segments")
QUEUE = Measure("queue_packets", "queue", "packets")
DROP_RATE = Measure("drops", "dropped", "packets/s")


@dataclass(frozen=True)
class Picture:
    """A picture: what it shows, and how it is drawn in an ink."""

    name: str
    """The stem of its files' names."""
    title: str
    caption: str
    lines: list[Line]
    """What a legend must explain; none where the picture does."""
    chart: Callable[[Ink], alt.TopLevelMixin]

    def specification(self, ink: Ink) -> dict[str, Any]:
        """Draw it in an ink, as a specification of Vega-Lite.

        It is not held against Vega-Lite's schema: that took half the time of a report.
        """
        with debug_mode(False):
            return self.chart(ink).to_dict(validate=False)


def goodput(comparison: Comparison) -> list[Picture]:
    """Draw the goodput over time: that of all flows of a case and controller together."""
    get = partial(series.of_flows, comparison, "goodput_bps", total=True)
    title = "Goodput" + of_several(comparison, "sum")
    return over_time("goodput", title, GOODPUT, comparison.by_controller(), get)


def window(comparison: Comparison) -> list[Picture]:
    """Draw the congestion window over time: the mean of the flows."""
    get = partial(series.of_flows, comparison, "cwnd_segments", total=False)
    title = "Congestion window" + of_several(comparison, "mean")
    return over_time("window", title, WINDOW, comparison.by_controller(), get)


def delay(comparison: Comparison) -> list[Picture]:
    """Draw the delay from first sending to what answers it, over time: the mean of the flows."""
    get = partial(series.of_flows, comparison, "delay_s", total=False)
    title = "Delay from first sending to Data or acknowledgement" + of_several(comparison, "mean")
    return over_time("delay", title, DELAY, comparison.by_controller(), get)


def of_several(comparison: Comparison, what: str) -> str:
    """Say that a line is the sum or the mean of flows, where it stands for several."""
    flows = comparison["flows"].group_by("case", "flow_controller").agg(pl.col("flow").n_unique())
    return f", {what} of the flows" if flows["flow"].max() > 1 else ""


def queue(comparison: Comparison) -> list[Picture]:
    """Draw the longest queue over time; no picture where nothing ever waits."""
    return [it for direction in queues(comparison)[:1] for it in one_queue(comparison, direction)]


def drops(comparison: Comparison) -> list[Picture]:
    """Draw the packets dropped on all links, each second; no picture where none is."""
    if not totals.of_links(comparison)["drops"].ne(0).any():
        return []
    get = partial(series.of_drops, comparison)
    return over_time("drops", "Packets dropped", DROP_RATE, comparison.by_case(), get)


OVER_TIME = {"goodput": goodput, "window": window, "queue": queue, "delay": delay, "drops": drops}
"""What is drawn over time, by its kind."""


def over_time(
    name: str,
    title: str,
    measure: Measure,
    lines: list[Line],
    get: Callable[[list[Line]], Series],
) -> list[Picture]:
    """Draw lines over time, in as many pictures as they need."""
    divided = panels(lines)
    made = []
    for index, panel in enumerate(divided[:MOST_PANELS], start=1):
        drawn = get(panel.lines)
        shown = scale(measure.unit, drawn.frame["high"])
        frame = drawn.frame.with_columns(pl.col("mean", "low", "high") / shown.size)
        axis = shown.title(measure.title)
        made.append(
            Picture(
                name=name if len(divided) == 1 else f"{name}-{index}",
                title=": ".join(filter(None, [title, panel.title])),
                caption=explanation(drawn, index, len(divided)),
                lines=panel.lines if len(panel.lines) > 1 else [],
                chart=partial(charts.over_time, frame, panel.lines, axis),
            )
        )
    return made


def explanation(drawn: Series, index: int, count: int) -> str:
    """Say what the bands are, and what is not drawn."""
    sentences = []
    several = drawn.frame["low"].ne(drawn.frame["high"]).any()
    if several and drawn.interval_s is None:
        sentences.append("Lines: mean over the runs; bands: least to greatest.")
    elif drawn.interval_s is not None:
        over = f"{drawn.interval_s:.3g} s each and all runs"
        sentences.append(f"Lines: mean over {over}; bands: least to greatest.")
    if index == MOST_PANELS < count:
        sentences.append(f"The other {count - index} pictures are left out.")
    return " ".join(sentences)


def queues(comparison: Comparison) -> list[dict[str, str]]:
    """Give the directions of links before which packets wait, the longest queue first."""
    names = ["link", "from", "to"]
    samples = comparison["link_series"].group_by(names, maintain_order=True)
    length = samples.agg(pl.col("queue_packets").mean()).filter(pl.col("queue_packets") > 0)
    longest_first = length.sort("queue_packets", descending=True, maintain_order=True)
    return longest_first.select(names).to_dicts()


def one_queue(
    comparison: Comparison, direction: dict[str, str], name: str = "queue"
) -> list[Picture]:
    """Draw the queue before a link in a direction."""
    get = partial(series.of_queue, comparison, direction=direction)
    title = f"Queue at {direction['from']} towards {direction['to']} ({direction['link']})"
    return over_time(name, title, QUEUE, comparison.by_case(), get)


def other_queues(comparison: Comparison) -> list[Picture]:
    """Draw all queues but the longest."""
    return [
        picture
        for index, direction in enumerate(queues(comparison)[1 : 1 + MOST_DETAILS], start=2)
        for picture in one_queue(comparison, direction, f"queue-{index}")
    ][:MOST_DETAILS]


def flows(comparison: Comparison) -> list[Picture]:
    """Draw goodput, window and delay of each flow, where there are several."""
    if len(comparison.flows) < 2:
        return []
    measures = (GOODPUT, WINDOW, DELAY)
    return [
        picture
        for index, flow in enumerate(comparison.flows[: MOST_DETAILS // len(measures)], start=1)
        for measure in measures
        for picture in one_flow(comparison, flow, measure, f"flow-{index}-{measure.title}")
    ][:MOST_DETAILS]


def one_flow(comparison: Comparison, flow: str, measure: Measure, name: str) -> list[Picture]:
    """Draw something measured of a flow over time, by case."""
    get = partial(series.of_one_flow, comparison, measure.column, flow=flow)
    title = f"{flow}: {measure.title}"
    return over_time(name, title, measure, comparison.by_case(flow), get)


def bars(name: str, measure: Measure, comparison: Comparison) -> list[Picture]:
    """Draw totals as bars with their spread over the runs; none where all are zero."""
    if measure is DROPPED:
        lines, keys, frame = comparison.by_case(), ["case"], totals.of_links(comparison)
    else:
        lines, keys = comparison.by_controller(), ["case", "flow_controller"]
        frame = totals.of_flows(comparison, keys)
    if not frame[measure.column].fill_null(0).ne(0).any():
        return []
    drawn = lines[:MOST_BARS]
    named = series.numbered(drawn).select("line", *keys)
    spread = totals.spread(frame, keys, [measure.column]).join(named, on=keys)
    values = spread.select("line", pl.col(measure.column).struct.unnest())
    shown = scale(measure.unit, values["high"])
    values = values.with_columns(
        pl.col("mean", "low", "high") / shown.size, published=pl.lit(None, pl.Float64)
    )
    title = measure.title[0].upper() + measure.title[1:]
    caption = "Bars: mean over the runs; whiskers: least to greatest." * comparison.several_runs
    if len(drawn) < len(lines):
        caption += f" The first {len(drawn)} of {len(lines)} bars; the table has all."
    chart = partial(charts.bars, values, drawn, shown.title(measure.title))
    return [Picture(name, title, caption.strip(), [], chart)]


BARS = {
    name: partial(bars, name, measure)
    for name, measure in (
        ("bars", GOODPUT),
        ("delay-bars", DELAY),
        ("drops-bars", DROPPED),
        ("retransmissions-bars", RETRANSMISSIONS),
        ("marks-bars", MARKS),
        ("fairness-bars", FAIRNESS),
    )
}
"""What is drawn as bars, by its kind."""


KINDS: dict[str, Callable[[Comparison], list[Picture]]] = {**OVER_TIME, **BARS}
"""The pictures that can be asked for by name."""


WRITERS: dict[str, Callable[[str], bytes]] = {
    ".svg": str.encode,
    ".pdf": vl_convert.svg_to_pdf,
    ".png": partial(vl_convert.svg_to_png, scale=PNG_SCALE),
}
"""What makes a file of an SVG document, by the file's suffix."""


def document(picture: Picture) -> str:
    """Draw a picture as an SVG document, for paper."""
    return vl_convert.vegalite_to_svg(picture.specification(LIGHT))
