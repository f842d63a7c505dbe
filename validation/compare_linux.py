"""Compare with the Linux kernel in virtual time: the same path, with its TCP at both ends or ours.

    python validation/compare_linux.py docs/validation/linux.md

runs `validation/linux/path.toml`, or `two-paths.toml`, for each case in `linux_cases.py` over our
TCP, and replaces the tables of the page, each between the comments with its name. Without a page
they are printed. With `--measure` before it, all are first run over the kernel, into
`validation/linux/results.json`; with names of groups after it, only theirs. The kernel is that of
`windtunnel linux build`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import polars as pl
from compare_ndnsim import replaced
from linux_cases import CONTROLLERS, Case, cases

from windtunnel.linux.kernels import built
from windtunnel.linux.source import VERSION
from windtunnel.markdown import table
from windtunnel.running import read, run_scenario

FOLDER = Path(__file__).parent / "linux"
ONE_PATH, TWO_PATHS = FOLDER / "path.toml", FOLDER / "two-paths.toml"
PATHS = '[["access-1", "path-1"], ["access-2", "path-2"]]'
RESULTS = FOLDER / "results.json"
NEAR, NOTABLE = 0.05, 0.1
"""Differences that are looked for."""
FEW = 3
"""Differences in counts of packets up to this say nothing."""
READINGS = (-2, -1, 0, 1, 2)
"""By how many percent the path is longer in each reading of a case: one packet more or less in slow
start, or a loss in step with the window, decides a single one."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one flow, or the means of what was measured of several."""

    goodput_mbps: float
    """Over the whole run."""
    rtt_ms: float
    """The mean over the packets of the data: the round trip without queues, and the queue's. Of two
    paths, that of the first."""
    rtt_p95_ms: float
    """The 95th percentile over the intervals in which something left the queue."""
    completion_ms: float | None
    """The mean time of an answer, if there are answers."""
    retransmissions: float
    """Segments sent again."""
    drops: float
    """Packets that the queues dropped."""
    share_percent: float | None = None
    """What the first of two paths carried, of both."""


MEASURES = {
    "goodput_mbps": "goodput, Mbps",
    "rtt_ms": "mean round trip, ms",
    "rtt_p95_ms": "95th percentile, ms",
    "share_percent": "share of the first path, %",
    "completion_ms": "time of an answer, ms",
    "retransmissions": "retransmissions",
    "drops": "drops",
}
COUNTS = ("retransmissions", "drops")


@dataclass(frozen=True)
class Pair:
    """A case, measured over the kernel's TCP and over ours."""

    case: Case
    kernel: Measured
    ours: Measured

    def difference(self, measure: str) -> float:
        """Give the relative difference of ours from the kernel's; of counts that are near, 0."""
        their, our = (getattr(it, measure) for it in (self.kernel, self.ours))
        if their is None or their == our:
            return 0.0
        if measure in COUNTS and abs(their - our) <= FEW:
            return 0.0
        return our / their - 1 if their else float("inf")

    def is_within(self, limit: float, measures: Iterable[str]) -> bool:
        """Say whether no measure differs by more."""
        return all(abs(self.difference(it)) <= limit for it in measures)


def kernel_settings(case: Case) -> dict[str, str]:
    """Give the settings of a flow over the kernel's TCP."""
    several = f", multipath = true, paths = {PATHS}" if case.second else ""
    return {
        "flows.one.protocol": '"tcp-stack"',
        "flows.one.tcp": f'{{ stack = "linux", controller = "{case.controller}"{several} }}',
    }


def our_settings(case: Case) -> dict[str, str]:
    """Give the settings of a flow over ours, with what is Linux's way and not the default."""
    multipath = (
        f'{{ paths = {PATHS}, version = "v1", scheduler = "least-linger", '
        "opportunistic_retransmission = false, application_limited = false }"
    )
    return ({"flows.one.multipath": multipath} if case.second else {}) | {
        "flows.one.controller": CONTROLLERS[case.controller],
        "flows.one.acknowledgements.sack_compression": "true",
        "flows.one.acknowledgements.quick": "true",
        "flows.one.offload.segmentation": "true",
    }


def measured(case: Case, settings: dict[str, str]) -> Measured:
    """Run a case, and measure it."""
    scenario = TWO_PATHS if case.second else ONE_PATH
    results = run_scenario(read(scenario, case.settings() | settings), jobs=1)
    [flow] = results["flows"].to_dicts()
    data = pl.col("link").str.starts_with("path") & pl.col("from").str.starts_with("router")
    links = results["links"].filter(data).to_dicts()
    link = links[0]
    waited = results["link_series"].filter(data, pl.col("link") == link["link"])["sojourn_s"]
    waited = waited.drop_nulls() * 1e3
    carried = [it["delivered_bytes"] for it in links]
    transfers = results["transfers"]["completion_s"].drop_nulls()
    return Measured(
        flow["received_bytes"] * 8 / case.seconds / 1e6,
        case.base_ms + link["sojourn_s"] * 1e3,
        case.base_ms + waited.quantile(0.95, "nearest"),
        transfers.mean() * 1e3 if "response" in case.workload else None,
        # Of the kernel's, TCP_INFO's `total_retrans`.
        flow["lost"] if flow["retransmissions"] is None else flow["retransmissions"],
        sum(it["overlimit_drops"] + it["discipline_drops"] for it in links),
        100 * carried[0] / sum(carried) if case.second else None,
    )


def at_once(work: Callable[[Case], Measured], chosen: Sequence[Case]) -> list[Measured]:
    """Give the means over the readings of each case, several at a time."""
    with ThreadPoolExecutor(2 * len(os.sched_getaffinity(0))) as threads:
        readings = [threads.map(work, readings_of(case)) for case in chosen]
        return [mean([*found]) for found in readings]


def readings_of(case: Case) -> list[Case]:
    """Give a case over paths that are a little shorter and longer."""
    return [case.longer(percent) for percent in READINGS]


def mean(found: Sequence[Measured]) -> Measured:
    """Give the mean of each measure; what one has not, none has."""
    columns = {it.name: [getattr(one, it.name) for one in found] for it in fields(Measured)}
    return Measured(
        **{
            name: None if None in values else sum(values) / len(values)
            for name, values in columns.items()
        }
    )


def measure(groups: Sequence[str]) -> None:
    """Measure the cases of these groups over the kernel's TCP, or all, and store the results."""
    kernel = built(VERSION)
    if not kernel:
        sys.exit("no kernel: `windtunnel linux build`")
    chosen = [it for it in cases() if not groups or it.group in groups]
    found = at_once(lambda case: measured(case, kernel_settings(case)), chosen)
    stored = json.loads(RESULTS.read_text(encoding="utf-8")) if groups else {"cases": {}}
    stored["kernel"] = {"release": kernel.about.release, "source": kernel.about.source}
    stored["cases"] |= {it.name: asdict(one) for it, one in zip(chosen, found, strict=True)}
    RESULTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def compared() -> list[Pair]:
    """Give all cases that were measured over the kernel's, and measure ours."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["cases"]
    chosen = [it for it in cases() if it.name in stored]
    ours = at_once(lambda case: measured(case, our_settings(case)), chosen)
    return [
        Pair(case, Measured(**stored[case.name]), our)
        for case, our in zip(chosen, ours, strict=True)
    ]


def comparison(pairs: Sequence[Pair]) -> str:
    """Lay out cases: the kernel's, ours, and the difference."""
    rows = []
    shown = [it for it in MEASURES if any(getattr(pair.kernel, it) is not None for pair in pairs)]
    for pair in pairs:
        case = pair.case
        rows.append([case.path, case.controller, *(cell(pair, it) for it in shown)])
    return table(["path", "controller", *(MEASURES[it] for it in shown)], rows)


def cell(pair: Pair, measure: str) -> str:
    """Write the kernel's, ours, and the difference, bold if it is notable."""
    their, our = (getattr(it, measure) for it in (pair.kernel, pair.ours))
    if their is None:
        return "–"
    if measure in COUNTS:
        emphasis = "**" if abs(pair.difference(measure)) > NOTABLE else ""
        return f"{their:,.0f} / {emphasis}{our:,.0f}{emphasis}"
    relative = pair.difference(measure)
    emphasis = "**" if abs(relative) > NOTABLE else ""
    percent = f"{relative:+.1%}".replace("%", " %").replace("-", "−")
    return f"{their:,.2f} / {our:,.2f} ({emphasis}{percent}{emphasis})"


def shares(pairs: Sequence[Pair]) -> str:
    """Say for each group how many rows are near, by what is rate or time and by counts too."""
    rows = []
    groups = [*dict.fromkeys(it.case.group for it in pairs), "all"]
    times = [it for it in MEASURES if it not in COUNTS]
    for group in groups:
        rows_of = [it for it in pairs if group in ("all", it.case.group)]
        cells = [
            f"{sum(it.is_within(limit, measures) for it in rows_of) / len(rows_of):.0%}"
            for measures in (["goodput_mbps"], times, [*MEASURES])
            for limit in (NEAR, NOTABLE)
        ]
        rows.append([group, str(len(rows_of)), *(it.replace("%", " %") for it in cells)])
    heads = [
        f"{what} within {limit:.0%}".replace("%", " %")
        for what in ("goodput", "and times", "and counts")
        for limit in (NEAR, NOTABLE)
    ]
    return table(["cases", "rows", *heads], rows)


def main() -> None:
    """Measure if requested, simulate all cases; write the page, or print."""
    arguments = sys.argv[1:]
    pages = [it for it in arguments if it.endswith(".md")]
    if "--measure" in arguments:
        measure([it for it in arguments if it not in ("--measure", *pages)])
    pairs = compared()
    tables = {"Linux in virtual time: shares": shares(pairs)}
    for group in dict.fromkeys(it.case.group for it in pairs):
        of_group = [it for it in pairs if it.case.group == group]
        tables[f"Linux in virtual time: {group}"] = comparison(of_group)
    for page in map(Path, pages):
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    if not pages:
        for name, text in tables.items():
            print(f"{name}\n{text}\n")


if __name__ == "__main__":
    main()
