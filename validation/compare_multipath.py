"""Compare Multipath TCP: over the Linux kernel's, and simulated, on two paths.

    python validation/compare_multipath.py

runs `validation/kernel/multipath.toml` for each case in `validation/kernel/multipath.json` and
prints the tables. `compare_kernel.py` writes them into its page, and saves the pictures beside it.
"""

from __future__ import annotations

import itertools
import json
import statistics
from collections.abc import Sequence
from pathlib import Path

import altair as alt
import polars as pl
from beside_kernel import FRAME, Case, beside, two_path_settings

from windtunnel.markdown import table
from windtunnel.results import Results
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent / "kernel"
RESULTS = FOLDER / "multipath.json"
SCENARIO = FOLDER / "multipath.toml"
SEGMENT = 1420
"""Bytes of data in a full segment (RFC 8684: 28 bytes of options; timestamps)."""
SAMPLING_S = 0.1
"""The interval of the kernel's series."""
RECENT_S = 0.5
"""Goodput over so long tells whether it is back after a cut."""
ENOUGH = 0.8
"""It is, from when it stays above that share of what the remaining path carries."""
COLOURS = ["#9aa3ad", "#b5bcc4", "#cdd2d8", "#a01038"]

Measures = dict[str, float]
Goodput = Sequence[float]
"""Mbps in each interval of `SAMPLING_S`."""


def kernel() -> dict:
    """Give what was measured: facts about the machine, and the cases with their runs."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def settings(case: Case) -> dict[str, str]:
    """Give the scenario's settings for a case."""
    found = two_path_settings(case)
    if case["cut_s"]:
        found["links.end-2.changes"] = (
            f'[{{ at = "{case["cut_s"]} s", state = ["down", "up"] }}, '
            f'{{ at = "{case["mended_s"]} s", state = "up" }}]'
        )
    return found


def simulate(case: Case) -> Results:
    """Simulate a case."""
    return run_scenario(read(SCENARIO, settings(case)))


def simulated() -> list[tuple[Case, Results]]:
    """Simulate all cases."""
    return [(case, simulate(case)) for case in kernel()["cases"]]


def our_measures(results: Results) -> Measures:
    """Give our measures of a connection."""
    [flow] = results["flows"].to_dicts()
    arrived = results["subflows"].sort("subflow")["throughput_bps"]
    found = {
        "goodput, Mbps": flow["goodput_bps"] / 1e6,
        "share of path 1, %": 100 * arrived[0] / arrived.sum(),
    }
    totals = results["subflows"].sort("subflow")
    for place, subflow in enumerate(totals.iter_rows(named=True)):
        series = results["subflow_series"].filter(subflow=place)
        found |= of_path(
            place + 1,
            series["cwnd_segments"].mean(),
            series["smoothed_rtt_s"].mean() * 1e3,
            subflow["retransmissions"],
        )
    return found


def their_measures(run: Case) -> Measures:
    """Give the kernel's measures of a connection."""
    acknowledged = run["acknowledged_bytes"]
    found = {
        "goodput, Mbps": run["goodput_mbps"],
        "share of path 1, %": 100 * acknowledged[0] / sum(acknowledged),
    }
    for place, retransmissions in enumerate(run["retransmissions"]):
        windows, rtts = (run["series"][it][place] for it in ("cwnd_segments", "smoothed_rtt_ms"))
        found |= of_path(place + 1, mean(windows), mean(rtts), retransmissions)
    return found


def of_path(number: int, window: float, rtt_ms: float, retransmissions: float) -> Measures:
    """Name the measures of a path's subflow."""
    return {
        f"{number}: window, segments": window,
        f"{number}: smoothed rtt, ms": rtt_ms,
        f"{number}: retransmissions, segments": retransmissions,
    }


def mean(values: Sequence[float | None]) -> float:
    """Give the mean of the samples; there are none until the subflow joined."""
    return statistics.fmean(it for it in values if it is not None)


def our_goodput(results: Results) -> list[float]:
    """Give our goodput in the kernel's intervals."""
    place = ((pl.col("time_s") - 1e-6) / SAMPLING_S).floor()
    intervals = results["flow_series"].group_by(place, maintain_order=True)
    return (intervals.agg(pl.col("goodput_bps").mean())["goodput_bps"] / 1e6).to_list()


def around_the_cut(case: Case, goodput: Goodput) -> Measures:
    """Give the goodput before, during and after the cut, and when it was back, in seconds."""
    cut, mended = (round(case[it] / SAMPLING_S) for it in ("cut_s", "mended_s"))
    enough = ENOUGH * case["paths"][0]["rate_mbps"] * SEGMENT / FRAME
    recent = round(RECENT_S / SAMPLING_S)
    low = (it for it in range(cut + 1, mended + 1) if mean(goodput[it - recent : it]) < enough)
    return {
        "goodput before, Mbps": mean(goodput[:cut]),
        "during, Mbps": mean(goodput[cut:mended]),
        "after, Mbps": mean(goodput[mended:]),
        "goodput back, s": (max(low) - cut) * SAMPLING_S,
    }


def our_cut(case: Case, results: Results) -> Measures:
    """Give our measures of a cut."""
    series = results["flow_series"].filter(
        pl.col("time_s").is_between(case["cut_s"], case["mended_s"])
    )
    received = series.filter(pl.col("goodput_bps") > 0)["time_s"].to_list()
    second = results["subflow_series"].filter(pl.col("subflow") == 1)
    used = second.filter(pl.col("time_s") > case["mended_s"], pl.col("throughput_bps") > 0)
    return around_the_cut(case, our_goodput(results)) | {
        "longest silence, s": max(b - a for a, b in itertools.pairwise(received)),
        "path 2 used again, s": used["time_s"].min() - case["mended_s"],
    }


def their_cut(case: Case, run: Case) -> Measures:
    """Give the kernel's measures of a cut."""
    return around_the_cut(case, run["series"]["goodput_mbps"]) | {
        "longest silence, s": run["silence_s"],
        "path 2 used again, s": run["used_again_s"],
    }


def case_name(case: Case) -> str:
    """Name a case's paths."""
    rates, rtts = ([path[name] for path in case["paths"]] for name in ("rate_mbps", "base_rtt_ms"))
    cut = f", path 2 cut from {case['cut_s']} to {case['mended_s']} s" if case["cut_s"] else ""
    together = f"{rtts[0]} ms" if rtts[0] == rtts[1] else f"{rtts[0]} and {rtts[1]} ms"
    return f"{rates[0]} and {rates[1]} Mbps, {together}{cut}"


def cells(our: Measures, theirs: list[Measures]) -> list[str]:
    """Lay out each measure: the kernel's runs, ours, and the difference from their median."""
    return [beside(our[name], [their[name] for their in theirs]) for name in our]


def tables(pairs: list[tuple[Case, Results]]) -> dict[str, str]:
    """Lay out connections, their subflows, the cut, and the sizes of segments."""
    connections, subflows, cuts = [], [], []
    for case, results in pairs:
        name = [case_name(case), case["controller"]]
        ours = our_measures(results)
        theirs = [their_measures(run) for run in case["runs"]]
        laid_out = dict(zip(ours, cells(ours, theirs), strict=True))
        whole = {it: cell for it, cell in laid_out.items() if it[0] not in "12"}
        if case["cut_s"]:
            our = our_cut(case, results)
            their = [their_cut(case, run) for run in case["runs"]]
            cuts += [[measure, cell] for measure, cell in zip(our, cells(our, their), strict=True)]
            continue
        connections.append([*name, *whole.values()])
        for number in ("1", "2"):
            of = {it: cell for it, cell in laid_out.items() if it.startswith(number)}
            subflows.append([*name, number, *of.values()])
    heads = ["paths", "controller"]
    measures = [it.partition(": ")[2] for it in of]
    return {
        "Linux: multipath": table([*heads, *whole], connections),
        "Linux: subflows": table([*heads, "path", *measures], subflows),
        "Linux: cut": table(["measure", "Linux / ours"], cuts),
        "Linux: segments": segments(),
        "Linux: multipath accuracy": accuracy(),
    }


def segments() -> str:
    """Lay out the sizes of the kernel's segments."""
    rows = [[kind, *map(str, sizes)] for kind, sizes in kernel()["segments"].items()]
    return table(["segment", "IP packet, bytes", "option, bytes", "data, bytes"], rows)


def accuracy() -> str:
    """Lay out the pauses of the machine."""
    rows = []
    for case in kernel()["cases"]:
        pauses = " · ".join(f"{run['longest_pause_ms']:.0f}" for run in case["runs"])
        late = [line["p99_us"] for run in case["runs"] for line in run["delay_line_lateness"]]
        name = [case_name(case), case["controller"], str(case["attempts"])]
        rows.append([*name, pauses, f"{max(late):,.0f}"])
    heads = ["paths", "controller", "runs made", "longest pause of each run kept, ms"]
    return table([*heads, "delay line lateness, 99th percentile, µs"], rows)


def windows(pairs: list[tuple[Case, Results]]) -> pl.DataFrame:
    """Give windows over time: columns `case`, `path`, `line`, `time_s`, `value`."""
    frames = []
    for case, results in pairs:
        name = f"{case_name(case)}, {case['controller']}"
        for place in range(2):
            ours = results["subflow_series"].filter(subflow=place).gather_every(10)
            lines = {"Windtunnel": (ours["time_s"], ours["cwnd_segments"])}
            for at, run in enumerate(case["runs"], 1):
                values = run["series"]["cwnd_segments"][place]
                lines[f"Linux, run {at}"] = (times(values), values)
            frames += [frame(name, f"path {place + 1}", *it) for it in lines.items()]
    return pl.concat(frames)


def goodputs(pairs: list[tuple[Case, Results]]) -> pl.DataFrame:
    """Give goodput around the cut, means over `RECENT_S`, with the columns of `windows`."""
    [(case, results)] = [pair for pair in pairs if pair[0]["cut_s"]]
    recent = round(RECENT_S / SAMPLING_S)
    series = {"Windtunnel": our_goodput(results)}
    for at, run in enumerate(case["runs"], 1):
        series[f"Linux, run {at}"] = run["series"]["goodput_mbps"]
    frames = []
    for line, values in series.items():
        means = [mean(values[it : it + recent]) for it in range(0, len(values), recent)]
        at = [(place + 1) * RECENT_S for place in range(len(means))]
        frames.append(frame(case_name(case), "goodput", line, (at, means)))
    return pl.concat(frames)


def times(values: Sequence[float | None]) -> list[float]:
    """Give the end of each interval."""
    return [(place + 1) * SAMPLING_S for place in range(len(values))]


def frame(case: str, path: str, line: str, points: tuple[Sequence, Sequence]) -> pl.DataFrame:
    """Give a line of a picture."""
    at, values = (pl.Series(it, dtype=pl.Float64) for it in points)
    columns = pl.DataFrame({"time_s": at, "value": values}).drop_nulls()
    names = {"case": case, "path": path, "line": line}
    return columns.with_columns(**{it: pl.lit(text) for it, text in names.items()})


def drawn(lines: pl.DataFrame, title: str, width: int, height: int) -> alt.Chart:
    """Draw lines over time, ours above the kernel's."""
    names = sorted(lines["line"].unique())
    scale = alt.Scale(domain=names, range=COLOURS)
    marks = alt.Chart(lines).mark_line(strokeWidth=1.2, clip=True)
    return marks.encode(
        x=alt.X("time_s:Q", title="time (s)"),
        y=alt.Y("value:Q", title=title),
        color=alt.Color("line:N", scale=scale, title=None, legend=alt.Legend(orient="top")),
    ).properties(width=width, height=height)


def window_picture(pairs: list[tuple[Case, Results]]) -> alt.Chart:
    """Draw the windows: a row for each case, a column for each path."""
    lines = windows(pairs)
    order = lines["case"].unique(maintain_order=True).to_list()
    above = alt.Header(labelOrient="top", labelAnchor="start", labelAngle=0)
    chart = drawn(lines, "window (segments)", 380, 110)
    return chart.facet(
        row=alt.Row("case:N", title=None, sort=order, header=above),
        column=alt.Column("path:N", title=None),
    ).resolve_scale(y="independent")


def cut_picture(pairs: list[tuple[Case, Results]]) -> alt.Chart:
    """Draw goodput around the cut."""
    chart = drawn(goodputs(pairs), "goodput (Mbps)", 800, 200)
    return chart.encode(y=alt.Y("value:Q", title="goodput (Mbps)", scale=alt.Scale(domain=[0, 40])))


def save_pictures(pairs: list[tuple[Case, Results]], folder: Path) -> None:
    """Save the windows, and goodput around the cut."""
    window_picture(pairs).save(folder / "kernel-multipath-windows.svg")
    cut_picture(pairs).save(folder / "kernel-multipath-cut.svg")


def main() -> None:
    """Print the tables."""
    print(*tables(simulated()).values(), sep="\n")


if __name__ == "__main__":
    main()
