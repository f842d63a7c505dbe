"""Builds a kernel, the program in it and the file system that it begins with."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windtunnel.folders import beside
from windtunnel.linux import first_run, source
from windtunnel.linux.configuration import configure
from windtunnel.linux.errors import KernelError
from windtunnel.linux.initramfs import initramfs
from windtunnel.linux.kernels import (
    EXECUTABLE,
    INITRAMFS,
    About,
    Kernel,
    built,
    folder_of,
    kernels_folder,
    write_about,
)
from windtunnel.linux.tools import check_machine, output_of, run
from windtunnel.progress import Watch

AGENT = Path(__file__).parent / "agent.c"

OBJECTS = "objects"
"""Where what was compiled of a user's own tree is kept, so that a change takes seconds."""

MOST_FILES = 30_000_000
"""How many bytes of files a kernel has room for, which has 96 MiB of memory."""

LINES = 1200
"""How many lines `make` writes for Linux 6.12; only the progress is computed from it."""


@dataclass(frozen=True)
class Progress:
    """The progress of a build."""

    step: str
    """What is done."""
    share: float
    """The share done, from 0 to 1, as far as it is known."""
    real_s: float
    """Seconds since the start."""

    def words(self) -> list[str]:
        """Describe it."""
        return [self.step]


def build(folder: Path | None, name: str | None, watch: Watch, files: Path | None = None) -> Kernel:
    """Build a kernel from a folder, or from the distribution's package. Raises KernelError.

    Its default name is that of the folder, or the version of the package. What was built before
    from a folder is built again, and what has not changed is not compiled again; of what was built
    from the package, only the program in it, if that has changed, and `files`, a folder whose files
    it has at `/`. Nothing is left of what fails or is interrupted.
    """
    check_machine()
    own = source.own(folder) if folder else None
    name = name or (own.folder.name if own else source.VERSION)
    if files and name == source.VERSION:
        raise KernelError("a kernel with files has a name of its own\nhelp: --name NAME")
    place = folder_of(name)
    with only_one():
        there = built(name)
        if there and not is_from(there, own):
            raise KernelError(
                f"there is a kernel `{name}` already, {there.about.release}, built from "
                f"{there.about.source}\nhelp: `windtunnel linux remove {name}`, or --name NAME"
            )
        if not files and there and there.about.files:
            files = Path(there.about.files)
        files = files and checked(files)
        with beside(place) as made:
            kernel = made / "kernel"
            kernel.mkdir()
            same = None if own else there or (built(source.VERSION) if files else None)
            if same:
                shutil.copy2(same.folder / EXECUTABLE, kernel)
                used = same.about.source
            else:
                used = compiled(own, place, kernel, watch)
            finish(kernel, used, files)
            if place.exists():
                place.rename(made / "old")
            kernel.rename(place)
    finished = built(name)
    assert finished is not None
    return finished


def checked(files: Path) -> Path:
    """Give a folder of files if a kernel has room for them. Raises KernelError."""
    if not files.is_dir():
        raise KernelError(f"{files} is not a folder")
    size = sum(it.stat().st_size for it in files.rglob("*") if it.is_file())
    if size > MOST_FILES:
        raise KernelError(
            f"{files} has {size / 1e6:.0f} MB, and a kernel has room for {MOST_FILES / 1e6:.0f} MB"
        )
    return files.resolve()


def is_from(there: Kernel, own: source.Source | None) -> bool:
    """Say whether a kernel was built from this folder, or from the distribution's package."""
    from_there = there.about.source
    return from_there == own.words if own else from_there.startswith(source.PACKAGE)


@contextmanager
def only_one() -> Iterator[None]:
    """Let one process at a time build, and remove what one left that was killed."""
    folder = kernels_folder()
    folder.mkdir(parents=True, exist_ok=True)
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise KernelError("another process is building a kernel; wait for it") from None
        for left in folder.glob(".*-*"):
            shutil.rmtree(left)
        yield
    finally:
        os.close(opened)


def compiled(own: source.Source | None, place: Path, kernel: Path, watch: Watch) -> str:
    """Compile into the folder `kernel`, and give the words for the source.

    Of a folder of the user's, what was compiled before is in `place`, and is kept.
    """
    started = time.monotonic()

    def tell(step: str, share: float) -> None:
        watch(Progress(step, share, time.monotonic() - started))

    tell(f"fetching {source.PACKAGE}", 0.0)
    used = own or source.fetched(kernel.parent)
    objects = (kernel if own else kernel.parent) / OBJECTS
    if own and (place / OBJECTS).exists():
        (place / OBJECTS).rename(objects)
    objects.mkdir(exist_ok=True)
    tell("configuring", 0.1)
    environment = configure(used.folder, objects)
    lines = 0

    def line(written: str) -> None:
        nonlocal lines
        lines += 1
        tell(written.strip(), 0.1 + 0.9 * min(lines / LINES, 0.99))

    processors = len(os.sched_getaffinity(0))
    make = ["make", f"O={objects}", f"--jobs={processors}", EXECUTABLE]
    run(make, used.folder, environment, line)
    shutil.copy2(objects / EXECUTABLE, kernel)
    return used.words


def finish(kernel: Path, used: str, files: Path | None) -> None:
    """Compile the program in the kernel, write the archive with it, try it, and say what it is."""
    program = kernel.parent / "agent"
    run(["cc", "-static", "-O2", "-o", str(program), str(AGENT)])
    executable, archive = kernel / EXECUTABLE, kernel / INITRAMFS
    archive.write_bytes(initramfs(program.read_bytes(), files))
    about = About(
        release=output_of([str(executable), "--version"]),
        source=used,
        compiler=output_of(["cc", "--version"]).splitlines()[0],
        built=f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}",
        linux_sha256=digest(executable),
        initramfs_sha256=digest(archive),
        agent_sha256=digest(AGENT),
        first_run_sha256=first_run.digest(kernel),
        files=str(files) if files else None,
    )
    write_about(kernel, about)


def digest(file: Path) -> str:
    """Give the SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
