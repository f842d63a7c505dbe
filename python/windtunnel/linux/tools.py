"""Programs that a kernel is built with: whether all are there, and how each is run."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from windtunnel.linux.errors import KernelError

PACKAGES = {
    "make": "make",
    "cc": "gcc",
    "ld": "binutils",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "tar": "tar",
    "xz": "xz-utils",
}
"""What building a kernel needs, with Debian's package of each."""

LAST_LINES = 12
"""How much of what a program wrote is said when it fails."""

Line = Callable[[str], None]
"""Takes a line that a program wrote."""


def check_machine() -> None:
    """Check that the machine can run and build a kernel. Raises KernelError."""
    machine = f"{platform.system()} on {platform.machine()}"
    if machine != "Linux on x86_64":
        raise KernelError(f"the kernel as a host needs Linux on x86_64; this is {machine}")
    missing = sorted(package for name, package in PACKAGES.items() if not shutil.which(name))
    if not missing and not can_link_static():
        missing = ["libc6-dev"]
    if missing:
        raise KernelError(
            f"building a kernel needs programs that are missing\n"
            f"help: `apt-get install {' '.join(missing)}`"
        )


def can_link_static() -> bool:
    """Say whether programs can be linked with a static C library, as the guest's are."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["cc", "-static", "-x", "c", "-", "-o", str(Path(folder, "program"))]
        program = b'#include <stdio.h>\nint main(void) { return puts("") < 0; }\n'
        return not subprocess.run(command, input=program, capture_output=True).returncode


def output_of(command: Sequence[str]) -> str:
    """Run a program, and give what it wrote. Raises KernelError."""
    lines: list[str] = []
    run(command, line=lines.append)
    return "\n".join(lines)


def run(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    line: Line | None = None,
) -> None:
    """Run a program to its end; none of what it started outlives this call. Raises KernelError."""
    running = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    assert running.stdout is not None
    last: list[str] = []
    try:
        for written in running.stdout:
            last = [*last[1 - LAST_LINES :], written.rstrip()]
            if line:
                line(last[-1])
        code = running.wait()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    if code:
        said = "\n".join(f"    {it}" for it in last)
        raise KernelError(f"`{' '.join(command)}` failed with exit code {code}:\n{said}")
