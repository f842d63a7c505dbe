"""Compare with ns-3: the same dumbbell and the same flows, beside its results.

    python validation/compare_ns3.py docs/validation.md

runs `validation/ns3/dumbbell.toml` for each row of `validation/ns3/reference.json`,
and writes the page's tables anew, each between the comments that carry its name, and
the picture beside it. Without a page the tables are printed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl

import windtunnel

FOLDER = Path(__file__).parent / "ns3"
SCENARIO = FOLDER / "dumbbell.toml"
FRAME = 1502
"""Octets of a full segment on the links."""
CONTROLLERS = {
    "Bbr": '"bbr1"',
    "Bic": '"bic"',
    "Cubic": '"cubic"',
    "Illinois": '"illinois"',
    "LinuxReno": '{ kind = "reno", slow-start-limit = 1e6 }',
    "NewReno": '"new-reno"',
    "Scalable": '"scalable"',
    "Vegas": '"vegas"',
    "Veno": '"veno"',
    "WestwoodPlus": '"westwood"',
}
"""ns-3's controllers, and theirs here."""
MEASURES = ("goodput_mbps", "utilisation", "drop_rate", "queue_delay_ms", "jain")

Row = Mapping[str, object]
Settings = Mapping[str, str]


def reference() -> list[dict]:
    """Give ns-3's rows: what was run, and what came of it."""
    return json.loads((FOLDER / "reference.json").read_text(encoding="utf-8"))["rows"]


def settings(row: Row) -> dict[str, str]:
    """Give the scenario's settings for a row."""
    loss = f'{{ probability = "{row["loss"] * 100} %" }}'
    chosen = {
        "duration": f'"{row["duration_s"]} s"',
        "runs": str(row["runs"]),
        "links.bottleneck.rate": f'"{row["rate_mbps"]} Mbps"',
        "links.bottleneck.delay": f'"{row["rtt_ms"] / 2 - 2} ms"',
        "links.bottleneck.queue": queue(row),
        "links.bottleneck.loss": f'[{loss}, {{ probability = "0 %" }}]',
        "defaults.flow.acknowledge_every": f'"{row["acknowledge_every"]} segments"',
        "defaults.flow.acknowledge_within": f'"{row["acknowledge_within_ms"]} ms"',
        "defaults.flow.minimum_timeout": f'"{row["minimum_timeout_ms"]} ms"',
        "defaults.flow.start_within": f'"{row["start_within_s"]} s"',
    }
    if row["queue"] != "drop-tail":
        chosen["defaults.flow.ecn"] = '"classic"'
    controllers = (CONTROLLERS[name] for name in row["controllers"])
    flows = (f"flow{at} = {{ controller = {it} }}" for at, it in enumerate(controllers, 1))
    return chosen | {"flows": f"{{ {', '.join(flows)} }}"}


def queue(row: Row) -> str:
    """Give the bottleneck's queue, forward; the way back is never full."""
    keys = f'kind = "{row["queue"]}", limit = "{row["buffer_packets"]} packets"'
    if row["queue"] != "drop-tail":
        keys += ', action = "mark"'
    if red := row.get("red"):
        keys += f', minimum_threshold = "{red["minimum"]} packets"'
        keys += f', maximum_threshold = "{red["maximum"]} packets"'
        keys += f', max_probability = "{red["max_probability"] * 100} %"'
    back = '{ kind = "drop-tail", limit = "100000 packets" }'
    return f"[{{ {keys} }}, {back}]"


def simulate(row: Row, changes: Settings) -> pl.DataFrame:
    """Run a row here; give its measures, a line for each run."""
    results = windtunnel.run(SCENARIO, settings={**settings(row), **changes}, jobs=1)
    after = pl.col("time_s") > row["warmup_s"] + 0.5
    rates = results["flow_series"].filter(after).group_by("run", "flow")
    rates = rates.agg(rate=pl.col("goodput_bps").mean() / 1e6).group_by("run")
    total, squares = pl.col("rate").sum(), (pl.col("rate") ** 2).sum()
    flows = rates.agg(goodput_mbps=total, jain=total**2 / pl.len() / squares)
    ahead = (pl.col("link") == "bottleneck") & (pl.col("from") == "left")
    sent = pl.col("utilisation") * row["rate_mbps"] * 1e6 / 8 / FRAME
    dropped = pl.col("overflows") + pl.col("discipline_drops")
    link = results["link_series"].filter(after & ahead).group_by("run")
    link = link.agg(
        utilisation=pl.col("utilisation").mean(),
        drop_rate=dropped.sum() / (sent + dropped).sum(),
        queue_delay_ms=(pl.col("sojourn_s") * sent).sum() / sent.sum() * 1e3,
        marks=pl.col("marks").sum(),
        mark_rate=pl.col("marks").sum() / sent.sum(),
    )
    whole = (
        results["flows"]
        .group_by("run")
        .agg(
            pl.col("timeouts").sum(),
            pl.col("decreases").sum(),
            pl.col("undone").sum(),
            pl.col("retransmissions").sum(),
        )
    )
    return flows.join(link, on="run").join(whole, on="run").sort("run")


def simulate_all(rows: list[Row], changes: Settings) -> list[pl.DataFrame]:
    """Run rows here, two at a time."""
    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(lambda row: simulate(row, changes), rows))
