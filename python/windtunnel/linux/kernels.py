"""The kernels that were built, each in a folder of its name in the user's cache."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from windtunnel.cache import cache_folder
from windtunnel.linux.errors import KernelError

EXECUTABLE = "linux"
INITRAMFS = "initramfs.cpio"
ABOUT = "about.json"


@dataclass(frozen=True)
class About:
    """What a kernel is, and what it was built from."""

    release: str
    """Its release, such as 6.12.117."""
    source: str
    """The package with its version, or the folder."""
    compiler: str
    """The C compiler."""
    built: str
    """When it was built, in UTC."""
    linux_sha256: str
    """Of the executable."""
    initramfs_sha256: str
    """Of the file system that it begins with."""
    agent_sha256: str
    """Of the source of the program in that, which must be this version's."""
    first_run_sha256: str
    """Of the packets of its first run: the same on another machine means the same results there."""
    files: str | None = None
    """The folder of the user's whose files it has, if any."""


@dataclass(frozen=True)
class Kernel:
    """A kernel that can be run."""

    name: str
    folder: Path
    about: About

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(it.stat().st_size for it in self.folder.rglob("*") if it.is_file())


def kernels_folder() -> Path:
    """Give the folder of all kernels."""
    return cache_folder() / "linux"


def folder_of(name: str) -> Path:
    """Give the folder of a kernel, which need not exist. Raises KernelError."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+-]*", name):
        raise KernelError(
            f"`{name}` cannot be the name of a kernel: it is the name of a folder, of letters, "
            "digits and `.`, `_`, `+`, `-`, such as 6.12"
        )
    return kernels_folder() / name


def built(name: str) -> Kernel | None:
    """Give a kernel if it was built. Raises KernelError."""
    folder = folder_of(name)
    try:
        about = About(**json.loads((folder / ABOUT).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise KernelError(
            f"{folder / ABOUT} cannot be read: {error}\n"
            f"help: `windtunnel linux remove {name}`, then build it again"
        ) from error
    return Kernel(name, folder, about)


def all_built() -> list[Kernel]:
    """Give all kernels that were built, by name. Raises KernelError."""
    folders = sorted(kernels_folder().glob("[!.]*/" + ABOUT))
    return [kernel for it in folders if (kernel := built(it.parent.name))]


def write_about(folder: Path, about: About) -> None:
    """Write what a kernel is into its folder."""
    (folder / ABOUT).write_text(json.dumps(asdict(about), indent=2) + "\n", encoding="utf-8")


def remove(name: str) -> Path:
    """Remove a kernel, and give the folder where it was. Raises KernelError."""
    folder = folder_of(name)
    if not folder.is_dir():
        names = ", ".join(f"`{it.name}`" for it in all_built())
        raise KernelError(
            f"no kernel `{name}` in {kernels_folder()}\nhelp: built are: {names or 'none'}"
        )
    shutil.rmtree(folder)
    return folder
