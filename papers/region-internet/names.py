"""What the roots of regions answer: section VI.C.

They are asked on this machine, over UDP; how long it takes is that of the simulated network.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import polars as pl

from windtunnel import _core
from windtunnel.measures.measure import VALUE, Measure, Tables, of_runs

FILE = Path(__file__).with_name("names.toml")

ASKED = {
    "foreign-with-suffix": ("ct2", "www.xyz.com.ct1"),
    "own-with-suffix": ("ct1", "www.xyz.com.ct1"),
    "own-without-suffix": ("ct1", "www.xyz.com"),
    "branch-without-suffix": ("ct3", "www.xyz.com"),
    "foreign-without-suffix": ("ct2", "www.xyz.com"),
    "without-agreement": ("ct4", "www.xyz.com.ct1"),
}
"""Each question: the region whose root is asked, and the name."""

ADDRESS, CODE = 1, 65280
"""The types of records with an address, and with a region's code."""


class Answer:
    """What a root answered."""

    def __init__(self, message: bytes) -> None:
        """Read a message (RFC 1035, section 4.1)."""
        self.size = len(message)
        _, flags, questions, *records = struct.unpack("!6H", message[:12])
        self.status = flags & 15
        place = 12
        for _ in range(questions):
            place = after_name(message, place) + 4
        self.records: dict[int, bytes] = {}
        for _ in range(sum(records)):
            place = after_name(message, place)
            kind, _, _, length = struct.unpack("!HHIH", message[place : place + 10])
            self.records[kind] = message[place + 10 : place + 10 + length]
            place += 10 + length


def after_name(message: bytes, place: int) -> int:
    """Give the place after a name, which may end in a pointer."""
    while (length := message[place]) and length < 192:
        place += 1 + length
    return place + (2 if length else 1)


def query(name: str) -> bytes:
    """Write a query for an address, that asks for all of it to be looked up."""
    labels = b"".join(bytes([len(it)]) + it.encode() for it in name.split("."))
    return struct.pack("!6H", 1, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", 1, 1)


@cache
def answers() -> dict[str, Answer]:
    """Ask all questions."""
    server = _core.DnsServer(str(FILE), FILE.read_text(encoding="utf-8"))
    try:
        at = dict(server.addresses)
        return {asked: ask(at[root], name) for asked, (root, name) in ASKED.items()}
    finally:
        server.stop()


def ask(address: str, name: str) -> Answer:
    """Ask a root."""
    host, port = address.rsplit(":", 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(10.0)
        client.sendto(query(name), (host, int(port)))
        return Answer(client.recv(65535))


def of_answers(results: Tables, keys: list[str], take: Callable[[str], float]) -> pl.DataFrame:
    """Measure the answer to each question."""
    rows = results["runs"].select(keys)
    return rows.with_columns(pl.Series(VALUE, [take(it) for it in rows["asked"]], pl.Float64))


def measure(title: str, unit: str, take: Callable[[str], float]) -> Measure:
    """Measure answers."""
    return Measure(title, unit, partial(of_answers, take=take))


def lookup_time(results: Tables, keys: list[str]) -> pl.DataFrame:
    """Give how long a host waited for the answer, in ms."""
    return of_runs(results["name_lookups"], keys, pl.col("lookup_s").first() * 1e3)


MEASURES = {
    "lookup-time": Measure("time from a question to its answer", "ms", lookup_time),
    "status": measure(
        "response code: 0 no error, 3 no such name, 5 refused", "", lambda it: answers()[it].status
    ),
    "found": measure(
        "addresses in the answer", "", lambda it: float(ADDRESS in answers()[it].records)
    ),
    "code-beside-it": measure(
        "codes of regions in the answer", "", lambda it: float(CODE in answers()[it].records)
    ),
    "query-bytes": measure("query", "B", lambda it: len(query(ASKED[it][1]))),
    "answer-bytes": measure("answer", "B", lambda it: answers()[it].size),
}
