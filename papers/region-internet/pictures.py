"""Pictures of tables, lookups, messages and names, and of networks of regions in each case."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import altair as alt
import polars as pl

from windtunnel.measures.measure import VALUE, Measure
from windtunnel.pictures import charts
from windtunnel.pictures.cases import BETWEEN, Comparison
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.regions import map_of
from windtunnel.tables import ResultTables

from . import convergence, lookups, names

DEFAULT = "default"


def kept(results: ResultTables) -> list[Picture]:
    """Draw what each region keeps of a flat table, from the largest to the smallest."""
    shares = results["routers"].with_columns(share=pl.col("entries") / pl.col("flat_entries"))
    ranks = pl.col("share").rank("ordinal", descending=True).over("family")
    frame = shares.select("family", "node", "share", rank=ranks).sort("family", "rank")
    largest = [
        f"{family}: {', '.join(it.upper() for it in rows.head(4)['node'])}"
        for (family,), rows in frame.group_by("family", maintain_order=True)
    ]
    caption = (
        "Each point is a country as a region, with the prefixes that it holds today and a code"
        f" for each other one. The largest: {'; '.join(largest)}."
    )
    chart = partial(kept_chart, frame)
    return [Picture("tables-by-region", "What a router keeps by region", caption, [], chart)]


def kept_chart(frame: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw a line for each family of addresses."""
    drawn: Drawing = (
        alt.Chart(source(frame))
        .mark_line(point=alt.OverlayMarkDef(size=12), strokeWidth=1.5)
        .encode(
            x=alt.X("rank:Q", title="regions, the largest first", scale=alt.Scale(type="log")),
            y=alt.Y("share:Q", title="entries, of a flat table", scale=alt.Scale(type="log")),
            color=coloured("family", frame, ink),
        )
        .properties(width=width(ink), height=260, config=charts.config(ink))
    )
    return drawn


def lookup_times(results: ResultTables) -> list[Picture]:
    """Draw what a lookup costs by table, destinations and caches."""
    rows = []
    for cache in ("warm", "cold"):
        for destinations in ("uniform", "zipf"):
            values = lookups.MEASURES[f"{cache}-{destinations}"].take(results, ["table", "run"])
            means = values.group_by("table", maintain_order=True).agg(pl.col(VALUE).mean())
            rows += [
                {"caches": f"{cache} caches", "destinations": destinations, "table": it, "ns": ns}
                for it, ns in means.iter_rows()
            ]
    caption = (
        "codes: the eight bits of the destination's region, in an array; full-codes: all 32 bits"
        " of its sub-region, in a hash table; the others: the longest prefix, in a poptrie."
    )
    chart = partial(bars_chart, pl.DataFrame(rows), ("table", "destinations", "caches"), "ns")
    return [Picture("lookup-times", "A lookup", caption, [], chart)]


def converged(results: ResultTables) -> list[Picture]:
    """Draw messages, bytes and time by event and rules."""
    rows = []
    for name, unit in (("messages", ""), ("kilobytes", "kB"), ("time-to-agree", "s")):
        measure: Measure = convergence.MEASURES[name]
        values = measure.take(results, ["event", "rules", "reading", "run"])
        chosen = values.filter(pl.col("event") != "none", reading=DEFAULT)
        means = chosen.group_by("event", "rules", maintain_order=True).agg(pl.col(VALUE).mean())
        title = f"{measure.title}{f' ({unit})' if unit else ''}"
        rows += [
            {"what": title, "event": event, "rules": rules, "value": value}
            for event, rules, value in means.iter_rows()
        ]
    chart = partial(bars_chart, pl.DataFrame(rows), ("event", "rules", "what"), "value")
    caption = "What goes: one of two links between us and gb, their agreement, or all links of de."
    return [Picture("convergence", "Until all routers agree", caption, [], chart)]


def bars_chart(frame: pl.DataFrame, axes: tuple[str, str, str], value: str, ink: Ink) -> Drawing:
    """Draw bars by the first axis, beside each other by the second, in panels by the third."""
    along, beside, panels = axes
    order = {it: frame[it].unique(maintain_order=True).to_list() for it in axes}
    base = alt.Chart(source(frame)).encode(
        y=alt.Y(f"{along}:N", sort=order[along], title=None),
        yOffset=alt.YOffset(f"{beside}:N", sort=order[beside]),
    )
    bars = base.mark_bar(opacity=0.85).encode(
        x=alt.X(f"{value}:Q", title=None), color=coloured(beside, frame, ink)
    )
    number = base.mark_text(align="left", dx=3, color=ink.text, fontSize=ink.sizes.font).encode(
        x=f"{value}:Q", text=alt.Text(f"{value}:Q", format=",.3~r")
    )
    panel = alt.layer(bars, number, width=ink.sizes.width / 1.4, height=alt.Step(14))
    header = alt.Header(labelColor=ink.text)
    facet = alt.Facet(f"{panels}:N", title=None, sort=order[panels], header=header)
    drawn: alt.FacetChart = panel.facet(facet=facet, columns=1)
    chart: Drawing = drawn.resolve_scale(x="independent").properties(config=charts.config(ink))
    return chart


def networks(results: ResultTables) -> list[Picture]:
    """Draw the network of each case, and what its nodes forward by."""
    comparison = Comparison(results)
    made = []
    for case in range(len(comparison.cases)):
        regions, routers, links = (
            comparison[name].filter(case=case, run=0) for name in ("regions", "routers", "links")
        )
        one_way = links.unique("link", keep="first", maintain_order=True)
        picture = map_of(regions, routers, one_way)
        parts = comparison.parts(case)
        name = "-".join(["network", *parts])
        made.append(replace(picture, name=name, title=BETWEEN.join(parts) or picture.title))
    return made


def asked(results: ResultTables) -> list[Picture]:
    """Draw what the roots answered."""
    texts = {0: "no error", 3: "no such name", 5: "refused"}
    rows = []
    for name, (root, question) in names.ASKED.items():
        answer = names.answers()[name]
        kind = "address and code" if names.CODE in answer.records else "no address"
        rows.append(
            {
                "question": f"{question}, asked of {root}",
                "answer": f"{texts[answer.status]}: {kind}",
                "bytes": answer.size,
            }
        )
    caption = "Each bar is the size of an answer that a root gave over UDP, in bytes."
    return [Picture("names", "What roots answer", caption, [], partial(asked_chart, rows))]


def asked_chart(rows: list[dict[str, object]], ink: Ink) -> Drawing:
    """Draw a bar for each question."""
    frame = pl.DataFrame(rows)
    base = alt.Chart(source(frame)).encode(
        y=alt.Y(
            "question:N",
            sort=frame["question"].to_list(),
            title=None,
            axis=alt.Axis(labelLimit=0),
        )
    )
    bars = base.mark_bar(opacity=0.85).encode(
        x=alt.X("bytes:Q", title="answer (bytes)"), color=coloured("answer", frame, ink)
    )
    chart: Drawing = bars.properties(
        width=width(ink), height=alt.Step(24), config=charts.config(ink)
    )
    return chart


def coloured(column: str, frame: pl.DataFrame, ink: Ink) -> alt.Color:
    """Give each name of a column its colour."""
    known = frame[column].unique(maintain_order=True).to_list()
    hues = [ink.hues[place % len(ink.hues)] for place in range(len(known))]
    legend = alt.Legend(orient="top", title=None, labelColor=ink.text, labelLimit=0)
    scale = alt.Scale(domain=known, range=hues)
    return alt.Color(f"{column}:N", scale=scale, sort=known, legend=legend)


def width(ink: Ink) -> float | str:
    """Give the width of a chart: that of the page on a screen."""
    return "container" if ink is SCREEN else ink.sizes.width


PICTURES = {
    "tables-by-region": kept,
    "lookup-times": lookup_times,
    "convergence": converged,
    "network-of-regions": networks,
    "names": asked,
}
"""What only this paper draws, by its kind."""
