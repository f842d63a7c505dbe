"""Send datagrams evenly, and count what a host receives of them.

    python validation/live/datagrams.py send ADDRESS PER_SECOND LENGTH SECONDS
    python validation/live/datagrams.py count SECONDS

`count` has no reader for what comes: the kernel drops it, and takes no time from what is measured.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path

PORT = 9000
INTERVAL_S = 0.1
"""Between two looks at the interface."""


def send(address: str, per_second: float, length: int, seconds: float) -> None:
    """Send datagrams; what could not be sent in time is not sent later in a burst."""
    gap = 1 / per_second
    payload = bytes(length)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        # Not connected: it is no matter whether somebody listens.
        to, clock, out = (address, PORT), time.perf_counter, sender.sendto
        sent, due = 0, clock()
        end = due + seconds
        while due < end:
            while clock() < due:
                pass
            out(payload, to)
            sent += 1
            due = max(due + gap, clock())
    print(json.dumps({"sent": sent}))


def received() -> int:
    """Give how many datagrams UDP has received, read or not.

    Interfaces do not count them: several can be one packet there (segmentation offload).
    """
    lines = Path("/proc/net/snmp").read_text(encoding="utf-8").splitlines()
    names, values = (line.split()[1:] for line in lines if line.startswith("Udp:"))
    counted = dict(zip(names, map(int, values), strict=True))
    return counted["InDatagrams"] + counted["InErrors"]


def count(seconds: float) -> None:
    """Print the times and packets of all looks, after this many seconds."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        receiver.bind(("0.0.0.0", PORT))
        begun = time.perf_counter()
        looks = []
        while (now := time.perf_counter()) < begun + seconds:
            looks.append((now - begun, received()))
            time.sleep(INTERVAL_S)
    print(json.dumps({"looks": looks}), flush=True)


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "send":
        send(arguments[0], float(arguments[1]), int(arguments[2]), float(arguments[3]))
    else:
        count(float(arguments[0]))
