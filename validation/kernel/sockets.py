"""Sockets of the hosts, made by one program, and what the kernel says about them."""

from __future__ import annotations

import contextlib
import ctypes
import socket
import struct
from collections.abc import Iterator

SYSCTLS = {
    # Not paced, as BBR alone is; each socket chooses its controller before its connection begins.
    "net.ipv4.tcp_congestion_control": "reno",
    # No memory of earlier connections.
    "net.ipv4.tcp_no_metrics_save": "1",
}
"""What is changed at both hosts; buffers are the kernel's own."""
PORT = 5000
LARGEST_READ = 1 << 18
TCP_INFO_BYTES = 256
FIELDS = {
    "smoothed_rtt_us": ("I", 68),
    "ssthresh": ("I", 76),
    "cwnd": ("I", 80),
    "reordering": ("I", 88),
    "retransmitted_ever": ("I", 100),
    "pacing_rate_bytes_per_second": ("Q", 104),
    "acknowledged_bytes": ("Q", 120),
    "limited_by_receiver_us": ("Q", 176),
    "limited_by_send_buffer_us": ("Q", 184),
    "window_of_receiver": ("I", 228),
}
"""Fields of `tcp_info`: how each is packed, and where it begins."""


@contextlib.contextmanager
def entered(namespace: str) -> Iterator[None]:
    """Be in a network namespace; a socket stays in that in which it was made."""
    library = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net") as home, open(f"/run/netns/{namespace}") as there:
        enter(library, there.fileno())
        try:
            yield
        finally:
            enter(library, home.fileno())


def enter(library: ctypes.CDLL, namespace: int) -> None:
    """Enter the namespace that a descriptor stands for."""
    if library.setns(namespace, 0):
        raise OSError(ctypes.get_errno(), "setns")


def made(
    namespace: str,
    controller: str | None = None,
    receive_buffer: int = 0,
    protocol: int = socket.IPPROTO_TCP,
) -> socket.socket:
    """Make a TCP or Multipath TCP socket in a namespace; 0 leaves its receive buffer to the kernel.

    The kernel doubles a receive buffer that is set.
    """
    with entered(namespace):
        one = socket.socket(proto=protocol)
    if controller:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, controller.encode())
    if receive_buffer:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer // 2)
    return one


def listening(one: socket.socket, address: str) -> socket.socket:
    """Let a socket accept connections."""
    one.bind((address, PORT))
    one.listen(100)
    return one


def read(one: socket.socket, size: int) -> int:
    """Read this many bytes, or fewer at the end of the stream; give how many."""
    missing = size
    while missing and (data := one.recv(min(missing, LARGEST_READ))):
        missing -= len(data)
    return size - missing


def state(one: socket.socket) -> dict[str, int]:
    """Give what the kernel says about a connection."""
    return fields(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_BYTES))


def fields(info: bytes) -> dict[str, int]:
    """Read the fields of `tcp_info`."""
    return {name: struct.unpack_from(kind, info, at)[0] for name, (kind, at) in FIELDS.items()}
