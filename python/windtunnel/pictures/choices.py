"""Choices: pictures of one flow or of one link, which the reader of a page chooses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from windtunnel.measures.columns import DELAY, GOODPUT, MeasuredColumn
from windtunnel.measures.links import DROPS
from windtunnel.pictures import charts
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.over_time import DROPPED, QUEUE, WINDOW
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.series import MOST_POINTS
from windtunnel.pictures.units import maximum, minimum, scale

MOST_CHOICES = 500
"""The maximum number of flows or links to choose from."""

MOST_VALUES = 40_000
"""The values of a quantity that a page holds, of all flows or links together."""

LEAST_POINTS = 30
"""The points of a line, however many there are to choose from."""

OPTION = "option"
"""The column of what can be chosen."""

OF_FLOWS = (
    GOODPUT,
    WINDOW,
    DELAY,
    MeasuredColumn("lost_share", "loss", "share"),
    MeasuredColumn("jitter_s", "jitter", "s"),
)
"""What is drawn of a flow."""

OF_LINKS = (
    MeasuredColumn("throughput_bps", "throughput", "bit/s"),
    QUEUE,
    MeasuredColumn("sojourn_s", "sojourn time", "s"),
    DROPPED,
)
"""What is drawn of a direction of a link."""


@dataclass(frozen=True)
class Choice:
    """What can be chosen: its names, and a picture for each quantity, of the first."""

    kind: str
    """`flow` or `link`."""
    options: list[str]
    count: int
    """How many there are, also those that are not among the options."""
    pictures: list[Picture]
    first: int
    """The place of the option that is shown first."""
    data: dict[str, Any]
    """For the page: `times`, and for each picture the values of each option and line."""

    @property
    def note(self) -> str:
        """Say what is not among the options."""
        left_out = f"First {len(self.options)} of {self.count:,} {self.kind}s; all are in the"
        return f"{left_out} Parquet files." if len(self.options) < self.count else ""


def flows(comparison: Comparison) -> Choice | None:
    """Offer the flows whose series were recorded; none if there is one at most."""
    series = comparison["flow_series"].with_columns(pl.col("flow").alias(OPTION))
    return choice("flow", comparison, series, OF_FLOWS) if len(options(series)) > 1 else None


def links(comparison: Comparison) -> Choice | None:
    """Offer the directions of links that carried or dropped anything and were recorded."""
    series = comparison["link_series"].with_columns(
        pl.format("{}: {} to {}", "link", "from", "to").alias(OPTION), drops=per_second()
    )
    used = pl.any_horizontal(pl.col(it.column).fill_null(0).ne(0).any() for it in OF_LINKS)
    series = series.filter(used.over(OPTION))
    return None if series.is_empty() else choice("link", comparison, series, OF_LINKS)


def per_second() -> pl.Expr:
    """Give the packets that each direction dropped, each second."""
    time = pl.col("time_s")
    # The first interval starts with the run.
    of_direction = ["case", "run", "link", "from", "to"]
    return pl.sum_horizontal(DROPS) / time.diff().fill_null(time).over(of_direction)


def options(series: pl.DataFrame) -> list[str]:
    """Name what there is to choose from, in the order of the file."""
    return series[OPTION].unique(maintain_order=True).to_list()


def choice(
    kind: str, comparison: Comparison, series: pl.DataFrame, measures: tuple[MeasuredColumn, ...]
) -> Choice:
    """Offer a choice: a picture for each quantity that was measured of anything."""
    names = options(series)
    shown, lines = names[:MOST_CHOICES], comparison.by_case()
    # Results of earlier versions have not all columns.
    known = (it for it in measures if it.column in series.columns)
    there = [it for it in known if series[it.column].fill_null(0).ne(0).any()]
    series = series.filter(pl.col(OPTION).is_in(shown))
    grid, index = grid_of(series, len(shown) * len(lines))
    columns = [pl.col(it.column).fill_nan(None).mean() for it in there]
    means = (
        series.with_columns(index.alias("index"))
        .group_by(OPTION, "case", "index", maintain_order=True)
        .agg(columns)
    )
    made, values = [], {}
    for measure in there:
        shown_in = scale(measure.unit, means[measure.column])
        scaled = means.with_columns(pl.col(measure.column) / shown_in.size)
        name = f"{kind}-{measure.title.replace(' ', '-')}"
        values[name] = dense(scaled, measure.column, shown, lines, len(grid))
        frame = of_first(values[name][0], lines, grid)
        chart = partial(
            charts.over_time, frame, lines, shown_in.title(measure.title), events=comparison.events
        )
        legend = lines if len(lines) > 1 else []
        title = measure.title[0].upper() + measure.title[1:]
        made.append(Picture(name, title, "", legend, chart))
    data = {"times": grid, "lines": [it.name for it in lines], "values": values}
    return Choice(kind, shown, len(names), made, busiest(series, shown, there), data)


def busiest(series: pl.DataFrame, options: list[str], measures: list[MeasuredColumn]) -> int:
    """Give the place of the link with the longest mean queue, and 0 for flows."""
    if QUEUE not in measures:
        return 0
    queues = series.group_by(OPTION, maintain_order=True).agg(pl.col(QUEUE.column).mean())
    return options.index(queues.sort(QUEUE.column, descending=True, maintain_order=True)[OPTION][0])


def grid_of(series: pl.DataFrame, lines: int) -> tuple[list[float], pl.Expr]:
    """Choose times for all lines, and say for each sample which of them is its own."""
    most = max(LEAST_POINTS, min(MOST_POINTS, MOST_VALUES // lines))
    times = series["time_s"].unique().sort()
    if times.len() <= most:
        rounded = times.round_sig_figs(charts.DIGITS + 2).to_list()
        return rounded, pl.col("time_s").rank("dense").cast(pl.Int64) - 1
    start = minimum(times.head(1))
    step = (maximum(times.tail(1)) - start) / most
    index = ((pl.col("time_s") - start) / step).floor().clip(0, most - 1).cast(pl.Int64)
    return [float(f"{start + (it + 0.5) * step:.6g}") for it in range(most)], index


def dense(
    means: pl.DataFrame, column: str, options: list[str], lines: list[Line], count: int
) -> list[list[list[float | None]]]:
    """Give for each option and line its value at each time."""
    value = pl.col(column).round_sig_figs(charts.DIGITS)
    known = {
        (option, case): dict(zip(indices, values, strict=True))
        for option, case, indices, values in means.group_by(OPTION, "case", maintain_order=True)
        .agg("index", value)
        .rows()
    }
    empty: dict[int, float | None] = {}
    return [
        [
            [found.get(it) for it in range(count)] if found else []
            for line in lines
            for found in [known.get((option, line.case), empty)]
        ]
        for option in options
    ]


def of_first(
    values: list[list[float | None]], lines: list[Line], grid: list[float]
) -> pl.DataFrame:
    """Make the frame of lines of one option."""
    rows = [
        (line.name, time, *[value] * 3)
        for line, those in zip(lines, values, strict=True)
        for time, value in zip(grid, those, strict=False)
    ]
    kinds = {"line": pl.String} | dict.fromkeys(("time_s", "mean", "low", "high"), pl.Float64)
    return pl.DataFrame(rows, kinds, orient="row")
