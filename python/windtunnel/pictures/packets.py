"""Pictures of packets: what was sent, acknowledged and lost of a flow, by number over time."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.cases import BETWEEN, Comparison, Line
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import by_line, source
from windtunnel.pictures.legends import BELOW, legend
from windtunnel.pictures.over_time import MOST_PANELS
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import maximum, minimum, scale

MOST_MARKS = 3_000
"""The maximum number of packets that are drawn one by one: more hide each other."""

COLUMNS, ROWS = 400, 200
"""The cells that more packets than those are counted in."""

DETAIL = 1_500
"""The events of the picture that shows some of many: what fits into it one by one."""

HEIGHT = 340
"""Higher than other pictures: numbers rise through all of it."""

SENT, AGAIN, ACKNOWLEDGED, SACKED, GONE, MARKED, RECEIVED = (
    "sent",
    "sent again",
    "acknowledged",
    "selectively acknowledged",
    "dropped or lost",
    "received with a mark",
    "received",
)
"""What is drawn."""

PLACES = {SENT: 0, ACKNOWLEDGED: 2, RECEIVED: 2, AGAIN: 1, SACKED: 6, GONE: 3, MARKED: 5}
"""The place of each among hues and shapes, in the order in which they are drawn."""

KEYS = ["case", "flow", "connection", "subflow"]
"""What numbers belong to."""


def time_sequence(comparison: Comparison) -> list[Picture]:
    """Draw time–sequence diagrams of the flows whose packets were recorded: of the first run.

    Of many packets there is a second picture, which shows some of them one by one.
    """
    events = comparison.tables.get("packet_events")
    # Results of earlier versions have no such table.
    if events is None or events.is_empty():
        return []
    drawn: list[Picture] = []
    events = events.filter(run=events["run"].min())
    for keys, of_path in busiest(events).group_by(KEYS, maintain_order=True):
        kinds = by_kind(of_path)
        if len(drawn) >= MOST_PANELS or kinds.is_empty():
            continue
        case, flow, connection, subflow = keys
        parts = [str(flow), *comparison.parts(int(str(case)))]
        if events.filter(case=case, flow=flow).select(pl.col("connection").n_unique()).item() > 1:
            parts.append(f"connection {connection}")
        if subflow is not None:
            parts.append(f"subflow {subflow}")
        unit = "B" if connection is not None else ""
        drawn += of_numbers(f"time-sequence-{len(drawn) + 1}", BETWEEN.join(parts), kinds, unit)
    return drawn


def busiest(events: pl.DataFrame) -> pl.DataFrame:
    """Keep of each flow in each case the connection with the most events."""
    counts = events.group_by("case", "flow", "connection", maintain_order=True).len()
    most = counts.group_by("case", "flow", maintain_order=True).agg(
        pl.col("connection").sort_by("len", "connection", descending=[True, False]).first()
    )
    keys = ["case", "flow", "connection"]
    return events.join(most, on=keys, nulls_equal=True, maintain_order="left")


def by_kind(events: pl.DataFrame) -> pl.DataFrame:
    """Name what is drawn of events: `line`, `time_s`, `number`, in the order of time.

    It is what comes from the end that sends more: the numbers of the other are its own.
    """
    has_data = pl.col("data_bytes") > 0
    asks = pl.col("at") == "consumer"
    sent = events.filter(has_data | asks, pl.col("kind").is_in(["sent", "retransmitted"]))
    ends = sent.group_by("at").agg(pl.len(), pl.col("data_bytes").sum())
    if ends.is_empty():
        return pl.DataFrame(schema={"line": pl.String, "time_s": pl.Float64, "number": pl.Int64})
    end = ends.sort("data_bytes", "len", descending=True)["at"][0]
    here, there = pl.col("at") == end, pl.col("at").is_in(["sender", "receiver"])
    event, acknowledges = pl.col("kind"), pl.col("acknowledgement").is_not_null()
    arrived = event.is_in(["received", "acknowledgement received"])
    line = (
        pl.when(here & (event == "sent") & (has_data | asks))
        .then(pl.lit(SENT))
        .when(here & (event == "retransmitted") & (has_data | asks))
        .then(pl.lit(AGAIN))
        .when(here & (event == "sacked"))
        .then(pl.lit(SACKED))
        .when(here & arrived & acknowledges)
        .then(pl.lit(ACKNOWLEDGED))
        .when(event.is_in(["dropped", "lost"]) & (has_data | (end == "consumer")))
        .then(pl.lit(GONE))
        .when((asks | (there & ~here)) & (event == "received") & pl.col("is_marked"))
        .then(pl.lit(MARKED))
        .when((asks | (there & ~here)) & (event == "received") & has_data & ~acknowledges)
        .then(pl.lit(RECEIVED))
    )
    number = pl.when(line == ACKNOWLEDGED).then("acknowledgement").otherwise("number")
    named = events.select("time_s", line=line, number=number.cast(pl.Int64))
    return named.drop_nulls()


def of_numbers(name: str, what: str, kinds: pl.DataFrame, unit: str) -> list[Picture]:
    """Draw events of a flow, and of too many some of them beside."""
    title = f"Time–sequence diagram: {what}"
    if kinds.height <= MOST_MARKS:
        return [picture(name, title, "", kinds, unit)]
    caption = (
        f"{kinds.height:,} events; a mark stands for all that are as near to each other as a mark "
        "is wide."
    )
    some = detail(kinds)
    start, end = minimum(some["time_s"]), maximum(some["time_s"])
    shown = f"From {start:.6g} to {end:.6g} s: around the first loss, or else from the beginning."
    return [
        picture(name, title, caption, in_cells(kinds), unit),
        picture(f"{name}-detail", f"{title}, in detail", shown, some, unit),
    ]


def in_cells(kinds: pl.DataFrame) -> pl.DataFrame:
    """Keep of each kind of event one for each cell of the picture: the last."""
    column, row = (
        ((pl.col(name) - minimum(kinds[name])) / max(span(kinds[name]), 1e-9) * count).floor()
        for name, count in (("time_s", COLUMNS), ("number", ROWS))
    )
    cells = kinds.with_columns(column=column, row=row)
    kept = cells.unique(["line", "column", "row"], keep="last", maintain_order=True)
    return kept.select(kinds.columns)


def span(values: pl.Series) -> float:
    """Give the distance from the least number to the greatest."""
    return maximum(values) - minimum(values)


def detail(kinds: pl.DataFrame) -> pl.DataFrame:
    """Choose the events around the first packet that is lost or sent again."""
    numbered = kinds.with_row_index("place")
    gone = numbered.filter(pl.col("line").is_in([GONE, AGAIN]))["place"]
    first = max(int(gone[0]) - DETAIL // 3, 0) if gone.len() else 0
    return kinds[first : first + DETAIL]


def picture(name: str, title: str, caption: str, kinds: pl.DataFrame, unit: str) -> Picture:
    """Draw events by their numbers."""
    there = set(kinds["line"])
    lines = [
        Line(f"l{place}", 0, (kind,), None, 0, reference=kind == ACKNOWLEDGED, place=look)
        for place, (kind, look) in enumerate(PLACES.items())
        if kind in there
    ]
    shown = scale(unit, kinds["number"])
    names = {line.label: line.name for line in lines}
    frame = kinds.with_columns(
        pl.col("line").replace_strict(names), number=pl.col("number") / shown.size
    )
    # Times that are near each other are to be apart, and what is rare is not to be hidden.
    frame = frame.with_columns(pl.col("time_s").round_sig_figs(9), pl.col("number").round(6))
    frame = frame.sort("line", maintain_order=True)
    axis = shown.title("sequence number") if unit else "number"
    chart = partial(draw, frame, lines, axis)
    return Picture(name, title, caption, lines if len(lines) > 1 else [], chart)


def draw(frame: pl.DataFrame, lines: list[Line], title: str, ink: Ink) -> charts.Drawing:
    """Draw a mark for each event, and what is acknowledged as a line of steps."""
    base = alt.Chart().encode(
        x=alt.X("time_s:Q", title=charts.TIME, scale=alt.Scale(nice=False, zero=False)),
        y=alt.Y("number:Q", title=title, scale=alt.Scale(zero=False)),
        color=by_line(alt.Color, lines, [line.colour(ink) for line in lines]),
        opacity=charts.emphasis(ink, 0.9, 0.05),
    )
    steps = [line.name for line in lines if line.label == ACKNOWLEDGED]
    shapes = by_line(alt.Shape, lines, [line.shape for line in lines])
    names = {line.name: line.label for line in lines}
    marks = base.transform_filter(f"!{charts.among(steps)}") if steps else base
    marks = marks.transform_calculate(label=f"({names})[datum.line]").mark_point(
        filled=True, size=26, clip=True
    )
    marks = marks.encode(
        shape=shapes,
        tooltip=[
            alt.Tooltip("label:N", title=" "),
            alt.Tooltip("time_s:Q", title=charts.TIME),
            alt.Tooltip("number:Q", title=title),
        ],
    ).properties(name=charts.ZOOMED)
    layers = [marks]
    if steps:
        step = base.transform_filter(charts.among(steps))
        layers.insert(0, step.mark_line(interpolate="step-after", strokeWidth=1.5, clip=True))
    data = source(frame)
    if ink is SCREEN:
        plot = charts.layered(layers, ink, data=data, width="container", height=HEIGHT)
        return charts.answering(plot, [charts.ZOOM])
    below = legend(lines, ink, BELOW) if len(lines) > 1 else []
    size = {"width": ink.sizes.width, "height": HEIGHT}
    return charts.layered([*layers, *below], ink, data=data, **size)
