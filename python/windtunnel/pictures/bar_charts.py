"""Rows: bars and boxes beside the names of what they measure, under headings for the cases."""

from __future__ import annotations

import json
from dataclasses import dataclass

import altair as alt
import polars as pl

from windtunnel.pictures.cases import BETWEEN, Line
from windtunnel.pictures.charts import DIGITS, NUMBER, Drawing, data_of, layered
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import by_line, source
from windtunnel.pictures.legends import SPACING, wrapped
from windtunnel.pictures.units import decimals, decimals_beside, maximum, minimum, written

VALUES = ("mean", "low", "high", "published")
"""The columns of a frame of bars that hold numbers."""

HEADING = 44
"""The letters in a line of a heading, which has the width of the bars."""


@dataclass(frozen=True)
class Rows:
    """Rows in their order, each with its label; some are headings without a value."""

    labels: dict[str, list[str]]
    """The lines of each row's label."""
    headings: dict[str, str]
    """What is written in the rows that are headings."""

    def height(self, ink: Ink) -> float:
        """Give the height of all rows, in which the labels have room."""
        lines = max((len(it) for it in self.labels.values()), default=1)
        return len(self.labels) * max(ink.sizes.row, (lines + 0.5) * SPACING * ink.sizes.font)

    def axis(self, ink: Ink) -> alt.Axis:
        """Lay out the labels: none is cut, and those of several lines are centred."""
        lines = f"({json.dumps(self.labels)})[datum.value]"
        half = SPACING * ink.sizes.font / 2
        return alt.Axis(
            labelExpr=lines,
            labelOffset=alt.ExprRef(f"-{half} * (length({lines}) - 1)"),
            labelLineHeight=SPACING * ink.sizes.font,
            labelLimit=0,
            labelPadding=8,
            ticks=False,
            domain=False,
        )

    def scale(self) -> alt.Scale:
        """Give the order of the rows."""
        return alt.Scale(domain=list(self.labels))


def of_lines(lines: list[Line], ink: Ink) -> Rows:
    """Give a row to each line; what lines in a row have in common is a heading above them."""
    cases = [it.parts[:-1] for it in lines]
    if len(set(cases)) < 2 or len(set(cases)) == len(lines):
        return Rows({it.name: wrapped(it.label, ink.sizes.label) for it in lines}, {})
    labels: dict[str, list[str]] = {}
    headings: dict[str, str] = {}
    for index, (line, case) in enumerate(zip(lines, cases, strict=True)):
        if case and (index == 0 or cases[index - 1] != case):
            name = f"heading {index}"
            labels[name] = [""]
            headings[name] = "\n".join(wrapped(BETWEEN.join(case), HEADING))
        labels[line.name] = wrapped(line.parts[-1] if line.parts else line.label, ink.sizes.label)
    return Rows(labels, headings)


def of_texts(texts: list[str], ink: Ink) -> Rows:
    """Give a row to each text, which is its label."""
    return Rows({it: wrapped(it, ink.sizes.label) for it in texts}, {})


def bars(frame: pl.DataFrame, lines: list[Line], title: str, ink: Ink) -> Drawing:
    """Draw what `bar_layers` does, as high as the bars need."""
    width = "container" if ink is SCREEN else ink.sizes.width
    layers = bar_layers(frame, lines, title, ink)
    height = of_lines(lines, ink).height(ink)
    return layered(layers, ink, data=data_of(layers), width=width, height=height)


def bar_layers(frame: pl.DataFrame, lines: list[Line], title: str, ink: Ink) -> list[alt.Chart]:
    """Draw a bar for each line, with a whisker from the least to the greatest.

    The axis is linear, from zero: a bar's length is its value. `frame` has `line`, `mean`, `low`,
    `high` and `published`, which is drawn as a diamond, in the unit that the title says.
    """
    frame = ends(frame, lines)
    base = named(frame, lines, ink)
    # On the right there is room for the numbers; on the left for what is below zero.
    start = min(0.0, *(minimum(frame[it]) for it in VALUES))
    room = alt.Scale(domain=[start, 1.4 * (maximum(frame["end"]) or 1.0)], nice=False)
    hues = by_line(alt.Color, lines, [line.colour(ink) for line in lines])
    shown = [alt.Tooltip("label:N", title=" ")]
    shown += [alt.Tooltip(f"{it}:Q", format=NUMBER) for it in VALUES if frame[it].count()]
    return [
        base.mark_bar(height=ink.sizes.row * 0.6, opacity=0.85).encode(
            x=alt.X("mean:Q", title=title, scale=room), color=hues, tooltip=shown
        ),
        *whiskers(base.transform_filter("datum.low != datum.high"), title, ink),
        base.mark_point(
            shape="diamond", filled=True, size=110, fill=ink.text, stroke=ink.background, opacity=1
        ).encode(x=alt.X("published:Q")),
        base.mark_text(align="left", dx=8, fontSize=ink.sizes.font, color=ink.text).encode(
            x=alt.X("end:Q"), text=alt.Text("number:N")
        ),
        *headings(of_lines(lines, ink), ink),
    ]


def headings(rows: Rows, ink: Ink) -> list[alt.Chart]:
    """Write the headings between the rows, from where the bars begin."""
    if not rows.headings:
        return []
    texts = pl.DataFrame({"line": list(rows.headings), "heading": list(rows.headings.values())})
    drop = -SPACING * ink.sizes.font / 2 * pl.col("heading").str.count_matches("\n")
    drawn: alt.Chart = alt.Chart(source(texts.with_columns(drop=drop))).mark_text(
        x=0,
        align="left",
        dy=alt.ExprRef("datum.drop"),
        lineBreak="\n",
        lineHeight=SPACING * ink.sizes.font,
        fontSize=ink.sizes.font,
        fontWeight="bold",
        color=ink.text,
    )
    return [drawn.encode(y=alt.Y("line:N"), text=alt.Text("heading:N"))]


def ends(frame: pl.DataFrame, lines: list[Line]) -> pl.DataFrame:
    """Round what is drawn, and add where each row of bars ends, its name and its numbers."""
    labels = {line.name: line.label for line in lines}
    digits = decimals(frame["mean"])
    halves = ((pl.col("high") - pl.col("low")) / 2).cast(pl.Float64)
    numbers = [
        in_numbers(mean, published, decimals_beside(half, digits))
        for mean, published, half in frame.select("mean", "published", halves).iter_rows()
    ]
    return frame.with_columns(pl.col(VALUES).round_sig_figs(DIGITS)).with_columns(
        end=pl.max_horizontal(VALUES),
        label=pl.col("line").replace_strict(labels),
        number=pl.Series(numbers, dtype=pl.String),
    )


def in_numbers(mean: float | None, published: float | None, digits: int) -> str:
    """Write what a row shows: the bar's value, and behind a diamond the published one."""
    bar = "" if mean is None else written(mean, digits if mean else 0)
    diamond = "" if published is None else f"◆ {published:,.10g}"
    return f"{bar}   {diamond}".strip()


def named(frame: pl.DataFrame, lines: list[Line], ink: Ink) -> alt.Chart:
    """Lay out rows, each with the name of its line."""
    rows = of_lines(lines, ink)
    y = alt.Y("line:N", title=None, scale=rows.scale(), axis=rows.axis(ink))
    return alt.Chart(source(frame)).encode(y=y)


def whiskers(base: alt.Chart, title: str, ink: Ink) -> list[alt.Chart]:
    """Draw lines from the least to the greatest, with a stroke at both ends."""
    low, high = alt.X("low:Q", title=title), alt.X("high:Q", title=title)
    return [
        base.mark_rule(strokeWidth=1.5, color=ink.text).encode(x=low, x2=alt.X2("high:Q")),
        *(
            base.mark_tick(thickness=1.5, size=8, color=ink.text).encode(x=end)
            for end in (low, high)
        ),
    ]
