"""Pictures of pages on their trail, of people under a satellite, and of what is better when."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path
from typing import cast

import altair as alt
import numpy as np
import polars as pl

from windtunnel.measures.measure import VALUE
from windtunnel.pictures import charts
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.results import Results
from windtunnel.tables import ResultTables

from . import models, people
from .measures import MEASURES

HERE = Path(__file__).parent
MILLION = 1e6


def published(table: str, row: str) -> dict[str, float]:
    """Read a row of a table of the paper."""
    tables = tomllib.loads((HERE / "published.toml").read_text(encoding="utf-8"))["tables"]
    found = next(it for it in tables if it["id"] == table)
    return {name: float(value) for name, value in found["rows"][row].items()}


def trail(results: ResultTables) -> list[Picture]:
    """Draw table I: the pages at each satellite at the end of each one's service."""
    held = results["session_stages"].filter(
        pl.col("stage") == pl.col("stage").max().over("serving", "run")
    )
    rows = []
    for (serving, satellite), pages in held.group_by("stage", "held_since", maintain_order=True):
        counts = pages["pages"]
        stage, at = cast(int, serving), cast(int, satellite)
        paper = published(f"table-1-satellite-{at}", "table-1").get(f"satellite-{stage}")
        rows.append(
            {
                "serving": f"satellite {stage} serves",
                "satellite": at,
                "mean": counts.mean(),
                "low": counts.quantile(0.025),
                "high": counts.quantile(0.975),
                "closed": models.pages_at(at, stage),
                "paper": paper,
            }
        )
    caption = (
        "Circles: mean of the runs; lines: 95 % of single runs; ticks: closed form; diamonds: the"
        " paper, of one run."
    )
    chart = partial(trail_chart, pl.DataFrame(rows))
    return [Picture("pages-on-the-trail", "Pages at each satellite", caption, [], chart)]


def trail_chart(frame: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw a panel for each satellite that serves."""
    base = alt.Chart(source(frame)).encode(
        x=alt.X("satellite:O", title="at satellite", axis=alt.Axis(labelAngle=0))
    )
    y = alt.Y("mean:Q", title="pages")
    layers = alt.layer(
        base.mark_rule(color=ink.soft, strokeWidth=1.5).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_tick(color=ink.text, thickness=1.5, size=16).encode(y="closed:Q"),
        base.mark_circle(color=ink.hues[0], size=50, opacity=1).encode(y=y),
        base.mark_point(
            shape="diamond", filled=True, size=50, fill=ink.hues[1], opacity=1, xOffset=11
        ).encode(y="paper:Q"),
        width=ink.sizes.width / 3.4,
        height=130,
    )
    return layers.facet(
        facet=alt.Facet("serving:N", title=None, header=alt.Header(labelColor=ink.text)), columns=3
    ).properties(config=charts.config(ink))


def movements(results: ResultTables) -> list[Picture]:
    """Draw figure 5: movements of pages by policy, by both definitions."""
    rows = []
    paper = published("figure-5", "figure-5")
    for definition, title in (
        ("page_hops", "over single links"),
        ("page_transfers", "however far"),
    ):
        for (policy,), runs in results["sessions"].group_by("policy", maintain_order=True):
            name = str(policy)
            values = runs[definition]
            rows.append(
                {
                    "policy": name,
                    "definition": title,
                    "mean": values.mean(),
                    "paper": paper.get(name),
                }
            )
    caption = "Bars: mean of the runs, by both definitions of a movement; diamonds: the paper."
    chart = partial(movements_chart, pl.DataFrame(rows))
    return [Picture("page-movements", "Page movements in five handovers", caption, [], chart)]


def movements_chart(frame: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw two bars for each policy."""
    order = frame["policy"].unique(maintain_order=True).to_list()
    definitions = frame["definition"].unique(maintain_order=True).to_list()
    base = alt.Chart(source(frame)).encode(
        y=alt.Y("policy:N", sort=order, title=None, axis=alt.Axis(labelLimit=0)),
        yOffset=alt.YOffset("definition:N", sort=definitions),
    )
    colour = alt.Color(
        "definition:N",
        title="movements",
        scale=alt.Scale(domain=definitions, range=[ink.hues[0], ink.hues[4]]),
        legend=alt.Legend(orient="top", labelColor=ink.text, titleColor=ink.text),
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return alt.layer(
        base.mark_bar(opacity=0.85).encode(x=alt.X("mean:Q", title="page movements"), color=colour),
        base.mark_point(
            shape="diamond", filled=True, size=80, fill=ink.text, stroke=ink.background, opacity=1
        ).encode(x="paper:Q"),
        width=width,
        height=alt.Step(12),
        config=charts.config(ink),
    )


def under_one(results: ResultTables) -> list[Picture]:
    """Draw figure 2: the people under one satellite over three orbits."""
    run = cast(Results, results)
    reading = list(run.axes).index("reading")
    frames = []
    cases = run["runs"].select(run.axes).unique(maintain_order=True).rows()
    for place, case in enumerate(cases):
        if case[reading] == "default" and case[0] in ("10x15-star", "15x10-delta"):
            found = people.of_first(people.under(run.scenario, place, case, 0.0))
            frames.append(
                pl.DataFrame(
                    {
                        "orbit": case[0],
                        "minutes": np.arange(len(found)) * people.STEP_S / 60.0,
                        "people": found / MILLION,
                    }
                )
            )
    caption = "The elevation mask is 10°; at the start the orbit crosses the equator northwards."
    chart = partial(under_one_chart, pl.concat(frames))
    return [Picture("people-under-a-satellite", "People under a satellite", caption, [], chart)]


def under_one_chart(frame: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw a panel for each orbit."""
    base = alt.Chart(source(frame)).mark_area(
        line={"color": ink.hues[0]}, color=ink.hues[0], fillOpacity=0.25
    )
    panel = base.encode(
        x=alt.X("minutes:Q", title="time (minutes)", scale=alt.Scale(nice=False)),
        y=alt.Y("people:Q", title="people (millions)"),
    ).properties(width=ink.sizes.width, height=140)
    row = alt.Row("orbit:N", title=None, header=alt.Header(labelColor=ink.text))
    chart: alt.FacetChart = panel.facet(row=row)
    return chart.properties(config=charts.config(ink))


HUES = ["#2c8c5a", "#f2f2ee", "#c0503c"]
"""Better, alike and worse."""

MAPPED = {
    "link-bytes": "bytes over all links",
    "access-latency": "mean latency of an access",
    "latency-99": "latency of an access, 99 %",
    "busiest-satellite": "pages at the busiest satellite",
}
"""What the map compares: measures and their titles."""


def when_better(results: ResultTables) -> list[Picture]:
    """Draw by page size and access rate how on demand compares with the other policies."""
    rows = []
    for name, title in MAPPED.items():
        values = MEASURES[name].take(results, ["page", "rate", "policy", "run"])
        means = values.group_by("page", "rate", "policy", maintain_order=True).agg(
            pl.col(VALUE).mean()
        )
        wide = means.pivot("policy", index=["page", "rate"], values=VALUE)
        rows += [
            {"measure": title, "page": page, "rate": rate, "ratio": on_demand / proactive}
            for page, rate, proactive, on_demand in wide.select(
                "page", "rate", "proactive", "on-demand"
            ).rows()
            if proactive and on_demand is not None
        ]
    caption = (
        "On demand divided by proactive: below 1 (green) on demand is better, above 1 (red) it is"
        " worse; without a cell, nobody waits where pages are moved ahead."
    )
    chart = partial(when_better_chart, pl.DataFrame(rows))
    return [Picture("when-on-demand-is-better", "When is on demand better?", caption, [], chart)]


def when_better_chart(frame: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw a panel for each measure, a cell for each page size and rate."""
    pages, rates = (frame[it].unique(maintain_order=True).to_list() for it in ("page", "rate"))
    base = alt.Chart(source(frame)).encode(
        x=alt.X("page:N", sort=pages, title="page size", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("rate:N", sort=rates, title="accesses of a user"),
    )
    scale = alt.Scale(type="log", domain=[0.03, 1, 30], range=HUES, clamp=True)
    cell = base.mark_rect(stroke=ink.background).encode(
        color=alt.Color("ratio:Q", scale=scale, legend=None, title=None)
    )
    number = base.mark_text(fontSize=ink.sizes.font, color="#1b2026").encode(
        text=alt.Text("ratio:Q", format=",.2~r")
    )
    panel = alt.layer(cell, number, width=ink.sizes.width / 2.6, height=130)
    header = alt.Header(labelColor=ink.text)
    facet = alt.Facet("measure:N", title=None, sort=list(MAPPED.values()), header=header)
    return panel.facet(facet=facet, columns=2).properties(config=charts.config(ink))


PICTURES = {
    "pages-on-the-trail": trail,
    "page-movements": movements,
    "people-under-a-satellite": under_one,
    "when-on-demand-is-better": when_better,
}
"""What only this paper draws, by its kind."""
