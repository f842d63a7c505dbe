"""Compare what applications ask of TCP: over the Linux kernel's, and simulated.

    python validation/compare_exchanges.py

runs `validation/kernel/exchanges.toml` for each case in `validation/kernel/exchanges.json`
and prints the tables. `compare_kernel.py` writes them into its page.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
from beside_kernel import Case, beside, path_settings

from windtunnel.markdown import table
from windtunnel.results import Results
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent / "kernel"
RESULTS = FOLDER / "exchanges.json"
SCENARIO = FOLDER / "exchanges.toml"
RATE_MBPS = 100
RUNS = 5
"""How often a case is simulated in which chance has a part."""
SHARES = ("late_share", "lost_share", "bursts_share")
"""What of a case is drawn at random."""
BURST_SEGMENTS = 20
"""How many segments a burst of losses has in the mean, as `exchanges.py` has it."""
THOUSAND = 1000
FIRST_S = 20
"""How long the beginning is of data without end."""

Measures = dict[str, float]
Pair = tuple[Case, Measures]
"""A case, and our measures of it."""


def kernel() -> dict:
    """Give what was measured: facts about the machine, and the cases with their runs."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def simulate(case: Case) -> Measures:
    """Simulate a case; give the medians of its measures over the runs."""
    results = run_scenario(read(SCENARIO, settings(case)))
    runs = [OURS[case["workload"]](case, of_run(results, run)) for run in range(chances(case))]
    return medians(runs)


def medians(runs: list[Measures]) -> Measures:
    """Give the median of each measure."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}


def chances(case: Case) -> int:
    """Give how many runs a case needs."""
    return RUNS if any(case[share] for share in SHARES) else 1


def of_run(results: Results, run: int) -> dict[str, pl.DataFrame]:
    """Give the tables of one run."""
    names = ("flows", "transfers", "links", "flow_series")
    return {name: results[name].filter(pl.col("run") == run) for name in names}


def settings(case: Case) -> dict[str, str]:
    """Give the scenario's settings for a case."""
    late, lost = (f"{case[share]:.0%}".replace("%", " %") for share in ("late_share", "lost_share"))
    found = path_settings(case, RATE_MBPS) | {
        "runs": str(chances(case)),
        "duration": f'"{case["seconds"] or 15} s"',
        "flows.one.window.after_idleness": '"decay"' if case["slow_start_after_idle"] else '"keep"',
        "flows.one.workload": workload(case),
        "flows.one.acknowledgements.sack_compression": "true",
    }
    if case["offload"]:
        found["flows.one.offload.segmentation"] = "true"
        found["flows.one.offload.receive"] = "true"
    if case["late_share"]:
        none = '{ probability = "0 %", lateness = "10 ms" }'
        found["links.path.reordering"] = f"[{none.replace('0 %', late)}, {none}]"
    if case["lost_share"]:
        found["links.path.loss"] = f'["{lost}", "0 %"]'
    if case["bursts_share"]:
        bad, good = case["bursts_share"], 1 / BURST_SEGMENTS
        channel = f'to_bad_state = "{bad:%}", to_good_state = "{good:%}"'
        none = '{ kind = "independent", probability = "0 %" }'
        bursts = (
            '{ kind = "gilbert-elliott", in_good_state = "0 %", in_bad_state = "100 %", '
            f"{channel.replace('%', ' %')} }}"
        )
        found["links.path.loss"] = f"[{bursts}, {none}]"
    if case["receive_buffer"]:
        # What the kernel advertised of its buffer; the rest of that is overhead.
        window = statistics.median_low(run["window_of_receiver"] for run in case["runs"])
        found["flows.one.buffers.receive"] = f'"{window} B"'
    return found


def workload(case: Case) -> str:
    """Give a case's workload in a scenario."""
    size = case["size_bytes"]
    on, off = case["on_s"], case["off_s"]
    return {
        "answers": f'{{ kind = "request-response", response = "{size} B", think = "2 s" }}',
        "turns": f'{{ kind = "on-off", on = "{on} s", off = "{off} s" }}',
        "bulk": '"bulk"',
        "bursts": '"bulk"',
        "transfers": f'{{ kind = "arrivals", sizes = "{size} B", rate = "20 per second" }}',
    }[case["workload"]]


def our_answers(_: Case, results: dict[str, pl.DataFrame]) -> Measures:
    """Give the measures of our answers."""
    return by_position((results["transfers"]["completion_s"] * 1e3).to_list())


def their_answers(_: Case, run: Case) -> Measures:
    """Give the measures of the kernel's answers."""
    return by_position(run["completion_ms"])


def by_position(times: list[float]) -> Measures:
    """Give the completion times of the first, the second and the sixth answer."""
    return {"first answer, ms": times[0], "second, ms": times[1], "sixth, ms": times[5]}


def our_turns(case: Case, results: dict[str, pl.DataFrame]) -> Measures:
    """Give the measures of our turns."""
    series = results["flow_series"]
    again = resumptions(case)
    return {
        "goodput, Mbps": mbps(series, 0, case["seconds"]),
        "first second, Mbps": mbps(series, 0, 1),
        "first second of later turns, Mbps": statistics.median(
            mbps(series, start, start + 1) for start in again
        ),
        "window before, segments": statistics.median(window(series, at - 0.02) for at in again),
        "window after, segments": statistics.median(window(series, at + 0.02) for at in again),
    }


def resumptions(case: Case) -> list[float]:
    """Give when turns begin, except for the first."""
    period = case["on_s"] + case["off_s"]
    starts = (period * turn for turn in range(1, 10))
    return [start for start in starts if start < case["seconds"]]


def mbps(series: pl.DataFrame, start: float, end: float) -> float:
    """Give the mean goodput between two times."""
    within = pl.col("time_s").is_between(start + 1e-6, end + 1e-6)
    return series.filter(within)["goodput_bps"].mean() / 1e6


def window(series: pl.DataFrame, at: float) -> float:
    """Give the window at a time."""
    return series.filter(pl.col("time_s") <= at + 1e-6)["cwnd_segments"][-1]


def their_turns(_: Case, run: Case) -> Measures:
    """Give the measures of the kernel's turns."""
    before, after = zip(*run["windows_when_resumed"], strict=True)
    return {
        "goodput, Mbps": run["goodput_mbps"],
        "first second, Mbps": run["first_second_mbps"],
        "first second of later turns, Mbps": run["resumed_second_mbps"],
        "window before, segments": statistics.median(before),
        "window after, segments": statistics.median(after),
    }


def our_bulk(case: Case, results: dict[str, pl.DataFrame]) -> Measures:
    """Give the measures of our data without end."""
    [flow] = results["flows"].to_dicts()
    series = results["flow_series"]
    return of_bulk(case, mbps(series, 0, FIRST_S), mbps(series, 0, case["seconds"])) | {
        "dropped, segments": results["links"]["overlimit_drops"].sum(),
        "retransmissions, segments": flow["retransmissions"],
        "decreases undone": flow["decreases_undone"],
    }


def their_bulk(case: Case, run: Case) -> Measures:
    """Give the measures of the kernel's data without end."""
    undone = ("undone_by_timestamps", "undone_partially", "undone_by_dsack")
    return of_bulk(case, run["first_20_s_mbps"], run["goodput_mbps"]) | {
        "dropped, segments": run["drops"],
        "retransmissions, segments": run["retransmissions"],
        "decreases undone": sum(run[name] for name in undone),
    }


def of_bulk(case: Case, first: float, goodput: float) -> dict[str, float]:
    """Give the goodput, and that of the beginning where more follows."""
    beginning = {"goodput of the first 20 s, Mbps": first} if case["seconds"] > FIRST_S else {}
    return beginning | {"goodput, Mbps": goodput}


def our_transfers(_: Case, results: dict[str, pl.DataFrame]) -> Measures:
    """Give the measures of our transfers."""
    [flow] = results["flows"].to_dicts()
    counts = {name: flow[name] for name in ("timeouts", "probes", "retransmissions")}
    return of_transfers((results["transfers"]["completion_s"] * 1e3).to_list(), *counts.values())


def their_transfers(_: Case, run: Case) -> Measures:
    """Give the measures of the kernel's transfers."""
    # The kernel counts a SYN that is sent again as both.
    timeouts = run["timeouts"] - run["of_syn"]
    retransmissions = run["retransmissions"] - run["of_syn"]
    return of_transfers(run["completion_ms"], timeouts, run["loss_probes"], retransmissions)


def of_transfers(times: list[float], timeouts: int, probes: int, retransmissions: int) -> Measures:
    """Give the distribution of completion times, and counts for each thousand transfers."""
    ordered = pl.Series(times)
    thousands = len(times) / THOUSAND
    return {
        "median, ms": ordered.median(),
        "mean, ms": ordered.mean(),
        "99th percentile, ms": ordered.quantile(0.99, "linear"),
        "timeouts per 1,000": timeouts / thousands,
        "loss probes per 1,000": probes / thousands,
        "retransmissions per 1,000": retransmissions / thousands,
    }


OURS: Mapping[str, Callable[[Case, dict[str, pl.DataFrame]], Measures]] = {
    "answers": our_answers,
    "turns": our_turns,
    "bulk": our_bulk,
    "bursts": our_bulk,
    "transfers": our_transfers,
}
THEIRS: Mapping[str, Callable[[Case, Case], Measures]] = {
    "answers": their_answers,
    "turns": their_turns,
    "bulk": their_bulk,
    "bursts": their_bulk,
    "transfers": their_transfers,
}


def described(case: Case) -> list[str]:
    """Describe a case: what is sent, and the kernel's settings that differ among cases."""
    size = f"{case['size_bytes'] / 1000:,.0f} kB"
    share = f"{case['late_share']:.0%}".replace("%", " %")
    buffer = f"buffer of {case['receive_buffer'] >> 20} MiB"
    sent = {
        "answers": size,
        "turns": f"{case['on_s']} s, then {case['off_s']} s of silence",
        "bulk": buffer if case["receive_buffer"] else f"{share} come late",
        "bursts": "bursts of losses",
        "transfers": size,
    }
    idle = "on" if case["slow_start_after_idle"] else "off"
    offload = "on" if case["offload"] else "off"
    return [sent[case["workload"]], case["controller"], idle, offload]


def comparison(pairs: list[Pair]) -> str:
    """Lay out cases of one workload: the kernel's runs, ours, and the difference."""
    rows = []
    for case, our in pairs:
        cells = [beside(our[name], theirs) for name, theirs in by_measure(case).items()]
        rows.append([*described(case), *cells])
    return table(["sent", "controller", "slow start after idle", "offload", *pairs[0][1]], rows)


def by_measure(case: Case) -> dict[str, list[float]]:
    """Give the kernel's measures of a case, each of all runs."""
    runs = [THEIRS[case["workload"]](case, run) for run in case["runs"]]
    return {name: [run[name] for run in runs] for name in runs[0]}


TABLES: Mapping[str, Callable[[Case], bool]] = {
    "Linux: answers": lambda case: case["workload"] == "answers",
    "Linux: turns": lambda case: case["workload"] == "turns",
    "Linux: small buffers": lambda case: bool(case["receive_buffer"]),
    "Linux: reordering": lambda case: case["workload"] == "bulk" and not case["receive_buffer"],
    "Linux: bursts of losses": lambda case: case["workload"] == "bursts",
    "Linux: short transfers": lambda case: case["workload"] == "transfers",
}
"""The tables, and which cases they hold."""


def simulated() -> list[Pair]:
    """Simulate all cases."""
    return [(case, simulate(case)) for case in kernel()["cases"]]


def tables(pairs: list[Pair]) -> dict[str, str]:
    """Give the tables."""
    return {
        name: comparison([(case, our) for case, our in pairs if holds(case)])
        for name, holds in TABLES.items()
    }


def main() -> None:
    """Print the tables."""
    print(*(f"{name}\n{text}" for name, text in tables(simulated()).items()), sep="\n")


if __name__ == "__main__":
    main()
