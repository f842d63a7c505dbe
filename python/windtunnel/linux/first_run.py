"""The first run of a kernel that was built: whether it runs on this machine, and repeats."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from windtunnel.linux.errors import KernelError
from windtunnel.linux.source import REGISTERS, REGISTERS_SIZE, VERSION

SCENARIO = """
title = "The first run of a kernel"
duration = "1 s"
nodes = { server = {}, client = {} }

[links.path]
nodes = ["server", "client"]
rate = "10 Mbps"
delay = "10 ms"

[flows.first]
from = "server"
to = "client"
protocol = "tcp-stack"
tcp = { stack = "linux", controller = "cubic" }
"""

NO_ROOM = "set fp regs failed"
"""Among the last lines of a kernel that has no room for a processor's registers."""


def digest(kernel: Path) -> str:
    """Run the kernel in a folder twice, and give the SHA-256 of what it sent and when.

    Raises KernelError if it does not run, or if the two runs differ.
    """
    first, second = (of_packets(kernel) for _ in range(2))
    if first != second:
        raise KernelError(
            "two runs of the kernel that was built sent different packets, which they must not\n"
            "help: please report it, with the processor and the compiler of this machine"
        )
    return first


def of_packets(kernel: Path) -> str:
    """Give the SHA-256 of the packets that one run captures at both ends, with their times."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel._core import ScenarioError
    from windtunnel.running import Captures, Details, read, run_scenario

    with tempfile.TemporaryDirectory() as folder, as_default(kernel):
        file, out = Path(folder, "first.toml"), Path(folder, "out")
        file.write_text(SCENARIO, encoding="utf-8")
        out.mkdir()
        details = Details(captures=Captures(nodes=["server", "client"]))
        try:
            results = run_scenario(read(file), folder=out, details=details)
        except ScenarioError as error:
            raise does_not_run(str(error)) from error
        [failure] = results["flows"]["failure"]
        if failure:
            raise does_not_run(failure)
        found = hashlib.sha256()
        for capture in sorted(out.rglob("*.pcapng")):
            found.update(capture.read_bytes())
        return found.hexdigest()


def does_not_run(said: str) -> KernelError:
    """Say why the kernel does not run on this machine, and what helps where that is known."""
    why = said.partition("stack `linux`: ")[2] or said
    text = f"the kernel that was built does not run here: {why.splitlines()[0]}"
    if NO_ROOM in said:
        text += (
            "\nhelp: the registers of this processor take more room than Linux before 6.13 has for "
            f"them: in its {REGISTERS}, set HOST_FP_SIZE to {REGISTERS_SIZE}"
        )
    return KernelError(text)


@contextmanager
def as_default(kernel: Path) -> Iterator[None]:
    """Let scenarios find this kernel by the default name, before it is in its place."""
    before = os.environ.get("WINDTUNNEL_CACHE")
    with tempfile.TemporaryDirectory() as cache:
        place = Path(cache, "linux", VERSION)
        place.parent.mkdir()
        place.symlink_to(kernel.resolve())
        os.environ["WINDTUNNEL_CACHE"] = cache
        try:
            yield
        finally:
            if before is None:
                del os.environ["WINDTUNNEL_CACHE"]
            else:
                os.environ["WINDTUNNEL_CACHE"] = before
