"""Measure incast: many answers that begin at the same time, through one queue.

    python validation/kernel/incast.py RESULTS.json

A receiver asks many senders at once, and waits for the last answer. All senders are sockets of
one host, whose link to the router has no limit. If it is not possible, the program prints
`skipped` with the reason and ends with exit code 77.
"""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import platform
import socket
import statistics
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

from disturbance import Watch
from network import FRAME, SENDER, inside, network, run
from private import check, hurry, in_namespaces, write
from samples import counters
from sockets import PORT, SYSCTLS, listening, made, read

TOOLS = {"ip": "iproute2", "tc": "iproute2", "nstat": "iproute2", "sysctl": "procps"}
"""The programs needed, and the Debian packages that contain them."""
RATE_MBPS = 100
BASE_RTT_MS = 4
QUEUE_FRAMES = 64
BURST_FRAMES = 8
"""tbf's bucket: a millisecond's worth."""
REQUEST_BYTES = 100
TRIALS = 21
REST_S = 0.2
"""From the last answer to the next trial."""
COUNTERS = {
    "retransmissions": "TcpRetransSegs",
    "timeouts": "TcpExtTCPTimeouts",
    "loss_probes": "TcpExtTCPLossProbes",
}
"""Counters of the senders' kernel, by our names."""


@dataclasses.dataclass(frozen=True)
class Case:
    """This many senders, each with an answer of this many bytes."""

    controller: str
    senders: int
    size_bytes: int


def cases() -> Iterator[Case]:
    """Give all cases."""
    for controller in ("reno", "cubic"):
        for size in (30_000, 300_000):
            for senders in (4, 16, 64):
                yield Case(controller, senders, size)


def measure(case: Case) -> dict:
    """Measure a case: all its trials, in one network."""
    limit, burst = QUEUE_FRAMES * FRAME, BURST_FRAMES * FRAME
    with network(RATE_MBPS * 1_000_000, limit, burst, BASE_RTT_MS, sysctls=SYSCTLS):
        server = listening(made("sender", case.controller), SENDER)
        # The senders are a process, so that they do not wait for the receiver's interpreter.
        serving = multiprocessing.get_context("fork").Process(target=serve, args=(server, case))
        serving.start()
        try:
            with Watch() as watch:
                trials = list(counting(trial(case) for _ in range(TRIALS)))
        finally:
            serving.kill()
    return {
        "runs": trials,
        "longest_pause_ms": watch.longest_pause_ms(),
        "load": os.getloadavg()[0],
    }


def counting(trials: Iterator[dict[str, float]]) -> Iterator[dict[str, float]]:
    """Add what the senders' kernel counted in each trial."""
    before = count()
    for found in trials:
        after = count()
        yield found | {name: after[name] - before[name] for name in after}
        before = after


def count() -> dict[str, int]:
    """Give the senders' counters."""
    counted = counters(run(*inside("sender", "nstat", "-az", *COUNTERS.values())))
    return {name: counted[counter] for name, counter in COUNTERS.items()}


def serve(server: socket.socket, case: Case) -> None:
    """Answer one request of each connection, with a thread for each sender."""

    def answer() -> None:
        while True:
            connection, _ = server.accept()
            with connection:
                read(connection, REQUEST_BYTES)
                connection.sendall(bytes(case.size_bytes))

    for _ in range(case.senders):
        threading.Thread(target=answer).start()


def trial(case: Case) -> dict[str, float]:
    """Ask all senders at once.

    Give the time until all have answered, the median time of an answer, and within which time
    the requests were sent.
    """
    ready = threading.Barrier(case.senders)
    times: list[tuple[float, float]] = []

    def ask() -> None:
        with made("receiver") as one:
            one.connect((SENDER, PORT))
            ready.wait()
            began = monotonic()
            one.sendall(bytes(REQUEST_BYTES))
            read(one, case.size_bytes)
            times.append((began, monotonic()))

    askers = [threading.Thread(target=ask) for _ in range(case.senders)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    sleep(REST_S)
    first = min(began for began, _ in times)
    last = max(began for began, _ in times)
    done = max(ended for _, ended in times)
    median = statistics.median(ended - began for began, ended in times)
    times_s = {"all_ms": done - first, "median_ms": median, "spread_ms": last - first}
    return {name: round(time * 1e3, 2) for name, time in times_s.items()}


def measured(case: Case) -> dict:
    """Measure a case in namespaces of its own; say what was found."""
    described = json.dumps(dataclasses.asdict(case))
    found = in_namespaces(__file__, "--case", described)
    print(described, found.strip(), flush=True)
    return json.loads(described) | json.loads(found)


def main() -> None:
    """Measure all cases, write them whole or not at all; or, in namespaces, one case."""
    match sys.argv[1:]:
        case "--case", described:
            print(json.dumps(measure(Case(**json.loads(described)))))
        case (results,):
            check(TOOLS)
            hurry()
            found = {
                "kernel": platform.release(),
                "processors": os.cpu_count(),
                "changed_sysctls": SYSCTLS,
                "rate_mbps": RATE_MBPS,
                "base_rtt_ms": BASE_RTT_MS,
                "limit_bytes": QUEUE_FRAMES * FRAME,
                "burst_bytes": BURST_FRAMES * FRAME,
                "cases": [measured(case) for case in cases()],
            }
            write(Path(results), found)


if __name__ == "__main__":
    main()
