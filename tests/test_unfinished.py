"""Transfers that did not end within the run are counted where completion times are shown."""

from __future__ import annotations

from pathlib import Path

from conftest import Command
from windtunnel import Results, run, summary
from windtunnel.report import write_report

OVERLOADED = """\
duration = "10 s"
nodes = { s = {}, r = {}, c = {} }
[links]
a = { nodes = ["s", "r"], rate = "100 Mbps", delay = "1 ms" }
b = { nodes = ["r", "c"], rate = "20 Mbps", delay = "10 ms" }
[flows.w]
from = "s"
to = "c"
controller = "cubic"
workload = { kind = "arrivals", sizes = "web-search", load = "180 %" }
"""


def results_of(folder: Path, text: str, **settings: object) -> Results:
    """Run a scenario."""
    file = folder / "scenario.toml"
    file.write_text(text)
    dotted = {name.replace("__", "."): value for name, value in settings.items()}
    return run(file, settings=dotted, progress=False)


def test_transfers_that_did_not_end_are_told_wherever_completion_times_are(
    windtunnel: Command, tmp_path: Path
) -> None:
    (tmp_path / "overloaded.toml").write_text(OVERLOADED)
    said = windtunnel("run", "overloaded.toml").stdout
    results = Results.load(tmp_path / "results" / "overloaded")
    [flow] = results["flows"].rows(named=True)
    assert flow["transfers"] + flow["unfinished_transfers"] == flow["connections"]
    counted = (
        f"{flow['unfinished_transfers']} of {flow['connections']} transfers did not end within the "
        "run: completion times and slowdowns are of those that did."
    )
    assert counted in said
    page = write_report(tmp_path / "results" / "overloaded").read_text(encoding="utf-8")
    # Beside the table by size and the pictures.
    assert page.count(counted) >= 2
    assert counted not in summary.text(results_of(tmp_path, OVERLOADED, duration="0.1 s"))
