"""Compare all controllers over satellites, where paths change every few seconds.

    python validation/compare_handovers.py docs/validation/handovers.md

runs each controller alone from London to New York and from Rio de Janeiro to Saint Petersburg,
with the shortest paths and with Starlink's slots, and replaces the tables of the page, each
between the comments with its name; the picture is saved beside it. Without a page the tables
are printed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import altair as alt
import polars as pl
from compare_ndnsim import replaced

import windtunnel
from windtunnel._core import catalogue
from windtunnel.markdown import table
from windtunnel.measures import path_changes

RATE_BPS = 10e6
MOST = 1448 / 1500
"""The share of the rate that goodput can have."""

KEYS = ["controller", "handover", "run", "flow"]

DURATION_S = 600
BEGIN_S = 20.0
"""When a controller is taken to have found its rate."""

AROUND_S = 2.0
"""How long after a change goodput is that of the change."""

SCENARIO = f"""
duration = "{DURATION_S} s"
recording = {{ links = false }}

[nodes]
london = {{ place = "London" }}
new-york = {{ place = "New York" }}
rio = {{ place = "Rio de Janeiro" }}
petersburg = {{ place = "Saint Petersburg" }}

[constellations.starlink]
preset = "starlink-s1"
inter_satellite_links = {{ rate = "1 Gbps" }}

# At 25°, Saint Petersburg is often without a satellite.
[constellations.starlink.ground_links]
rate = "10 Mbps"
queue = {{ kind = "drop-tail", limit = "100 packets" }}
minimum_elevation = "20°"

[defaults.flow]
controller = "cubic"

[flows]
atlantic = {{ from = "london", to = "new-york" }}
equator = {{ from = "rio", to = "petersburg" }}

[compare.handover]
shortest = {{}}

[compare.handover.slots]
"constellations.starlink.ground_links.handover" = "highest"
"constellations.starlink.ground_links.slot" = "15 s"
"""

PAIRS = {"atlantic": "London – New York", "equator": "Rio de Janeiro – Saint Petersburg"}

LEFT_OUT = {"dctcp-sce", "reno-sce"}
"""These need routers that send the milder mark of SCE."""


def main() -> None:
    """Run everything; write page and picture, or print."""
    results = windtunnel.run(windtunnel.Scenario.parse(SCENARIO + cases()))
    measured = of_flows(results)
    tables = {f"Handovers: {flow}": of_pair(measured, flow) for flow in PAIRS}
    tables["Handovers: steps"] = steps(results)
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
        picture(measured).save(page.with_name("handovers.svg"))
    else:
        print(*tables.values(), sep="\n")


def cases() -> str:
    """Write a case for each controller."""
    known = (it["name"] for it in json.loads(catalogue("controllers")))
    names = (it for it in known if it not in LEFT_OUT)
    lines = [f'{name} = {{ "defaults.flow.controller" = "{name}" }}' for name in names]
    return "\n".join(["\n[compare.controller]", *lines, ""])


def of_flows(results: windtunnel.Results) -> pl.DataFrame:
    """Give goodput, queueing delay, repetitions and decreases of each flow.

    Drops are those of the queues up from its source and down to its destination; what is sent
    again beyond them was not lost.
    Goodput around changes is that of the intervals that begin within `AROUND_S` after one.
    """
    flow = pl.coalesce(
        pl.col("from").replace_strict({"london": "atlantic", "rio": "equator"}, default=None),
        pl.col("to").replace_strict(
            {"new-york": "atlantic", "petersburg": "equator"}, default=None
        ),
    )
    drops = (
        results["links"]
        .with_columns(flow=flow)
        .drop_nulls("flow")
        .group_by(KEYS)
        .agg(drops=pl.col("overlimit_drops").sum())
    )
    routes = results["route_series"].select(*KEYS, "time_s", "propagation_s")
    late = results["flow_series"].filter(pl.col("time_s") > BEGIN_S)
    delays = (
        late.join(routes, on=[*KEYS, "time_s"])
        .with_columns(queueing_s=pl.col("delay_s") - pl.col("propagation_s"))
        .group_by(KEYS)
        .agg(
            goodput=pl.col("goodput_bps").mean() / (MOST * RATE_BPS),
            queueing_ms=1e3 * pl.col("queueing_s").mean(),
            queueing_99_ms=1e3 * pl.col("queueing_s").quantile(0.99),
        )
    )
    around = (
        aligned(results)
        .group_by(KEYS)
        .agg(
            after_up=goodput_after(pl.col("step_s") > 0),
            after_down=goodput_after(pl.col("step_s") < 0),
        )
    )
    flows = results["flows"].select(*KEYS, "retransmissions", "decreases", "reordered")
    joined = flows.join(drops, on=KEYS).join(delays, on=KEYS).join(around, on=KEYS)
    return joined.with_columns(
        needless=(pl.col("retransmissions").cast(pl.Int64) - pl.col("drops")).clip(0)
    )


def aligned(results: windtunnel.Results) -> pl.DataFrame:
    """Give the samples of flows around the changes of their paths."""
    changed = path_changes.changes(results["route_series"], KEYS)
    late = results["flow_series"].filter(pl.col("time_s") > BEGIN_S)
    return path_changes.around(late, changed, KEYS)


def goodput_after(which: pl.Expr) -> pl.Expr:
    """Average the goodput after these changes, as a share of what it can be."""
    after = pl.col("offset_s").is_between(0.0, AROUND_S) & which
    return pl.col("goodput_bps").filter(after).mean() / (MOST * RATE_BPS)


def of_pair(measured: pl.DataFrame, flow: str) -> str:
    """Tabulate the controllers between two places: with shortest paths / with slots."""
    columns = {
        "goodput, %": ("goodput", 100.0, 1),
        "after a step up, %": ("after_up", 100.0, 1),
        "after a step down, %": ("after_down", 100.0, 1),
        "queueing, ms": ("queueing_ms", 1.0, 0),
        "99th percentile, ms": ("queueing_99_ms", 1.0, 0),
        "sent again": ("retransmissions", 1.0, 0),
        "needlessly": ("needless", 1.0, 0),
        "decreases": ("decreases", 1.0, 0),
    }
    rows = []
    for (name,), both in (
        measured.filter(flow=flow).sort("controller").group_by("controller", maintain_order=True)
    ):
        of = {it["handover"]: it for it in both.to_dicts()}
        cells = []
        for column, factor, digits in columns.values():
            values = (of[it][column] for it in ("shortest", "slots"))
            cells.append(
                " / ".join("–" if it is None else f"{factor * it:,.{digits}f}" for it in values)
            )
        rows.append([f"`{name}`", *cells])
    return table(["controller", *columns], rows)


def steps(results: windtunnel.Results) -> str:
    """Tabulate the changes of paths, which are the same for all controllers."""
    first = results["route_series"]["controller"][0]
    routes = results["route_series"].filter(controller=first)
    changed = path_changes.changes(routes, KEYS)
    rows = []
    for flow, pair in PAIRS.items():
        for handover in ("shortest", "slots"):
            of = {"flow": flow, "handover": handover}
            light = routes.filter(**of).select(1e3 * path_changes.ROUND_TRIP).to_series()
            found = changed.filter(**of)["step_s"] * 1e3
            without = routes.filter(**of)["path"].is_null().mean()
            rows.append(
                [
                    pair,
                    handover,
                    f"{light.min():.1f} – {light.max():.1f}",
                    f"{(found > 0).sum()}",
                    f"{found.max():.1f}",
                    f"{(found < 0).sum()}",
                    f"{-found.min():.1f}",
                    f"{100 * without:.1f}",
                ]
            )
    head = ["between", "paths", "round trip of light, ms", "steps up", "greatest, ms"]
    return table([*head, "steps down", "greatest, ms", "without a path, %"], rows)


def picture(measured: pl.DataFrame) -> alt.Chart:
    """Draw the goodput of each controller with shortest paths and with slots."""
    rows = measured.select(
        "controller",
        "handover",
        goodput=100 * pl.col("goodput"),
        pair=pl.col("flow").replace(PAIRS),
    )
    order = (
        rows.group_by("controller").agg(pl.col("goodput").mean()).sort("goodput", descending=True)
    )
    return (
        alt.Chart(rows)
        .mark_point(filled=True, size=45, opacity=0.9)
        .encode(
            x=alt.X("goodput:Q", title="goodput (% of what the link allows)"),
            y=alt.Y("controller:N", sort=order["controller"].to_list(), title=None),
            color=alt.Color(
                "handover:N", title="paths", scale=alt.Scale(range=["#18a0d0", "#a01038"])
            ),
            shape=alt.Shape("handover:N", title="paths"),
            column=alt.Column("pair:N", title=None),
        )
        .properties(width=300)
    )


if __name__ == "__main__":
    main()
