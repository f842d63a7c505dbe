"""What this paper measures and no other: when packets are dropped, and power."""

from __future__ import annotations

import polars as pl

from windtunnel.measures import flows
from windtunnel.measures.links import DROPS
from windtunnel.measures.measure import VALUE, Measure, Tables, of_runs, share_bound

BURST_S = (3.0, 8.0)
"""When the paper sees bursts of losses."""


def losses_elsewhere(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of all drops that are not within `BURST_S`; 1 without drops."""
    within = (pl.col("time_s") > BURST_S[0]) & (pl.col("time_s") <= BURST_S[1])
    dropped = pl.sum_horizontal(DROPS)
    share = dropped.filter(within).sum() / dropped.sum()
    return of_runs(results["link_series"], keys, 1 - share.fill_nan(0.0))


def power(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the throughput by the delay (Kleinrock's power), in Mbps/s."""
    throughput = flows.throughput(results, keys)
    delay = flows.delay(results, keys).rename({VALUE: "delay"})
    both = throughput.join(delay, on=keys, maintain_order="left")
    return both.select(*keys, (pl.col(VALUE) / pl.col("delay")).alias(VALUE))


MEASURES = {
    "losses-elsewhere": Measure(
        "share of the drops outside seconds 3 to 8; 1 without drops",
        "share",
        losses_elsewhere,
        bound=share_bound,
    ),
    "power": Measure("power: throughput divided by delay", "Mbps/s", power),
}
"""Each by its name in the paper's files."""
