"""What becomes of some of the packets that reach the receiver: they are lost, or come late.

nftables draws them at random, for the available kernels have no netem. They are drawn
behind the bottleneck, so each has passed its queue.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from network import delaying, inside, run

DRAWN_OF = 10_000
LATE = "1"
"""The mark of packets that are to come late, and the number of their routing table."""


def draw(share: float, verdict: str) -> None:
    """Apply a verdict to a share of the TCP segments from the router."""
    drawn = f"numgen random mod {DRAWN_OF} < {round(share * DRAWN_OF)}"
    chain = "type filter hook prerouting priority -150;"
    rules = [
        "add table ip impairments",
        f"add chain ip impairments arriving {{ {chain} }}",
        f"add rule ip impairments arriving iifname router meta l4proto tcp {drawn} {verdict}",
    ]
    receiver("nft", "; ".join(rules))


@contextlib.contextmanager
def losing(share: float) -> Iterator[None]:
    """Lose a share of the segments."""
    draw(share, "drop")
    yield


@contextlib.contextmanager
def reordering(share: float, late_ms: float) -> Iterator[None]:
    """Let a share of the segments come late: the receiver routes them to a delay line."""
    with delaying(late_ms, "late", "due", {}):
        for device in ("late", "due"):
            receiver("ip", "link", "set", device, "up")
        # The receiver is to route what is addressed to it, and to take it from another device.
        settings = ("ip_forward=1", "tcp_early_demux=0", "conf.all.rp_filter=0")
        receiver("sysctl", "-w", *(f"net.ipv4.{it}" for it in settings))
        receiver(*["ip", "rule", "add", "pref", "10", "lookup", "local"])
        receiver(*["ip", "rule", "del", "pref", "0"])
        receiver(*f"ip rule add pref 5 fwmark {LATE} lookup {LATE}".split())
        receiver(*f"ip route add default dev late table {LATE}".split())
        draw(share, f"meta mark set {LATE}")
        yield


def receiver(*command: str) -> None:
    """Run a command at the receiver."""
    run(*inside("receiver", *command))
