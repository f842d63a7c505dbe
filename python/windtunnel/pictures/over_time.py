"""Pictures over time: what was sampled, a line for each group of flows in each case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import polars as pl

from windtunnel.measures import directions, totals
from windtunnel.measures.columns import DELAY, RECEIVED, MeasuredColumn
from windtunnel.measures.directions import REVERSE
from windtunnel.pictures import charts, series
from windtunnel.pictures import events as marked
from windtunnel.pictures.cases import Comparison, Line, Panel, panels
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.series import Series
from windtunnel.pictures.units import Scale, maximum, scale, significant

MOST_PANELS = 6
"""The maximum number of pictures of one quantity."""

USUAL, FAR, MARGIN = 0.97, 1.5, 1.2
"""The share of values that is usual, from how many times the highest of them on a value is a
burst, and where the axis then ends."""

LATE = "what is sent again is late"
"""Why single delays can be far above all others, which says little of the others."""

MOST_DETAILS = 12
"""The maximum number of pictures of individual channels."""

WINDOW = MeasuredColumn("cwnd_segments", "window", "segments")
QUEUE = MeasuredColumn("queue_packets", "queue", "packets")
DROPPED = MeasuredColumn("drops", "dropped", "packets/s")


def goodput(comparison: Comparison) -> list[Picture]:
    """Draw what was received over time, summed over the flows of each group.

    It is what came in any order: what an application gets comes in bursts where TCP waits for
    a lost segment. Of flows in both directions, it is the direction that received more.
    """
    get = partial(series.of_flows, comparison, RECEIVED.column, total=True)
    title = "Data received" + of_several(comparison, "sum")
    return over_time(
        "goodput", title, RECEIVED, comparison.by_group(), get, events=comparison.events
    )


def window(comparison: Comparison) -> list[Picture]:
    """Draw the congestion window over time, as the mean of the flows."""
    get = partial(series.of_flows, comparison, "cwnd_segments", total=False)
    title = "Congestion window" + of_several(comparison, "mean")
    return over_time("window", title, WINDOW, comparison.by_group(), get, events=comparison.events)


def delay(comparison: Comparison) -> list[Picture]:
    """Draw the delay over time, as the mean of the flows."""
    get = partial(series.of_flows, comparison, "delay_s", total=False)
    title = "Delay from first transmission to Data or acknowledgement" + of_several(
        comparison, "mean"
    )
    return over_time("delay", title, DELAY, comparison.by_group(), get, events=comparison.events)


def of_several(comparison: Comparison, what: str) -> str:
    """Say in a title that a line is the sum or the mean of several flows, or of those recorded.

    A sum is of one direction.
    """
    flows = comparison["flows"].group_by("case", GROUP).agg(pl.col("flow").n_unique())
    named, recorded = (comparison[it]["flow"].n_unique() for it in ("flows", "flow_series"))
    which = "flows" if named == recorded else "recorded flows"
    if what == "sum" and directions.with_directions(comparison, ["case", "run"])[REVERSE].any():
        which += " in one direction"
    return f", {what} of the {which}" if (flows["flow"] > 1).any() else ""


def queue(comparison: Comparison) -> list[Picture]:
    """Draw the longest queue over time; no picture if all queues are empty."""
    return [it for direction in queues(comparison)[:1] for it in one_queue(comparison, direction)]


def drops(comparison: Comparison) -> list[Picture]:
    """Draw the packets dropped per second on all recorded links; no picture without drops."""
    if not totals.of_links(comparison)["drops"].ne(0).any():
        return []
    get = partial(series.of_drops, comparison)
    there, recorded = (comparison[it]["link"].n_unique() for it in ("links", "link_series"))
    title = "Packets dropped" + (" on the recorded links" if recorded < there else "")
    return over_time("drops", title, DROPPED, comparison.by_case(), get, events=comparison.events)


OVER_TIME = {"goodput": goodput, "window": window, "queue": queue, "delay": delay, "drops": drops}
"""What is drawn over time, by its kind."""


def over_time(
    name: str,
    title: str,
    measure: MeasuredColumn,
    lines: list[Line],
    get: Callable[[list[Line]], Series],
    shaded: pl.DataFrame | None = None,
    time: str = charts.TIME,
    over: str = "runs",
    events: pl.DataFrame | None = None,
) -> list[Picture]:
    """Draw lines over time, divided into several pictures if necessary, as `in_panels`."""
    return in_panels(name, title, measure, panels(lines), get, shaded, time, over, events)


def in_panels(
    name: str,
    title: str,
    measure: MeasuredColumn,
    divided: list[Panel],
    get: Callable[[list[Line]], Series],
    shaded: pl.DataFrame | None = None,
    time: str = charts.TIME,
    over: str = "runs",
    events: pl.DataFrame | None = None,
) -> list[Picture]:
    """Draw lines over time, a picture for each panel; all have the same axes.

    A line of which nothing was recorded is left out, and so is a picture without lines.

    `shaded`, `time` and `events` are passed on to `charts.over_time`; `over` says what a mean is
    of.
    """
    drawn = [recorded(panel, get(panel.lines)) for panel in divided[:MOST_PANELS]]
    every = pl.concat([it.frame for _, it in drawn])
    shown = scale(measure.unit, every["high"])
    every = scaled(every, shown)
    top = below_bursts(every) if measure is DELAY and not charts.is_logarithmic(every) else None
    axes = charts.axes(every, [line for panel, _ in drawn for line in panel.lines], top)
    made = []
    for index, (panel, samples) in enumerate(drawn, start=1):
        if all(it.reference for it in panel.lines):
            continue
        frame = scaled(samples.frame, shown)
        said = [explanation(samples, over, index, len(divided))]
        if top is not None and maximum(frame["high"]) > top:
            most = f"{significant(maximum(frame['high']))} {shown.unit}"
            said.append(f"Single values are outside the picture, up to {most}: {LATE}.")
        if events is not None:
            said.append(marked.named(events))
        chart = partial(
            charts.over_time,
            frame,
            panel.lines,
            shown.title(measure.title),
            shaded=shaded,
            time=time,
            events=events,
            shared=axes,
        )
        made.append(
            Picture(
                name=name if len(divided) == 1 else f"{name}-{index}",
                title=": ".join(filter(None, [title, panel.title])),
                caption=" ".join(filter(None, said)),
                lines=panel.lines if len(panel.lines) > 1 else [],
                chart=chart,
            )
        )
    return made


def recorded(panel: Panel, drawn: Series) -> tuple[Panel, Series]:
    """Keep the lines of which anything was recorded."""
    there = set(drawn.frame.drop_nulls("mean")["line"])
    frame = drawn.frame.filter(pl.col("line").is_in(there))
    lines = [it for it in panel.lines if it.name in there]
    return replace(panel, lines=lines), replace(drawn, frame=frame)


def scaled(frame: pl.DataFrame, shown: Scale) -> pl.DataFrame:
    """Give lines in a unit."""
    return frame.with_columns(pl.col("mean", "low", "high") / shown.size)


def below_bursts(frame: pl.DataFrame) -> float | None:
    """Choose the top of an axis where single values are far above all others; else none."""
    most = pl.col("mean").quantile(USUAL, "linear")
    usual = maximum(frame.group_by("line").agg(most)["mean"])
    return MARGIN * usual if usual > 0 and maximum(frame["high"]) > FAR * usual else None


def explanation(drawn: Series, over: str, index: int, count: int) -> str:
    """Write the caption: what lines and bands are, and what is omitted."""
    sentences = []
    several = drawn.frame["low"].ne(drawn.frame["high"]).any()
    if several and drawn.interval_s is None:
        sentences.append(f"Lines: mean over the {over}; bands: minimum to maximum.")
    elif drawn.interval_s is not None:
        parts = f"{drawn.interval_s:.3g} s each and all {over}"
        sentences.append(f"Lines: mean over {parts}; bands: minimum to maximum.")
    if index == MOST_PANELS < count:
        sentences.append(f"The other {count - index} pictures are left out.")
    return " ".join(sentences)


def queues(comparison: Comparison) -> list[dict[str, str]]:
    """Give the directions of links with a queue, the longest mean queue first."""
    names = ["link", "from", "to"]
    samples = comparison["link_series"].group_by(names, maintain_order=True)
    length = samples.agg(pl.col("queue_packets").mean()).filter(pl.col("queue_packets") > 0)
    longest_first = length.sort("queue_packets", descending=True, maintain_order=True)
    return longest_first.select(names).to_dicts()


def one_queue(
    comparison: Comparison, direction: dict[str, str], name: str = "queue"
) -> list[Picture]:
    """Draw the queue of a link in one direction."""
    get = partial(series.of_queue, comparison, direction=direction)
    title = f"Queue at {direction['from']} towards {direction['to']} ({direction['link']})"
    return over_time(name, title, QUEUE, comparison.by_case(), get, events=comparison.events)
