"""Measure Multipath TCP over two equal paths, while the delay of the first comes and goes.

    python validation/kernel/delay_cycles.py RESULTS.json

Each path has a token bucket of 3 Mbps; half of each cycle has 60 ms more on the first. Each case
is measured several times, in namespaces of its own. If it is not possible, the program prints
`skipped` with the reason and ends with exit code 77.
"""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import two_paths
from disturbance import Watch
from multipath import Sample, Transfer, described_path, mbps, prepare
from private import in_namespaces, write
from sockets import SYSCTLS
from subflows import subflows
from two_paths import SENDERS, drops

RUNS = 3
AT_A_TIME = 4
SAMPLING_S = 0.1
SETTLED_S = 20
"""What is before is not counted."""
ADDED_MS = 60
RATE_MBPS = 3
OTHER_RTT_MS = 36
"""Of the second path."""
PACED_SEGMENT = 1448
"""BBR's bandwidth of one segment a second is that of this many bytes."""
PACED_SHARE = 0.99
"""BBR paces at that share of its bandwidth."""


@dataclasses.dataclass(frozen=True)
class Case:
    """A controller, and how the delay of the first path changes."""

    controller: str
    half_s: int
    """How long a cycle is without the delay, and then with it."""
    base_rtt_ms: int
    limit_frames: int = 100
    seconds: int = 100

    def paths(self) -> list[two_paths.Path]:
        """Give both paths."""
        base = self.base_rtt_ms
        first = two_paths.Path(RATE_MBPS, base, self.limit_frames, (base + ADDED_MS,))
        return [first, two_paths.Path(RATE_MBPS, OTHER_RTT_MS, self.limit_frames)]


def cases() -> Iterator[Case]:
    """Give all cases."""
    for half, base in ((5, 1), (5, 6), (5, 16), (10, 6), (10, 16), (20, 16)):
        yield Case("bbr", half, base)
    yield Case("bbr", 30, 16, seconds=140)
    yield Case("cubic", 5, 16)
    yield Case("cubic", 5, 16, limit_frames=20)


def measure(case: Case) -> dict:
    """Measure one case once."""
    paths = case.paths()
    with two_paths.two_paths(paths, SYSCTLS) as lines:
        with Watch() as watch:
            transfer = Transfer(case.controller)
            samples = list(sampled(case, transfer, lines[0]))
        dropped = drops(paths)
    return {
        "goodput_mbps": mbps(transfer, 0, case.seconds),
        "off": of_state(case, samples, on=False),
        "on": of_state(case, samples, on=True),
        "drops": dropped,
        "longest_pause_ms": watch.longest_pause_ms(),
        "load": os.getloadavg()[0],
        "delay_line_lateness": lines,
    }


def sampled(case: Case, transfer: Transfer, line: dict) -> Iterator[Sample]:
    """Look at the subflows at the end of each interval; change the delay after each half cycle."""
    for place in range(1, round(case.seconds / SAMPLING_S) + 1):
        sleep(max(0.0, place * SAMPLING_S - transfer.elapsed()))
        yield subflows(transfer.client)
        if place % round(case.half_s / SAMPLING_S) == 0:
            two_paths.change_delay(line)


def is_on(case: Case, place: int) -> bool:
    """Tell whether the interval before the sample at that place had the delay."""
    return place // round(case.half_s / SAMPLING_S) % 2 == 1


def of_state(case: Case, samples: list[Sample], *, on: bool) -> dict[str, float]:
    """Give what the first path was like, with the delay or without it."""
    settled = round(SETTLED_S / SAMPLING_S)
    places = [it for it in range(settled, len(samples)) if is_on(case, it) == on]
    of = [it.get(SENDERS[0], {}) for it in samples]
    carried = [of[it]["acknowledged_bytes"] - of[it - 1]["acknowledged_bytes"] for it in places]
    rates = [of[it]["pacing_rate_bytes_per_second"] for it in places]
    round_trips = [of[it]["smoothed_rtt_us"] for it in places]
    return {
        "cwnd_segments": round(statistics.fmean(of[it]["cwnd"] for it in places), 1),
        "smoothed_rtt_ms": round(statistics.fmean(round_trips) / 1e3, 1),
        "throughput_mbps": round(statistics.fmean(carried) * 8 / SAMPLING_S / 1e6, 3),
        # Gains of more and less than one are rare: the median is of the bandwidth.
        "bandwidth_segments": round(statistics.median(rates) / PACED_SHARE / PACED_SEGMENT, 1),
    }


def facts() -> dict:
    """Give what a comparison depends on."""
    return {"kernel": platform.release(), "processors": os.cpu_count(), "changed_sysctls": SYSCTLS}


def kept_runs(case: Case) -> dict:
    """Measure a case several times."""
    described = dataclasses.asdict(case)
    runs = []
    for _ in range(RUNS):
        runs.append(json.loads(in_namespaces(__file__, "--case", json.dumps(described))))
        print(f"{json.dumps(described)} {json.dumps(runs[-1])}\n", end="", flush=True)
    return described | {"paths": [described_path(it) for it in case.paths()], "runs": runs}


def main() -> None:
    """Measure all cases, write them whole or not at all; or, in namespaces, one case once."""
    match sys.argv[1:]:
        case "--case", described:
            print(json.dumps(measure(Case(**json.loads(described)))))
        case (results,):
            prepare()
            with ThreadPoolExecutor(AT_A_TIME) as pool:
                found = facts() | {"cases": list(pool.map(kept_runs, cases()))}
            write(Path(results), found)


if __name__ == "__main__":
    main()
