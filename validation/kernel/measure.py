"""Measure this machine's TCP: reno, cubic and bbr over one token bucket.

    python validation/kernel/measure.py RESULTS.json

It runs in namespaces of its own (user, network, mount, PID), so it needs no
privileges and nothing outlives the command. If namespaces are not allowed, or a tool is
missing, it prints `skipped` with the reason and ends with exit code 77.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from time import monotonic, sleep

from disturbance import Watch
from network import FRAME, RECEIVER, SYSCTLS, inside, network, run
from private import check, enter, skip, write
from samples import counters, data_port, socket_summary, transfer

TOOLS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "ss": "iproute2",
    "nstat": "iproute2",
    "sysctl": "procps",
    "iperf3": "iperf3",
}
"""The programs needed, and the Debian packages that contain them."""

CONTROLLERS = ["reno", "cubic", "bbr"]
SECONDS = 20
RUNS = 3
"""How many runs of each case are kept: those with the shortest pauses of the machine."""
SECONDS_A_CASE = 90
"""No further run starts after this time."""
LONGEST_PAUSE_MS = 5.0
"""A run without a longer pause of the machine counts as undisturbed."""
COUNTERS = {
    "hystart_by_train": "TcpExtTCPHystartTrainDetect",
    "hystart_by_delay": "TcpExtTCPHystartDelayDetect",
    "recoveries": "TcpExtTCPSackRecovery",
    "loss_probes": "TcpExtTCPLossProbes",
    "timeouts": "TcpExtTCPTimeouts",
    "undone": "TcpExtTCPFullUndo",
}
"""Counters of the sender's kernel, by our names; they cover its whole namespace."""
SAMPLING = 'while :; do date +%s.%N; ss -Htin state established dst "$0"; sleep 0.1; done'


@dataclasses.dataclass(frozen=True)
class Case:
    """One controller on one path."""

    controller: str
    rate_mbps: int
    base_rtt_ms: int
    """The delay of the delay line; with 0 there is none, and only the kernel is involved."""
    buffer: str
    limit_frames: int
    """tbf's limit, in full frames."""

    @property
    def rate_bps(self) -> int:
        """The rate of frames, including the Ethernet header."""
        return self.rate_mbps * 1_000_000

    @property
    def limit_bytes(self) -> int:
        """tbf's limit: what may wait for tokens."""
        return self.limit_frames * FRAME

    @property
    def burst_bytes(self) -> int:
        """tbf's bucket: a millisecond's worth, at least two frames.

        A late timer loses tokens if the bucket is full.
        """
        return max(2, round(self.rate_bps * 1e-3 / 8 / FRAME)) * FRAME


def cases(controllers: list[str]) -> Iterator[Case]:
    """Give the grid."""
    for rate_mbps, base_rtt_ms in ((10, 40), (50, 20)):
        product_frames = rate_mbps * base_rtt_ms * 1000 / 8 / FRAME
        for share, controller in product((0.5, 2), controllers):
            frames = round(share * product_frames)
            yield Case(controller, rate_mbps, base_rtt_ms, f"{share} BDP", frames)
    for controller in controllers:
        yield Case(controller, 10, 0, "33 frames", 33)


class DisturbedError(Exception):
    """The machine paused so long that a run was discarded."""


def measure(case: Case, bearable_ms: float) -> dict:
    """Run one case once.

    Raises:
        DisturbedError: The machine paused longer than `bearable_ms`.
    """
    with network(case.rate_bps, case.limit_bytes, case.burst_bytes, case.base_rtt_ms) as line:
        with Watch() as watch, serving(), sampling() as samples:
            report = undisturbed(transferring(case.controller), watch, bearable_ms)
        counted = counters(run(*inside("sender", "nstat", "-az", *COUNTERS.values())))
        bucket = json.loads(run("tc", "-n", "router", "-s", "-j", "qdisc", "show"))
    report = json.loads(report)
    if "error" in report:
        raise OSError(f"iperf3: {report['error']}")
    return {
        **transfer(report),
        **socket_summary("".join(samples), data_port(report)),
        **{name: counted[counter] for name, counter in COUNTERS.items()},
        "bottleneck_drops": sum(it["drops"] for it in bucket if it["kind"] == "tbf"),
        "longest_pause_ms": watch.longest_pause_ms(),
        "delay_line_lateness": line,
    }


def transferring(controller: str) -> list[str]:
    """Give the command line of iperf3's client."""
    options = f"-c {RECEIVER} -C {controller} -t {SECONDS} -i 0.1 --json"
    return inside("sender", "iperf3", *options.split())


def undisturbed(command: list[str], watch: Watch, bearable_ms: float) -> str:
    """Run iperf3's client; give what it printed, or give up when the machine paused too long."""
    ends = monotonic() + SECONDS + 30
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return client.communicate(timeout=0.5)[0]
                if watch.longest_pause_ms() > bearable_ms:
                    raise DisturbedError
                if monotonic() > ends:
                    raise TimeoutError("iperf3 did not end")
        finally:
            client.kill()


@contextlib.contextmanager
def serving() -> Iterator[None]:
    """Run iperf3's server at the receiver."""
    command = inside("receiver", "iperf3", "-s", "-1")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as server:
        try:
            while not run(*inside("receiver", "ss", "-Htln")):
                sleep(0.05)
            yield
        finally:
            server.kill()


@contextlib.contextmanager
def sampling() -> Iterator[list[str]]:
    """Look at the sender's sockets every 0.1 s; what was seen is in the list afterwards."""
    samples: list[str] = []
    command = inside("sender", "sh", "-c", SAMPLING, RECEIVER)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sampler:
        try:
            yield samples
        finally:
            sampler.kill()
            samples.append(sampler.communicate()[0])


def kept_runs(case: Case) -> dict:
    """Run a case until enough runs were undisturbed, or its time is over; keep the best."""
    ends = monotonic() + SECONDS_A_CASE
    runs: list[dict] = []
    attempts = 0
    while pause_of_worst(runs) > LONGEST_PAUSE_MS and (monotonic() < ends or len(runs) < RUNS):
        attempts += 1
        with contextlib.suppress(DisturbedError):
            runs.append(measure(case, pause_of_worst(runs)))
            runs = sorted(runs, key=lambda it: it["longest_pause_ms"])[:RUNS]
    told = "{goodput_bps} bit/s, {retransmissions} retransmissions, {longest_pause_ms} ms pause"
    for kept in runs:
        print(*dataclasses.astuple(case), told.format(**kept), flush=True)
    derived = {"limit_bytes": case.limit_bytes, "burst_bytes": case.burst_bytes}
    return dataclasses.asdict(case) | derived | {"attempts": attempts, "runs": runs}


def pause_of_worst(runs: list[dict]) -> float:
    """Give the longest pause of those kept; a further run must have shorter ones."""
    return runs[-1]["longest_pause_ms"] if len(runs) == RUNS else math.inf


def facts() -> dict:
    """Give everything about this machine that a comparison depends on."""
    with network(1_000_000, FRAME, 2 * FRAME, 0):
        settings = run(*inside("sender", "sysctl", "net.ipv4"))
    tcp = re.findall(r"^net\.ipv4\.(tcp_\w+) = (.*)$", settings, re.MULTILINE)
    module = Path("/sys/module/tcp_cubic/parameters")
    return {
        "kernel": platform.release(),
        "processors": os.cpu_count(),
        "iperf3": run("iperf3", "--version").splitlines()[0],
        "iproute2": run("tc", "-V").strip(),
        "seconds": SECONDS,
        "mtu": 1500,
        "frame_bytes": FRAME,
        "offloads": "gso_max_segs 1: no segmentation offload; veth does not merge (GRO off)",
        "changed_sysctls": SYSCTLS,
        "sysctls": {name: " ".join(value.split()) for name, value in tcp},
        "cubic_parameters": {
            it.name: int(it.read_text(encoding="ascii")) for it in sorted(module.glob("*"))
        },
    }


def available() -> list[str]:
    """Give those controllers that this kernel has; tell of the others."""
    names = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    has = names.read_text(encoding="ascii").split()
    for name in sorted({*CONTROLLERS} - {*has}):
        print(f"left out: this kernel has no {name}", flush=True)
    return [name for name in CONTROLLERS if name in has]


def main() -> None:
    """Measure all cases; write them whole or not at all."""
    if len(sys.argv) == 2:
        check(TOOLS)
        enter(__file__, "--inside", sys.argv[1])
    results = Path(sys.argv[2])
    try:
        with network(1_000_000, FRAME, 2 * FRAME, 1):
            pass
    except subprocess.CalledProcessError as error:
        skip(f"{' '.join(error.cmd)}: {error.stderr.strip()}")
    except OSError as error:
        skip(str(error))
    measured = {**facts(), "cases": [kept_runs(case) for case in cases(available())]}
    write(results, measured)


if __name__ == "__main__":
    main()
