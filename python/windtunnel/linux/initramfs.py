"""The file system that a kernel begins with: a cpio archive in the format `newc`.

The format is that of the kernel's documentation, driver-api/early-userspace/buffer-format. The same
files give the same bytes: owners, times and inodes are none of the machine's.
"""

from __future__ import annotations

import stat

FOLDERS = ("dev", "etc", "proc", "run", "sys", "tmp")
CONSOLE = "dev/console", stat.S_IFCHR | 0o600, (5, 1)
"""The device that `init` writes to, with its numbers."""
BLOCK = 512


def initramfs(init: bytes) -> bytes:
    """Give the archive that has this program as `/init`, and empty folders."""
    name, mode, device = CONSOLE
    entries = [
        *(entry(folder, stat.S_IFDIR | 0o755) for folder in FOLDERS),
        entry(name, mode, device=device),
        entry("init", stat.S_IFREG | 0o755, init),
        entry("TRAILER!!!", 0),
    ]
    return padded(b"".join(entries), BLOCK)


def entry(name: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """Give one file: its header of 13 hexadecimal numbers, its name and what it has."""
    path = name.encode() + b"\0"
    inode, owner, group, links, time, check = 0, 0, 0, 1, 0, 0
    filesystem = 0, 0
    numbers = (inode, mode, owner, group, links, time, len(content), *filesystem, *device)
    header = "070701" + "".join(f"{it:08x}" for it in (*numbers, len(path), check))
    return padded(header.encode() + path, 4) + padded(content, 4)


def padded(data: bytes, multiple: int) -> bytes:
    """Add zeroes up to a multiple of a length."""
    return data + bytes(-len(data) % multiple)
