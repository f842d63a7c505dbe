"""What is recorded: on the command line, in reports, and at different intervals."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from conftest import Command
from windtunnel import Scenario, run
from windtunnel._core import ScenarioError
from windtunnel.papers.paper import find_paper, module
from windtunnel.report import of_results
from windtunnel.results import Results

MANY = 2_001
"""Flows that have more than 2,000,000 rows in 100 s."""

FLOWS = "".join(f'f{it} = {{ from = "a", to = "b" }}\n' for it in range(MANY))

THINNED = f"""\
duration = "100 s"
nodes = {{ a = {{}}, b = {{}} }}
[links]
wire = {{ nodes = ["a", "b"], rate = "1 Gbps", delay = "1 ms" }}
[defaults.flow]
protocol = "udp"
rate = "1 kbps"
payload = "1250 B"
[flows]
{FLOWS}"""

SERIES = ["flow_series", "link_series", "channel_series", "route_series"]


def test_a_longer_interval_is_told_on_the_command_line_in_the_manifest_and_in_the_report(
    windtunnel: Command, tmp_path: Path
) -> None:
    (tmp_path / "many.toml").write_text(THINNED)
    note = "series of flows are recorded every 200 ms instead of 100 ms: 2001 flows for 100 s"
    assert note in windtunnel("check", "many.toml").stderr
    ran = windtunnel("run", "many.toml", "--set", "recording.links=false", "--json")
    assert note in ran.stderr
    [told] = json.loads(ran.stdout)["notes"]
    assert told.startswith(note)
    saved = Results.load(tmp_path / "results" / "many")
    assert saved["flow_series"].height == MANY * 500
    assert saved["link_series"].is_empty()
    assert any(note[1:] in it for it in of_results.warnings(saved))


def test_the_folder_has_the_series_that_are_in_memory(windtunnel: Command, scenario: Path) -> None:
    assert windtunnel("run", scenario.name).returncode == 0
    saved = Results.load(scenario.parent / "results" / scenario.stem)
    memory = run(scenario, progress=False)
    assert set(saved.tables) == set(memory.tables)
    for name in SERIES:
        assert saved[name].equals(memory[name])


@pytest.mark.parametrize(
    "settings",
    [
        {"recording.flows": False},
        {"recording.links": False},
        {"recording.flows": False, "recording.links": False, "recording.channels": False},
        {"recording.flows.interval": "250 ms", "recording.links.interval": "100 ms"},
    ],
)
def test_a_report_shows_what_was_recorded(scenario: Path, settings: dict[str, object]) -> None:
    results = run(scenario, settings=settings, progress=False)
    page = of_results.write(results.save(scenario.parent / "saved"), results)
    assert page.exists()


def test_an_interval_beyond_the_duration_is_refused(scenario: Path) -> None:
    with pytest.raises(ScenarioError, match="longer than the duration"):
        run(scenario, settings={"recording.interval": "1 h"}, progress=False)


def test_a_reaction_is_found_in_series_of_different_intervals() -> None:
    own = module(find_paper("dcib").folder / "measures.py")
    ends = {"run": 0, "link": "wire", "from": "a", "to": "b"}
    drops = {"overlimit_drops": 0, "discipline_drops": 0}
    carried = {"throughput_bps": 1e6, "delivered": 10, "losses": 1}
    samples = [ends | drops | {"time_s": float(it), "losses": int(it == 2)} for it in range(1, 11)]
    flows = [
        {"run": 0, "flow": "f", "time_s": it, "decreases": int(it == 7.5)} for it in (2.5, 7.5)
    ]
    tables = {
        "links": pl.DataFrame([ends | {"utilisation": 1.0, "medium_utilisation": None} | carried]),
        "link_series": pl.DataFrame(samples),
        "flow_series": pl.DataFrame(flows),
    }
    assert own.reaction(Results([], tables), ["run"])["value"].item() == pytest.approx(5500)


LOSSY = """\
duration = "3 s"
nodes = { a = {}, b = {} }
[links.line]
nodes = ["a", "b"]
rate = "20 Mbps"
delay = "50 ms"
loss = [{ kind = "listed", packets = [400] }, "0 %"]
[flows.f]
from = "a"
to = "b"
controller = "cubic"
"""


def test_what_came_in_any_order_has_no_burst_where_a_lost_segment_arrives() -> None:
    results = run(Scenario.parse(LOSSY), progress=False)
    names = ("time_s", "goodput_bps", "received_bps", "waiting_bytes")
    times, goodput, received, waiting = (results["flow_series"][it].to_list() for it in names)
    # Segments of 1448 bytes in packets of 1500.
    ceiling = 20e6 * 1448 / 1500
    assert max(goodput) > 1.2 * ceiling
    assert max(received) <= ceiling + 1448 * 8 / times[0]
    in_order, in_any = (sum(it) * times[0] / 8 for it in (goodput, received))
    assert in_order == pytest.approx(results["flows"]["received_bytes"].item())
    assert in_any == pytest.approx(in_order + waiting[-1])
    assert max(waiting) > 0


HALF_LATE = """\
duration = "20 s"
nodes = { a = {}, b = {} }
[links.line]
nodes = ["a", "b"]
rate = "1 Gbps"
delay = "10 ms"
jitter = { kind = "uniform", most = "10 ms", reorders = true }
[flows.f]
from = "a"
to = "b"
protocol = "udp"
rate = "8 Mbps"
payload = "1000 B"
"""


def test_percentiles_of_delay_are_those_of_the_jitter_of_the_link() -> None:
    flow = run(Scenario.parse(HALF_LATE), progress=False)["flows"].row(0, named=True)
    # A uniform delay of 0 to 10 ms after the link's own 10 ms; 20,000 datagrams.
    for column, share in (("delay_p50_s", 0.5), ("delay_p95_s", 0.95), ("delay_p99_s", 0.99)):
        assert flow[column] == pytest.approx(0.01 + 0.01 * share, rel=0.02)
    assert flow["delay_p99_s"] <= flow["delay_maximum_s"] * 1.01


def test_flows_over_tcp_have_no_percentiles_of_delay() -> None:
    flows = run(Scenario.parse(LOSSY), progress=False)["flows"]
    assert flows["delay_p50_s"].item() is None
