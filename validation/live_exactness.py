"""How exact the emulation is: its rates, and when packets leave; and rattan's rates beside it.

    python validation/live_exactness.py

Datagrams come evenly, and more than the link carries, except for the small ones. What leaves is
counted by the kernel of the receiver: no number of the emulation's own is taken for the rate.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from emulated import ROOT, SERVER, UDP_HEADERS, documents, emulate, path

from windtunnel.markdown import table

DATAGRAMS = f"{sys.executable} {Path(__file__).parent / 'live' / 'datagrams.py'}"
TRACE = ROOT / "scenarios/traces/lte-drive.opportunities"
"""The milliseconds of the opportunities for 1500 bytes."""

TRACE_FROM_MS = 12_000
"""From there on the rate of the trace falls from 7 Mbps to 1, and is zero in many milliseconds."""

FULL = 1500
"""The bytes of a packet that is as long as may be."""

QUEUE_PACKETS = 20_000
"""The queue holds all that the sender is too fast by."""


@dataclass(frozen=True)
class Load:
    """A link, and the datagrams that come to it."""

    link_mbps: float | None
    """None: the link of the trace."""
    packet: int = FULL
    """Its bytes, with headers."""
    per_second: float | None = None
    """None: a tenth more than the link carries."""

    @property
    def name(self) -> str:
        """The link, as the tables call it."""
        return f"{self.link_mbps} Mbps" if self.link_mbps else "LTE trace"

    @property
    def offered(self) -> float:
        """How many datagrams come in a second."""
        # The trace has less than 10 Mbps everywhere.
        return self.per_second or 1.1 * (self.link_mbps or 10) * 1e6 / 8 / self.packet

    @property
    def sending(self) -> str:
        """The command that sends for as long as is counted, without the address."""
        return f"{self.offered} {self.packet - UDP_HEADERS} {self.seconds + 0.5}"

    @property
    def counting(self) -> str:
        """The command that counts."""
        return f"{DATAGRAMS} count {self.seconds}"

    @property
    def seconds(self) -> int:
        """How long it is counted."""
        return 5 if self.link_mbps else 10


LOADS = [Load(50), Load(500), Load(1000), Load(1000, 92, 110_000), Load(None)]

Looks = list[tuple[float, int]]
"""The seconds of looks at the receiver, and how many packets it had received."""


def whole(looks: Looks) -> Looks:
    """Leave out the looks of the first second in which packets come: a queue fills."""
    begun = next(place for place, it in enumerate(looks) if it[1] > looks[0][1] + 10)
    return [it for it in looks[begun:] if it[0] >= looks[begun][0] + 1]


def opportunities() -> list[int]:
    """Give the milliseconds of the opportunities of the trace, of the part that is used."""
    lines = TRACE.read_text(encoding="utf-8").splitlines()
    times = [int(it) - TRACE_FROM_MS for it in lines if not it.startswith("#")]
    return [it for it in times if it > 0]


def expected(load: Load, looks: Looks) -> float:
    """Give how many packets a full link carries from the first look to the last."""
    if load.link_mbps:
        return load.link_mbps * 1e6 / 8 / load.packet * (looks[-1][0] - looks[0][0])
    times = opportunities()

    def over(begun: float) -> list[int]:
        counts = [bisect_right(times, (it[0] - begun) * 1e3) for it in looks]
        return [it - counts[0] for it in counts]

    # When the trace began is not known: when it fits best all looks.
    received = [it[1] - looks[0][1] for it in looks]
    starts = [it / 1e3 for it in range(-1000, 1000)]
    best = min((math.dist(over(it), received), it) for it in starts)
    return over(best[1])[-1]


def received(load: Load, looks: Looks) -> list[str]:
    """Give the packets a second at the receiver, and their rate beside the link's."""
    looks = whole(looks)
    packets = looks[-1][1] - looks[0][1]
    per_second = packets / (looks[-1][0] - looks[0][0])
    off = "" if load.per_second else f" ({packets / expected(load, looks) - 1:+.3%})"
    return [f"{per_second:,.0f}", f"{per_second * 8e-6 * load.packet:.3f} Mbps{off}"]


@contextmanager
def trace() -> Iterator[str]:
    """Give a file with the part of the trace that is used."""
    with tempfile.NamedTemporaryFile("w", suffix=".trace", encoding="utf-8") as file:
        file.write("".join(f"{it}\n" for it in opportunities()))
        file.flush()
        yield file.name


def emulated(load: Load) -> list[str]:
    """Measure a load over the emulation; give its row."""
    command = f"{DATAGRAMS} send {SERVER} {load.sending}".split()
    with trace() as file:
        link = f'rate = "{load.link_mbps} Mbps"'
        if load.link_mbps is None:
            link = f'trace = {{ file = "{file}", kind = "opportunities" }}'
        scenario = path(f'queue = {{ limit = "{QUEUE_PACKETS} packets" }}')
        scenario = scenario.replace('rate = "50 Mbps"', link)
        report, printed = emulate(scenario, command, load.counting)
    looks = next(it["looks"] for it in documents(printed) if "looks" in it)
    late = report["lateness"]["percentiles"]
    return [
        load.name,
        f"{load.packet} B",
        *received(load, looks),
        *(f"{late[name] * 1e6:.0f}" for name in ("median", "p99", "p99_9", "maximum")),
        f"{report['wait']['percentiles']['p99'] * 1e6:.0f}",
        str(sum(report["interface_drops"])),
    ]


def over_rattan(load: Load, rattan: str) -> list[str]:
    """Measure a load over rattan; give its row."""
    send = f"exec {DATAGRAMS} send $RATTAN_BASE {load.sending}"
    limit = json.dumps({"packet_limit": QUEUE_PACKETS})
    queue = ["--uplink-queue", "droptail", "--uplink-queue-args", limit]
    with trace() as file:
        link = f"--uplink-bandwidth {load.link_mbps}Mbps"
        if load.link_mbps is None:
            link = f"--uplink-trace {file}"
        command = [rattan, "link", *link.split(), "--uplink-delay", "20ms", *queue]
        counting = subprocess.Popen(load.counting.split(), stdout=subprocess.PIPE, text=True)
        done = subprocess.run(
            [*command, "--", "sh", "-c", send], capture_output=True, text=True, check=False
        )
        printed, _ = counting.communicate()
    if done.returncode:
        panic = re.search("panicked at .*\n(.*)", done.stderr + done.stdout)
        failure = f"ended early: {panic[1] if panic else done.returncode}"
        return [load.name, f"{load.packet} B", "", failure]
    return [load.name, f"{load.packet} B", *received(load, json.loads(printed)["looks"])]


def exactness() -> str:
    """Lay out how exact the emulation is."""
    head = ["link", "packets", "received, a second", "rate"]
    head += ["late, median, µs", "99 %", "99.9 %", "maximum"]
    head += ["waited at most, 99 %", "dropped at interfaces"]
    return table(head, [emulated(it) for it in LOADS])


def beside_rattan() -> str:
    """Lay out rattan's rates, if it is installed."""
    rattan = shutil.which("rattan")
    if rattan is None:
        return "rattan was not installed.\n"
    head = ["link", "packets", "received, a second", "rate of rattan"]
    return table(head, [over_rattan(it, rattan) for it in LOADS])


if __name__ == "__main__":
    print(exactness(), beside_rattan(), sep="\n")
