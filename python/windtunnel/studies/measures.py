"""What a study measures of each run, from its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MEASURES: dict[str, tuple[str, str]] = {
    "goodput_bps": ("goodput of all flows together", "bit/s"),
    "delay_s": ("mean delay of the flows", "s"),
    "rtt_s": ("mean round trip of the flows", "s"),
    "fairness": ("Jain's fairness of the flows' goodputs", ""),
    "retransmissions": ("retransmissions", ""),
    "timeouts": ("timeouts", ""),
    "marks": ("marks received", ""),
    "completion_s": ("completion of the last flow", "s"),
    "utilisation": ("of the busiest link", ""),
    "queue_delay_s": ("mean wait before the busiest link", "s"),
    "loss_share": ("share of its packets that the busiest link drops", ""),
    "drops": ("packets dropped on all links", ""),
}
"""What is measured of each run: its title and base unit, by its column."""


def measured(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Measure runs: a row of each `key`, with the columns of `MEASURES`.

    What a run has not, such as the fairness of one flow, is null.
    """
    # Here, because loading Polars takes longer than most commands.
    import polars as pl

    from windtunnel.link_measures import DROPS, busiest
    from windtunnel.report import totals

    keys = ["key"]
    rtt = pl.col("rtt_s").fill_nan(None).mean()
    of_flows = totals.of_flows(tables, keys).join(
        tables["flows"].group_by(keys).agg(rtt), on=keys, how="left"
    )
    dropped = pl.sum_horizontal(DROPS)
    of_links = tables["links"].group_by(keys).agg(drops=dropped.sum())
    bottleneck = busiest(tables, keys).select(
        *keys,
        "utilisation",
        pl.col("sojourn_s").alias("queue_delay_s"),
        loss_share=(dropped / pl.col("offered")).fill_nan(None),
    )
    joined = of_flows.join(bottleneck, on=keys, how="left").join(of_links, on=keys, how="left")
    return joined.select(*keys, *(pl.col(name).cast(pl.Float64) for name in MEASURES))
