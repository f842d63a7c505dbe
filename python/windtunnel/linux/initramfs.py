"""The file system that a kernel begins with: a cpio archive in the format `newc`.

The format is that of the kernel's documentation, driver-api/early-userspace/buffer-format. The same
files give the same bytes: owners, times and inodes are none of the machine's.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("dev", "etc", "proc", "run", "sys", "tmp")
CONSOLE = "dev/console", stat.S_IFCHR | 0o600, (5, 1)
"""The device that `init` writes to, with its numbers."""
BLOCK = 512


def initramfs(init: bytes, files: Path | None = None) -> bytes:
    """Give the archive that has this program as `/init`, empty folders, and what a folder has.

    Links of the folder are followed.
    """
    name, mode, device = CONSOLE
    entries = [
        *(entry(folder, stat.S_IFDIR | 0o755) for folder in FOLDERS),
        entry(name, mode, device=device),
        entry("init", stat.S_IFREG | 0o755, init),
        *(entries_of(files) if files else ()),
        entry("TRAILER!!!", 0),
    ]
    return padded(b"".join(entries), BLOCK)


def entries_of(folder: Path) -> Iterator[bytes]:
    """Give what a folder has, in the order of names."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            if name not in FOLDERS:
                yield entry(name, stat.S_IFDIR | 0o755)
        elif path.is_file():
            may_run = path.stat().st_mode & stat.S_IXUSR
            yield entry(name, stat.S_IFREG | (0o755 if may_run else 0o644), path.read_bytes())


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
