"""The source of a kernel: the distribution's package, or a folder of the user's."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from windtunnel.linux.errors import KernelError
from windtunnel.linux.tools import run

VERSION = "6.12"
PACKAGE = f"linux-source-{VERSION}"
"""The package that a kernel is built from by default. Getting it takes no root."""


@dataclass(frozen=True)
class Source:
    """The source of a kernel."""

    folder: Path
    words: str
    """Where it is from."""


def own(folder: Path) -> Source:
    """Take a folder of the user's. Raises KernelError."""
    folder = folder.resolve()
    for needed in ("Kconfig", "net/ipv4/Kconfig", "arch/um/Makefile"):
        if not (folder / needed).is_file():
            raise KernelError(f"{folder} has no {needed}: it is not the source of a Linux kernel")
    for left in (".config", "include/config"):
        if (folder / left).exists():
            raise KernelError(
                f"{folder} has been built in (it has {left}), which its Makefile does not allow "
                "for a build elsewhere\n"
                "help: `make mrproper` there, or give another tree of it: `git worktree add`"
            )
    return Source(folder, str(folder))


def fetched(into: Path) -> Source:
    """Fetch the distribution's package and unpack it. Raises KernelError."""
    if not shutil.which("apt-get"):
        raise KernelError(
            "there is no apt-get to get the source of a kernel with\nhelp: give it: --source DIR"
        )
    try:
        run(["apt-get", "download", PACKAGE], into)
    except KernelError as error:
        raise KernelError(
            f"{error}\nhelp: `apt-get update`; a distribution without {PACKAGE} needs --source DIR"
        ) from error
    [package] = into.glob("*.deb")
    run(["dpkg-deb", "--extract", package.name, "."], into)
    run(["tar", "--extract", "--file", f"usr/src/{PACKAGE}.tar.xz"], into)
    version = package.name.split("_")[1]
    package.unlink()
    shutil.rmtree(into / "usr")
    return Source(into / PACKAGE, f"{PACKAGE} {version}")
