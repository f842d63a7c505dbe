"""`run --watch`: again on each save, and never an end but by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import SCENARIO
from windtunnel import Results
from windtunnel.cli.watching import stamps, wait

Watching = tuple["subprocess.Popen[str]", Path]


@pytest.fixture
def watching(scenario: Path) -> Iterator[Watching]:
    """Start to watch the small scenario; give the process, and the file with all that it says."""
    said = scenario.parent / "said"
    command = [sys.executable, "-m", "windtunnel", "run", scenario.name, "--watch"]
    with open(said, "w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, cwd=scenario.parent, stdout=output, stderr=output, text=True
        )
        yield process, said
        process.kill()
        process.wait()


def until(said: Path, what: str, times: int) -> str:
    """Wait until something was said so often."""
    deadline = time.monotonic() + 60
    while said.read_text().count(what) < times:
        assert time.monotonic() < deadline, said.read_text()
        time.sleep(0.1)
    return said.read_text()


def test_it_runs_again_on_save_and_waits_after_a_mistake(
    watching: Watching, scenario: Path
) -> None:
    process, said = watching
    waiting = "waiting until small.toml is saved; Ctrl-C ends"
    until(said, waiting, 1)
    scenario.write_text(SCENARIO.replace('"10 Mbps"', '"10 ms"'))
    assert "`ms` is not a valid unit for a rate" in until(said, waiting, 2)
    scenario.write_text(SCENARIO.replace('"10 Mbps"', '"5 Mbps"'))
    text = until(said, waiting, 3)
    assert 'links.wire.rate was "10 Mbps", is "5 Mbps"' in text
    assert text.count("Results: results/small") == 2
    assert '"5 Mbps"' in Results.load(scenario.parent / "results" / "small").scenario
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    assert said.read_text() == text


def test_a_file_that_is_written_slowly_is_awaited(tmp_path: Path) -> None:
    file = tmp_path / "slow"
    file.write_text("")
    before = stamps([file])
    writer = "for i in 1 2 3 4 5 6; do echo $i >> slow; sleep 0.1; done"
    process = subprocess.Popen(["sh", "-c", writer], cwd=tmp_path)
    wait(before)
    assert file.read_text() == "1\n2\n3\n4\n5\n6\n"
    process.wait()


def test_a_file_that_was_replaced_as_editors_do_has_changed(tmp_path: Path) -> None:
    file, new = tmp_path / "file", tmp_path / "new"
    for it in (file, new):
        it.write_text("same size")
    os.utime(file, (1, 1))
    before = stamps([file])
    new.replace(file)
    assert stamps([file]) != before


def test_a_file_that_is_not_there_is_not_awaited(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "windtunnel", "run", "nowhere.toml", "--watch"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 2
    assert ended.stderr == "windtunnel: nowhere.toml: No such file or directory\n"
