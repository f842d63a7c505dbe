"""Lines over a parameter of a study; bars where no number varies."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.columns import MeasuredColumn
from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.measures.spreads import INTERVAL
from windtunnel.pictures import bar_charts
from windtunnel.pictures.bars import MOST_BARS
from windtunnel.pictures.cases import Line
from windtunnel.pictures.studies import drawing, layout, measures
from windtunnel.pictures.studies.figure import (
    Figure,
    capital,
    line_of,
    lines_of,
    listed,
    plot_height,
    samples,
    several,
    slug,
)
from windtunnel.pictures.studies.layout import Division, Panel, axis
from windtunnel.pictures.units import scale


def comparison(
    results: StudyFrame,
    measure: MeasuredColumn,
    by: Parameter | None,
    over: Parameter | None = None,
) -> Figure:
    """Draw a measure over a number, a line for each value of `by`, panels by the others.

    Without a numeric parameter for the axis, bars are drawn. A point that covers several
    combinations of parameters is their median.
    """
    if over is None and (over := layout.swept(results, by)) is None:
        return bars(results, measure, results.parameters, by)
    if over == by or over.numbers is None:
        return bars(results, measure, [it for it in (over, by) if it], by)
    across = axis(over)
    lines, thinned = lines_of(by)
    shown = [over, *([by] if by else [])]
    divided = layout.division(results.frame, results.parameters, shown)
    placed = {"line": line_of(by), "place": across.index()}
    hidden = [*divided.hidden, *(it for it in shown if axis(it).edges)]
    frames = [samples(it.frame, measure, placed, hidden) for it in divided.panels]
    frames = [it.filter(pl.col("line").is_in([line.name for line in lines])) for it in frames]
    pooled = any(several(it, [*placed]) for it in frames)
    spread = measures.middle if pooled else measures.spread
    spreads = [spread(it, [*placed]).sort("place") for it in frames]
    means, highs = (pl.concat([it[end] for it in spreads]) for end in ("mean", "high"))
    shown_in = scale(measure.unit, means)
    upright = drawing.from_zero(means / shown_in.size, highs / shown_in.size)
    panels = [
        Panel(
            panel.title,
            frame.with_columns(
                pl.col("mean", "low", "high") / shown_in.size,
                place=pl.col("place").replace_strict(dict(enumerate(across.places))),
                text=pl.col("place").replace_strict(dict(enumerate(across.texts))),
            ),
        )
        for panel, frame in zip(divided.panels, spreads, strict=True)
    ]
    draw = partial(
        drawing.over_values,
        lines=lines,
        axis=across,
        title=shown_in.title(measure.title),
        scale=upright,
    )
    said = [
        what_points_are(pl.concat([it["runs"] for it in spreads]), pooled, divided),
        f"{over.name} is grouped into {len(across.places)} intervals." if across.edges else "",
        divided.note,
        thinned,
    ]
    return Figure(
        name=f"{measures.short(measure)}-over-{slug(over)}",
        title=f"{capital(measure.title)} over {over.name}",
        caption=" ".join(filter(None, said)),
        lines=lines,
        panels=panels,
        draw=draw,
        height=plot_height,
    )


def what_points_are(runs: pl.Series, pooled: bool, divided: Division) -> str:
    """Say what points and bands are."""
    hidden = listed([it.name for it in divided.hidden])
    if pooled:
        over = f"all values of {hidden} and the seeds" if hidden else "the runs"
        return f"Lines: median over {over}; bands: the middle half of the runs."
    differing = f" Points also differ in {hidden}." if hidden else ""
    counts = sorted(set(runs))
    if not counts or counts[-1] == 1:
        return f"One run per point.{differing}"
    each = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    return f"Lines: mean over the seeds ({each} runs each); bands: {INTERVAL}.{differing}"


def bars(
    results: StudyFrame, measure: MeasuredColumn, shown: list[Parameter], by: Parameter | None
) -> Figure:
    """Draw a measure as bars, one for each combination of what is shown."""
    order = [*(it for it in shown if it != by), *([by] if by else [])]
    axes = [axis(it) for it in order]
    keys = {f"key {index}": it.index() for index, it in enumerate(axes)}
    hidden = [it for it in results.parameters if it not in order]
    within = [it.parameter for it in axes if it.edges]
    frame = samples(results.frame, measure, {"all": pl.lit(0), **keys}, [*hidden, *within])
    pooled = several(frame, ["all", *keys])
    spread = measures.middle if pooled else measures.spread
    found = spread(frame, ["all", *keys]).sort(*keys) if keys else spread(frame, ["all"])
    drawn = found.head(MOST_BARS)
    hues = [it.look for it in layout.lines(axes[-1])] if by else []
    rows = drawn.select(*keys).rows() if keys else [()]
    lines = [
        Line(
            f"l{index}",
            index,
            tuple(layout.titled(*it) for it in zip(axes, key, strict=True)),
            None,
            0,
            place=hues[key[-1]] if by else None,
        )
        for index, key in enumerate(rows)
    ]
    shown_in = scale(measure.unit, drawn["mean"])
    values = drawn.select(
        pl.col("mean", "low", "high") / shown_in.size,
        line=pl.Series([it.name for it in lines]),
        published=pl.lit(None, pl.Float64),
    )
    title = shown_in.title(measure.title)
    left_out = f"The first {len(lines)} of {found.height} bars; all are in the table."
    said = [what_bars_are(found["runs"], pooled, hidden), left_out * (drawn.height < found.height)]
    return Figure(
        name=f"{measures.short(measure)}-bars",
        title=capital(measure.title),
        caption=" ".join(filter(None, said)),
        lines=[],
        panels=[Panel("", values)],
        draw=partial(bar_charts.bar_layers, lines=lines, title=title),
        height=lambda ink: bar_charts.of_lines(lines, ink).height(ink),
    )


def what_bars_are(runs: pl.Series, pooled: bool, hidden: list[Parameter]) -> str:
    """Say what bars and whiskers are."""
    if pooled:
        over = listed([it.name for it in hidden])
        of = f"all values of {over} and the seeds" if hidden else "the runs"
        return f"Bars: median over {of}; whiskers: the middle half of the runs."
    if runs.is_empty() or runs.max() == 1:
        return "One run per bar."
    return f"Bars: mean over the seeds; whiskers: {INTERVAL}."
