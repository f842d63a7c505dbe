"""What the kernel says about the subflows of a Multipath TCP connection."""

from __future__ import annotations

import ctypes
import socket
import struct

from sockets import TCP_INFO_BYTES, fields

SOL_MPTCP = 284
TCP_INFO_OF_SUBFLOWS = 2
ADDRESSES_OF_SUBFLOWS = 3
MOST_SUBFLOWS = 8
HEADER = struct.Struct("IIII")
"""`mptcp_subflow_data`: its own size, the number of subflows, the kernel's size of one, ours."""
ADDRESS_BYTES = 128
"""Of `sockaddr_storage`; an entry has the local address and the remote one."""
LIBRARY = ctypes.CDLL(None, use_errno=True)


def subflows(connection: socket.socket) -> dict[str, dict[str, int]]:
    """Give the fields of `tcp_info` of each subflow, by its local IPv4 address."""
    addresses = entries(connection, ADDRESSES_OF_SUBFLOWS, 2 * ADDRESS_BYTES)
    infos = entries(connection, TCP_INFO_OF_SUBFLOWS, TCP_INFO_BYTES)
    # A subflow may join between the two calls; it is last in both lists.
    pairs = zip(addresses, infos, strict=False)
    return {socket.inet_ntoa(address[4:8]): fields(info) for address, info in pairs}


def entries(connection: socket.socket, option: int, size: int) -> list[bytes]:
    """Give an entry of that size for each subflow."""
    room = HEADER.size + MOST_SUBFLOWS * size
    buffer = ctypes.create_string_buffer(HEADER.pack(HEADER.size, 0, 0, size), room)
    length = ctypes.c_uint32(room)
    number = connection.fileno(), SOL_MPTCP, option
    if LIBRARY.getsockopt(*number, buffer, ctypes.byref(length)):
        raise OSError(ctypes.get_errno(), "getsockopt")
    _, count, _, _ = HEADER.unpack_from(buffer.raw)
    starts = (HEADER.size + place * size for place in range(count))
    return [buffer.raw[start : start + size] for start in starts]
