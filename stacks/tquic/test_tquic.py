"""tquic as a stack: `make validate-stacks` builds the library and runs this.

It is not among the tests of `make test`, which would have to build the library first.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import windtunnel
from windtunnel import Plugin, Results, Scenario, ScenarioError
from windtunnel.cli import checking

ROOT = Path(__file__).parents[2]
EXTENSIONS = {it: Plugin(ROOT / "target" / "stacks" / f"{it}.so") for it in ("quiche", "tquic")}
TABLES = ("flows", "flow_series", "transfers", "links", "link_series")
DOWNLOAD = """
duration = "15 s"
nodes = { server = {}, client = {} }

[links.path]
nodes = ["server", "client"]
rate = "10 Mbps"
delay = "15 ms"
overhead = "0 B"
queue = { kind = "drop-tail", limit = "25 packets" }

[flows.download]
from = "server"
to = "client"
protocol = "quic"
workload = { kind = "request-response", request = "100 B", response = "10 MB", think = "60 s" }
quic = { stack = "tquic", controller = "cubic" }
"""
CONTROLLERS = ("bbr", "bbr3", "copa", "cubic")


def download(text: str = DOWNLOAD, threads: int = 1, **settings: object) -> Results:
    scenario = Scenario.parse(text, extensions=EXTENSIONS)
    return windtunnel.run(scenario, settings=settings, threads=threads, progress=False)


def taken(results: Results) -> float:
    """Give the time of the only transfer."""
    assert results["flows"]["failure"].to_list() == [None]
    (seconds,) = results["transfers"]["completion_s"]
    return seconds


def controlled_by(controller: str, flow: str = "download") -> dict[str, object]:
    return {f"flows.{flow}.quic.controller": controller}


def assert_equal(first: Results, second: Results) -> None:
    for name in TABLES:
        assert first[name].equals(second[name]), name


@pytest.mark.parametrize("controller", ["cubic", "copa"])
def test_it_fills_the_link_and_repeats_itself(controller: str) -> None:
    first, second = (download(**controlled_by(controller)) for _ in range(2))
    # 10 MB at 10 Mbps with headers of 5 %; the link is rarely empty.
    assert 8.39 < taken(first) < 8.6
    assert_equal(first, second)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_it_sends_the_same_bytes_again(controller: str, tmp_path: Path) -> None:
    file = tmp_path / "quic.toml"
    text = DOWNLOAD.replace('"15 s"', '"4 s"').replace('"cubic"', f'"{controller}"')
    file.write_text(text, encoding="utf-8")
    (found,) = checking.stacks(str(file), {}, as_json=True, extensions=EXTENSIONS)
    assert (found["difference"], found["has_same_bytes"]) == (None, True)


def test_another_seed_is_another_run() -> None:
    # BBRv3 draws when it probes for bandwidth.
    chosen = controlled_by("bbr3") | {"duration": "60 s"}
    assert len({taken(download(seed=seed, **chosen)) for seed in range(1, 4)}) == 3


def test_a_pacer_that_is_asked_often_stalls_a_receiver_with_bbr() -> None:
    # The receiver of the data sends little, and finds that the path carries little: less than a
    # byte in the time between two questions of whether it may send, which rounds to none. So
    # its limits for the streams never leave, and the sender has to stop.
    stalled = download(**controlled_by("bbr"))
    assert stalled["flows"]["transfers"].to_list() == [0]
    assert 5e6 < stalled["flows"]["received_bytes"][0] < 9e6
    quic = {"stack": "tquic", "controller": "bbr", "receiver": "quinn"}
    assert 8.39 < taken(download(**{"flows.download.quic": quic})) < 8.6


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_threads_change_nothing(controller: str) -> None:
    parts = DOWNLOAD.partition("[links.path]")
    others = parts[2].replace('"server"', '"other_server"').replace('"client"', '"other_client"')
    nodes = "nodes = { server = {}, client = {}, other_server = {}, other_client = {} }"
    text = parts[0].replace("nodes = { server = {}, client = {} }", nodes) + parts[1] + parts[2]
    text += "[links.other]" + others.replace("flows.download", "flows.other")
    chosen = controlled_by(controller) | controlled_by(controller, "other")
    assert_equal(*(download(text, threads, **chosen) for threads in (1, 2)))


def test_the_clock_of_the_process_stays_its_own() -> None:
    before = time.time(), time.monotonic()
    assert taken(download()) > 8
    after = time.time(), time.monotonic()
    # A run has a date of its own, which is years away.
    assert all(0 < later - sooner < 60 for sooner, later in zip(before, after, strict=True))


def sent_by_the_client(duration: str, **settings: object) -> int:
    links = download(duration=duration, **settings)["links"].rows(named=True)
    return sum(it["offered"] for it in links if it["from"] == "client")


@pytest.mark.parametrize(("duration", "datagrams"), [("31.964 ms", 1), ("31.965 ms", 4)])
def test_the_handshake_takes_what_a_datagram_each_way_takes(duration: str, datagrams: int) -> None:
    # 2 (15 ms + 0.9824 ms) = 31.9648 ms. Then the client's handshake is over, and it asks.
    assert sent_by_the_client(duration) == datagrams


@pytest.mark.parametrize(
    ("duration", "datagrams"),
    [
        ("998.9 ms", 1),
        ("999.1 ms", 2),
        ("2996.9 ms", 2),
        ("2997.1 ms", 3),
        ("6992.9 ms", 3),
        ("6993.1 ms", 4),
    ],
)
def test_a_first_flight_that_is_lost_goes_again_after_three_initial_round_trips(
    duration: str, datagrams: int
) -> None:
    # RFC 9002, section 6.2: after 999 (2ᵏ − 1) ms, each time as one datagram.
    assert sent_by_the_client(duration, **{"links.path.loss": "100 %"}) == datagrams


@pytest.mark.parametrize("other", ["quinn", "noq", "quiche"])
def test_it_talks_with_other_implementations(other: str) -> None:
    for stack, receiver in (("tquic", other), (other, "tquic")):
        ends = {"flows.download.quic": {"stack": stack, "receiver": receiver}}
        assert 8.39 < taken(download(**ends)) < 9


def test_streams_that_are_over_make_room_for_others() -> None:
    workload = {"kind": "request-response", "request": "100 B", "response": "1 kB"}
    results = download(**{"flows.download.workload": workload | {"think": "1 ms"}})
    # At most 100 streams are open at once; a round trip is 30 ms and some.
    assert results["flows"]["transfers"][0] > 400


def test_what_it_tells_is_what_happened() -> None:
    results = download()
    flow = results["flows"].row(0, named=True)
    assert flow["lost"] == results["links"]["overlimit_drops"].sum()
    series = results["flow_series"].drop_nulls("cwnd_segments")
    # A queue of 25 packets adds up to 30 ms to 30 ms.
    assert series["smoothed_rtt_s"].min() > 0.03
    assert series["smoothed_rtt_s"].max() < 0.065
    assert series["cwnd_segments"].max() > 25


def test_a_controller_that_it_does_not_have_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(ScenarioError, match=r"(?s)no controller `reno`.*`bbr`, `bbr3`, `copa`"):
        download(DOWNLOAD.replace('"cubic"', '"reno"'))
