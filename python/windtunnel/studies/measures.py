"""The measures of a study: values of each run, from its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from windtunnel.measures.columns import (
    COMPLETION,
    DELAY,
    DROPPED,
    FAIRNESS,
    GOODPUT,
    LOSS,
    MARKS,
    ONE_WAY_DELAY,
    QUEUEING,
    RETRANSMISSIONS,
    ROUND_TRIP,
    TIMEOUTS,
    UNFINISHED,
    UTILISATION,
)

if TYPE_CHECKING:
    import polars as pl

MEASURED = {
    it.column: it
    for it in (
        GOODPUT,
        DELAY,
        ONE_WAY_DELAY,
        ROUND_TRIP,
        FAIRNESS,
        RETRANSMISSIONS,
        TIMEOUTS,
        MARKS,
        COMPLETION,
        UNFINISHED,
        UTILISATION,
        QUEUEING,
        LOSS,
        DROPPED,
    )
}
"""The measures, by their columns."""

MEASURES = tuple(MEASURED)
"""Their columns."""


def measured(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Measure runs: a row of each `key`, with the columns of `MEASURES`.

    A measure that a run does not have, such as the fairness of a single flow, is null.
    """
    # Imported here: Polars takes longer to load than most commands take.
    import polars as pl

    from windtunnel.measures import bottlenecks, totals
    from windtunnel.measures.links import DROPS, USED

    keys = ["key"]
    rtt = pl.col("rtt_s").fill_nan(None).mean()
    left = pl.col(UNFINISHED.column)
    # Without transfers there is none that could end.
    unfinished = pl.when(left.count() > 0).then(left.sum()).alias(UNFINISHED.column)
    of_flows = totals.of_flows(tables, keys).join(
        tables["flows"].group_by(keys).agg(rtt, unfinished), on=keys, how="left"
    )
    dropped = pl.sum_horizontal(DROPS)
    of_links = tables["links"].group_by(keys).agg(drops=dropped.sum())
    bottleneck = bottlenecks.of_fuller(tables, keys).select(
        *keys,
        USED.alias("utilisation"),
        pl.col("sojourn_s").alias("queue_delay_s"),
        loss_share=(dropped / pl.col("offered")).fill_nan(None),
    )
    joined = of_flows.join(bottleneck, on=keys, how="left").join(of_links, on=keys, how="left")
    return joined.select(*keys, *(pl.col(name).cast(pl.Float64) for name in MEASURES))
