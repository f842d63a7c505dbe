"""The types of a scenario's tables, for type checkers and editors.

Made by `make docs` from the types and comments in crates: change those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Required, TypedDict

From = TypedDict("From", {"from": str}, total=False)
"""A key that no class can have, because it is a word of Python."""


class Region(TypedDict, total=False):
    """A region: its nodes use IP among themselves, and the region protocol to reach those of
    other regions. All nodes of a scenario with regions are in one."""

    code: Required[int]
    """Its number, from 1 to 254."""
    nodes: Required[Sequence[str]]
    """Its nodes. Those with a link to another region are its borders."""
    transit: Transit
    """How packets from one neighbouring region to another cross it."""
    prefixes: int
    """How many IP prefixes its routers keep, for the size of their tables; default: one for each
    node."""
    addresses: Addresses
    """What the addresses of its hosts are."""
    accepts_other_addresses: bool
    """Whether it takes packets whose ends have addresses of different kinds, or others than IP
    addresses."""
    hidden: Sequence[str]
    """Nodes of it that do not say where they are in what they send to other regions, over UDP;
    default: none."""
    sub_regions: dict[str, SubRegion]
    """Parts of it that reach each other by the region protocol too, by name; default: none."""
    root: str
    """The node of its DNS root, which answers for its names and asks other roots for theirs;
    default: it has none."""
    names: dict[str, str]
    """Its names, without its own suffix, and the node of it that each stands for; default:
    none."""


Transit = Literal["transparent", "ipv4-tunnel", "ipv6-tunnel", "refused"]
"""How packets of other regions cross a region."""

Addresses = Literal["ipv4", "ipv6", "mac", "public-key"]
"""What the addresses of hosts are."""


class SubRegion(TypedDict, total=False):
    """A part of a region."""

    code: Required[int]
    """Its number, from 1 to 16777215."""
    nodes: Required[Sequence[str]]
    """Its nodes, which are nodes of the region."""


class Agreement(From, total=False):
    """An agreement between two regions that a link joins: while it lasts, they exchange packets
    and announce to each other the regions that they reach."""

    regions: Required[Sequence[str]]
    """The two regions."""
    kind: Kind
    """What each carries for the other."""
    until: str
    """When it ends; default: never."""


Kind = Literal["transit", "peering", "customer-provider"]
"""What two regions carry for each other."""


class RegionProtocol(TypedDict, total=False):
    """How the region protocol behaves."""

    encoding: Encoding
    """How its header is encoded."""
    advertisement_interval: str
    """After an advertisement of a region, the next about the same one goes to the same
    neighbouring region after this time at the earliest; the default is BGP's."""
    advertisement_jitter: bool
    """Whether that interval is multiplied by a random factor from 0.75 to 1, as BGP's is."""
    withdrawals_wait: bool
    """Whether withdrawals wait too (RFC 4271), or are sent at once (RFC 1771)."""
    lookup: Lookup
    """What routers look up of the code of another region."""
    routing: Routing
    """How regions learn of each other; the keys about advertisements and withdrawals are for
    `path-vector`."""
    ndn: Ndn
    """How Interests and Data of NDN go over links between regions, and between the parts of
    one."""
    migration: dict[str, str]
    """When links between regions begin to be used by the region protocol, by the names of links;
    default: all at the beginning. Links carry plain IP packets too, by which nodes send what
    their own router knows no path for under the header."""
    time_to_live: str
    """How long the answers of roots may be kept."""
    absent: Absent
    """What roots say of a name that is not registered."""
    name_agreements: Sequence[Sequence[str]]
    """Which two regions exchange names; default: all that have a root."""


Encoding = Literal["compact", "ipv4-shaped", "flow"]
"""How a header of the region protocol is encoded."""

Lookup = Literal["two-level", "full", "longest-prefix"]
"""What routers look up of the code of another region; in its own each knows all sub-
regions."""

Routing = Literal["path-vector", "link-state"]
"""How regions learn of each other."""

Ndn = Literal["beside", "inside"]
"""How packets of NDN go over links between regions."""

Absent = Literal["no-name", "no-data"]
"""What is said of a name that is not registered."""


class AutonomousSystem(TypedDict, total=False):
    """An autonomous system: its nodes use IP among themselves, and SCION to reach those of
    others. All nodes of a scenario with autonomous systems are in one. Two in the core that a
    link joins are neighbours there, unless they are peers; of other two that a link joins, one is
    the parent of the other, or both are peers."""

    isd_as: Required[str]
    """The number of its isolation domain and its own, such as `"1-64512"` or `"1-ff00:0:110"`."""
    core: bool
    """Whether it is in the core of its isolation domain."""
    nodes: Required[Sequence[str]]
    """Its nodes. Those with a link to another autonomous system are its border routers; on the
    first one is its control service."""
    parents: Sequence[str]
    """Those of its isolation domain that carry its packets, and from which it has its beacons."""
    peers: Sequence[str]
    """Those, in the core or not and of any isolation domain, with which it exchanges packets from
    and to itself and those below it. Named on one side or both."""


class Beaconing(TypedDict, total=False):
    """How autonomous systems find paths: by beacons, which the core begins and each system passes
    on with what it says of itself."""

    interval: str
    """From one origination, propagation and registration to the next; each system begins at a
    time of its own."""
    best_set: int
    """How many segments are passed on through each interface and registered: in the core of each
    origin, elsewhere of all together."""
    most_hops: int
    """How many autonomous systems a segment has at most."""
    lifetime: str
    """How long the hop fields of a segment are valid, from 337.5 s to 24 h, in steps of 337.5
    s."""
    refresh: str
    """How old paths may be before they are asked for again."""
    most_paths: int
    """How many paths to a destination a host keeps, the shortest."""
    known_at_start: bool
    """Whether all segments are known at the start, as if the network had been there for long.
    Otherwise the first beacons are sent then, and flows wait for paths."""
    underlay: Ip
    """The version of IP that carries SCION packets on links, in UDP."""


Ip = Literal["v4", "v6"]
"""A version of IP."""


class Recording(TypedDict, total=False):
    """Which time series are recorded, and how often."""

    interval: str
    """How often samples are taken; default: every 100 ms, less often where the series of a kind
    would have more than 2,000,000 rows in a run, and more often in a run of less than 30 s: at
    least 300 times, as far as that gives no more than 200,000 rows."""
    flows: bool | Series
    """Series of flows and consumers; default: of all."""
    links: bool | Series
    """Series of both directions of links; default: of all."""
    channels: bool | Sampled
    """Series of links with a channel; default: of all."""
    routes: bool | Sampled
    """Series of the paths of flows, where there are satellites; default: of all."""
    playback: bool | Sampled
    """Series of the players of video; default: of all."""
    nodes: bool | Series
    """Series of the forwarders of nodes, of NDN and CCNx packets: how full their PITs and content
    stores are. Default: none."""


class Series(TypedDict, total=False):
    """How series are recorded."""

    interval: str
    """How often samples are taken; default: that of all series."""
    only: Sequence[str]
    """The names of those that are recorded; default: all."""


class Sampled(TypedDict, total=False):
    """How often series of a kind are recorded."""

    interval: str
    """How often samples are taken; default: that of all series."""


class Defaults(TypedDict, total=False):
    """The defaults of all tables of a kind, which their own keys replace."""

    node: NodeDefaults
    """For nodes."""
    link: LinkDefaults
    """For links."""
    producer: ProducerDefaults
    """For producers."""
    consumer: ConsumerDefaults
    """For consumers."""
    flow: FlowDefaults
    """For flows over TCP and UDP."""


class NodeDefaults(TypedDict, total=False):
    """Keys of a node, none of them required."""

    content_store: ContentStore
    """The content store; default: none. One of `defaults.node` is not for nodes whose consumers
    ask for the same names again, from a catalogue: it would answer them without delay."""
    strategy: Strategy
    """How it chooses among next hops."""
    interest_marks: InterestMarks
    """What happens to a congestion mark on an Interest."""
    processing_time: str
    """How long its forwarder takes for a packet of NDN or CCNx that comes in, from a link or from
    a consumer or producer on the node: one after another, as one thread. At most 16,384 wait.
    Default: no time."""
    place: str | Sequence[str]
    """Where it is on the Earth, from where it uses satellites: the name of a large city, or
    latitude and longitude such as `["51.5°", "-0.1°"]`; default: nowhere."""
    journey: Sequence[Journey]
    """Where it is in the course of time, in place of `place`: it moves along great circles, and
    stays at the last place. Default: it does not move."""
    linux: LinuxHost
    """A Linux kernel as its host, in virtual time: all flows over TCP from or to the node are
    connections of this one kernel. Default: Windtunnel's TCP."""
    count: int
    """How many nodes it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one node."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the nodes have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""


class ContentStore(TypedDict, total=False):
    """Data kept to answer later Interests."""

    capacity: Required[str]
    """How many Data packets it holds; with 0 it is off."""
    policy: Policy
    """Which Data is evicted when it is full."""
    keep_marks: bool
    """Whether Data cached with a congestion mark is sent with it again, as NFD does."""


Policy = Literal["lru", "fifo"]
"""Which Data is evicted."""

Strategy = Literal["best-route", "multicast", "pcon"]
"""How a node chooses among next hops."""

InterestMarks = Literal["return", "ignore"]
"""What happens to a congestion mark on an Interest."""


class Journey(TypedDict, total=False):
    """A place at a time."""

    at: Required[str]
    """When the node is there."""
    place: Required[str | Sequence[str]]
    """Where."""


class LinuxHost(TypedDict, total=False):
    """A Linux kernel, which `windtunnel linux build` builds, as the host of a node."""

    kernel: str
    """Which kernel it is, by its name in `windtunnel linux list`; default: `6.12`."""
    controller: str
    """Its congestion controller, by its name there, such as `bbr`; default: that of the
    kernel."""
    sysctl: dict[str, int | str]
    """Its settings, by name; default: those of the kernel."""
    run: Sequence[KernelCommand]
    """The commands that it runs, from the files that it was built with (`windtunnel linux build
    --files`). What they write and their exit codes are in the table `commands`. Default: none."""


class KernelCommand(TypedDict, total=False):
    """A command that a kernel runs."""

    at: Required[str]
    """When it begins."""
    command: Required[str]
    """A program by its path in the kernel, and its arguments, with spaces between them."""


class LinkDefaults(TypedDict, total=False):
    """Keys of a link, none of them required."""

    nodes: Sequence[str]
    """The two nodes that it joins; required."""
    delay: str | Sequence[str]
    """The propagation delay; required."""
    weight: float | Sequence[float]
    """Its cost in a path where `routing.metric` is `weight`, as OSPF's interface cost: a number
    greater than 0, to 16777215, of at most three decimals. Default: 1."""
    loss: Loss | Sequence[Loss]
    """What it loses at random; default: nothing."""
    corruption: Loss | Sequence[Loss]
    """Which packets arrive with another byte, as `loss` says which are lost; default: none. Of a
    UDP datagram of a real implementation or a real host it is one of the first 50 bytes of its
    data, with a checksum that is right for it; of another IP packet of such, one of those behind
    the IP header. A packet that has no bytes in a simulation, as those of Windtunnel's own
    protocols, is lost: its checksum is wrong."""
    duplication: str | Sequence[str]
    """The probability that it delivers a packet twice; default: none."""
    reordering: Reordering | Sequence[Reordering]
    """Which packets it delivers late, so that others overtake them; default: none."""
    mixing: str | Sequence[str]
    """The mean of the exponential time for which it holds each packet, as the mix of an anonymity
    network does: any packet may overtake any other. Default: none."""
    jitter: Jitter | Sequence[Jitter]
    """A delay of each packet beside `delay`, drawn at random. Not with `duplication`,
    `reordering`, `mixing` or `load_delay`. Default: none."""
    load_delay: LoadDelay | Sequence[LoadDelay]
    """A delay that grows with its load: for studies of hosts that choose their paths, where it
    stands for a whole network. Not with `duplication`, `reordering` or `mixing`. Default: none
    beside the queueing delay."""
    medium: str
    """The shared medium that it uses: of all directions of all links that name the same one, a
    single packet is transmitted at a time. When the medium is free, the nodes with packets that
    wait take turns, one packet each, without collisions or any time between two transmissions. A
    link that shares it with no other one is half-duplex. Not with a trace of opportunities, nor
    with time division. Default: each direction has a medium of its own; both directions of a
    fixed radio link without time division have one together."""
    queue: Queue | Sequence[Queue]
    """The queue before it; default: drop-tail of 100 packets."""
    overhead: str
    """What its own framing adds to each packet."""
    mtu: str
    """The most bytes of an NDN packet on it, with its NDNLPv2 headers and without `overhead`:
    larger ones are sent in fragments and reassembled at the other end; where one is lost, the
    packet is. At least 127 B. Packets between regions, and those of real hosts in an emulation,
    that are larger are dropped, and their sender is notified. The packets of flows over IP must
    not be larger; beside NDN packets they are not affected. Default: no limit."""
    pit_token: str
    """The bytes of the PIT token that each NDN packet carries on it (NDNLPv2): 1 to 32. Default:
    no token."""
    tcp_face: TcpConnection
    """A TCP connection over it, through which the NDN and CCNx forwarders at its ends talk, as
    those of NFD and Cefore can; the first node opens it when the run begins. Nothing is lost, but
    what follows a lost segment waits until that is sent again. Not with `mtu`. Default: none;
    each packet is on the link by itself."""
    changes: Sequence[Change]
    """What changes during the run; default: nothing."""
    count: int
    """How many links it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one link."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the links have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    rate: str | Sequence[str]
    """How fast it sends; required."""
    radio: Radio
    """How fast it sends, by a radio; required."""
    fixed_wireless: FixedWireless
    """How fast it sends, by a fixed radio; required."""
    optical: Optical
    """A beam of light through free air; required."""
    trace: Trace | Sequence[Trace]
    """How fast it sends, from a file; another file for each direction, or one for both;
    required."""


class IndependentLoss(TypedDict, total=False):
    """Each packet is lost independently of all others."""

    kind: Literal["independent"]
    """Which kind."""
    probability: Required[str]
    """The probability of loss."""
    most_in_a_row: int
    """How many are lost one after the other at the most. Default: no limit."""
    of: LossOf
    """Which packets can be lost."""


class GilbertElliottLoss(TypedDict, total=False):
    """A Gilbert–Elliott channel, which starts in its good state. Its state changes from packet to
    packet: while none is sent, it stays as it is."""

    kind: Required[Literal["gilbert-elliott"]]
    """Which kind."""
    in_good_state: Required[str]
    """The probability of loss in the good state."""
    in_bad_state: Required[str]
    """The probability of loss in the bad state."""
    to_bad_state: Required[str]
    """The probability of a change from good to bad, for each packet."""
    to_good_state: Required[str]
    """The probability of a change from bad to good, for each packet."""
    of: LossOf
    """Which packets can be lost."""


class ContinuousGilbertElliottLoss(TypedDict, total=False):
    """A Gilbert–Elliott channel in continuous time, which starts in its good state. Each state
    lasts exponentially long, whether packets are sent or not."""

    kind: Required[Literal["continuous-gilbert-elliott"]]
    """Which kind."""
    in_good_state: Required[str]
    """The probability of loss in the good state."""
    in_bad_state: Required[str]
    """The probability of loss in the bad state."""
    good_state_lasts: Required[str]
    """How long the good state lasts in the mean."""
    bad_state_lasts: Required[str]
    """How long the bad state lasts in the mean."""
    of: LossOf
    """Which packets can be lost."""


class ListedLoss(TypedDict, total=False):
    """Exactly the packets of certain numbers, in order to see what a protocol does about them."""

    kind: Required[Literal["listed"]]
    """Which kind."""
    packets: Required[Sequence[int]]
    """The numbers, rising: the first packet that the link sends in that direction, from when this
    holds, has number 1."""
    flow: str
    """The flow whose packets alone are counted and lost, of both directions: of one over TCP the
    first packet of the data's direction is the one that opens the connection. Default: any packet
    is."""
    of: LossOf
    """Which packets can be lost; only they are counted. Not with `flow`."""


Loss = str | IndependentLoss | GilbertElliottLoss | ContinuousGilbertElliottLoss | ListedLoss
"""Random loss. A probability alone is that of independent losses."""

LossOf = Literal["all", "selected"]
"""Which packets can be lost at random."""


class IndependentReordering(TypedDict, total=False):
    """Each packet is late independently of all others."""

    kind: Literal["independent"]
    """Which kind."""
    probability: Required[str]
    """The probability that a packet is delivered late."""
    lateness: Required[str]
    """How much later; what is sent within that time overtakes it."""


class PeriodicReordering(TypedDict, total=False):
    """One packet of every *n*."""

    kind: Required[Literal["periodic"]]
    """Which kind."""
    every: Required[int]
    """The number of packets of which the last one is late: with 50 the 50th, the 100th, and so
    on, of all that the link sends in that direction."""
    lateness: Required[str]
    """How much later; what is sent within that time overtakes it."""


class ListedReordering(TypedDict, total=False):
    """Exactly the packets of certain numbers, as for `listed` losses."""

    kind: Required[Literal["listed"]]
    """Which kind."""
    packets: Required[Sequence[int]]
    """The numbers, rising: the first packet that the link sends in that direction has number
    1."""
    lateness: Required[str]
    """How much later; what is sent within that time overtakes it."""


Reordering = IndependentReordering | PeriodicReordering | ListedReordering
"""Which packets a link delivers late."""


class UniformJitter(TypedDict, total=False):
    """Uniformly distributed between zero and the maximum."""

    kind: Literal["uniform"]
    """Which kind."""
    most: Required[str]
    """The most."""
    correlation: str
    """How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    then spread less than the distribution says."""
    reorders: bool
    """Whether packets may overtake each other; otherwise each arrives no earlier than the one
    before."""


class NormalJitter(TypedDict, total=False):
    """Normally distributed; what would be negative is zero."""

    kind: Required[Literal["normal"]]
    """Which kind."""
    mean: Required[str]
    """The mean."""
    deviation: Required[str]
    """The standard deviation, which netem calls jitter: of `pareto` and `paretonormal` before
    they are cut off."""
    correlation: str
    """How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    then spread less than the distribution says."""
    reorders: bool
    """Whether packets may overtake each other; otherwise each arrives no earlier than the one
    before."""


class ExponentialJitter(TypedDict, total=False):
    """Exponentially distributed."""

    kind: Required[Literal["exponential"]]
    """Which kind."""
    mean: Required[str]
    """The mean."""
    correlation: str
    """How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    then spread less than the distribution says."""
    reorders: bool
    """Whether packets may overtake each other; otherwise each arrives no earlier than the one
    before."""


class ParetoJitter(TypedDict, total=False):
    """As netem's `pareto`: a Pareto distribution of shape 3, from two thirds of the deviation
    below the mean to four deviations above. What would be negative is zero."""

    kind: Required[Literal["pareto"]]
    """Which kind."""
    mean: Required[str]
    """The mean."""
    deviation: Required[str]
    """The standard deviation, which netem calls jitter: of `pareto` and `paretonormal` before
    they are cut off."""
    correlation: str
    """How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    then spread less than the distribution says."""
    reorders: bool
    """Whether packets may overtake each other; otherwise each arrives no earlier than the one
    before."""


class ParetonormalJitter(TypedDict, total=False):
    """As netem's `paretonormal`: a quarter of `normal` and three quarters of `pareto`, both at
    the same level. What would be negative is zero."""

    kind: Required[Literal["paretonormal"]]
    """Which kind."""
    mean: Required[str]
    """The mean."""
    deviation: Required[str]
    """The standard deviation, which netem calls jitter: of `pareto` and `paretonormal` before
    they are cut off."""
    correlation: str
    """How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    then spread less than the distribution says."""
    reorders: bool
    """Whether packets may overtake each other; otherwise each arrives no earlier than the one
    before."""


class TableJitter(TypedDict, total=False):
    """Each entry of a file equally likely, such as a distribution of netem (iproute2's `.dist`).
    What would be negative is zero."""

    kind: Required[Literal["table"]]
    """Which kind."""
    file: Required[str]
    """The file: whole numbers from -32768 to 32767, of which 8192 are one deviation above the
    mean. Lines that begin with `#` are comments."""
    mean: Required[str]
    """What the number 0 stands for."""
    deviation: Required[str]
    """What the number 8192 stands for, beside the mean."""
    correlation: str
    """How much each delay depends on the one before, as in tc-netem(8): less than 100 %. Delays
    then spread less than the distribution says."""
    reorders: bool
    """Whether packets may overtake each other; otherwise each arrives no earlier than the one
    before."""


Jitter = (
    UniformJitter
    | NormalJitter
    | ExponentialJitter
    | ParetoJitter
    | ParetonormalJitter
    | TableJitter
)
"""A delay of each packet beside that of the link, drawn at random."""


class LoadDelay(TypedDict, total=False):
    """A delay that grows with the load of a link: `delay` times the load in parts of `at`, to the
    given power."""

    delay: Required[str]
    """What it adds to the delay of each packet at the load `at`."""
    at: Required[str]
    """The load at which that is so. It is counted with all headers, and may be less or more than
    the rate of the link."""
    power: int
    """The power of the load, from 1 to 8."""
    window: Required[str]
    """How long the load is measured before it counts: the delay follows from the load in the last
    full window."""


class DropTailQueue(TypedDict, total=False):
    """First in, first out; drops packets when it is full."""

    kind: Literal["drop-tail"]
    """Which kind."""
    limit: str
    """How much may wait."""


class LinkServiceQueue(TypedDict, total=False):
    """Drop-tail with the marking of NFD's link service."""

    kind: Required[Literal["link-service"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    threshold: str
    """How much may wait before it marks."""
    interval: str
    """The time from which marks are spaced: the n-th is followed by the next after the interval /
    √n, with "nfd-0.7" / √(n + 1)."""
    version: LinkServiceVersion
    """The release of NFD whose rules marks follow."""


class RedQueue(TypedDict, total=False):
    """Random early detection (Floyd and Jacobson 1993)."""

    kind: Required[Literal["red"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    action: Action
    """Whether to drop, or to mark ECN-capable packets."""
    minimum_threshold: str
    """The average queue above which packets are dropped or marked."""
    maximum_threshold: str
    """The average queue at which `max_probability` is reached; default: three times the minimum
    threshold. It may be equal to the minimum threshold: with it, a `max_probability` of 100 % and
    a weight of 1, all packets are marked above one threshold, as DCTCP has it."""
    weight: float
    """The weight of one arrival in the average."""
    max_probability: str
    """The probability at the maximum threshold."""
    gentle: bool
    """Whether the probability rises gently above the maximum threshold."""
    adaptive: bool
    """Whether `max_probability` adapts, to hold the average midway."""
    hard_drop: bool
    """Whether packets are dropped, and not marked, from the maximum threshold on (RFC 3168,
    section 7); otherwise ECN-capable packets are marked up to `limit`, as in Linux without
    `harddrop`."""


class PieQueue(TypedDict, total=False):
    """Proportional integral controller enhanced (RFC 8033)."""

    kind: Required[Literal["pie"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    action: Action
    """Whether to drop, or to mark ECN-capable packets."""
    target: str
    """The queueing delay to hold."""
    update: str
    """How often the probability is updated."""
    alpha: str
    """How much the probability changes with the excess of the delay."""
    beta: str
    """How much it changes with the growth of the delay."""
    burst: str
    """How long a burst passes untouched."""


class PolicerQueue(TypedDict, total=False):
    """A token bucket; drops what exceeds it (RFC 2697)."""

    kind: Required[Literal["policer"]]
    """Which kind."""
    limit: str
    """How much may wait for the link."""
    rate: Required[str]
    """The committed information rate, with all headers."""
    burst: Required[str]
    """The committed burst size: how much may come at once after silence. At least 1500 B."""


class CodelQueue(TypedDict, total=False):
    """Controlled delay (RFC 8289)."""

    kind: Required[Literal["codel"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    action: Action
    """Whether to drop, or to mark ECN-capable packets."""
    target: str
    """The sojourn time to stay below."""
    interval: str
    """How long the sojourn time may be above the target."""
    ce_threshold: str
    """The sojourn time above which every ECN-capable packet is marked; default: none."""


class PconQueue(TypedDict, total=False):
    """The marking queue of PCON."""

    kind: Required[Literal["pcon"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    target: str
    """The sojourn time to stay below."""
    interval: str
    """How long the sojourn time may be above the target."""


class EcElasticQueue(TypedDict, total=False):
    """The queue of EC-Elastic, as printed."""

    kind: Required[Literal["ec-elastic"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    target: str
    """The sojourn time to stay below."""
    interval: str
    """How long after the first packet above the target it begins to mark."""


class SceQueue(TypedDict, total=False):
    """Controlled delay that first signals some congestion, by ECT(1)."""

    kind: Required[Literal["sce"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    action: Action
    """Whether to drop, or to mark ECN-capable packets."""
    target: str
    """The sojourn time to stay below."""
    interval: str
    """How long the sojourn time may be above the target."""
    ramp_start: str
    """The sojourn time from which some packets signal some congestion; default: a quarter of the
    target."""
    ramp_end: str
    """The sojourn time from which all packets do; default: half the target."""


class FqCodelQueue(TypedDict, total=False):
    """A queue for each flow, with controlled delay (RFC 8290)."""

    kind: Required[Literal["fq-codel"]]
    """Which kind."""
    limit: str
    """How much may wait in all queues together."""
    action: Action
    """Whether to drop, or to mark ECN-capable packets."""
    target: str
    """The sojourn time to stay below."""
    interval: str
    """How long the sojourn time may be above the target."""
    ce_threshold: str
    """The sojourn time above which every ECN-capable packet is marked; default: none."""
    flows: int
    """How many queues flows are hashed to."""
    quantum: str
    """How many bytes a queue may send in one turn."""


class Dualpi2Queue(TypedDict, total=False):
    """Two coupled queues, for L4S and for all others (RFC 9332)."""

    kind: Required[Literal["dualpi2"]]
    """Which kind."""
    limit: str
    """How much may wait in both queues together."""
    target: str
    """The queueing delay to hold in the classic queue."""
    update: str
    """How often the probability is updated."""
    alpha: str
    """How much the probability changes with the excess of the delay."""
    beta: str
    """How much it changes with the growth of the delay."""
    coupling: float
    """The coupling factor between the two queues."""
    classic_share: str
    """The classic queue's share of the link while packets wait in both."""
    step: str
    """The sojourn time in the low-latency queue above which every packet is marked; default: 1
    ms, without a ramp."""
    ramp_start: str
    """In place of a step: the sojourn time from which some packets are marked; default: 0.8 ms,
    with `ramp_end`."""
    ramp_end: str
    """In place of a step: the sojourn time from which all packets are marked; default: 1.2 ms,
    with `ramp_start`."""


class ShaperQueue(TypedDict, total=False):
    """A token bucket, for which packets wait."""

    kind: Required[Literal["shaper"]]
    """Which kind."""
    limit: str
    """How much may wait."""
    rate: Required[str]
    """How fast packets leave in the long run, with all headers."""
    burst: Required[str]
    """How much may leave at once, at the rate of the link, after silence. At least 1500 B; a
    packet that is larger is dropped."""


class StrictPriorityQueue(TypedDict, total=False):
    """Bands by the classes of packets, the highest one first."""

    kind: Required[Literal["strict-priority"]]
    """Which kind."""
    limit: str
    """How much may wait in each band."""
    bands: Sequence[Sequence[Dscp]]
    """The classes in each band, from the highest band on; below these bands is one of all other
    packets."""


class DrrQueue(TypedDict, total=False):
    """Deficit round robin (Shreedhar and Varghese 1996)."""

    kind: Required[Literal["drr"]]
    """Which kind."""
    limit: str
    """How much may wait in all queues together."""
    flows: int
    """How many queues flows are hashed to."""
    quantum: str
    """How many bytes a queue may send in one turn."""


class CakeQueue(TypedDict, total=False):
    """A shaper, tins by class, and in each a queue for each flow (Høiland-Jørgensen et al.
    2018)."""

    kind: Required[Literal["cake"]]
    """Which kind."""
    limit: str
    """How much may wait in all queues together."""
    rate: Required[str]
    """How fast packets leave, with all headers: less than the narrowest link behind it, so that
    packets wait here and nowhere else."""
    tins: CakeTins
    """Into which tins packets are put."""
    action: Action
    """Whether to drop, or to mark ECN-capable packets."""
    target: str
    """The sojourn time to stay below."""
    interval: str
    """How long the sojourn time may be above the target."""
    flows: int
    """How many queues flows are hashed to in each tin."""
    quantum: str
    """How many bytes a queue may send in one turn."""


Queue = (
    Literal[
        "drop-tail",
        "link-service",
        "red",
        "pie",
        "codel",
        "pcon",
        "ec-elastic",
        "sce",
        "fq-codel",
        "dualpi2",
        "strict-priority",
        "drr",
    ]
    | DropTailQueue
    | LinkServiceQueue
    | RedQueue
    | PieQueue
    | PolicerQueue
    | CodelQueue
    | PconQueue
    | EcElasticQueue
    | SceQueue
    | FqCodelQueue
    | Dualpi2Queue
    | ShaperQueue
    | StrictPriorityQueue
    | DrrQueue
    | CakeQueue
)
"""A queue before a link. Its name alone is the kind with all its defaults."""

LinkServiceVersion = Literal["nfd-0.7", "nfd-0.6"]
"""The release of NFD whose link service marks."""

Action = Literal["drop", "mark"]
"""What a queue does to a packet that it chose."""

Dscp = Literal[
    "DF",
    "LE",
    "CS1",
    "AF11",
    "AF12",
    "AF13",
    "CS2",
    "AF21",
    "AF22",
    "AF23",
    "CS3",
    "AF31",
    "AF32",
    "AF33",
    "CS4",
    "AF41",
    "AF42",
    "AF43",
    "CS5",
    "VA",
    "EF",
    "CS6",
    "CS7",
]
"""The class of packets, by the name of its differentiated services codepoint (RFC 2474). What
a class is for is that of RFC 4594; a queue does something about it only if it says so."""

CakeTins = Literal["diffserv3", "besteffort"]
"""Into which tins packets are put."""


class TcpConnection(TypedDict, total=False):
    """A TCP connection between the ends."""

    tcp: Required[Tcp]
    """How both ends of the connection behave."""
    buffer: str
    """The most bytes that wait at an end for an acknowledgement; packets that do not fit are
    dropped before they enter."""


class Tcp(TypedDict, total=False):
    """A flow over TCP."""

    controller: Controller
    """What controls its window: a name under `[controllers]`, the name of a controller, or a
    table with the latter as `kind` and parameters. Required, unless the hosts of both nodes are
    Linux kernels."""
    receiver_controller: Controller
    """A controller at the receiver, which bounds the window that the receiver advertises (RFC
    9840): with `ledbat` or `ledbat-plus-plus`, the flow yields to others whatever its sender
    does. It needs timestamps; default: none."""
    workload: TcpWorkload
    """What it carries; default: `bulk`."""
    maximum_segment: str
    """The data in a full segment; default: what fills a packet of 1500 B, which is 1448 B over
    IPv4 with timestamps, and less where another network layer adds to it."""
    timestamps: bool
    """Whether segments carry timestamps."""
    recovery: Recovery
    """How losses are found and repaired."""
    ecn: Ecn
    """What the end that opens the connection would do with ECN; in effect is what both ends agree
    on in the handshake; default: what the controller needs, or else `off`."""
    server_ecn: Ecn
    """What the other end would do with ECN: beside one that can do less, `accurate` and
    `scalable` fall back to `classic`, and all to `off`; default: the same."""
    window: Window
    """The congestion window at the start, and when it begins anew."""
    acknowledgements: Acknowledgements
    """When the receiver acknowledges."""
    timeout: TcpTimeout
    """The limits of the retransmission timeout."""
    buffers: Buffers
    """How much both ends hold."""
    socket: Socket
    """How its applications use their sockets."""
    pacing: bool
    """Whether segments are spread over the round trip also where the controller does not ask for
    it."""
    small_queues: bool
    """Whether a sender lets no more than a millisecond of its data wait in the queue of its own
    host's link, and at least two segments (TCP small queues, as in Linux); that queue then drops
    none of its packets. Default: where the first link of the path has a constant rate, is not the
    narrowest of several, and does not lead up to a satellite. A link that is the narrowest stands
    for the network, and its queue is that of a router."""
    offload: Offload
    """What the interfaces of both hosts do."""
    split: Split
    """Proxies on its path that split its connections (RFC 3135). What a flow counts is then what
    its own two hosts count: windows, delays and retransmissions of the connection to the first
    proxy, and what arrives at the far end; default: none."""
    multipath: Multipath
    """The paths that it takes at once, by Multipath TCP; default: one path."""


Controller = str | dict[str, Any]
"""A congestion controller: its name, or a table with it as `kind`."""


class Resume(TypedDict, total=False):
    """The earlier connection over the same path that is resumed (RFC 9959: Careful Resume)."""

    cwnd: Required[float]
    """What it had in flight, in segments: half of it is taken up."""
    rtt: Required[str]
    """Its minimum round trip. Where that of the new connection is half of it or less, or more
    than ten times it, nothing is resumed."""


class BulkTcpWorkload(TypedDict, total=False):
    """Data without end."""

    kind: Literal["bulk"]
    """Which kind."""
    rate: str
    """How fast the application hands it over; default: without limit."""


class FileTcpWorkload(TypedDict, total=False):
    """One file."""

    kind: Required[Literal["file"]]
    """Which kind."""
    size: Required[str]
    """Its size."""


class RequestResponseTcpWorkload(TypedDict, total=False):
    """The receiver asks and the sender answers, again and again, over one connection for each
    worker at the receiver, which opens it."""

    kind: Required[Literal["request-response"]]
    """Which kind."""
    request: str
    """The size of a request."""
    response: Required[str]
    """The size of an answer."""
    workers: int
    """The number of workers, each with a connection of its own: each waits for its answer,
    thinks, and sends the next request, so that no more requests than workers are outstanding."""
    think: str
    """From an answer's end to the next request."""
    periods: Periods
    """Whether `think` is always as long, or exponentially distributed with that mean."""


class OnOffTcpWorkload(TypedDict, total=False):
    """At full speed in turns with silence. Two windows of data wait before the sender, as in
    Linux: what of them is left when a turn ends is still sent."""

    kind: Required[Literal["on-off"]]
    """Which kind."""
    on: Required[str]
    """How long it sends."""
    off: Required[str]
    """How long it is silent."""
    periods: Periods
    """Whether the times are always as long, or exponentially distributed with that mean."""


class ArrivalsTcpWorkload(TypedDict, total=False):
    """Files that arrive by a Poisson process, each over a connection of its own."""

    kind: Required[Literal["arrivals"]]
    """Which kind."""
    sizes: Required[
        Literal["web-search", "data-mining"] | str | Sequence[Sequence[str]] | FileOfSizes
    ]
    """How large the files are: a size for all; `web-search` or `data-mining` for those
    distributions; or points of a distribution function, each a size and the probability of no
    more, such as `[["1 kB", "0 %"], ["10 kB", "60 %"], ["1 MB", "100 %"]]`, with straight lines
    between them: between two points of one probability no size lies, and two points of one size
    are as many files of exactly that size. Or such points in a file: `{ file = "sizes.txt" }`."""
    load: str
    """The share of the rate of the narrowest link on the path that their segments with data fill
    on average, headers included; this or `rate`. With a radio or a trace of rates that is the
    greatest rate, with a trace of opportunities the mean one. Above 100 %, to 1000 %, ever more
    files are under way at a time."""
    rate: str
    """How many arrive on average; this or `load`."""


class WebPageTcpWorkload(TypedDict, total=False):
    """A page of the web, which the receiver loads: a document, and the objects that it and they
    refer to."""

    kind: Required[Literal["web-page"]]
    """Which kind."""
    http: Http
    """"1.1": six streams, one object at a time on each. "2": one stream, on which objects come in
    the order of their requests. "3": a stream for each object. Over TCP a stream is a connection;
    over QUIC all are in one."""
    styles: int
    """Style sheets, which the document names at its beginning. Nothing is shown before they have
    come."""
    scripts: int
    """Scripts: the first half of them as style sheets, each other one is asked for by one of
    these."""
    fonts: int
    """Fonts, which style sheets name."""
    images: int
    """Images: a quarter of them style sheets name, a quarter scripts, the rest the document at
    its end."""
    others: int
    """What else scripts ask for."""
    object_size: str
    """The size of each object. Default: each is drawn by its kind, with the percentiles of the
    HTTP Archive."""
    request: str
    """The size of a request."""
    think: str
    """From when an object is known to its request."""


class VideoTcpWorkload(TypedDict, total=False):
    """A video in one file, which the receiver requests and plays while it comes."""

    kind: Required[Literal["video"]]
    """Which kind."""
    rate: str
    """Its mean rate; required without `file`, whose frames are scaled to it; default there: as
    they are."""
    duration: str
    """How long it is; required without `file`; default there: all of it."""
    file: str
    """A file with the size of each frame in bytes at the end of its line; default: sizes of which
    those of I, P and B are as 6 : 2 : 1."""
    frame_rate: str
    """Its frames in a second."""
    group: str
    """What its frames refer to, in the order of presentation, again and again: I to none, P to
    the I or P before it, B to those on both sides. In the file, what a B refers to precedes
    it."""
    threshold: str
    """The media with which it begins to play. The default is VLC's `network-caching`."""
    maximum_threshold: str
    """How far that grows at underflows. The default is VLC's."""
    late_frames: LateFrames
    """What happens when a frame is late."""
    tolerance: str
    """With `discard` and `discard-then-rebuffer`: how late a frame may be shown. The default is
    that of VLC's display."""
    request: str
    """The size of the request."""


class AdaptiveVideoTcpWorkload(TypedDict, total=False):
    """A video in segments, of which the receiver requests one after another over one connection,
    each at a level that a rule chooses."""

    kind: Required[Literal["adaptive-video"]]
    """Which kind."""
    file: str
    """A JSON file with `segment_duration_ms`, `bitrates_kbps` and, for each segment, its size at
    each of them in `segment_sizes_bits`, as sabre has them; or else `levels`."""
    levels: Sequence[str]
    """The bitrates of its levels, rising, which all segments have; `segment` and `duration` are
    required with it."""
    segment: str
    """With `levels`: how long a segment lasts."""
    duration: str
    """How long the video is, to the end of a segment; default with `file`: all of it."""
    rule: Required[Rule]
    """What chooses the level of each segment; with the rules that are built in, the first has the
    lowest."""
    maximum_buffer: str
    """The media that the player holds: it requests a segment once there is room. The default is
    sabre's."""
    request: str
    """The size of a request for the lowest level; for each level above it is a byte more. All
    must fit into a segment of TCP."""


class FramesTcpWorkload(TypedDict, total=False):
    """Live frames: each is sent when it is made."""

    kind: Required[Literal["frames"]]
    """Which kind."""
    rate: str
    """Their mean rate; required without `file`, whose frames are scaled to it; default there: as
    they are."""
    duration: str
    """How long they are made; required without `file`; default there: as long as there are
    any."""
    file: str
    """A file with the size of each frame in bytes at the end of its line; default: all have the
    same."""
    frame_rate: str
    """How many are made in a second."""
    deadline: str
    """From a frame's making to its last byte: with more it counts as late."""


TcpWorkload = (
    Literal["bulk", "web-page", "video", "frames"]
    | BulkTcpWorkload
    | FileTcpWorkload
    | RequestResponseTcpWorkload
    | OnOffTcpWorkload
    | ArrivalsTcpWorkload
    | WebPageTcpWorkload
    | VideoTcpWorkload
    | AdaptiveVideoTcpWorkload
    | FramesTcpWorkload
)
"""What a flow over TCP carries."""

Periods = Literal["fixed", "exponential"]
"""Whether times are all alike."""


class FileOfSizes(TypedDict, total=False):
    """Points of a distribution function that are in a file."""

    file: Required[str]
    """The file: on each line a size and the probability of no more, in parts of 1 or in percent,
    which the last line decides; it must have 1 or 100. Of three numbers the one between is not
    read. Lines that begin with `#` are comments."""
    unit: str
    """What the sizes are counted in, such as `"1460 B"` where a file counts packets."""


Http = Literal["1.1", "2", "3"]
"""How requests and answers are put on streams."""

LateFrames = Literal["rebuffer", "discard", "discard-then-rebuffer"]
"""What happens when a frame is late."""


class ThroughputRule(TypedDict, total=False):
    """The highest level below a share of the throughput, which is the lower of two averages with
    half-lives of 8 s and 3 s (dash.js), and for which the buffer suffices."""

    kind: Literal["throughput"]
    """Which kind."""
    safety: float
    """The share of the throughput that is used, from 0 to 1."""
    client: RuleClient
    """The client whose rule is used."""


class BolaRule(TypedDict, total=False):
    """BOLA: from the buffer alone (Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016)."""

    kind: Required[Literal["bola"]]
    """Which kind."""
    gamma_p: float
    """How much a full buffer is preferred to a high level: `gamma p` of the paper."""
    oscillation: Oscillations
    """What happens when it would rise to a level that the throughput does not sustain."""


class BolaERule(TypedDict, total=False):
    """BOLA-E: as `bola`, with a virtual part of the buffer, for which it begins at the level of
    the throughput (Spiteri, Sitaraman and Sparacio, MMSys 2018)."""

    kind: Required[Literal["bola-e"]]
    """Which kind."""
    utility: LowestUtility
    """The utility of the lowest level in its scores."""


class MpcRule(TypedDict, total=False):
    """Model predictive control: the best of all sequences of levels for the next segments, at the
    harmonic mean of the last five throughputs (Yin et al., SIGCOMM 2015)."""

    kind: Required[Literal["mpc"]]
    """Which kind."""
    horizon: int
    """How many segments it looks ahead, from 1 to 7. The time that it takes is the number of
    levels to this power."""


class RobustMpcRule(TypedDict, total=False):
    """The same, with the mean divided by one more than the greatest relative error of the last
    five."""

    kind: Required[Literal["robust-mpc"]]
    """Which kind."""
    horizon: int
    """How many segments it looks ahead, from 1 to 7. The time that it takes is the number of
    levels to this power."""


Rule = (
    Literal["throughput", "bola", "bola-e", "mpc", "robust-mpc"]
    | str
    | ThroughputRule
    | BolaRule
    | BolaERule
    | MpcRule
    | RobustMpcRule
)
"""What chooses the level of each segment: one of these rules, or the name of one written in
Python."""

RuleClient = Literal["dash-js", "sabre"]
"""A client whose throughput rule is used."""

Oscillations = Literal["limited", "avoided", "allowed"]
"""What happens when BOLA would rise to a level that the throughput does not sustain."""

LowestUtility = Literal["one", "zero"]
"""The utility of the lowest level in the scores of BOLA-E."""

Recovery = Literal["rack", "sack", "new-reno", "reno", "tahoe"]
"""How a sender finds and repairs losses."""

Ecn = Literal["off", "classic", "dctcp", "accurate", "scalable", "sce"]
"""What an end does with ECN."""


class Window(TypedDict, total=False):
    """The congestion window at the start, and when it begins anew."""

    initial: str
    """The window at the start."""
    minimum: str
    """No decrease goes below this; default: 2 segments, or the initial window if that is
    smaller."""
    ssthresh: str
    """Where the first slow start ends, for controllers that have a slow-start threshold, in bytes
    of data; default: unlimited, as RFC 5681, section 3.1, recommends. ns-3 had 65,535 B up to its
    release 3.24."""
    after_idleness: Idleness
    """What happens to the window when nothing was sent for longer than the timeout. BBR is not
    concerned."""
    after_path_change: AfterPathChange
    """What happens to the window and the round-trip estimate when packets take another path by
    the flow's `path_policy`."""


Idleness = Literal["decay", "restart", "validate", "keep"]
"""What happens to the window when nothing was sent for longer than the timeout."""

AfterPathChange = Literal["keep", "restart"]
"""What happens to the congestion state when packets take another path."""


class Acknowledgements(TypedDict, total=False):
    """When the receiver acknowledges."""

    every: str
    """After how many full segments it acknowledges at the latest. More than two thin out the
    acknowledgements."""
    within: str
    """How long it waits for them. The default is Linux's."""
    sack_compression: bool
    """Whether the acknowledgements of segments beyond a gap wait for others, as in Linux: all
    except the first three, for 5 % of the round trip, at most 1 ms."""
    quick: bool
    """Whether more is acknowledged at once than the standards ask for, as in Linux (quick
    acknowledgements): the answer to the SYN, also where data follows; the first 16 segments, as
    many after a silence longer than the retransmission timeout or a segment that came twice, each
    with the flag PSH (the last of what was written, and of a burst), and each by which the
    advertised window grows. That window then begins with 64 KiB in whole segments, and grows by
    two segments with each that comes, up to the receive buffer, which is 85,632 bytes at
    first."""
    misbehaviour: Misbehaviour
    """What the receiver does against the rules to be sent more; nothing by default."""


Misbehaviour = Literal["divided-acknowledgements", "invented-duplicates", "hidden-marks"]
"""What a receiver does against the rules so that it is sent more (RFC 9743, section 7.6)."""


class TcpTimeout(TypedDict, total=False):
    """The limits of the retransmission timeout."""

    initial: str
    """The timeout before the first round trip is measured."""
    minimum: str
    """The smallest timeout. The default is Linux's; RFC 6298 has 1 s."""
    minimum_variation: str
    """The least by which the timeout exceeds the smoothed round trip. The default is Linux's; RFC
    6298 has the clock's granularity."""
    maximum: str
    """The greatest timeout."""


class Buffers(TypedDict, total=False):
    """How much both ends of a connection hold, in bytes of data."""

    receive: str
    """What the receiver can hold, always; default: 64 KiB at first, and with what is taken in a
    round trip more, up to `maximum_receive`."""
    maximum_receive: str
    """How far the receive buffer grows. The default is Linux's."""
    send: str
    """What the sender can hold until it is acknowledged. The default is Linux's."""


class Socket(TypedDict, total=False):
    """How applications use their sockets."""

    write_size: str
    """What they write at a time: data that they have at once is written in pieces of that size,
    without a pause, each of which is sent if it can be; `bulk` with a `rate` writes a piece when
    it is made. Default: all that there is."""
    nagle: Nagle
    """Which data that does not fill a segment waits for more, by Nagle's algorithm. What is
    written last before a connection is closed does not. The default is as if applications had set
    `TCP_NODELAY`, which systems do not by default."""
    reading: Reading
    """When the receiving application takes what arrived."""


Nagle = Literal["off", "classic", "minshall"]
"""Which data that does not fill a segment waits for more."""

Reading = Literal["at-once", "never"]
"""When the receiving application takes what arrived."""


class Offload(TypedDict, total=False):
    """What a host's interface does for a connection."""

    segmentation: bool
    """Whether the sender hands segments to its host's interface in bursts, as Linux does with TSO
    or GSO: of a millisecond at its rate, at least 2 segments, at most 64 KiB. A burst leaves back
    to back, with pacing as well, which is then Linux's: the first ten segments are not paced, and
    up to half of what a burst takes is given back where it is late. One that is not full waits
    for an acknowledgement that is about to come."""
    receive: bool
    """Whether segments that arrive in one poll of the receiving host's interface are merged, up
    to 64 KiB, and acknowledged once, as Linux does with GRO. It holds for both ends:
    acknowledgements are not merged, but they arrive in polls as well."""
    coalescing: str
    """With `receive`: how long after the first segment of a poll the poll is (`rx-usecs` of
    ethtool). The default is that of Linux's drivers for Intel's adapters of 10 Gbps and more,
    20,000 interrupts a second."""


class Split(TypedDict, total=False):
    """Proxies that split a flow's connections: each answers the node before in the receiver's
    name, and has a connection of its own to the next."""

    at: Required[Sequence[str]]
    """The nodes of the proxies, in the order of the path."""
    buffer: str
    """How much of a connection each holds; the default limits nothing."""


class Multipath(TypedDict, total=False):
    """Multipath TCP (RFC 8684): a subflow on each of several paths."""

    paths: Sequence[Sequence[str]]
    """The links of each path, from `from` to `to`; what comes back takes the same links. Between
    regions, only the first link and the last, whose addresses the path's packets have: what lies
    between is left to the routers. The connection is opened on the first path. Default: for each
    link of `from` and each of `to` the shortest path that begins with the one and ends with the
    other."""
    subflows: int
    """Between autonomous systems, in place of `paths`: how many subflows there are, each of which
    chooses its paths by the flow's `path_policy`; default: 2."""
    backup_paths: Sequence[Sequence[str]]
    """Paths that carry data only while no other works; default: none."""
    changes: Sequence[SubflowChange]
    """What happens to subflows during the run; default: nothing."""
    disjoint: bool
    """Whether no two paths may have a link in common."""
    scheduler: Scheduler
    """What chooses the subflow of each segment."""
    version: ProtocolVersion
    """The version of the protocol."""
    opportunistic_retransmission: bool
    """Whether data that fills the receiver's window because it is late on a slower subflow is
    sent again on a faster one, and the slower one's window is halved, as Linux's out-of-tree
    implementation does."""
    application_limited: bool
    """Whether a lack of data marks the samples of a subflow's delivery rate as limited by the
    application. In Linux it does not: BBR takes those of a subflow that the scheduler leaves
    without data for the path's."""
    window_unit: CountedIn
    """What windows, data in flight and delivery rates of subflows are counted in."""
    paced_as_plain: bool
    """Whether rates of sending, which are segments per second, are taken for those of segments of
    plain TCP, although the options of Multipath TCP leave less room for data, as in Linux:
    subflows are paced faster, by 1448 / 1420. Default: with version `v1`."""
    server_is_capable: bool
    """Whether the end that does not open the connection knows the protocol; otherwise both speak
    plain TCP on the first path."""


class SubflowChange(TypedDict, total=False):
    """What a subflow becomes at some time."""

    at: Required[str]
    """When; never before the connection is established."""
    subflow: Required[int]
    """Its number, as in the tables: 0 is that of the first path."""
    state: Required[SubflowState]
    """What it is from then on."""


SubflowState = Literal["active", "backup", "removed"]
"""What a subflow is for."""

Scheduler = (
    Literal[
        "lowest-rtt",
        "blest",
        "blest-linux",
        "ecf",
        "estimated-throughput",
        "free-window",
        "largest-bdp",
        "least-linger",
        "redundant",
        "round-robin",
        "state-aware",
        "sticky",
    ]
    | str
)
"""What chooses the subflow of each segment."""

ProtocolVersion = Literal["v1", "v0"]
"""A version of Multipath TCP."""

CountedIn = Literal["packets", "bytes"]
"""What windows, and what is in flight, delivered or lost, are counted in."""


class Change(TypedDict, total=False):
    """What happens to a link at some time: another rate, delay, state, loss, lateness or limit of
    its queue. Each is one value for both directions, or an array of two."""

    at: Required[str]
    """When."""
    every: str
    """It happens again and again, each time so much later; default: once."""
    rate: str | Sequence[str]
    """How fast it sends from then on, also what is left of the packet under transmission. Only of
    a link with a `rate` of its own. Default: as before."""
    delay: str | Sequence[str]
    """The propagation delay from then on; packets still arrive in the order in which they were
    sent; default: as before."""
    state: State | Sequence[State]
    """Whether it goes down, which loses the packets on it and lets those queued wait, or comes
    up; default: as before."""
    loss: Loss | Sequence[Loss]
    """What it loses at random from then on, packets under transmission excepted: "0 %" is
    nothing; default: as before."""
    lateness: str | Sequence[str]
    """How late the packets of its `reordering` are from then on. A link that delays all of them
    so is an emulator like tc-netem(8): where it gets less, packets overtake those before them.
    Default: as before."""
    queue: QueueChange | Sequence[QueueChange]
    """What happens to its queue; default: as before."""


State = Literal["up", "down"]
"""Whether a link carries packets."""


class QueueChange(TypedDict, total=False):
    """What happens to a link's queue."""

    limit: Required[str]
    """How much may wait from then on: what waits stays there, as far as there is room, and the
    rest is dropped."""


TraceKind = Literal["opportunities", "rates"]
"""What a trace's lines are. Empty lines and lines that begin with `#` are skipped."""


class Trace(TypedDict, total=False):
    """A file that says when or how fast a link sends. Where `time` and `rate` name columns, it is
    a table with a head, such as a published measurement: its rows are separated by commas,
    semicolons or tabs, and other columns are not read."""

    file: Required[str]
    """The file; its name is relative to the scenario file."""
    kind: Required[TraceKind]
    """What its lines are."""
    time: str
    """The column of the time: numbers, or dates and times such as `2024-05-31T12:00:00.5`. It
    counts from the first row that has a rate, and does not decrease; of rows of one time the last
    counts. Default: the file has no head."""
    time_unit: str
    """The unit of a time that is a number; default: s."""
    rate: str
    """The column of the rate. Where a cell is empty, or says `-`, `NA`, `NaN` or `null`, the
    value before holds. Required beside `time`."""
    rate_unit: str
    """The unit of the rate; default: Mbps."""
    one_way_delay: str
    """The column of the one-way delay, which takes the place of the link's `delay` from the first
    value on; routing goes by the link's own. Default: the delay does not change."""
    round_trip_time: str
    """The column of the round-trip time, of which half is the delay. Not with `one_way_delay`."""
    delay_unit: str
    """The unit of that; default: ms."""
    repeat: bool
    """Whether it begins again at its last line's time. Otherwise nothing is sent after the last
    opportunity, and the last rate stays."""


class Radio(TypedDict, total=False):
    """A radio: how fast the link sends follows from where a user moves. The link's second node is
    the user. A value that may differ by direction is one for both, or an array of two: for what
    the first node sends, and for what the user sends."""

    map: Required[str]
    """The file with the map: stations, buildings and the user's path; its name is relative to the
    scenario file."""
    speed: Required[str]
    """How fast the user moves along the path, and stops at its end."""
    carrier: Required[str]
    """The carrier's frequency: 0.5 GHz to 100 GHz."""
    bandwidth: Required[str | Sequence[str]]
    """The bandwidth."""
    transmit_power: Required[str | Sequence[str]]
    """The transmitted power."""
    antenna_gain: str
    """The gain of both ends' antennas together, towards the serving station."""
    noise_figure: str
    """The receivers' noise figure."""
    line_of_sight: LineOfSight
    """What determines whether the user has line of sight to a station."""
    obstructed: Obstructed
    """What reaches a user without line of sight to the station; `diffraction` requires
    `line_of_sight = "map"`."""
    shadowing: bool
    """Whether there is shadowing."""
    blockage: Blockage
    """What passes between the user and the station; default: nothing."""
    efficiency: Efficiency
    """From SINR to spectral efficiency; default: `shannon`."""
    overhead: str
    """The share of the rate that reference signals and control use."""
    period: str
    """How often the channel is sampled."""
    harq: Harq
    """How lost blocks are sent again; default: as its own keys say."""
    rlc: Rlc
    """What happens to a packet that HARQ gives up; default: `acknowledged`."""
    handover: Handover
    """When the user changes from one station to another; default: as its own keys say."""
    report: Report
    """How the SINR is reported to senders; default: as its own keys say."""


LineOfSight = Literal["map", "probability"]
"""What determines whether the user has line of sight to a station."""

Obstructed = Literal["scattering", "diffraction"]
"""What reaches a user without line of sight to the station."""


class Blockage(TypedDict, total=False):
    """Obstacles between the user and the station, such as people and cars."""

    every: Required[str]
    """The mean time from the end of one to the next, exponentially distributed; at least 1 ms."""
    lasts: Required[str]
    """The mean time at full loss, exponentially distributed."""
    loss: Required[str]
    """The full loss."""
    edge: str
    """How long the loss takes to rise, and to fall."""


class ShannonEfficiency(TypedDict, total=False):
    """A share of Shannon's law, up to a maximum (3GPP TR 36.942, annex A.2)."""

    kind: Literal["shannon"]
    """Which kind."""
    share: str
    """The share of Shannon's law."""
    maximum: str
    """The maximum spectral efficiency."""
    minimum_sinr: str
    """The SINR below which nothing gets through."""


class CqiEfficiency(TypedDict, total=False):
    """The greatest of 3GPP TS 38.214's table 5.2.2.1-2 that Shannon's law allows."""

    kind: Required[Literal["cqi"]]
    """Which kind."""
    gap: str
    """By how much the SINR counts as less. The default is for a bit error rate of 5 in
    100,000."""


class Cqi256qamEfficiency(TypedDict, total=False):
    """The same with table 5.2.2.1-3, which reaches 256-QAM."""

    kind: Required[Literal["cqi-256qam"]]
    """Which kind."""
    gap: str
    """By how much the SINR counts as less. The default is for a bit error rate of 5 in
    100,000."""


Efficiency = (
    Literal["shannon", "cqi", "cqi-256qam"]
    | ShannonEfficiency
    | CqiEfficiency
    | Cqi256qamEfficiency
)
"""From SINR to spectral efficiency."""


class Harq(TypedDict, total=False):
    """Hybrid ARQ: a block that was received with errors is sent again."""

    slot: str
    """How long a block is on the link: what is sent within that time arrives together or not at
    all; LTE has 1 ms."""
    error: str
    """The probability that an attempt fails."""
    round_trip: str
    """The time to the next attempt."""
    attempts: int
    """How often it tries: 1 to 100 times."""


class AcknowledgedRlc(TypedDict, total=False):
    """The packet is sent again: nothing is lost, at the cost of delay."""

    kind: Literal["acknowledged"]
    """Which kind."""
    status: str
    """The time until a status report says that the packet is missing."""


class UnacknowledgedRlc(TypedDict, total=False):
    """The packet is lost."""

    kind: Required[Literal["unacknowledged"]]
    """Which kind."""


Rlc = Literal["acknowledged", "unacknowledged"] | AcknowledgedRlc | UnacknowledgedRlc
"""Radio link control: what becomes of a packet that HARQ gives up."""


class Handover(TypedDict, total=False):
    """When the user changes from one station to another (3GPP TS 38.331, event A3)."""

    margin: str
    """By how much the other must be better."""
    after: str
    """For how long it must be better."""
    interruption: str
    """How long nothing is sent during the change."""


class Report(TypedDict, total=False):
    """How the SINR is reported to senders whose data crosses this radio and no other."""

    period: str
    """How often, a multiple of the channel's `period`; default: with each sample."""
    delay: str
    """The age of a report when it arrives."""


class Turbulence(TypedDict, total=False):
    """The turbulence of the air, uniform along the path: the received power follows a Gamma–Gamma
    distribution, for a plane wave and a receiver of no extent."""

    structure: Required[float]
    """The refractive-index structure parameter Cn², in m^(−2/3): from 1e-17, weak, to 1e-12,
    strong."""
    coherence: str
    """The time after which the autocorrelation of large and of small eddies is 1/e; usually 1 ms
    to 10 ms."""


class FixedWireless(TypedDict, total=False):
    """A fixed radio link: two antennas that point at each other, with the single-carrier schemes
    of IEEE 802.11ad in a channel of 2.16 GHz, such as from roof to roof at 60 GHz. How fast it
    sends, and which packets have errors, follows from the received power. A value that may differ
    by direction is one for both, or an array of two: for what the first node sends, and for what
    the second node sends; one that may differ by end likewise: for the first node's antenna, and
    for the second's."""

    carrier: Required[str]
    """The carrier's frequency: 1 GHz to 200 GHz."""
    distance: Required[str]
    """From one antenna to the other."""
    eirp: Required[str | Sequence[str]]
    """The transmitted power with the transmitting antenna's gain (EIRP); with control of the
    power, the most."""
    antenna: Required[Antenna | Sequence[Antenna]]
    """The antenna of each end."""
    pointing_error: str | Sequence[str]
    """The pointing error of each antenna, to the side."""
    beams: Beams
    """The beams of phased arrays at both ends; default: the antennas do not steer."""
    temperature: str
    """The air's temperature, on which the absorption by oxygen depends."""
    vapour: str
    """The water vapour in the air. Its pressure is 1013.25 hPa."""
    rain: str | Weather
    """How much it rains: a rain rate, or a file; default: it does not."""
    rain_extent: RainExtent
    """On how much of the path it rains."""
    polarisation: Polarisation
    """The polarisation of the waves, on which the attenuation by rain depends."""
    fog: str | Weather
    """The liquid water of fog: 0.05 g/m³ at a visibility of 300 m, 0.5 g/m³ at 50 m; or a file;
    default: there is none."""
    reflection: Reflection
    """Calm water between both ends, which reflects a second ray; default: there is none."""
    noise_figure: str
    """The receivers' noise figure; the standard's sensitivities are for 10 dB."""
    thresholds: Thresholds
    """From which SNR on modulation and coding schemes can be used."""
    lowest_mcs: int
    """The slowest scheme that rate adaptation uses: 1 to 12."""
    highest_mcs: int
    """The fastest one."""
    adaptation: RateAdaptation
    """Which scheme is used; default: `snr`."""
    medium_access: MediumAccess
    """How the ends share the channel; default: `time-division`."""
    retransmissions: int
    """How often a packet that is received with errors is sent again at the most."""
    period: str
    """How often the channel is sampled while the weather changes."""


class GaussianAntenna(TypedDict, total=False):
    """A Gaussian beam."""

    kind: Literal["gaussian"]
    """Which kind."""
    gain: Required[str]
    """The gain on the axis."""
    beam_width: Required[str]
    """The full width of the beam, between the points of half the power."""


class F699Antenna(TypedDict, total=False):
    """A dish with the peaks of side lobes of ITU-R F.699, for the worst case."""

    kind: Required[Literal["f699"]]
    """Which kind."""
    gain: Required[str]
    """The gain on the axis."""
    diameter: Required[str]
    """The diameter that radiates."""


class F1245Antenna(TypedDict, total=False):
    """A dish with the mean side lobes of ITU-R F.1245."""

    kind: Required[Literal["f1245"]]
    """Which kind."""
    gain: Required[str]
    """The gain on the axis."""
    diameter: Required[str]
    """The diameter that radiates."""


Antenna = GaussianAntenna | F699Antenna | F1245Antenna
"""An antenna."""


class Beams(TypedDict, total=False):
    """The beams of phased arrays at both ends, as Terragraph's codebooks have them: beam 30 is on
    the antenna's axis."""

    codebook: Codebook
    """Where the beams are."""
    scan: Required[str]
    """How far from the axis the outermost beam points."""
    scan_loss: str
    """What that loses against the middle one; others less, by the square of their angle."""
    index: int | Sequence[int]
    """Which beam each end uses; default: the one that receives most."""


Codebook = Literal["line", "rows"]
"""Where the beams of a phased array are."""


class Weather(TypedDict, total=False):
    """A file that says what the weather is like in the course of time: each line is a time in
    seconds, with white space or a comma and the value then: a visibility in km, a rain rate in
    mm/h, or the liquid water of fog in g/m³. The first time is 0; between two times it changes
    linearly, and after the last no more. Empty lines and lines that begin with `#` are
    skipped."""

    file: Required[str]
    """The file; its name is relative to the scenario file."""


RainExtent = Literal["whole", "effective"]
"""On how much of the path it rains."""

Polarisation = Literal["horizontal", "vertical"]
"""The polarisation of the waves."""


class Reflection(TypedDict, total=False):
    """Calm water, or flat ground, between both ends, which reflects a second ray."""

    heights: Required[str | Sequence[str]]
    """How high each end is above it."""
    coefficient: str
    """The share of the field strength that it reflects."""
    roughness: str
    """The standard deviation of its surface's height; default: it is smooth."""


Thresholds = Literal["standard", "planner"]
"""From which SNR on modulation and coding schemes can be used."""


class SnrRateAdaptation(TypedDict, total=False):
    """The fastest that the SNR allows: a faster one from 1 dB above what it needs on, a slower
    one from 0.5 dB below what the present one needs on."""

    kind: Literal["snr"]
    """Which kind."""


class FixedRateAdaptation(TypedDict, total=False):
    """Always the same."""

    kind: Required[Literal["fixed"]]
    """Which kind."""
    mcs: Required[int]
    """The scheme: 1 to 12."""


class ErrorRateAdaptation(TypedDict, total=False):
    """As Terragraph's: by the share of packets that are expected to have errors in each
    superframe of 1.6 ms; in balance one of 201 is. A direction without traffic for 200 ms uses
    the one that the SNR allows, but at most MCS 9, until there is traffic again."""

    kind: Required[Literal["error"]]
    """Which kind."""
    power_control: PowerControl
    """Lowers the transmitted power while the SNR is more than enough for the fastest scheme;
    default: the power is always that of `eirp`."""


class MinstrelRateAdaptation(TypedDict, total=False):
    """As Minstrel: the one with the greatest throughput, by the success of packets that probe
    each; the time of the probes is not counted."""

    kind: Required[Literal["minstrel"]]
    """Which kind."""


RateAdaptation = (
    Literal["snr", "error", "minstrel"]
    | SnrRateAdaptation
    | FixedRateAdaptation
    | ErrorRateAdaptation
    | MinstrelRateAdaptation
)
"""Which modulation and coding scheme is used."""


class PowerControl(TypedDict, total=False):
    """Control of the transmitted power, in steps of 1 dB."""

    minimum_eirp: Required[str]
    """The least EIRP of each end; the greatest is that of `eirp`, with which it begins."""


class TimeDivisionMediumAccess(TypedDict, total=False):
    """Terragraph's frames of 400 µs: each end sends in its half, the first node in the first."""

    kind: Literal["time-division"]
    """Which kind."""


class ScheduledMediumAccess(TypedDict, total=False):
    """Exchanges of packets and a block acknowledgement, by turns."""

    kind: Required[Literal["scheduled"]]
    """Which kind."""
    aggregation: int
    """The most packets of an exchange: 1 to 64."""


class ContentionMediumAccess(TypedDict, total=False):
    """The same, each after a random time: half of the least contention window. There are no
    collisions."""

    kind: Required[Literal["contention"]]
    """Which kind."""
    aggregation: int
    """The most packets of an exchange: 1 to 64."""


MediumAccess = (
    Literal["time-division", "scheduled", "contention"]
    | TimeDivisionMediumAccess
    | ScheduledMediumAccess
    | ContentionMediumAccess
)
"""How the ends share the channel."""

Outage = Literal["lose", "wait"]
"""What happens to packets while less power is received than the receiver needs."""


class TransmitPowerOptical(TypedDict, total=False):
    """The parts of an optical link."""

    rate: str | Sequence[str]
    """How fast it sends; required."""
    wavelength: str
    """The light's wavelength: 400 nm to 2400 nm; required."""
    distance: str
    """From one end to the other; required."""
    visibility: str | Weather
    """How far one can see, at 2 % contrast: a length, or a file; default: 50 km."""
    fog_model: FogModel
    """How the attenuation by fog depends on the wavelength."""
    turbulence: Turbulence
    """Turbulence, which lets the received power fluctuate; default: none."""
    outage: Outage
    """What happens to packets while too little power is received."""
    period: str
    """How often the channel is sampled, while fog or turbulence change it."""
    transmit_power: str | Sequence[str]
    """The transmitted power; required."""
    transmitter_aperture: str
    """The diameter of the beam where it leaves the transmitter; default: a point."""
    divergence: str
    """The full angle by which the beam widens; required."""
    receiver_aperture: str
    """The diameter of the receiver's lens; required."""
    optics_loss: str
    """The loss by lenses, windows and imperfect pointing."""
    sensitivity: str | Sequence[str]
    """The power that the receiver needs; required."""


class MarginOptical(TypedDict, total=False):
    """A margin, where the parts of the link are not known."""

    rate: str | Sequence[str]
    """How fast it sends; required."""
    wavelength: str
    """The light's wavelength: 400 nm to 2400 nm; required."""
    distance: str
    """From one end to the other; required."""
    visibility: str | Weather
    """How far one can see, at 2 % contrast: a length, or a file; default: 50 km."""
    fog_model: FogModel
    """How the attenuation by fog depends on the wavelength."""
    turbulence: Turbulence
    """Turbulence, which lets the received power fluctuate; default: none."""
    outage: Outage
    """What happens to packets while too little power is received."""
    period: str
    """How often the channel is sampled, while fog or turbulence change it."""
    margin: str | Sequence[str]
    """By how much the received power in clear air is above the receiver's sensitivity;
    required."""


Optical = TransmitPowerOptical | MarginOptical
"""A free-space optical link. It sends at its rate while the received power is not below the
receiver's sensitivity. Fog and turbulence attenuate both directions alike. A value that may
differ by direction is one for both, or an array of two: for what the first node sends, and
for what the second node sends."""

FogModel = Literal["kim", "kruse"]
"""How the attenuation by fog depends on the wavelength."""


class ProducerDefaults(TypedDict, total=False):
    """Keys of a producer, none of them required."""

    node: str
    """The node that it is on; required."""
    prefix: str
    """The prefix that it serves, such as `/video`, or `ccnx:/video`: then packets are CCNx's (RFC
    8609), in UDP datagrams from node to node; required."""
    payload: str
    """The content of each Data packet."""
    freshness: str
    """How long Data counts as fresh; default: the Data does not say."""
    response_delay: str
    """How long it takes to answer."""
    signature: Signature
    """What signs the Data; default: `digest-sha256`. CCNx's Content Objects have nothing."""
    publishing: Publishing
    """It publishes a file into the content store of its node, and answers nothing: an Interest
    meets what the store has, or waits there until it is published. Default: it answers."""
    count: int
    """How many producers it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts
    `#` is the number. Default: it is one producer."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the producers have in turn: the first one has the first
    value, and after the last value it is the turn of the first again. Default: all have the same
    values."""


Signature = Literal["digest-sha256", "null", "hmac-sha256", "ed25519", "ecdsa-p256", "rsa2048"]
"""What signs Data; here it only decides the size."""


class Publishing(TypedDict, total=False):
    """A file that is published, segment by segment."""

    rate: str
    """The payload per time."""
    size: Required[str]
    """The size of the file; the last segment counts as a full one."""


class ConsumerDefaults(TypedDict, total=False):
    """Keys of a consumer, none of them required."""

    node: str
    """The node that it is on; required."""
    prefix: str
    """The prefix of what it requests; with `ccnx:`, as its producer has it; required."""
    controller: Controller
    """What controls its window: a name under `[controllers]`, the name of a controller, or a
    table with the latter as `kind` and parameters; required."""
    window: ConsumerWindow
    """Its window."""
    workload: ConsumerWorkload
    """What it asks for; default: `stream`."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When it stops asking; default: at the end of the run."""
    interest_lifetime: str
    """How long its Interests stay pending: 1 ms to 1 h."""
    hop_limit: int
    """How many hops its Interests may take; default: no limit, or 255 over CCNx, whose Interests
    always have one."""
    must_be_fresh: bool
    """Whether cached Data past its freshness is refused."""
    on_mark: Reaction
    """How it reacts to marked Data."""
    on_timeout: Reaction
    """How it reacts to timeouts."""
    on_nack: Reaction
    """How it reacts to congestion NACKs."""
    recovery_margin: str
    """Where the recovery point lies after a decrease: only Data beyond it allows another one,
    with `once-per-round-trip`. Default: at the highest segment asked for, as in ndn-tools. With a
    share: behind the next segment, by that share of the segments from the highest received to the
    next; 50 % in ndnSIM."""
    timeout: ConsumerTimeout
    """When an Interest times out, and what that means."""
    blocking_read: BlockingRead
    """It does everything in one loop, as Cefore's `cefgetfile`: it reads, waiting for a message,
    and looks for what is missing only after that, so that a loss stalls it for 1 s to 2 s. Out-
    of-order Data lets no new Interest leave: the window begins with the first segment that is
    missing. No timeouts, and no reaction to NACKs. Default: timeouts."""
    count: int
    """How many consumers it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts
    `#` is the number. Default: it is one consumer."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the consumers have in turn: the first one has the first
    value, and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several consumers starts than the one before it; default: they start
    together."""


class ConsumerWindow(TypedDict, total=False):
    """The window of a consumer."""

    initial: str
    """The window at the start."""
    minimum: str
    """The smallest window; default: the initial one."""
    fraction: WindowFraction
    """What a fraction of a segment in the window allows."""


WindowFraction = Literal["waits", "sends"]
"""What a fraction of a segment in the window allows."""


class StreamConsumerWorkload(TypedDict, total=False):
    """Segments 0, 1, 2 … without end."""

    kind: Literal["stream"]
    """Which kind."""


class FileConsumerWorkload(TypedDict, total=False):
    """The segments of one file, once."""

    kind: Required[Literal["file"]]
    """Which kind."""
    size: Required[str]
    """Its size; the last segment counts as a full one."""


class CatalogueConsumerWorkload(TypedDict, total=False):
    """Objects by popularity, without end."""

    kind: Required[Literal["catalogue"]]
    """Which kind."""
    objects: Required[int]
    """How many objects there are."""
    exponent: float
    """The exponent of Zipf's law; 0 for equal popularity."""


ConsumerWorkload = (
    Literal["stream"] | StreamConsumerWorkload | FileConsumerWorkload | CatalogueConsumerWorkload
)
"""What a consumer requests."""

Reaction = Literal["once-per-round-trip", "every", "ignore"]
"""How a consumer reacts to a congestion signal."""


class ConsumerTimeout(TypedDict, total=False):
    """When an Interest times out, and what that means."""

    initial: str
    """The timeout before the first round trip is measured."""
    minimum: str
    """The smallest timeout."""
    maximum: str
    """The greatest timeout."""
    backoff: Backoff
    """When a timeout doubles the timeout."""
    most_doublings: int
    """How often the timeout may have been doubled; default: no limit."""
    rtt_gain: RttGain
    """How much one round trip moves the smoothed one."""
    check: str
    """How often timeouts are looked for; default: when they expire."""
    meaning: TimeoutMeaning
    """What a timeout means to the controller."""
    late_data: LateData
    """What Data does whose Interest timed out and was not sent again yet."""


Backoff = Literal["once-per-round-trip", "each-event", "each-interest"]
"""When a timeout doubles the timeout."""

RttGain = Literal["per-round-trip", "per-sample"]
"""How much one measured round trip moves the smoothed one."""

TimeoutMeaning = Literal["loss", "restart"]
"""What a timeout means to the controller."""

LateData = Literal["measures", "lowers-in-flight"]
"""What Data does whose Interest timed out and was not sent again yet."""


class BlockingRead(TypedDict, total=False):
    """A consumer whose reads block. The defaults are those of `cefgetfile` 0.10 and 0.11, except
    its window of 8 and its Interests' lifetime of 2 s."""

    initial_spacing: str
    """The pause after each Interest of the first window; only then it begins to read."""
    timeout: str
    """How long a read waits for a message at most."""
    resend_interval: str
    """When a read ends that began this long after the last one that brought new Data, all that is
    missing is requested again; the time grows by as much with each repetition."""
    most_resends: int
    """How often that is done with no new Data in between, before it gives up."""


class FlowDefaults(From, total=False):
    """Keys of a flow, none of them required."""

    protocol: (
        Literal["tcp", "udp"]
        | Literal["quic"]
        | Literal["stack"]
        | Literal["tcp-stack"]
        | Literal["programs"]
    )
    """Which kind."""
    to: str
    """The node that it goes to; required."""
    ip: Ip
    """The version of IP."""
    dscp: Dscp
    """The class of all its packets, acknowledgements included: a name such as "EF". Queues look
    at it that have bands or tins."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When its application stops, while what it handed over is still sent; default: at the end of
    the run."""
    path: Sequence[str]
    """The links of its path, from `from` to `to`, which routing does not change; what comes back
    takes the same links; default: the shortest path."""
    path_policy: PathPolicy
    """What chooses the path of each of its packets between autonomous systems. What comes back
    takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`."""
    peer_name: str
    """With regions: the name of the other end for the end that opens the connection, or over UDP
    for `from`. That end asks the root of its region for the address, and the flow begins when the
    answer arrives. Default: the address is known."""
    pattern: FlowPattern
    """Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    such as `"rack-host-*"`. Default: they name one node each."""
    count: int
    """How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. With a `pattern`: how many of each pair of nodes. Default: one."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the flows have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several flows starts than the one before it; default: they start
    together."""
    controller: Controller
    """What controls its window: a name under `[controllers]`, the name of a controller, or a
    table with the latter as `kind` and parameters. Required, unless the hosts of both nodes are
    Linux kernels."""
    receiver_controller: Controller
    """A controller at the receiver, which bounds the window that the receiver advertises (RFC
    9840): with `ledbat` or `ledbat-plus-plus`, the flow yields to others whatever its sender
    does. It needs timestamps; default: none."""
    workload: TcpWorkload | UdpWorkload | TcpWorkload | TcpWorkload | TcpWorkload
    """What it carries; default: `bulk`."""
    maximum_segment: str
    """The data in a full segment; default: what fills a packet of 1500 B, which is 1448 B over
    IPv4 with timestamps, and less where another network layer adds to it."""
    timestamps: bool
    """Whether segments carry timestamps."""
    recovery: Recovery
    """How losses are found and repaired."""
    ecn: Ecn
    """What the end that opens the connection would do with ECN; in effect is what both ends agree
    on in the handshake; default: what the controller needs, or else `off`."""
    server_ecn: Ecn
    """What the other end would do with ECN: beside one that can do less, `accurate` and
    `scalable` fall back to `classic`, and all to `off`; default: the same."""
    window: Window
    """The congestion window at the start, and when it begins anew."""
    acknowledgements: Acknowledgements
    """When the receiver acknowledges."""
    timeout: TcpTimeout
    """The limits of the retransmission timeout."""
    buffers: Buffers
    """How much both ends hold."""
    socket: Socket
    """How its applications use their sockets."""
    pacing: bool
    """Whether segments are spread over the round trip also where the controller does not ask for
    it."""
    small_queues: bool
    """Whether a sender lets no more than a millisecond of its data wait in the queue of its own
    host's link, and at least two segments (TCP small queues, as in Linux); that queue then drops
    none of its packets. Default: where the first link of the path has a constant rate, is not the
    narrowest of several, and does not lead up to a satellite. A link that is the narrowest stands
    for the network, and its queue is that of a router."""
    offload: Offload
    """What the interfaces of both hosts do."""
    split: Split
    """Proxies on its path that split its connections (RFC 3135). What a flow counts is then what
    its own two hosts count: windows, delays and retransmissions of the connection to the first
    proxy, and what arrives at the far end; default: none."""
    multipath: Multipath
    """The paths that it takes at once, by Multipath TCP; default: one path."""
    rate: str
    """The rate of what the datagrams carry, without headers; required, but not with `frames`,
    which have their own."""
    payload: str
    """The most that each datagram carries; all but the last of a frame carry as much. Default:
    1400 B, or less where headers between autonomous systems leave less of 1500 B."""
    path_mtu_discovery: bool
    """Whether datagrams become as small as a link between regions needs that is reported to carry
    less (path MTU discovery, RFC 8085, section 3.2); the rate stays. Not for `frames`."""
    datagrams: Datagrams
    """What it carries in place of streams: datagrams that are not sent again when they are lost
    (RFC 9221); quinn and noq can. Default: streams."""
    quic: Quic
    """The implementation at both ends; default: quinn."""
    stack: OutsideStack
    """The implementation at both ends; required."""
    tcp: TcpImplementation
    """The implementations at both ends; default: smoltcp."""


class FirstPathPolicy(TypedDict, total=False):
    """The path through the fewest autonomous systems."""

    kind: Literal["first"]
    """Which kind."""


class LowestLatencyPathPolicy(TypedDict, total=False):
    """The path with the lowest latency that beacons announced."""

    kind: Required[Literal["lowest-latency"]]
    """Which kind."""


class WidestPathPolicy(TypedDict, total=False):
    """The path with the greatest bandwidth that beacons announced."""

    kind: Required[Literal["widest"]]
    """Which kind."""


class LowestRttPathPolicy(TypedDict, total=False):
    """The path with the lowest round trip of probes, which are sent on all paths."""

    kind: Required[Literal["lowest-rtt"]]
    """Which kind."""
    probe_interval: str
    """How often all paths are probed; each time that all probes have returned it is considered
    whether to switch."""
    hysteresis: str
    """By which share of the current path's round trip another one's must be shorter."""
    probability: str
    """The probability with which the flow switches each time that it has a reason to."""
    hold: str
    """How long after a switch there is no other."""
    smoothed: bool
    """Whether round trips are smoothed (RFC 6298); otherwise that of the last probe counts."""


class RoundRobinPathPolicy(TypedDict, total=False):
    """Each path in turn."""

    kind: Required[Literal["round-robin"]]
    """Which kind."""
    packets: int
    """How many packets each path carries in its turn; default: 1."""
    time: str
    """How long a turn lasts, instead of a number of packets."""


class EpsilonGreedyPathPolicy(TypedDict, total=False):
    """The path with the lowest mean round trip so far, and sometimes a random one (Sutton and
    Barto, section 2.2). Only the path in use is probed, and each probe is a round."""

    kind: Required[Literal["epsilon-greedy"]]
    """Which kind."""
    probe_interval: str
    """How often the path in use is probed."""
    worst_rtt: str
    """The round trip that counts as a loss of 1, as longer ones and lost probes do; shorter ones
    count in proportion."""
    exploration: str
    """The share of rounds in which any path is drawn: ε, or γ of EXP3, which is its rate of
    learning too and must be greater than zero."""


class Ucb1PathPolicy(TypedDict, total=False):
    """UCB1: the path whose mean round trip is lowest when it is taken for as low as it may well
    be (Auer, Cesa-Bianchi and Fischer 2002). Only the path in use is probed, and each probe is a
    round."""

    kind: Required[Literal["ucb1"]]
    """Which kind."""
    probe_interval: str
    """How often the path in use is probed."""
    worst_rtt: str
    """The round trip that counts as a loss of 1, as longer ones and lost probes do; shorter ones
    count in proportion."""


class Exp3PathPolicy(TypedDict, total=False):
    """EXP3: paths are drawn by weights that grow exponentially with what they gained (Auer, Cesa-
    Bianchi, Freund and Schapire 2002). Only the path in use is probed, and each probe is a
    round."""

    kind: Required[Literal["exp3"]]
    """Which kind."""
    probe_interval: str
    """How often the path in use is probed."""
    worst_rtt: str
    """The round trip that counts as a loss of 1, as longer ones and lost probes do; shorter ones
    count in proportion."""
    exploration: str
    """The share of rounds in which any path is drawn: ε, or γ of EXP3, which is its rate of
    learning too and must be greater than zero."""


class DisjointPathPolicy(TypedDict, total=False):
    """For Multipath TCP: each subflow has a path that shares as few interfaces as possible with
    those of the others."""

    kind: Required[Literal["disjoint"]]
    """Which kind."""


PathPolicy = (
    Literal[
        "first",
        "lowest-latency",
        "widest",
        "lowest-rtt",
        "round-robin",
        "epsilon-greedy",
        "ucb1",
        "exp3",
        "disjoint",
    ]
    | str
    | FirstPathPolicy
    | LowestLatencyPathPolicy
    | WidestPathPolicy
    | LowestRttPathPolicy
    | RoundRobinPathPolicy
    | EpsilonGreedyPathPolicy
    | Ucb1PathPolicy
    | Exp3PathPolicy
    | DisjointPathPolicy
)
"""What chooses the path of each packet: one of these policies, or the name of one written in
Python."""


class OneToOneFlowPattern(TypedDict, total=False):
    """The first sends to the first, the second to the second and so on; where one side has fewer
    nodes, it is the turn of its first node again."""

    kind: Literal["one-to-one"]
    """Which kind."""


class AllToOneFlowPattern(TypedDict, total=False):
    """All others send to one node."""

    kind: Required[Literal["all-to-one"]]
    """Which kind."""


class PermutationFlowPattern(TypedDict, total=False):
    """Each sends to another one, drawn at random, to which no one else sends: a permutation in
    which nobody sends to itself. `from` and `to` are as many nodes."""

    kind: Required[Literal["permutation"]]
    """Which kind."""
    seed: int
    """The seed of what is drawn: it is the same in all runs."""


class MatrixFlowPattern(TypedDict, total=False):
    """Each sends to each other one."""

    kind: Required[Literal["matrix"]]
    """Which kind."""


class RandomPairsFlowPattern(TypedDict, total=False):
    """Each flow has two nodes drawn at random among those that links join, independent of all
    other flows."""

    kind: Required[Literal["random-pairs"]]
    """Which kind."""
    pairs: Required[int]
    """How many pairs are drawn."""
    seed: int
    """The seed of what is drawn: it is the same in all runs."""


class ListedFlowPattern(TypedDict, total=False):
    """The flows that a file lists, each with its nodes, its start and the size of its file."""

    kind: Required[Literal["listed"]]
    """Which kind."""
    file: Required[str]
    """The file: a flow on each line, in words that spaces or commas separate. Lines that begin
    with `#` are comments; a first line with a single number is how many flows there are. `from`
    and `to` are nodes that the keys of that name match, by their names or by their numbers from 0
    among these; `start` is in seconds, and `size` in bytes."""
    columns: Sequence[str]
    """What the words of a line are: `from`, `to`, `start` and `size`, and any other names for
    what is not read. Default: what the first line of the file says."""


class DemandsFlowPattern(TypedDict, total=False):
    """A flow over UDP for each demand in the file of a topology, at the rate of the demand."""

    kind: Required[Literal["demands"]]
    """Which kind."""
    topology: Required[str]
    """The topology, of kind `file`."""
    scale: float
    """What the demands of the file are multiplied by: greater than zero."""


FlowPattern = (
    Literal["one-to-one", "all-to-one", "permutation", "matrix"]
    | OneToOneFlowPattern
    | AllToOneFlowPattern
    | PermutationFlowPattern
    | MatrixFlowPattern
    | RandomPairsFlowPattern
    | ListedFlowPattern
    | DemandsFlowPattern
)
"""Which of the nodes `from` send to which of the nodes `to`; in both texts `*` stands for any
characters."""


class BulkUdpWorkload(TypedDict, total=False):
    """All the time."""

    kind: Literal["bulk"]
    """Which kind."""


class OnOffUdpWorkload(TypedDict, total=False):
    """In turns with silence."""

    kind: Required[Literal["on-off"]]
    """Which kind."""
    on: Required[str]
    """How long it sends."""
    off: Required[str]
    """How long it is silent."""
    periods: Periods
    """Whether the times are always as long, or exponentially distributed with that mean."""


class FramesUdpWorkload(TypedDict, total=False):
    """Live frames: the datagrams of each are sent when it is made."""

    kind: Required[Literal["frames"]]
    """Which kind."""
    rate: str
    """Their mean rate; required without `file`, whose frames are scaled to it; default there: as
    they are."""
    duration: str
    """How long they are made; required without `file`; default there: as long as there are
    any."""
    file: str
    """A file with the size of each frame in bytes at the end of its line; default: all have the
    same."""
    frame_rate: str
    """How many are made in a second."""
    deadline: str
    """From a frame's making to its last byte: with more it counts as late."""


UdpWorkload = Literal["bulk", "frames"] | BulkUdpWorkload | OnOffUdpWorkload | FramesUdpWorkload
"""When a flow over UDP sends."""


class Datagrams(TypedDict, total=False):
    """Datagrams over QUIC at a constant rate, from when the handshake is over."""

    rate: Required[str]
    """The rate of what they carry, without headers."""
    payload: str
    """What each carries, its number and time of 16 bytes included."""


class Quic(TypedDict, total=False):
    """An implementation of QUIC."""

    stack: str
    """Which it is: [`quinn`](https://docs.rs/quinn) 0.11, [`noq`](https://docs.rs/noq) 1.4, a
    fork of quinn that obeys a controller's pacing rate,
    [`aioquic`](https://aioquic.readthedocs.io), where that is installed, or the name of one that
    is written outside; default: `quinn`."""
    receiver: str
    """The implementation at the receiver of the data, if it is another one; with its own default
    controller, unless the flow has one of Windtunnel's. Default: the same."""
    controller: str
    """The name of its own controller: quinn has `cubic`, `new-reno` and `bbr`, noq `cubic`, `new-
    reno` and `bbr3`, aioquic `reno` and `cubic`; default: the first of them."""
    reads: str
    """For how long after a datagram has arrived its host waits for others before it reads them
    all at once, as a busy one does; default: it reads each at once."""
    cost: str
    """How long the processor of each end takes for each datagram that it reads or sends; default:
    no time."""
    socket_buffer: str
    """The most bytes of the data of datagrams that wait at each end until they are read; what
    arrives beyond that is dropped. Default: no limit."""
    paths: Sequence[Sequence[str]]
    """The links of each path that the connection can take, from `from` to `to`; what comes back
    takes the same links. The end that connects has another address on each, and the connection
    begins on the first. Default: with `migrations` or `multipath`, the shortest path by each link
    of the end that connects; without, the path by routing."""
    migrations: Sequence[PathMigration]
    """When the end that connects changes to another path, where it has another address (RFC 9000,
    section 9); default: never."""
    multipath: bool
    """Whether the connection uses all of its paths at once; only noq can."""
    zero_rtt: bool
    """Whether the connection resumes an earlier one, so that what the client sends first leaves
    before the handshake is over, with 0-RTT (RFC 9001, section 4.6); quinn and noq can."""
    priorities: bool
    """Whether streams are served by their urgency, which the objects of a `web-page` have, and
    those of one urgency each whole, in the order in which they are written (RFC 9218, section
    10); quinn and noq can. Default: all in turn."""


class PathMigration(TypedDict, total=False):
    """The end that connects changes to another path."""

    at: Required[str]
    """When."""
    path: Required[int]
    """The number of the path: 0 is that of the first."""


class OutsideStack(TypedDict, total=False):
    """An implementation of another protocol."""

    name: Required[str]
    """The name of one that is written outside."""
    receiver: str
    """That at the receiver of the data, if it is another one. Default: the same."""
    controller: str
    """The name of its own controller; default: its default."""
    reads: str
    """For how long after a datagram has arrived its host waits for others before it reads them
    all at once, as a busy one does; default: it reads each at once."""
    cost: str
    """How long the processor of each end takes for each datagram that it reads or sends; default:
    no time."""
    socket_buffer: str
    """The most bytes of the data of datagrams that wait at each end until they are read; what
    arrives beyond that is dropped. Default: no limit."""


class TcpImplementation(TypedDict, total=False):
    """An implementation of TCP."""

    stack: str
    """Which it is: [`smoltcp`](https://docs.rs/smoltcp) 0.14, `linux`, the kernel itself, which
    `windtunnel linux build` builds, `windtunnel`, the TCP of flows with `protocol = "tcp"`, with
    its bytes, or the name of one that is written outside; default: `smoltcp`."""
    receiver: str
    """The implementation at the receiver of the data, if it is another one; with its own default
    controller. Default: the same."""
    controller: str
    """The name of its own controller: smoltcp has `cubic`, `reno` and `none`, with which its
    buffers of 1 MiB alone limit what is in flight; `linux` has those of the kernel, and
    `windtunnel` its own, the first of which is `cubic`; default: the first of them, or the
    kernel's own."""
    kernel: str
    """The kernel, by its name in `windtunnel linux list`, at both ends; only `linux` has any;
    default: `6.12`."""
    sysctl: dict[str, int | str]
    """Settings of the kernel (`sysctl`), by name, at both ends; only `linux` has any; default:
    those of the kernel."""
    reads: str
    """For how long after a packet has arrived its host waits for others before it reads them all
    at once, as a busy one does; default: it reads each at once."""
    cost: str
    """How long the processor of each end takes for each packet that it reads or sends; default:
    no time."""
    socket_buffer: str
    """The most bytes of IP packets that wait at each end until they are read; what arrives beyond
    that is dropped. Default: no limit."""
    multipath: bool
    """Whether its connections are those of Multipath TCP (RFC 8684), which use all of their paths
    at once; only `linux` has them."""
    paths: Sequence[Sequence[str]]
    """With `multipath`, the links of each path, from `from` to `to`; what comes back takes the
    same links. The end that connects has another network device and address on each, and
    connections begin on the first. Default: the shortest path by each link of the end that
    connects."""


class DumbbellTopology(TypedDict, total=False):
    """`NAME-sender-1` and so on, at the router `NAME-left`, and as many `NAME-receiver-1` and so
    on, at `NAME-right`; the link between the routers is `NAME-bottleneck`."""

    kind: Literal["dumbbell"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    pairs: int
    """How many senders, and as many receivers: at least 1; required."""
    round_trips: Sequence[str]
    """The round-trip times of propagation between the first sender and the first receiver and so
    on, in turn: the links of the two hosts have what the bottleneck leaves of it, in equal parts.
    Default: those links have a delay of their own."""
    host: NodeDefaults
    """What its hosts have, in place of `node`."""
    access: LinkDefaults
    """What the links of its hosts have, in place of `link`."""


class StarTopology(TypedDict, total=False):
    """`NAME-host-1` and so on, at `NAME-switch`."""

    kind: Literal["star"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    hosts: int
    """How many hosts: at least 1; required."""
    host: NodeDefaults
    """What its hosts have, in place of `node`."""
    access: LinkDefaults
    """What the links of its hosts have, in place of `link`."""


class ChainTopology(TypedDict, total=False):
    """`NAME-node-1` and so on, in a row; `NAME-link-1` joins the first two."""

    kind: Literal["chain"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    nodes: int
    """How many nodes: at least 2; required."""


class ParkingLotTopology(TypedDict, total=False):
    """`NAME-router-1` and so on, in a row, with `NAME-link-1` after the first. At each end of
    link number 1 are `NAME-sender-1` and `NAME-receiver-1`, and so on; `NAME-sender` and `NAME-
    receiver` are at the ends of the row."""

    kind: Literal["parking-lot"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    hops: int
    """How many links are in the row: at least 1; required."""
    host: NodeDefaults
    """What its hosts have, in place of `node`."""
    access: LinkDefaults
    """What the links of its hosts have, in place of `link`."""


class TreeTopology(TypedDict, total=False):
    """`NAME-router-1` is the root, and the routers' numbers go from level to level; the leaves
    are `NAME-host-1` and so on. Each link has the name of its lower end."""

    kind: Literal["tree"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    depth: int
    """How many links lead from the root to a host: at least 1; required."""
    branches: int
    """How many nodes are below each router: at least 1; required."""
    host: NodeDefaults
    """What its hosts have, in place of `node`."""
    access: LinkDefaults
    """What the links of its hosts have, in place of `link`."""


class LeafSpineTopology(TypedDict, total=False):
    """Each leaf, `NAME-leaf-1` and so on, is joined to each spine, `NAME-spine-1` and so on, and
    has hosts, `NAME-host-1` and so on. Links such as `NAME-leaf-1-spine-1`."""

    kind: Literal["leaf-spine"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    leaves: int
    """How many leaves: at least 1; required."""
    spines: int
    """How many spines: at least 1; required."""
    hosts_per_leaf: int
    """How many hosts each leaf has: at least 1; required."""
    host: NodeDefaults
    """What its hosts have, in place of `node`."""
    access: LinkDefaults
    """What the links of its hosts have, in place of `link`."""


class FatTreeTopology(TypedDict, total=False):
    """A fat tree of switches with k ports (Al-Fares, Loukissas and Vahdat 2008): k³/4 hosts, k²/2
    edge and as many aggregation switches in k pods, and k²/4 core switches: `NAME-host-1`, `NAME-
    edge-1`, `NAME-aggregation-1`, `NAME-core-1` and so on, pod by pod. Links such as `NAME-
    edge-1-aggregation-1`."""

    kind: Literal["fat-tree"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    ports: int
    """How many ports each switch has: an even number from 2 to 64; required."""
    host: NodeDefaults
    """What its hosts have, in place of `node`."""
    access: LinkDefaults
    """What the links of its hosts have, in place of `link`."""


class RingTopology(TypedDict, total=False):
    """`NAME-node-1` and so on, in a circle; `NAME-link-1` joins the first two."""

    kind: Literal["ring"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    nodes: int
    """How many nodes: at least 3; required."""


class GridTopology(TypedDict, total=False):
    """`NAME-node-1-1` is in the first row and column. `NAME-row-1-1` leads from there to the next
    node of its row, `NAME-column-1-1` to that of its column."""

    kind: Literal["grid"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    rows: int
    """How many rows: at least 1; required."""
    columns: int
    """How many columns: at least 1; required."""


class WaxmanTopology(TypedDict, total=False):
    """A random network on a square (Waxman 1988): two nodes at a distance of d are joined with
    the probability β·exp(−d/(α·L)), where L is the square's diagonal. Parts that are left apart
    are then joined where they are nearest. `NAME-node-1` and so on; links such as `NAME-
    link-1-2`."""

    kind: Literal["waxman"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    nodes: int
    """How many nodes: 2 to 5000; required."""
    alpha: float
    """How far links lead, α: more than 0 and at most 1. The greater, the longer they are."""
    beta: float
    """How many links there are, β: more than 0 and at most 1."""
    seed: int
    """The seed of what is drawn: the network is the same in all runs."""


class BarabasiAlbertTopology(TypedDict, total=False):
    """A random network that grows (Barabási and Albert 1999): each new node is joined to some
    that are there, with probabilities in proportion to the links that those have. It begins with
    as many nodes and one more, all joined. `NAME-node-1` and so on; links such as `NAME-
    link-2-1`."""

    kind: Literal["barabasi-albert"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    nodes: int
    """How many nodes: more than `links_per_node`; required."""
    links_per_node: int
    """To how many nodes each new one is joined: 1 to 100."""
    seed: int
    """The seed of what is drawn: the network is the same in all runs."""


class FileTopology(TypedDict, total=False):
    """From a file in GraphML, GML, node-link JSON or SNDlib's XML, such as those of the Internet
    Topology Zoo and topohub; docs/topology-files.md lists what is read. Nodes have the names of
    the labels in the file, such as `NAME-New York`, or of the identifiers there if two labels are
    the same; links have the names of their ends, such as `NAME-New York-Chicago`, and parallel
    ones numbers, such as `NAME-New York-Chicago-2`."""

    kind: Literal["file"]
    """Which kind."""
    node: NodeDefaults
    """What all its nodes have."""
    link: LinkDefaults
    """What all its links have, without their nodes."""
    file: str
    """The file, in GraphML, GML, node-link JSON or SNDlib's XML. What it says of a link or a node
    holds whatever `link` and `node` say, which hold where it says nothing. An edge from a node to
    itself is left out; of a directed graph, an edge and one back are the two directions of one
    link; required."""
    ignore: Sequence[TakenFromFile]
    """What is not taken from the file, so that `link` or `node` says it for all. Default: what
    the file says is taken."""
    weight: str
    """The name under which edges of the file have their weight for routing, such as `cost` or
    `metric`. Default: the file says no weights."""


Topology = (
    DumbbellTopology
    | StarTopology
    | ChainTopology
    | ParkingLotTopology
    | TreeTopology
    | LeafSpineTopology
    | FatTreeTopology
    | RingTopology
    | GridTopology
    | WaxmanTopology
    | BarabasiAlbertTopology
    | FileTopology
)
"""The nodes and links of a whole network. Their names begin with its own, here `NAME`; each
link of a host has the name of the host."""

TakenFromFile = Literal["rate", "delay", "loss", "place"]
"""What is taken from the file of a topology."""


class Node(TypedDict, total=False):
    """A node: a host or a router, with an NDN forwarder."""

    content_store: ContentStore
    """The content store; default: none. One of `defaults.node` is not for nodes whose consumers
    ask for the same names again, from a catalogue: it would answer them without delay."""
    strategy: Strategy
    """How it chooses among next hops."""
    interest_marks: InterestMarks
    """What happens to a congestion mark on an Interest."""
    processing_time: str
    """How long its forwarder takes for a packet of NDN or CCNx that comes in, from a link or from
    a consumer or producer on the node: one after another, as one thread. At most 16,384 wait.
    Default: no time."""
    place: str | Sequence[str]
    """Where it is on the Earth, from where it uses satellites: the name of a large city, or
    latitude and longitude such as `["51.5°", "-0.1°"]`; default: nowhere."""
    journey: Sequence[Journey]
    """Where it is in the course of time, in place of `place`: it moves along great circles, and
    stays at the last place. Default: it does not move."""
    linux: LinuxHost
    """A Linux kernel as its host, in virtual time: all flows over TCP from or to the node are
    connections of this one kernel. Default: Windtunnel's TCP."""
    count: int
    """How many nodes it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one node."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the nodes have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""


class RateLink(TypedDict, total=False):
    """A link that sends at a rate."""

    nodes: Sequence[str]
    """The two nodes that it joins; required."""
    delay: str | Sequence[str]
    """The propagation delay; required."""
    weight: float | Sequence[float]
    """Its cost in a path where `routing.metric` is `weight`, as OSPF's interface cost: a number
    greater than 0, to 16777215, of at most three decimals. Default: 1."""
    loss: Loss | Sequence[Loss]
    """What it loses at random; default: nothing."""
    corruption: Loss | Sequence[Loss]
    """Which packets arrive with another byte, as `loss` says which are lost; default: none. Of a
    UDP datagram of a real implementation or a real host it is one of the first 50 bytes of its
    data, with a checksum that is right for it; of another IP packet of such, one of those behind
    the IP header. A packet that has no bytes in a simulation, as those of Windtunnel's own
    protocols, is lost: its checksum is wrong."""
    duplication: str | Sequence[str]
    """The probability that it delivers a packet twice; default: none."""
    reordering: Reordering | Sequence[Reordering]
    """Which packets it delivers late, so that others overtake them; default: none."""
    mixing: str | Sequence[str]
    """The mean of the exponential time for which it holds each packet, as the mix of an anonymity
    network does: any packet may overtake any other. Default: none."""
    jitter: Jitter | Sequence[Jitter]
    """A delay of each packet beside `delay`, drawn at random. Not with `duplication`,
    `reordering`, `mixing` or `load_delay`. Default: none."""
    load_delay: LoadDelay | Sequence[LoadDelay]
    """A delay that grows with its load: for studies of hosts that choose their paths, where it
    stands for a whole network. Not with `duplication`, `reordering` or `mixing`. Default: none
    beside the queueing delay."""
    medium: str
    """The shared medium that it uses: of all directions of all links that name the same one, a
    single packet is transmitted at a time. When the medium is free, the nodes with packets that
    wait take turns, one packet each, without collisions or any time between two transmissions. A
    link that shares it with no other one is half-duplex. Not with a trace of opportunities, nor
    with time division. Default: each direction has a medium of its own; both directions of a
    fixed radio link without time division have one together."""
    queue: Queue | Sequence[Queue]
    """The queue before it; default: drop-tail of 100 packets."""
    overhead: str
    """What its own framing adds to each packet."""
    mtu: str
    """The most bytes of an NDN packet on it, with its NDNLPv2 headers and without `overhead`:
    larger ones are sent in fragments and reassembled at the other end; where one is lost, the
    packet is. At least 127 B. Packets between regions, and those of real hosts in an emulation,
    that are larger are dropped, and their sender is notified. The packets of flows over IP must
    not be larger; beside NDN packets they are not affected. Default: no limit."""
    pit_token: str
    """The bytes of the PIT token that each NDN packet carries on it (NDNLPv2): 1 to 32. Default:
    no token."""
    tcp_face: TcpConnection
    """A TCP connection over it, through which the NDN and CCNx forwarders at its ends talk, as
    those of NFD and Cefore can; the first node opens it when the run begins. Nothing is lost, but
    what follows a lost segment waits until that is sent again. Not with `mtu`. Default: none;
    each packet is on the link by itself."""
    changes: Sequence[Change]
    """What changes during the run; default: nothing."""
    count: int
    """How many links it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one link."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the links have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    rate: str | Sequence[str]
    """How fast it sends; required."""


class RadioLink(TypedDict, total=False):
    """A link whose rate follows a radio."""

    nodes: Sequence[str]
    """The two nodes that it joins; required."""
    delay: str | Sequence[str]
    """The propagation delay; required."""
    weight: float | Sequence[float]
    """Its cost in a path where `routing.metric` is `weight`, as OSPF's interface cost: a number
    greater than 0, to 16777215, of at most three decimals. Default: 1."""
    loss: Loss | Sequence[Loss]
    """What it loses at random; default: nothing."""
    corruption: Loss | Sequence[Loss]
    """Which packets arrive with another byte, as `loss` says which are lost; default: none. Of a
    UDP datagram of a real implementation or a real host it is one of the first 50 bytes of its
    data, with a checksum that is right for it; of another IP packet of such, one of those behind
    the IP header. A packet that has no bytes in a simulation, as those of Windtunnel's own
    protocols, is lost: its checksum is wrong."""
    duplication: str | Sequence[str]
    """The probability that it delivers a packet twice; default: none."""
    reordering: Reordering | Sequence[Reordering]
    """Which packets it delivers late, so that others overtake them; default: none."""
    mixing: str | Sequence[str]
    """The mean of the exponential time for which it holds each packet, as the mix of an anonymity
    network does: any packet may overtake any other. Default: none."""
    jitter: Jitter | Sequence[Jitter]
    """A delay of each packet beside `delay`, drawn at random. Not with `duplication`,
    `reordering`, `mixing` or `load_delay`. Default: none."""
    load_delay: LoadDelay | Sequence[LoadDelay]
    """A delay that grows with its load: for studies of hosts that choose their paths, where it
    stands for a whole network. Not with `duplication`, `reordering` or `mixing`. Default: none
    beside the queueing delay."""
    medium: str
    """The shared medium that it uses: of all directions of all links that name the same one, a
    single packet is transmitted at a time. When the medium is free, the nodes with packets that
    wait take turns, one packet each, without collisions or any time between two transmissions. A
    link that shares it with no other one is half-duplex. Not with a trace of opportunities, nor
    with time division. Default: each direction has a medium of its own; both directions of a
    fixed radio link without time division have one together."""
    queue: Queue | Sequence[Queue]
    """The queue before it; default: drop-tail of 100 packets."""
    overhead: str
    """What its own framing adds to each packet."""
    mtu: str
    """The most bytes of an NDN packet on it, with its NDNLPv2 headers and without `overhead`:
    larger ones are sent in fragments and reassembled at the other end; where one is lost, the
    packet is. At least 127 B. Packets between regions, and those of real hosts in an emulation,
    that are larger are dropped, and their sender is notified. The packets of flows over IP must
    not be larger; beside NDN packets they are not affected. Default: no limit."""
    pit_token: str
    """The bytes of the PIT token that each NDN packet carries on it (NDNLPv2): 1 to 32. Default:
    no token."""
    tcp_face: TcpConnection
    """A TCP connection over it, through which the NDN and CCNx forwarders at its ends talk, as
    those of NFD and Cefore can; the first node opens it when the run begins. Nothing is lost, but
    what follows a lost segment waits until that is sent again. Not with `mtu`. Default: none;
    each packet is on the link by itself."""
    changes: Sequence[Change]
    """What changes during the run; default: nothing."""
    count: int
    """How many links it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one link."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the links have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    radio: Radio
    """How fast it sends, by a radio; required."""


class FixedWirelessLink(TypedDict, total=False):
    """A fixed radio link."""

    nodes: Sequence[str]
    """The two nodes that it joins; required."""
    delay: str | Sequence[str]
    """The propagation delay; required."""
    weight: float | Sequence[float]
    """Its cost in a path where `routing.metric` is `weight`, as OSPF's interface cost: a number
    greater than 0, to 16777215, of at most three decimals. Default: 1."""
    loss: Loss | Sequence[Loss]
    """What it loses at random; default: nothing."""
    corruption: Loss | Sequence[Loss]
    """Which packets arrive with another byte, as `loss` says which are lost; default: none. Of a
    UDP datagram of a real implementation or a real host it is one of the first 50 bytes of its
    data, with a checksum that is right for it; of another IP packet of such, one of those behind
    the IP header. A packet that has no bytes in a simulation, as those of Windtunnel's own
    protocols, is lost: its checksum is wrong."""
    duplication: str | Sequence[str]
    """The probability that it delivers a packet twice; default: none."""
    reordering: Reordering | Sequence[Reordering]
    """Which packets it delivers late, so that others overtake them; default: none."""
    mixing: str | Sequence[str]
    """The mean of the exponential time for which it holds each packet, as the mix of an anonymity
    network does: any packet may overtake any other. Default: none."""
    jitter: Jitter | Sequence[Jitter]
    """A delay of each packet beside `delay`, drawn at random. Not with `duplication`,
    `reordering`, `mixing` or `load_delay`. Default: none."""
    load_delay: LoadDelay | Sequence[LoadDelay]
    """A delay that grows with its load: for studies of hosts that choose their paths, where it
    stands for a whole network. Not with `duplication`, `reordering` or `mixing`. Default: none
    beside the queueing delay."""
    medium: str
    """The shared medium that it uses: of all directions of all links that name the same one, a
    single packet is transmitted at a time. When the medium is free, the nodes with packets that
    wait take turns, one packet each, without collisions or any time between two transmissions. A
    link that shares it with no other one is half-duplex. Not with a trace of opportunities, nor
    with time division. Default: each direction has a medium of its own; both directions of a
    fixed radio link without time division have one together."""
    queue: Queue | Sequence[Queue]
    """The queue before it; default: drop-tail of 100 packets."""
    overhead: str
    """What its own framing adds to each packet."""
    mtu: str
    """The most bytes of an NDN packet on it, with its NDNLPv2 headers and without `overhead`:
    larger ones are sent in fragments and reassembled at the other end; where one is lost, the
    packet is. At least 127 B. Packets between regions, and those of real hosts in an emulation,
    that are larger are dropped, and their sender is notified. The packets of flows over IP must
    not be larger; beside NDN packets they are not affected. Default: no limit."""
    pit_token: str
    """The bytes of the PIT token that each NDN packet carries on it (NDNLPv2): 1 to 32. Default:
    no token."""
    tcp_face: TcpConnection
    """A TCP connection over it, through which the NDN and CCNx forwarders at its ends talk, as
    those of NFD and Cefore can; the first node opens it when the run begins. Nothing is lost, but
    what follows a lost segment waits until that is sent again. Not with `mtu`. Default: none;
    each packet is on the link by itself."""
    changes: Sequence[Change]
    """What changes during the run; default: nothing."""
    count: int
    """How many links it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one link."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the links have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    fixed_wireless: FixedWireless
    """How fast it sends, by a fixed radio; required."""


class OpticalLink(TypedDict, total=False):
    """A link that is a beam of light."""

    nodes: Sequence[str]
    """The two nodes that it joins; required."""
    delay: str | Sequence[str]
    """The propagation delay; required."""
    weight: float | Sequence[float]
    """Its cost in a path where `routing.metric` is `weight`, as OSPF's interface cost: a number
    greater than 0, to 16777215, of at most three decimals. Default: 1."""
    loss: Loss | Sequence[Loss]
    """What it loses at random; default: nothing."""
    corruption: Loss | Sequence[Loss]
    """Which packets arrive with another byte, as `loss` says which are lost; default: none. Of a
    UDP datagram of a real implementation or a real host it is one of the first 50 bytes of its
    data, with a checksum that is right for it; of another IP packet of such, one of those behind
    the IP header. A packet that has no bytes in a simulation, as those of Windtunnel's own
    protocols, is lost: its checksum is wrong."""
    duplication: str | Sequence[str]
    """The probability that it delivers a packet twice; default: none."""
    reordering: Reordering | Sequence[Reordering]
    """Which packets it delivers late, so that others overtake them; default: none."""
    mixing: str | Sequence[str]
    """The mean of the exponential time for which it holds each packet, as the mix of an anonymity
    network does: any packet may overtake any other. Default: none."""
    jitter: Jitter | Sequence[Jitter]
    """A delay of each packet beside `delay`, drawn at random. Not with `duplication`,
    `reordering`, `mixing` or `load_delay`. Default: none."""
    load_delay: LoadDelay | Sequence[LoadDelay]
    """A delay that grows with its load: for studies of hosts that choose their paths, where it
    stands for a whole network. Not with `duplication`, `reordering` or `mixing`. Default: none
    beside the queueing delay."""
    medium: str
    """The shared medium that it uses: of all directions of all links that name the same one, a
    single packet is transmitted at a time. When the medium is free, the nodes with packets that
    wait take turns, one packet each, without collisions or any time between two transmissions. A
    link that shares it with no other one is half-duplex. Not with a trace of opportunities, nor
    with time division. Default: each direction has a medium of its own; both directions of a
    fixed radio link without time division have one together."""
    queue: Queue | Sequence[Queue]
    """The queue before it; default: drop-tail of 100 packets."""
    overhead: str
    """What its own framing adds to each packet."""
    mtu: str
    """The most bytes of an NDN packet on it, with its NDNLPv2 headers and without `overhead`:
    larger ones are sent in fragments and reassembled at the other end; where one is lost, the
    packet is. At least 127 B. Packets between regions, and those of real hosts in an emulation,
    that are larger are dropped, and their sender is notified. The packets of flows over IP must
    not be larger; beside NDN packets they are not affected. Default: no limit."""
    pit_token: str
    """The bytes of the PIT token that each NDN packet carries on it (NDNLPv2): 1 to 32. Default:
    no token."""
    tcp_face: TcpConnection
    """A TCP connection over it, through which the NDN and CCNx forwarders at its ends talk, as
    those of NFD and Cefore can; the first node opens it when the run begins. Nothing is lost, but
    what follows a lost segment waits until that is sent again. Not with `mtu`. Default: none;
    each packet is on the link by itself."""
    changes: Sequence[Change]
    """What changes during the run; default: nothing."""
    count: int
    """How many links it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one link."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the links have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    optical: Optical
    """A beam of light through free air; required."""


class TraceLink(TypedDict, total=False):
    """A link that sends as a trace in a file says."""

    nodes: Sequence[str]
    """The two nodes that it joins; required."""
    delay: str | Sequence[str]
    """The propagation delay; required."""
    weight: float | Sequence[float]
    """Its cost in a path where `routing.metric` is `weight`, as OSPF's interface cost: a number
    greater than 0, to 16777215, of at most three decimals. Default: 1."""
    loss: Loss | Sequence[Loss]
    """What it loses at random; default: nothing."""
    corruption: Loss | Sequence[Loss]
    """Which packets arrive with another byte, as `loss` says which are lost; default: none. Of a
    UDP datagram of a real implementation or a real host it is one of the first 50 bytes of its
    data, with a checksum that is right for it; of another IP packet of such, one of those behind
    the IP header. A packet that has no bytes in a simulation, as those of Windtunnel's own
    protocols, is lost: its checksum is wrong."""
    duplication: str | Sequence[str]
    """The probability that it delivers a packet twice; default: none."""
    reordering: Reordering | Sequence[Reordering]
    """Which packets it delivers late, so that others overtake them; default: none."""
    mixing: str | Sequence[str]
    """The mean of the exponential time for which it holds each packet, as the mix of an anonymity
    network does: any packet may overtake any other. Default: none."""
    jitter: Jitter | Sequence[Jitter]
    """A delay of each packet beside `delay`, drawn at random. Not with `duplication`,
    `reordering`, `mixing` or `load_delay`. Default: none."""
    load_delay: LoadDelay | Sequence[LoadDelay]
    """A delay that grows with its load: for studies of hosts that choose their paths, where it
    stands for a whole network. Not with `duplication`, `reordering` or `mixing`. Default: none
    beside the queueing delay."""
    medium: str
    """The shared medium that it uses: of all directions of all links that name the same one, a
    single packet is transmitted at a time. When the medium is free, the nodes with packets that
    wait take turns, one packet each, without collisions or any time between two transmissions. A
    link that shares it with no other one is half-duplex. Not with a trace of opportunities, nor
    with time division. Default: each direction has a medium of its own; both directions of a
    fixed radio link without time division have one together."""
    queue: Queue | Sequence[Queue]
    """The queue before it; default: drop-tail of 100 packets."""
    overhead: str
    """What its own framing adds to each packet."""
    mtu: str
    """The most bytes of an NDN packet on it, with its NDNLPv2 headers and without `overhead`:
    larger ones are sent in fragments and reassembled at the other end; where one is lost, the
    packet is. At least 127 B. Packets between regions, and those of real hosts in an emulation,
    that are larger are dropped, and their sender is notified. The packets of flows over IP must
    not be larger; beside NDN packets they are not affected. Default: no limit."""
    pit_token: str
    """The bytes of the PIT token that each NDN packet carries on it (NDNLPv2): 1 to 32. Default:
    no token."""
    tcp_face: TcpConnection
    """A TCP connection over it, through which the NDN and CCNx forwarders at its ends talk, as
    those of NFD and Cefore can; the first node opens it when the run begins. Nothing is lost, but
    what follows a lost segment waits until that is sent again. Not with `mtu`. Default: none;
    each packet is on the link by itself."""
    changes: Sequence[Change]
    """What changes during the run; default: nothing."""
    count: int
    """How many links it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. Default: it is one link."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the links have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    trace: Trace | Sequence[Trace]
    """How fast it sends, from a file; another file for each direction, or one for both;
    required."""


Link = RateLink | RadioLink | FixedWirelessLink | OpticalLink | TraceLink
"""A duplex link. A value that may differ by direction is one for both, or an array of two:
from the first node to the second, and back."""


class PresetConstellation(TypedDict, total=False):
    """The satellites of a known constellation."""

    inter_satellite_links: InterSatelliteLinks
    """The links between its satellites; required."""
    ground_links: GroundLinks
    """The links between nodes with a place and its satellites; required."""
    preset: str
    """`starlink-s1` (72 planes of 22 satellites), `starlink-s1-2018` (24 of 66), `starlink-gen1`
    (five shells, 4,408 satellites), `kuiper-k1` (34 of 34), `telesat-t1` (27 of 13), `oneweb` (12
    of 49) or `iridium` (6 of 11); required."""


class PlanesConstellation(TypedDict, total=False):
    """Circular orbits of one altitude and inclination, in planes at equal distances (Walker)."""

    inter_satellite_links: InterSatelliteLinks
    """The links between its satellites; required."""
    ground_links: GroundLinks
    """The links between nodes with a place and its satellites; required."""
    planes: int
    """How many planes there are; required."""
    satellites_per_plane: int
    """How many satellites are in each; required."""
    altitude: str
    """Their height over the equator, whose radius is 6378.137 km; required."""
    inclination: str
    """The angle between the planes and the equator; required."""
    pattern: Pattern
    """How the planes are spread."""
    phase: int | Literal["alternate"]
    """How far the satellites of a plane are ahead of those of the plane before: Walker's factor,
    of which as many as there are planes are a slot; or `"alternate"`: those of every second plane
    are half a slot ahead."""
    propagation: Propagation
    """How orbits change in the course of time."""


class TleConstellation(TypedDict, total=False):
    """Satellites by their element sets, propagated by SGP4."""

    inter_satellite_links: InterSatelliteLinks
    """The links between its satellites; required."""
    ground_links: GroundLinks
    """The links between nodes with a place and its satellites; required."""
    tle: Tle
    """The file; required."""


Constellation = PresetConstellation | PlanesConstellation | TleConstellation
"""Satellites, which nodes with a place can use. Each satellite is a node, called after the
constellation, its plane and its slot there, from 0 on, such as `starlink-3-14`; in a preset
with several shells, the shell comes before the plane. Satellites of a file have the names
that they have there."""


class InterSatelliteLinks(TypedDict, total=False):
    """The links between satellites: each is joined to the next one and the one before it in its
    plane, and to one in each plane beside it (+Grid). Their delay is that of light. They are not
    used while the Earth or its air, up to 80 km, is in the way."""

    rate: Required[str]
    """How fast they send."""
    queue: Queue
    """The queue before each direction; default: drop-tail of 100 packets."""
    partner: int
    """How many slots ahead of a satellite's own its neighbour in the next plane is; default: that
    of the shortest links."""
    seam: bool
    """Whether the last plane is joined to the first; default: not in a star, where satellites on
    the two sides of the seam move in opposite directions."""
    maximum_latitude: str
    """The latitude, north and south, beyond which links between planes are off; default: none."""


class GroundLinks(TypedDict, total=False):
    """The links between nodes with a place and the satellites in their view. Their delay is that
    of light. A node with a place does not forward from one satellite to another."""

    rate: Required[str | Sequence[str]]
    """How fast they send; an array of two is the rate up, and down. It is that of every node that
    uses them: a path between two of these, such as a gateway and a user, goes up at the one and
    down at the other, and has no more than the smaller of the two."""
    queue: Queue | Sequence[Queue]
    """The queue before each direction, or up and down; default: drop-tail of 100 packets."""
    nodes: Sequence[str]
    """The names of the nodes that use this constellation; default: all with a place."""
    minimum_elevation: str
    """How high over the horizon a satellite must be; default: that of the preset, else 25°."""
    maximum_range: str
    """How far away a satellite may be, in place of an elevation; default: by elevation."""
    handover: Handover2
    """Which of the satellites in view are used."""
    hysteresis: str
    """With `highest`: by how much another satellite must be higher to be used instead; default:
    0°."""
    slot: str
    """How long a choice holds unless the satellite is lost: all nodes choose at the same
    instants; default: until the next computation of routes."""
    slot_offset: str
    """When the first slot begins; default: at the start."""
    gap: str
    """For how long a node has no link between one satellite and the next: what is under way and
    what waits at the old one is lost. Default: no gap, and nothing is lost: what was queued for
    the old link is sent on it."""
    overlap: str
    """For how long the old link goes on sending what waits there; what is left then is lost.
    Default: until it has sent it."""


Handover2 = Literal["any", "highest", "hold-highest", "hold-longest"]
"""Which of the satellites in view a node uses."""


class Tle(TypedDict, total=False):
    """A file of element sets: in two lines each (TLE), or orbit mean-elements messages in JSON or
    CSV (OMM), as CelesTrak and Space-Track publish them."""

    file: Required[str]
    """The file; its name is relative to the scenario file."""
    altitude: Sequence[str]
    """The least and the greatest mean altitude of the satellites that are taken; default: all
    are."""
    planes: int
    """How many planes the satellites form, if the file has them plane by plane, as many in each;
    default: satellites are of one plane whose orbits lie within 1.5° of the next."""


Propagation = Literal["j2", "kepler"]
"""How orbits change in the course of time."""

Pattern = Literal["delta", "star"]
"""How planes are spread."""


class Producer(TypedDict, total=False):
    """A producer: answers every Interest below its prefix."""

    node: str
    """The node that it is on; required."""
    prefix: str
    """The prefix that it serves, such as `/video`, or `ccnx:/video`: then packets are CCNx's (RFC
    8609), in UDP datagrams from node to node; required."""
    payload: str
    """The content of each Data packet."""
    freshness: str
    """How long Data counts as fresh; default: the Data does not say."""
    response_delay: str
    """How long it takes to answer."""
    signature: Signature
    """What signs the Data; default: `digest-sha256`. CCNx's Content Objects have nothing."""
    publishing: Publishing
    """It publishes a file into the content store of its node, and answers nothing: an Interest
    meets what the store has, or waits there until it is published. Default: it answers."""
    count: int
    """How many producers it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts
    `#` is the number. Default: it is one producer."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the producers have in turn: the first one has the first
    value, and after the last value it is the turn of the first again. Default: all have the same
    values."""


class Consumer(TypedDict, total=False):
    """A consumer: a flow of Interests and the Data that they bring."""

    node: str
    """The node that it is on; required."""
    prefix: str
    """The prefix of what it requests; with `ccnx:`, as its producer has it; required."""
    controller: Controller
    """What controls its window: a name under `[controllers]`, the name of a controller, or a
    table with the latter as `kind` and parameters; required."""
    window: ConsumerWindow
    """Its window."""
    workload: ConsumerWorkload
    """What it asks for; default: `stream`."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When it stops asking; default: at the end of the run."""
    interest_lifetime: str
    """How long its Interests stay pending: 1 ms to 1 h."""
    hop_limit: int
    """How many hops its Interests may take; default: no limit, or 255 over CCNx, whose Interests
    always have one."""
    must_be_fresh: bool
    """Whether cached Data past its freshness is refused."""
    on_mark: Reaction
    """How it reacts to marked Data."""
    on_timeout: Reaction
    """How it reacts to timeouts."""
    on_nack: Reaction
    """How it reacts to congestion NACKs."""
    recovery_margin: str
    """Where the recovery point lies after a decrease: only Data beyond it allows another one,
    with `once-per-round-trip`. Default: at the highest segment asked for, as in ndn-tools. With a
    share: behind the next segment, by that share of the segments from the highest received to the
    next; 50 % in ndnSIM."""
    timeout: ConsumerTimeout
    """When an Interest times out, and what that means."""
    blocking_read: BlockingRead
    """It does everything in one loop, as Cefore's `cefgetfile`: it reads, waiting for a message,
    and looks for what is missing only after that, so that a loss stalls it for 1 s to 2 s. Out-
    of-order Data lets no new Interest leave: the window begins with the first segment that is
    missing. No timeouts, and no reaction to NACKs. Default: timeouts."""
    count: int
    """How many consumers it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts
    `#` is the number. Default: it is one consumer."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the consumers have in turn: the first one has the first
    value, and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several consumers starts than the one before it; default: they start
    together."""


class TcpFlow(From, total=False):
    """The Transmission Control Protocol."""

    protocol: Literal["tcp"]
    """Which kind."""
    to: str
    """The node that it goes to; required."""
    ip: Ip
    """The version of IP."""
    dscp: Dscp
    """The class of all its packets, acknowledgements included: a name such as "EF". Queues look
    at it that have bands or tins."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When its application stops, while what it handed over is still sent; default: at the end of
    the run."""
    path: Sequence[str]
    """The links of its path, from `from` to `to`, which routing does not change; what comes back
    takes the same links; default: the shortest path."""
    path_policy: PathPolicy
    """What chooses the path of each of its packets between autonomous systems. What comes back
    takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`."""
    peer_name: str
    """With regions: the name of the other end for the end that opens the connection, or over UDP
    for `from`. That end asks the root of its region for the address, and the flow begins when the
    answer arrives. Default: the address is known."""
    pattern: FlowPattern
    """Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    such as `"rack-host-*"`. Default: they name one node each."""
    count: int
    """How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. With a `pattern`: how many of each pair of nodes. Default: one."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the flows have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several flows starts than the one before it; default: they start
    together."""
    controller: Controller
    """What controls its window: a name under `[controllers]`, the name of a controller, or a
    table with the latter as `kind` and parameters. Required, unless the hosts of both nodes are
    Linux kernels."""
    receiver_controller: Controller
    """A controller at the receiver, which bounds the window that the receiver advertises (RFC
    9840): with `ledbat` or `ledbat-plus-plus`, the flow yields to others whatever its sender
    does. It needs timestamps; default: none."""
    workload: TcpWorkload
    """What it carries; default: `bulk`."""
    maximum_segment: str
    """The data in a full segment; default: what fills a packet of 1500 B, which is 1448 B over
    IPv4 with timestamps, and less where another network layer adds to it."""
    timestamps: bool
    """Whether segments carry timestamps."""
    recovery: Recovery
    """How losses are found and repaired."""
    ecn: Ecn
    """What the end that opens the connection would do with ECN; in effect is what both ends agree
    on in the handshake; default: what the controller needs, or else `off`."""
    server_ecn: Ecn
    """What the other end would do with ECN: beside one that can do less, `accurate` and
    `scalable` fall back to `classic`, and all to `off`; default: the same."""
    window: Window
    """The congestion window at the start, and when it begins anew."""
    acknowledgements: Acknowledgements
    """When the receiver acknowledges."""
    timeout: TcpTimeout
    """The limits of the retransmission timeout."""
    buffers: Buffers
    """How much both ends hold."""
    socket: Socket
    """How its applications use their sockets."""
    pacing: bool
    """Whether segments are spread over the round trip also where the controller does not ask for
    it."""
    small_queues: bool
    """Whether a sender lets no more than a millisecond of its data wait in the queue of its own
    host's link, and at least two segments (TCP small queues, as in Linux); that queue then drops
    none of its packets. Default: where the first link of the path has a constant rate, is not the
    narrowest of several, and does not lead up to a satellite. A link that is the narrowest stands
    for the network, and its queue is that of a router."""
    offload: Offload
    """What the interfaces of both hosts do."""
    split: Split
    """Proxies on its path that split its connections (RFC 3135). What a flow counts is then what
    its own two hosts count: windows, delays and retransmissions of the connection to the first
    proxy, and what arrives at the far end; default: none."""
    multipath: Multipath
    """The paths that it takes at once, by Multipath TCP; default: one path."""


class UdpFlow(From, total=False):
    """The User Datagram Protocol."""

    protocol: Literal["udp"]
    """Which kind."""
    to: str
    """The node that it goes to; required."""
    ip: Ip
    """The version of IP."""
    dscp: Dscp
    """The class of all its packets, acknowledgements included: a name such as "EF". Queues look
    at it that have bands or tins."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When its application stops, while what it handed over is still sent; default: at the end of
    the run."""
    path: Sequence[str]
    """The links of its path, from `from` to `to`, which routing does not change; what comes back
    takes the same links; default: the shortest path."""
    path_policy: PathPolicy
    """What chooses the path of each of its packets between autonomous systems. What comes back
    takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`."""
    peer_name: str
    """With regions: the name of the other end for the end that opens the connection, or over UDP
    for `from`. That end asks the root of its region for the address, and the flow begins when the
    answer arrives. Default: the address is known."""
    pattern: FlowPattern
    """Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    such as `"rack-host-*"`. Default: they name one node each."""
    count: int
    """How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. With a `pattern`: how many of each pair of nodes. Default: one."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the flows have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several flows starts than the one before it; default: they start
    together."""
    rate: str
    """The rate of what the datagrams carry, without headers; required, but not with `frames`,
    which have their own."""
    payload: str
    """The most that each datagram carries; all but the last of a frame carry as much. Default:
    1400 B, or less where headers between autonomous systems leave less of 1500 B."""
    path_mtu_discovery: bool
    """Whether datagrams become as small as a link between regions needs that is reported to carry
    less (path MTU discovery, RFC 8085, section 3.2); the rate stays. Not for `frames`."""
    workload: UdpWorkload
    """When it sends; default: `bulk`."""


class QuicFlow(From, total=False):
    """QUIC, by an implementation that is used as it is."""

    protocol: Literal["quic"]
    """Which kind."""
    to: str
    """The node that it goes to; required."""
    ip: Ip
    """The version of IP."""
    dscp: Dscp
    """The class of all its packets, acknowledgements included: a name such as "EF". Queues look
    at it that have bands or tins."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When its application stops, while what it handed over is still sent; default: at the end of
    the run."""
    path: Sequence[str]
    """The links of its path, from `from` to `to`, which routing does not change; what comes back
    takes the same links; default: the shortest path."""
    path_policy: PathPolicy
    """What chooses the path of each of its packets between autonomous systems. What comes back
    takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`."""
    peer_name: str
    """With regions: the name of the other end for the end that opens the connection, or over UDP
    for `from`. That end asks the root of its region for the address, and the flow begins when the
    answer arrives. Default: the address is known."""
    pattern: FlowPattern
    """Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    such as `"rack-host-*"`. Default: they name one node each."""
    count: int
    """How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. With a `pattern`: how many of each pair of nodes. Default: one."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the flows have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several flows starts than the one before it; default: they start
    together."""
    controller: Controller
    """What controls its congestion window: a name under `[controllers]`, the name of a
    controller, or a table with the latter as `kind` and parameters; default: the implementation's
    own."""
    workload: TcpWorkload
    """What it carries, where each connection of a flow over TCP is a stream; default: `bulk`."""
    datagrams: Datagrams
    """What it carries in place of streams: datagrams that are not sent again when they are lost
    (RFC 9221); quinn and noq can. Default: streams."""
    quic: Quic
    """The implementation at both ends; default: quinn."""


class StackFlow(From, total=False):
    """Another protocol, by an implementation that is written outside."""

    protocol: Literal["stack"]
    """Which kind."""
    to: str
    """The node that it goes to; required."""
    ip: Ip
    """The version of IP."""
    dscp: Dscp
    """The class of all its packets, acknowledgements included: a name such as "EF". Queues look
    at it that have bands or tins."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When its application stops, while what it handed over is still sent; default: at the end of
    the run."""
    path: Sequence[str]
    """The links of its path, from `from` to `to`, which routing does not change; what comes back
    takes the same links; default: the shortest path."""
    path_policy: PathPolicy
    """What chooses the path of each of its packets between autonomous systems. What comes back
    takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`."""
    peer_name: str
    """With regions: the name of the other end for the end that opens the connection, or over UDP
    for `from`. That end asks the root of its region for the address, and the flow begins when the
    answer arrives. Default: the address is known."""
    pattern: FlowPattern
    """Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    such as `"rack-host-*"`. Default: they name one node each."""
    count: int
    """How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. With a `pattern`: how many of each pair of nodes. Default: one."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the flows have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several flows starts than the one before it; default: they start
    together."""
    workload: TcpWorkload
    """What it carries, where each connection of a flow over TCP is a stream; default: `bulk`."""
    stack: OutsideStack
    """The implementation at both ends; required."""


class TcpStackFlow(From, total=False):
    """The Transmission Control Protocol, by an implementation that is used as it is."""

    protocol: Literal["tcp-stack"]
    """Which kind."""
    to: str
    """The node that it goes to; required."""
    ip: Ip
    """The version of IP."""
    dscp: Dscp
    """The class of all its packets, acknowledgements included: a name such as "EF". Queues look
    at it that have bands or tins."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When its application stops, while what it handed over is still sent; default: at the end of
    the run."""
    path: Sequence[str]
    """The links of its path, from `from` to `to`, which routing does not change; what comes back
    takes the same links; default: the shortest path."""
    path_policy: PathPolicy
    """What chooses the path of each of its packets between autonomous systems. What comes back
    takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`."""
    peer_name: str
    """With regions: the name of the other end for the end that opens the connection, or over UDP
    for `from`. That end asks the root of its region for the address, and the flow begins when the
    answer arrives. Default: the address is known."""
    pattern: FlowPattern
    """Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    such as `"rack-host-*"`. Default: they name one node each."""
    count: int
    """How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. With a `pattern`: how many of each pair of nodes. Default: one."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the flows have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several flows starts than the one before it; default: they start
    together."""
    workload: TcpWorkload
    """What it carries; default: `bulk`."""
    tcp: TcpImplementation
    """The implementations at both ends; default: smoltcp."""


class ProgramsFlow(From, total=False):
    """What programs in the Linux kernels of both nodes send each other, over any protocol."""

    protocol: Literal["programs"]
    """Which kind."""
    to: str
    """The node that it goes to; required."""
    ip: Ip
    """The version of IP."""
    dscp: Dscp
    """The class of all its packets, acknowledgements included: a name such as "EF". Queues look
    at it that have bands or tins."""
    start: str
    """When it starts."""
    start_within: str
    """It starts at a random time, different in each run, at most this long after `start`."""
    stop: str
    """When its application stops, while what it handed over is still sent; default: at the end of
    the run."""
    path: Sequence[str]
    """The links of its path, from `from` to `to`, which routing does not change; what comes back
    takes the same links; default: the shortest path."""
    path_policy: PathPolicy
    """What chooses the path of each of its packets between autonomous systems. What comes back
    takes the path of what came. Default: `first`; of a flow over Multipath TCP `disjoint`."""
    peer_name: str
    """With regions: the name of the other end for the end that opens the connection, or over UDP
    for `from`. That end asks the root of its region for the address, and the flow begins when the
    answer arrives. Default: the address is known."""
    pattern: FlowPattern
    """Who sends to whom where it stands for many flows: `from` and `to` then name several nodes,
    such as `"rack-host-*"`. Default: they name one node each."""
    count: int
    """How many flows it stands for, of the names `NAME-1`, `NAME-2` and so on; in its texts `#`
    is the number. With a `pattern`: how many of each pair of nodes. Default: one."""
    in_turn: dict[str, Sequence[Any] | dict[str, Sequence[Any]]]
    """For some keys, the values that the flows have in turn: the first one has the first value,
    and after the last value it is the turn of the first again. Default: all have the same
    values."""
    stagger: str
    """How much later each of several flows starts than the one before it; default: they start
    together."""


Flow = TcpFlow | UdpFlow | QuicFlow | StackFlow | TcpStackFlow | ProgramsFlow
"""A flow over TCP or UDP, from one node to another."""


class Sessions(TypedDict, total=False):
    """Sessions whose state is paged between the nodes that serve them one after the other, such
    as satellites. The page table travels with a session at every handover, and its pages as the
    policy says: as messages over TCP, on a connection from each node to each other one."""

    users: Sequence[str]
    """The nodes of the users, each of whom has a session at the satellite that the node uses;
    default: all nodes with a place, other than one that keeps the sessions' state."""
    trail: Sequence[str]
    """In place of users: the nodes that serve a single session, one after the other; default:
    none."""
    stage: str
    """How long each node of a trail serves; default: none, it must be written with a trail."""
    start: str
    """When the first sessions start."""
    start_within: str
    """With users: they start at random times, at most this long after `start`."""
    length: str
    """How long a session lasts, after which the user's next one starts; default: as long as nodes
    serve the user."""
    access_interval: Required[str]
    """From one access to the next."""
    periods: Periods
    """Whether `access_interval` and `length` are always as long, or exponentially distributed
    with these means."""
    pages: int
    """The entries of the page table: the maximum number of pages."""
    popularity: float
    """How often pages are accessed: that of rank r in proportion to 1/r to this power (Zipf's
    law)."""
    page_size: str
    """The size of a page."""
    request_size: str
    """The size of a request for pages."""
    entry_size: str
    """The size of an entry of the page table."""
    element_size: Literal["web-search", "data-mining"] | str | Sequence[Sequence[str]] | FileOfSizes
    """The sizes of the elements of the session's state, drawn for each session. Each takes whole
    pages, as many as it needs, which move together: `page_size = "1 B"` moves the elements alone.
    Written as the `sizes` of arrivals; default: each is a page."""
    policy: Paging
    """Which pages move, and when; default: `on-demand`."""
    failures: Sequence[Failure]
    """When which nodes lose the pages that they hold, while they serve and forward as before;
    default: none do."""
    tcp: Required[Tcp]
    """The connections that carry pages."""


class OnDemandPaging(TypedDict, total=False):
    """A page moves when it is accessed from another node."""

    kind: Literal["on-demand"]
    """Which kind."""


class SeparatePaging(TypedDict, total=False):
    """The whole object is kept in one place, and all accesses from elsewhere are remote. No page
    table travels: users have a reference to the object."""

    kind: Required[Literal["separate"]]
    """Which kind."""
    node: str
    """The node that keeps it, such as one on the ground; default: the node at which the session
    starts."""


class RemotePaging(TypedDict, total=False):
    """A page stays where it was created; accesses from elsewhere are remote."""

    kind: Required[Literal["remote"]]
    """Which kind."""


class ReadAheadPaging(TypedDict, total=False):
    """As on demand, and a fault also fetches the pages of the entries that follow."""

    kind: Required[Literal["read-ahead"]]
    """Which kind."""
    pages: int
    """How many."""


class PrefetchPaging(TypedDict, total=False):
    """As on demand, and a handover fetches the pages that were accessed most often."""

    kind: Required[Literal["prefetch"]]
    """Which kind."""
    pages: int
    """How many."""
    ahead: str
    """How long before the next node serves they are copied there, for where satellites will be is
    known; the handover fetches those accessed since. 0: they move at the handover."""


class ProactivePaging(TypedDict, total=False):
    """As on demand, and a handover moves pages to the next node."""

    kind: Required[Literal["proactive"]]
    """Which kind."""
    pages: Moved
    """Which."""


class ReplicatedPaging(TypedDict, total=False):
    """As on demand, and a page that moves leaves a copy; a handover writes the pages accessed
    since the last one through to nodes before."""

    kind: Required[Literal["replicated"]]
    """Which kind."""
    copies: int
    """The most copies that a page has."""


class IdleNeighbourPaging(TypedDict, total=False):
    """As on demand, and the pages that a handover leaves behind move to the neighbour that serves
    the fewest users, if these are fewer than at the node that hands over."""

    kind: Required[Literal["idle-neighbour"]]
    """Which kind."""


Paging = (
    Literal[
        "on-demand",
        "separate",
        "remote",
        "read-ahead",
        "prefetch",
        "proactive",
        "replicated",
        "idle-neighbour",
    ]
    | str
    | OnDemandPaging
    | SeparatePaging
    | RemotePaging
    | ReadAheadPaging
    | PrefetchPaging
    | ProactivePaging
    | ReplicatedPaging
    | IdleNeighbourPaging
)
"""Which pages of a session move to the node that serves it, and when: one of these policies,
or the name of one written in Python."""

Moved = Literal["existing", "entries", "used-in-last-stage"]
"""Which pages a handover moves."""


class Failure(TypedDict, total=False):
    """A node loses the pages that it holds."""

    node: Required[str]
    """The node."""
    at: Required[str]
    """When."""


class Bridge(From, total=False):
    """A bridge (DCIB): two nodes that are the edges of a part of the network. The source edge
    marks what leaves as ECN-capable, except a selected share, which routers between the edges may
    drop, and of which it keeps clones; the destination edge acknowledges what arrives of that
    share, and the source edge sends the clones of what is lost. All flows cross it whose data go
    through `from` and later through `to`."""

    to: Required[str]
    """The node of the destination edge."""
    selected: str
    """The share of the packets that may be dropped."""
    buffer: Required[str]
    """How many bytes of clones the source edge holds."""
    clones: Clones
    """Which packets are cloned."""
    keep: Keep
    """When a clone leaves."""
    resend: Resend
    """How a clone leaves."""
    unmatched: Unmatched
    """What an acknowledgement does whose packet's clone is not held."""
    duplicates: Duplicates
    """What happens to duplicate acknowledgements that return to the hosts; default: `pass`."""
    marks: Marks
    """What happens to congestion marks at the destination edge."""
    order: Order
    """In which order packets pass the destination edge; default: `as-they-come`."""
    probes: Probes
    """Packets above an agreed rate that are selected in addition; default: none."""


Clones = Literal["selected", "others"]
"""Which packets are cloned."""

Keep = Literal["stalled", "low-priority"]
"""When a clone leaves."""

Resend = Literal["unchanged", "capable"]
"""How a clone leaves."""

Unmatched = Literal["ignore", "resend-all"]
"""What an acknowledgement does whose packet's clone is not held."""


class PassDuplicates(TypedDict, total=False):
    """All are forwarded."""

    kind: Literal["pass"]
    """Which kind."""


class SuppressDuplicates(TypedDict, total=False):
    """One is dropped if the source edge is about to resend the missing segment."""

    kind: Required[Literal["suppress"]]
    """Which kind."""
    round_trip: str
    """The time until the acknowledgement of a clone is back at the source edge; default: twice
    the delays of the links to the farthest receiver and back."""


Duplicates = Literal["pass", "suppress"] | PassDuplicates | SuppressDuplicates
"""What happens to duplicate acknowledgements that return to the hosts."""

Marks = Literal["pass", "clear"]
"""What happens to congestion marks at the destination edge."""


class AsTheyComeOrder(TypedDict, total=False):
    """At once, as they come."""

    kind: Literal["as-they-come"]
    """Which kind."""


class InOrderOrder(TypedDict, total=False):
    """A connection's segments after a gap wait until it is filled."""

    kind: Required[Literal["in-order"]]
    """Which kind."""
    patience: Required[str]
    """How long a segment waits at most."""
    buffer: str
    """How many bytes wait at most; default: as many as the bridge's `buffer`."""


Order = Literal["as-they-come"] | AsTheyComeOrder | InOrderOrder
"""The order in which packets pass."""


class Probes(TypedDict, total=False):
    """Packets above an agreed rate that are selected in addition."""

    rate: Required[str]
    """The agreed rate."""
    burst: Required[str]
    """How many bytes at once count as within it; at least a packet."""
    extra: Required[str]
    """The probability that a packet above it is selected that otherwise is not."""


class IpInIpTunnel(TypedDict, total=False):
    """IP packets (RFC 2003, RFC 2473)."""

    kind: Literal["ip-in-ip"]
    """Which kind."""
    nodes: Sequence[str]
    """The nodes of its two ends; required."""
    ip: Ip
    """The version of IP of the outer header: 20 bytes, or 40 with IPv6."""


class WireguardTunnel(TypedDict, total=False):
    """WireGuard: encrypted packets in UDP, with headers of 60 bytes, or 80 over IPv6. The first
    packet waits for a handshake of one round trip; after 120 s of use there is another one, for
    which nothing waits. The segments of TCP flows through the tunnel are so small that their
    packets are within its MTU; larger packets of other flows are dropped."""

    kind: Literal["wireguard"]
    """Which kind."""
    nodes: Sequence[str]
    """The nodes of its two ends; required."""
    ip: Ip
    """The version of IP of the outer header: 20 bytes, or 40 with IPv6."""
    mtu: str
    """The most bytes of a packet inside: 1280 B to 65440 B. Packets are padded to a multiple of
    16 bytes, but not beyond it."""
    crypto: str
    """How fast each end encrypts and decrypts, both on one core with a queue of 1024 packets;
    default: at once."""


class TcpTunnel(TypedDict, total=False):
    """A TCP connection between the ends, in whose stream packets are one after another, each
    after two bytes with its length. Nothing is lost inside; what the path loses is sent again,
    and what came after it waits. The first node opens it when the run begins."""

    kind: Literal["tcp"]
    """Which kind."""
    nodes: Sequence[str]
    """The nodes of its two ends; required."""
    ip: Ip
    """The version of IP of the outer header: 20 bytes, or 40 with IPv6."""
    tcp: Tcp
    """How both ends of the connection behave; required."""
    buffer: str
    """The most bytes that wait at an end for an acknowledgement; packets that do not fit are
    dropped before they enter."""


Tunnel = IpInIpTunnel | WireguardTunnel | TcpTunnel
"""A tunnel: IP packets whose path leads over both nodes travel between them inside other
packets, in both directions. Routers between them see the outer headers alone: all packets are
one flow there, and the ECN field is treated as RFC 6040 says."""


class Routing2(TypedDict, total=False):
    """How Interests find producers, and IP packets their destination by the shortest path."""

    metric: Metric
    """What a path's length is measured by. Default: `weight` if a link has a `weight`, otherwise
    `delay`."""
    paths: Paths
    """Which paths become next hops."""
    sharing: Sharing
    """How IP packets are shared among paths of equal length."""
    update: Update
    """Whether paths follow links that fail, return or change their delay."""
    convergence: str
    """With `dynamic`: how long after a change all nodes forward by the new paths. A destination
    that is not reachable any more keeps its paths."""
    interval: str
    """With constellations, in place of `convergence`: from one computation of all paths to the
    next."""
    spread: str
    """With constellations: within what time after that the nodes forward by the new paths, each
    after a delay of its own that is drawn once; by default all do at once."""
    routes: Sequence[Route]
    """Routes that replace the computed ones of that node and prefix, or destination; default:
    none."""


Metric = Literal["delay", "hops", "weight"]
"""What a path's length is measured by."""

Paths = Literal["shortest", "all"]
"""Which paths become next hops."""

Sharing = Literal["none", "flows", "packets"]
"""How IP packets are shared among paths of equal length."""

Update = Literal["dynamic", "static"]
"""Whether paths follow changes of the topology."""


class PrefixRoute(TypedDict, total=False):
    """A route of Interests."""

    node: str
    """The node where it applies; required."""
    link: str
    """The link that it takes; required."""
    prefix: str
    """The prefix that it leads to; required."""
    cost: int
    """Its cost; of several routes, the one of the lowest cost is preferred."""


class DestinationRoute(TypedDict, total=False):
    """A static route of IP packets."""

    node: str
    """The node where it applies; required."""
    link: str
    """The link that it takes; required."""
    destination: str
    """The node that it leads to, over IP. A flow's `path` goes before it; required."""


Route = PrefixRoute | DestinationRoute
"""A route that the file gives, in place of what is computed for that node and prefix or
destination. It stays when the topology changes: if its link is down, packets wait there."""


class ScenarioTables(TypedDict, total=False):
    """A scenario: a network, what runs on it, for how long, and what is compared."""

    title: str
    """What the scenario is, in one line; default: none."""
    duration: Required[str]
    """How much time is simulated."""
    recording: Recording
    """Which time series are recorded, and how often."""
    seed: int
    """The seed of all random streams."""
    runs: int
    """How often each case is run, each time with other random streams."""
    each_run: Sequence[dict[str, Any]]
    """What each run sets beside its case, by path: run 0 the values of the first table, run 1
    those of the second, and after the last one from the first on; default: all runs have the
    same. Cases are compared by runs that have the same."""
    real_time_limit: str
    """The most real time that one run may take; default: without a limit."""
    defaults: Defaults
    """The defaults of all nodes, links, producers, consumers and flows, which their own keys
    replace. A default applies where the kind has that key."""
    controllers: dict[str, Controller]
    """Controllers with their parameters, by a name of the file's own that consumers and flows may
    use."""
    topologies: dict[str, Topology]
    """Whole networks, by name: each stands for nodes and links, which may be written too, to say
    more of them. `windtunnel check --expand` prints them."""
    nodes: dict[str, Node]
    """The nodes, by name."""
    links: dict[str, Link]
    """The links between them, by name."""
    constellations: dict[str, Constellation]
    """Satellites, which nodes with a place use, by name."""
    epoch: str
    """With constellations: when the scenario starts, as a time such as `"2022-09-14T12:00:00Z"`;
    default: the time of the latest orbital elements, and midnight of 1 January 2000 where there
    are none."""
    producers: dict[str, Producer]
    """The producers, by name."""
    consumers: dict[str, Consumer]
    """The consumers, by name: each is a flow."""
    flows: dict[str, Flow]
    """The flows over TCP or UDP, by name."""
    sessions: dict[str, Sessions]
    """Whose state is paged between the nodes that serve them, by name."""
    bridges: dict[str, Bridge]
    """Which nodes work together as the edges of a bridge, by name."""
    tunnels: dict[str, Tunnel]
    """Between which nodes IP packets travel inside others, by name."""
    routing: Routing2
    """How Interests find producers, and IP packets their destination."""
    compare: dict[str, dict[str, dict[str, Any]]]
    """What is compared: for each axis its cases, and for each case the values it sets, by their
    path in this file. All combinations of cases are run; of those that set the same, one is
    simulated for all; of those that differ in later `changes` of links and in flows that start
    later, what is before is simulated once."""
    regions: dict[str, Region]
    """Regions, whose nodes reach each other by the region protocol, by name."""
    agreements: dict[str, Agreement]
    """What neighbouring regions agree on, by name; default: all that a link joins exchange
    packets from and to all regions."""
    region_protocol: RegionProtocol
    """How the region protocol behaves."""
    autonomous_systems: dict[str, AutonomousSystem]
    """Autonomous systems, whose hosts choose the paths of their packets as in SCION, by name."""
    beaconing: Beaconing
    """How autonomous systems find paths."""
