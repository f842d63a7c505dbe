"""A sender and a receiver joined by two paths, each with a router and a delay line of its own.

    sender --- router-1 --[tbf]-- receiver
      | ^                          | ^
      | +------- delay line -------+ |
      +------- router-2 --[tbf]------+        (and its own delay line back)

The sender has an address on each path, the receiver one for both. Acknowledgements return by the
path of the address that they go to.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence

from network import FRAME, attach, delaying, inside, run

RECEIVER = "10.77.9.9"
"""The receiver's address, on its loopback device: both paths lead to it."""
SENDERS = ("10.77.1.1", "10.77.2.1")
"""The sender's addresses, one on each path; a connection begins on the first."""


@dataclasses.dataclass(frozen=True)
class Path:
    """A token bucket and a delay line."""

    rate_mbps: int
    base_rtt_ms: int
    limit_frames: int
    """tbf's limit, in full frames."""
    other_rtts_ms: tuple[int, ...] = ()
    """Another base round-trip time, to which `change_delay` changes."""

    @property
    def limit_bytes(self) -> int:
        """tbf's limit: what may wait for tokens."""
        return self.limit_frames * FRAME

    @property
    def burst_bytes(self) -> int:
        """tbf's bucket: a millisecond's worth, at least two frames."""
        return max(2, round(self.rate_mbps * 1000 / 8 / FRAME)) * FRAME


@contextlib.contextmanager
def two_paths(paths: Sequence[Path], sysctls: Mapping[str, str]) -> Iterator[list[dict]]:
    """Build the network; give a mapping for each path that holds its delay line's summary."""
    names = ["sender", "receiver", *(f"router-{place}" for place in numbers(paths))]
    lines: list[dict] = [{} for _ in paths]
    try:
        for name in names:
            run("ip", "netns", "add", name)
        # A route that the receiver loses holds for segments of known connections too.
        settings = {**sysctls, "net.ipv4.tcp_early_demux": "0"}
        for name in ("sender", "receiver"):
            run(*inside(name, "sysctl", "-w", *(f"{k}={v}" for k, v in settings.items())))
        run("ip", "-n", "receiver", "link", "set", "lo", "up")
        run("ip", "-n", "receiver", "address", "add", f"{RECEIVER}/32", "dev", "lo")
        # Rules of `cut` come before the table of local addresses.
        run("ip", "-n", "receiver", "rule", "add", "pref", "10", "lookup", "local")
        run("ip", "-n", "receiver", "rule", "del", "pref", "0")
        with contextlib.ExitStack() as stack:
            for number, path, line in zip(numbers(paths), paths, lines, strict=True):
                join(number, path)
                stack.enter_context(returning(number, path, line))
            run("ip", "-n", "sender", "mptcp", "endpoint", "add", SENDERS[1], "subflow")
            yield lines
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def numbers(paths: Sequence[Path]) -> range:
    """Give the number of each path, from 1."""
    return range(1, len(paths) + 1)


def join(number: int, path: Path) -> None:
    """Connect sender and receiver by a router."""
    router, device = f"router-{number}", f"path-{number}"
    for host in ("sender", "receiver"):
        ends = f"link add {host} type veth peer name {device} netns {host}".split()
        run("ip", "-n", router, *ends)
    attach(router, "sender", f"10.77.{number}.2", offload=False)
    attach("sender", device, SENDERS[number - 1], offload=False)
    attach(router, "receiver", f"10.77.1{number}.1", offload=False)
    attach("receiver", device, f"10.77.1{number}.2", offload=False)
    run(*inside(router, "sysctl", "-w", "net.ipv4.ip_forward=1"))
    run(*f"ip -n {router} route add {RECEIVER}/32 via 10.77.1{number}.2".split())
    run(*f"ip -n sender rule add from {SENDERS[number - 1]} lookup {number}".split())
    run(*f"ip -n sender route add default via 10.77.{number}.2 table {number}".split())
    bucket = f"tbf rate {path.rate_mbps}mbit burst {path.burst_bytes} limit {path.limit_bytes}"
    run("tc", "-n", router, "qdisc", "add", "dev", "receiver", "root", *bucket.split())


@contextlib.contextmanager
def returning(number: int, path: Path, line: dict) -> Iterator[None]:
    """Route what the receiver sends to the path's address through its delay line."""
    back, front = f"back-{number}", f"front-{number}"
    with delaying(path.base_rtt_ms, back, front, line, *path.other_rtts_ms):
        run("ip", "-n", "receiver", "link", "set", front, "netns", "sender")
        run("ip", "-n", "sender", "link", "set", front, "up")
        run("ip", "-n", "receiver", "link", "set", back, "up")
        run(*f"ip -n receiver route add {SENDERS[number - 1]}/32 dev {back}".split())
        yield


def change_delay(line: dict) -> None:
    """Change from one base round-trip time of a path to the other."""
    os.kill(line["process"], signal.SIGUSR1)


def cut(number: int) -> None:
    """Lose from now on what arrives over a path; its queue drains."""
    run(*f"ip -n receiver rule add pref 5 iif path-{number} blackhole".split())


def mend(number: int) -> None:
    """Let a path carry segments again."""
    run(*f"ip -n receiver rule del pref 5 iif path-{number}".split())


def drops(paths: Sequence[Path]) -> list[int]:
    """Give how many frames each bucket has dropped."""
    found = []
    for number in numbers(paths):
        queues = json.loads(run("tc", "-n", f"router-{number}", "-s", "-j", "qdisc", "show"))
        found.append(sum(it["drops"] for it in queues if it["kind"] == "tbf"))
    return found
