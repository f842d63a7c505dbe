"""What `run --live` shows, on a terminal and elsewhere."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Command
from windtunnel.cli import live
from windtunnel.running import LiveLine, LiveRun, Progress

LONG = """\
duration = "{duration}"
recording.interval = "100 ms"
nodes = {{ a = {{}}, b = {{}} }}
[links.wire]
nodes = ["a", "b"]
rate = "100 Mbps"
delay = "5 ms"
queue = {{ kind = "drop-tail", limit = "100 packets" }}
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"""

SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"


def on_terminal(folder: Path, interrupt_at: str | None = None) -> tuple[int, str]:
    """Run on a terminal of 80 columns, as far as an interruption; give code and output."""
    screen, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "windtunnel", "run", "long.toml", "--live", "--out", "there"]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=environment,
        start_new_session=True,
    )
    os.close(terminal)
    said, deadline = "", time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            said += os.read(screen, 4096).decode("utf-8", "replace")
        except OSError:
            # The other end is closed.
            break
        if interrupt_at and interrupt_at in said:
            process.send_signal(signal.SIGINT)
            interrupt_at = None
    process.communicate(timeout=60)
    os.close(screen)
    return process.returncode, said


def test_a_terminal_shows_flows_and_queues_as_blocks_and_is_left_in_order(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(LONG.format(duration="1 h"), encoding="utf-8")
    code, said = on_terminal(tmp_path, interrupt_at="packets in queues")
    assert code == 130
    assert "goodput by flow" in said and "wire from a" in said
    assert re.search("[▁▂▃▄▅▆▇█]", said) and "× real time" in said
    # The cursor is there again, and the picture is gone before the message.
    assert said.rindex(SHOW_CURSOR) > said.rindex(HIDE_CURSOR)
    assert said.rindex("interrupted") > said.rindex("\x1b[2K")


def test_a_pipe_gets_no_movements_of_the_cursor(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(LONG.format(duration="2 s"), encoding="utf-8")
    ran = windtunnel("run", "long.toml", "--live", "--out", "there")
    assert ran.returncode == 0
    assert "\x1b" not in ran.stderr + ran.stdout


def test_results_are_the_same_bytes(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(LONG.format(duration="2 s"), encoding="utf-8")
    for options in (["--out", "one"], ["--out", "two", "--live"]):
        assert windtunnel("run", "long.toml", *options).returncode == 0
    tables = sorted(it.name for it in (tmp_path / "one").glob("*.parquet"))
    assert "flow_series.parquet" in tables
    for table in tables:
        assert (tmp_path / "one" / table).read_bytes() == (tmp_path / "two" / table).read_bytes()


def progress(*runs: LiveRun, all_runs: int = 1) -> Progress:
    """Give a progress with these runs going on."""
    return Progress(0, all_runs, 1.0, 2.0, 10, real_s=1.0, live=runs)


def run(flows: int, all_flows: int, number: int = 0) -> LiveRun:
    """Give a run with this many flows shown."""
    lines = [LiveLine(f"flow-{it}", 2.5e6, [1.0, 2.0, None]) for it in range(flows)]
    queues = [LiveLine("a link with a name that is longer than its place", 3.0, [0.0, 3.0, None])]
    return LiveRun([], number, 1.0, 2.0, lines, all_flows, queues, 1)


def test_lines_have_at_most_80_columns_and_say_what_is_not_shown() -> None:
    drawn = live.lines(progress(run(6, 18)), 24)
    assert all(len(it) <= live.WIDTH for it in drawn)
    assert "and 12 more" in drawn
    assert any("2.5 Mbps" in it for it in drawn)
    assert not any("and 0" in it for it in drawn)


@pytest.mark.parametrize("height", [5, 12, 24, 50])
def test_a_picture_is_no_higher_than_the_terminal(height: int) -> None:
    runs = [run(6, 18, number) for number in range(8)]
    drawn = live.lines(progress(*runs, all_runs=8), height)
    assert len(drawn) < height


def test_blocks_rise_with_values() -> None:
    assert live.blocks([0.0, 1.0, 2.0, None]) == "▁▅█ "
    assert live.blocks([0.0, 0.0]) == "▁▁"
    assert live.blocks([]) == ""


def test_without_samples_it_says_so() -> None:
    empty = LiveRun([], 0, 0.0, 2.0, [], 0, [], 0)
    assert "nothing was recorded so far" in live.lines(progress(empty), 24)
