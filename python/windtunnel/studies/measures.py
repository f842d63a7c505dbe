"""What a study measures of each run, from its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

MEASURES = (
    "goodput_bps",
    "delay_s",
    "rtt_s",
    "fairness",
    "retransmissions",
    "timeouts",
    "marks",
    "completion_s",
    "utilisation",
    "queue_delay_s",
    "loss_share",
    "drops",
)
"""The columns of what is measured of each run; `report.study_measures` says what they are."""


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
