"""What this review's mechanisms are measured by, and no other paper's."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.flows import active_goodput
from windtunnel.measures.measure import VALUE, Measure, Tables, of_runs

from . import models

SETTLED_S = 20.0
"""When flows are taken for settled: after slow start, in s."""

TOGETHER_S = 30.0
"""When an update and a download have been together for a while, in s."""

FAILURE_S = (9.8, 10.1)
"""When a gap begins that the failure of a path makes, in s."""

MEAN_OVER_S = 0.1
"""Goodput after a failure is the mean over so long, in s."""

LEFT_BPS = 60e6
"""The rate of the path that is left, in bit/s."""

SECOND_S = 60.0
"""When a second update has been there for a while, in s."""

FILE_BYTES = 150e6
"""The file that outlasts a path."""

MIXES = {"one": 1, "two": 2, "three": 3}
"""How many mixes are on the way, by the name of the case."""

MIX_S = 0.05
"""For how long each holds a message on average, in s."""

BASE_S = 0.004
"""The delay of the links, in s; sending takes a thousandth of it."""

MODULES = {"gigabit": 1e9, "ten-gigabit": 1e10}
"""The rates of the modules of an optical link, in bit/s."""

INTERVAL_S = 0.005
"""The interval of the series of messages, in s."""

MESSAGE_BITS = 1400 * 8

# -- Signals --------------------------------------------------------------------------------------


def settled(results: Tables, table: str, since_s: float = SETTLED_S) -> pl.DataFrame:
    """Give the samples of a table of series from some time on."""
    return results[table].filter(pl.col("time_s") > since_s)


def bottleneck(results: Tables) -> pl.DataFrame:
    """Give the settled samples of the bottleneck, in the direction of the data."""
    return settled(results, "link_series").filter(link="bottleneck", **{"from": "router"})


def window_spread(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the 90th percentile of the window by the 10th, and average over the flows."""
    window = pl.col("cwnd_segments")
    spread = window.quantile(0.9, "linear") / window.quantile(0.1, "linear")
    of_each = of_runs(settled(results, "flow_series"), [*keys, "flow"], spread)
    return of_runs(of_each, keys, pl.col(VALUE).mean())


def goodput_variation(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the standard deviation of a flow's goodput by its mean, and average over the flows."""
    goodput = pl.col("goodput_bps")
    of_each = of_runs(
        settled(results, "flow_series"), [*keys, "flow"], goodput.std() / goodput.mean()
    )
    return of_runs(of_each, keys, pl.col(VALUE).mean())


def of_bottleneck(results: Tables, keys: list[str], value: pl.Expr) -> pl.DataFrame:
    """Compute a value of the bottleneck's samples."""
    return of_runs(bottleneck(results), keys, value)


SIGNALS = pl.sum_horizontal("marks", "some_congestion_marks", "discipline_drops")
"""The signals that a queue gives: marks of both kinds, and packets that it drops."""


def signals_per_round_trip(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the signals of the bottleneck in the mean round trip of its flows."""
    signals = bottleneck(results).group_by(keys, maintain_order=True).agg(SIGNALS.sum(), TIME)
    flows = settled(results, "flow_series").group_by(keys).agg(pl.col("smoothed_rtt_s").mean())
    rate = pl.col("marks") / pl.col("time_s") * pl.col("smoothed_rtt_s")
    return signals.join(flows, on=keys, maintain_order="left").select(*keys, rate.alias(VALUE))


TIME = pl.col("time_s").max() - SETTLED_S
"""How long the settled samples are."""

FIDELITY = pl.corr("sojourn_s", SIGNALS)
"""How well the signals of an interval say how long packets waited: 1 if in proportion."""


def reordered(results: Tables, keys: list[str], flow: str) -> pl.DataFrame:
    """Count how many of a thousand segments or datagrams came after a later one."""
    sent = pl.coalesce("segments", "datagrams")
    share = 1000 * pl.col("reordered").sum() / sent.sum()
    return of_runs(results["flows"].filter(flow=flow), keys, share)


# -- Several paths --------------------------------------------------------------------------------


def gap(results: Tables, keys: list[str], flow: str | None = None) -> pl.DataFrame:
    """Find for how long nothing new arrived in order about the time of a failure, in s.

    Where nothing arrives any more it lasts to the end of the run.
    """
    of_flow = pl.col("flow") == flow if flow else pl.lit(value=True)
    arrived = results["flow_series"].filter(of_flow, pl.col("goodput_bps") > 0)
    arrived = arrived.select(*keys, "time_s")
    of_runs_alone = [it for it in keys if it != "flow"]
    runs = results["runs"].select(*of_runs_alone, time_s="duration_s")
    receivers = arrived.select(keys).unique(maintain_order=True)
    ends = receivers.join(runs, on=of_runs_alone, maintain_order="left").select(*keys, "time_s")
    times = pl.concat([arrived, ends]).sort("time_s", maintain_order=True)
    until = pl.col("time_s").shift(-1).over(keys)
    gaps = times.with_columns(gap=until - pl.col("time_s"))
    return of_runs(gaps.filter(pl.col("time_s").is_between(*FAILURE_S)), keys, pl.col("gap").max())


def recovered(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Find how long after the failure half of what is left arrives again, in s.

    A run in which it never does has no value.
    """
    bins = (pl.col("time_s") / MEAN_OVER_S).round().cast(pl.Int64).alias("bin")
    after = results["flow_series"].filter(pl.col("time_s") > FAILURE_S[1])
    means = after.group_by([*keys, bins], maintain_order=True).agg(pl.col("goodput_bps").mean())
    enough = means.filter(pl.col("goodput_bps") > LEFT_BPS / 2)
    return of_runs(enough, keys, pl.col("bin").min() * MEAN_OVER_S - 10.0)


def missing(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Count the bytes of the file that never arrived, in MB."""
    return of_runs(results["flows"], keys, (FILE_BYTES - pl.col("received_bytes").sum()) / 1e6)


# -- Receivers ------------------------------------------------------------------------------------


def together(results: Tables, keys: list[str], since_s: float) -> pl.DataFrame:
    """Take the mean goodput from some time on, in Mbps: of each flow, or the mean of all."""
    series = settled(results, "flow_series", since_s)
    return of_runs(series, keys, pl.col("goodput_bps").mean() / 1e6)


def latecomer(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Divide the goodput of the second update by that of the first."""
    of_each = together(results, [*keys, "flow"], SECOND_S).filter(
        pl.col("flow").is_in(["first", "second"])
    )
    of = {name: pl.col(VALUE).filter(pl.col("flow") == name) for name in ("first", "second")}
    return of_runs(of_each, keys, of["second"].first() / of["first"].first())


def line_delay(results: Tables, keys: list[str], since_s: float) -> pl.DataFrame:
    """Take the mean time that packets wait before the line, in ms."""
    series = settled(results, "link_series", since_s).filter(link="line", **{"from": "router"})
    return of_runs(series, keys, 1e3 * pl.col("sojourn_s").mean())


# -- Mixes ----------------------------------------------------------------------------------------


def messages(results: Tables) -> pl.DataFrame:
    """Give how many messages arrived in each interval, and their delay."""
    count = (pl.col("goodput_bps") * INTERVAL_S / MESSAGE_BITS).round().cast(pl.Int64)
    return results["flow_series"].filter(flow="messages").with_columns(count=count)


def erlang_distance(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Compare the delays of messages that came alone in an interval with Erlang's law."""
    alone = messages(results).filter(pl.col("count") == 1)
    rows = []
    for case, of_case in alone.group_by(keys, maintain_order=True):
        mixes = MIXES.get(str(case[0]))
        if mixes is None:
            continue
        delays = of_case["delay_s"].to_numpy() - BASE_S
        rows.append((*case, models.distance(delays, mixes, MIX_S)))
    kinds = pl.Schema([*alone.select(keys).schema.items(), (VALUE, pl.Float64())])
    return pl.DataFrame(rows, kinds, orient="row")


def dispersion(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Compare the variance of the number of messages in 50 ms with its mean, which Poisson's is.

    The value is by how much their ratio differs from 1.
    """
    # The interval's number, rounded: a time may lie on either side of its end.
    number = (pl.col("time_s") / INTERVAL_S).round().cast(pl.Int64)
    bins = ((number - 1) // 10).alias("bin")
    arrived = messages(results).filter(pl.col("time_s") > 1.0)
    counts = arrived.group_by([*keys, bins], maintain_order=True).agg(pl.col("count").sum())
    ratio = pl.col("count").var() / pl.col("count").mean()
    return of_runs(counts, keys, (ratio - 1.0).abs())


def delay(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean delay of datagrams, in ms."""
    datagrams = results["flows"].filter(protocol="udp")
    return of_runs(datagrams, keys, 1e3 * pl.col("delay_s").mean())


# -- KORUZA ---------------------------------------------------------------------------------------


def shortfall(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of a module's rate that the download does not have."""
    if "module" not in keys:
        return results["flows"].select(*keys, pl.lit(0.0).alias(VALUE)).clear()
    rate = pl.col("module").replace_strict(MODULES)
    return results["flows"].select(
        *keys, (1.0 - active_goodput(results["flows"]) / rate).alias(VALUE)
    )


MEASURES = {
    "window-spread": Measure("90th percentile of a flow's window over the 10th", "", window_spread),
    "goodput-variation": Measure(
        "standard deviation of a flow's goodput over 50 ms, over its mean", "", goodput_variation
    ),
    "queue-delay": Measure(
        "mean sojourn time at the bottleneck",
        "ms",
        partial(of_bottleneck, value=1e3 * pl.col("sojourn_s").mean()),
    ),
    "queue-delay-99": Measure(
        "its 99th percentile over intervals",
        "ms",
        partial(of_bottleneck, value=1e3 * pl.col("sojourn_s").quantile(0.99, "linear")),
    ),
    "utilisation": Measure(
        "share of the time in which the bottleneck sends",
        "share",
        partial(of_bottleneck, value=pl.col("utilisation").mean()),
    ),
    "signals": Measure("signals of the bottleneck in a round trip", "", signals_per_round_trip),
    "fidelity": Measure(
        "correlation of signals and sojourn time in intervals of a round trip",
        "",
        partial(of_bottleneck, value=FIDELITY),
    ),
    "sce-reordered": Measure(
        "segments of the SCE flow that came after a later one",
        "per thousand",
        partial(reordered, flow="sce"),
    ),
    "gap": Measure("longest time without new data", "s", gap, True),
    "inside-gap": Measure(
        "the same of the flow inside the isolation domain", "s", partial(gap, flow="inside")
    ),
    "recovered": Measure("time until half of what is left arrives again", "s", recovered),
    "completion": Measure(
        "time until the file is there",
        "s",
        lambda results, keys: of_runs(results["flows"], keys, pl.col("completion_s").mean()),
    ),
    "missing": Measure("what never arrived of the file", "MB", missing),
    "together": Measure(
        "goodput while both send", "Mbps", partial(together, since_s=TOGETHER_S), True
    ),
    "second-together": Measure(
        "goodput from 30 s after the second one's start",
        "Mbps",
        partial(together, since_s=SECOND_S),
        True,
    ),
    "latecomer": Measure("goodput of the second update over that of the first", "", latecomer),
    "settled": Measure("goodput after 20 s", "Mbps", partial(together, since_s=SETTLED_S)),
    "line-delay": Measure(
        "mean sojourn time before the line", "ms", partial(line_delay, since_s=TOGETHER_S)
    ),
    "erlang-distance": Measure(
        "greatest difference of the delays' distribution from Erlang's", "", erlang_distance
    ),
    "dispersion": Measure(
        "difference from 1 of variance over mean of the messages in 50 ms", "", dispersion
    ),
    "message-delay": Measure("mean delay of a datagram", "ms", delay),
    "messages-reordered": Measure(
        "messages that came after a later one",
        "per thousand",
        partial(reordered, flow="messages"),
    ),
    "gbps": Measure(
        "goodput",
        "Gbps",
        lambda results, keys: of_runs(
            results["flows"], keys, active_goodput(results["flows"]).sum() / 1e9
        ),
    ),
    "shortfall": Measure("share of the rate that the download does not have", "share", shortfall),
    "download-reordered": Measure(
        "segments that came after a later one",
        "per thousand",
        partial(reordered, flow="download"),
    ),
}
"""Each by its name in the paper's files."""
