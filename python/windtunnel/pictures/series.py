"""Series: what was sampled over time, by line, over runs, thinned out for the eye."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from windtunnel.measures import directions
from windtunnel.measures.columns import RECEIVED
from windtunnel.measures.links import DROPS
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.units import maximum, minimum

MOST_POINTS = 300
"""Points of a line: a screen shows no more of them apart."""


@dataclass(frozen=True)
class Series:
    """Lines over time: a frame with `line`, `time_s`, `mean`, `low` and `high`.

    `low` and `high` are the minimum and the maximum over the runs and, where
    samples were merged, over the interval that a point covers.
    """

    frame: pl.DataFrame
    interval_s: float | None
    """The interval that a point covers, where samples were merged."""


def of_flows(comparison: Comparison, column: str, lines: list[Line], total: bool) -> Series:
    """Give a column of the flows, by case and group: their sum, or their mean.

    The sum is that of the direction that received more.
    """
    return over_runs(flow_samples(comparison, column, lines, total))


def flow_samples(
    comparison: Comparison, column: str, lines: list[Line], total: bool
) -> pl.DataFrame:
    """Give the samples of the flows of each line together, run by run."""
    keys = ["case", "run", "flow"]
    flows = directions.with_directions(comparison, ["case", "run"])
    flows = flows.join(numbered(lines), on=["case", GROUP])
    if total:
        flows = flows.filter(directions.in_fuller(["line"]))
    flows = flows.select(*keys, "line")
    value = pl.col(column).fill_nan(None)
    samples = comparison["flow_series"].select(*keys, "time_s", column).join(flows, on=keys)
    return (
        samples.group_by("line", "run", "time_s")
        # The sum of nothing is unknown, not zero.
        .agg(value=pl.when(value.count() > 0).then(value.sum() if total else value.mean()))
    )


def of_one_flow(comparison: Comparison, column: str, lines: list[Line], flow: str) -> Series:
    """Give a column of one flow, by case."""
    return of_cases(comparison["flow_series"].filter(flow=flow), column, lines)


def of_queue(comparison: Comparison, lines: list[Line], direction: dict[str, str]) -> Series:
    """Give the packets that wait before a link in a direction, by case."""
    return of_cases(comparison["link_series"].filter(**direction), "queue_packets", lines)


def of_channel(
    comparison: Comparison, column: str, lines: list[Line], direction: dict[str, str]
) -> Series:
    """Give a column of a direction of a link that has a channel, by case."""
    return of_cases(comparison["channel_series"].filter(**direction), column, lines)


def of_goodput_and_rate(
    comparison: Comparison, lines: list[Line], direction: dict[str, str]
) -> Series:
    """Give what was received by case and group, and to references the rate of a direction."""
    flows = [line for line in lines if not line.reference]
    references = [line for line in lines if line.reference]
    received = flow_samples(comparison, RECEIVED.column, flows, total=True)
    channel = comparison["channel_series"].filter(**direction)
    rate = case_samples(channel, pl.col("rate_bps"), references)
    return over_runs(pl.concat([received.select(rate.columns), rate]))


def without_line_of_sight(
    comparison: Comparison, lines: list[Line], direction: dict[str, str]
) -> pl.DataFrame:
    """Give when the user did not see the station.

    The frame has `start_s`, `end_s` and `share`: of the runs and, where samples
    were put together, of the time.
    """
    channel = comparison["channel_series"].filter(**direction)
    hidden = over_runs(case_samples(channel, ~pl.col("line_of_sight"), lines)).frame.sort("time_s")
    time = pl.col("time_s")
    return (
        hidden.select(
            share=pl.col("mean").fill_null(0.0),
            start_s=((time + time.shift()) / 2).fill_null(time),
            end_s=((time + time.shift(-1)) / 2).fill_null(time),
        )
        .group_by(pl.col("share").rle_id().alias("stretch"), maintain_order=True)
        .agg(pl.col("start_s").first(), pl.col("end_s").last(), pl.col("share").first())
        .filter(pl.col("share") > 0)
        .drop("stretch")
    )


def of_drops(comparison: Comparison, lines: list[Line]) -> Series:
    """Give the packets dropped on all links, each second, by case."""
    run = ["case", "run"]
    counted = pl.sum_horizontal(DROPS).sum()
    samples = comparison["link_series"].group_by(*run, "time_s").agg(drops=counted)
    # The first interval starts with the run.
    interval = pl.col("time_s").diff().fill_null(pl.col("time_s")).over(run, order_by="time_s")
    return of_cases(samples.with_columns(pl.col("drops") / interval), "drops", lines)


def of_cases(samples: pl.DataFrame, column: str, lines: list[Line]) -> Series:
    """Give a column of which each run of a case has one value at a time."""
    return over_runs(case_samples(samples, pl.col(column), lines))


def case_samples(samples: pl.DataFrame, value: pl.Expr, lines: list[Line]) -> pl.DataFrame:
    """Give the samples of the case of each line, run by run."""
    named = samples.join(numbered(lines), on="case")
    return named.select("line", "time_s", value=value.cast(pl.Float64))


def numbered(lines: list[Line]) -> pl.DataFrame:
    """Give the names of lines beside their cases and groups of flows."""
    rows = [(line.name, line.case, line.group) for line in lines]
    kinds = {"line": pl.String, "case": pl.UInt32, GROUP: pl.String}
    return pl.DataFrame(rows, schema=kinds, orient="row")


def over_runs(samples: pl.DataFrame) -> Series:
    """Put runs together, and times where there are too many."""
    interval = None
    if samples["time_s"].n_unique() > MOST_POINTS:
        start, end = minimum(samples["time_s"]), maximum(samples["time_s"])
        interval = (end - start) / MOST_POINTS
        index = ((pl.col("time_s") - start) / interval).floor().clip(0, MOST_POINTS - 1)
        samples = samples.with_columns(time_s=start + (index + 0.5) * interval)
    value = pl.col("value").fill_nan(None)
    frame = samples.group_by("line", "time_s").agg(
        mean=value.mean(), low=value.min(), high=value.max()
    )
    return Series(frame.sort("line", "time_s"), interval)
