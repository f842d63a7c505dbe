"""Pictures of players: what is in their buffers, where they stall, and the quality they play."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import polars as pl

from windtunnel.measures.columns import MeasuredColumn
from windtunnel.pictures import over_time, series
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.over_time import MOST_PANELS
from windtunnel.pictures.picture import Picture

BUFFER = MeasuredColumn("buffer_s", "media in the buffer", "s")
QUALITY = MeasuredColumn("quality_bps", "bitrate played", "bit/s")

STALLED = "Grey: playing stalls; the darker, the more of the cases and runs."


def playback(comparison: Comparison) -> list[Picture]:
    """Draw the buffer of each player over time, and the bitrate that it plays if it has levels."""
    samples = comparison.tables.get("playback_series")
    # Results of earlier versions have no such table.
    if samples is None or samples.is_empty():
        return []
    flows = samples["flow"].unique(maintain_order=True).to_list()
    made = []
    for index, flow in enumerate(flows[:MOST_PANELS], start=1):
        of_flow = samples.filter(flow=flow)
        lines = comparison.by_case(flow)
        stalls = stalled(of_flow)
        for name, measure, title, shaded in (
            ("buffer", BUFFER, f"Buffer: {flow}", stalls),
            ("quality", QUALITY, f"Quality: {flow}", None),
        ):
            if of_flow[measure.column].count():
                get = partial(of_player, of_flow, measure.column)
                shown = shaded if shaded is not None and shaded.height else None
                drawn = over_time.over_time(
                    f"{name}-{index}",
                    title,
                    measure,
                    lines,
                    get,
                    shaded=shown,
                    events=comparison.events,
                )
                made += drawn if shown is None else [with_caption(it) for it in drawn]
    return made


def of_player(samples: pl.DataFrame, column: str, lines: list[Line]) -> series.Series:
    """Give a column of a player, by case."""
    return series.of_cases(samples, column, lines)


def stalled(samples: pl.DataFrame) -> pl.DataFrame:
    """Give when a player that has begun, and has not come to the end, does not play.

    The frame has `start_s`, `end_s` and `share`: of the cases and runs.
    """
    run = ["case", "run"]
    begun = pl.col("is_playing").cum_sum().over(run, order_by="time_s") > 0
    goes_on = pl.col("is_playing").reverse().cum_sum().reverse().over(run, order_by="time_s") > 0
    stalls = samples.with_columns(stalled=begun & goes_on & ~pl.col("is_playing"))
    shares = stalls.group_by("time_s").agg(share=pl.col("stalled").mean()).sort("time_s")
    time = pl.col("time_s")
    return (
        shares.with_columns(start_s=time.shift().fill_null(0.0), stretch=pl.col("share").rle_id())
        .group_by("stretch", maintain_order=True)
        .agg(pl.col("start_s").first(), end_s=time.last(), share=pl.col("share").first())
        .filter(pl.col("share") > 0)
        .drop("stretch")
    )


def with_caption(picture: Picture) -> Picture:
    """Say what is shaded."""
    return replace(picture, caption=f"{picture.caption} {STALLED}".strip())
