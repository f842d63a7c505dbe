"""How many messages and how long until all routers agree, by both sets of rules: section VI.D.1."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any, cast

import polars as pl

from windtunnel.measures.measure import VALUE, Measure, Tables
from windtunnel.results import Results

from .bgp import Counted, Network

EVENT_S = 200.0
"""When something goes, in s."""

SETTLED_S = 500.0

Ends = tuple[str, str]


def messages(results: Tables, keys: list[str], what: str) -> pl.DataFrame:
    """Give the messages, or kilobytes, that an event causes: what is sent without it is not."""
    column = {"messages": "control_messages", "bytes": "control_bytes"}[what]
    totals = results["routers"].group_by(keys).agg(pl.col(column).sum().cast(pl.Float64))
    without = totals.filter(event="none").drop("event").rename({column: "without"})
    caused = totals.join(without, on=[it for it in keys if it != "event"])
    of_regions = caused.with_columns((pl.col(column) - pl.col("without")).alias(VALUE))
    return beside(results, of_regions.select(*keys, VALUE), what)


def time_to_agree(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give how long routers change their routes after an event, in s."""
    changes = results["route_changes"].filter(pl.col("time_s") >= EVENT_S)
    last = changes.group_by(keys).agg((pl.col("time_s").max() - EVENT_S).alias(VALUE))
    rows = results["runs"].select(keys).join(last, on=keys, how="left").fill_null(0.0)
    return beside(results, rows, "time")


def beside(results: Tables, of_regions: pl.DataFrame, what: str) -> pl.DataFrame:
    """Put what BGP's rules give into the rows where they hold, and bytes into kB."""
    run = cast(Results, results)
    rows = []
    for row in of_regions.iter_rows(named=True):
        value = row[VALUE]
        if row["rules"] == "bgp":
            waits = row["reading"] != "withdrawals-at-once"
            counted = by_bgp(run.scenario, row["event"], waits, row["run"])
            value = of_bgp(counted, what)
        rows.append({**row, VALUE: value / 1e3 if what == "bytes" else value})
    return pl.DataFrame(rows, of_regions.schema)


def of_bgp(counted: Counted, what: str) -> float:
    """Give a count."""
    if what == "time":
        return counted.changed_s - EVENT_S
    return float(counted.messages if what == "messages" else counted.bytes)


@lru_cache(maxsize=256)
def by_bgp(text: str, event: str, withdrawals_wait: bool, run: int) -> Counted:
    """Let BGP's rules work on the network of a scenario, and something go."""
    scenario = tomllib.loads(text)
    regions = scenario["regions"]
    region_of = {node: name for name, it in regions.items() for node in it["nodes"]}
    links = {
        name: (*it["nodes"], float(it["delay"].removesuffix(" ms")) / 1e3)
        for name, it in scenario["links"].items()
    }
    network = Network(
        region_of,
        links.values(),
        {name: it["prefixes"] for name, it in regions.items()},
        seed=run + 1,
        withdrawals_wait=withdrawals_wait,
    )
    network.run(EVENT_S)
    gone = scenario["compare"]["event"][event]
    network.fail(list(closed(gone, scenario, region_of)))
    network.run(SETTLED_S)
    return network.counted


def closed(
    gone: dict[str, Any], scenario: dict[str, Any], region_of: dict[str, str]
) -> Iterator[Ends]:
    """Give the ends of the links over which sessions close, by what a case sets."""
    for path in gone:
        kind, name, _ = path.split(".")
        if kind == "links":
            yield tuple(scenario["links"][name]["nodes"])
            continue
        pair = set(scenario["agreements"][name]["regions"])
        for link in scenario["links"].values():
            if {region_of[it] for it in link["nodes"]} == pair:
                yield tuple(link["nodes"])


MEASURES = {
    "messages": Measure("messages after the event", "", partial(messages, what="messages")),
    "kilobytes": Measure("bytes of them", "kB", partial(messages, what="bytes")),
    "time-to-agree": Measure("time until the last route changed", "s", time_to_agree),
}
