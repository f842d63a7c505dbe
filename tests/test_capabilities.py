"""The threads that handle the packets of real hosts have no capabilities, also as root."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from processes import read
from windtunnel.package_data import SCENARIOS

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0, reason="only root has capabilities"
)

CAPABILITIES = ("CapInh", "CapPrm", "CapEff")


def held(process: int, thread: str) -> list[dict[str, int]]:
    """Give the capabilities of the threads of a process that have that name."""
    found = []
    for file in Path(f"/proc/{process}/task").glob("*/status"):
        fields = dict(line.split(":\t", 1) for line in read(file).splitlines())
        if fields.get("Name") == thread:
            found.append({name: int(fields[name], 16) for name in CAPABILITIES})
    return found


def wait_for(process: int, thread: str) -> list[dict[str, int]]:
    """Wait until a process has threads of that name, which have given up what they do."""
    deadline = time.monotonic() + 20
    while True:
        threads = held(process, thread)
        if threads and not any(any(it.values()) for it in threads):
            return threads
        assert time.monotonic() < deadline, threads
        time.sleep(0.1)


@pytest.mark.parametrize("command", ["forward", "put", "dns"])
def test_threads_that_handle_packets_have_none(command: str, tmp_path: Path) -> None:
    if command == "forward":
        file = tmp_path / "forwarder.toml"
        file.write_text('listen = ["udp://127.0.0.1:0"]\n', encoding="utf-8")
        arguments = ["ndn", "forward", str(file)]
    elif command == "put":
        file = tmp_path / "file"
        file.write_bytes(b"some bytes")
        arguments = ["ndn", "put", "--prefix", "/e", "--file", str(file), "--bind", "127.0.0.1:0"]
    else:
        arguments = ["dns", str(tmp_path / "names.toml")]
        text = (SCENARIOS / "dns" / "four-countries.toml").read_text(encoding="utf-8")
        for port in range(5301, 5305):
            text = text.replace(f":{port}", ":0")
        (tmp_path / "names.toml").write_text(text, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "windtunnel", *arguments], stdout=subprocess.DEVNULL
    ) as process:
        try:
            threads = wait_for(process.pid, "dns" if command == "dns" else "ndn")
            assert len(threads) == (4 if command == "dns" else 1)
        finally:
            process.send_signal(signal.SIGINT)
