"""Programs in namespaces of their own (user, network, mount, PID).

They need no privileges there, and nothing outlives them. If namespaces are not allowed, or
a tool is missing, the program prints `skipped` with the reason and ends with exit code 77.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SKIPPED = 77
"""The exit code of a skipped test, as in automake."""
UNSHARE = "unshare --user --map-root-user --net --mount --pid --fork --kill-child --mount-proc"
# `ip netns` keeps its list below /run, which is private from here on.
PRIVATE = 'mount -t tmpfs none /run && mkdir /run/netns && exec "$@"'


def skip(reason: str) -> None:
    """Say why nothing was measured, and end."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def check(tools: Mapping[str, str]) -> None:
    """End if one of the tools is missing, or namespaces are not allowed.

    `tools` are programs, each with the Debian package that contains it.
    """
    for tool, package in {"unshare": "util-linux", **tools}.items():
        if not shutil.which(tool):
            skip(f"{tool} is not installed (Debian's package {package})")
    probe = subprocess.run([*UNSHARE.split(), "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        skip(f"namespaces are not allowed here ({probe.stderr.strip()})")


def hurry() -> None:
    """Run before other programs that want a processor, where that is allowed."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def write(results: Path, found: Mapping[str, object]) -> None:
    """Write what was measured as one line of JSON."""
    results.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


def command(program: str, *arguments: str) -> list[str]:
    """Give the command line that runs a Python program in namespaces of its own."""
    return [*UNSHARE.split(), "sh", "-c", PRIVATE, "sh", sys.executable, program, *arguments]


def in_namespaces(program: str, *arguments: str) -> str:
    """Run a Python program in namespaces of its own; give what it printed, or skip if it did.

    Raises OSError with what it said if it fails.
    """
    run = command(program, *arguments)
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        skip(done.stdout.strip().removeprefix("skipped: "))
    if done.returncode:
        raise OSError(done.stderr)
    return done.stdout


def enter(program: str, *arguments: str) -> None:
    """Run a Python program in namespaces of its own; end with its exit code."""
    hurry()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))
    # In a session of its own, for `unshare` does not heed signals but SIGKILL.
    with subprocess.Popen(command(program, *arguments), start_new_session=True) as process:
        try:
            sys.exit(process.wait())
        finally:
            process.kill()
