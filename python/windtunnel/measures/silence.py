"""Flows that received nothing, and what the tables say about why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import polars as pl

from windtunnel.measures.directions import path, spanning_tree
from windtunnel.measures.links import DROPS
from windtunnel.measures.sessions import own_flows
from windtunnel.quantities import Quantity, quantity
from windtunnel.tables import ResultTables
from windtunnel.values import values_of_case

Row = dict[str, Any]


@dataclass(frozen=True)
class Silent:
    """A flow that received nothing in some runs of a case."""

    case: tuple[str, ...]
    """Its name on each axis."""
    flow: str
    silent: int
    """The runs in which it received nothing."""
    runs: int
    """All runs of the case."""
    reason: str
    """Why, in the first of these runs."""


def silent_flows(results: ResultTables, most: int) -> tuple[list[Silent], int]:
    """List the first flows that received nothing in at least one run, and count all of them.

    Flows that carry sessions are left out: they wait until a page moves.
    """
    keys = [*results.axes, "flow"]
    nothing = pl.col("received_bytes") == 0
    counted = (nothing.sum().over(keys).alias("silent"), pl.len().over(keys).alias("runs"))
    silent = own_flows(results).with_columns(counted).filter(nothing)
    rows = silent.unique(keys, keep="first", maintain_order=True)
    # Tables of several experiments have no one scenario.
    values = cache(partial(values_of_case, getattr(results, "scenario", ""), tuple(results.axes)))
    listed = [
        Silent(case, row["flow"], row["silent"], row["runs"], reason(results, row, values(case)))
        for row in rows.head(most).to_dicts()
        for case in [tuple(row[axis] for axis in results.axes)]
    ]
    return listed, rows.height


def reason(results: ResultTables, row: Row, values: dict[str, Any]) -> str:
    """Say why a flow received nothing in a run, as far as the tables tell."""
    [run] = of_run(results, "runs", row).to_dicts()
    match row:
        case {"connections": 0} | {"protocol": "ndn", "interests": 0} | {"datagrams": 0}:
            return began_not(values, row["flow"], run["duration_s"])
        case {"connections": int(), "segments": 0}:
            said = "its SYN was never answered"
        case {"connections": int(), "segments": int(sent)}:
            said = f"none of its {sent:,} segments arrived in order"
        case {"interests": int(sent)}:
            refused = f", {row['nacks']:,} were refused (NACK)" if row["nacks"] else ""
            said = f"none of its {sent:,} Interests was answered with Data{refused}"
        case {"datagrams": int(sent)}:
            said = f"none of its {sent:,} datagrams arrived"
        case _:
            said = "nothing arrived"
    return "; ".join([said, *dead_links(results, row)])


def began_not(values: dict[str, Any], flow: str, duration_s: float) -> str:
    """Say why a flow did not begin: it starts after the end, or had nothing to send until then."""
    start = start_of(values, flow)
    if start and start.number >= duration_s:
        return f"it starts at {start.at(start.number)}, and the run ends at {duration_s:g} s"
    return f"it had not begun when the run ended at {duration_s:g} s"


def start_of(values: dict[str, Any], flow: str) -> Quantity | None:
    """Find when a flow or consumer starts; None if its own name is not in the file."""
    for kind in ("flow", "consumer"):
        own = f"{kind}s.{flow}."
        if any(it.startswith(own) for it in values):
            return quantity(values.get(f"{own}start", values.get(f"defaults.{kind}.start")))
    return None


def dead_links(results: ResultTables, row: Row) -> list[str]:
    """Say which links that a flow needs delivered nothing of what they were offered.

    They are those along a spanning tree, as in `directions`: with TCP both ways, for its
    acknowledgements. A consumer may be served from anywhere, so that all links count.
    """
    links = of_run(results, "links", row)
    dead = links.filter(pl.col("offered") > 0, pl.col("delivered") == 0).to_dicts()
    if row.get("peer"):
        needed = hops(links, row["peer"], row["node"])
        if row["protocol"] != "udp":
            needed |= {(to, source) for source, to in needed}
        dead = [it for it in dead if (it["from"], it["to"]) in needed]
    return [said for it in dead if (said := dead_link(it))]


def hops(links: pl.DataFrame, source: str, to: str) -> set[tuple[str, str]]:
    """Give both ends of each link from one node to another."""
    parents, depths = spanning_tree(links.select("from", "to").rows())
    steps = path(source, to, parents, depths)
    return {(it, parents[it]) if up else (parents[it], it) for it, up in steps}


def dead_link(link: Row) -> str | None:
    """Say what became of what a link was offered; None if it was under way at the end."""
    name = f"link {link['link']} from {link['from']} to {link['to']}"
    offered = f"{link['offered']:,} packets"
    if link["losses"]:
        return f"{name} lost {link['losses']:,} of {offered} and delivered none"
    if sum(link[it] for it in DROPS) == link["offered"]:
        return f"the queue of {name} dropped all of {offered}"
    return None if link["utilisation"] else f"{name} was down: it sent none of {offered}"


def of_run(results: ResultTables, table: str, row: Row) -> pl.DataFrame:
    """Give the rows of a table for the case and run of a row."""
    keys = [*results.axes, "run"]
    return results[table].filter(*(pl.col(key) == row[key] for key in keys))
