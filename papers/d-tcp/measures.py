"""What this paper measures and no other: plucking, recoveries, the SINR, the models' errors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polars as pl

from windtunnel.measures.flows import throughput, while_all_send
from windtunnel.measures.measure import VALUE, Measure, Tables, goodput_bound, of_runs

from .models import MODELS, SEGMENT_BITS

CONTROLLER = "controller"
"""The axis on which controllers are compared."""

LOSS = "loss"
"""The axis of loss rates, whose cases are named after the probability."""

RECOVERED = 0.9
"""The share of the maximum throughput with which a controller counts as recovered."""

TESTED = "tested"
"""The flow whose effect on the others is measured."""

RENO = "reno"
"""The controller that it is compared with."""


def goodput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the same as `throughput`, in kbps."""
    return throughput(results, keys).with_columns(pl.col(VALUE) * 1e3)


def decreases(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count how often the windows were decreased."""
    return of_runs(results["flows"], keys, pl.col("decreases").sum().cast(pl.Float64))


def fairness_ratio(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the least of the flows' goodputs by the greatest, from when all of them send."""
    ratio = pl.col("goodput_bps").min() / pl.col("goodput_bps").max()
    return of_runs(while_all_send(results, keys), keys, ratio.fill_nan(None))


def unfairness(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take by how much the least of the flows' goodputs is below the greatest, as a share."""
    return fairness_ratio(results, keys).with_columns(1 - pl.col(VALUE))


def plucking(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Compute the share of their goodput that the others lose because of the flow `tested`.

    It is (P - Q) / P, where Q is the goodput of the others beside it, and P what
    they have in the same run where it is Reno as well.
    """
    others = results["flows"].filter(pl.col("flow") != TESTED)
    if CONTROLLER not in keys or others.height == results["flows"].height:
        return results["flows"].select(*keys, pl.lit(None, pl.Float64).alias(VALUE)).clear()
    left = others.group_by(keys, maintain_order=True).agg(pl.col("received_bytes").sum())
    same = [key for key in keys if key != CONTROLLER]
    beside_reno = left.filter(pl.col(CONTROLLER) == RENO).select(*same, reno="received_bytes")
    value = (1 - pl.col("received_bytes") / pl.col("reno")).alias(VALUE)
    return left.join(beside_reno, on=same, maintain_order="left").select(*keys, value)


def channel(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the samples of the channels towards their users; none where there is no radio."""
    # A link's first direction is that towards the user.
    to_user = pl.col("to") == pl.col("to").first().over(*keys, "link")
    seen = pl.col("line_of_sight").is_not_null()
    return results["channel_series"].filter(seen).filter(to_user)


def maximum_sinr(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the greatest SINR, in dB."""
    return of_samples(channel(results, keys), keys, "max")


def minimum_sinr(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the least SINR, in dB."""
    return of_samples(channel(results, keys), keys, "min")


def sinr_when_hidden(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the median of the SINR while the user does not see the station, in dB."""
    return of_samples(channel(results, keys).filter(~pl.col("line_of_sight")), keys, "median")


def of_samples(samples: pl.DataFrame, keys: list[str], what: str) -> pl.DataFrame:
    """Sum up the SINR of some samples."""
    return of_runs(samples, keys, getattr(pl.col("sinr_db"), what)())


def recovery(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean time from when the channel can carry the maximum throughput again.

    In seconds, to 90 % of that throughput; where the channel falls below it before, all
    the time until then counts. The maximum is what the best of the compared controllers
    has in the same run at the median of the time with line of sight.
    """
    sight = channel(results, keys).select(*keys, "time_s", "line_of_sight", "rate_bps")
    series = results["flow_series"].group_by([*keys, "time_s"], maintain_order=True)
    # The channel as it was at the end of each interval of the flows.
    goodput = series.agg(pl.col("goodput_bps").sum()).sort("time_s", maintain_order=True)
    samples = goodput.join_asof(sight.sort("time_s"), on="time_s", by=keys)
    samples = samples.drop_nulls("line_of_sight")
    median = pl.col("goodput_bps").filter(pl.col("line_of_sight")).median()
    same = [key for key in keys if key != CONTROLLER]
    most = pl.col("own").max().over(same)
    samples = samples.with_columns(own=median.over(keys)).with_columns(
        possible=pl.col("rate_bps") >= most, reached=pl.col("goodput_bps") >= RECOVERED * most
    )
    rows = [
        (*case, mean(recoveries(of_case.sort("time_s").to_dicts())))
        for case, of_case in samples.group_by(keys, maintain_order=True)
    ]
    kinds = pl.Schema([*samples.select(keys).schema.items(), (VALUE, pl.Float64())])
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


def hidden_goodput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the goodput while the user does not see the station, in Mbps."""
    hidden = channel(results, keys).filter(~pl.col("line_of_sight")).select(*keys, "time_s")
    samples = results["flow_series"].join(hidden, on=[*keys, "time_s"], how="semi")
    return of_runs(samples, keys, pl.col("goodput_bps").mean() / 1e6)


def restoring(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean time in s from a decrease of the window until it is as large as before.

    Decreases from which the window does not recover count until the end.
    """
    rows = []
    for case, samples in results["flow_series"].group_by(keys, maintain_order=True):
        windows = samples.sort("time_s").select("time_s", "cwnd_segments").drop_nulls().rows()
        rows.append((*case, mean(restored_after(windows))))
    kinds = pl.Schema([*results["flows"].select(keys).schema.items(), (VALUE, pl.Float64())])
    return pl.DataFrame(rows, kinds, orient="row")


def restored_after(windows: list[tuple[float, float]]) -> list[float]:
    """Give the time of each recovery of a window, from samples of time and window."""
    found = []
    lost: tuple[float, float] | None = None
    for (time, before), (later, after) in pairwise(windows):
        if lost is None and after < before:
            lost = (time, before)
        elif lost is not None and after >= lost[1]:
            found.append(later - lost[0])
            lost = None
    if lost is not None:
        found.append(windows[-1][0] - lost[0])
    return found


def model_error(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take by how much the goodput differs from its model (table 3), as a share of the model.

    The model is that of the controller, at the loss rate that the axis `loss` names, the mean
    round trip and its queueing; D-TCP's is that of one virtual flow.
    """
    rows = []
    for flow in results["flows"].rows(named=True):
        model = MODELS.get(flow["flow_controller"])
        value = None
        if model and LOSS in keys:
            queueing_s = flow["rtt_s"] - flow["delay_minimum_s"]
            modelled = model(float(flow[LOSS]), flow["rtt_s"], queueing_s) * SEGMENT_BITS
            value = abs(flow["goodput_bps"] / modelled - 1)
        rows.append((*(flow[key] for key in keys), value))
    kinds = pl.Schema([*results["flows"].select(keys).schema.items(), (VALUE, pl.Float64())])
    return pl.DataFrame(rows, kinds, orient="row")


MEASURES = {
    "goodput-without-line-of-sight": Measure(
        "goodput without line of sight", "Mbps", hidden_goodput
    ),
    "restoring": Measure("from a decrease until the window is as large again", "s", restoring),
    "model-error": Measure("difference from the model, as a share of it", "share", model_error),
    "goodput": Measure(
        "goodput of all flows in one direction, in kbps", "kbps", goodput, True, goodput_bound(1e3)
    ),
    "decreases": Measure("decreases of the window", "", decreases, True),
    "fairness-ratio": Measure("minimum over maximum goodput of the flows", "", fairness_ratio),
    "unfairness": Measure("by how much the least goodput is below the greatest", "", unfairness),
    "plucking": Measure("share of their goodput that a flow costs the others", "share", plucking),
    "recovery": Measure(
        "from when the channel allows the maximum throughput to 90 % of it", "s", recovery
    ),
    "maximum-sinr": Measure("the maximum SINR", "dB", maximum_sinr),
    "minimum-sinr": Measure("the minimum SINR", "dB", minimum_sinr),
    "sinr-without-line-of-sight": Measure(
        "SINR without line of sight, median", "dB", sinr_when_hidden
    ),
}
"""Each by its name in the paper's files."""
