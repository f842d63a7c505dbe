"""Measure this machine's Multipath TCP over two paths, each with a token bucket.

    python validation/kernel/multipath.py RESULTS.json

A sender fills both paths, with CUBIC and with BBR; one path may fail for some time. Each case is
measured several times, in namespaces of its own. If it is not possible, the program prints
`skipped` with the reason and ends with exit code 77.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import os
import platform
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import two_paths
from disturbance import Watch
from multipath_segments import Sizes, captured, sizes
from network import inside, run
from private import check, hurry, in_namespaces, skip, write
from samples import counters
from sockets import LARGEST_READ, PORT, SYSCTLS, listening, made
from subflows import subflows
from two_paths import RECEIVER, SENDERS, drops

TOOLS = {"ip": "iproute2", "tc": "iproute2", "nstat": "iproute2", "sysctl": "procps"}
"""The programs needed, and the Debian packages that contain them."""
RUNS = 3
"""How many runs of each case are kept: those with the shortest pauses of the machine."""
ATTEMPTS = 6
LONGEST_PAUSE_MS = 20.0
"""A run without a longer pause of the machine counts as undisturbed."""
AT_A_TIME = 2
QUEUE_FRAMES = 50
"""As in the kernel's own test of simultaneous subflows (`simult_flows.sh`)."""
SAMPLING_S = 0.1
FEW_BYTES = 300_000
"""How much is sent for the sizes of segments."""
COUNTERS = {
    "timeouts": "TcpExtTCPTimeouts",
    "reinjections": "MPTcpExtMPTCPRetrans",
    "stale": "MPTcpExtSubflowStale",
    "recovered": "MPTcpExtSubflowRecover",
}
"""Counters of the sender's kernel, by our names; they cover its whole namespace."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One controller on two paths."""

    controller: str
    rates_mbps: tuple[int, int]
    base_rtts_ms: tuple[int, int]
    seconds: int
    cut_s: int = 0
    """From when the second path loses what arrives over it; 0: it never does."""
    mended_s: int = 0
    """From when it works again."""

    def paths(self) -> list[two_paths.Path]:
        """Give both paths."""
        pairs = zip(self.rates_mbps, self.base_rtts_ms, strict=True)
        return [two_paths.Path(rate, base_rtt, QUEUE_FRAMES) for rate, base_rtt in pairs]


def cases() -> Iterator[Case]:
    """Give all cases."""
    for controller in ("cubic", "bbr"):
        yield Case(controller, (10, 10), (20, 20), 30)
        yield Case(controller, (10, 3), (20, 60), 30)
    yield Case("cubic", (10, 10), (20, 20), 40, cut_s=10, mended_s=20)


class Transfer:
    """A connection whose sender writes as fast as it can, and what has been received of it."""

    def __init__(self, controller: str, size: int | None = None, *, requested: bool = True) -> None:
        """Connect, let the receiver ask for data, and send `size` bytes, or without end.

        A sender that has received data acknowledges it with 64 bits, and else with 32.
        """
        # It stays open, for subflows join by its port.
        self.server = listening(made("receiver", protocol=socket.IPPROTO_MPTCP), RECEIVER)
        self.client = made("sender", controller, protocol=socket.IPPROTO_MPTCP)
        self.client.bind((SENDERS[0], 0))
        self.reads: list[tuple[float, int]] = []
        """When how many bytes had been read in all; seconds from the request."""
        self.client.connect((RECEIVER, PORT))
        connection, _ = self.server.accept()
        if requested:
            connection.send(b"?")
            self.client.recv(1)
        self.began = monotonic()
        receiving = threading.Thread(target=self._receive, args=(connection, size), daemon=True)
        receiving.start()
        if size is None:
            threading.Thread(target=self._send, daemon=True).start()
        else:
            self.client.sendall(bytes(size))
            receiving.join()

    def elapsed(self) -> float:
        """Give the seconds since the request."""
        return monotonic() - self.began

    def received_by(self, time: float) -> int:
        """Give how many bytes had been read at some time."""
        return max((count for at, count in self.reads if at <= time), default=0)

    def _send(self) -> None:
        data = bytes(LARGEST_READ)
        while True:
            self.client.send(data)

    def _receive(self, connection: socket.socket, size: int | None) -> None:
        buffer, count = bytearray(LARGEST_READ), 0
        while count != size:
            count += connection.recv_into(buffer)
            self.reads.append((self.elapsed(), count))


def measure(case: Case) -> dict:
    """Measure one case once."""
    paths = case.paths()
    with two_paths.two_paths(paths, SYSCTLS) as lines:
        with Watch() as watch:
            transfer = Transfer(case.controller)
            samples = list(sampled(case, transfer))
        counted = counters(run(*inside("sender", "nstat", "-az", *COUNTERS.values())))
        dropped = drops(paths)
    last = [samples[-1][address] for address in SENDERS]
    found = {
        "goodput_mbps": mbps(transfer, 0, case.seconds),
        "acknowledged_bytes": [it["acknowledged_bytes"] for it in last],
        "retransmissions": [it["retransmitted_ever"] for it in last],
        "drops": dropped,
        **{name: counted[counter] for name, counter in COUNTERS.items()},
        "series": series(case, transfer, samples),
    }
    if case.cut_s:
        found |= around_the_cut(case, transfer, samples)
    return found | {
        "longest_pause_ms": watch.longest_pause_ms(),
        "load": os.getloadavg()[0],
        "delay_line_lateness": lines,
    }


Sample = dict[str, dict[str, int]]
"""The state of each subflow, by its sender's address."""


def sampled(case: Case, transfer: Transfer) -> Iterator[Sample]:
    """Look at the subflows at the end of each interval; cut the second path and mend it."""
    for place in range(intervals(case)):
        due = (place + 1) * SAMPLING_S
        sleep(max(0.0, due - transfer.elapsed()))
        yield subflows(transfer.client)
        if place + 1 == round(case.cut_s / SAMPLING_S):
            two_paths.cut(2)
        if place + 1 == round(case.mended_s / SAMPLING_S):
            two_paths.mend(2)


def intervals(case: Case) -> int:
    """Give how many samples a run has."""
    return round(case.seconds / SAMPLING_S)


def series(case: Case, transfer: Transfer, samples: list[Sample]) -> dict[str, list]:
    """Give goodput in each interval, and window and smoothed round trip at its end.

    They are missing where a subflow has not joined yet.
    """
    times = [place * SAMPLING_S for place in range(intervals(case) + 1)]
    pairs = itertools.pairwise(times)
    of = [[it.get(address, {}) for it in samples] for address in SENDERS]
    return {
        "goodput_mbps": [mbps(transfer, start, end) for start, end in pairs],
        "cwnd_segments": [[it.get("cwnd") for it in one] for one in of],
        "smoothed_rtt_ms": [[milliseconds(it.get("smoothed_rtt_us")) for it in one] for one in of],
    }


def milliseconds(microseconds: int | None) -> float | None:
    """Convert, if there is something to convert."""
    return None if microseconds is None else round(microseconds / 1e3, 1)


def mbps(transfer: Transfer, start: float, end: float) -> float:
    """Give the mean goodput between two times."""
    received = transfer.received_by(end) - transfer.received_by(start)
    return round(received * 8 / (end - start) / 1e6, 2)


def around_the_cut(case: Case, transfer: Transfer, samples: list[Sample]) -> dict[str, float]:
    """Give how long nothing was received after the cut, and how long the second path was unused.

    Both are seconds: from the last data before the longest silence to the next, and from the
    mending to the first sample with an acknowledgement from the path.
    """
    times = [at for at, _ in transfer.reads if case.cut_s <= at <= case.mended_s]
    pauses = [(after - before, before) for before, after in itertools.pairwise(times)]
    silence, began = max(pauses)
    mended = round(case.mended_s / SAMPLING_S)
    acknowledged = [it[SENDERS[1]]["acknowledged_bytes"] for it in samples]
    used = next(it for it in range(mended, len(samples)) if acknowledged[it] > acknowledged[mended])
    return {
        "silence_s": round(silence, 3),
        "silence_began_s": round(began - case.cut_s, 3),
        "used_again_s": round((used + 1 - mended) * SAMPLING_S, 1),
    }


def facts() -> dict:
    """Give what a comparison depends on, and the sizes of segments."""
    settings = {name: run("sysctl", "-n", f"net.{name}").split() for name in SETTINGS}
    return {
        "kernel": platform.release(),
        "processors": os.cpu_count(),
        "changed_sysctls": SYSCTLS,
        "sysctls": {name: " ".join(words) for name, words in settings.items()},
        "segments": segments(requested=True),
        "segments_without_request": segments(requested=False),
    }


def segments(*, requested: bool) -> dict[str, Sizes]:
    """Give the sizes of the segments of a short transfer."""
    case = next(cases())
    with two_paths.two_paths(case.paths(), SYSCTLS), captured("sender") as packets:
        Transfer(case.controller, FEW_BYTES, requested=requested)
        sleep(0.2)
    return sizes(packets)


SETTINGS = (
    "mptcp.scheduler",
    "mptcp.checksum_enabled",
    "mptcp.stale_loss_cnt",
    "ipv4.tcp_rmem",
    "ipv4.tcp_wmem",
)


def kept_runs(case: Case) -> dict:
    """Measure a case until enough runs were undisturbed, or it was tried often; keep the best."""
    described = json.dumps(dataclasses.asdict(case))
    runs: list[dict] = []
    attempts = 0
    while attempts < ATTEMPTS and pause_of_worst(runs) > LONGEST_PAUSE_MS:
        attempts += 1
        found = json.loads(in_namespaces(__file__, "--case", described))
        told = {name: value for name, value in found.items() if name != "series"}
        print(f"{described} {json.dumps(told)}\n", end="", flush=True)
        runs = sorted([*runs, found], key=lambda it: it["longest_pause_ms"])[:RUNS]
    return {
        "controller": case.controller,
        "paths": [described_path(path) for path in case.paths()],
        "seconds": case.seconds,
        "cut_s": case.cut_s,
        "mended_s": case.mended_s,
        "attempts": attempts,
        "runs": runs,
    }


def pause_of_worst(runs: list[dict]) -> float:
    """Give the longest pause of those kept; while some are missing, there is no bound."""
    return runs[-1]["longest_pause_ms"] if len(runs) == RUNS else math.inf


def described_path(path: two_paths.Path) -> dict:
    """Describe a path."""
    derived = {"limit_bytes": path.limit_bytes, "burst_bytes": path.burst_bytes}
    return dataclasses.asdict(path) | derived


def prepare() -> None:
    """End if something is missing that the measurements need, and run before other programs."""
    check(TOOLS)
    if not Path("/proc/sys/net/mptcp/enabled").exists():
        skip("this kernel has no Multipath TCP")
    hurry()


def main() -> None:
    """Measure all cases, write them whole or not at all; or, in namespaces, one case once."""
    match sys.argv[1:]:
        case ("--facts",):
            print(json.dumps(facts()))
        case "--case", described:
            print(json.dumps(measure(Case(**json.loads(described)))))
        case (results,):
            prepare()
            found = json.loads(in_namespaces(__file__, "--facts"))
            with ThreadPoolExecutor(AT_A_TIME) as pool:
                found["cases"] = list(pool.map(kept_runs, cases()))
            write(Path(results), found)


if __name__ == "__main__":
    main()
