"""Compare with ns-3: the same dumbbell and the same flows.

    python validation/compare_ns3.py docs/validation/ns3.md

runs `validation/ns3/dumbbell.toml` for each row of `validation/ns3/reference.json`,
replaces the tables of the page, each between the comments with its name, and saves the
picture beside the page. Without a page the tables are printed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
from compare_ndnsim import NOTABLE, replaced

from windtunnel.markdown import table
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent / "ns3"
SCENARIO = FOLDER / "dumbbell.toml"
FRAME = 1502
"""Bytes of a full frame on the links."""
CONTROLLERS = {
    "Bbr": '"bbr1"',
    "Bic": '"bic"',
    "Cubic": '"cubic"',
    "Illinois": '"illinois"',
    "LinuxReno": '"reno"',
    "NewReno": '{ kind = "new-reno", slow-start = "acknowledgements" }',
    "Scalable": '"scalable"',
    "Vegas": '"vegas"',
    "Veno": '"veno"',
    "WestwoodPlus": '"westwood"',
}
"""ns-3's controllers, and the same in a scenario."""
MEASURES = {
    "goodput_mbps": "goodput, Mbps",
    "utilisation": "utilisation",
    "drop_rate": "drops, %",
    "marks": "marks",
    "queue_delay_ms": "queue, ms",
    "jain": "Jain",
}
LEAST_DROPS = 1e-4
"""Drop rates that differ by less count as equal: a few packets per run."""
LEAST_MARKS = 3
"""Numbers of marks that differ by no more count as equal."""

Row = Mapping[str, Any]
Settings = Mapping[str, str]

CAUSES = {
    "Bbr": (["bandwidth"], ["bandwidth"]),
    "Bic": (["recovery", "constants"], ["constants", "recovery"]),
    "Cubic": (["recovery"], ["recovery"]),
    "Illinois": (["truncation", "smoothed"], ["smoothed", "truncation"]),
    "LinuxReno": (["recovery", "exit"], ["exit"]),
    "NewReno": (["counting"], ["counting", "pipe"]),
    "Scalable": (["recovery", "constants"], ["constants", "exit"]),
    "Vegas": (["smoothed"], ["vegas", "smoothed"]),
    "Veno": (["veno", "counting"], ["veno", "counting", "pipe"]),
    "WestwoodPlus": (["recovery", "counting"], ["westwood"]),
}
"""Why a controller's rows differ, without random loss and with it: words of the page."""

FAST_CAUSES = {
    "Bbr": ["quantum", "bandwidth"],
    "Vegas": ["smoothed", "overshoot"],
    "WestwoodPlus": ["overshoot"],
}
"""The same at 100 Mbps without random loss."""

VARIATIONS: list[tuple[str, str, Settings]] = [
    ("Bic", "`smooth-part` 5", {"controller": '{ kind = "bic", smooth-part = 5 }'}),
    ("Scalable", "`a` 0.02", {"controller": '{ kind = "scalable", a = 0.02 }'}),
    ("red", "a third of `max_probability`", {"max_probability": "0.3333"}),
]
"""What is varied here to match ns-3: the rows, the label and the change."""


def reference() -> list[dict[str, Any]]:
    """Give ns-3's rows: what was run, and each measure's mean, minimum and maximum."""
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
        "defaults.flow.acknowledgements.every": f'"{row["acknowledge_every"]} segments"',
        "defaults.flow.acknowledgements.within": f'"{row["acknowledge_within_ms"]} ms"',
        "defaults.flow.timeout.minimum": f'"{row["minimum_timeout_ms"]} ms"',
        "defaults.flow.start_within": f'"{row["start_within_s"]} s"',
        "flows": flows([CONTROLLERS[name] for name in row["controllers"]]),
    }
    if row["queue"] != "drop-tail":
        chosen["defaults.flow.ecn"] = '"classic"'
    return chosen


def flows(controllers: Sequence[str]) -> str:
    """Give a table of flows, one for each controller."""
    tables = (f"flow{at} = {{ controller = {it} }}" for at, it in enumerate(controllers, 1))
    return f"{{ {', '.join(tables)} }}"


def queue(row: Row, probability: float = 1.0) -> str:
    """Give the bottleneck's queues; RED's maximum probability times `probability`."""
    keys = f'kind = "{row["queue"]}", limit = "{row["buffer_packets"]} packets"'
    if row["queue"] != "drop-tail":
        keys += ', action = "mark"'
    if red := row.get("red"):
        keys += f', minimum_threshold = "{red["minimum"]} packets"'
        keys += f', maximum_threshold = "{red["maximum"]} packets"'
        keys += f', max_probability = "{red["max_probability"] * probability * 100} %"'
    return f'[{{ {keys} }}, {{ kind = "drop-tail", limit = "100000 packets" }}]'


def varied(row: Row, change: Settings) -> dict[str, str]:
    """Give the settings that make a variation of a row."""
    if "controller" in change:
        return {"flows": flows([change["controller"]] * len(row["controllers"]))}
    return {"links.bottleneck.queue": queue(row, float(change["max_probability"]))}


def simulate(row: Row, changes: Settings) -> dict[str, float]:
    """Simulate a row; give the means of its measures over the runs, without the warm-up."""
    results = run_scenario(read(SCENARIO, {**settings(row), **changes}), jobs=1)
    # The time of a sample is the end of its second.
    after = pl.col("time_s") > row["warmup_s"] + 0.5
    rates = results["flow_series"].filter(after).group_by("run", "flow")
    rates = rates.agg(rate=pl.col("goodput_bps").mean() / 1e6).group_by("run")
    total, squares = pl.col("rate").sum(), (pl.col("rate") ** 2).sum()
    goodput = rates.agg(goodput_mbps=total, jain=total**2 / pl.len() / squares)
    ahead = (pl.col("link") == "bottleneck") & (pl.col("from") == "left")
    sent = pl.col("utilisation") * row["rate_mbps"] * 1e6 / 8 / FRAME
    dropped = pl.col("overlimit_drops") + pl.col("discipline_drops")
    link = results["link_series"].filter(after & ahead).group_by("run")
    link = link.agg(
        utilisation=pl.col("utilisation").mean(),
        drop_rate=dropped.sum() / (sent + dropped).sum(),
        marks=pl.col("marks").sum(),
        queue_delay_ms=(pl.col("sojourn_s") * sent).sum() / sent.sum() * 1e3,
    )
    joined = goodput.join(link, on="run")
    return {name: joined[name].mean() for name in MEASURES}


def simulate_all(rows: Sequence[Row], changes: Sequence[Settings]) -> list[dict[str, float]]:
    """Simulate rows, each with its changes, two at a time."""
    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(simulate, rows, changes))


def differing(row: Row, our: Mapping[str, float]) -> list[str]:
    """Name the measures in which a row differs by more than 10 %.

    Queues must also differ by more than one packet's time, drop rates by more than
    `LEAST_DROPS`, and marks by more than `LEAST_MARKS`.
    """
    packet_ms = FRAME * 8 / row["rate_mbps"] / 1e3
    minimum = {"queue_delay_ms": packet_ms, "drop_rate": LEAST_DROPS, "marks": LEAST_MARKS}
    return [
        name
        for name in measured(row)
        if abs(our[name] - row[name][0]) > max(NOTABLE * row[name][0], minimum.get(name, 0))
    ]


def measured(row: Row) -> list[str]:
    """Name the measures that a row has: marks need a queue that marks."""
    return [name for name in MEASURES if name in row]


def causes(row: Row) -> list[str]:
    """Say why a row differs, in the words of the page."""
    if row["queue"] == "red":
        return ["red"]
    if row["controllers"] == ["Bbr", "Bbr"] and row["buffer_bdp"] > 1:
        return ["aggregation"]
    lossless = row["loss"] == 0
    first = row["controllers"][0]
    if lossless and row["rate_mbps"] == 100 and first in FAST_CAUSES:
        return FAST_CAUSES[first]
    words = [word for name in row["controllers"] for word in CAUSES[name][not lossless]]
    if lossless and has_spurious_timeouts(row):
        words.append("timeouts")
    return list(dict.fromkeys(words))


def has_spurious_timeouts(row: Row) -> bool:
    """Whether ns-3 had timeouts where the queue can take as long as the minimum timeout."""
    longest_queue_ms = row["buffer_packets"] * FRAME * 8 / row["rate_mbps"] / 1e3
    near = row["minimum_timeout_ms"] <= row["rtt_ms"] + longest_queue_ms
    return near and row["minimum_timeout_ms"] < 1000 and sum(row["timeouts"]) > 0


def comparison(rows: Sequence[Row], ours: Sequence[Mapping[str, float]]) -> str:
    """Lay out all rows: ns-3's value / ours (ratio), and the cause where they differ."""
    cells = []
    for row, our in zip(rows, ours, strict=True):
        different = differing(row, our)
        measures = [
            beside(name, row[name][0], our[name], name in different) if name in row else ""
            for name in MEASURES
        ]
        if len(row["controllers"]) == 1:
            measures[-1] = ""
        words = ", ".join(causes(row)) if different else ""
        cells.append([case_name(row), *path_cells(row), *measures, words])
    heads = ["controller", "path", "buffer", "loss", *MEASURES.values(), "cause"]
    return table(heads, cells)


def case_name(row: Row) -> str:
    """Name a row's controllers, and what is special about it."""
    special = {
        "active queue": f", {row['queue']}",
        "every segment acknowledged": ", ACK per segment",
        "ns-3's timers": ", ns-3's timers",
        "timeout from 1 s": ", minimum timeout 1 s",
    }
    return together(row) + special.get(row["list"], "")


def together(row: Row) -> str:
    """Name a row's controllers."""
    names = row["controllers"]
    return f"{len(names)} × {names[0]}" if len(set(names)) < len(names) else " + ".join(names)


def path_cells(row: Row) -> list[str]:
    """Write rate, round trip, buffer and loss."""
    path = f"{row['rate_mbps']} Mbps, {row['rtt_ms']} ms"
    return [path, f"{row['buffer_bdp']:g} BDP", f"{row['loss'] * 100:g} %"]


def beside(name: str, their: float, our: float, different: bool) -> str:
    """Write ns-3's value, ours and the ratio, in bold if they differ."""
    scale = 100 if name == "drop_rate" else 1
    values = f"{number(their * scale)} / {number(our * scale)}"
    if not their:
        return f"**{values}**" if different else values
    emphasis = "**" if different else ""
    return f"{values} ({emphasis}{our / their:.2f}{emphasis})"


def number(value: float) -> str:
    """Write three digits or so."""
    if value == 0:
        return "0"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def summary(rows: Sequence[Row], ours: Sequence[Mapping[str, float]]) -> str:
    """Count the rows that agree, by controller, in goodput and in all measures."""
    groups: dict[str, list[list[str]]] = {}
    for row, our in zip(rows, ours, strict=True):
        groups.setdefault(together(row), []).append(differing(row, our))
    cells = [
        [
            name,
            str(len(found)),
            str(sum("goodput_mbps" not in names for names in found)),
            str(sum(not names for names in found)),
        ]
        for name, found in groups.items()
    ]
    heads = ["controllers", "rows", "goodput within 10 %", "all measures within 10 %"]
    return table(heads, cells)


def variations(rows: Sequence[Row], ours: Sequence[Mapping[str, float]]) -> str:
    """Lay out the effect of each variation on the rows that it is meant for."""
    chosen = [
        (row, our, label, varied(row, change))
        for who, label, change in VARIATIONS
        for row, our in zip(rows, ours, strict=True)
        if row["list"] in ("one flow", "active queue")
        and (row["queue"] == who or (row["controllers"] == [who] and row["loss"]))
    ]
    results = simulate_all([row for row, *_ in chosen], [change for *_, change in chosen])
    cells = []
    for (row, our, label, _), result in zip(chosen, results, strict=True):
        name = "queue_delay_ms" if row["queue"] == "red" else "goodput_mbps"
        values = [number(value) for value in (row[name][0], our[name], result[name])]
        cells.append([case_name(row), *path_cells(row), MEASURES[name], *values, label])
    heads = ["controller", "path", "buffer", "loss", "measure", "ns-3", "ours", "ours, varied"]
    return table([*heads, "variation"], cells)


def picture(rows: Sequence[Row], ours: Sequence[Mapping[str, float]]) -> alt.HConcatChart:
    """Draw ours against ns-3's, goodput and queue, with a band of 10 %."""
    measures = ("goodput_mbps", "queue_delay_ms")
    frame = pl.DataFrame(
        {
            "measure": name,
            "controller": " + ".join(dict.fromkeys(row["controllers"])),
            "loss": "random loss" if row["loss"] else "no random loss",
            "theirs": row[name][0],
            "ours": our[name],
        }
        for row, our in zip(rows, ours, strict=True)
        for name in measures
    )
    return alt.hconcat(*(panel(frame, name) for name in measures))


def panel(frame: pl.DataFrame, name: str) -> alt.LayerChart:
    """Draw one measure."""
    values, measure = frame.filter(pl.col("measure") == name), MEASURES[name]
    ends = pl.concat([values["theirs"], values["ours"]])
    line = pl.DataFrame({"theirs": [ends.min(), ends.max()]}).with_columns(
        low=pl.col("theirs") * (1 - NOTABLE), high=pl.col("theirs") * (1 + NOTABLE)
    )
    scale = alt.Scale(type="log", domain=[ends.min(), ends.max()], nice=False)
    x = alt.X("theirs:Q", title=f"ns-3: {measure}", scale=scale)
    band = alt.Chart(line).mark_area(color="#cdd2d8", clip=True)
    band = band.encode(x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q")
    points = alt.Chart(values).mark_point(size=28, strokeWidth=1.2)
    points = points.encode(
        x=x,
        y=alt.Y("ours:Q", title=f"Windtunnel: {measure}", scale=scale),
        color=alt.Color("controller:N", title=None, scale=alt.Scale(scheme="tableau20")),
        shape=alt.Shape("loss:N", title=None),
    )
    return (band + points).properties(width=300, height=300)


def main() -> None:
    """Run everything; write page and picture, or print."""
    rows = reference()
    ours = simulate_all(rows, [{}] * len(rows))
    tables = {
        "ns-3: summary": summary(rows, ours),
        "ns-3: variations": variations(rows, ours),
        "ns-3: comparison": comparison(rows, ours),
    }
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
        picture(rows, ours).save(page.with_name("ns3.svg"))
    else:
        print(*tables.values(), sep="\n")


if __name__ == "__main__":
    main()
