"""What `run` says: what decides, why a flow got nothing, and where the report is."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import polars as pl
import pytest

from conftest import SCENARIO, Command
from windtunnel import run, summary
from windtunnel.measures.losses import LOST, with_lost

SILENT = """\
duration = "10 s"
nodes = { a = {}, b = {}, c = {}, d = {} }
defaults.link = { rate = "10 Mbps", delay = "5 ms" }
links.ab.nodes = ["a", "b"]
links.bc.nodes = ["b", "c"]
links.bc.loss = [{ probability = "100 %" }, "0 %"]
links.bd.nodes = ["b", "d"]
links.bd.changes = [{ at = "1 ms", state = "down" }]
defaults.flow.start = "1 s"
flows.late = { from = "a", to = "b", controller = "cubic", start = "40 s" }
flows.unanswered = { from = "a", to = "c", controller = "reno" }
flows.down = { from = "a", to = "d", controller = "reno" }
flows.good = { from = "a", to = "b", controller = "bbr3" }
flows.datagrams = { from = "a", to = "c", protocol = "udp", rate = "100 kbps" }
producers.video = { node = "c", prefix = "/video" }
consumers.viewer = { node = "a", prefix = "/video", controller = "cubic", start = "0 s" }
"""


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    """Write a scenario in which all flows but one receive nothing, each for its own reason."""
    file = tmp_path / "silent.toml"
    file.write_text(SILENT, encoding="utf-8")
    return file


def test_a_flow_that_received_nothing_is_said_why(windtunnel: Command, silent: Path) -> None:
    said = windtunnel("run", silent.name).stdout
    for line in (
        r"late received nothing: it starts at 40 s, and the run ends at 10 s$",
        r"unanswered received nothing: its SYN was not answered; "
        r"link bc from b to c lost \d+ of \d+ packets and delivered none$",
        r"down received nothing: its SYN was not answered; "
        r"link bd from b to d was down: it sent none of \d+ packets$",
        r"datagrams received nothing: none of its \d+ datagrams arrived; link bc from b to c lost",
        r"viewer received nothing: none of its \d+ Interests was answered with Data; link bc from",
    ):
        assert re.search(f"^{line}", said, re.MULTILINE), said
    assert "good received nothing" not in said


def test_programs_read_the_reasons_too(windtunnel: Command, silent: Path) -> None:
    document = json.loads(windtunnel("run", silent.name, "--json").stdout)
    assert {it["flow"]: it["reason"] for it in document["silent"]}["late"] == (
        "it starts at 40 s, and the run ends at 10 s"
    )
    assert len(document["silent"]) == 5


def test_a_case_that_lets_a_flow_start_late_is_the_one_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.toml"
    late = 'late = { "consumers.viewer.start" = "7 s" }\nnow = { "consumers.viewer.start" = "0 s" }'
    file.write_text(SCENARIO.split("[compare")[0] + f"[compare.begin]\n{late}\n")
    said = summary.text(run(file, progress=False))
    assert said.count("received nothing") == 1
    assert "viewer (late) received nothing: it starts at 7 s, and the run ends at 1 s" in said


def test_every_flow_has_its_controller(windtunnel: Command, silent: Path) -> None:
    said = windtunnel("run", silent.name).stdout
    for flow, controller in {"late": "cubic", "good": "bbr3", "datagrams": "udp"}.items():
        assert re.search(rf"^ {flow} +{controller} ", said, re.MULTILINE), said


def test_a_comparison_of_controllers_names_them_once(windtunnel: Command, scenario: Path) -> None:
    [titles] = re.findall(r"^ controller .*$", windtunnel("run", scenario.name).stdout, re.M)
    assert titles.count("controller") == 1


LOSSY = """\
duration = "60 s"
recording.interval = "1 s"
nodes = { a = {}, b = {} }
[links.wire]
nodes = ["a", "b"]
rate = "100 Mbps"
delay = "5 ms"
queue = { kind = "drop-tail", limit = "100000 packets" }
loss = [{ probability = "2 %" }, "0 %"]
[flows.download]
from = "a"
to = "b"
"""
"""A link that loses 2 % of the packets one way, whose queue never overflows."""


@pytest.mark.parametrize(
    ("keys", "sent"),
    [('controller = "reno"', "segments"), ('protocol = "udp"\nrate = "1 Mbps"', "datagrams")],
    ids=["tcp", "udp"],
)
def test_the_share_lost_is_that_of_the_link(tmp_path: Path, keys: str, sent: str) -> None:
    file = tmp_path / "lossy.toml"
    file.write_text(LOSSY + keys)
    results = run(file, progress=False)
    [flow] = with_lost(results["flows"]).rows(named=True)
    [link] = results["links"].filter(pl.col("from") == "a").rows(named=True)
    lost = link["losses"] / link["offered"]
    assert abs(lost - 0.02) < 0.005
    # But for what is found lost only after the end.
    assert flow[LOST] == pytest.approx(lost, abs=2 * ((flow["in_flight"] or 0) + 1) / flow[sent])


def test_the_share_lost_over_ndn_is_that_of_both_ways(tmp_path: Path) -> None:
    """Interests and Data are lost independently: 1 - 0.98² of Interests bring nothing."""
    file = tmp_path / "lossy.toml"
    text = LOSSY.split("[flows")[0].replace('{ probability = "2 %" }, "0 %"', '"2 %", "2 %"')
    file.write_text(
        f"""{text}
[producers.video]
node = "b"
prefix = "/video"
[consumers.viewer]
node = "a"
prefix = "/video"
controller = {{ kind = "fixed", window = 20 }}
"""
    )
    [flow] = with_lost(run(file, progress=False)["flows"]).rows(named=True)
    share = 1 - 0.98**2
    deviation = (share * (1 - share) / flow["interests"]) ** 0.5
    # A consumer that waits for its last Data has not lost them yet.
    assert abs(flow[LOST] - share) < 4 * deviation + flow["in_flight"] / flow["interests"]


MANY = """\
duration = "1 s"
nodes = { a = {}, b = {} }
links.wire = { nodes = ["a", "b"], rate = "10 Mbps", delay = "5 ms" }
"""


def test_of_many_flows_there_is_a_summary_and_the_first(
    windtunnel: Command, tmp_path: Path
) -> None:
    flows = (
        f'flows.f{it} = {{ from = "a", to = "b", controller = "{"reno" if it % 2 else "cubic"}" }}'
        for it in range(40)
    )
    (tmp_path / "many.toml").write_text(MANY + "\n".join(flows))
    said = windtunnel("run", "many.toml").stdout
    assert re.search(r"^ cubic +20 +\d", said, re.MULTILINE), said
    assert re.search(r"^ reno +20 +\d", said, re.MULTILINE), said
    assert re.search(r"^ f9 ", said, re.MULTILINE) and not re.search(r"^ f10 ", said, re.MULTILINE)
    assert "the first 10 of 40 rows; all are in flows.parquet" in said
    assert len(said.splitlines()) < 40


def test_of_many_that_received_nothing_the_first_are_said_why(tmp_path: Path) -> None:
    parts = (
        f"""nodes.n{it} = {{}}
links.l{it} = {{ nodes = ["n{it}", "b"], rate = "1 Mbps", delay = "1 ms", loss = "100 %" }}
flows.f{it} = {{ from = "n{it}", to = "b", controller = "reno" }}
"""
        for it in range(120)
    )
    file = tmp_path / "all.toml"
    file.write_text('duration = "1 s"\nnodes.b = {}\n' + "".join(parts))
    said = summary.text(run(file, progress=False)).splitlines()
    assert sum("received nothing: its SYN" in line for line in said) == 10
    assert said[-1] == "… of 120 flows that received nothing; --json says why of the first 100"


def test_tables_fit_80_columns(windtunnel: Command, silent: Path, scenario: Path) -> None:
    for file in (silent, scenario):
        said = windtunnel("run", file.name, "--set", "runs=1").stdout
        tables, _, _ = said.partition("received nothing")
        assert max(len(line) for line in tables.splitlines()[:-1]) <= 80


def test_run_says_how_to_see_the_report(windtunnel: Command, scenario: Path) -> None:
    said = windtunnel("run", scenario.name, "--out", "two words").stdout
    assert said.endswith("Results: two words\nReport: windtunnel report 'two words'\n")


def test_run_writes_the_report_and_opens_it(
    windtunnel: Command, scenario: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = scenario.parent / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > opened\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    ran = windtunnel("run", scenario.name, "--report")
    page = scenario.parent / "results" / "small" / "report.html"
    assert ran.stdout.endswith("Report: results/small/report.html\n"), ran.stderr
    assert page.is_file() and not (scenario.parent / "opened").exists()
    ran = windtunnel("run", scenario.name, "--open", "--json")
    assert json.loads(ran.stdout)["report"] == "results/small/report.html"
    assert (scenario.parent / "opened").read_text() == f"{page.as_uri()}\n"


def test_without_a_browser_a_line_says_so(
    windtunnel: Command, scenario: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "false %s")
    windtunnel("run", scenario.name, "--report")
    monkeypatch.setenv("PATH", "/nowhere")
    opened = windtunnel("report", "results/small", "--open")
    assert opened.returncode == 0
    assert opened.stderr == (
        "windtunnel: no browser was found to open results/small/report.html; "
        "$BROWSER can name one\n"
    )
