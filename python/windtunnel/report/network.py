"""The drawing of the network at the top of a report: its use and its queues over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from windtunnel.measures.links import DIRECTION
from windtunnel.pictures.cases import BETWEEN, Comparison
from windtunnel.pictures.choices import Choice
from windtunnel.pictures.units import maximum

FRAMES = 60
"""The most instants that the slider has."""

MOST_NODES = 120
"""A network with more nodes is not drawn: its names would hide each other."""

MOST_FLOWS = 24
"""The most flows that have a button of their own; all others can be chosen further down."""

ENDS = [it for it in DIRECTION if it != "link"]


@dataclass(frozen=True)
class Network:
    """A network as the page draws it."""

    caption: str
    flows: list[tuple[str, int]]
    """The flows with a button, and their places among those that can be chosen."""
    data: dict[str, Any]
    """`nodes`, `directions`, `times`, and for each direction its `use` and `queue` over time.

    Empty where there are too many nodes to draw.
    """


def network(comparison: Comparison, flows: Choice | None, links: Choice | None) -> Network | None:
    """Lay down what is drawn of the first case and run; none without links."""
    first = comparison["runs"].select("case", "run").row(0, named=True)
    directions = comparison["links"].filter(**first).select(DIRECTION)
    nodes = pl.concat([directions[end] for end in ENDS]).unique(maintain_order=True).to_list()
    if not nodes:
        return None
    if len(nodes) > MOST_NODES:
        said = f"A network of {len(nodes):,} nodes is not drawn, only one of up to {MOST_NODES}."
        return Network(said, [], {})
    series = comparison["link_series"].filter(**first)
    times, frame = frames(series)
    found = measured(series, frame)
    options = {name: place for place, name in enumerate(links.options)} if links else {}
    drawn = []
    for link, start, end in directions.rows():
        use, queue = found.get((link, start, end), ({}, {}))
        drawn.append(
            {
                "link": link,
                "from": nodes.index(start),
                "to": nodes.index(end),
                "option": options.get(f"{link}: {start} to {end}"),
                "use": [use.get(it) for it in range(len(times))],
                "queue": [queue.get(it) for it in range(len(times))],
            }
        )
    buttons = list(zip(flows.options, range(len(flows.options)), strict=True)) if flows else []
    data = {
        "nodes": nodes,
        "directions": drawn,
        "times": times,
        "flows": ends_of_flows(comparison, first, nodes),
        "longest": maximum(series["queue_packets"]),
    }
    return Network(caption(comparison, buttons), buttons[:MOST_FLOWS], data)


def frames(series: pl.DataFrame) -> tuple[list[float], pl.Expr]:
    """Choose the instants of the slider, and say to which each sample belongs."""
    end = maximum(series["time_s"].unique())
    count = min(FRAMES, max(series["time_s"].n_unique(), 1))
    index = (pl.col("time_s") / (end or 1.0) * count).ceil().clip(1, count).cast(pl.Int64) - 1
    return [float(f"{end * (it + 1) / count:.6g}") for it in range(count)], index


def measured(
    series: pl.DataFrame, frame: pl.Expr
) -> dict[tuple[str, str, str], tuple[dict[int, int], dict[int, float]]]:
    """Give the mean use in % and the mean queue of each direction by the frame."""
    means = (
        series.with_columns(frame.alias("frame"))
        .group_by(*DIRECTION, "frame", maintain_order=True)
        .agg(
            use=(100 * pl.col("utilisation")).mean().round().cast(pl.Int64),
            queue=pl.col("queue_packets").mean().round_sig_figs(3),
        )
        .group_by(DIRECTION, maintain_order=True)
        .agg("frame", "use", "queue")
    )
    return {
        (link, start, end): (
            dict(zip(at, use, strict=True)),
            dict(zip(at, queue, strict=True)),
        )
        for link, start, end, at, use, queue in means.rows()
    }


def ends_of_flows(
    comparison: Comparison, first: dict[str, Any], nodes: list[str]
) -> list[list[int]]:
    """Give the source and the destination of each flow: they are drawn apart.

    The sources of a consumer are the nodes of producers.
    """
    pairs = comparison["flows"].filter(**first).select("peer", "node").unique(maintain_order=True)
    return [
        [nodes.index(source), nodes.index(end)]
        for peer, end in pairs.rows()
        for source in ([peer] if peer else comparison.producers)
        if source in nodes and end in nodes
    ]


def caption(comparison: Comparison, buttons: list[tuple[str, int]]) -> str:
    """Say what is drawn, and what is not."""
    said = [
        "Lines: the two directions of each link, the darker the more they are used; bars: what "
        "waits at their start. Select a link or a flow to see its pictures."
    ]
    if len(comparison.cases) > 1 or comparison.several_runs:
        name = BETWEEN.join(comparison.parts(0))
        said.append(f"Of the first run{f' of {name}' if name else ''}.")
    if len(buttons) > MOST_FLOWS:
        said.append(f"First {MOST_FLOWS} of {len(buttons)} flows; all can be chosen further down.")
    return " ".join(said)
