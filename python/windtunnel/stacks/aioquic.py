"""[aioquic](https://aioquic.readthedocs.io) as a stack: `quic = { stack = "aioquic" }`.

With its defaults, except that a connection lasts as long as its flow. Its random numbers are drawn
from the seed; keys differ from run to run, but no size does.
"""

from __future__ import annotations

import io
import math
import os
import random
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from windtunnel.package_data import IDENTITY
from windtunnel.stacks import content
from windtunnel.stacks.stack import Datagram, Departure, Event, Place, Read, Stack, State

try:
    from aioquic import buffer, tls
    from aioquic.quic import connection as connections
    from aioquic.quic import events, packet
    from aioquic.quic.configuration import QuicConfiguration
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding, load_der_private_key
except ImportError as error:
    raise ImportError("aioquic is not installed; `pip install aioquic` does that") from error

NAME = "windtunnel"
"""What the certificate is for."""

MOST_HELD = 1 << 22
"""The most bytes of a stream that are held until they are acknowledged: four times the window of
the receiver, so that it is not this that limits it."""

FOR_EVER = 1e9
"""An idle timeout in seconds that no flow reaches."""


class Seeded(threading.local):
    """What aioquic uses of the module `os`: random numbers, of the end that is being called."""

    source: random.Random | None = None

    def urandom(self, size: int) -> bytes:
        """Draw from the end's own generator; outside of runs, from the system's."""
        return self.source.randbytes(size) if self.source else os.urandom(size)


SEEDED = Seeded()
for module in (connections, packet, tls):
    vars(module)["os"] = SEEDED


@dataclass
class Stream:
    """What is counted of a stream."""

    written: int = 0
    received: int = 0
    unread: int = 0
    is_complete: bool = False
    is_short: bool = False
    """Whether there was too little room for what was written last."""
    is_acknowledged: bool = False


class Aioquic(Stack):
    """An end of a connection by aioquic."""

    controllers: ClassVar[Sequence[str]] = ("reno", "cubic")

    def __init__(self, now: int, place: Place) -> None:
        """Connect, or wait for that."""
        self.random = random.Random(place.seed)
        self.peer = place.peer
        self.log = io.StringIO()
        self.configuration = configuration(place, self.log)
        self.connection: Any = None
        self.streams: dict[int, Stream] = {}
        self.senders: dict[int, Any] = {}
        self.happened: deque[Event] = deque()
        self.departures: deque[bytes] = deque()
        self.is_connected = False
        self.lost = 0
        if place.role == "client":
            with self.drawing():
                connection = connections.QuicConnection(configuration=self.configuration)
                self.begin(connection)
                connection.connect(self.peer, now=seconds(now))

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Have aioquic draw from this end's generator."""
        SEEDED.source = self.random
        try:
            yield
        finally:
            SEEDED.source = None

    def begin(self, connection: Any) -> None:
        """Take a connection, whose losses are counted."""
        self.connection = connection
        controller = connection._loss._cc
        handle = controller.on_packets_lost

        def on_packets_lost(*, now: float, packets: Any) -> None:
            lost = list(packets)
            self.lost += len(lost)
            handle(now=now, packets=lost)

        controller.on_packets_lost = on_packets_lost

    def receive(self, now: int, datagrams: Sequence[Datagram]) -> None:
        """Hand over what has arrived."""
        with self.drawing():
            for datagram in datagrams:
                if self.connection is None:
                    self.accept(datagram)
                self.connection.receive_datagram(datagram.data, self.peer, now=seconds(now))
            self.note()

    def accept(self, datagram: Datagram) -> None:
        """Accept a connection whose first datagram this is."""
        data = buffer.Buffer(data=datagram.data)  # type: ignore[attr-defined]
        header = packet.pull_quic_header(data, host_cid_length=8)
        self.begin(
            connections.QuicConnection(
                configuration=self.configuration,
                original_destination_connection_id=header.destination_cid,
            )
        )

    def note(self) -> None:
        """Note what has happened."""
        while (event := self.connection.next_event()) is not None:
            match event:
                case events.HandshakeCompleted():
                    self.is_connected = True
                    self.happened += [Event("connected"), Event("available")]
                case events.StreamDataReceived():
                    self.note_data(event)
                case events.ConnectionTerminated():
                    self.happened.append(Event("failed", 0, event.reason_phrase or "it is closed"))
        for number, sender in list(self.senders.items()):
            stream = self.streams[number]
            if sender.is_finished:
                del self.senders[number]
                self.happened.append(Event("acknowledged", number))
            elif stream.is_short and held(sender) < MOST_HELD // 2:
                stream.is_short = False
                self.happened.append(Event("writable", number))

    def note_data(self, event: events.StreamDataReceived) -> None:
        """Count data that is there to be read."""
        number = event.stream_id // 4
        if number not in self.streams:
            self.add(number)
            self.happened.append(Event("opened", number))
        stream = self.streams[number]
        if not content.are_right(stream.received, event.data):
            reason = f"stream {number} brought other bytes than were sent"
            self.happened.append(Event("failed", number, reason))
        stream.received += len(event.data)
        stream.unread += len(event.data)
        stream.is_complete |= event.end_stream
        self.happened.append(Event("readable", number))

    def add(self, number: int) -> None:
        """Take a stream, which is made if aioquic has none yet."""
        self.streams[number] = Stream()
        self.connection.send_stream_data(4 * number, b"")
        self.senders[number] = self.connection._streams[4 * number].sender

    def wake(self, now: int) -> None:
        """Let its timers expire."""
        timer = self.connection.get_timer() if self.connection else None
        if timer is not None and timer <= seconds(now):
            with self.drawing():
                self.connection.handle_timer(now=seconds(now))
                self.note()

    def send(self, now: int) -> Departure | None:
        """Give a datagram of those that aioquic sends now."""
        if not self.departures and self.connection:
            with self.drawing():
                made = self.connection.datagrams_to_send(now=seconds(now))
            self.departures += (data for data, _ in made)
        return Departure(self.departures.popleft()) if self.departures else None

    def next_wake(self) -> int | None:
        """Give the time of its next timer."""
        timer = self.connection.get_timer() if self.connection else None
        return None if timer is None else math.ceil(timer * 1e9)

    def state(self) -> State:
        """Tell of its loss recovery."""
        if self.connection is None:
            return State()
        loss = self.connection._loss
        measured = loss._rtt_initialized
        return State(
            cwnd=loss.congestion_window,
            ssthresh=loss._cc.ssthresh,
            in_flight=loss.bytes_in_flight,
            smoothed_rtt=round(loss._rtt_smoothed * 1e9) if measured else None,
            least_rtt=round(loss._rtt_min * 1e9) if measured else None,
            lost_packets=self.lost,
            mtu=self.connection._max_datagram_size,
        )

    def secrets(self) -> str:
        """Give the lines of its key log."""
        return self.log.getvalue()

    def open(self, now: int) -> int | None:
        """Open a stream, once the handshake is over."""
        if not self.is_connected:
            return None
        number = int(self.connection.get_next_available_stream_id()) // 4
        self.add(number)
        return number

    def write(self, now: int, stream: int, count: int) -> int:
        """Take as much as there is room for."""
        counted = self.streams[stream]
        taken = min(count, MOST_HELD - held(self.senders[stream]))
        counted.is_short = taken < count
        self.connection.send_stream_data(4 * stream, content.piece(counted.written, taken))
        counted.written += taken
        return taken

    def finish(self, now: int, stream: int) -> None:
        """End what is sent."""
        self.connection.send_stream_data(4 * stream, b"", end_stream=True)

    def read(self, now: int, stream: int) -> Read:
        """Read what has arrived."""
        counted = self.streams[stream]
        count, counted.unread = counted.unread, 0
        return Read(count, counted.is_complete)

    def next_event(self) -> Event | None:
        """Give the next event."""
        return self.happened.popleft() if self.happened else None


def configuration(place: Place, log: io.StringIO) -> QuicConfiguration:
    """Configure an end: with the certificate, or the trust in it."""
    certificate = x509.load_der_x509_certificate((IDENTITY / "certificate.der").read_bytes())
    made = QuicConfiguration(
        is_client=place.role == "client",
        congestion_control_algorithm=place.controller or "reno",
        idle_timeout=FOR_EVER,
        server_name=NAME,
    )
    if made.is_client:
        made.cadata = certificate.public_bytes(Encoding.PEM)
        made.secrets_log_file = log
    else:
        made.certificate = certificate
        made.private_key = load_der_private_key((IDENTITY / "key.der").read_bytes(), None)
    return made


def held(sender: Any) -> int:
    """Give the bytes that a stream holds until they are acknowledged."""
    return int(sender._buffer_stop - sender._buffer_start)


def seconds(now: int) -> float:
    """Give a time as aioquic has it."""
    return now / 1e9
