"""The core: scenarios are read, checked and run by the Rust crates."""

import pathlib
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, final

from typing_extensions import disjoint_base

__all__ = [
    "SIGNALS",
    "VIDEO_SIGNALS",
    "Acknowledgement",
    "Batch",
    "Congestion",
    "Datagram",
    "Delivery",
    "DnsServer",
    "Download",
    "Emulation",
    "Environments",
    "Flight",
    "FlightError",
    "Ladder",
    "NdnForwarder",
    "NdnProducer",
    "Outcome",
    "PacketdrillScript",
    "Page",
    "PagingView",
    "Path",
    "PathView",
    "Place",
    "Plugin",
    "RadioReport",
    "Scenario",
    "ScenarioError",
    "SchedulerView",
    "Situation",
    "Start",
    "Subflow",
    "Suite",
    "Table",
    "TransmissionStart",
    "VideoEnvironment",
    "__version__",
    "axis_column",
    "catalogue",
    "check_toml",
    "clean_leftovers",
    "did_you_mean",
    "measure_lookups",
    "ndn_get",
    "schema",
    "serve_stack",
    "suggestion",
    "tcp_connect",
    "tcp_listen",
    "units",
]

class ScenarioError(ValueError):
    """A scenario that cannot be run: the message says where, why, and how to fix it."""

@final
class Table:
    """A table of results; any Arrow library takes it without a copy."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Outcome:
    """The outcome of a batch."""

    finished: int
    unfinished: int
    faults: list[str]
    """Internal errors."""
    failed: list[tuple[int, str]]
    """The cases of these runs, with the error of each."""
    failures: list[str]
    """Errors in what is written in Python."""
    work: tuple[int, int, float, float]
    """Events, packet-hops, CPU seconds, and the real seconds for routing where nodes move."""

    def tables(self) -> dict[str, Table]: ...

@final
class Batch:
    """Runs in progress."""

    @staticmethod
    def of_points(points: list[tuple[str, Scenario]], jobs: int) -> Batch:
        """Start one run of each scenario; their tables begin with the column `key`.

        They are those that every network has: runs, flows, subflows, transfers, links, nodes,
        bridges and tunnels. Raises ValueError for a scenario of several cases or runs.
        """

    def progress(self) -> tuple[int, int, float, float, int]:
        """Finished runs, all runs, simulated seconds done and in total, events."""

    def live(
        self, most: int
    ) -> list[
        tuple[
            tuple[list[str], int, float, float],
            tuple[list[tuple[str, float, list[float | None]]], int],
            tuple[list[tuple[str, float, list[float | None]]], int],
        ]
    ]:
        """What the runs in progress have sampled so far.

        For each the names of its case, its number, how far it is and how long it takes in
        simulated seconds; the `most` busiest flows, and how many there are; the same of queues.
        Of each flow or queue its name, its last value (bit/s of goodput, or packets that wait),
        and the means over equal shares of the duration, None of one without a sample.
        """

    def is_done(self) -> bool: ...
    def cancel(self) -> None: ...
    def finish(self) -> Outcome:
        """Wait for the end. Raises OSError if a capture could not be written."""

@disjoint_base
class Plugin:
    """A dynamic library with a controller or a stack."""

    def __new__(cls, file: pathlib.Path | str, command: list[str] | None = None) -> Self:
        """Load it. Raises ValueError if it is not one.

        With a command, each end of its stack is in a process of its own that this starts, with the
        file as the last argument.
        """

    @property
    def file(self) -> pathlib.Path:
        """The library's file."""

    @property
    def name(self) -> str:
        """The name that it gives its controller or its stack."""

    @property
    def controllers(self) -> list[str] | None:
        """The names of the stack's own controllers; None of a library with a controller."""

@disjoint_base
class Scenario:
    """A scenario, read and checked."""

    @property
    def file(self) -> str:
        """The file that it was read from, as given."""

    @property
    def title(self) -> str | None:
        """Its title, if it has one."""

    @property
    def axes(self) -> list[str]:
        """The columns of its comparison's axes."""

    @property
    def cases(self) -> list[list[str]]:
        """For each case, its name on every axis."""

    def nodes(self, case: int) -> list[tuple[str, int]]:
        """Give the nodes of a case, and how many links each has."""

    @property
    def runs(self) -> int:
        """How often each case is run."""

    @property
    def total_simulated_s(self) -> float:
        """Simulated seconds, over all runs."""

    @property
    def seed(self) -> int:
        """The seed of all random streams."""

    @property
    def text(self) -> str:
        """The text as run, with all settings applied."""

    @property
    def beginning(self) -> str | None:
        """What decides how its first case begins.

        Runs with the same one are the same until a link changes, or a flow starts, that does so
        in one of them alone; what they have in common is simulated once if they are in one batch.
        """

    @property
    def files(self) -> list[tuple[str, str]]:
        """The files that it names: the name of each in the scenario, and its text."""

    @property
    def extensions(self) -> dict[str, Any]:
        """What is written in Python, and libraries, by their names in the scenario."""

    def __new__(
        cls,
        file: str,
        text: str,
        settings: list[tuple[str, str]] = ...,
        extensions: dict[str, Any] | None = None,
        *,
        may_be_idle: bool = False,
    ) -> Self: ...
    def bounds(self) -> list[tuple[float, float]]:
        """For each case, the bounds for any protocol.

        They are the maximum total goodput of all consumers in bit/s, and the minimum delay in s.
        """

    def expanded(self) -> str:
        """Give the text with plain tables in place of those that stand for many.

        Raises ScenarioError if only a comparison completes the text.
        """

    def positions(self, case: int, times_s: list[float]) -> Table:
        """Give where the nodes of a case that have a place are at some times, in seconds.

        The columns are `time_s`, `node`, `kind` ("station" or "satellite"), `latitude_degrees`,
        `longitude_degrees` and `height_m`; without satellites there are no rows. Raises
        IndexError if there is no such case.
        """

    def flow_repeats(self) -> list[tuple[int, str, str, tuple[float, str] | None, bool]]:
        """Run each case with flows over implementations of protocols twice, and compare.

        Of each flow: the case's place, the flow's name and its implementation, when the first
        datagram that differs was sent in seconds and what differs, or None, and whether all
        datagrams had the same bytes. Raises ScenarioError if what is written outside fails.
        """

    def advice(self) -> list[str]:
        """Say what is probably not meant, such as what would be after the end."""

    def after_the_end(self) -> list[str]:
        """Say what does not happen because the run ends before, such as a change of a link."""

    def check_details(
        self,
        captured: list[str],
        *,
        directions: str | None = None,
        window: tuple[str, str] | None = None,
        events: list[str] = ...,
    ) -> None:
        """Check what `start` takes of captures and events. Raises ScenarioError."""

    def without_randomness(self) -> list[int]:
        """List the cases in which nothing is random, by their place: all their runs are equal."""

    def packet_hops(self) -> float:
        """Say how many packet-hops all runs take at the most, about."""

    @property
    def notes(self) -> list[str]:
        """What was decided that the user should know, such as a longer interval of series."""

    @property
    def imports(self) -> list[str]:
        """What of each file of a topology is used, and what is not."""

    def start(
        self,
        jobs: int,
        folder: pathlib.Path | None = None,
        captured: list[str] = ...,
        threads: int = 1,
        *,
        directions: str | None = None,
        snap_length: int | None = None,
        window: tuple[str, str] | None = None,
        events: list[str] = ...,
        is_live: bool = False,
    ) -> Batch:
        """Start all runs, each on `threads` threads.

        Series are written into `folder`, with captures at the nodes `captured`; without a
        folder they stay in memory. Captured are packets in `directions` ("out", "in" or
        "both"), `snap_length` bytes of each, in `window`: from one time to another, such as
        ("2 s", "3 s"). What happens to the packets of the flows `events` is recorded as well.
        With `is_live`, `Batch.live` shows what is sampled, if there is a folder.

        Raises ScenarioError if there is no such node or flow, or a text means nothing.
        """

def units() -> list[tuple[str, float, str]]:
    """Return every unit of scenario files, its value in the base unit, and that unit's name."""

@final
class Start:
    """The initial conditions of a connection, set by the transport."""

    initial_window: float
    """The initial window, in segments."""
    minimum_window: float
    """The minimum window after a decrease, in segments."""
    restart_window: float
    """The window after a retransmission timeout, in segments; it may be below the minimum."""
    initial_ssthresh: float
    """Where the first slow start ends, in segments; infinite if nothing limits it."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Delivery:
    """A delivery rate sample, from the most recently sent of the newly delivered segments."""

    rate: float | None
    """Segments per second; None if the time was too short."""
    total: float
    """All data delivered on the connection until now, in segments."""
    total_at_send: float
    """The same when the segment was sent."""
    in_flight_at_send: float
    """Data in flight just after the segment was sent, in segments."""
    lost_since_send: float
    """Data considered lost since the segment was sent, in segments."""
    application_limited: bool
    """Whether the application had nothing to send when the segment was sent."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class RadioReport:
    """A radio's report of its channel to the sender."""

    received: int
    """When the sender received it, in nanoseconds."""
    sinr: float
    """The signal-to-interference-plus-noise ratio, in dB."""
    bandwidth: float
    """Segments per second that the channel carries for each bit/s/Hz."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Acknowledgement:
    """Data was acknowledged. Data is counted in segments, times in nanoseconds."""

    now: int
    """When it arrived, since the start of the connection."""
    acknowledged: float
    """Newly acknowledged data that may open the window: zero during loss recovery and while
    the window does not limit the sender."""
    delivered: float
    """Newly delivered data, whatever the transport is doing."""
    marked: float
    """How much of the delivered data was marked."""
    some_congestion: float
    """How much of the delivered data carried the milder mark."""
    lost: float
    """Data newly considered lost."""
    rtt: int | None
    """The round-trip time; None if it is ambiguous."""
    smoothed_rtt: int | None
    """The transport's smoothed round-trip time, once there is a sample."""
    one_way_delay: int | None
    """The delay from sender to receiver; only changes of it are meaningful."""
    in_flight: float
    """Data in flight after this acknowledgement."""
    next_departure: int
    """When pacing lets the next packet leave, in nanoseconds; up to `now` if it may at once."""
    delivery: Delivery | None
    """The delivery rate; None if no data was newly delivered."""
    round_ended: bool
    """Whether a round trip ended."""
    recovering: bool
    """Whether the transport is in loss recovery."""
    window_limited: bool
    """Whether the window limited the sender in the last round trip."""
    radio: RadioReport | None
    """The latest report of the radio that the data passes."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Congestion:
    """Congestion was signalled; the transport has decided that this signal counts."""

    now: int
    """When it was detected, in nanoseconds."""
    signal: Literal["loss", "mark", "nack", "timeout"]
    """The signal."""
    in_flight: float
    """Data in flight at that time, in segments."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class TransmissionStart:
    """Data is about to be sent while none is in flight."""

    now: int
    """When, in nanoseconds."""
    application_limited: bool
    """Whether the application had nothing to send before."""
    smoothed_rtt: int | None
    """The transport's smoothed round-trip time, in nanoseconds, once there is a sample: at the
    connection's beginning that of the handshake."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Place:
    """One end of a connection that is to be."""

    role: Literal["client", "server"]
    """The one that connects, or the one that waits for that."""
    own: tuple[str, int]
    """Its own IP address and port."""
    peer: tuple[str, int]
    """Those of the other end."""
    seed: int
    """What its random numbers are to be made from: another one in each run."""
    controller: str | None
    """Which of its own congestion controllers it uses; None if it has none."""

@final
class Datagram:
    """A UDP datagram that has arrived."""

    source: tuple[str, int]
    """The IP address and the port that it comes from."""
    destination: tuple[str, int]
    """Those that it was sent to."""
    ecn: int
    """Its ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE."""
    data: bytes
    """Its data."""

@final
class Subflow:
    """A subflow, as a scheduler sees it: counted in segments, times in nanoseconds."""

    place: int
    """Its place among the subflows, from 0."""
    is_usable: bool
    """Whether data may go to it at all: it works, it does not have the data already, and it is
    no backup while others work."""
    is_open: bool
    """Whether it takes a segment now: it is usable, its window has room, and it does not repair
    what a timeout left."""
    is_backup: bool
    """Whether it is only for when no other works."""
    cwnd: float
    """Its congestion window."""
    ssthresh: float
    """Its slow-start threshold."""
    in_flight: float
    """Its data in flight."""
    queued: float
    """What it was given and has not sent yet."""
    free: float
    """The room in its window, with what is queued counted as sent."""
    smoothed_rtt: int | None
    """Its smoothed round-trip time, once there is a sample."""
    rtt_variation: int
    """RTTVAR (RFC 6298)."""
    minimum_rtt: int | None
    """The least round-trip time of late."""
    timeout: int
    """Its retransmission timeout."""
    is_recovering: bool
    """Whether it repairs losses."""
    rate: float | None
    """At most so many segments per second does it send; None without `wants_rates`."""
    delivery_rate: float | None
    """The last sample of its delivery rate, in segments per second."""
    bandwidth: float | None
    """The bandwidth that its controller estimates, in segments per second, if it does."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class SchedulerView:
    """What a scheduler decides on: data is counted in bytes, times in nanoseconds."""

    now: int
    """The time since the start of the run."""
    subflows: list[Subflow]
    """All subflows."""
    unacknowledged: int
    """The first byte that is not acknowledged."""
    next: int
    """The next byte that goes for the first time."""
    waiting: int
    """Bytes that wait to go for the first time."""
    window: int
    """Bytes more that the receiver has room for."""
    segment: int
    """The bytes of a full segment."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Page:
    """A page of a session that exists."""

    number: int
    """Its entry in the page table, from 0."""
    is_here: bool
    """Whether it is at the node that serves the session; at a handover, the one that did."""
    is_moving: bool
    """Whether it is on its way: it cannot be fetched before it has arrived."""
    held_since: int
    """The stage in which it was last brought or accessed where it is."""
    uses: int
    """Accesses since it was created."""
    last_used: int
    """The stage of the last one."""
    bytes: int
    """Its size."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class PagingView:
    """What a policy of paging decides on."""

    stage: int
    """The stage that the session is in, from 0; at a handover the one that ends."""
    entries: int
    """The entries of the page table."""
    pages: list[Page]
    """The pages that exist, by their number."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Path:
    """A path to the destination: times are in nanoseconds, one way unless they are round trips."""

    place: int
    """Its place among the paths, which are ordered by `as_hops`, then by `id`."""
    id: int
    """What it is known by, as long as it crosses the same interfaces."""
    latency: int
    """The sum of the latencies that beacons announced."""
    bandwidth_bps: int
    """The least of the bandwidths that beacons announced."""
    mtu: int
    """The largest SCION packet, in bytes."""
    as_hops: int
    """How many autonomous systems it crosses, those of both ends included."""
    interfaces: list[tuple[int, int]]
    """The interfaces that it crosses: the number of the autonomous system, and its own."""
    expires: int
    """When it becomes invalid."""
    rtt: int | None
    """The smoothed round trip of its probes; None before the first."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class PathView:
    """What a path policy decides on."""

    now: int
    """The time since the start of the run, in nanoseconds."""
    paths: list[Path]
    """The paths to the destination; never empty."""
    current: int | None
    """The place of the path that the packet before took, if it is still there."""
    random: float
    """A random number from 0 to below 1, which is the same in each run of the same seed."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Ladder:
    """The levels of a video, and the sizes of its segments."""

    @property
    def segment_s(self) -> float:
        """How long a segment lasts, in seconds."""

    @property
    def segments(self) -> int:
        """How many segments there are."""

    @property
    def bitrates_bps(self) -> list[float]:
        """The bitrates of the levels, rising, in bits per second."""

    def size(self, segment: int, level: int) -> int:
        """Return the bytes of a segment at a level; raises IndexError if there is none."""

    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Situation:
    """What a rule knows when it chooses."""

    segment: int
    """The segment to choose for, from 0."""
    buffer_s: float
    """The media in the buffer, in seconds."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Download:
    """A segment that was received."""

    level: int
    """Its level, from 0."""
    size: int
    """Its size, in bytes."""
    latency_s: float
    """From the request to the first byte, in seconds."""
    time_s: float
    """From the request to the last byte, in seconds."""
    buffer_s: float
    """The media in the buffer with it, in seconds."""
    stalled_s: float
    """How long playing stalled for it, in seconds."""
    def __deepcopy__(self, _memo: Any) -> Self: ...

@final
class Environments:
    """Environments of one scenario, each with agents for some flows, stepped on threads."""

    def __new__(
        cls,
        scenario: Scenario,
        flows: list[str] | None,
        all: bool,
        interval_s: float,
        count: int,
        threads: int,
    ) -> Self:
        """Create `count` environments with agents for `flows`.

        By default these are `all` flows with a controller, or else the only one. Raises
        ScenarioError if there is no such flow.
        """

    def names(self) -> list[str]:
        """List the flows that each of them drives."""

    def reset(self, place: int, case: int, seed: int, own: bool) -> list[list[float]]:
        """Start an episode in one; `own` leaves the flows to the scenario's controllers.

        Returns the initial signals of each flow, in the order of SIGNALS.
        """

    def step(self, answered: list[bool], answers: object, signals: object) -> None:
        """Step those of which a flow is `answered`, with the interpreter released.

        `answers` is a contiguous float64 array with a row for each flow of each environment: the
        window in segments, and the pacing rate in segments per second, where NaN leaves pacing to
        the transport. `signals`, with as many rows of len(SIGNALS), is filled in. Raises
        ValueError.
        """

    def is_over(self, place: int) -> bool:
        """Whether one has reached the scenario's end."""

SIGNALS: list[str]
"""The names of an environment's signals."""

@final
class VideoEnvironment:
    """A player of adaptive video in a scenario, stepped segment by segment."""

    def __new__(cls, scenario: Scenario, flow: str | None) -> Self:
        """Create one. Raises ScenarioError if there is no such flow."""

    def ladder(self, case: int) -> Ladder:
        """Return the levels and segments of a case."""

    def reset(self, case: int, seed: int, own: bool) -> list[float]:
        """Start an episode; `own` leaves the player to the scenario's rule.

        Returns the signals of the first question, in the order of VIDEO_SIGNALS.
        """

    def step(self, level: int) -> list[float]:
        """Request the next segment at a level; return the signals of the question after it.

        Raises ValueError if no episode is under way, or an extension failed.
        """

    def is_over(self) -> bool:
        """Whether the episode has ended, or none has begun."""

VIDEO_SIGNALS: list[str]
"""The names of a video environment's signals."""

def tcp_connect(
    interface: str,
    address: str,
    controller: str,
    peer: str,
    send: pathlib.Path | None = None,
    receive: pathlib.Path | None = None,
) -> str:
    """Connect to `peer` from a TUN interface, and transfer files.

    Returns what it was like, as JSON text. Raises ScenarioError for what cannot be, and OSError if
    a file, the interface or the peer fails.
    """

def tcp_listen(
    interface: str,
    address: str,
    controller: str,
    port: int,
    clients: int,
    send: pathlib.Path | None = None,
    receive: pathlib.Path | None = None,
) -> str:
    """Transfer files with each of the first `clients` that connect to `port`, several at once.

    Of several clients, what each sends has a file of its own, with the client's number at the end
    of the name. Returns `connections` and `failed` as JSON text, and raises as `tcp_connect` does,
    but not for what happens to a client.
    """

@final
class Emulation:
    """A scenario in real time, with real hosts behind some of its nodes."""

    def __new__(
        cls,
        scenario: Scenario,
        doors: list[tuple[str, str | None, str | None]],
        folder: Path | None = None,
        captured: list[str] = ...,
        *,
        ethernet: bool = False,
        internet: str | None = None,
        directions: str | None = None,
        snap_length: int | None = None,
        window: tuple[str, str] | None = None,
    ) -> Emulation:
        """Set it up.

        `doors` are nodes, each with its interface and the name of the namespace of that: without
        the name, that of the process, and without an interface, one made for the node. With
        `ethernet`, nodes are bridges and interfaces carry frames. Behind the
        node `internet` is the Internet. With a `folder` it is recorded as a run is; captures at the
        nodes `captured` are written below it, as of `Scenario.start`. Raises ScenarioError, and
        OSError if the machine does not allow it.
        """

    def spawn(self, node: int, program: list[str]) -> int:
        """Start a program behind a node, by its place in the scenario; returns its number."""

    def begin(self) -> None:
        """Have virtual time begin; until then it stands still."""

    def listens(self, node: int) -> bool:
        """Tell whether a socket behind a node waits to be spoken to."""

    def poll(self, program: int) -> int | None:
        """Give the exit code of a program that has ended."""

    def is_done(self) -> bool:
        """Tell whether it has ended."""

    def finish(self) -> tuple[str, Outcome | None]:
        """End it, with all programs; give what it counted, as JSON text, and what it recorded."""

@final
class DnsServer:
    """The roots of a file of names, answering on UDP until they are stopped."""

    def __new__(cls, file: str, text: str) -> Self:
        """Start them. Raises ScenarioError, and OSError if an address cannot be had."""

    addresses: list[tuple[str, str]]
    """Which region's root answers where: its name, and address and port."""

    def stop(self) -> None:
        """Stop all."""

class FlightError(ValueError):
    """A controller that cannot be used in this kernel: the message says what is missing."""

@final
class Flight:
    """An algorithm in the kernel whose decisions a controller makes, until it is finished.

    Any program may choose it by its name (TCP_CONGESTION) meanwhile.
    """

    def __new__(
        cls,
        controller: str,
        settings: list[tuple[str, str]] = ...,
        python_class: type[Any] | None = ...,
    ) -> Self:
        """Register a controller of that name with these parameters, or one of that class.

        Raises FlightError, and RuntimeError if the kernel refuses the program.
        """

    algorithm: str
    """The algorithm's name in the kernel."""

    notes: list[str]
    """What the kernel has only in part of what the controller needs."""

    def launch(self, command: list[str], quiet: bool) -> None:
        """Start a command whose sockets use it; with `quiet`, it prints on standard error."""

    def wait(self, seconds: float) -> int | None:
        """Wait so long for its end; its exit code once it has ended."""

    def finish(self) -> dict[str, Any]:
        """End the command and the algorithm, and say what happened.

        Without a suffix values are counts; `written_s` and `applied_s` are percentiles of the
        delay from the measurement until the decision was written, and applied.
        """

@final
class NdnForwarder:
    """An NDN forwarder on UDP and TCP sockets, as a file has it. On Linux only."""

    def __new__(cls, file: str, text: str, bind: str | None = None, keys: list[str] = ...) -> Self:
        """Start it, with an IP address to listen at in place of the file's addresses.

        With `keys`, public ones as text in PEM, commands must be signed by one of them.

        Raises ScenarioError, and OSError if an address cannot be had.
        """

    addresses: list[str]
    """Where it listens, such as `udp://127.0.0.1:6363`."""

    def run(self) -> None:
        """Forward until Ctrl-C, which raises KeyboardInterrupt."""

    def report(self) -> dict[str, Any]:
        """Give what it counted."""

@final
class NdnProducer:
    """A producer of the segments of a file, or of those of a folder's files. On Linux only."""

    def __new__(
        cls,
        prefix: str,
        file: pathlib.Path,
        segment_size: int,
        sign: str,
        key: str | None = None,
        connect: str | None = None,
        bind: str | None = None,
    ) -> Self:
        """Register the prefix at a forwarder, or listen at `bind` if there is none.

        Raises ValueError for what is not valid, RuntimeError if the forwarder does not register
        the prefix, and OSError.
        """

    addresses: list[str]
    """Where it listens, if it does."""
    names: list[tuple[str, int]]
    """The names of all files' segments, without their numbers, and how many there are of each."""

    def run(self) -> None:
        """Serve until Ctrl-C, which raises KeyboardInterrupt."""

    def report(self) -> dict[str, Any]:
        """Give what it counted."""

def ndn_get(
    object: str,
    out: pathlib.Path,
    controller: str,
    connect: str,
    bind: str | None = None,
    key: str | None = None,
) -> dict[str, Any]:
    """Fetch an object into a file, and give what was measured. On Linux only.

    Raises ValueError for what is not valid, RuntimeError if the object cannot be had, OSError,
    and KeyboardInterrupt.
    """

def clean_leftovers() -> list[str]:
    """Remove the control groups of processes that were killed; return their directories.

    On Linux only. Raises OSError if one cannot be removed.
    """

@final
class PacketdrillScript:
    """A script of packetdrill, which is played against our TCP."""

    def __new__(cls, file: str, text: str) -> Self:
        """Read the text of a file. Raises ScenarioError, with the place of the mistake."""

    def play(self) -> str:
        """Play it to a host in virtual time: the verdict and the trace, as JSON."""

@final
class Suite:
    """A suite of cases that say whether a controller does what its specification says."""

    def __new__(cls, file: str, text: str) -> Self:
        """Read the text of a file. Raises ScenarioError, with the place of the mistake."""

    def described(self) -> str:
        """Give its title, document, controllers and cases, as JSON."""

    def play(
        self,
        case: str,
        controller: str,
        measure: Callable[[str, str], list[float | None] | str],
        extensions: dict[str, Any] | None = None,
    ) -> str:
        """Play a case to a controller: the verdict and the trace, as JSON.

        `measure` is called with the scenario of a case on a network and with what is to be
        measured there, as JSON; it gives the numbers, or says why it cannot.
        `extensions` may have the controller, as those of `Scenario`. Raises ValueError for an
        unknown case or controller.
        """

    def play_over(
        self,
        case: str,
        controller: str,
        measure: Callable[[str, str], list[float | None] | str],
        needs: Sequence[str] | None = None,
    ) -> str:
        """Play a case to a controller in an implementation of a protocol: the verdict, as JSON.

        `measure` is as that of `play`; `needs` is what the controller declares, if that is known.
        Raises ValueError for an unknown case.
        """

def measure_lookups(
    tables: list[tuple[str, list[int]]], seed: int, evictions: int
) -> list[dict[str, Any]]:
    """Time lookups of the codes of regions and in tables of IPv4 prefixes.

    Each table has a name, and how many prefixes it has of each length from 0 to 32. Each row has
    `table`, `structure`, `destinations`, `entries`, `warm_ns` and `cold_ns`. Raises ValueError
    for a table that is empty or does not fit into the address space.
    """

def serve_stack(file: pathlib.Path | str) -> None:
    """Serve an end of a library's stack over the standard input and output, until they close.

    Raises OSError.
    """

def schema() -> str: ...
def did_you_mean(wrong: str, known: list[str]) -> str | None:
    """Ask about the known names that are most like a wrong one; None if none is like it."""

def suggestion(wrong: str, known: list[str]) -> str:
    """Ask the same, if there is such a name, and list what is known."""

def check_toml(file: str, text: str) -> None:
    """Check that a text is TOML. Raises ScenarioError, with the place of the mistake."""

def catalogue(kind: str) -> str:
    """List controllers, queues, strategies or tables, as JSON."""

def axis_column(axis: str) -> str:
    """Give the column of an axis of a comparison, or of a parameter of a study."""

__version__: str
