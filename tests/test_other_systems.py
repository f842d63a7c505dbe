"""What needs Linux says so elsewhere, before it does anything else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

OF_LINUX = (
    "Emulation",
    "NdnForwarder",
    "NdnProducer",
    "clean_leftovers",
    "ndn_get",
    "tcp_connect",
    "tcp_listen",
)
"""What the core has on Linux only."""

ELSEWHERE = f"""\
import os, platform
from windtunnel import _core
for name in {OF_LINUX}:
    if hasattr(_core, name):
        delattr(_core, name)
os.geteuid = lambda: 501
platform.system = lambda: "Darwin"
from windtunnel.cli import main
main()
"""
"""The command line as it is on macOS, of a user who is not root."""


def elsewhere(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as it runs on macOS, where none of Linux's programs are."""
    command = [sys.executable, "-c", ELSEWHERE, *arguments]
    return subprocess.run(command, cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True)


@pytest.mark.parametrize(
    "arguments",
    [
        ["emulate", "scenarios/live/emulate.toml", "--", "true"],
        ["tcp", "connect", "10.0.0.2:80"],
        ["tcp", "listen", "80"],
        ["ndn", "get", "/video", "--out", "video"],
        ["ndn", "put", "--prefix", "/video", "--file", "README.md"],
        ["ndn", "forward", "scenarios/live/ndn.toml"],
    ],
)
def test_a_live_command_says_that_it_needs_linux(arguments: list[str]) -> None:
    answered = elsewhere(*arguments)
    assert answered.returncode == 2, answered.stderr
    assert "needs Linux; this is Darwin" in answered.stderr
    assert "Traceback" not in answered.stderr


def test_nothing_was_left_behind_where_nothing_can_be() -> None:
    answered = elsewhere("live", "clean")
    assert (answered.returncode, answered.stdout) == (0, "there was nothing to remove\n")
