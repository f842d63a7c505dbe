"""BGP's rules on a network of regions: an event simulation of path vectors (RFC 4271).

Each region is an autonomous system, and each of its routers a speaker: external sessions are over
the links to other regions, internal ones between all pairs of routers of one. The prefixes of a
region share their paths, so that they change together; an UPDATE holds as many of them as fit.
"""

from __future__ import annotations

import heapq
import itertools
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

EXTERNAL_S, INTERNAL_S = 30.0, 5.0
"""The intervals of advertisements to other regions and to the own one (section 10)."""

LARGEST = 4096
"""The largest message, in bytes (section 4.1)."""

HEADER = 19 + 2 + 2
"""The header of a message and the lengths of its two lists, in bytes (sections 4.1 and 4.3)."""

Path = tuple[str, ...]
"""The regions on the way, from the own neighbour to the origin; of the origin itself: none."""


def attributes(path: Path) -> int:
    """Give the bytes of the origin, the path of 4-byte numbers and the next hop (section 4.3)."""
    return 4 + (3 + 2 + 4 * len(path)) + 7


def update(prefixes: int, prefix_bytes: float, path: Path | None) -> tuple[int, float]:
    """Give the messages and bytes that announce or withdraw so many prefixes."""
    fixed = HEADER + (attributes(path) if path is not None else 0)
    messages = math.ceil(prefixes / ((LARGEST - fixed) // prefix_bytes))
    return messages, messages * fixed + prefixes * prefix_bytes


@dataclass
class Peer:
    """What a speaker knows of a session's other end."""

    node: str
    external: bool
    delay_s: float
    routes: dict[str, Path] = field(default_factory=dict)
    told: dict[str, Path | None] = field(default_factory=dict)
    next_s: dict[str, float] = field(default_factory=dict)


@dataclass
class Speaker:
    """A router."""

    node: str
    region: str
    peers: dict[str, Peer] = field(default_factory=dict)
    best: dict[str, tuple[Path, str]] = field(default_factory=dict)
    """The path to each region, and the peer that told of it; the own node for the own region."""


@dataclass
class Counted:
    """What happened since counting began."""

    messages: int = 0
    bytes: float = 0.0
    last_s: float = 0.0
    """When a route changed last, or a message was sent."""
    changed_s: float = 0.0
    """When a route changed last."""


class Network:
    """Speakers, and what is under way between them."""

    def __init__(
        self,
        region_of: Mapping[str, str],
        links: Iterable[tuple[str, str, float]],
        prefixes: Mapping[str, int],
        *,
        seed: int = 1,
        jitter: bool = True,
        withdrawals_wait: bool = True,
        prefix_bytes: float = 4.0,
    ) -> None:
        """Lay out a network; links have two nodes and a delay in s."""
        self.speakers = {node: Speaker(node, region) for node, region in region_of.items()}
        self.prefixes, self.prefix_bytes = prefixes, prefix_bytes
        self.jitter, self.withdrawals_wait = jitter, withdrawals_wait
        self.random = random.Random(seed)
        self.now = 0.0
        self.order = itertools.count()
        self.events: list[tuple[float, int, str, str, str, Path | None, bool]] = []
        self.counted = Counted()
        inside: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for one, other, delay in links:
            if region_of[one] == region_of[other]:
                inside[one][other] = inside[other][one] = delay
            else:
                self.join(one, other, True, delay)
        for node, region in region_of.items():
            for other, delay in distances(node, inside).items():
                if other > node and region_of[other] == region:
                    self.join(node, other, False, delay)
        for speaker in self.speakers.values():
            speaker.best[speaker.region] = ((), speaker.node)
        for speaker in self.speakers.values():
            self.tell(speaker, speaker.region)

    def join(self, one: str, other: str, external: bool, delay_s: float) -> None:
        """Open a session."""
        for near, far in ((one, other), (other, one)):
            self.speakers[near].peers[far] = Peer(far, external, delay_s)

    def run(self, until_s: float) -> None:
        """Handle what happens until a time."""
        while self.events and self.events[0][0] <= until_s:
            self.now, _, node, sender, region, path, is_message = heapq.heappop(self.events)
            speaker = self.speakers[node]
            if sender not in speaker.peers:
                continue
            if is_message:
                self.receive(speaker, speaker.peers[sender], region, path)
            else:
                self.tell_one(speaker, speaker.peers[sender], region)
        self.now = until_s

    def fail(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Close sessions between neighbours, one after the other, and start to count."""
        self.counted = Counted(0, 0.0, self.now, self.now)
        for one, other in pairs:
            lost = [(self.speakers[near], far) for near, far in ((one, other), (other, one))]
            routes = [(speaker, speaker.peers.pop(far).routes) for speaker, far in lost]
            for speaker, regions in routes:
                for region in regions:
                    self.decide(speaker, region)

    def withdraw(self, node: str) -> None:
        """Let a region's only speaker withdraw its own prefixes, and start to count."""
        self.counted = Counted(0, 0.0, self.now, self.now)
        speaker = self.speakers[node]
        del speaker.best[speaker.region]
        self.tell(speaker, speaker.region)

    def receive(self, speaker: Speaker, peer: Peer, region: str, path: Path | None) -> None:
        """Take in a route, unless it leads through the own region."""
        if path is None or speaker.region in path:
            peer.routes.pop(region, None)
        else:
            peer.routes[region] = path
        self.decide(speaker, region)

    def decide(self, speaker: Speaker, region: str) -> None:
        """Choose the route to a region anew (section 9.1.2.2): the fewest regions, then one of an
        external session, then the nearest, then the lowest path."""
        if region == speaker.region:
            return
        found = [
            (*rank(peer, peer.routes[region]), peer.routes[region], peer.node)
            for peer in speaker.peers.values()
            if region in peer.routes
        ]
        best = min(found)[3:] if found else None
        if best != speaker.best.get(region):
            speaker.best.pop(region, None)
            if best:
                speaker.best[region] = best
            self.counted.changed_s = self.counted.last_s = self.now
            self.tell(speaker, region)

    def tell(self, speaker: Speaker, region: str) -> None:
        """Tell all peers of the route to a region, or as soon as they may be told."""
        for peer in speaker.peers.values():
            self.tell_one(speaker, peer, region)

    def tell_one(self, speaker: Speaker, peer: Peer, region: str) -> None:
        """Tell one of them, if it is to know something else than it was told."""
        path = self.told_path(speaker, peer, region)
        if path == peer.told.get(region):
            return
        waits = path is not None or self.withdrawals_wait
        due = peer.next_s.get(region, 0.0)
        if waits and self.now < due:
            self.push(due, speaker.node, peer.node, region, None, is_message=False)
            return
        if waits:
            interval = EXTERNAL_S if peer.external else INTERNAL_S
            factor = self.random.uniform(0.75, 1.0) if self.jitter else 1.0
            peer.next_s[region] = self.now + interval * factor
        peer.told[region] = path
        messages, size = update(self.prefixes[region], self.prefix_bytes, path)
        self.counted.messages += messages
        self.counted.bytes += size
        self.counted.last_s = self.now
        self.push(self.now + peer.delay_s, peer.node, speaker.node, region, path, is_message=True)

    def told_path(self, speaker: Speaker, peer: Peer, region: str) -> Path | None:
        """Give what a peer is to know: inside, nothing that was learned inside (section 9.2)."""
        best = speaker.best.get(region)
        if best is None:
            return None
        path, source = best
        if peer.external:
            return (speaker.region, *path)
        is_external = source in speaker.peers and speaker.peers[source].external
        return path if is_external else None

    def push(
        self, time: float, node: str, peer: str, region: str, path: Path | None, *, is_message: bool
    ) -> None:
        """Put off what is to happen."""
        event = (time, next(self.order), node, peer, region, path, is_message)
        heapq.heappush(self.events, event)


def rank(peer: Peer, path: Path) -> tuple[int, bool, float]:
    """Give what routes are preferred by: the least is the best."""
    return len(path), not peer.external, 0.0 if peer.external else peer.delay_s


def distances(node: str, links: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Give how far other nodes are, by the delays of links (Dijkstra)."""
    found: dict[str, float] = {}
    waiting = [(0.0, node)]
    while waiting:
        distance, at = heapq.heappop(waiting)
        if at not in found:
            found[at] = distance
            for other, delay in links.get(at, {}).items():
                heapq.heappush(waiting, (distance + delay, other))
    return found
