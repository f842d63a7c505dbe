"""A delay line in user space: packets from one TUN device leave by another, later.

    ip netns exec NAME python delay_line.py MILLISECONDS SOURCE SINK [OTHER_MILLISECONDS]

creates both devices in the network namespace in which it runs, prints `ready`, and
delays each packet by that time, in order, until it receives SIGTERM. SIGUSR1 changes between
the two delays; no packet overtakes those before it. The devices disappear with it; they may be
moved to other namespaces. At the end it prints how late the packets left, as JSON.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import struct
import sys
from collections import deque
from pathlib import Path
from time import monotonic

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
LARGEST_PACKET = 2048


def open_tun(name: str) -> int:
    """Make a TUN device; give the file descriptor that carries its packets."""
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return descriptor


def forward(source: int, sink: int, delays: list[float], lateness: list[float]) -> None:
    """Hold each packet for the first of the delays, for ever; note how late each one left."""
    held: deque[tuple[float, bytes]] = deque()
    while True:
        wait = max(0.0, held[0][0] - monotonic()) if held else None
        # `select` waits with the resolution of microseconds, `poll` of milliseconds.
        if select.select([source], [], [], wait)[0]:
            after = held[-1][0] if held else 0.0
            due = max(after, monotonic() + delays[0])
            held.append((due, os.read(source, LARGEST_PACKET)))
        while held and held[0][0] <= (now := monotonic()):
            due, packet = held.popleft()
            os.write(sink, packet)
            lateness.append(now - due)


def summary(lateness: list[float]) -> dict[str, float]:
    """Give the number of packets, and how late they left; nothing where none did."""
    if not lateness:
        return {}
    ordered = sorted(lateness)
    return {
        "packets": len(ordered),
        "median_us": round(ordered[len(ordered) // 2] * 1e6, 1),
        "p99_us": round(ordered[len(ordered) * 99 // 100] * 1e6, 1),
        "most_us": round(ordered[-1] * 1e6, 1),
    }


def main() -> None:
    """Forward until SIGTERM; then print the summary."""
    source, sink = open_tun(sys.argv[2]), open_tun(sys.argv[3])
    delays = [float(it) / 1e3 for it in (sys.argv[1], *sys.argv[4:])]
    # The kernel may end a wait 50 µs late unless a process asks for less.
    Path("/proc/self/timerslack_ns").write_text("1", encoding="ascii")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    signal.signal(signal.SIGUSR1, lambda *_: delays.reverse())
    lateness: list[float] = []
    print("ready", flush=True)
    try:
        forward(source, sink, delays, lateness)
    except SystemExit:
        print(json.dumps(summary(lateness)))


if __name__ == "__main__":
    main()
