"""A sender, a router and a receiver, each in a network namespace of its own.

    sender --- router --[tbf]-- receiver
       ^                            |
       +------- delay line ---------+

Data passes one bottleneck, the token bucket at the router's egress. The router has its
own namespace because a sender's own queue is not a bottleneck buffer: TCP small
queues keep it short, and the sender sees its drops immediately. Acknowledgements
return through the delay line, which holds them for the whole base round trip; with
none they return through the router.

Everything is made below a private directory of namespaces: see `measure.py`.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

SENDER = "10.77.1.1"
RECEIVER = "10.77.2.2"
FRAME = 1514
"""Bytes of a full frame as tbf counts it: MTU 1500 and the Ethernet header."""
SYSCTLS = {
    # iperf3 connects before it chooses its controller, and the pacing that BBR turns on
    # stays on: with this default every controller is paced, on any machine.
    "net.ipv4.tcp_congestion_control": "bbr",
    # No memory of earlier connections.
    "net.ipv4.tcp_no_metrics_save": "1",
    # Buffers that never limit.
    "net.ipv4.tcp_rmem": "4096 4194304 67108864",
    "net.ipv4.tcp_wmem": "4096 4194304 67108864",
}
SECONDS_TO_ANSWER = 10


def run(*command: str, seconds: float = SECONDS_TO_ANSWER) -> str:
    """Run a command; give what it printed.

    Raises:
        subprocess.SubprocessError: It failed, or took longer than `seconds`.
    """
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True)
    return done.stdout


def inside(namespace: str, *command: str) -> list[str]:
    """Give the command line that runs a command in a namespace."""
    return ["ip", "netns", "exec", namespace, *command]


@contextlib.contextmanager
def network(
    rate_bps: int,
    limit: int,
    burst: int,
    base_rtt_ms: float,
    *,
    sysctls: Mapping[str, str] = SYSCTLS,
    offload: bool = False,
) -> Iterator[dict]:
    """Build the network; give a mapping that holds the delay line's summary at the end.

    `limit` and `burst` are tbf's, in bytes of frames. `sysctls` are set at both hosts. With
    `offload`, hosts pass down and receive several segments as one.
    """
    try:
        join("sender", SENDER, "10.77.1.2", offload=offload)
        join("receiver", RECEIVER, "10.77.2.1", offload=offload)
        for namespace in ("sender", "receiver"):
            run(*inside(namespace, "sysctl", "-w", *(f"{k}={v}" for k, v in sysctls.items())))
        run(*inside("router", "sysctl", "-w", "net.ipv4.ip_forward=1"))
        shape = f"tbf rate {rate_bps}bit burst {burst} limit {limit}".split()
        run("tc", "-n", "router", "qdisc", "add", "dev", "receiver", "root", *shape)
        line: dict = {}
        with delay_line(base_rtt_ms, line) if base_rtt_ms else contextlib.nullcontext():
            yield line
    finally:
        for namespace in ("sender", "router", "receiver"):
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)


def join(name: str, address: str, gateway: str, *, offload: bool) -> None:
    """Create the namespace of a host, and connect it to the router."""
    if name == "sender":
        run("ip", "netns", "add", "router")
    run("ip", "netns", "add", name)
    ends = f"link add {name} type veth peer name router netns {name}".split()
    run("ip", "-n", "router", *ends)
    attach("router", name, gateway, offload=offload)
    attach(name, "router", address, offload=offload)
    run("ip", "-n", name, "route", "add", "default", "via", gateway)


def attach(namespace: str, device: str, address: str, *, offload: bool) -> None:
    """Give a device an address; let each packet be at most one MTU, or offload segmentation."""
    run("ip", "-n", namespace, "address", "add", f"{address}/24", "dev", device)
    if offload:
        offloads = ["tso", "on", "gso", "on", "gro", "on"]
        run(*inside(namespace, "ethtool", "-K", device, *offloads))
    else:
        run("ip", "-n", namespace, "link", "set", device, "gso_max_segs", "1")
    run("ip", "-n", namespace, "link", "set", device, "up")


@contextlib.contextmanager
def delay_line(base_rtt_ms: float, line: dict) -> Iterator[None]:
    """Route what the receiver sends through the delay line."""
    with delaying(base_rtt_ms, "back", "front", line):
        run("ip", "-n", "receiver", "link", "set", "front", "netns", "sender")
        run("ip", "-n", "sender", "link", "set", "front", "up")
        run("ip", "-n", "receiver", "link", "set", "back", "up")
        run("ip", "-n", "receiver", "route", "add", f"{SENDER}/32", "dev", "back")
        yield


@contextlib.contextmanager
def delaying(
    milliseconds: float, source: str, sink: str, line: dict, *others: float
) -> Iterator[None]:
    """Run a delay line between two devices of the receiver, perhaps with another delay.

    `line` has its process while it runs, and then its summary.
    """
    program = [sys.executable, str(Path(__file__).with_name("delay_line.py"))]
    command = inside("receiver", *program, str(milliseconds), source, sink, *map(str, others))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise OSError("the delay line did not start")
            line["process"] = process.pid
            yield
        finally:
            process.terminate()
            line.clear()
            line.update(json.loads(process.communicate(timeout=SECONDS_TO_ANSWER)[0] or "{}"))
