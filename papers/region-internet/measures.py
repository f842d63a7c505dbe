"""What this paper measures and no other: tables, lookups, who must change, and who agrees when."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl

from windtunnel.measures.flows import active_goodput
from windtunnel.measures.measure import VALUE, Measure, Tables, of_runs

from . import codes, convergence, joined, lookups, names, tables

AGREEMENT_S = 10.0
"""When the agreement ends, in s."""

SETTLED_S = 3.0
"""When the window is full, in s."""

LOOKS = ("region_lookups", "address_lookups")
"""What only a device counts that knows the region protocol."""


def devices(results: Tables, regions: tuple[str, ...] = ()) -> pl.DataFrame:
    """Give the routers on the way, in some regions or all, without hosts."""
    forwards = pl.sum_horizontal(*LOOKS, "tunnel_lookups") > 0
    routers = results["routers"].filter(forwards & ~pl.col("node").str.starts_with("h"))
    return routers.filter(pl.col("region").is_in(regions)) if regions else routers


def changed(results: Tables, keys: list[str], regions: tuple[str, ...] = ()) -> pl.DataFrame:
    """Give the share of routers on the way that forward by fields of the region protocol."""
    looks = pl.sum_horizontal(*LOOKS) > 0
    return of_runs(devices(results, regions), keys, looks.mean())


def by_code(results: Tables, keys: list[str], regions: tuple[str, ...]) -> pl.DataFrame:
    """Give the share of the routers of some regions that look at the codes of regions."""
    return of_runs(devices(results, regions), keys, (pl.col("region_lookups") > 0).mean())


def by_address(results: Tables, keys: list[str], regions: tuple[str, ...]) -> pl.DataFrame:
    """Give the share of those that look at the address in the payload."""
    return of_runs(devices(results, regions), keys, (pl.col("address_lookups") > 0).mean())


def goodput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the goodput once the window is full, in Mbps."""
    late = results["flow_series"].filter(pl.col("time_s") > SETTLED_S)
    return of_runs(late, keys, pl.col("goodput_bps").mean() / 1e6)


def goodput_lost(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give how much less goodput there is than without regions, of that."""
    values = goodput(results, keys)
    without = values.filter(mode="without-regions").drop("mode").rename({VALUE: "without"})
    beside = values.join(without, on=[it for it in keys if it != "mode"])
    return beside.select(*keys, (1 - pl.col(VALUE) / pl.col("without")).alias(VALUE))


def before_the_end(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the goodput of the five seconds before the agreement ends, in Mbps."""
    early = pl.col("time_s").is_between(AGREEMENT_S - 5.0, AGREEMENT_S)
    return of_runs(results["flow_series"].filter(early), keys, pl.col("goodput_bps").mean() / 1e6)


def silence(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give how long nothing arrives after the agreement's end, in s: until the run's, if ever."""
    series = results["flow_series"].filter(pl.col("time_s") > AGREEMENT_S + 0.2)
    arrives = pl.col("time_s").filter(pl.col("goodput_bps") > 0).min()
    again = arrives.fill_null(pl.col("time_s").max())
    return of_runs(series, keys, again - AGREEMENT_S)


def of_routers(results: Tables, keys: list[str], column: str) -> pl.DataFrame:
    """Add what all routers counted."""
    return of_runs(results["routers"], keys, pl.col(column).sum())


def received(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the least goodput of the flows while they send, in Mbps."""
    flows = results["flows"]
    return of_runs(flows, keys, active_goodput(flows).min() / 1e6)


def share(title: str, take: Callable[..., pl.DataFrame], *regions: str) -> Measure:
    """Measure a share of routers."""
    return Measure(title, "share", partial(take, regions=regions))


MEASURES = {
    **tables.MEASURES,
    **codes.MEASURES,
    **joined.MEASURES,
    **lookups.MEASURES,
    **convergence.MEASURES,
    **names.MEASURES,
    "changed": share("share of the routers on the way that must know the protocol", changed),
    "egress-by-code": share("share of the sender's routers that look at codes", by_code, "ct1"),
    "ingress-by-address": share(
        "share of the receiver's routers that look at the payload's address", by_address, "ct2"
    ),
    "transit-by-code": share(
        "share of the routers between that look at codes", by_code, "ct3", "ct4"
    ),
    "goodput": Measure("goodput with full links", "Mbps", goodput),
    "goodput-lost": Measure("share of goodput lost to headers", "share", goodput_lost),
    "before-the-end": Measure("goodput before the agreement ends", "Mbps", before_the_end),
    "silence": Measure("time until data arrives again", "s", silence),
    "dropped": Measure(
        "packets dropped for want of an agreement",
        "",
        partial(of_routers, column="without_agreement"),
    ),
    "told": Measure(
        "error messages that reached a host", "", partial(of_routers, column="errors_received")
    ),
    "received": Measure("least goodput of the flows", "Mbps", received, of_each_flow=True),
}
"""Each by its name in the paper's files."""
