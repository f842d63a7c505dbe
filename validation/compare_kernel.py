"""Compare with the Linux kernel: its TCP over a token bucket, and the same path simulated.

    python validation/compare_kernel.py docs/validation/kernel.md

runs `validation/kernel/path.toml` for each case in `validation/kernel/results.json`, and
what `compare_exchanges.py`, `compare_incast.py`, `compare_multipath.py` and
`compare_delay_cycles.py` say, replaces the tables of the page, each between the comments with its
name, and saves the pictures beside the page. Without a page the tables are printed. With
`--measure` before it, this machine's kernel is measured first, into `results.json`,
`exchanges.json`, `incast.json`, `multipath.json` and `delay_cycles.json`; if that is not possible,
the stored results are used.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

import altair as alt
import compare_delay_cycles
import compare_exchanges
import compare_incast
import compare_multipath
import polars as pl
from beside_kernel import Case, beside, path_settings
from compare_ndnsim import replaced

from windtunnel.markdown import table
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent / "kernel"
RESULTS = FOLDER / "results.json"
SCENARIO = FOLDER / "path.toml"
SKIPPED = 77
"""Exit code of what measures if this machine cannot be measured."""
MEASURES = {
    "goodput": "Mbps",
    "retransmissions": "segments",
    "smoothed rtt": "ms",
    "window": "segments",
}
"""What is compared; rtt and window are averages over the samples of a run."""


def kernel() -> dict:
    """Give what was measured: facts about the machine, and the cases with their runs."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def kernel_measures(run: Case) -> dict[str, float]:
    """Give the measures of one run of the kernel."""
    series = run["series"]
    return {
        "goodput": run["goodput_bps"] / 1e6,
        "retransmissions": run["retransmissions"],
        "smoothed rtt": statistics.fmean(series["smoothed_rtt_ms"]),
        "window": statistics.fmean(series["cwnd_segments"]),
    }


def simulate(case: Case) -> tuple[dict[str, float], pl.DataFrame]:
    """Simulate a case; give its measures, and window and rtt over time."""
    results = run_scenario(read(SCENARIO, path_settings(case, case["rate_mbps"])))
    [flow] = results["flows"].to_dicts()
    series = results["flow_series"]
    measures = {
        "goodput": flow["goodput_bps"] / 1e6,
        "retransmissions": flow["retransmissions"],
        "smoothed rtt": series["smoothed_rtt_s"].mean() * 1e3,
        "window": series["cwnd_segments"].mean(),
    }
    return measures, series


def case_name(case: Case) -> str:
    """Name a case's path."""
    return f"{case['rate_mbps']} Mbps, {case['base_rtt_ms']} ms, {case['buffer']}"


def comparison(cases: list[Case], ours: list[dict[str, float]]) -> str:
    """Lay out all cases: the kernel's runs, ours, and the difference from their median."""
    rows = []
    for case, our in zip(cases, ours, strict=True):
        runs = [kernel_measures(run) for run in case["runs"]]
        cells = [beside(our[name], [run[name] for run in runs]) for name in MEASURES]
        rows.append([case_name(case), case["controller"], *cells])
    heads = [f"{name}, {unit}" for name, unit in MEASURES.items()]
    return table(["path", "controller", *heads], rows)


def accuracy(cases: list[Case]) -> str:
    """Lay out the pauses of the machine and the accuracy of the delay line."""
    rows = []
    for case in cases:
        runs = case["runs"]
        pauses = " · ".join(f"{run['longest_pause_ms']:.0f}" for run in runs)
        lines = [run["delay_line_lateness"] for run in runs if run["delay_line_lateness"]]
        late = [f"{max(it[name] for it in lines):,.0f}" if lines else "" for name in LATENESS]
        smallest = f"{min(run['minimum_rtt_ms'] for run in runs):.2f}"
        attempts = str(case["attempts"])
        rows.append([case_name(case), case["controller"], smallest, attempts, pauses, *late])
    heads = ["minimum rtt, ms", "runs made", "longest pause of each run kept, ms"]
    return table(["path", "controller", *heads, *LATENESS.values()], rows)


LATENESS = {"median_us": "delay line lateness, median, µs", "p99_us": "99th percentile, µs"}


def windows(cases: list[Case], series: list[pl.DataFrame]) -> pl.DataFrame:
    """Give the windows over time: columns `path`, `controller`, `line`, `time_s`, `cwnd`."""
    frames = []
    for case, our in zip(cases, series, strict=True):
        runs = [pl.DataFrame(run["series"]) for run in case["runs"]]
        lines = {f"Linux, run {at + 1}": run for at, run in enumerate(runs)} | {"Windtunnel": our}
        frames += [
            frame.select(
                path=pl.lit(case_name(case)),
                controller=pl.lit(case["controller"]),
                line=pl.lit(line),
                time_s=pl.col("time_s").cast(pl.Float64),
                cwnd=pl.col("cwnd_segments").cast(pl.Float64),
            )
            for line, frame in lines.items()
        ]
    return pl.concat(frames)


def picture(frame: pl.DataFrame) -> alt.Chart:
    """Draw the windows: a row for each path, a column for each controller."""
    kernel_lines = sorted(set(frame["line"]) - {"Windtunnel"})
    colours = alt.Scale(
        domain=[*kernel_lines, "Windtunnel"],
        range=[*["#9aa3ad", "#b5bcc4", "#cdd2d8"][: len(kernel_lines)], "#a01038"],
    )
    lines = alt.Chart(frame).mark_line(strokeWidth=1.2)
    drawn = lines.encode(
        x=alt.X("time_s:Q", title="time (s)"),
        y=alt.Y("cwnd:Q", title="window (segments)"),
        color=alt.Color("line:N", scale=colours, title=None, legend=alt.Legend(orient="top")),
    ).properties(width=260, height=130)
    return drawn.facet(
        row=alt.Row("path:N", title=None, sort=in_order(frame["path"])),
        column=alt.Column("controller:N", title=None, sort=in_order(frame["controller"])),
    ).resolve_scale(y="independent")


def in_order(names: pl.Series) -> list[str]:
    """Give each name once, in order of appearance."""
    return names.unique(maintain_order=True).to_list()


def measure() -> None:
    """Measure this machine's kernel; keep the stored results if that is not possible."""
    programs = {
        "measure.py": RESULTS,
        "exchanges.py": compare_exchanges.RESULTS,
        "incast.py": compare_incast.RESULTS,
        "multipath.py": compare_multipath.RESULTS,
        "delay_cycles.py": compare_delay_cycles.RESULTS,
    }
    for program, results in programs.items():
        done = subprocess.run([sys.executable, FOLDER / program, results], check=False)
        if done.returncode not in (0, SKIPPED):
            sys.exit(f"the kernel was not measured by {program}")


def main() -> None:
    """Measure if requested, simulate all cases; write page and picture, or print."""
    arguments = sys.argv[1:]
    if "--measure" in arguments:
        arguments.remove("--measure")
        measure()
    cases = kernel()["cases"]
    ours, series = zip(*(simulate(case) for case in cases), strict=True)
    over_two_paths = compare_multipath.simulated()
    tables = {
        "Linux: comparison": comparison(cases, list(ours)),
        "Linux: accuracy": accuracy(cases),
        **compare_exchanges.tables(compare_exchanges.simulated()),
        "Linux: incast": compare_incast.comparison(compare_incast.simulated()),
        **compare_multipath.tables(over_two_paths),
        **compare_delay_cycles.tables(compare_delay_cycles.simulated()),
    }
    if arguments:
        page = Path(arguments[0])
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
        picture(windows(cases, list(series))).save(page.with_name("kernel-windows.svg"))
        compare_multipath.save_pictures(over_two_paths, page.parent)
    else:
        print(*tables.values(), sep="\n")


if __name__ == "__main__":
    main()
