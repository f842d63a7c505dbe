"""Flows that received nothing, and what the tables say about why."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import polars as pl

from windtunnel.measures.directions import hops, spanning_tree
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
    unnamed = cache(partial(unresolved, results))
    # Tables of several experiments have no one scenario.
    values = cache(partial(values_of_case, getattr(results, "scenario", ""), tuple(results.axes)))
    dead = cache(partial(dead_links, results))
    listed = [
        Silent(
            case,
            row["flow"],
            row["silent"],
            row["runs"],
            unnamed((*case, row["run"])).get(row["flow"])
            or reason(row, values(case), dead((*case, row["run"]))),
        )
        for row in rows.head(most).to_dicts()
        for case in [tuple(row[axis] for axis in results.axes)]
    ]
    return listed, rows.height


def reason(row: Row, values: dict[str, Any], dead: Dead) -> str:
    """Say why a flow received nothing in a run, as far as the tables tell."""
    match row:
        case {"connections": 0} | {"protocol": "ndn", "interests": 0} | {"datagrams": 0}:
            return began_not(values, row["flow"], dead.duration_s)
        case {"connections": int(), "segments": 0}:
            said = "its SYN was not answered"
        case {"connections": int(), "segments": int(sent)}:
            said = f"none of its {sent:,} segments arrived in order"
        case {"interests": int(sent)}:
            refused = f", {row['nacks']:,} were refused (NACK)" if row["nacks"] else ""
            said = f"none of its {sent:,} Interests was answered with Data{refused}"
        case {"datagrams": int(sent)}:
            said = f"none of its {sent:,} datagrams arrived"
        case _:
            said = "nothing arrived"
    return "; ".join([said, *dead.on_path_of(row)])


OUTCOMES = {
    "no-name": "there is no such name",
    "no-data": "there is no address at that name",
    "refused": "the root refused: it exchanges no names with that region",
    "server-failure": "the root of that region did not answer",
    "no-answer": "the root of its own region did not answer",
}
"""What became of a name that was not found, by `outcome`."""


def unresolved(results: ResultTables, run: tuple[Any, ...]) -> dict[str, str]:
    """Say of each flow of a run, by its case and number, why the address of its name is unknown."""
    lookups = results["name_lookups"]
    if lookups.is_empty():
        return {}
    keys = [pl.col(key) == it for key, it in zip([*results.axes, "run"], run, strict=True)]
    rows = lookups.filter(*keys, pl.col("start_s").is_not_null()).to_dicts()
    return {
        it["flow"]: f"its name {it['name']} was not found: {said}"
        for it in rows
        if (said := OUTCOMES.get(it["outcome"] or ""))
    }


def began_not(values: dict[str, Any], flow: str, duration_s: float) -> str:
    """Say why a flow did not begin: it starts after the end, or had nothing to send until then."""
    start = start_of(values, flow)
    if start and start.number >= duration_s:
        return f"it starts at {start.at(start.number)}, and the run ends at {duration_s:g} s"
    return f"it had not started when the run ended at {duration_s:g} s"


def start_of(values: dict[str, Any], flow: str) -> Quantity | None:
    """Find when a flow or consumer starts; None if its own name is not in the file."""
    for kind in ("flow", "consumer"):
        own = f"{kind}s.{flow}."
        if any(it.startswith(own) for it in values):
            return quantity(values.get(f"{own}start", values.get(f"defaults.{kind}.start")))
    return None


@dataclass(frozen=True)
class Dead:
    """The links of a run that delivered nothing of what they were offered."""

    duration_s: float
    """How long the run was."""
    links: list[Row]
    parents: dict[str, str]
    depths: dict[str, int]
    """The spanning tree of the network, as in `directions`."""

    def on_path_of(self, row: Row) -> list[str]:
        """Say which of them a flow needs: along the tree, and with TCP both ways.

        A consumer may be served from anywhere, so that all links count.
        """
        dead = self.links
        if row.get("peer"):
            needed = set(hops(row["peer"], row["node"], self.parents, self.depths))
            if row["protocol"] != "udp":
                needed |= {(to, source) for source, to in needed}
            dead = [it for it in dead if (it["from"], it["to"]) in needed]
        return [said for it in dead if (said := dead_link(it))]


def dead_links(results: ResultTables, run: tuple[Any, ...]) -> Dead:
    """Find the dead links of a run, by its case and number."""
    keys = [pl.col(key) == it for key, it in zip([*results.axes, "run"], run, strict=True)]
    links = results["links"].filter(*keys)
    dead = links.filter(pl.col("offered") > 0, pl.col("delivered") == 0).to_dicts()
    tree = spanning_tree(links.select("from", "to").rows()) if dead else ({}, {})
    return Dead(results["runs"].filter(*keys)["duration_s"].item(), dead, *tree)


def dead_link(link: Row) -> str | None:
    """Say what became of what a link was offered; None if it was under way at the end."""
    name = f"link {link['link']} from {link['from']} to {link['to']}"
    offered = f"{link['offered']:,} packets"
    if link["losses"]:
        return f"{name} lost {link['losses']:,} of {offered} and delivered none"
    if sum(link[it] for it in DROPS) == link["offered"]:
        return f"the queue of {name} dropped all of {offered}"
    return None if link["utilisation"] else f"{name} was down: it sent none of {offered}"
