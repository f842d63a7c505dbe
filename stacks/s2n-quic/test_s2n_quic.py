"""s2n-quic as a stack: `make validate-stacks` builds the library and runs this.

It is not among the tests of `make test`, which would have to build the library first.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import windtunnel
from windtunnel import Plugin, Results, Scenario, ScenarioError

ROOT = Path(__file__).parents[2]
PLUGIN = Plugin(ROOT / "target" / "stacks" / "s2n-quic.so")
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
workload = { kind = "request-response", request = "100 B", response = "10 MB", think = "15 s" }
quic = { stack = "s2n-quic" }
"""
FASTER = {
    "links.path.rate": "50 Mbps",
    "links.path.delay": "20 ms",
    "links.path.queue.limit": "170 packets",
    "flows.download.workload.response": "20 MB",
}
CONTROLLERS = ("cubic", "bbr2")


def download(text: str = DOWNLOAD, threads: int = 1, **settings: object) -> Results:
    scenario = Scenario.parse(text, extensions={"s2n-quic": PLUGIN})
    return windtunnel.run(scenario, settings=settings, threads=threads, progress=False)


def taken(results: Results) -> float:
    """Give the time of the only transfer."""
    assert results["flows"]["failure"].to_list() == [None]
    (seconds,) = results["transfers"]["completion_s"]
    return seconds


def assert_equal(first: Results, second: Results) -> None:
    for name in TABLES:
        assert first[name].equals(second[name]), name


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_it_fills_the_link_and_repeats_itself(controller: str) -> None:
    chosen = {"flows.download.quic.controller": controller}
    first, second = (download(**chosen) for _ in range(2))
    # 10 MB at 10 Mbps with headers of 5 %; the link is rarely empty.
    assert 8.39 < taken(first) < 8.8
    assert_equal(first, second)


@pytest.mark.parametrize(("settings", "alone"), [({}, 8.516497), (FASTER, 3.6196)])
def test_it_takes_what_it_takes_alone(settings: dict[str, object], alone: float) -> None:
    # A program that ran it over the same path without Windtunnel took so long. It passed no ECN
    # field on, and acknowledgements that count them have four bytes more.
    assert taken(download(**settings)) == pytest.approx(alone, rel=2e-3)


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_threads_change_nothing(controller: str) -> None:
    parts = DOWNLOAD.partition("[links.path]")
    others = parts[2].replace('"server"', '"other_server"').replace('"client"', '"other_client"')
    nodes = "nodes = { server = {}, client = {}, other_server = {}, other_client = {} }"
    text = parts[0].replace("nodes = { server = {}, client = {} }", nodes) + parts[1] + parts[2]
    text += "[links.other]" + others.replace("flows.download", "flows.other")
    chosen = {f"flows.{it}.quic.controller": controller for it in ("download", "other")}
    assert_equal(*(download(text, threads, **chosen) for threads in (1, 2)))


@pytest.mark.parametrize(("duration", "datagrams"), [("998 ms", 1), ("1100 ms", 3), ("3100 ms", 5)])
def test_a_first_flight_that_is_lost_goes_again_after_three_initial_round_trips(
    duration: str, datagrams: int
) -> None:
    # RFC 9002, section 6.2: after 999 (2ᵏ − 1) ms, as two datagrams each time.
    results = download(duration=duration, **{"links.path.loss": "100 %"})
    assert results["links"]["losses"].sum() == datagrams


@pytest.mark.parametrize("other", ["quinn", "noq"])
def test_it_talks_with_other_implementations(other: str) -> None:
    for stack, receiver in (("s2n-quic", other), (other, "s2n-quic")):
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
    assert 0 < flow["decreases"] <= flow["lost"]
    series = results["flow_series"].drop_nulls("cwnd_segments")
    # A queue of 25 packets adds up to 30 ms to 30 ms.
    assert series["smoothed_rtt_s"].min() > 0.03
    assert series["smoothed_rtt_s"].max() < 0.065
    assert series["cwnd_segments"].max() > 25


def test_a_controller_that_it_does_not_have_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(ScenarioError, match=r"(?s)no controller `reno`.*`cubic`, `bbr2`"):
        download(DOWNLOAD.replace('"s2n-quic" }', '"s2n-quic", controller = "reno" }'))
