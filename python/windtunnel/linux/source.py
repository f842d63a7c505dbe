"""The source of a kernel: the distribution's package, or a folder of the user's."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.linux.errors import KernelError
from windtunnel.linux.tools import run

VERSION = "6.12"
PACKAGE = f"linux-source-{VERSION}"
"""The package that a kernel is built from by default. Getting it takes no root."""

REGISTERS = "arch/x86/um/user-offsets.c"
"""The file of the source that says how large the registers of a processor are."""
ROOM = "HOST_FP_SIZE, 2696)"
"""What it says before 6.13, in bytes."""
REGISTERS_SIZE = 12_288
"""The registers of processors with AMX take 11,008 bytes."""

CLOCK = "arch/um/kernel/time.c"
"""The file of the source that says how much time it takes a program to ask for the time."""
CLOCK_CHANGES = (
    (
        "time_travel_update_time_rel(TIMER_MULTIPLIER);",
        "time_travel_update_time_rel(time_travel_asked++ < 10000 ?\n"
        "\t\t\t\t\t\t    TIMER_MULTIPLIER : 200 * TIMER_MULTIPLIER);",
    ),
    (
        "void time_travel_sleep(void)\n{\n",
        "static unsigned int time_travel_asked;\n\n"
        "void time_travel_sleep(void)\n{\n\ttime_travel_asked = 0;\n",
    ),
)
"""What is written there instead."""


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
    make_room_for_registers(into / PACKAGE)
    let_spinning_programs_wait(into / PACKAGE)
    return Source(into / PACKAGE, f"{PACKAGE} {version}")


def make_room_for_registers(folder: Path) -> None:
    """Let a kernel run on processors with AMX.

    User-Mode Linux before 6.13 has room for the registers of a processor with AVX-512, and the
    system lets nobody set a part of them only. Where a processor has fewer, the rest is unused.
    """
    rewrite(folder / REGISTERS, [(ROOM, f"HOST_FP_SIZE, {REGISTERS_SIZE})")])


def let_spinning_programs_wait(folder: Path) -> None:
    """Let time pass for a program that asks for it again and again instead of waiting.

    User-Mode Linux lets 256 ns pass each time, and a machine takes some 0.1 ms for that. Once the
    processor was asked 10,000 times without a pause, 51.2 us pass.
    """
    rewrite(folder / CLOCK, CLOCK_CHANGES)


def rewrite(file: Path, changes: Sequence[tuple[str, str]]) -> None:
    """Replace the first text of each change by the second, if all of them are in the file."""
    text = file.read_text(encoding="utf-8")
    if all(before in text for before, _ in changes):
        for before, after in changes:
            text = text.replace(before, after)
        file.write_text(text, encoding="utf-8")
