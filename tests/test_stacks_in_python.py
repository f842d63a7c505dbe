"""Stacks written in Python: the page's, those that misbehave, and aioquic."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import pages
from conftest import Command
from windtunnel import Results, Scenario, ScenarioError, run
from windtunnel.extensions import described, load, stand_ins
from windtunnel.stacks import Datagram, Departure, Event, Place, Stack

PAGE = pages.text("stacks/python.md")
FILES = {it.name: it.text for it in pages.steps(PAGE) if isinstance(it, pages.File)}

PACKET_S = (1037 * 8 / 1e6) + 0.010
"""How long a datagram of a thousand bytes takes over the page's link, with its headers."""
ANSWER_S = (37 * 8 / 1e6) + 0.010


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the files of the page; work there."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page_class() -> Any:
    """Give the class of the page."""
    [(name, found)] = load(["mine.py:StopAndWait"]).items()
    assert name == "stop-and-wait"
    return found


def of(stack: Any, **settings: object) -> Results:
    """Run the page's scenario with a class."""
    return run("mine.toml", settings=settings, extensions={"stop-and-wait": stack}, progress=False)


def failure(stack: Any) -> str:
    """Give why a class ended its flow."""
    flows = of(stack)["flows"]
    assert flows["received_bytes"][0] < 100_000
    return str(flows["failure"][0])


def test_the_page_works_as_it_says(folder: Path) -> None:
    pages.follow(PAGE, folder)


def test_a_datagram_leaves_each_round_trip(folder: Path) -> None:
    results = of(page_class())
    assert results["flows"]["protocol"].to_list() == ["stack"]
    assert results["flows"]["flow_controller"].to_list() == ["stop-and-wait"]
    taken = results["transfers"]["completion_s"][0]
    assert taken == pytest.approx(99 * (PACKET_S + ANSWER_S) + PACKET_S, abs=1e-9)
    # The page has the same.
    assert f"{taken * 1e3:.3f} ms" in PAGE


def test_losses_are_repaired_and_runs_are_repeated(folder: Path) -> None:
    first, second = (of(page_class(), **{"links.path.loss": "5 %"}) for _ in range(2))
    assert first["flows"]["received_bytes"][0] == 100_000
    assert first["flows"]["datagrams"][0] > 100
    for name in ("flows", "flow_series", "transfers", "links"):
        assert first[name].equals(second[name]), name


def test_what_fails_ends_its_flow_and_names_class_and_line(folder: Path) -> None:
    text = (
        FILES["mine.py"]
        + "\n\nclass Late(StopAndWait):\n"
        + "    def receive(self, now, datagrams):\n        raise ValueError('not today')\n"
    )
    (folder / "broken.py").write_text(text, encoding="utf-8")
    line = len(text.splitlines())
    [late] = load(["broken.py:Late"]).values()
    assert failure(late) == f"Late.receive: ValueError: not today (broken.py, line {line})"

    class NeverMade(page_class()):  # type: ignore[misc]
        def __init__(self, now: int, place: Place) -> None:
            raise RuntimeError("no")

    assert re.match(r"NeverMade.__init__: RuntimeError: no \(.*, line \d+\)$", failure(NeverMade))


@pytest.mark.parametrize(
    ("method", "answer", "said"),
    [
        ("next_wake", -5, "it returned -5, and not a time in nanoseconds since the run began"),
        ("next_wake", 0.5, "it returned 0.5, and not a time"),
        ("send", b"data", "it returned b'data', and not a Departure"),
        ("send", Departure(b""), "a datagram has at least one byte"),
        ("send", Departure(b"x", segment=0), "a datagram has at least one byte"),
        ("send", Departure(b"x", to=("home", 1)), "`home` is not an IP address"),
        ("send", Departure(b"x", to=("1.2.3.4", 1)), "it sends to 1.2.3.4:1, and its peer is"),
        ("send", Departure(bytes(70_000)), "a datagram of 70000 B, and 65487 B is the most"),
        ("send", Departure(b"x"), "more than 100000 datagrams at one instant"),
        ("write", -1, "it returned -1, and not a number of bytes"),
        ("write", 10**6, "it takes 1000000 B of the 100000 B that there are"),
        ("open", 7, "it opens stream 7, and 0 is the next one"),
        ("next_event", Event("finished"), "there is no event `finished`"),  # type: ignore[arg-type]
        ("next_event", Event("failed", 0, "it is over"), "it is over"),
        ("next_event", 3, "it returned 3, and not an Event or None"),
        ("state", None, "it returned None, and not a State"),
    ],
)
def test_an_answer_that_cannot_be_is_said(
    folder: Path, method: str, answer: object, said: str
) -> None:
    class Odd(page_class()):  # type: ignore[misc]
        pass

    setattr(Odd, method, lambda *_: answer)
    assert said in failure(Odd)


def test_other_flows_go_on(folder: Path) -> None:
    class Broken(page_class()):  # type: ignore[misc]
        def receive(self, now: int, datagrams: Sequence[Datagram]) -> None:
            raise ValueError("no")

    text = (
        FILES["mine.toml"]
        + '\n[flows.other]\nfrom = "sender"\nto = "receiver"\ncontroller = "reno"\n'
    )
    results = run(Scenario.parse(text, extensions={"stop-and-wait": Broken}), progress=False)
    failures = dict(results["flows"].select("flow", "failure").iter_rows())
    assert failures["other"] is None and "ValueError" in failures["file"]
    assert results["flows"].filter(flow="other")["received_bytes"][0] > 10**6
    assert not results.manifest["failures"]


def test_a_class_without_a_method_is_refused(folder: Path) -> None:
    class Mute(page_class()):  # type: ignore[misc]
        send = Stack.send

    with pytest.raises(ScenarioError, match="class Mute has no method `send`"):
        of(Mute)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('stack = { name = "stop-and-go" }', "did you mean `stop-and-wait`"),
        ('stack = { name = "quinn" }', "there is no stack `quinn`"),
        ('stack = { name = "stop-and-wait", controller = "reno" }', "there is nothing to choose"),
    ],
)
def test_what_is_not_there_is_said(folder: Path, written: str, message: str) -> None:
    text = FILES["mine.toml"].replace('stack = { name = "stop-and-wait" }', written)
    with pytest.raises(ScenarioError, match=re.escape(message)):
        Scenario.parse(text, extensions={"stop-and-wait": page_class()})


def test_a_controller_of_windtunnel_cannot_be_in_it(folder: Path) -> None:
    text = FILES["mine.toml"].replace(
        'protocol = "stack"', 'protocol = "quic"\ncontroller = "copa"'
    )
    text = text.replace('stack = { name = "stop-and-wait" }', 'quic = { stack = "stop-and-wait" }')
    with pytest.raises(ScenarioError, match="`controller` cannot be used with stop-and-wait"):
        Scenario.parse(text, extensions={"stop-and-wait": page_class()})


def test_its_own_controllers_are_named_and_given(folder: Path) -> None:
    given: list[tuple[str, str | None]] = []

    class Two(page_class()):  # type: ignore[misc]
        controllers = ("slow", "fast")

        def __init__(self, now: int, place: Place) -> None:
            super().__init__(now, place)
            given.append((place.role, place.controller))

    assert of(Two)["flows"]["flow_controller"].to_list() == ["stop-and-wait's slow"]
    assert given == [("client", "slow"), ("server", "slow")]
    flows = of(Two, **{"flows.file.stack.controller": "fast"})["flows"]
    assert flows["flow_controller"].to_list() == ["stop-and-wait's fast"]
    # Results can be read without the class.
    extensions = stand_ins(described({"stop-and-wait": Two}))
    text = FILES["mine.toml"].replace('wait" }', 'wait", controller = "fast" }')
    Scenario.parse(text, extensions=extensions)
    with pytest.raises(ScenarioError, match="stop-and-wait has no controller `medium`"):
        of(Two, **{"flows.file.stack.controller": "medium"})


def test_the_command_line_refuses_what_is_incomplete(folder: Path, windtunnel: Command) -> None:
    text = FILES["mine.py"].replace("    def next_wake(self):", "    def other(self):")
    (folder / "mine.py").write_text(text, encoding="utf-8")
    ended = windtunnel("check", "mine.toml", "--extension", "mine.py:StopAndWait", cwd=folder)
    assert ended.returncode == 2
    assert "class StopAndWait has no method `next_wake`" in ended.stderr


# -- aioquic -----------------------------------------------------------------

QUIC = pages.text("quic.md")
DOWNLOAD = next(it.text for it in pages.steps(QUIC) if isinstance(it, pages.File))


def download(controller: str = "reno", **settings: object) -> Results:
    """Run the download of the page on QUIC with aioquic, of 1 MB."""
    text = DOWNLOAD.replace("10 MB", "1 MB").replace(
        '{ stack = "quinn" }', f'{{ stack = "aioquic", controller = "{controller}" }}'
    )
    return run(Scenario.parse(text), settings=settings, progress=False)


@pytest.mark.parametrize("controller", ["reno", "cubic"])
def test_aioquic_fills_the_link_and_repeats_itself(controller: str) -> None:
    first, second = (download(controller) for _ in range(2))
    assert first["flows"]["flow_controller"].to_list() == [f"aioquic's {controller}"]
    assert first["flows"]["lost"][0] > 0
    # 64 ms until the first byte is there, then 1 MB at 10 Mbps with headers of 7 %; the first
    # window of ten datagrams leaves the link idle for part of two round trips.
    assert 0.064 + 0.8 * 1.07 < first["transfers"]["completion_s"][0] < 0.98
    for name in ("flows", "flow_series", "transfers", "links", "link_series"):
        assert first[name].equals(second[name]), name


@pytest.mark.parametrize("other", ["quinn", "noq"])
@pytest.mark.parametrize("sends", [True, False])
def test_aioquic_talks_with_others(other: str, sends: bool) -> None:
    ends = ("aioquic", other) if sends else (other, "aioquic")
    stack = '{{ stack = "{}", receiver = "{}" }}'.format(*ends)
    text = DOWNLOAD.replace("10 MB", "1 MB").replace('{ stack = "quinn" }', stack)
    results = run(Scenario.parse(text), progress=False)
    assert results["flows"]["failure"].to_list() == [None]
    assert 0.064 + 0.8 * 1.05 < results["transfers"]["completion_s"][0] < 1.05


@pytest.mark.parametrize("receiver", ["aioquic", "quinn"])
def test_other_bytes_than_were_sent_are_noticed(receiver: str) -> None:
    from windtunnel.stacks.aioquic import Aioquic

    class Zeros(Aioquic):
        def write(self, now: int, stream: int, count: int) -> int:
            self.connection.send_stream_data(4 * stream, bytes(count))
            return count

    stack = f'{{ stack = "zeros", receiver = "{receiver}" }}'
    text = DOWNLOAD.replace("10 MB", "1 MB").replace('{ stack = "quinn" }', stack)
    results = run(Scenario.parse(text, extensions={"zeros": Zeros}), progress=False)
    said = "stream 0 brought other bytes than were sent"
    assert results["flows"]["failure"].to_list() == [said]


def connection_ids(seed: int) -> bytes:
    """Give version and connection IDs of the first datagram of a client; they are not encrypted."""
    from windtunnel.stacks.aioquic import Aioquic

    class At:
        role, own, peer, controller = "client", ("10.0.0.2", 1), ("10.0.0.1", 443), None

        def __init__(self, seed: int) -> None:
            self.seed = seed

    departure = Aioquic(0, At(seed)).send(0)  # type: ignore[arg-type]
    assert departure is not None
    return departure.data[1:23]


def test_aioquic_has_its_random_numbers_from_the_seed() -> None:
    assert connection_ids(1) == connection_ids(1)
    assert connection_ids(1)[5:14] != connection_ids(2)[5:14]
    assert connection_ids(1)[15:] != connection_ids(2)[15:]
    loss = {"links.path.loss": "1 %"}
    one, same, other = (download(seed=it, **loss)["flow_series"] for it in (1, 1, 2))
    assert one.equals(same) and not one.equals(other)


def test_aioquic_carries_data_without_end_and_many_streams() -> None:
    text = DOWNLOAD.replace("quinn", "aioquic").replace('duration = "10 s"', 'duration = "3 s"')

    def carried(workload: str) -> Any:
        changed = re.sub(r"^workload = .*$", f"workload = {workload}", text, flags=re.MULTILINE)
        return run(Scenario.parse(changed), progress=False)

    flows = carried('"bulk"')["flows"]
    assert flows["failure"].to_list() == [None] and flows["received_bytes"][0] > 3e6
    results = carried('{ kind = "arrivals", sizes = "web-search", load = "20 %" }')
    assert results["flows"]["failure"].to_list() == [None]
    assert results["transfers"]["completion_s"].len() > 0


def test_without_aioquic_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aioquic", None)
    monkeypatch.delitem(sys.modules, "windtunnel.stacks.aioquic", raising=False)
    with pytest.raises(ScenarioError, match="stack `aioquic`: aioquic is not installed; `pip"):
        download()
