"""Sizes and flows from files, in whole runs."""

from __future__ import annotations

from pathlib import Path

import windtunnel
from windtunnel import Results

STAR = """\
duration = "1 s"
[topologies.t]
kind = "star"
hosts = 3
link = { rate = "1 Gbps", delay = "50 us" }
"""


def ran(folder: Path, text: str, files: dict[str, str]) -> Results:
    """Run a scenario with these files beside it."""
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    scenario = folder / "scenario.toml"
    scenario.write_text(STAR + text, encoding="utf-8")
    return windtunnel.run(scenario)


def test_no_file_has_a_size_on_a_plateau(tmp_path: Path) -> None:
    # The least size is 2 kB, and none lies between 10 kB and 50 kB.
    sizes = "# in packets of 1 kB\n0 0\n2 0\n10 40\n50 40\n100 100\n"
    flow = """\
[flows.w]
from = "t-host-1"
to = "t-host-2"
controller = "cubic"
[flows.w.workload]
kind = "arrivals"
rate = "500 per second"
sizes = { file = "sizes.txt", unit = "1 kB" }
"""
    drawn = ran(tmp_path, flow, {"sizes.txt": sizes})["transfers"]["size_bytes"].to_list()
    below = sum(2_000 <= it <= 10_000 for it in drawn)
    above = sum(50_000 <= it <= 100_000 for it in drawn)
    assert below + above == len(drawn)
    # Within five deviations of a share.
    assert abs(below / len(drawn) - 0.4) < 5 * (0.24 / len(drawn)) ** 0.5


def test_flows_of_a_list_carry_what_it_says(tmp_path: Path) -> None:
    flows = """\
[flows.f]
from = "t-host-*"
to = "t-host-*"
controller = "dctcp"
pattern = { kind = "listed", file = "flows.csv" }
"""
    listed = "from,to,start,size\nt-host-1,t-host-3,0,5000\n1,0,0.25,70000\n"
    found = ran(tmp_path, flows, {"flows.csv": listed})
    columns = ["flow", "peer", "node", "received_bytes"]
    assert found["flows"].select(columns).rows() == [
        ("f-1", "t-host-1", "t-host-3", 5_000),
        ("f-2", "t-host-2", "t-host-1", 70_000),
    ]
    assert found["transfers"]["start_s"].to_list() == [0, 0.25]
