"""The workloads of the benchmarks: networks under load, written as scenarios.

`bench/ns3` has the same networks for ns-3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, islice, pairwise
from typing import ClassVar

from windtunnel.package_data import SCENARIOS

STREET = SCENARIOS / "maps" / "street.toml"
"""The map of the radio workload."""

PPP_BYTES = 2
"""The framing of ns-3's point-to-point links, which its options leave out."""

SEGMENT_BYTES = 1448
"""The data in a full TCP segment."""

FRAME_BYTES = SEGMENT_BYTES + 12 + 20 + 20 + PPP_BYTES
"""A full segment on a link: with timestamps, TCP's and IPv4's headers, PPP."""


@dataclass(frozen=True)
class Link:
    """A duplex link between two nodes."""

    first: str
    second: str
    rate: str | None
    """None if its other keys determine the rate."""
    delay: str
    keys: str = ""
    """Other keys, as a scenario file has them."""


@dataclass(frozen=True)
class Network:
    """Links, and pairs of nodes with a flow each."""

    links: list[Link]
    pairs: list[tuple[str, str]]
    """A consumer's and a producer's node, or a sender's and a receiver's."""
    queue: int
    """The capacity of the queue of each link, in packets."""
    loss: str | None = None
    """The share of packets that each link loses at random; none if not given."""
    places: dict[str, str] = field(default_factory=dict)
    """The city of each node on the ground, where satellites join the nodes."""
    constellation: str = ""
    """The satellites, as lines of a scenario file."""


@dataclass(frozen=True)
class Ndn:
    """Consumers with a fixed window that the queues can hold, so that nothing is lost."""

    window: int
    """Interests that each consumer keeps in flight."""

    program: ClassVar = "ndn_workloads"

    def tables(self, network: Network) -> list[str]:
        """Write the consumers and producers as lines of a scenario file."""
        lines = [
            "[defaults.producer]",
            'payload = "1024 B"',
            "[defaults.consumer]",
            f'controller = {{ kind = "fixed", window = {self.window} }}',
        ]
        for role, side in (("producers", 1), ("consumers", 0)):
            lines.append(f"[{role}]")
            for pair in network.pairs:
                prefix = f"/{pair[1]}"
                lines.append(f'{pair[side]} = {{ node = "{pair[side]}", prefix = "{prefix}" }}')
        return lines


@dataclass(frozen=True)
class Tcp:
    """Unlimited senders, which start one after the other."""

    controller: str
    """As a scenario file has it: a TOML value."""
    starts_over_s: float = 0.1
    """Seconds over which the starts are spread evenly, so that no two coincide."""
    multipath: str = ""
    """How each takes several paths at once, as a TOML value; empty: each takes one."""

    program: ClassVar = "tcp_workloads"

    def tables(self, network: Network) -> list[str]:
        """Write the flows as lines of a scenario file."""
        between = self.starts_over_s / len(network.pairs)
        return [
            "[defaults.flow]",
            f"controller = {self.controller}",
            f'maximum_segment = "{SEGMENT_BYTES} B"',
            *([f"multipath = {self.multipath}"] if self.multipath else []),
            "[flows]",
            *(
                f'flow{number} = {{ from = "{sender}", to = "{receiver}", '
                f'start = "{number * between:.9f} s" }}'
                for number, (sender, receiver) in enumerate(network.pairs)
            ),
        ]


@dataclass(frozen=True)
class Quic:
    """Unlimited senders by an implementation of QUIC, with its own controller."""

    stack: str

    program: ClassVar = ""
    """ns-3 has no QUIC."""

    def tables(self, network: Network) -> list[str]:
        """Write the flows as lines of a scenario file."""
        flow = f'protocol = "quic", quic = {{ stack = "{self.stack}" }}'
        return [
            "[flows]",
            *(
                f'flow{number} = {{ from = "{sender}", to = "{receiver}", {flow} }}'
                for number, (sender, receiver) in enumerate(network.pairs)
            ),
        ]


@dataclass(frozen=True)
class Workload:
    """A network under load."""

    name: str
    network: Callable[[], Network]
    load: Ndn | Tcp | Quic
    duration_s: float
    """Simulated seconds of Windtunnel's own figure."""
    compared_s: float | None
    """Simulated seconds of a comparison, few where ns-3 takes minutes; None: not compared."""
    is_recorded: bool = False
    """Whether series are recorded, as by default; ns-3 does not record any."""


def path(nodes: Iterable[str], rate: str, delay: str) -> list[Link]:
    """Join nodes in a row by equal links."""
    return [Link(*ends, rate, delay) for ends in pairwise(nodes)]


def dumbbell(
    pairs: list[tuple[str, str]],
    bottleneck: tuple[str, str],
    sides: Iterable[tuple[tuple[str, str], tuple[str, str]]],
) -> list[Link]:
    """Join pairs of nodes by two routers.

    Rates and delays are those of the bottleneck, and for each pair those of its
    two links to the routers.
    """
    links = [Link("left", "right", *bottleneck)]
    for (first, second), (near, far) in zip(pairs, sides, strict=True):
        links += [Link(first, "left", *near), Link("right", second, *far)]
    return links


def ndn_chain() -> Network:
    """Lay out one path of 1 Gbps."""
    nodes = ["consumer", "first-router", "second-router", "producer"]
    return Network(path(nodes, "1 Gbps", "2 ms"), [("consumer", "producer")], queue=2000)


def ndn_dumbbell() -> Network:
    """Lay out six consumers and six producers around one bottleneck."""
    pairs = [(f"consumer{number}", f"producer{number}") for number in range(6)]
    consumer_delays_ms = [1, 10, 15, 20, 25, 30]
    producer_delays_ms = [10, 10, 5, 5, 1, 1]
    producer_rates_mbps = [20, 10, 20, 10, 20, 10]
    sides = [
        (("100 Mbps", f"{near} ms"), (f"{rate} Mbps", f"{far} ms"))
        for near, rate, far in zip(
            consumer_delays_ms, producer_rates_mbps, producer_delays_ms, strict=True
        )
    ]
    return Network(dumbbell(pairs, ("50 Mbps", "15 ms"), sides), pairs, queue=1000)


def disjoint(first: str, last: str, queue: int) -> Network:
    """Lay out a thousand paths of three links that share nothing."""
    links, pairs = [], []
    for number in range(1000):
        near, far = f"{first}{number:03}", f"{last}{number:03}"
        nodes = [near, f"first-router{number:03}", f"second-router{number:03}", far]
        links += path(nodes, "10 Mbps", "5 ms")
        pairs.append((near, far))
    return Network(links, pairs, queue)


def tcp_link() -> Network:
    """Lay out one link that ten flows share."""
    link = Link("sender", "receiver", "1 Gbps", "10 ms")
    return Network([link], [("sender", "receiver")] * 10, one_bdp(1000, 10))


def quic_link() -> Network:
    """Lay out one link with one flow."""
    link = Link("sender", "receiver", "1 Gbps", "10 ms")
    return Network([link], [("sender", "receiver")], one_bdp(1000, 10))


def two_paths(*, joined: bool) -> Network:
    """Lay out two paths of 1 Gbps over a router each, between two hosts or between two pairs."""
    links, pairs = [], []
    for number, router in enumerate(("upper", "lower")):
        ends = ("sender", "receiver") if joined else (f"sender{number}", f"receiver{number}")
        links += path([ends[0], router, ends[1]], "1 Gbps", "5 ms")
        pairs += [ends] * (5 if joined else 10)
    return Network(links, pairs, one_bdp(1000, 10))


def lossy_link() -> Network:
    """Lay out one link that loses 5 % of the packets in both directions."""
    link = Link("sender", "receiver", "10 Gbps", "3 ms")
    return Network([link], [("sender", "receiver")], one_bdp(10_000, 3), loss="5 %")


def radio_link() -> Network:
    """Lay out a download by a user who walks past two buildings, at up to 1.1 Gbps."""
    radio = (
        f'radio = {{ map = "{STREET}", speed = "1.5 m/s", carrier = "28 GHz", '
        'bandwidth = "340 MHz", transmit_power = "30 dBm", antenna_gain = "30 dB" }'
    )
    links = [
        Link("server", "base", "10 Gbps", "9 ms"),
        Link("base", "phone", None, "1 ms", radio),
    ]
    return Network(links, [("server", "phone")], queue=7000)


CITIES = [
    *("London", "New York", "Tokyo", "Delhi", "Shanghai", "São Paulo", "Mexico City", "Cairo"),
    *("Lagos", "Karachi", "Istanbul", "Buenos Aires", "Los Angeles", "Johannesburg", "Sydney"),
]


def starlink(mbps: int, stations: int, flows_a_pair: int = 1) -> Network:
    """Lay out pairs of stations in fifteen cities, joined by satellites."""
    places: dict[str, str] = {}
    pairs = []
    for number, (first, second) in enumerate(islice(combinations(CITIES, 2), stations // 2)):
        pairs.append((f"sender{number}", f"receiver{number}"))
        places |= zip(pairs[-1], (first, second), strict=True)
    constellation = f"""\
[constellations.starlink]
preset = "starlink-s1"
inter_satellite_links = {{ rate = "1 Gbps" }}
ground_links = {{ rate = "{mbps} Mbps" }}"""
    return Network([], pairs * flows_a_pair, 100, places=places, constellation=constellation)


def tcp_dumbbell(
    hosts: int, mbps: int, delay_ms: int, access_delay_us: int, flows_a_host: int = 1
) -> Network:
    """Lay out as many senders as receivers, at 10 Gbps, around one bottleneck."""
    pairs = [(f"sender{number}", f"receiver{number}") for number in range(hosts)]
    access = ("10 Gbps", f"{access_delay_us} us")
    links = dumbbell(pairs, (f"{mbps} Mbps", f"{delay_ms} ms"), [(access, access)] * hosts)
    queue = one_bdp(mbps, delay_ms + 2 * access_delay_us / 1000)
    return Network(links, pairs * flows_a_host, queue)


def one_bdp(mbps: int, one_way_ms: float) -> int:
    """Give one bandwidth-delay product, in packets."""
    return round(mbps * 1e3 * 2 * one_way_ms / 8 / FRAME_BYTES)


WORKLOADS = [
    Workload("ndn-chain", ndn_chain, Ndn(window=1500), duration_s=30, compared_s=5),
    Workload("ndn-dumbbell", ndn_dumbbell, Ndn(window=60), duration_s=30, compared_s=30),
    Workload(
        "ndn-disjoint-1000",
        partial(disjoint, "consumer", "producer", queue=100),
        Ndn(window=40),
        duration_s=10,
        compared_s=0.5,
    ),
    Workload(
        "tcp-link-10",
        tcp_link,
        Tcp('"new-reno"'),
        duration_s=60,
        compared_s=5,
    ),
    Workload(
        "tcp-paths-2",
        partial(two_paths, joined=False),
        Tcp('"new-reno"'),
        duration_s=30,
        compared_s=None,
    ),
    Workload(
        "mptcp-2",
        partial(two_paths, joined=True),
        Tcp('"new-reno"', multipath="{}"),
        duration_s=30,
        compared_s=None,
    ),
    Workload(
        "tcp-dumbbell-10",
        partial(tcp_dumbbell, hosts=10, mbps=1000, delay_ms=8, access_delay_us=1000),
        Tcp('"cubic"'),
        duration_s=30,
        compared_s=2,
    ),
    Workload(
        "tcp-dumbbell-100",
        partial(tcp_dumbbell, hosts=100, mbps=1000, delay_ms=18, access_delay_us=1000),
        Tcp('"new-reno"'),
        duration_s=20,
        compared_s=2,
    ),
    Workload(
        "tcp-disjoint-1000",
        partial(disjoint, "sender", "receiver", queue=one_bdp(10, 15)),
        Tcp('"new-reno"'),
        duration_s=10,
        compared_s=0.5,
    ),
    Workload(
        "tcp-dci-15",
        partial(tcp_dumbbell, hosts=15, mbps=10_000, delay_ms=3, access_delay_us=5),
        Tcp('"new-reno"'),
        duration_s=5,
        compared_s=0.1,
    ),
    Workload(
        "tcp-loss-10",
        lossy_link,
        Tcp('{ kind = "fixed", window = 10 }'),
        duration_s=300,
        compared_s=None,
    ),
    Workload(
        "tcp-loss-5000",
        lossy_link,
        Tcp('{ kind = "fixed", window = 5000 }'),
        duration_s=3,
        compared_s=None,
    ),
    Workload(
        "leo-starlink",
        partial(starlink, mbps=10, stations=200),
        Tcp('"cubic"'),
        duration_s=60,
        compared_s=None,
    ),
    Workload(
        "leo-starlink-100",
        partial(starlink, mbps=1, stations=100, flows_a_pair=2),
        Tcp('"cubic"'),
        duration_s=60,
        compared_s=None,
    ),
    Workload("radio", radio_link, Tcp('"cubic"'), duration_s=30, compared_s=None),
    Workload("quic-1", quic_link, Quic("quinn"), duration_s=5, compared_s=None),
    Workload(
        "tcp-flows-100000",
        # No more to a host than it has ports.
        partial(
            tcp_dumbbell,
            hosts=100,
            mbps=100_000,
            delay_ms=8,
            access_delay_us=1000,
            flows_a_host=1000,
        ),
        Tcp('"new-reno"', starts_over_s=0.5),
        duration_s=1,
        compared_s=None,
    ),
]

LONG_WORKLOADS = [
    Workload(
        "tcp-flows-100000-recorded",
        partial(
            tcp_dumbbell,
            hosts=100,
            mbps=10_000,
            delay_ms=8,
            access_delay_us=1000,
            flows_a_host=1000,
        ),
        Tcp('"new-reno"', starts_over_s=0.5),
        duration_s=60,
        compared_s=None,
        is_recorded=True,
    ),
]
"""Workloads that take minutes: they run only if they are named."""


def scenario(workload: Workload, duration_s: float) -> str:
    """Write a workload as a scenario file."""
    network = workload.network()
    nodes = dict.fromkeys(end for link in network.links for end in (link.first, link.second))
    unrecorded = "recording = { flows = false, links = false, channels = false, routes = false }"
    lines = [
        f'duration = "{duration_s:f} s"',
        *([] if workload.is_recorded else [unrecorded]),
        "[defaults.link]",
        f'queue = {{ kind = "drop-tail", limit = "{network.queue} packets" }}',
        *([f'loss = {{ probability = "{network.loss}" }}'] if network.loss else []),
        f'overhead = "{PPP_BYTES} B"',
        "[nodes]",
        *(f"{node} = {{}}" for node in nodes),
        *(f'{node} = {{ place = "{city}" }}' for node, city in network.places.items()),
        *network.constellation.splitlines(),
        "[links]",
    ]
    for link in network.links:
        ends = f'nodes = ["{link.first}", "{link.second}"]'
        name = f"{link.first}-{link.second}"
        rate = [f'rate = "{link.rate}"'] if link.rate else []
        keys = [ends, *rate, f'delay = "{link.delay}"', *([link.keys] if link.keys else [])]
        lines.append(f"{name} = {{ {', '.join(keys)} }}")
    return "\n".join(lines + workload.load.tables(network)) + "\n"
