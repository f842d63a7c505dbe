"""Pictures of the paths that hosts chose between autonomous systems."""

from __future__ import annotations

from functools import partial

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.bar_charts import of_texts
from windtunnel.pictures.cases import BETWEEN, Comparison
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture

MOST_ROWS = 24
"""The maximum number of flows with a bar of their own."""

MOST_PATHS = 8
"""The maximum number of paths with a colour of their own."""

MOST_CHANGES = 400
"""A flow that changes its path more often is left out of the picture over time."""

OTHERS = "other paths"


def paths(comparison: Comparison) -> list[Picture]:
    """Draw over which paths each flow sent its data, and when it changed from one to another."""
    used = comparison.tables.get("paths")
    # Results of earlier versions have no such table.
    if used is None or used.is_empty():
        return []
    first = used["run"].min()
    used = of_senders(comparison, used.filter(pl.col("run") == first))
    rows = used["row"].unique(maintain_order=True).to_list()
    shown = rows[:MOST_ROWS]
    used = used.filter(pl.col("row").is_in(shown))
    changes = of_senders(comparison, comparison["path_changes"].filter(run=first))
    changes = changes.filter(pl.col("row").is_in(shown))
    names = named(used)
    made = [shares(used, names, len(rows))]
    spans = in_use(comparison, changes, names)
    if not spans.is_empty():
        made.append(over_time(spans, names))
    return made


def of_senders(comparison: Comparison, table: pl.DataFrame) -> pl.DataFrame:
    """Keep the rows of those who send data, and name each by its case, flow and subflow."""
    senders = comparison["flows"].select("case", "run", "flow", "peer").unique()
    keys = ["case", "run", "flow"]
    table = table.join(senders, on=keys, maintain_order="left").filter(
        pl.col("node") == pl.col("peer")
    )
    several_flows = table["flow"].n_unique() > 1
    subflows = table.select("case", "flow", "subflow").unique()
    several = set(subflows.filter(pl.col("subflow") > 0).select("case", "flow").rows())

    def row(it: dict[str, object]) -> str:
        """Name a row by what distinguishes it."""
        parts = list(comparison.parts(int(str(it["case"]))))
        parts += [str(it["flow"])] if several_flows or not parts else []
        is_one_of_several = (it["case"], it["flow"]) in several
        parts += [f"subflow {it['subflow']}"] if is_one_of_several else []
        return BETWEEN.join(parts)

    rows = [row(it) for it in table.select("case", "flow", "subflow").to_dicts()]
    return table.with_columns(row=pl.Series(rows, dtype=pl.String))


def named(used: pl.DataFrame) -> dict[str, str]:
    """Name paths by their systems, and where that is not enough by their links; most used first.

    Of more paths than there are colours, the least used have one name together.
    """
    totals = used.group_by("path", "path_links", maintain_order=True).agg(
        pl.col("path_bytes").sum()
    )
    totals = totals.sort("path_bytes", descending=True, maintain_order=True)
    several = totals["path"].is_duplicated().to_list()
    labels = [
        links if is_several else systems.replace(" ", " → ")
        for (systems, links), is_several in zip(
            totals.select("path", "path_links").rows(), several, strict=True
        )
    ]
    most = MOST_PATHS if len(labels) <= MOST_PATHS else MOST_PATHS - 1
    labels = [*labels[:most], *[OTHERS for _ in labels[most:]]]
    return dict(zip(totals["path_links"].to_list(), labels, strict=True))


def colour(names: dict[str, str], ink: Ink) -> alt.Color:
    """Give each path its colour, and the legend."""
    labels = list(dict.fromkeys(names.values()))
    hues = [ink.hues[it % len(ink.hues)] for it in range(len(labels))]
    hues = [ink.soft if label == OTHERS else hue for label, hue in zip(labels, hues, strict=True)]
    legend = alt.Legend(
        orient="top",
        title="path",
        columns=1,
        labelColor=ink.text,
        titleColor=ink.text,
        labelLimit=0,
    )
    return alt.Color("name:N", scale=alt.Scale(domain=labels, range=hues), legend=legend)


def shares(used: pl.DataFrame, names: dict[str, str], count: int) -> Picture:
    """Draw which share of each flow's bytes went over which path."""
    frame = used.select(
        "row",
        "path_policy",
        name=pl.col("path_links").replace_strict(names),
        share=100 * pl.col("path_bytes") / pl.col("path_bytes").sum().over("row"),
    )
    frame = frame.group_by("row", "name", maintain_order=True).agg(pl.col("share").sum())
    caption = "The share of each flow's packets, by their bytes, that took each path."
    if count > MOST_ROWS:
        caption += f" The first {MOST_ROWS} of {count} flows."
    chart = partial(draw_shares, frame, names)
    return Picture("paths", "Paths between autonomous systems", caption, [], chart)


def draw_shares(frame: pl.DataFrame, names: dict[str, str], ink: Ink) -> Drawing:
    """Draw a bar for each flow."""
    rows = frame["row"].unique(maintain_order=True).to_list()
    labels = of_texts(rows, ink)
    order = {label: place for place, label in enumerate(dict.fromkeys(names.values()))}
    frame = frame.with_columns(order=pl.col("name").replace_strict(order))
    bars: alt.Chart = alt.Chart(source(frame)).mark_bar()
    drawn: alt.Chart = bars.encode(
        x=alt.X("share:Q", title="share of bytes (%)", scale=alt.Scale(domain=[0, 100])),
        y=alt.Y("row:N", title=None, sort=rows, axis=labels.axis(ink)),
        color=colour(names, ink),
        order=alt.Order("order:Q"),
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return drawn.properties(width=width, height=labels.height(ink), config=charts.config(ink))


def in_use(comparison: Comparison, changes: pl.DataFrame, names: dict[str, str]) -> pl.DataFrame:
    """Say from when until when each flow used which path; without flows that change often."""
    few = changes.group_by("row").len().filter(pl.col("len") <= MOST_CHANGES)["row"].to_list()
    changes = changes.filter(pl.col("row").is_in(few))
    ends = comparison["runs"].select("case", "run", "duration_s")
    changes = changes.join(ends, on=["case", "run"], maintain_order="left")
    return changes.select(
        "row",
        "is_forced",
        name=pl.col("path_links").replace_strict(names, default=OTHERS),
        start_s="time_s",
        end_s=pl.col("time_s").shift(-1).over("row").fill_null(pl.col("duration_s")),
    )


def over_time(spans: pl.DataFrame, names: dict[str, str]) -> Picture:
    """Draw which path each flow used when."""
    caption = (
        "The path of each flow's packets over time. Crosses: the path before could not be used "
        "any more, because the network had reported a failure."
    )
    chart = partial(draw_over_time, spans, names)
    return Picture("paths-over-time", "Paths in use over time", caption, [], chart)


def draw_over_time(spans: pl.DataFrame, names: dict[str, str], ink: Ink) -> Drawing:
    """Draw a bar for each time on a path, and a cross where the network forced a change."""
    rows = spans["row"].unique(maintain_order=True).to_list()
    labels = of_texts(rows, ink)
    x = alt.X("start_s:Q", title=charts.TIME, scale=alt.Scale(domainMin=0, nice=False))
    y = alt.Y("row:N", title=None, sort=rows, axis=labels.axis(ink))
    bars: alt.Chart = alt.Chart(source(spans)).mark_bar(height=ink.sizes.row * 0.6)
    forced = spans.filter(pl.col("is_forced"))
    crosses: alt.Chart = alt.Chart(source(forced)).mark_point(
        shape="cross", angle=45, size=70, filled=True, color=ink.text, opacity=1.0
    )
    layers = [
        bars.encode(x=x, x2="end_s:Q", y=y, color=colour(names, ink)),
        crosses.encode(x=x, y=y),
    ]
    width = "container" if ink is SCREEN else ink.sizes.width
    return charts.layered(layers, ink, width=width, height=labels.height(ink))
