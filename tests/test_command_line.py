"""The command line, as users and programs call it."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

import windtunnel as package
from conftest import OVER_KERNEL, SCENARIO, Command
from test_papers import PAPER, PUBLISHED
from windtunnel import Results, _core, package_data
from windtunnel.cli import listing
from windtunnel.cli.commands import app
from windtunnel.pictures.units import minimum
from windtunnel.running import run_scenario

ROOT = Path(__file__).parents[1]
COMMANDS = ["run", "reproduce", "report", "compare", "check", "new", "schema", "list", "bench"]


def test_the_version_is_the_packages(windtunnel: Command) -> None:
    answered = windtunnel("--version")
    assert answered.stdout == f"windtunnel {package.__version__}\n"


def test_help_names_every_command(windtunnel: Command) -> None:
    text = windtunnel("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"│ {command} ", text), command


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(windtunnel: Command, command: str) -> None:
    answered = windtunnel(command, "--help")
    assert answered.returncode == 0
    assert re.search(rf"^ *windtunnel {command} ?", answered.stdout, re.MULTILINE)


def test_run_keeps_the_results_and_shows_every_flow(windtunnel: Command, scenario: Path) -> None:
    ran = windtunnel("run", scenario.name)
    assert (ran.returncode, ran.stderr) == (0, "")
    for case in ("cubic", "aimd"):
        assert re.search(rf"{case} +viewer +\d+\.\d\d ± \d+\.\d\d", ran.stdout), ran.stdout
    assert "Results: results/small" in ran.stdout
    assert Results.load(scenario.parent / "results" / "small")["flows"].height == 4


def test_run_answers_with_one_json_document(windtunnel: Command, scenario: Path) -> None:
    ran = windtunnel("run", scenario.name, "--json", "--seed", 7, "--out", "there")
    document = json.loads(ran.stdout)
    assert ran.stderr == ""
    assert document["version"] == package.__version__
    assert (document["scenario"], document["seed"]) == ("small.toml", 7)
    assert (document["finished"], document["unfinished"]) == (4, 0)
    assert (document["folder"], document["axes"]) == ("there", ["controller"])
    assert [flow["controller"] for flow in document["flows"]] == ["cubic", "aimd"]
    flows = Results.load(scenario.parent / "there")["flows"]
    cubic = flows["goodput_bps"].to_list()[:2]
    assert document["flows"][0]["runs"] == 2
    goodput = document["flows"][0]["goodput_bps"]
    assert (goodput["minimum"], goodput["maximum"]) == (min(cubic), max(cubic))
    # Student's t of one degree of freedom is 12.706 (tables of the distribution).
    half = 12.706 * abs(cubic[0] - cubic[1]) / 2
    assert goodput["high"] - goodput["mean"] == pytest.approx(half, rel=1e-4)
    assert goodput["mean"] - goodput["low"] == pytest.approx(half, rel=1e-4)
    assert goodput["mean"] == pytest.approx(sum(cubic) / 2)
    assert goodput["standard_deviation"] == pytest.approx(abs(cubic[0] - cubic[1]) / 2**0.5)


def test_settings_replace_values_of_the_file(windtunnel: Command, scenario: Path) -> None:
    settings = ["--set", "duration=500ms", "--set", "links.wire.rate = 2 Mbps", "--set", "runs=1"]
    windtunnel("run", scenario.name, *settings, "--out", "set")
    saved = Results.load(scenario.parent / "set")
    written = tomllib.loads(saved.scenario)
    assert (written["duration"], written["runs"]) == ("500ms", 1)
    assert written["links"]["wire"]["rate"] == "2 Mbps"
    assert saved["flow_series"]["time_s"].max() == 0.5


def test_the_number_of_jobs_changes_no_figure(windtunnel: Command, scenario: Path) -> None:
    one, two = (
        json.loads(windtunnel("run", scenario.name, "--json", "--jobs", jobs).stdout)["flows"]
        for jobs in (1, 2)
    )
    assert one == two


def test_check_says_what_would_be_run(windtunnel: Command, scenario: Path) -> None:
    checked = windtunnel("check", scenario.name)
    valid, size = checked.stdout.splitlines()
    assert valid == "small.toml: valid: 2 cases × 2 runs, 4 s simulated"
    assert re.fullmatch(r"about [\d,]+ packet-hops at the most: .* of one processor", size)
    assert checked.stderr == ""


def test_check_advises(windtunnel: Command, scenario: Path) -> None:
    text = scenario.read_text(encoding="utf-8").replace(
        "[consumers.viewer]", "[consumers.viewer]\nstart = '9 s'"
    )
    (scenario.parent / "late.toml").write_text(text, encoding="utf-8")
    checked = windtunnel("check", "late.toml")
    assert checked.returncode == 0
    expected = "windtunnel: advice: consumer `viewer` starts at 9 s, and the run ends at 1 s"
    assert checked.stderr.startswith(expected)


def test_every_scenario_that_comes_along_is_valid() -> None:
    files = [*ROOT.glob("scenarios/*.toml"), *ROOT.glob("papers/*/*.toml")]
    files.remove(ROOT / "scenarios" / OVER_KERNEL)
    assert files
    for file in files:
        if "duration" in tomllib.loads(file.read_text(encoding="utf-8")):
            checked = CliRunner().invoke(app, ["check", str(file)])
            assert checked.exit_code == 0, checked.exception
            assert "valid" in checked.stdout


def test_the_schema_describes_the_scenarios_that_are_read(
    windtunnel: Command, scenario: Path
) -> None:
    schema = json.loads(windtunnel("schema").stdout)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    text = scenario.read_text(encoding="utf-8")
    assert validator.is_valid(tomllib.loads(text))
    assert not validator.is_valid(tomllib.loads(text.replace("duration", "duratoin")))
    assert not validator.is_valid(tomllib.loads(text.replace("10 Mbps", "10 ms")))


@pytest.mark.parametrize(
    "path", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda it: it.stem
)
def test_the_schema_accepts_every_scenario_of_the_project(path: Path) -> None:
    validator = Draft202012Validator(json.loads(_core.schema()))
    validator.validate(tomllib.loads(path.read_text(encoding="utf-8")))


def listed(*what: str) -> str:
    """Give what `list` prints at 80 columns."""
    ran = CliRunner().invoke(app, ["list", *what], env={"COLUMNS": "80"})
    assert ran.exit_code == 0, ran.exception
    return ran.stdout


@pytest.mark.parametrize("kind", listing.KINDS)
def test_what_is_listed_has_a_line_of_80_columns_and_an_entry_in_json(kind: str) -> None:
    entries = json.loads(listed(kind, "--json"))[kind]
    lines = listed(kind).splitlines()
    assert [it["name"] for it in entries] == [line.split("  ")[0] for line in lines]
    assert max(map(len, lines)) <= 80
    assert kind in listed()


@pytest.mark.parametrize("kind", listing.KINDS)
def test_everything_is_said_of_a_name_at_80_columns(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each name is looked for among those of all kinds.
    once = {name: replace(it, entries=cache(it.entries)) for name, it in listing.KINDS.items()}
    monkeypatch.setattr(listing, "KINDS", once)
    # What has the name of a kind is in the list of its own kind.
    named = (it for it in listing.KINDS[kind].entries() if it["name"] not in listing.KINDS)
    for entry in named:
        said = "\n".join(listing.lines(entry["name"]))
        assert f"{entry['name']} ({listing.KINDS[kind].singular})\n" in said
        assert max(len(it) for it in said.splitlines()) <= 80
        folded = " ".join(said.split())
        for text in (it for it in entry.values() if isinstance(it, str)):
            assert " ".join(text.split()) in folded
        for it in [*entry.get("parameters", ()), *entry.get("keys", ())]:
            assert it["name"] in said and " ".join(it["meaning"].split()) in folded


def test_a_name_of_several_kinds_is_said_of_each() -> None:
    assert list(json.loads(listed("pcon", "--json"))) == ["queues", "strategies"]
    assert re.findall(r"^pcon \((.*)\)$", listed("pcon"), re.MULTILINE) == ["queue", "strategy"]


OVER_TCP = """
duration = "2 s"
nodes = { sender = {}, receiver = {} }
links.wire = { nodes = ["sender", "receiver"], rate = "10 Mbps", delay = "10 ms" }
defaults.link.queue = { kind = "sce", limit = "50 packets" }
flows.one = { from = "sender", to = "receiver", controller = "reno" }
"""

NOT_OVER_NDN = {"some-congestion", "one-way-delay", "l4s"}
"""What NDN has nothing like."""


@pytest.mark.parametrize(
    "controller", listing.KINDS["controllers"].entries(), ids=lambda it: it["name"]
)
def test_every_controller_runs_over_tcp_and_where_it_can_over_ndn(
    controller: dict[str, Any],
) -> None:
    name = controller["name"]
    flows = run_scenario(_core.Scenario("tcp", OVER_TCP, [("flows.one.controller", name)]))["flows"]
    assert minimum(flows["goodput_bps"]) > 1e6
    [over_ndn, _] = SCENARIO.split("[compare.controller]")
    wanted = [("consumers.viewer.controller", name)]
    if NOT_OVER_NDN.intersection(controller["needs"]):
        with pytest.raises(ValueError, match=f"controller `{name}` needs"):
            _core.Scenario("ndn", over_ndn, wanted)
    else:
        received = run_scenario(_core.Scenario("ndn", over_ndn, wanted))["flows"]["received_bytes"]
        assert minimum(received) > 0


RATE = ("links.wire.queue.rate", "8 Mbps")
BURST = ("links.wire.queue.burst", "20 kB")
REQUIRED = {"policer": [RATE, BURST], "shaper": [RATE, BURST], "cake": [RATE]}
"""What queues need beside their kind."""


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("queues", "links.wire.queue.kind"),
        ("strategies", "defaults.node.strategy"),
    ],
)
def test_what_is_listed_can_be_run(kind: str, path: str) -> None:
    [alone, _] = SCENARIO.split("[compare.controller]")
    for entry in listing.KINDS[kind].entries():
        settings = [(path, entry["name"]), *REQUIRED.get(entry["name"], [])]
        scenario = _core.Scenario("listed", alone, settings)
        flows = run_scenario(scenario)["flows"]
        assert minimum(flows["received_bytes"]) > 0, entry["name"]


@pytest.fixture
def paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write a small paper, the only one there is, and stand in an empty folder."""
    folder = tmp_path / "papers" / "small"
    folder.mkdir(parents=True)
    files = {"paper.toml": PAPER, "published.toml": PUBLISHED, "README.md": "# A small paper\n"}
    for name, text in {**files, "first.toml": SCENARIO, "second.toml": SCENARIO}.items():
        (folder / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(package_data, "PAPERS", folder.parent)
    monkeypatch.chdir(tmp_path)
    return "small"


def test_reproduce_shows_the_published_beside_the_measured_and_draws_a_report(paper: str) -> None:
    ran = CliRunner().invoke(app, ["reproduce", paper, "--all"], env={"COLUMNS": "200"})
    assert ran.exit_code == 0, ran.stderr
    assert re.search(r"cubic throughput +9\.10 Mbps +\d\.\d+ \(.+\) Mbps +[a-z ]+", ran.stdout)
    assert "Report: results/small/report.html" in ran.stdout
    assert Path("results/small/report.html").is_file()


CLAIMS = """\
unknown = ["the weather."]
[[claims]]
id = "more"
question = "Does CUBIC beat AIMD?"
says = "CUBIC has a higher throughput"
measure = "throughput"
axis = "controller"
experiments = ["first", "second"]
order = [["cubic"], ["aimd"]]
"""


def test_reproduce_answers_on_one_screen(paper: str) -> None:
    (package_data.PAPERS / paper / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    arguments = ["reproduce", paper, "--seed", "3", "--runs", "3"]
    ran = CliRunner().invoke(app, arguments, env={"COLUMNS": "80"})
    assert ran.exit_code == 0, ran.stderr
    lines = ran.stdout.splitlines()
    # On a terminal that is narrower, its columns are folded.
    assert len(lines) <= 24 and max(map(len, lines)) <= 120
    assert lines[0].split() == [
        "question",
        "where",
        "answer",
        "yes",
        "in",
        "paper",
        "here,",
        "±",
        "95",
        "%",
    ]
    assert re.match(r"Does CUBIC beat AIMD\? +first +(yes|no|tied|undecided) +[01] of 1 ", lines[1])
    assert re.match(r" +second +(yes|no|tied|undecided) ", lines[2])
    assert "Cannot be known: the weather." in lines
    assert not any("published" in line for line in lines)


def test_reproduce_answers_with_one_json_document(paper: str) -> None:
    ran = CliRunner().invoke(app, ["reproduce", paper, "--runs", "2", "--json", "--out", "there"])
    document = json.loads(ran.stdout)
    assert document["version"] == package.__version__
    assert (document["paper"], document["runs"], document["folder"]) == (paper, 2, "there")
    ids = {item["id"] for item in document["items"]}
    assert "table-1/first/cubic/throughput" in ids
    for item in document["items"]:
        if item["kind"] != "ranking":
            assert item["measured"]["low"] <= item["measured"]["mean"] <= item["measured"]["high"]
    for figure in document["figures"]:
        assert figure["files"]
        assert all(Path("there", file).is_file() for file in figure["files"])


def test_a_report_is_written_for_results_that_were_kept(
    windtunnel: Command, scenario: Path
) -> None:
    windtunnel("run", scenario.name, "--out", "kept")
    reported = windtunnel("report", "kept")
    assert (reported.returncode, reported.stdout) == (0, "Report: kept/report.html\n")
    assert (scenario.parent / "kept" / "report.html").is_file()


@pytest.mark.parametrize(
    "arguments",
    [
        ["schema"],
        ["list", "controllers"],
        ["list", "papers", "--json"],
        ["check", "small.toml"],
        ["run", "small.toml"],
        ["run", "small.toml", "--json"],
        ["--help"],
        ["--version"],
    ],
)
def test_a_pipe_that_is_closed_ends_a_command_quietly(
    windtunnel: Command, scenario: Path, arguments: list[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        ended = windtunnel(*arguments, stdout=closed, capture_output=False, stderr=-1)
    said = [line for line in ended.stderr.splitlines() if line.startswith("windtunnel:")]
    assert (ended.returncode, said) == (1, [])
    assert "Traceback" not in ended.stderr and "BrokenPipe" not in ended.stderr


def interrupt(
    tmp_path: Path, *arguments: str, at: bytes = b"[1-9] of 4 runs"
) -> subprocess.CompletedProcess[str]:
    """Run the command, press Ctrl-C when the progress matches, and wait for the end."""
    command = [sys.executable, "-m", "windtunnel", "run", "small.toml", "--jobs", "1", *arguments]
    # A terminal for the progress, from which to know how far it is.
    watched, terminal = pty.openpty()
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=terminal, encoding="utf-8"
    )
    os.close(terminal)
    said = b""
    deadline = time.monotonic() + 60
    while not re.search(at, said):
        assert time.monotonic() < deadline, said
        if select.select([watched], [], [], 0.1)[0]:
            said += os.read(watched, 65536)
    process.send_signal(signal.SIGINT)
    # The second case would take minutes.
    out, _ = process.communicate(timeout=60)
    os.set_blocking(watched, False)
    while True:
        try:
            said += os.read(watched, 65536)
        except OSError:
            break
    os.close(watched)
    error = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode(errors="replace"))
    return subprocess.CompletedProcess(command, process.returncode, out, error)


def test_an_interruption_ends_at_once_and_keeps_what_was_finished(
    tmp_path: Path, scenario: Path
) -> None:
    cases = {"compare.controller.cubic": '{ duration = "2 s" }'}
    settings = [f"{path}={value}" for path, value in cases.items()]
    settings.append('compare.controller.aimd={ duration = "20 h" }')
    arguments = [argument for setting in settings for argument in ("--set", setting)]
    interrupted = interrupt(tmp_path, *arguments, "--json")
    assert interrupted.returncode == 130
    assert "of 4 runs finished; results are in results/small" in interrupted.stderr
    assert "Traceback" not in interrupted.stderr
    document = json.loads(interrupted.stdout)
    assert document["interrupted"]
    assert document["finished"] >= 1
    assert document["finished"] + document["unfinished"] == 4
    saved = Results.load(tmp_path / "results" / "small")
    assert saved.manifest["unfinished"] == document["unfinished"] > 0
    assert set(saved["runs"]["stop"]) == {"finished"}
    assert saved["runs"].height == document["finished"]


def test_an_interruption_before_anything_was_finished_writes_nothing(
    tmp_path: Path, scenario: Path
) -> None:
    interrupted = interrupt(tmp_path, "--set", "duration=20h", at=b"0 of 4 runs")
    assert interrupted.returncode == 130
    said = "windtunnel: interrupted: 0 of 4 runs finished; nothing was written"
    assert interrupted.stderr.rstrip().endswith(said)
    assert interrupted.stdout == ""
    assert {it.name for it in tmp_path.iterdir()} == {"small.toml"}


def test_progress_is_shown_on_a_terminal(tmp_path: Path, scenario: Path) -> None:
    shown = interrupt(tmp_path, "--set", "duration=2000s")
    assert re.search(r"\d+% +[\d.]+ of 8000 s +[\d.]+× real time +\d of 4 runs", shown.stderr)
