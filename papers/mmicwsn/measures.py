"""What this paper measures and no other: a radio's reports, iPerf3's, Cefore's, and rain's."""

from __future__ import annotations

from functools import partial

import polars as pl

from windtunnel.measures.flows import active_goodput
from windtunnel.measures.measure import VALUE, Measure, Tables, goodput_bound, of_runs

from . import models

DATA = "school-roof"
"""The radio that sends the data."""

SEGMENT_BYTES = 1448
"""The data of a full segment, and of iPerf3's datagrams."""

SEND_BUFFER_BYTES = 4 << 20
"""What the sender's socket holds that is not acknowledged, as `buffers.send` in `tcp.toml`."""

CARRIER_GHZ = 60.48

THRESHOLDS_DB = {
    "rated": {"lost": 5.54, "slow": 10.54},
    "japan": {"lost": 5.54, "slow": 10.54},
    "controlled": {"lost": 3.0, "slow": 9.0},
}
"""The SNR that each power's thresholds require: of the slowest scheme, and of the slowest that
leaves TCP the 941 Mbps of its port, which is MCS 8."""

MINUTES_A_YEAR = 365.25 * 24 * 60


# -- The radio's report ---------------------------------------------------------------------------


def of_budget(results: Tables, keys: list[str], term: str, sender: str = DATA) -> pl.DataFrame:
    """Take a line of the link budget, in its own unit."""
    budget = results["link_budgets"].filter(pl.col("from") == sender, term=term)
    return of_runs(budget, keys, pl.col("best").mean())


def picowatts(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the received power in pW: of decibels, ten percent would be many decibels."""
    decibels = of_budget(results, keys, "received power")
    return decibels.with_columns((1e9 * 10 ** (pl.col(VALUE) / 10)).alias(VALUE))


def scheme(results: Tables, keys: list[str], *, highest: bool) -> pl.DataFrame:
    """Take the lowest or the highest scheme that the sending radio used."""
    samples = results["channel_series"].filter(pl.col("from") == DATA)
    index = pl.col("mcs").max() if highest else pl.col("mcs").min()
    return of_runs(samples, keys, index.cast(pl.Float64))


# -- iPerf3's report ------------------------------------------------------------------------------


def sender_throughput(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take what the sender's socket took, in Mbps: what arrived, and at the end a full buffer.

    iPerf3's client writes as long as the socket has room, and counts what it wrote.
    """
    received = pl.col("received_bytes").sum()
    written = pl.when(received > 0).then(1.0 + SEND_BUFFER_BYTES / received).otherwise(1.0)
    return of_runs(results["flows"], keys, active_goodput(results["flows"]).sum() / 1e6 * written)


def window(results: Tables, keys: list[str], unit_bytes: float) -> pl.DataFrame:
    """Take the mean of the window at the end of each second."""
    mean = pl.col("cwnd_segments").mean() * SEGMENT_BYTES / unit_bytes
    return of_runs(results["flow_series"], keys, mean)


def loss(results: Tables, keys: list[str], scale: float = 1.0) -> pl.DataFrame:
    """Take the mean of each second's share of datagrams that gaps in their numbers show lost."""
    return of_runs(results["flow_series"], keys, scale * pl.col("lost_share").mean())


def loss_of_all(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the share of all datagrams."""
    received = pl.col("received_bytes").sum() / SEGMENT_BYTES
    lost = pl.col("lost").sum()
    return of_runs(results["flows"], keys, lost / (lost + received))


def jitter(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean of RFC 3550's jitter at the end of each second, in µs."""
    return of_runs(results["flow_series"], keys, 1e6 * pl.col("jitter_s").mean())


def round_trip(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take the mean round trip, in ms."""
    return of_runs(results["flows"], keys, 1e3 * pl.col("rtt_s").mean())


# -- Cefore's report ------------------------------------------------------------------------------


def of_reads(results: Tables, keys: list[str], column: str, scale: float) -> pl.DataFrame:
    """Take what a consumer counted of its reads."""
    return of_runs(results["flows"], keys, scale * pl.col(column).mean())


# -- Rain over a year -----------------------------------------------------------------------------


def rain(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Take what rain takes for 0.01 % of a year, in dB."""
    return of_budget(results, keys, "rain").with_columns(-pl.col(VALUE))


def below(results: Tables, keys: list[str], need: str) -> pl.DataFrame:
    """Give for how many minutes of a year rain leaves less than a need of its thresholds."""
    taken = rain(results, keys)
    dry = of_budget(results, keys, "SNR").rename({VALUE: "snr"})
    rows = []
    for row in taken.join(dry, on=keys).iter_rows(named=True):
        margin = row["snr"] + row[VALUE] - THRESHOLDS_DB[row["power"]][need]
        percent = models.unavailable(margin, row[VALUE], CARRIER_GHZ)
        rows.append((*(row[key] for key in keys), percent / 100 * MINUTES_A_YEAR))
    return pl.DataFrame(rows, pl.Schema([*taken.schema.items()]), orient="row")


MEASURES = {
    "eirp": Measure("radiated power", "dBm", partial(of_budget, term="EIRP")),
    "gain": Measure("gain of an antenna", "dBi", partial(of_budget, term="receiving antenna")),
    "received": Measure("received power, in pW", "pW", picowatts),
    "received-dbm": Measure("received power", "dBm", partial(of_budget, term="received power")),
    "snr": Measure("signal-to-noise ratio", "dB", partial(of_budget, term="SNR")),
    "lowest-mcs": Measure("lowest scheme in use", "", partial(scheme, highest=False)),
    "highest-mcs": Measure("highest scheme in use", "", partial(scheme, highest=True)),
    "rate": Measure(
        "rate on the air",
        "Mbps",
        partial(of_budget, term="rate on the air", sender="school"),
    ),
    "sender-throughput": Measure(
        "throughput as iPerf3's client counts it", "Mbps", sender_throughput
    ),
    "cwnd": Measure("window, with MBytes of 2^20 bytes", "MiB", partial(window, unit_bytes=2**20)),
    "cwnd-decimal": Measure("window", "MB", partial(window, unit_bytes=1e6)),
    "loss": Measure("loss of datagrams, mean of the seconds' shares", "share", loss),
    "loss-of-all": Measure("loss of all datagrams", "share", loss_of_all),
    "loss-percent": Measure("loss, if percent are meant", "%", partial(loss, scale=100.0)),
    "jitter": Measure("jitter of datagrams by RFC 3550", "µs", jitter),
    "read-throughput": Measure(
        "throughput as Cefore counts it, with names",
        "Mbps",
        partial(of_reads, column="read_throughput_bps", scale=1e-6),
    ),
    "read-goodput": Measure(
        "throughput of payload",
        "Mbps",
        partial(of_reads, column="read_goodput_bps", scale=1e-6),
        bound=goodput_bound(1e6),
    ),
    "read-interval": Measure(
        "mean time between two reads, which Cefore calls jitter",
        "µs",
        partial(of_reads, column="read_interval_s", scale=1e6),
    ),
    "read-jitter": Measure(
        "jitter of Data by RFC 3550", "µs", partial(of_reads, column="jitter_s", scale=1e6)
    ),
    "round-trip": Measure("mean round trip", "ms", round_trip),
    "rain": Measure("what rain takes for 0.01 % of a year", "dB", rain),
    "minutes-lost": Measure(
        "time of a year without a scheme, by rain", "minutes", partial(below, need="lost")
    ),
    "minutes-slow": Measure(
        "time of a year with less than the port's rate, by rain",
        "minutes",
        partial(below, need="slow"),
    ),
}
"""Each by its name in the paper's files."""
