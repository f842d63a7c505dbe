"""Implementations of transport protocols written in Python: the ends of connections.

A Python class is called as the implementations in the core are: it is given the time and what has
arrived, and says what it sends and when it wants to be called again. A scenario names it::

    [flows.download]
    protocol = "stack"
    stack = { name = "toy" }

and it is given with the scenario::

    windtunnel.run("scenario.toml", extensions={"toy": Toy})

One that speaks QUIC is named by `quic = { stack = "toy" }`, with `protocol = "quic"`.

Times are integer nanoseconds since the run began, data is counted in bytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from windtunnel._core import Datagram, Place

__all__ = ["Datagram", "Departure", "Event", "Place", "Read", "Stack", "State"]

Address = tuple[str, int]
"""An IP address as text, and a port."""

EventKind = Literal[
    "connected", "available", "opened", "readable", "writable", "acknowledged", "failed"
]
"""The handshake is over; more streams may be opened than before; the peer has opened a stream;
there is something to read of a stream, or its end; there is room to write to it again; all that was
written to it was acknowledged, the end as well; the connection is over."""


class Departure(NamedTuple):
    """What leaves at once: a datagram, or several of the same size except the last."""

    data: bytes
    """What is in the datagrams, one after another."""
    to: Address | None = None
    """Where they are sent to; None: to the peer."""
    ecn: int = 0
    """The ECN field of each: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE (RFC 3168)."""
    segment: int | None = None
    """The bytes of each datagram but the last, which may be shorter; None: it is one datagram."""


class State(NamedTuple):
    """What a stack tells of its connection; None where it does not know."""

    cwnd: int | None = None
    """The congestion window in bytes."""
    ssthresh: int | None = None
    """The slow-start threshold in bytes."""
    in_flight: int | None = None
    """Bytes in flight."""
    smoothed_rtt: int | None = None
    """The smoothed round trip in nanoseconds."""
    least_rtt: int | None = None
    """The least round trip in nanoseconds."""
    pacing_rate: int | None = None
    """The pacing rate in bytes per second."""
    lost_packets: int | None = None
    """Packets that it considered lost so far."""
    decreases: int | None = None
    """How often it reduced its rate of sending."""
    mtu: int | None = None
    """The largest datagram that it sends, in bytes."""


class Event(NamedTuple):
    """What has happened to the connection or to a stream."""

    kind: EventKind
    """What."""
    stream: int = 0
    """The stream, if it is about one."""
    reason: str = ""
    """Why the connection is over, of `failed`."""


class Read(NamedTuple):
    """What was read of a stream."""

    size: int
    """How many bytes."""
    is_end: bool
    """Whether there will be no more."""


class Stack(ABC):
    """The base class of stacks; each end of a connection has an instance.

    After each call it is asked for events and for what it sends, until there is nothing more, and
    then when it wants to be woken. Streams carry data in both directions, and are numbered from 0
    in the order in which the client opens them. Bytes are counted; what they are is of no concern
    between two ends of one class, and `windtunnel.stacks.content` has those that others expect.

    An exception, or an answer that cannot be, ends its flow: the column `failure` says why. A stack
    sees no other clock than the times that it is given, and draws random numbers from the seed of
    its place, or its runs are not repeated.
    """

    largest_datagram: ClassVar[int] = 1200
    """The bytes of the largest datagram that it sends."""
    first_datagram: ClassVar[int | None] = None
    """The bytes of the largest one before it knows that the path carries more; None: the same."""
    controllers: ClassVar[Sequence[str]] = ()
    """The names of its own congestion controllers, of which the first is its default."""
    is_deterministic: ClassVar[bool] = True
    """Whether its runs are the same when the seed is."""

    def __init__(self, now: int, place: Place) -> None:  # noqa: B027
        """Begin: one end of a connection that is to be."""

    @abstractmethod
    def receive(self, now: int, datagrams: Sequence[Datagram]) -> None:
        """Handle datagrams that have arrived and are read together."""

    @abstractmethod
    def wake(self, now: int) -> None:
        """Handle that the time has come that it asked for. An earlier call must do no harm."""

    @abstractmethod
    def send(self, now: int) -> Departure | None:
        """Give what leaves now; it is asked again until there is nothing more."""

    @abstractmethod
    def next_wake(self) -> int | None:
        """Say when it wants `wake` to be called, if ever."""

    def state(self) -> State:
        """Tell of the connection."""
        return State()

    def secrets(self) -> str:
        """Give what decrypts its packets, as lines of a key log (RFC 9850): all so far."""
        return ""

    @abstractmethod
    def open(self, now: int) -> int | None:
        """Open the next stream, if the peer allows another one; give its number."""

    @abstractmethod
    def write(self, now: int, stream: int, count: int) -> int:
        """Take as many of so many bytes more as there is room for; give how many."""

    @abstractmethod
    def finish(self, now: int, stream: int) -> None:
        """Handle that nothing more will be written."""

    @abstractmethod
    def read(self, now: int, stream: int) -> Read:
        """Read what has arrived in order."""

    @abstractmethod
    def next_event(self) -> Event | None:
        """Give what has happened since the last call, one event after another."""
