"""What this paper measures and no other: plucking, recoveries, the SINR, its models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import combinations, pairwise
from statistics import median
from typing import Any

import polars as pl

from windtunnel.measures.flows import (
    active_goodput,
    goodput_over_time,
    throughput,
    while_all_send,
)
from windtunnel.measures.measure import (
    VALUE,
    Bound,
    Measure,
    Tables,
    from_rows,
    goodput_bound,
    of_runs,
    share_bound,
)

from . import models

CONTROLLER = "controller"
"""The axis on which controllers are compared."""

RECOVERED = 0.9
"""The share of the maximum throughput with which a controller counts as recovered."""

TESTED = "tested"
"""The flow whose effect on the others is measured."""

RENO = "reno"
"""The controller that it is compared with."""

SEGMENT = 1448
"""The bytes of data in a full segment with timestamps, on LTE."""

WITH_HEADERS = 1480 / SEGMENT
"""What a goodput becomes if TCP's headers are counted: 32 bytes of a packet's 1500."""


def goodput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the same as `throughput`, in kbps."""
    return throughput(results, keys).with_columns(pl.col(VALUE) * 1e3)


def with_headers(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the same with TCP's headers, in kbps."""
    return goodput(results, keys).with_columns(pl.col(VALUE) * WITH_HEADERS)


def with_headers_bound(goodput_bps: float, delay_s: float) -> Bound:
    """Bound a goodput in kbps that counts TCP's headers."""
    return goodput_bound(1e3)(goodput_bps * WITH_HEADERS, delay_s)


def maximum_goodput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the greatest goodput of an interval, in kbps.

    It can be above the link's rate: what waited for a retransmission is received at once.
    """
    return of_runs(goodput_over_time(results, keys), keys, pl.col("goodput_bps").max() / 1e3)


def decreases(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count how often the windows were decreased."""
    return of_runs(results["flows"], keys, pl.col("decreases").sum().cast(pl.Float64))


def fairness_ratio(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the least of the flows' goodputs by the greatest, from when all of them send."""
    ratio = pl.col("goodput_bps").min() / pl.col("goodput_bps").max()
    return of_runs(while_all_send(results, keys), keys, ratio.fill_nan(None))


def mean_fairness_ratio(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean over all pairs of flows of the lesser goodput over the greater."""
    lists = while_all_send(results, keys).group_by(keys, maintain_order=True)
    value = pl.col("goodput_bps").map_elements(ratio_of_pairs, pl.Float64)
    return lists.agg("goodput_bps").select(*keys, value.alias(VALUE))


def ratio_of_pairs(values: Iterable[float]) -> float | None:
    """Take the mean over all pairs of the lesser over the greater."""
    pairs = [sorted(pair) for pair in combinations(values, 2)]
    return mean([less / more for less, more in pairs if more > 0])


def restoration(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the median time from a decrease of the window until it is what it was before, in s.

    Where that never happens, the time until the end counts.
    """
    return of_windows(results, keys, lambda samples: middle(restorations(samples)))


def middle(values: list[float]) -> float | None:
    """Take the median, if there are any."""
    return median(values) if values else None


def restorations(samples: list[dict[str, Any]]) -> list[float]:
    """Give the time of the restoration after each decrease of a window, in seconds."""
    found = []
    for place, (before, sample) in enumerate(pairwise(samples)):
        wanted = before["cwnd_segments"]
        if sample["cwnd_segments"] < wanted:
            rest = samples[place + 1 :]
            ends = (it["time_s"] for it in rest if it["cwnd_segments"] >= wanted)
            found.append(next(ends, samples[-1]["time_s"]) - before["time_s"])
    return found


def depth(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean share of the window by which it decreases from one sample to the next."""
    return of_windows(results, keys, lambda samples: mean(depths(samples)))


def depths(samples: list[dict[str, Any]]) -> list[float]:
    """Give each decrease of a window as a share of it."""
    windows = [sample["cwnd_segments"] for sample in samples]
    return [1 - after / before for before, after in pairwise(windows) if after < before]


def of_windows(
    results: Tables, keys: list[str], take: Callable[[list[dict[str, Any]]], float | None]
) -> pl.DataFrame:
    """Compute a value from the series of each run's window; none where several flows send."""
    series = results["flow_series"].drop_nulls("cwnd_segments")
    single = pl.col("flow").n_unique().over(keys) == 1
    series = series.filter(single).select(*keys, "time_s", "cwnd_segments")
    return from_rows(series, keys, take)


def of_the_rest(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean goodput of the flows other than `tested`, in kbps; none without it."""
    tested = (pl.col("flow") == TESTED).any().over(keys)
    others = results["flows"].filter(tested).filter(pl.col("flow") != TESTED)
    return of_runs(others, keys, active_goodput(others).mean() / 1e3)


def alpha_over_limit(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide D-TCP's alpha by theorem 2's limit: the share of the round trip that is queueing."""
    share = 1 - pl.col("delay_minimum_s").mean() / pl.col("rtt_s").mean()
    return of_runs(results["flows"], keys, models.ALPHA / share)


def per_round_trip(results: Tables, keys: list[str], power: int) -> pl.DataFrame:
    """Multiply each flow's goodput by a power of its round trip, in kbit s^(power - 1)."""
    value = active_goodput(results["flows"]) / 1e3 * pl.col("rtt_s").pow(power)
    return of_runs(results["flows"], keys, value.mean())


def share_of_model(
    results: Tables, keys: list[str], of_controllers: Mapping[str, models.Model]
) -> pl.DataFrame:
    """Divide each flow's goodput by what its controller's model gives for what it met.

    The loss, P + p, is that of all flows of the run, by chance or by congestion: decreases over
    segments, since 1 / p segments are between two of them in the models. The queueing is the
    mean round trip less the minimum. Mean over the flows.
    """
    run = [key for key in keys if key != "flow"]
    sums = results["flows"].group_by(run, maintain_order=True)
    lost = sums.agg(lost=pl.col("decreases").sum() / pl.col("segments").sum())
    links = results["links"].group_by(run, maintain_order=True)
    used = links.agg(used=pl.col("utilisation").max())
    active = results["flows"].with_columns(goodput_bps=active_goodput(results["flows"]))
    flows = active.join(lost, on=run, maintain_order="left")
    flows = flows.join(used, on=run, maintain_order="left")
    needed = ["flow_controller", "goodput_bps", "lost", "rtt_s", "delay_minimum_s", "used"]
    conditions = pl.struct(*needed)
    share = conditions.map_elements(partial(share_of_one, of_controllers), pl.Float64)
    shares = flows.select(*keys, share=share).drop_nulls("share")
    return of_runs(shares, keys, pl.col("share").mean())


def share_of_one(
    of_controllers: Mapping[str, models.Model], flow: Mapping[str, Any]
) -> float | None:
    """Divide a flow's goodput by its model's; None without a model, loss or queueing."""
    model, rtt_s, loss = of_controllers.get(flow["flow_controller"]), flow["rtt_s"], flow["lost"]
    if model is None or rtt_s is None or loss is None or loss <= 0:
        return None
    queueing_s = rtt_s - flow["delay_minimum_s"]
    if queueing_s <= 0:
        return None
    segments = model(models.Conditions(loss, rtt_s, queueing_s, flow["used"]))
    goodput_bps: float = flow["goodput_bps"]
    return goodput_bps / (segments * 8 * SEGMENT)


def deviation(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take by how many percent the goodput differs from the model."""
    shares = share_of_model(results, keys, models.MODELS)
    return shares.with_columns((100 * (pl.col(VALUE) - 1).abs()).alias(VALUE))


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


def in_sight(results: Tables, keys: list[str], *, sight: bool) -> pl.DataFrame:
    """Take the median of the goodput while there is line of sight, or while there is none."""
    samples = with_sight(results, keys).filter(pl.col("line_of_sight") == sight)
    return of_runs(samples, keys, pl.col("goodput_bps").median() / 1e6)


def until_hidden(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the median of the goodput until line of sight is first lost."""
    hidden = pl.col("time_s").filter(~pl.col("line_of_sight")).min().over(keys)
    samples = with_sight(results, keys).filter((pl.col("time_s") < hidden).fill_null(value=True))
    return of_runs(samples, keys, pl.col("goodput_bps").median() / 1e6)


def with_sight(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give the goodput of all flows over time, and the channel at the end of each interval."""
    sight = channel(results, keys).select(*keys, "time_s", "line_of_sight", "rate_bps")
    goodput = goodput_over_time(results, keys).sort("time_s", maintain_order=True)
    samples = goodput.join_asof(sight.sort("time_s"), on="time_s", by=keys, check_sortedness=False)
    return samples.drop_nulls("line_of_sight")


def recovery(results: Tables, keys: list[str], *, from_sight: bool = False) -> pl.DataFrame:
    """Take the mean time from when the channel can carry the maximum throughput again.

    In seconds, to 90 % of that throughput; where the channel falls below it before, all
    the time until then counts. The maximum is what the best of the compared controllers
    has in the same run at the median of the time with line of sight. With `from_sight`, the
    time is from when there is line of sight, until then or until it is lost.
    """
    samples = with_sight(results, keys)
    usual = pl.col("goodput_bps").filter(pl.col("line_of_sight")).median()
    same = [key for key in keys if key != CONTROLLER]
    most = pl.col("own").max().over(same)
    samples = samples.with_columns(own=usual.over(keys)).with_columns(
        possible=pl.col("line_of_sight") if from_sight else pl.col("rate_bps") >= most,
        reached=pl.col("goodput_bps") >= RECOVERED * most,
    )
    return from_rows(samples, keys, lambda rows: mean(recoveries(rows)))


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


MEASURES = {
    "goodput": Measure(
        "goodput of all flows in one direction, in kbps", "kbps", goodput, True, goodput_bound(1e3)
    ),
    "goodput-with-tcp-headers": Measure(
        "the same with TCP's headers, in kbps", "kbps", with_headers, True, with_headers_bound
    ),
    "maximum-goodput": Measure(
        "the greatest goodput of an interval, in kbps", "kbps", maximum_goodput, True
    ),
    "decreases": Measure("decreases of the window", "", decreases, True),
    "restoration": Measure(
        "median time from a decrease of the window until it is as before", "s", restoration
    ),
    "depth-of-decreases": Measure("share by which the window decreases", "share", depth),
    "fairness-ratio": Measure(
        "minimum over maximum goodput of the flows", "", fairness_ratio, bound=share_bound
    ),
    "mean-fairness-ratio": Measure(
        "lesser over greater goodput, mean over all pairs of flows",
        "",
        mean_fairness_ratio,
        bound=share_bound,
    ),
    "plucking": Measure("share of their goodput that a flow costs the others", "share", plucking),
    "goodput-of-the-rest": Measure(
        "mean goodput of the flows beside the tested one, in kbps", "kbps", of_the_rest
    ),
    "alpha-over-its-limit": Measure(
        "alpha over the share of the round trip that is queueing", "", alpha_over_limit
    ),
    "goodput-by-round-trip": Measure(
        "goodput times round trip", "kbit", partial(per_round_trip, power=1), True
    ),
    "goodput-by-squared-round-trip": Measure(
        "goodput times squared round trip", "kbit s", partial(per_round_trip, power=2), True
    ),
    "share-of-model": Measure(
        "goodput over that of the controller's model",
        "",
        partial(share_of_model, of_controllers=models.MODELS),
        True,
    ),
    "share-of-printed-model": Measure(
        "goodput over that of the model as table 3 prints it",
        "",
        partial(share_of_model, of_controllers=models.PRINTED),
        True,
    ),
    "deviation-from-model": Measure(
        "difference of the goodput from that of the controller's model", "%", deviation
    ),
    "throughput-until-hidden": Measure(
        "median goodput until line of sight is first lost", "Mbps", until_hidden
    ),
    "throughput-in-sight": Measure(
        "median goodput with line of sight", "Mbps", partial(in_sight, sight=True)
    ),
    "throughput-out-of-sight": Measure(
        "median goodput without line of sight", "Mbps", partial(in_sight, sight=False)
    ),
    "recovery": Measure(
        "from when the channel allows the maximum throughput to 90 % of it", "s", recovery
    ),
    "recovery-from-line-of-sight": Measure(
        "from when there is line of sight to 90 % of the maximum throughput",
        "s",
        partial(recovery, from_sight=True),
    ),
    "maximum-sinr": Measure("the maximum SINR", "dB", maximum_sinr),
    "minimum-sinr": Measure("the minimum SINR", "dB", minimum_sinr),
    "sinr-without-line-of-sight": Measure(
        "SINR without line of sight, median", "dB", sinr_when_hidden
    ),
}
"""Each by its name in the paper's files."""
