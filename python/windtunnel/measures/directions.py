"""Total goodput by direction: what crosses a network one way is not added to the other way.

Two flows that share links are in one direction if they cross them the same way. Flows that
share none have no common capacity and count as one direction, and so do consumers of NDN, whose
Data can come from several nodes and caches. Paths are those along a spanning tree of the links:
in a network without cycles the only ones.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import polars as pl

from windtunnel.measures.measure import Tables

Ends = tuple[str, str]
"""The names of a source and a destination node."""

REVERSE = "in reverse"
"""The column that is true for one of the two directions."""

NETWORK = "network of the run"
"""A column that no axis of a comparison is likely to be named after."""


def goodput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the total goodput of flows for each of `keys`, among which are those of a run.

    It is what all flows of one direction received over the whole run, in bit/s: of the
    direction that received more, over all runs of a case.
    """
    return fuller(results, keys).drop(REVERSE)


def fuller(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the direction that received more, over all runs of a case, and its goodput for each of
    `keys`."""
    both = of_each(results, keys)
    received = pl.col("goodput_bps").sum().over(*of_case(keys), REVERSE)
    ordered = both.sort(received, REVERSE, descending=[True, False], maintain_order=True)
    found = ordered.unique(keys, keep="first", maintain_order=True)
    # In the order of the runs, not of their goodput.
    in_order = both.select(keys).unique(maintain_order=True)
    return in_order.join(found, on=keys, nulls_equal=True, maintain_order="left")


def of_each(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the total goodput of flows for each of `keys` and direction (`REVERSE`)."""
    of_run = identifying(results, keys)
    received = pl.col("received_bytes").sum()
    durations = results["runs"].select(*of_run, "duration_s")
    return (
        with_directions(results, of_run)
        .group_by(*keys, REVERSE, maintain_order=True)
        .agg(received)
        .join(durations, on=of_run, maintain_order="left")
        .select(
            *keys,
            REVERSE,
            goodput_bps=pl.col("received_bytes") * 8.0 / pl.col("duration_s"),
        )
    )


def in_fuller(keys: list[str]) -> pl.Expr:
    """Say which flows are in the direction that received more, over all runs of a case."""
    received = pl.col("received_bytes").cast(pl.Int64)
    forward = pl.when(pl.col(REVERSE)).then(-received).otherwise(received).sum()
    case = of_case(keys)
    return pl.col(REVERSE) == ((forward.over(case) if case else forward) < 0)


def of_case(keys: Sequence[str]) -> list[str]:
    """List the columns that identify a case, of those that identify a run: replications of a case
    have one direction, lest a mean be of some that count one way and some that count the other."""
    return [key for key in keys if key != "run"]


def identifying(results: Tables, keys: Sequence[str]) -> list[str]:
    """List those of some columns that identify a run."""
    return [key for key in keys if key in results["runs"].columns]


def with_directions(results: Tables, keys: Sequence[str]) -> pl.DataFrame:
    """Give the table `flows` with the column `REVERSE`; `keys` identify a run."""
    found = of_pairs(results, keys)
    joined = results["flows"].join(
        found,
        left_on=[*keys, "peer", "node"],
        right_on=[*keys, "from", "to"],
        how="left",
        maintain_order="left",
    )
    return joined.with_columns(pl.col(REVERSE).fill_null(value=False))


def of_pairs(results: Tables, keys: Sequence[str]) -> pl.DataFrame:
    """Give `REVERSE` for each run and each pair `from`, `to`: ends of flows and of links.

    It is null for links that no flow crosses that way, as far as paths are known.
    """
    ends, names = ["from", "to"], ["links from", "links to", "flows from", "flows to"]

    def pairs(table: pl.DataFrame, of: str) -> pl.DataFrame:
        once = table.select(*keys, *ends).unique(maintain_order=True)
        lists = (pl.col(it).alias(f"{of} {it}") for it in ends)
        return once.group_by(keys, maintain_order=True).agg(*lists)

    flows = results["flows"].select(*keys, pl.col("peer").alias("from"), to="node")
    both = pairs(results["links"], "links").join(
        pairs(flows.drop_nulls("from"), "flows"),
        on=list(keys),
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    # Runs of one scenario have the same network.
    places: dict[tuple[tuple[str, ...], ...], int] = {}
    rows: list[tuple[int, str, str, bool | None]] = []
    networks = []
    for lists in both.select(names).rows():
        network = tuple(tuple(it or ()) for it in lists)
        place = places.get(network)
        if place is None:
            place = places[network] = len(places)
            found = reverse(zip(*network[:2], strict=True), zip(*network[2:], strict=True))
            rows += [(place, *pair, value) for pair, value in found.items()]
        networks.append(place)
    of_networks = pl.DataFrame(
        rows,
        {NETWORK: pl.Int64(), "from": pl.String(), "to": pl.String(), REVERSE: pl.Boolean()},
        orient="row",
    )
    of_runs = both.select(keys).with_columns(pl.Series(NETWORK, networks, pl.Int64))
    return of_runs.join(of_networks, on=NETWORK, maintain_order="left_right").drop(NETWORK)


def reverse(links: Iterable[Ends], flows: Iterable[Ends]) -> dict[Ends, bool | None]:
    """Say of each pair of ends whether it is in the reverse direction.

    Flows with long paths decide first, and each link that they cross keeps the direction. A
    link that no flow crosses that way has None.
    """
    links = list(links)
    parents, depths = spanning_tree(links)
    paths = {ends: path(*ends, parents, depths) for ends in flows}
    upwards: dict[str, bool] = {}
    """For each node that has a parent, whether forward is from the node to its parent."""

    def agreement(steps: list[tuple[str, bool]]) -> int:
        known = [(upwards[node], up) for node, up in steps if node in upwards]
        return sum(1 if forward == up else -1 for forward, up in known)

    found: dict[Ends, bool | None] = {}
    for ends, steps in sorted(paths.items(), key=lambda it: -len(it[1])):
        found[ends] = against = agreement(steps) < 0
        for node, up in steps:
            upwards.setdefault(node, up != against)
    crossed = {step for steps in paths.values() for step in steps}
    for ends in links:
        if ends not in found:
            steps = path(*ends, parents, depths)
            found[ends] = agreement(steps) < 0 if crossed.intersection(steps) else None
    return found


def spanning_tree(links: Iterable[Ends]) -> tuple[dict[str, str], dict[str, int]]:
    """Span each connected part of a network: parents, and hops from the root, by node."""
    neighbours: dict[str, list[str]] = {}
    for one, other in links:
        neighbours.setdefault(one, []).append(other)
        neighbours.setdefault(other, []).append(one)
    parents: dict[str, str] = {}
    depths: dict[str, int] = {}
    for root in neighbours:
        if root in depths:
            continue
        depths[root] = 0
        reached = deque([root])
        while reached:
            node = reached.popleft()
            for neighbour in neighbours[node]:
                if neighbour not in depths:
                    parents[neighbour], depths[neighbour] = node, depths[node] + 1
                    reached.append(neighbour)
    return parents, depths


def hops(source: str, to: str, parents: dict[str, str], depths: dict[str, int]) -> list[Ends]:
    """List both ends of each link on the path in a tree, in no order; none where no link leads."""
    if not {source, to} <= depths.keys():
        return []
    steps = path(source, to, parents, depths)
    return [(it, parents[it]) if up else (parents[it], it) for it, up in steps]


def path(
    source: str, to: str, parents: dict[str, str], depths: dict[str, int]
) -> list[tuple[str, bool]]:
    """List the links of a path in a tree, in no order: the lower node, and whether it goes up."""
    steps = []
    while source != to:
        up = depths[source] >= depths[to]
        lower = source if up else to
        if lower not in parents:
            # No links connect them.
            return []
        steps.append((lower, up))
        source, to = (parents[lower], to) if up else (source, parents[lower])
    return steps
