"""Pictures of how flows divide between paths that they choose, over time."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.cases import BETWEEN, Comparison
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.paths import OTHERS, colour, named, of_senders
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import maximum

LEAST_FLOWS = 8
"""Fewer flows are not drawn as shares."""

POINTS = 240
"""The number of intervals of a line, at least half a second each."""

KEYS = ["case", "name"]
"""What a line is of: a case, and a path."""


def path_shares(comparison: Comparison) -> list[Picture]:
    """Draw for each case which share of the flows uses which path, in the first run."""
    used = comparison.tables.get("paths")
    # Results of earlier versions have no such table.
    if used is None or used.is_empty():
        return []
    first = used["run"].min()
    used = of_senders(comparison, used.filter(pl.col("run") == first))
    if used.select("flow", "subflow").unique().height < LEAST_FLOWS:
        return []
    names = named(used)
    changes = of_senders(comparison, comparison["path_changes"].filter(run=first))
    duration = maximum(comparison["runs"]["duration_s"])
    drawn = over_time(changes, names, duration)
    return [of_case(comparison, case, drawn.filter(case=case), names) for case in cases(drawn)]


def cases(drawn: pl.DataFrame) -> list[int]:
    """Give the cases that there is something of."""
    return drawn["case"].unique().sort().to_list()


def over_time(changes: pl.DataFrame, names: dict[str, str], duration: float) -> pl.DataFrame:
    """Give the mean share of flows on each path in each interval: `case`, `name`, `time_s`,
    `share`."""
    step = max(duration / POINTS, 0.5)
    steps = pl.DataFrame({"time_s": [it * step for it in range(int(duration / step) + 1)]})
    begun = changes.select("case", name=path("path_links", names), time_s="time_s", change=1)
    ended = changes.filter(pl.col("path_links_before").is_not_null()).select(
        "case", name=path("path_links_before", names), time_s="time_s", change=-1
    )
    # How many use a path from each change on, and the sum of that over the time until then.
    users = (
        pl.concat([begun, ended])
        .sort("time_s", maintain_order=True)
        .with_columns(users=pl.col("change").cum_sum().over(KEYS))
        .with_columns(
            sum=(pl.col("users").shift(1) * pl.col("time_s").diff())
            .fill_null(0.0)
            .cum_sum()
            .over(KEYS)
        )
    )
    flows = (
        begun.group_by("case")
        .agg(flows=(pl.col("change").sum()))
        .join(ended.group_by("case").agg(ended=pl.col("change").sum()), on="case", how="left")
    )
    flows = flows.select("case", flows=pl.col("flows") + pl.col("ended").fill_null(0))
    grid = users.select(KEYS).unique(maintain_order=True).join(steps, how="cross")
    sums = grid.sort("time_s").join_asof(
        users.select(*KEYS, "users", "sum", begin="time_s"),
        left_on="time_s",
        right_on="begin",
        by=KEYS,
        check_sortedness=False,
    )
    total = (pl.col("sum") + pl.col("users") * (pl.col("time_s") - pl.col("begin"))).fill_null(0.0)
    return (
        sums.with_columns(total=total)
        .sort(*KEYS, "time_s")
        .with_columns(mean=pl.col("total").diff().over(KEYS) / step)
        .drop_nulls("mean")
        .join(flows, on="case")
        .select(*KEYS, pl.col("time_s") - step / 2, share=100 * pl.col("mean") / pl.col("flows"))
    )


def path(column: str, names: dict[str, str]) -> pl.Expr:
    """Name a path by its links."""
    return pl.col(column).replace_strict(names, default=OTHERS)


def of_case(
    comparison: Comparison, case: int, drawn: pl.DataFrame, names: dict[str, str]
) -> Picture:
    """Draw the shares of a case."""
    parts = BETWEEN.join(comparison.parts(case))
    title = ": ".join(filter(None, ["Shares of flows on each path", parts]))
    name = f"path-shares-{case + 1}" if len(comparison.cases) > 1 else "path-shares"
    caption = "The share of all flows whose packets take each path, as the mean of each interval."
    return Picture(name, title, caption, [], partial(draw, drawn, names))


def draw(frame: pl.DataFrame, names: dict[str, str], ink: Ink) -> Drawing:
    """Draw a line for each path."""
    frame = frame.with_columns(pl.col("time_s", "share").round_sig_figs(charts.DIGITS))
    lines: alt.Chart = alt.Chart(source(frame)).mark_line(strokeWidth=1.8, clip=True)
    drawn: alt.Chart = lines.encode(
        x=alt.X("time_s:Q", title=charts.TIME, scale=alt.Scale(domainMin=0, nice=False)),
        y=alt.Y("share:Q", title="share of flows (%)", scale=alt.Scale(domain=[0, 100])),
        color=colour(names, ink),
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return drawn.properties(width=width, height=ink.sizes.height, config=charts.config(ink))
