"""quiche as a stack: `make validate-stacks` builds the library and runs this.

It is not among the tests of `make test`, which would have to build the library first.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import windtunnel
from windtunnel import Plugin, Results, Scenario, ScenarioError
from windtunnel.cli import checking

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXTENSIONS = {"quiche": Plugin(ROOT / "target" / "stacks" / "quiche.so")}
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
quic = { stack = "quiche" }
"""
LATE = {"flows.download.quic.reads": "1 ms"}
FASTER = {
    "links.path.rate": "50 Mbps",
    "links.path.delay": "20 ms",
    "links.path.queue.limit": "170 packets",
    "flows.download.workload.response": "20 MB",
}
CONTROLLERS = ("cubic", "reno", "bbr2")


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


@pytest.mark.parametrize("controller", CONTROLLERS)
def test_it_fills_the_link_and_repeats_itself(controller: str) -> None:
    first, second = (download(**controlled_by(controller), **LATE) for _ in range(2))
    # 10 MB at 10 Mbps with headers of 5 %; the link is rarely empty.
    assert 8.39 < taken(first) < 8.9
    assert_equal(first, second)


def test_it_sends_the_same_bytes_again_and_others_with_another_seed(tmp_path: Path) -> None:
    file = tmp_path / "quic.toml"
    file.write_text(DOWNLOAD.replace('"15 s"', '"2 s"'), encoding="utf-8")
    (found,) = checking.stacks(str(file), {}, as_json=True, extensions=EXTENSIONS)
    assert (found["difference"], found["has_same_bytes"]) == (None, True)
    assert len({taken(download(seed=seed)) for seed in range(1, 4)}) == 3


@pytest.mark.parametrize(
    ("settings", "alone"),
    [
        (LATE, 8.638012),
        (LATE | FASTER, 3.62),
        (controlled_by("bbr2"), 8.54),
    ],
)
def test_it_takes_what_it_takes_alone(settings: dict[str, object], alone: float) -> None:
    # A program that ran it over the same path without Windtunnel took so long, with another
    # certificate and other random numbers.
    assert taken(download(**settings)) == pytest.approx(alone, rel=5e-3)


def test_a_host_that_reads_at_once_has_it_send_smaller_datagrams() -> None:
    at_once, late = download(), download(**LATE)
    # Each acknowledgement is sent at once, and what then fits the window.
    assert at_once["flows"]["datagrams"][0] > 2 * late["flows"]["datagrams"][0]
    assert taken(at_once) > 1.1 * taken(late)


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


@pytest.mark.parametrize(("duration", "datagrams"), [("33.929 ms", 3), ("33.93 ms", 4)])
def test_the_handshake_takes_what_two_datagrams_each_way_take(
    duration: str, datagrams: int
) -> None:
    # Its first flight, with a post-quantum key, is two datagrams of 1228 B, and so is that which
    # answers: 2 (15 ms + 2 * 0.9824 ms) = 33.9296 ms. Then the client's handshake is over.
    assert sent_by_the_client(duration) == datagrams


@pytest.mark.parametrize(
    ("duration", "datagrams"),
    [
        ("998.9 ms", 2),
        ("999.1 ms", 3),
        ("2996.9 ms", 3),
        ("2997.1 ms", 5),
        ("6992.9 ms", 5),
        ("6993.1 ms", 7),
    ],
)
def test_a_first_flight_that_is_lost_goes_again_after_three_initial_round_trips(
    duration: str, datagrams: int
) -> None:
    # RFC 9002, section 6.2: after 999 (2ᵏ − 1) ms, as one datagram first, and then as two.
    assert sent_by_the_client(duration, **{"links.path.loss": "100 %"}) == datagrams


@pytest.mark.parametrize("other", ["quinn", "noq"])
def test_it_talks_with_other_implementations(other: str) -> None:
    for stack, receiver in (("quiche", other), (other, "quiche")):
        ends = {"flows.download.quic": {"stack": stack, "receiver": receiver}}
        assert 8.39 < taken(download(**ends)) < 9


def test_streams_that_are_over_make_room_for_others() -> None:
    workload = {"kind": "request-response", "request": "100 B", "response": "1 kB"}
    results = download(**{"flows.download.workload": workload | {"think": "1 ms"}})
    # At most 100 streams are open at once; a round trip is 30 ms and some.
    assert results["flows"]["transfers"][0] > 400


def test_what_it_tells_is_what_happened() -> None:
    results = download(**LATE)
    flow = results["flows"].row(0, named=True)
    assert flow["lost"] == results["links"]["overlimit_drops"].sum()
    series = results["flow_series"].drop_nulls("cwnd_segments")
    # A queue of 25 packets adds up to 30 ms to 30 ms.
    assert series["smoothed_rtt_s"].min() > 0.03
    assert series["smoothed_rtt_s"].max() < 0.065
    assert series["cwnd_segments"].max() > 25


def test_what_is_late_is_lost_for_reno_and_not_for_cubic() -> None:
    reordering = {"probability": "10 %", "lateness": "5 ms"}
    path = FASTER | {"links.path.reordering": reordering, "duration": "60 s"}
    cubic, reno = (taken(download(**path, **controlled_by(it))) for it in ("cubic", "reno"))
    # CUBIC undoes a reduction when it learns that nothing was lost.
    assert cubic < 0.75 * reno


def test_cubic_never_leaves_two_packets_without_its_repair() -> None:
    results = windtunnel.run(
        Scenario.load(HERE / "idle-restart.toml", extensions=EXTENSIONS), progress=False
    )
    goodput: dict[tuple[str, str], list[float]] = {}
    for flow in results["flows"].rows(named=True):
        goodput.setdefault((flow["controller"], flow["reads"]), []).append(flow["goodput_bps"])
    stuck = [it for it in goodput.pop(("without the repair", "after 0.5 ms")) if it < 3e6]
    assert len(stuck) >= 2
    assert min(min(it) for it in goodput.values()) > 60e6


def test_a_controller_that_it_does_not_have_is_refused_with_those_that_it_has() -> None:
    with pytest.raises(ScenarioError, match=r"(?s)no controller `bbr`.*`cubic`, `reno`, `bbr2`"):
        download(DOWNLOAD.replace('"quiche" }', '"quiche", controller = "bbr" }'))
