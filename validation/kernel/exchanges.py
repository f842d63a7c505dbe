"""Measure what applications ask of this machine's TCP, with the kernel's own buffers.

    python validation/kernel/exchanges.py RESULTS.json

Answers to requests, sending in turns with silence, a receiver with a small buffer, segments
that come late, and short transfers with losses: each case is measured several times, in
namespaces of its own. Several are measured at a time, as they leave the machine idle for
the most part. If it is not possible, the program prints `skipped` with the reason and ends
with exit code 77.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import platform
import random
import re
import socket
import statistics
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

from disturbance import Watch
from impairments import losing, losing_in_bursts, reordering
from network import FRAME, RECEIVER, SENDER, inside, network, run
from private import check, hurry, in_namespaces, write
from samples import counters
from sockets import LARGEST_READ, PORT, SYSCTLS, listening, made, read, state

TOOLS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nstat": "iproute2",
    "sysctl": "procps",
    "nft": "nftables",
    "ethtool": "ethtool",
}
"""The programs needed, and the Debian packages that contain them."""
RATE_MBPS = 100
RUNS = 5
AT_A_TIME = 5
REQUEST_BYTES = 100
ANSWERS = 6
THINK_S = 2.0
TRANSFERS_PER_S = 20
LATE_MS = 10.0
BURST_SEGMENTS = 20
"""How many segments a burst of losses has, on average."""
COUNTERS = {
    "retransmissions": "TcpRetransSegs",
    "timeouts": "TcpExtTCPTimeouts",
    "of_syn": "TcpExtTCPSynRetrans",
    "loss_probes": "TcpExtTCPLossProbes",
    "recoveries": "TcpExtTCPSackRecovery",
    "reordered": "TcpExtTCPSACKReorder",
    "undone_by_timestamps": "TcpExtTCPFullUndo",
    "undone_partially": "TcpExtTCPPartialUndo",
    "undone_by_dsack": "TcpExtTCPDSACKUndo",
    "hystart_by_train": "TcpExtTCPHystartTrainDetect",
    "hystart_by_delay": "TcpExtTCPHystartDelayDetect",
}
"""Counters of the sender's kernel, by our names; they cover its whole namespace."""


@dataclasses.dataclass(frozen=True)
class Case:
    """One controller under one workload, over a bottleneck of 100 Mbps with 1 BDP of queue."""

    workload: str
    """`answers`, `turns`, `bulk`, `bursts` or `transfers`."""
    controller: str
    base_rtt_ms: int
    seconds: float
    """How long is sent; answers and transfers take as long as they take."""
    size_bytes: int = 0
    """Of an answer or a transfer."""
    on_s: float = 0
    off_s: float = 0
    receive_buffer: int = 0
    """As the kernel counts it, with its overhead; 0 is the kernel's own, which grows."""
    late_share: float = 0
    """The share of segments that come 10 ms late."""
    lost_share: float = 0
    bursts_share: float = 0
    """The share of segments that begin a burst of losses."""
    slow_start_after_idle: int = 1
    """The sysctl of that name."""
    offload: bool = False
    """Whether hosts pass down and receive several segments as one."""

    @property
    def limit_bytes(self) -> int:
        """tbf's limit: what may wait for tokens, one BDP in full frames."""
        return round(RATE_MBPS * self.base_rtt_ms * 1000 / 8 / FRAME) * FRAME

    @property
    def burst_bytes(self) -> int:
        """tbf's bucket: a millisecond's worth."""
        return round(RATE_MBPS * 1000 / 8 / FRAME) * FRAME


def cases() -> Iterator[Case]:
    """Give all cases."""
    controllers = ("reno", "cubic", "bbr")
    for size in (30_000, 300_000, 3_000_000):
        for controller, after_idle in itertools.product(controllers, (1, 0)):
            yield Case(
                "answers", controller, 40, 0, size_bytes=size, slow_start_after_idle=after_idle
            )
    for size, controller in itertools.product((300_000, 3_000_000), ("cubic", "bbr")):
        yield Case("answers", controller, 40, 0, size_bytes=size, offload=True)
    for seconds, on, off in ((26, 3, 20), (19, 2, 1.4)):
        for controller, after_idle in itertools.product(controllers, (1, 0)):
            yield Case(
                "turns",
                controller,
                40,
                seconds,
                on_s=on,
                off_s=off,
                slow_start_after_idle=after_idle,
            )
    for receive_buffer, offload in itertools.product((1 << 21, 1 << 20), (False, True)):
        for controller in ("cubic", "bbr"):
            yield Case("bulk", controller, 100, 20, receive_buffer=receive_buffer, offload=offload)
    for late_share in (0, 0.02):
        yield Case("bulk", "cubic", 100, 60, late_share=late_share)
    for controller in controllers:
        yield Case("bursts", controller, 40, 60, bursts_share=0.0001)
    for controller in controllers:
        yield Case("transfers", controller, 300, 50, size_bytes=30_000, lost_share=0.01)


def measure(case: Case) -> dict:
    """Measure one case once."""
    settings = {
        **SYSCTLS,
        "net.ipv4.tcp_slow_start_after_idle": str(case.slow_start_after_idle),
    }
    bucket = RATE_MBPS * 1_000_000, case.limit_bytes, case.burst_bytes, case.base_rtt_ms
    with contextlib.ExitStack() as stack:
        stack.enter_context(network(*bucket, sysctls=settings, offload=case.offload))
        if case.late_share:
            stack.enter_context(reordering(case.late_share, LATE_MS))
        if case.lost_share:
            stack.enter_context(losing(case.lost_share))
        if case.bursts_share:
            stack.enter_context(losing_in_bursts(case.bursts_share, BURST_SEGMENTS))
        with Watch() as watch:
            measured = WORKLOADS[case.workload](case)
        counted = counters(run(*inside("sender", "nstat", "-az", *COUNTERS.values())))
        queues = json.loads(run("tc", "-n", "router", "-s", "-j", "qdisc", "show"))
    return {
        **measured,
        **{name: counted[counter] for name, counter in COUNTERS.items()},
        "drops": sum(it["drops"] for it in queues if it["kind"] == "tbf"),
        "longest_pause_ms": watch.longest_pause_ms(),
    }


def answers(case: Case) -> dict:
    """Let the receiver ask and the sender answer, over one connection.

    The first answer's time begins with the connection.
    """
    server = listening(made("sender", case.controller), SENDER)
    threading.Thread(target=serve, args=(server, case.size_bytes), daemon=True).start()
    times = []
    began = monotonic()
    client = made("receiver")
    client.connect((SENDER, PORT))
    for _ in range(ANSWERS):
        client.sendall(bytes(REQUEST_BYTES))
        read(client, case.size_bytes)
        times.append(round((monotonic() - began) * 1e3, 1))
        sleep(THINK_S)
        began = monotonic()
    return {"completion_ms": times}


def serve(server: socket.socket, size: int) -> None:
    """Answer each request of one connection."""
    connection, _ = server.accept()
    answer = bytes(size)
    while read(connection, REQUEST_BYTES) == REQUEST_BYTES:
        connection.sendall(answer)


def turns(case: Case) -> dict:
    """Send at full speed in turns with silence; what then waits is still sent."""
    client, received = streaming(case)
    began = received[0][0]
    windows = []
    starts = []
    for start in itertools.takewhile(lambda it: it < case.seconds, turn_starts(case)):
        sleep(max(0.0, began + start - monotonic()))
        before = state(client)["cwnd"]
        starts.append(start)
        first = client.send(bytes(1448))
        windows.append([before, state(client)["cwnd"]] if first else [])
        write_until(client, began + start + case.on_s)
    sleep(max(0.0, began + case.seconds - monotonic()))
    return {
        "goodput_mbps": mbps(received, 0, case.seconds),
        "first_second_mbps": mbps(received, starts[0], starts[0] + 1),
        "resumed_second_mbps": statistics.median(
            mbps(received, start, start + 1) for start in starts[1:]
        ),
        "windows_when_resumed": windows[1:],
    }


def turn_starts(case: Case) -> Iterator[float]:
    """Give when each turn begins."""
    return itertools.count(0, case.on_s + case.off_s)


def bulk(case: Case) -> dict:
    """Send as fast as the connection takes it."""
    client, received = streaming(case)
    began = received[0][0]
    write_until(client, began + case.seconds)
    found = state(client)
    return {
        "goodput_mbps": mbps(received, 0, case.seconds),
        "first_20_s_mbps": mbps(received, 0, 20),
        "window_of_receiver": found["window_of_receiver"],
        "limited_by_receiver_ms": found["limited_by_receiver_us"] // 1000,
        "limited_by_send_buffer_ms": found["limited_by_send_buffer_us"] // 1000,
        "reordering": found["reordering"],
    }


def streaming(case: Case) -> tuple[socket.socket, list[tuple[float, int]]]:
    """Connect; give the sender's socket, and when how many bytes have been received in all."""
    server = listening(made("receiver", receive_buffer=case.receive_buffer), RECEIVER)
    client = made("sender", case.controller)
    received = [(monotonic(), 0)]

    def receive() -> None:
        connection, _ = server.accept()
        while data := connection.recv(LARGEST_READ):
            received.append((monotonic(), received[-1][1] + len(data)))

    threading.Thread(target=receive, daemon=True).start()
    client.connect((RECEIVER, PORT))
    return client, received


def write_until(client: socket.socket, end: float) -> None:
    """Write as fast as possible, until a time.

    The kernel keeps the time: a socket with Python's timeout waits until a third of its buffer
    is free, before each write.
    """
    data = bytes(1 << 16)
    with contextlib.suppress(BlockingIOError):
        while (left := end - monotonic()) > 0:
            limit = struct.pack("ll", int(left), int(left % 1 * 1e6))
            client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
            client.send(data)


def mbps(received: list[tuple[float, int]], start: float, end: float) -> float:
    """Give the mean goodput between two times, counted from the first."""
    began = received[0][0]
    until = [max(count for at, count in received if at - began <= it) for it in (start, end)]
    return round((until[1] - until[0]) * 8 / (end - start) / 1e6, 2)


def transfers(case: Case) -> dict:
    """Send files that arrive by a Poisson process, each over a connection of its own."""
    server = listening(made("receiver"), RECEIVER)
    started: dict[int, float] = {}
    ended: dict[int, float] = {}
    taking = (server, case.size_bytes, ended)
    threading.Thread(target=take_all, args=taking, daemon=True).start()
    senders = []
    due = monotonic()
    end = due + case.seconds
    while (due := due + random.expovariate(TRANSFERS_PER_S)) < end:
        sleep(max(0.0, due - monotonic()))
        senders.append(threading.Thread(target=transfer, args=(case, started)))
        senders[-1].start()
    for sender in senders:
        sender.join()
    times = [ended[port] - started[port] for port in started]
    return {"completion_ms": [round(it * 1e3, 1) for it in times]}


def transfer(case: Case, started: dict[int, float]) -> None:
    """Send one file; note when it began, by the port from which it is sent."""
    began = monotonic()
    with made("sender", case.controller) as one:
        one.connect((RECEIVER, PORT))
        started[one.getsockname()[1]] = began
        one.sendall(bytes(case.size_bytes))
        one.shutdown(socket.SHUT_WR)
        one.recv(1)


def take_all(server: socket.socket, size: int, ended: dict[int, float]) -> None:
    """Read files of that size; note when each has been read, by the port that it came from."""

    def take(connection: socket.socket, port: int) -> None:
        with connection:
            read(connection, size)
            ended[port] = monotonic()
            connection.recv(1)

    while True:
        connection, (_, port) = server.accept()
        threading.Thread(target=take, args=(connection, port), daemon=True).start()


WORKLOADS: dict[str, Callable[[Case], dict]] = {
    "answers": answers,
    "turns": turns,
    "bulk": bulk,
    "bursts": bulk,
    "transfers": transfers,
}


def facts() -> dict:
    """Give everything about this machine that a comparison depends on."""
    with network(1_000_000, FRAME, 2 * FRAME, 0, sysctls=SYSCTLS):
        settings = run(*inside("sender", "sysctl", "net.ipv4"))
    tcp = re.findall(r"^net\.ipv4\.(tcp_\w+) = (.*)$", settings, re.MULTILINE)
    return {
        "kernel": platform.release(),
        "processors": os.cpu_count(),
        "changed_sysctls": SYSCTLS,
        "sysctls": {name: " ".join(value.split()) for name, value in tcp},
    }


def measured(case: Case) -> dict:
    """Measure a case once, in namespaces of its own; say what was found."""
    described = json.dumps(dataclasses.asdict(case))
    found = json.loads(in_namespaces(__file__, "--case", described)) | {"load": os.getloadavg()[0]}
    print(f"{described} {json.dumps(found)}\n", end="", flush=True)
    return found


def stored(results: Path, facts: dict) -> list[dict]:
    """Give the cases that have been measured on this machine with this kernel."""
    if not results.exists():
        return []
    known = json.loads(results.read_text(encoding="utf-8"))
    cases: list[dict] = known.pop("cases")
    return cases if known == facts else []


def runs_of(case: Case, cases: list[dict]) -> list[dict]:
    """Give the stored runs of a case."""
    wanted = dataclasses.asdict(case).items()
    return next((known["runs"] for known in cases if wanted <= known.items()), [])


def with_runs(case: Case, runs: list[dict]) -> dict:
    """Describe a case and its runs."""
    derived = {"limit_bytes": case.limit_bytes, "burst_bytes": case.burst_bytes}
    return dataclasses.asdict(case) | derived | {"runs": runs}


def main() -> None:
    """Measure all cases that are not stored; or, in namespaces, one case once."""
    match sys.argv[1:]:
        case ("--facts",):
            print(json.dumps(facts()))
        case "--case", described:
            print(json.dumps(measure(Case(**json.loads(described)))))
        case (results,):
            check(TOOLS)
            hurry()
            found = json.loads(in_namespaces(__file__, "--facts"))
            before = stored(Path(results), found)
            known = {case: runs_of(case, before) for case in cases()}
            missing = [case for case, runs in known.items() if not runs for _ in range(RUNS)]
            with ThreadPoolExecutor(AT_A_TIME) as pool:
                for case, run in zip(missing, pool.map(measured, missing), strict=True):
                    known[case].append(run)
            found["cases"] = [with_runs(case, runs) for case, runs in known.items()]
            write(Path(results), found)


if __name__ == "__main__":
    main()
