"""What becomes of some of the packets that reach the receiver: they are lost, or come late.

nftables draws them at random, for the available kernels have no netem. They are drawn
behind the bottleneck, so each has passed its queue.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from network import delaying, inside, run

DRAWN_OF = 10_000
BAD = "bad"
"""The set of the senders whose segments are lost now."""
LATE = "1"
"""The mark of packets that are to come late, and the number of their routing table."""


def share_of(share: float) -> str:
    """Give the condition that holds for a share of the packets."""
    return f"numgen random mod {DRAWN_OF} < {round(share * DRAWN_OF)}"


def rule(*rules: str) -> None:
    """Apply rules to the TCP segments from the router, the first that holds."""
    chain = "type filter hook prerouting priority -150;"
    segments = "add rule ip impairments arriving iifname router meta l4proto tcp"
    lines = [
        "add table ip impairments",
        f"add set ip impairments {BAD} {{ type ipv4_addr; size 16; flags dynamic; }}",
        f"add chain ip impairments arriving {{ {chain} }}",
        *(f"{segments} {it}" for it in rules),
    ]
    receiver("nft", "; ".join(lines))


@contextlib.contextmanager
def losing(share: float) -> Iterator[None]:
    """Lose a share of the segments."""
    rule(f"{share_of(share)} drop")
    yield


@contextlib.contextmanager
def losing_in_bursts(share: float, segments: float) -> Iterator[None]:
    """Let a share of the segments begin a burst, in which this many in a row are lost on average.

    It is the Gilbert–Elliott channel that loses nothing in its good state and all in its bad
    state: a sender whose address is in the set is in the bad one.
    """
    rule(
        f"ip saddr @{BAD} {share_of(1 / segments)} delete @{BAD} {{ ip saddr }} accept",
        f"ip saddr @{BAD} drop",
        f"{share_of(share)} add @{BAD} {{ ip saddr }} drop",
    )
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
        rule(f"{share_of(share)} meta mark set {LATE}")
        yield


def receiver(*command: str) -> None:
    """Run a command at the receiver."""
    run(*inside("receiver", *command))
