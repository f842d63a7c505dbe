"""Compare Multipath TCP while the delay of a path comes and goes: in the Linux kernel, simulated.

    python validation/compare_delay_cycles.py

runs `validation/kernel/multipath.toml` for each case in `validation/kernel/delay_cycles.json` and
prints the tables. `compare_kernel.py` writes them into its page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl
from beside_kernel import Case, beside, two_path_settings

from windtunnel.markdown import table
from windtunnel.results import Results
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent / "kernel"
RESULTS = FOLDER / "delay_cycles.json"
SCENARIO = FOLDER / "multipath.toml"
SEGMENT_BITS = 1420 * 8
"""Of the data in a full segment."""
SETTLED_S = 20
ADDED_MS = 60
STATES = {"off": False, "on": True}
MEASURES = {
    "cwnd_segments": "window, segments",
    "smoothed_rtt_ms": "smoothed rtt, ms",
    "bandwidth_segments": "bandwidth, segments/s",
    "throughput_mbps": "throughput, Mbps",
}

OfState = Mapping[str, float]


def kernel() -> dict:
    """Give what was measured: facts about the machine, and the cases with their runs."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def settings(case: Case) -> dict[str, str]:
    """Give the scenario's settings for a case."""
    return two_path_settings(case) | {"links.path-1.changes": changes(case)}


def changes(case: Case) -> str:
    """Give the changes of the first path's delay: half of each cycle has more."""
    half, base = case["half_s"], case["base_rtt_ms"]
    every = f'every = "{2 * half} s"'
    on = f'{{ at = "{half} s", {every}, delay = ["0 ms", "{base + ADDED_MS} ms"] }}'
    off = f'{{ at = "{2 * half} s", {every}, delay = ["0 ms", "{base} ms"] }}'
    return f"[{on}, {off}]"


def simulated() -> list[tuple[Case, Results]]:
    """Simulate all cases."""
    return [(case, run_scenario(read(SCENARIO, settings(case)))) for case in kernel()["cases"]]


def of_state(case: Case, results: Results, *, on: bool) -> OfState:
    """Give what the first path was like, with the delay or without it."""
    ends = pl.col("time_s")
    # A sample is of what was before it.
    is_on = ((ends - 1e-6) / case["half_s"]).floor() % 2 == 1
    series = results["subflow_series"].filter(
        pl.col("subflow") == 0, ends > SETTLED_S, is_on if on else ~is_on
    )
    found = series.select(
        cwnd_segments=pl.col("cwnd_segments").mean(),
        smoothed_rtt_ms=pl.col("smoothed_rtt_s").mean() * 1e3,
        bandwidth_segments=pl.col("estimated_bandwidth_bps").median() / SEGMENT_BITS,
        throughput_mbps=pl.col("throughput_bps").mean() / 1e6,
    )
    return found.row(0, named=True)


def comparison(pairs: list[tuple[Case, Results]]) -> str:
    """Lay out all cases: the kernel's runs, ours, and the difference from their median."""
    rows = []
    for case, results in pairs:
        for state, on in STATES.items():
            our = of_state(case, results, on=on)
            theirs = [run[state] for run in case["runs"]]
            cells = [cell(case, name, our, theirs) for name in MEASURES]
            rows.append([case_name(case), state.upper(), *cells])
    return table(["controller, halves, round trip, queue", "delay", *MEASURES.values()], rows)


def cell(case: Case, name: str, our: OfState, theirs: list[OfState]) -> str:
    """Lay out a measure; only BBR has an estimate of the bandwidth."""
    if name == "bandwidth_segments" and case["controller"] != "bbr":
        return ""
    return beside(our[name], [their[name] for their in theirs])


def totals(pairs: list[tuple[Case, Results]]) -> str:
    """Lay out the goodput of both paths, and the accuracy of the measurements."""
    rows = []
    for case, results in pairs:
        runs = case["runs"]
        goodput = results["flows"]["goodput_bps"].item() / 1e6
        pauses = " · ".join(f"{run['longest_pause_ms']:.0f}" for run in runs)
        late = max(line["p99_us"] for run in runs for line in run["delay_line_lateness"])
        dropped = " · ".join(str(sum(run["drops"])) for run in runs)
        cells = [beside(goodput, [run["goodput_mbps"] for run in runs]), dropped, pauses]
        rows.append([case_name(case), *cells, f"{late:,.0f}"])
    heads = ["goodput, Mbps", "frames dropped by Linux's buckets", "longest pause of each run, ms"]
    lateness = "delay line lateness, 99th percentile, µs"
    return table(["controller, halves, round trip, queue", *heads, lateness], rows)


def case_name(case: Case) -> str:
    """Name a case."""
    queue = f"{case['limit_frames']} frames"
    return f"{case['controller']}, {case['half_s']} s, {case['base_rtt_ms']} ms, {queue}"


def tables(pairs: list[tuple[Case, Results]]) -> dict[str, str]:
    """Give the tables of the page, by name."""
    return {"Linux: delay cycles": comparison(pairs), "Linux: delay cycles totals": totals(pairs)}


def main() -> None:
    """Print the tables."""
    print(*tables(simulated()).values(), sep="\n")


if __name__ == "__main__":
    main()
