"""What papers report of a run whose channel changes, measured from its tables."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from windtunnel.results import Results

VALUE = "value"
"""The column of a measured value."""

CONTROLLER = "controller"
"""The axis on which controllers are compared."""

RECOVERED = 0.9
"""The share of the maximum throughput with which a controller counts as recovered."""


def channel(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the samples of the channels towards their users; none where there is no radio."""
    import polars as pl

    # A link's first direction is that towards the user.
    to_user = pl.col("to") == pl.col("to").first().over(*keys, "link")
    seen = pl.col("in_sight").is_not_null()
    return results["channel_series"].filter(seen).filter(to_user)


def greatest_sinr(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the greatest SINR, in dB."""
    return of_samples(channel(results, keys), keys, "max")


def least_sinr(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the least SINR, in dB."""
    return of_samples(channel(results, keys), keys, "min")


def sinr_out_of_sight(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the median of the SINR while the user does not see the station, in dB."""
    import polars as pl

    return of_samples(channel(results, keys).filter(~pl.col("in_sight")), keys, "median")


def of_samples(samples: pl.DataFrame, keys: list[str], what: str) -> pl.DataFrame:
    """Sum up the SINR of some samples."""
    import polars as pl

    value = getattr(pl.col("sinr_db"), what)().alias(VALUE)
    return samples.group_by(keys, maintain_order=True).agg(value)


def recovery(results: Results, keys: list[str]) -> pl.DataFrame:
    """Take the mean time from when the channel can carry the maximum throughput again.

    In seconds, to 90 % of that throughput; where the channel falls below it before, all
    the time until then counts. The maximum is what the best of the compared controllers
    has in the same run at the median of the time in sight.
    """
    import polars as pl

    sight = channel(results, keys).select(*keys, "time_s", "in_sight", "rate_bps")
    series = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    samples = series.agg(pl.col("goodput_bps").sum()).join(sight, on=[*keys, "time_s"])
    median = pl.col("goodput_bps").filter(pl.col("in_sight")).median()
    same = [key for key in keys if key != CONTROLLER]
    most = pl.col("own").max().over(same)
    samples = samples.with_columns(own=median.over(keys)).with_columns(
        possible=pl.col("rate_bps") >= most, reached=pl.col("goodput_bps") >= RECOVERED * most
    )
    rows = [
        (*case, mean(recoveries(of_case.sort("time_s").to_dicts())))
        for case, of_case in samples.group_by(keys, maintain_order=True)
    ]
    kinds = {**{key: samples.schema[key] for key in keys}, VALUE: pl.Float64}
    return pl.DataFrame(rows, kinds, orient="row")


def recoveries(samples: list[dict[str, Any]]) -> list[float]:
    """Give the time of each recovery, in seconds: of samples with `possible` and `reached`."""
    found = []
    since = None
    for before, sample in pairwise(samples):
        if sample["possible"] and not before["possible"]:
            since = before["time_s"]
        if since is not None and (sample["reached"] or not sample["possible"]):
            found.append(sample["time_s"] - since)
            since = None
    if since is not None:
        found.append(samples[-1]["time_s"] - since)
    return found


def mean(values: list[float]) -> float | None:
    """Take the mean, if there are any."""
    return sum(values) / len(values) if values else None
