"""The sizes of Multipath TCP's segments, as they leave and reach a host (RFC 8684, section 3)."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Iterator

from sockets import entered

ALL_PROTOCOLS = 3
"""A packet socket for fewer does not see what its own host sends."""
SUBTYPES = {0: "MP_CAPABLE", 1: "MP_JOIN", 2: "DSS"}
"""Those by which a connection opens, and is used."""
OPTION = 30
SYN, ACK = 0x02, 0x10
LARGEST = 2048

Sizes = tuple[int, int, int]
"""The bytes of the IP packet, of its Multipath TCP option, and of the data."""


@contextlib.contextmanager
def captured(namespace: str) -> Iterator[list[bytes]]:
    """Collect the IP packets that a host sends and receives."""
    packets: list[bytes] = []
    with entered(namespace):
        tap = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL_PROTOCOLS))
    tap.settimeout(0.1)
    over = threading.Event()

    def collect() -> None:
        while not over.is_set():
            with contextlib.suppress(TimeoutError):
                packets.append(tap.recv(LARGEST))

    collecting = threading.Thread(target=collect)
    collecting.start()
    try:
        yield packets
    finally:
        over.set()
        collecting.join()
        tap.close()


def sizes(packets: list[bytes]) -> dict[str, Sizes]:
    """Give the most frequent sizes of each kind of segment."""
    found: dict[str, Counter[Sizes]] = {}
    for packet in packets:
        if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_TCP and (it := described(packet)):
            kind, size = it
            found.setdefault(kind, Counter())[size] += 1
    return {kind: counted.most_common(1)[0][0] for kind, counted in found.items()}


def described(packet: bytes) -> tuple[str, Sizes] | None:
    """Give the kind of a segment and its sizes; none if it has no option of those subtypes."""
    length = int.from_bytes(packet[2:4])
    segment = packet[(packet[0] & 15) * 4 : length]
    header = (segment[12] >> 4) * 4
    own = next((it for it in options(segment[20:header]) if it[0] == OPTION), None)
    if own is None or own[2] >> 4 not in SUBTYPES:
        return None
    data = len(segment) - header
    shape = {SYN: "SYN", SYN | ACK: "SYN-ACK"}.get(segment[13] & (SYN | ACK))
    kind = f"{SUBTYPES[own[2] >> 4]} {shape or ('data' if data else 'ACK')}"
    return kind, (length, len(own), data)


def options(field: bytes) -> Iterator[bytes]:
    """Give each TCP option, without the padding."""
    while field and field[0]:
        length = 1 if field[0] == 1 else field[1]
        if length > 1:
            yield field[:length]
        field = field[length:]
