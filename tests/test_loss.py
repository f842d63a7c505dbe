"""Bursts of loss on a link: by packet, and in time."""

from __future__ import annotations

import math
from pathlib import Path

import polars as pl

from conftest import Command
from windtunnel import run

BY_PACKET = """{ kind = "gilbert-elliott", in_good_state = "0 %", in_bad_state = "100 %", \
to_bad_state = "1 %", to_good_state = "10 %" }"""
IN_TIME = """{ kind = "continuous-gilbert-elliott", in_good_state = "0 %", \
in_bad_state = "100 %", good_state_lasts = "900 ms", bad_state_lasts = "100 ms" }"""


def write(path: Path, loss: str) -> Path:
    """Write a scenario of 100 datagrams a second over a link with that loss."""
    path.write_text(
        f"""\
duration = "1000 s"
recording.interval = "100 s"
nodes = {{ a = {{}}, b = {{}} }}
links.wire = {{ nodes = ["a", "b"], rate = "10 Mbps", delay = "1 ms", loss = [{loss}, "0 %"] }}
flows.steady = {{ from = "a", to = "b", protocol = "udp", rate = "1 Mbps", payload = "1250 B" }}
"""
    )
    return path


def test_in_time_a_link_loses_by_the_share_of_time_in_its_bad_state(tmp_path: Path) -> None:
    links = run(write(tmp_path / "time.toml", IN_TIME), progress=False)["links"]
    [forth] = links.filter(pl.col("from") == "a").rows(named=True)
    share = forth["losses"] / forth["offered"]
    # Packets that follow within 10 ms mostly meet the same state.
    kept = math.exp(-0.01 * (1 / 0.9 + 1 / 0.1))
    error = math.sqrt(0.1 * 0.9 * (1 + kept) / (1 - kept) / forth["offered"])
    assert abs(share - 0.1) < 4 * error


def test_a_loss_that_changes_from_packet_to_packet_is_noted(
    windtunnel: Command, tmp_path: Path
) -> None:
    write(tmp_path / "packet.toml", BY_PACKET)
    write(tmp_path / "time.toml", IN_TIME)
    said = windtunnel("check", "packet.toml").stderr
    assert "the `gilbert-elliott` loss of link `wire` changes its state from packet" in said
    assert "`continuous-gilbert-elliott` changes it with time" in said
    assert "gilbert" not in windtunnel("check", "time.toml").stderr
