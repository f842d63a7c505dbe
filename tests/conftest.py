"""What several tests need: a small scenario, and the command as a user calls it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import command
from windtunnel.linux.kernels import ABOUT, folder_of
from windtunnel.linux.source import VERSION
from windtunnel.papers.paper import module

Command = Callable[..., "subprocess.CompletedProcess[str]"]

needs_kernel = pytest.mark.skipif(
    not (folder_of(VERSION) / ABOUT).is_file(), reason="no kernel as a host: windtunnel linux build"
)

OVER_KERNEL = "linux.toml"
"""The scenario that comes along whose hosts are Linux kernels."""

SCENARIO = """\
title = "Two controllers over one link"
duration = "1 s"
recording.interval = "100 ms"
runs = 2
nodes = { consumer = {}, producer = {} }

[links.wire]
nodes = ["consumer", "producer"]
rate = "10 Mbps"
delay = "5 ms"
queue = { kind = "drop-tail", limit = "200 packets" }
loss = { probability = "0.5 %" }

[producers.video]
node = "producer"
prefix = "/video"

[consumers.viewer]
node = "consumer"
prefix = "/video"
controller = "cubic"

[compare.controller]
cubic = { "consumers.viewer.controller" = "cubic" }
aimd = { "consumers.viewer.controller" = "aimd" }
"""


def require(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Make a skip a failure if `WINDTUNNEL_REQUIRE_ALL` is 1: a missing tool then hides nothing."""
    is_skip = report.skipped and not hasattr(report, "wasxfail")
    if is_skip and os.environ.get("WINDTUNNEL_REQUIRE_ALL") == "1":
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid}: WINDTUNNEL_REQUIRE_ALL is 1, but {why}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Require every test."""
    report = yield
    require(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Require every file of tests."""
    report = yield
    require(report)
    return report


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """Write a scenario of two cases and two runs, a tenth of a second of work."""
    file = tmp_path / "small.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


@pytest.fixture
def windtunnel(tmp_path: Path) -> Command:
    """Give the command line, called in an empty folder, with its output captured.

    With options of `subprocess.run` other than these it is the program itself.
    """

    def call(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        words = [*map(str, arguments)]
        if options.keys() <= {"cwd", "timeout"}:
            return command.call(words, options.get("cwd", tmp_path), options.get("timeout", 60))
        settings: dict[str, Any] = {
            "cwd": tmp_path,
            "capture_output": True,
            "encoding": "utf-8",
            "timeout": 60,
        }
        program = [sys.executable, "-m", "windtunnel", *words]
        ended: subprocess.CompletedProcess[str] = subprocess.run(program, **(settings | options))
        return ended

    return call


@pytest.fixture(scope="module")
def measures(request: pytest.FixtureRequest) -> ModuleType:
    """Give what only the paper in a test module's `FOLDER` measures."""
    return module(request.module.FOLDER / "measures.py")


@pytest.fixture(scope="module")
def models(request: pytest.FixtureRequest) -> ModuleType:
    """Give the models of the paper in a test module's `FOLDER`."""
    return module(request.module.FOLDER / "models.py")
