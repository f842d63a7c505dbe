"""The types of a scenario's tables, for type checkers and editors.

Made by `make docs` from the comments in crates/lab/src/scenario.rs: change those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Required, TypedDict

From = TypedDict("From", {"from": str}, total=False)
"""A key that no class can have, because it is a word of Python."""


class Defaults(TypedDict, total=False):
    """What holds where nothing else is said."""

    node: Node
    """For nodes."""
    link: Link
    """For links."""
    producer: Producer
    """For producers."""
    consumer: Consumer
    """For consumers."""
    flow: Flow
    """For flows over TCP and UDP."""


class Node(TypedDict, total=False):
    """A node: a forwarder with its tables."""

    content_store: ContentStore
    """The content store; none unless stated."""
    strategy: StrategyName
    """How it chooses among next hops; `best-route` unless stated."""
    interest_marks: InterestMarks
    """What becomes of a congestion mark on an Interest; `return` unless stated."""


class ContentStore(TypedDict, total=False):
    """Data kept to answer later Interests."""

    capacity: Required[str]
    """How many Data packets it holds; with 0 it is off."""
    policy: Policy
    """Which Data makes room; `lru` unless stated."""
    keep_marks: bool
    """Whether Data cached with a congestion mark is sent with it again, as NFD does; no unless
    stated."""


Policy = Literal["lru", "fifo"]
"""Which Data makes room."""

StrategyName = Literal["best-route", "multicast", "pcon"]
"""How a node chooses among next hops."""

InterestMarks = Literal["return", "ignore"]
"""What becomes of a congestion mark on an Interest."""


class Link(TypedDict, total=False):
    """A duplex link. A value that may differ by direction is one for both, or an array of two:
    from the first node to the second, and back."""

    nodes: Sequence[str]
    """The two nodes that it joins; to be stated."""
    rate: str | Sequence[str]
    """How fast it sends; this, or `radio`, or `trace`."""
    radio: Radio
    """How fast it sends, by a radio."""
    trace: Trace | Sequence[Trace]
    """How fast it sends, from a file; another file for each direction, or one for both."""
    delay: str | Sequence[str]
    """How long a bit takes to the other end; to be stated."""
    loss: Loss | Sequence[Loss]
    """What it loses at random; nothing unless stated."""
    duplication: str | Sequence[str]
    """The probability that it delivers a packet twice; none unless stated."""
    reordering: Reordering | Sequence[Reordering]
    """Which packets it delivers late, so that others overtake them; none unless stated."""
    changes: Sequence[Change]
    """What happens to it in the course of time; nothing unless stated."""
    queue: Queue | Sequence[Queue]
    """The queue before it; drop-tail of 100 packets unless stated."""
    overhead: str
    """What its own framing adds to each packet; nothing unless stated."""


class Radio(TypedDict, total=False):
    """A radio: how fast the link sends follows from where a user walks. The link's second node is
    the user. A value that may differ by direction is one for both, or an array of two: for what
    the first node sends, and for what the user sends."""

    map: Required[str]
    """The file with the map: stations, buildings and the user's path; sought beside the scenario
    file."""
    speed: Required[str]
    """How fast the user goes along the path; at its end the user stands still."""
    carrier: Required[str]
    """The carrier's frequency."""
    bandwidth: Required[str | Sequence[str]]
    """The bandwidth."""
    transmit_power: Required[str | Sequence[str]]
    """The transmitted power."""
    antenna_gain: str
    """The gain of both ends' antennas together, towards the serving station; 0 dB unless
    stated."""
    noise_figure: str
    """The receivers' noise figure; 7 dB unless stated."""
    line_of_sight: LineOfSight
    """What decides whether the user sees a station; `map` unless stated."""
    obstructed: Obstructed
    """What reaches a user who does not; `scattering` unless stated."""
    shadowing: bool
    """Whether there is shadowing; yes unless stated."""
    blockage: Blockage
    """What passes between the user and the station; nothing unless stated."""
    efficiency: Efficiency
    """From SINR to spectral efficiency; `shannon` unless stated."""
    overhead: str
    """The share of the rate that reference signals and control take; 25 % unless stated."""
    period: str
    """How often the channel is sampled; 10 ms unless stated."""
    harq: Harq
    """How lost blocks are repeated; as its own keys say unless stated."""
    rlc: Rlc
    """What becomes of a packet that HARQ gives up; `acknowledged` unless stated."""
    handover: Handover
    """When the user changes from one station to another; as its own keys say unless stated."""
    report: Report
    """How senders hear of the SINR; as its own keys say unless stated."""


LineOfSight = Literal["map", "probability"]
"""What decides whether the user sees a station."""

Obstructed = Literal["scattering", "diffraction"]
"""What reaches a user who does not see the station."""


class Blockage(TypedDict, total=False):
    """What passes between the user and the station, such as people and cars."""

    every: Required[str]
    """The mean time from one's end to the next, exponentially distributed."""
    lasts: Required[str]
    """The mean time at full loss, exponentially distributed."""
    loss: Required[str]
    """The full loss."""
    edge: str
    """How long the loss takes to rise, and to fall; no time unless stated."""


class Efficiency(TypedDict, total=False):
    """From SINR to spectral efficiency. Each kind has its own keys."""

    kind: Required[EfficiencyKind]
    """Which kind."""
    gap: str
    """`cqi`, `cqi-256qam`: by how much the SINR counts as less; 7.43 dB unless stated, for a bit
    error rate of 5 in 100,000."""
    share: str
    """`shannon`: the share of Shannon's law; 60 % unless stated."""
    most: str
    """`shannon`: the greatest; 4.4 bit/s/Hz unless stated."""
    least_sinr: str
    """`shannon`: the SINR below which nothing gets through; -10 dB unless stated."""


EfficiencyKind = Literal["shannon", "cqi", "cqi-256qam"]
"""The kind of a spectral efficiency."""


class Harq(TypedDict, total=False):
    """Hybrid ARQ: a block that was received with errors is sent again."""

    slot: str
    """How long a block is on the link: what is sent within that time arrives together or not at
    all; 125 µs unless stated (LTE has 1 ms)."""
    error: str
    """The probability that an attempt fails; 10 % unless stated."""
    round_trip: str
    """How long it takes until the next attempt; 1 ms unless stated."""
    attempts: int
    """How often it tries; 4 times unless stated."""


class Rlc(TypedDict, total=False):
    """Radio link control: what becomes of a packet that HARQ gives up."""

    kind: Required[RlcKind]
    """Its mode."""
    status: str
    """`acknowledged`: how long it takes until a status report says that the packet is missing; 20
    ms unless stated."""


RlcKind = Literal["acknowledged", "unacknowledged"]
"""A mode of radio link control."""


class Handover(TypedDict, total=False):
    """When the user changes from one station to another (3GPP TS 38.331, event A3)."""

    margin: str
    """By how much the other must be better; 3 dB unless stated."""
    after: str
    """For how long; 160 ms unless stated."""
    interruption: str
    """How long nothing is sent then; 50 ms unless stated."""


class Report(TypedDict, total=False):
    """How senders whose data crosses this radio alone hear of its SINR."""

    period: str
    """How often; as often as the channel is sampled unless stated."""
    delay: str
    """How old a report is when it arrives; 10 ms unless stated."""


class Trace(TypedDict, total=False):
    """A file that says when or how fast a link sends."""

    file: Required[str]
    """The file; sought beside the scenario file."""
    kind: Required[TraceKind]
    """What its lines say."""
    repeat: bool
    """Whether it begins again at its last line's time, where otherwise nothing is sent after the
    last opportunity, and the last rate stays; yes unless stated."""


TraceKind = Literal["opportunities", "rates"]
"""What a trace's lines say. Empty lines and lines that begin with `#` are skipped."""


class Loss(TypedDict, total=False):
    """Random loss. With `probability` alone each packet is lost independently; the other keys
    make it a Gilbert–Elliott channel, which starts in its good state."""

    probability: Required[str]
    """The probability of loss; for a Gilbert–Elliott channel, in the good state."""
    of: LossOf
    """Which packets can be lost; `all` unless stated."""
    in_bad_state: str
    """The probability of loss in the bad state."""
    to_bad_state: str
    """The probability to change from good to bad, for each packet."""
    to_good_state: str
    """The probability to change from bad to good, for each packet."""


LossOf = Literal["all", "selected"]
"""Which packets can be lost at random."""


class Reordering(TypedDict, total=False):
    """Which packets a link delivers late."""

    probability: Required[str]
    """The probability that a packet is late."""
    lateness: Required[str]
    """By how much; what is sent within that time overtakes it."""


class Change(TypedDict, total=False):
    """What happens to a link at some time: another rate, or another state. Each is one value for
    both directions, or an array of two."""

    at: Required[str]
    """When."""
    rate: str | Sequence[str]
    """How fast it sends from then on; the packet under transmission keeps its own."""
    state: State | Sequence[State]
    """Whether it goes down, which loses what is on it and lets what is queued wait, or comes
    back."""


State = Literal["up", "down"]
"""Whether a link carries packets."""


class Queue(TypedDict, total=False):
    """A queue. Each kind has its own keys beside `limit`."""

    kind: Required[QueueKind]
    """Which discipline."""
    limit: str
    """How much may wait; 100 packets unless stated, for `fq-codel` 10,240 and for `dualpi2`
    10,000."""
    action: QueueAction
    """`red`, `codel`, `fq-codel`, `pie`, `sce`: whether to drop, or to mark what is ECN-capable;
    mark for `fq-codel` and `sce`, drop for the others unless stated."""
    target: str
    """`codel`, `fq-codel`, `sce`, `pcon`: the sojourn time to stay below; 5 ms unless stated.
    `pie`, `dualpi2`: the queueing delay to hold; 15 ms unless stated."""
    interval: str
    """`codel`, `fq-codel`, `sce`, `pcon`, `link-service`: the time to react after; 100 ms unless
    stated."""
    ce_threshold: str
    """`codel`, `fq-codel`: the sojourn time beyond which every ECN-capable packet is marked; none
    unless stated."""
    threshold: str
    """`link-service`: how much may wait before it marks; 65,536 octets unless stated."""
    minimum_threshold: str
    """`red`: the average queue from which packets are dropped or marked; 5 packets unless
    stated."""
    maximum_threshold: str
    """`red`: the average queue at which `max_probability` is reached; three times the minimum
    threshold unless stated."""
    weight: float
    """`red`: the weight of one arrival in the average; 0.002 unless stated."""
    max_probability: str
    """`red`: the probability at the maximum threshold; 10 % unless stated."""
    gentle: bool
    """`red`: whether the probability rises gently beyond the maximum threshold; yes unless
    stated."""
    adaptive: bool
    """`red`: whether `max_probability` adapts, to hold the average midway; no unless stated."""
    flows: int
    """`fq-codel`: how many queues flows are hashed to; 1024 unless stated."""
    quantum: str
    """`fq-codel`: the octets that a queue may send in one turn; 1514 unless stated."""
    update: str
    """`pie`, `dualpi2`: how often the probability moves; 15 ms for `pie` and 16 ms for `dualpi2`
    unless stated."""
    alpha: str
    """`pie`, `dualpi2`: how much the probability moves by the excess of the delay; 0.125 Hz for
    `pie` and 0.16 Hz for `dualpi2` unless stated."""
    beta: str
    """`pie`, `dualpi2`: how much it moves by the growth of the delay; 1.25 Hz for `pie` and 3.2
    Hz for `dualpi2` unless stated."""
    burst: str
    """`pie`: how long a burst passes untouched; 150 ms unless stated."""
    coupling: float
    """`dualpi2`: the coupling factor between the two queues; 2 unless stated."""
    classic_share: str
    """`dualpi2`: what the classic queue gets of the link while packets wait in both; 10 % unless
    stated."""
    step: str
    """`dualpi2`: the sojourn time in the low-latency queue beyond which every packet is marked; 1
    ms unless stated."""
    ramp_start: str
    """`dualpi2`, in place of a step, and `sce`: the sojourn time from which some packets are
    marked; 0.8 ms, and for `sce` a quarter of the target, unless stated."""
    ramp_end: str
    """`dualpi2`, in place of a step, and `sce`: the sojourn time from which all are; 1.2 ms, and
    for `sce` half the target, unless stated."""


QueueKind = Literal[
    "drop-tail", "link-service", "red", "codel", "fq-codel", "pie", "dualpi2", "sce", "pcon"
]
"""A queue discipline."""

QueueAction = Literal["drop", "mark"]
"""What a discipline does to a packet that it chose."""


class Producer(TypedDict, total=False):
    """A producer: answers every Interest below its prefix."""

    node: str
    """The node that it is on; to be stated."""
    prefix: str
    """The prefix that it serves, such as `/video`; to be stated."""
    payload: str
    """The content of each Data packet; 1024 octets unless stated."""
    freshness: str
    """How long Data counts as fresh; the Data does not say unless stated."""
    response_delay: str
    """How long it takes to answer; no time unless stated."""
    signature: Signature
    """What signs the Data; `digest-sha256` unless stated."""


Signature = Literal["digest-sha256", "null", "hmac-sha256", "ed25519", "ecdsa-p256", "rsa2048"]
"""What signs Data; here it only decides the size."""


class Consumer(TypedDict, total=False):
    """A consumer: a flow of Interests and the Data they bring."""

    node: str
    """The node that it is on; to be stated."""
    prefix: str
    """The prefix of what it asks for; to be stated."""
    controller: Controller
    """What drives its window: a name (one under `[controllers]`, or else a controller's own), or
    a table with the latter as `kind` and parameters; to be stated."""
    initial_window: str
    """The window at the start; 2 segments unless stated."""
    minimum_window: str
    """The least window; the initial one unless stated."""
    workload: Workload
    """What it asks for; a stream without end unless stated."""
    start: str
    """When it starts; at once unless stated."""
    start_within: str
    """It starts at a random moment within so much time from `start`, another one in each run;
    exactly then unless stated."""
    stop: str
    """When it asks for nothing more; at the end unless stated."""
    interest_lifetime: str
    """How long its Interests stay pending; 4 s unless stated."""
    hop_limit: int
    """How many hops its Interests may take; without a limit unless stated."""
    must_be_fresh: bool
    """Whether cached Data past its freshness will not do; no unless stated."""
    window_fraction: WindowFraction
    """What a fraction of a segment in the window allows; nothing unless stated."""
    on_mark: Reaction
    """What marked Data leads to; a decrease once a round trip unless stated."""
    on_timeout: Reaction
    """What timeouts lead to; a decrease once a round trip unless stated."""
    on_nack: Reaction
    """What congestion NACKs lead to; a decrease once a round trip unless stated."""
    recovery_margin: str
    """After a decrease, the share of the Interests in flight that must be asked for anew before
    the next one counts as another round trip's; none unless stated, 50 % in ndnSIM."""
    timeout_meaning: TimeoutMeaning
    """What a timeout means to the controller; a loss unless stated."""
    backoff: Backoff
    """When a timeout doubles the timeout; once a round trip unless stated."""
    initial_timeout: str
    """The timeout before the first round trip is measured; 1 s unless stated."""
    minimum_timeout: str
    """The least timeout; 200 ms unless stated."""
    maximum_timeout: str
    """The greatest timeout; 60 s unless stated."""
    most_doublings: int
    """How often the timeout may have been doubled; without a limit unless stated."""
    rtt_gain: RttGain
    """How much one round trip moves the smoothed one; the usual gains per round trip unless
    stated."""
    timeout_check: str
    """How often timeouts are looked for; at the very moment unless stated."""


Controller = str | dict[str, Any]
"""A congestion controller: its name, or a table with it as `kind`."""


class Workload(TypedDict, total=False):
    """What a consumer asks for. Each kind has its own keys."""

    kind: Required[WorkloadKind]
    """Which kind."""
    size: str
    """`file`: its size; the last segment counts as a full one."""
    objects: int
    """`catalogue`: how many objects of one segment there are."""
    exponent: float
    """`catalogue`: the exponent of Zipf's law; 0.8 unless stated, 0 for equal popularity."""


WorkloadKind = Literal["stream", "file", "catalogue"]
"""The kind of a workload."""

WindowFraction = Literal["waits", "sends"]
"""What a fraction of a segment in the window allows."""

Reaction = Literal["every", "once-per-round-trip", "ignore"]
"""What a congestion signal leads to."""

TimeoutMeaning = Literal["loss", "restart"]
"""What a timeout means to the controller."""

Backoff = Literal["once-per-round-trip", "each-event", "each-interest"]
"""When a timeout doubles the timeout."""

RttGain = Literal["per-round-trip", "per-sample"]
"""How much one measured round trip moves the smoothed one."""


class Flow(From, total=False):
    """A flow over TCP or UDP, from one node to another. Keys are for TCP where they do not say
    otherwise."""

    to: str
    """TCP, UDP: the node that it goes to; to be stated."""
    protocol: Protocol
    """What carries it; `tcp` unless stated."""
    ip: Ip
    """TCP, UDP: the version of IP; `v4` unless stated."""
    controller: Controller
    """What drives its window: a name (one under `[controllers]`, or else a controller's own), or
    a table with the latter as `kind` and parameters; to be stated."""
    workload: FlowWorkload
    """TCP, UDP: what it carries; data without end unless stated."""
    start: str
    """TCP, UDP: when it starts; at once unless stated."""
    start_within: str
    """TCP, UDP: it starts at a random moment within so much time from `start`, another one in
    each run; exactly then unless stated."""
    stop: str
    """TCP, UDP: when it begins nothing more, while what was handed over is still sent; at the end
    unless stated."""
    maximum_segment: str
    """The data in a full segment; what fills a packet of 1500 B unless stated, which is 1448 B
    over IPv4 with timestamps."""
    timestamps: bool
    """Whether segments carry timestamps; yes unless stated."""
    recovery: Recovery
    """How losses are found and repaired; `rack` unless stated."""
    ecn: Ecn
    """What is done with ECN; what the controller needs, or else `off`, unless stated."""
    acknowledge_every: str
    """After how many full segments the receiver acknowledges; 2 unless stated."""
    acknowledge_within: str
    """How long it waits for them; 40 ms unless stated."""
    initial_timeout: str
    """The timeout before the first round trip is measured; 1 s unless stated."""
    minimum_timeout: str
    """The least timeout; 200 ms unless stated, as in Linux; 1 s in RFC 6298."""
    minimum_variation: str
    """The least by which the timeout exceeds the smoothed round trip; 200 ms unless stated, as in
    Linux; the clock's granularity in RFC 6298."""
    maximum_timeout: str
    """The greatest timeout; 60 s unless stated."""
    receive_buffer: str
    """What the receiver can hold; 1 GiB unless stated, which limits nothing."""
    reading: Reading
    """When the receiving application takes what arrived; `at-once` unless stated."""
    pacing: bool
    """Whether segments are spread over the round trip also where the controller does not ask for
    it; no unless stated."""
    initial_window: str
    """The window at the start; 10 segments unless stated."""
    minimum_window: str
    """No decrease leads below this; 2 segments unless stated."""
    split: Split
    """Proxies on its way that split its connections (RFC 3135); none unless stated. What a flow
    counts is then what its own two hosts count: windows, delays and retransmissions of the
    connection to the first proxy, and what arrives at the far end."""
    rate: str
    """TCP: how fast the application hands over `bulk` data. UDP: the rate of what the datagrams
    carry, without headers, to be stated; without limit over TCP unless stated."""
    payload: str
    """UDP: what each datagram carries; 1400 B unless stated."""


Protocol = Literal["tcp", "udp"]
"""What carries a flow."""

Ip = Literal["v4", "v6"]
"""A version of IP."""


class FlowWorkload(TypedDict, total=False):
    """What a flow carries. Each kind has its own keys."""

    kind: Required[FlowWorkloadKind]
    """Which kind."""
    size: str
    """`file`: its size."""
    request: str
    """`request-response`: the size of a request; 100 B unless stated."""
    response: str
    """`request-response`: the size of an answer."""
    think: str
    """`request-response`: from an answer's end to the next request; no time unless stated."""
    on: str
    """`on-off`: how long it sends."""
    off: str
    """`on-off`: how long it is silent."""
    periods: Periods
    """`on-off`, `request-response`: whether the times are always as long, or exponentially
    distributed with that mean; `fixed` unless stated."""
    sizes: Literal["web-search", "data-mining"] | str | Sequence[Sequence[str]]
    """`arrivals`: how large the files are: a size for all; `web-search` or `data-mining` for
    those distributions; or points of a distribution function, each a size and the probability of
    no more, such as `[["1 kB", "0 %"], ["10 kB", "60 %"], ["1 MB", "100 %"]]`."""
    load: str
    """`arrivals`: the share of the rate of the narrowest link on the way that their segments with
    data fill on average, headers included; this or `rate`. With a radio or a trace of rates that
    is the greatest rate, with a trace of opportunities the mean one."""
    rate: str
    """`arrivals`: how many arrive on average; this or `load`."""


FlowWorkloadKind = Literal["bulk", "file", "request-response", "on-off", "arrivals"]
"""The kind of a flow's workload."""

Periods = Literal["fixed", "exponential"]
"""Whether times are all alike."""

Recovery = Literal["tahoe", "reno", "new-reno", "sack", "rack"]
"""How a sender finds and repairs losses."""

Ecn = Literal["off", "classic", "dctcp", "accurate", "scalable", "sce"]
"""What is done with ECN."""

Reading = Literal["at-once", "never"]
"""When the receiving application takes what arrived."""


class Split(TypedDict, total=False):
    """Proxies that split a flow's connections: each answers the node before in the receiver's
    name, and has a connection of its own to the next."""

    at: Required[Sequence[str]]
    """The nodes of the proxies, in the order of the way."""
    buffer: str
    """How much of a connection each holds; 1 GiB unless stated, which limits nothing."""


class Bridge(From, total=False):
    """A bridge (DCIB): two nodes that are the edges of a part of the network. The source edge
    marks what leaves as ECN-capable but for a selected share, which routers between the edges may
    drop, and of which it keeps clones; the destination edge acknowledges what comes of that
    share, and the source edge sends the clones of what is lost. All flows pass it whose data go
    through `from` and later through `to`."""

    to: Required[str]
    """The node of the destination edge."""
    selected: str
    """The share of the packets that may be dropped; 10 % unless stated."""
    buffer: Required[str]
    """How many octets of clones the source edge holds."""
    clones: Clones
    """Which packets are cloned; `selected` unless stated."""
    keep: Keep
    """What lets a clone leave; `stalled` unless stated."""
    resend: Resend
    """How a clone leaves; `unchanged` unless stated."""
    unmatched: Unmatched
    """What an acknowledgement does whose packet's clone is not held; `ignore` unless stated."""
    duplicates: Duplicates
    """What becomes of duplicate acknowledgements that come back to the hosts; `pass` unless
    stated."""
    round_trip: str
    """With `duplicates = "suppress"`: how long it takes until the acknowledgement of a clone is
    back at the source edge; twice the links' delays to the farthest receiver and back unless
    stated."""
    marks: Marks
    """What becomes of congestion marks at the destination edge; `pass` unless stated."""
    order: Order
    """In which order packets pass the destination edge; `as-they-come` unless stated."""
    probes: Probes
    """Packets beyond an agreed rate that are selected in addition; none unless stated."""


Clones = Literal["selected", "others"]
"""Which packets are cloned."""

Keep = Literal["stalled", "low-priority"]
"""What lets a clone leave."""

Resend = Literal["unchanged", "capable"]
"""How a clone leaves."""

Unmatched = Literal["ignore", "resend-all"]
"""What an acknowledgement does whose packet's clone is not held."""

Duplicates = Literal["pass", "suppress"]
"""What becomes of duplicate acknowledgements that come back to the hosts."""

Marks = Literal["pass", "clear"]
"""What becomes of congestion marks at the destination edge."""


class Order(TypedDict, total=False):
    """In which order packets pass. Each kind has its own keys."""

    kind: Required[OrderKind]
    """Which kind."""
    patience: str
    """`in-order`: how long a segment waits at most; to be stated."""
    buffer: str
    """`in-order`: how many octets wait at most; as many as the bridge's `buffer` unless
    stated."""


OrderKind = Literal["as-they-come", "in-order"]
"""A kind of order."""


class Probes(TypedDict, total=False):
    """Packets beyond an agreed rate that are selected in addition."""

    rate: Required[str]
    """The agreed rate."""
    burst: Required[str]
    """How many octets at once count as within it; at least a packet."""
    extra: Required[str]
    """The probability that a packet beyond it is selected which is not anyway."""


class Routing(TypedDict, total=False):
    """How Interests find producers, and IP packets their destination by the shortest path."""

    metric: Metric
    """What a path's length is measured by; delay unless stated."""
    paths: Paths
    """Which paths become next hops; the shortest to each producer unless stated."""
    routes: Sequence[Route]
    """Routes that replace the computed ones of that node and prefix."""


Metric = Literal["delay", "hops"]
"""What a path's length is measured by."""

Paths = Literal["shortest", "all"]
"""Which paths become next hops."""


class Route(TypedDict, total=False):
    """A route that the file gives."""

    node: Required[str]
    """The node where it applies."""
    prefix: Required[str]
    """The prefix that it leads to."""
    link: Required[str]
    """The link that it takes."""
    cost: int
    """The lower, the better; 0 unless stated."""


class ScenarioTables(TypedDict, total=False):
    """A scenario: a network, what runs on it, for how long, and what is compared."""

    title: str
    """What the scenario is, in one line; nothing unless stated."""
    duration: Required[str]
    """How much time is simulated."""
    interval: str
    """How often the time series are sampled; 100 ms unless stated."""
    seed: int
    """The seed of all random streams; 1 unless stated."""
    runs: int
    """How often each case is run, each time with other random streams; 1 unless stated."""
    real_time_limit: str
    """The most real time that one run may take; without a limit unless stated."""
    defaults: Defaults
    """What holds for all nodes, links, producers, consumers and flows that do not say
    otherwise."""
    controllers: dict[str, Controller]
    """Controllers with their parameters, by a name of the file's own that consumers and flows may
    use."""
    nodes: Required[dict[str, Node]]
    """The nodes, by name."""
    links: Required[dict[str, Link]]
    """The links between them, by name."""
    producers: dict[str, Producer]
    """Who serves Data, by name."""
    consumers: dict[str, Consumer]
    """Who asks for it, by name: each is a flow."""
    flows: dict[str, Flow]
    """Who sends to whom over TCP or UDP, by name."""
    bridges: dict[str, Bridge]
    """Which nodes work together as the edges of a bridge, by name."""
    routing: Routing
    """How Interests find producers, and IP packets their destination."""
    compare: dict[str, dict[str, dict[str, Any]]]
    """What is compared: for each axis its cases, and for each case the values it sets, by their
    path in this file. All combinations of cases are run."""
