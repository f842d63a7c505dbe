"""What streams carry in simulations: bytes that say where they are, so that others are noticed.

Each is its offset in the stream modulo 251, at both ends of all implementations that come with
Windtunnel.
"""

from __future__ import annotations

PERIOD = 251
"""The bytes repeat after so many: a prime, so that no packet size is a multiple of it."""

BYTES = bytes(range(PERIOD))


def piece(offset: int, size: int) -> bytes:
    """Give the bytes of a stream from an offset on."""
    start = offset % PERIOD
    return (BYTES * ((start + size) // PERIOD + 1))[start : start + size]


def are_right(offset: int, data: bytes) -> bool:
    """Say whether these are the bytes of a stream from an offset on."""
    return data == piece(offset, len(data))
