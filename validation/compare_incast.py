"""Compare incast: answers that begin at once, over the Linux kernel's TCP and simulated.

    python validation/compare_incast.py

runs `validation/kernel/incast.toml` for each case in `validation/kernel/incast.json` and
prints the table. `compare_kernel.py` writes it into its page.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

import polars as pl
from beside_kernel import CONTROLLERS, FRAME, Case, beside, path_settings

from windtunnel.markdown import table
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent / "kernel"
RESULTS = FOLDER / "incast.json"
SCENARIO = FOLDER / "incast.toml"
SEGMENT = 1448
HEADERS = FRAME - SEGMENT
RUNS = 21
MEASURES = {
    "all_ms": "until all have answered, ms",
    "median_ms": "median of the answers, ms",
    "retransmissions": "retransmissions, segments",
    "timeouts": "timeouts",
    "loss_probes": "loss probes",
}

Measures = dict[str, float]


def kernel() -> dict:
    """Give what was measured: facts about the machine and the path, and the cases."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


def cases() -> list[Case]:
    """Give the cases, each with its path."""
    found = kernel()
    path = {name: found[name] for name in ("rate_mbps", "base_rtt_ms", "limit_bytes")}
    path["burst_bytes"] = found["burst_bytes"]
    return [path | case for case in found["cases"]]


def least_ms(case: Case) -> float:
    """Give the time that the link needs for all answers, and one round trip."""
    full, rest = divmod(case["size_bytes"], SEGMENT)
    size = full * FRAME + (rest + HEADERS if rest else 0)
    first = case["base_rtt_ms"] - case["burst_bytes"] * 8 / case["rate_mbps"] / 1e3
    return first + case["senders"] * size * 8 / case["rate_mbps"] / 1e3


def settings(case: Case) -> dict[str, str]:
    """Give the scenario's settings for a case.

    Flows begin within the time in which the kernel's requests were sent.
    """
    spread = statistics.median(run["spread_ms"] for run in case["runs"])
    workload = (
        f'{{ kind = "request-response", response = "{case["size_bytes"]} B", think = "1 h" }}'
    )
    flow = (
        f"{{ controller = {CONTROLLERS[case['controller']]}, workload = {workload}, "
        f'start_within = "{spread:.3f} ms" }}'
    )
    flows = ", ".join(f"from-{sender} = {flow}" for sender in range(case["senders"]))
    path = path_settings(case, case["rate_mbps"]).items()
    links = {name: value for name, value in path if name.startswith("links.")}
    return links | {"runs": str(RUNS), "flows": f"{{ {flows} }}"}


def simulate(case: Case) -> Measures:
    """Simulate a case; give the medians of its measures over the runs."""
    runs = simulated_runs(case, {})
    return {name: float(runs[name].median()) for name in MEASURES}


def simulated_runs(case: Case, more: dict[str, str]) -> pl.DataFrame:
    """Simulate a case with more settings; give the measures of each run."""
    results = run_scenario(read(SCENARIO, settings(case) | more))
    # The kernel's connections stand before their requests; here the handshake is before each.
    handshake = case["base_rtt_ms"]
    end = pl.col("start_s") + pl.col("completion_s")
    answers = (
        results["transfers"]
        .group_by("run")
        .agg(
            all_ms=(end.max() - pl.col("start_s").min()) * 1e3 - handshake,
            median_ms=pl.col("completion_s").median() * 1e3 - handshake,
        )
    )
    flows = (
        results["flows"]
        .group_by("run")
        .agg(
            retransmissions=pl.col("retransmissions").sum(),
            timeouts=pl.col("timeouts").sum(),
            loss_probes=pl.col("probes").sum(),
        )
    )
    return answers.join(flows, on="run")


def simulated() -> list[tuple[Case, Measures]]:
    """Simulate all cases."""
    return [(case, simulate(case)) for case in cases()]


def comparison(pairs: list[tuple[Case, Measures]]) -> str:
    """Lay out all cases: the kernel's trials, ours, and the difference from their median."""
    rows = []
    for case, our in pairs:
        cells = [beside(our[name], [run[name] for run in case["runs"]]) for name in MEASURES]
        size = f"{case['size_bytes'] / 1000:,.0f} kB"
        name = f"{case['senders']} × {size}"
        rows.append([name, case["controller"], f"{least_ms(case):.1f}", *cells])
    heads = ["answers", "controller", "the link alone, ms", *MEASURES.values()]
    return table(heads, rows)


def main() -> None:
    """Print the table."""
    print(comparison(simulated()))


if __name__ == "__main__":
    main()
