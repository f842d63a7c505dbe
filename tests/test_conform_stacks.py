"""Conformance over other stacks: what applies there, what is measured, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

import pages
from conftest import Command, needs_kernel
from windtunnel import Results, Scenario, ScenarioError
from windtunnel.conformance import stacks, suites
from windtunnel.conformance.networks import loss, measured, moments, of_sender
from windtunnel.conformance.playing import Found, play
from windtunnel.running import run

LAWS = [
    ("reno", "small-buffer", "reno", "cubic"),
    ("cubic", "small-buffer", "cubic", "reno"),
    ("cubic", "mean-window-at-random-losses", "cubic", "reno"),
    ("hystart++", "overshoot", "cubic", "reno"),
    ("ledbat++", "alone", "ledbat-plus-plus", "cubic"),
    ("ledbat++", "yields", "ledbat-plus-plus", "cubic"),
]
"""A suite, a case, a controller that it is made for, and one that it must notice."""

FAST = ("quinn", "noq", "windtunnel")


def network(suite: str, case: str) -> str:
    """Give the scenario of a case."""
    text: str = suites.read(suite).cases[case]["network"]["scenario"]
    return text


def found(suite: str, case: str, controller: str, over: str) -> Found:
    """Play a case over a stack."""
    stack = stacks.find(over)
    [only] = play(suites.read(suite), stack.controller(controller), case, stack)
    return only


def results_of(text: str, controller: str, over: str) -> Results:
    """Run a scenario of a case over a stack, with the packets of its flow."""
    stack = stacks.find(over)
    scenario = stack.carrying(Scenario.parse(text), stack.controller(controller))
    return run(scenario, progress=False, events=[stacks.FLOW])


@pytest.mark.parametrize("over", FAST)
@pytest.mark.parametrize(("suite", "case", "controller", "other"), LAWS)
def test_a_controller_follows_its_law_and_another_one_does_not(
    suite: str, case: str, controller: str, other: str, over: str
) -> None:
    assert found(suite, case, controller, over).verdict == "passes"
    assert found(suite, case, other, over).verdict == "fails"


def test_prague_keeps_the_delay_low_where_cubic_does_not() -> None:
    assert found("prague", "low-delay", "prague", "windtunnel").verdict == "passes"
    cubic = found("prague", "low-delay", "cubic", "windtunnel")
    assert cubic.failure is not None
    assert cubic.failure["quantity"] == "rtt"


def test_quinn_and_noq_have_controllers_of_their_own(windtunnel: Command) -> None:
    """In which nothing but a loss ends slow start."""
    for over in ("quinn", "noq"):
        stack = stacks.find(over, with_own=True)
        case = play(suites.read("hystart++"), stack.controller("cubic"), "overshoot", stack)
        [own] = case
        assert own.title == f"HyStart++ over {over} with its own controller"
        assert own.failure is not None
        assert own.failure["quantity"] == "loss"
        assert found("hystart++", "overshoot", "cubic", over).verdict == "passes"
    for words, message in (
        (("cubic", "--own"), "--own needs --stack"),
        (("cubic", "--stack", "smoltcp", "--own"), "--own is for --stack quinn or noq"),
        (("vegas", "--stack", "quinn", "--own"), "quinn has no controller `vegas`"),
    ):
        refused = windtunnel("conform", *words)
        assert (refused.returncode, message in refused.stderr) == (2, True), refused.stderr


@needs_kernel
def test_the_kernel_has_its_own_controllers() -> None:
    dctcp = found("dctcp", "step-marking", "dctcp", "linux")
    assert (dctcp.verdict, dctcp.title) == ("passes", "DCTCP over linux")
    # Losses keep the queue as short as marks do, and the path is not full then.
    reno = found("dctcp", "step-marking", "reno", "linux")
    assert reno.failure is not None
    assert reno.failure["quantity"] == "goodput"


@pytest.mark.parametrize(
    ("suite", "case", "controller", "over", "reason"),
    [
        ("cubic", "curve", "cubic", "noq", "its steps are played to the controller alone"),
        ("reno", "mean-window-at-random-losses", "reno", "smoltcp", "does not report its `cwnd`"),
        ("bbr3", "cruise-with-aggregation", "bbr3", "quinn", "quinn have no `acknowledgements`"),
        ("bbr3", "policer", "reno", "quinn", "`reno` does not declare the need `pacing`"),
    ],
)
def test_what_does_not_apply_says_why(
    suite: str, case: str, controller: str, over: str, reason: str
) -> None:
    it = found(suite, case, controller, over)
    assert it.verdict == "does-not-apply"
    assert it.reason is not None
    assert reason in it.reason


@pytest.mark.parametrize("over", ["noq", "smoltcp"])
def test_losses_are_those_of_the_sender(over: str) -> None:
    """Conservation: what the path dropped and lost of the data, and nothing of what came back."""
    text = network("reno", "small-buffer").replace("60 s", "5 s")
    text = text.replace('queue = { limit = "12 kB" }', 'queue = { limit = "12 kB" }, loss = "1 %"')
    results = results_of(text, "reno", over)
    events = results["packet_events"]
    sent = events.filter((pl.col("kind") == "sent") & (pl.col("at") == "sender"))
    received = events.filter((pl.col("kind") == "received") & (pl.col("at") == "receiver"))
    share = loss(of_sender(events))
    assert share is not None
    both_directions = events.filter(pl.col("kind").is_in(["dropped", "lost"]))
    assert 0 < round(share * len(sent)) < len(both_directions)
    # What is under way at the end was neither lost nor received.
    under_way = len(sent) - len(received) - round(share * len(sent))
    assert 0 <= under_way <= 100
    assert measured(results, "loss", -1.0, 5.0, is_sealed=True) == share


def test_the_trace_of_a_network_has_all_that_was_received() -> None:
    results = results_of(network("cubic", "small-buffer").replace("60 s", "5 s"), "cubic", "quinn")
    trace = moments(results["flow_series"].filter(flow=stacks.FLOW))
    assert [it["time_s"] for it in trace] == pytest.approx(
        [0.125 * it for it in range(1, 41)], abs=0.06
    )
    received = results["flows"]["received_bytes"].item() * 8
    samples = results["flow_series"].filter(flow=stacks.FLOW)["goodput_bps"].mean()
    assert samples == pytest.approx(received / 5, rel=1e-9)
    means = [it["goodput_bps"] for it in trace]
    assert sum(means) / len(means) == pytest.approx(received / 5, rel=0.05)


def test_the_class_of_a_stack_is_named(windtunnel: Command, tmp_path: Path) -> None:
    page = pages.text("stacks/python.md")
    files = {it.name: it.text for it in pages.steps(page) if isinstance(it, pages.File)}
    text = files["mine.py"] + "\n\nclass Slow(StopAndWait):\n    controllers = ('reno',)\n"
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    case = ("--suite", "reno", "--case", "full-buffer")
    done = windtunnel("conform", "reno", "--stack", "mine.py:Slow", *case)
    assert done.returncode == 1, done.stderr
    assert "Reno over slow: RFC 5681" in done.stdout
    # A datagram of a thousand bytes in each round trip of 100 ms.
    assert "goodput: expected at least 9300000, measured 79" in done.stdout
    done = windtunnel("conform", "cubic", "--stack", "mine.py:Slow", *case)
    assert done.returncode == 2
    assert "slow has no controller `cubic`" in done.stderr


def test_what_was_played_over_is_said(windtunnel: Command, tmp_path: Path) -> None:
    dctcp = ("conform", "dctcp", "--stack", "windtunnel")
    done = windtunnel(*dctcp, "--junit", "found.xml")
    assert done.returncode == 0, done.stderr
    assert "DCTCP over windtunnel: RFC 8257" in done.stdout
    assert "  10 cases for the controller alone: does not apply\n" in done.stdout
    assert "11 cases: 10 does not apply, 1 passes" in done.stdout
    [suite] = ElementTree.parse(tmp_path / "found.xml").getroot()
    assert suite.get("name") == "DCTCP over windtunnel"
    said = {it.get("name"): it.get("value") for it in suite.iter("property")}
    assert said["stack"] == "windtunnel"
    assert (suite.get("tests"), suite.get("skipped")) == ("11", "10")
    done = windtunnel(*dctcp, "--case", "step-marking")
    assert "until, s" in done.stdout
    [case] = json.loads(windtunnel(*dctcp, "--case", "step-marking", "--json").stdout)["cases"]
    assert (case["stack"], case["verdict"], len(case["trace"])) == ("windtunnel", "passes", 40)


@pytest.mark.parametrize(
    ("controller", "over", "message"),
    [
        ("cubic", "quin", "unknown stack `quin`\nhelp: did you mean `quinn`?"),
        ("cubic", "none.so", "none.so: "),
        ("cubic", "none.py:Mine", "none.py: No such file or directory"),
        ("bbr3", "smoltcp", "smoltcp has no controller `bbr3`"),
        ("dctcp", "noq", "`dctcp` cannot be used with "),
        ("cubik", "noq", "unknown controller `cubik`"),
        ("tcp", "noq", "--stack is about controllers"),
    ],
)
def test_what_a_stack_does_not_have_is_refused(
    windtunnel: Command, controller: str, over: str, message: str
) -> None:
    done = windtunnel("conform", controller, "--stack", over)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(("protocol", "known"), [("quic", stacks.QUIC), ("tcp-stack", stacks.TCP)])
def test_all_implementations_that_scenarios_name_are_known(
    protocol: str, known: Collection[str]
) -> None:
    table, key = stacks.KEYS[protocol]
    flow = f'flows.{stacks.FLOW} = {{ from = "server", to = "client", protocol = "{protocol}"'
    text = stacks.TRIAL[: stacks.TRIAL.index("flows.")] + f'{flow}, {table} = {{ {key} = "x" }} }}'
    with pytest.raises(ScenarioError) as refused:
        Scenario.parse(text)
    named = str(refused.value).partition("known here: ")[2]
    # Classes that were loaded in this process are named as well.
    assert set(known) <= set(re.findall("`(.*?)`", named)) <= set(stacks.names())


def test_a_case_without_its_flow_is_refused(windtunnel: Command, tmp_path: Path) -> None:
    text = suites.FOLDER.joinpath("dctcp.toml").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(text.replace("flows.flow =", "flows.other ="))
    done = windtunnel("conform", "dctcp", "--stack", "windtunnel", "--suite", "own.toml")
    assert done.returncode == 2
    assert "own: step-marking: there is no flow `flow`" in done.stderr
