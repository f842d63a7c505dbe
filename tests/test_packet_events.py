"""What happens to the packets of a flow: laws of its events, and of what is written of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conftest import Command
from windtunnel import Results, Scenario
from windtunnel._core import ScenarioError
from windtunnel.folders import beside
from windtunnel.running import Details, run_scenario

LINE = """\
duration = "3 s"
nodes = {{ a = {{}}, r = {{}}, b = {{}} }}
[links.near]
nodes = ["a", "r"]
rate = "100 Mbps"
delay = "1 ms"
queue = {{ kind = "drop-tail", limit = "1000 packets" }}
[links.far]
nodes = ["r", "b"]
rate = "10 Mbps"
delay = "9 ms"
{link}
[flows.f]
from = "a"
to = "b"
{flow}
"""

TCP = 'controller = "cubic"'
QUEUES = {
    "short": 'queue = { kind = "drop-tail", limit = "20 packets" }',
    "codel": 'queue = { kind = "codel", limit = "100 packets" }',
    "loss": 'loss = { probability = "1 %" }',
}

NDN = """\
duration = "3 s"
nodes = { a = {}, b = {} }
[links.wire]
nodes = ["a", "b"]
rate = "10 Mbps"
delay = "5 ms"
queue = { kind = "drop-tail", limit = "30 packets" }
loss = { probability = "1 %" }
[producers.video]
node = "b"
prefix = "/video"
[consumers.viewer]
node = "a"
prefix = "/video"
controller = "cubic"
"""


def text(link: str = "", flow: str = TCP) -> str:
    """Write a scenario of a flow over two links."""
    return LINE.format(link=link, flow=flow)


def ran(scenario: str, events: str = "f", threads: int = 1) -> Results:
    """Run a scenario whose flow's packets are recorded."""
    return run_scenario(Scenario.parse(scenario), details=Details(events=[events]), threads=threads)


def count(events: pl.DataFrame, *names: str, **where: object) -> int:
    """Count the events with data of these names."""
    return events.filter(pl.col("kind").is_in(names), pl.col("data_bytes") > 0, **where).height


@pytest.mark.parametrize("link", QUEUES.values(), ids=QUEUES)
def test_what_was_sent_was_received_or_lost_or_is_on_its_way(link: str) -> None:
    results = ran(text(link))
    events = results["packet_events"]
    sent = count(events, "sent", "retransmitted", at="sender")
    lost = count(events, "dropped", "lost")
    received = count(events, "received", at="receiver")
    forth = results["links"].filter(
        ((pl.col("link") == "near") & (pl.col("from") == "a"))
        | ((pl.col("link") == "far") & (pl.col("from") == "r"))
    )
    assert lost > 0
    assert sent - lost - forth["in_transit"].sum() == received
    # Those that only acknowledge are among the events as well.
    drops = results["links"].select(
        pl.sum_horizontal("overlimit_drops", "discipline_drops", "losses")
    )
    assert events.filter(pl.col("kind").is_in(["dropped", "lost"])).height == drops.sum().item()


@pytest.mark.parametrize("link", QUEUES.values(), ids=QUEUES)
def test_what_events_count_is_what_the_flow_counted(link: str) -> None:
    results = ran(text(link))
    events, flow = results["packet_events"], results["flows"].row(0, named=True)
    assert count(events, "retransmitted", at="sender") == flow["retransmissions"] > 0
    assert count(events, "sent", "retransmitted", at="sender") == flow["segments"]
    received = events.filter(pl.col("data_bytes") > 0, at="receiver", kind="received")
    assert in_order(received.select("number", "data_bytes").rows()) == flow["received_bytes"]
    rtt = events.filter(at="sender")["rtt_s"].drop_nulls()
    assert rtt.mean() == pytest.approx(flow["rtt_s"])


def in_order(segments: list[tuple[int, int]]) -> int:
    """Count the bytes that follow each other from the first on."""
    end = 1
    for number, length in sorted(segments):
        if number > end:
            break
        end = max(end, number + length)
    return end - 1


@pytest.mark.parametrize("link", QUEUES.values(), ids=QUEUES)
def test_acknowledgements_do_not_decrease(link: str) -> None:
    arrived = ran(text(link))["packet_events"].filter(at="sender", kind="acknowledgement received")
    acknowledged = arrived["acknowledgement"].to_list()
    assert acknowledged == sorted(acknowledged) and len(set(acknowledged)) > 100


@pytest.mark.parametrize("link", QUEUES.values(), ids=QUEUES)
def test_a_round_trip_is_from_the_original_packet_to_its_acknowledgement(link: str) -> None:
    events = ran(text(link))["packet_events"].filter(at="sender")
    sent = {round(it, 12) for it in events.filter(kind="sent")["time_s"]}
    measured = events.filter(pl.col("rtt_s").is_not_null())
    assert measured.height > 100
    assert all(round(time - rtt, 12) in sent for time, rtt in measured["time_s", "rtt_s"].rows())


def test_a_sacked_byte_was_received_and_is_reported_once() -> None:
    events = ran(text(QUEUES["loss"]))["packet_events"]
    sacked = events.filter(kind="sacked").select("number", "data_bytes").rows()
    received = events.filter(at="receiver", kind="received").select("number", "data_bytes")
    there = {byte for number, length in received.rows() for byte in (number, number + length - 1)}
    assert sacked
    assert all(number in there and number + length - 1 in there for number, length in sacked)
    ends = sorted((number, number + length) for number, length in sacked)
    assert all(one[1] <= other[0] for one, other in pairwise(ends))


def test_a_listed_loss_is_that_packet_and_its_one_retransmission() -> None:
    file = f'{TCP}\nworkload = {{ kind = "file", size = "200 kB" }}'
    # The SYN is the first packet, and the acknowledgement of the answer to it the second.
    events = ran(text('loss = [{ kind = "listed", packets = [30] }, "0 %"]', file))["packet_events"]
    sent = events.filter(pl.col("kind").is_in(["sent", "acknowledgement sent"]), at="sender")
    lost = events.filter(kind="lost").row(0, named=True)
    again = events.filter(kind="retransmitted")
    assert events.filter(pl.col("kind").is_in(["lost", "dropped"])).height == 1
    assert (lost["at"], lost["link"], lost["node"]) == ("link", "far", "r")
    assert lost["number"] == sent["number"][29]
    assert again["number"].to_list() == [lost["number"]]
    assert events.filter(at="receiver", kind="received", number=lost["number"]).height == 1


def test_marks_in_events_are_those_of_the_flow() -> None:
    results = ran(
        text(
            'queue = { kind = "dualpi2", limit = "100 packets" }',
            'controller = "dctcp"\necn = "dctcp"',
        )
    )
    marked = results["packet_events"].filter(pl.col("is_marked"), at="receiver")
    assert marked.height == results["flows"]["marks"].item() > 0


def test_datagrams_are_sent_and_received_or_lost() -> None:
    udp = 'protocol = "udp"\nrate = "12 Mbps"\npayload = "1000 B"'
    results = ran(text(QUEUES["short"], udp))
    events, flow = results["packet_events"], results["flows"].row(0, named=True)
    received = events.filter(kind="received")
    assert received["data_bytes"].sum() == flow["received_bytes"]
    assert events.filter(kind="sent").height == flow["datagrams"]
    assert events.filter(kind="sent")["number"].to_list() == list(range(flow["datagrams"]))
    on_the_way = results["links"].filter(pl.col("from") != "b")["in_transit"].sum()
    lost = events.filter(pl.col("kind").is_in(["dropped", "lost"])).height
    assert flow["datagrams"] - lost - on_the_way == received.height
    assert set(events["at"]) == {"sender", "receiver", "queue"}


def test_a_consumers_events_are_what_it_counted() -> None:
    results = ran(NDN, "viewer")
    events, flow = results["packet_events"], results["flows"].row(0, named=True)
    asked = events.filter(pl.col("kind").is_in(["sent", "retransmitted"]))
    received = events.filter(kind="received")
    assert asked.height == flow["interests"]
    assert asked.filter(kind="retransmitted").height == flow["retransmissions"] > 0
    assert received["data_bytes"].sum() == flow["received_bytes"]
    assert received["rtt_s"].mean() == pytest.approx(flow["rtt_s"])
    in_transit = results["links"]["in_transit"].sum()
    lost = events.filter(pl.col("kind").is_in(["dropped", "lost"])).height
    pending = asked.filter(kind="sent").height - received["number"].n_unique()
    assert lost > 0 and pending <= in_transit + lost
    assert asked["cwnd_segments"].null_count() == 0


def test_subflows_are_told_apart() -> None:
    multipath = """\
duration = "2 s"
nodes = { a = {}, r = {}, s = {}, b = {} }
links.one = { nodes = ["a", "r"], rate = "10 Mbps", delay = "5 ms" }
links.two = { nodes = ["r", "b"], rate = "10 Mbps", delay = "5 ms" }
links.three = { nodes = ["a", "s"], rate = "5 Mbps", delay = "20 ms" }
links.four = { nodes = ["s", "b"], rate = "5 Mbps", delay = "20 ms" }
[flows.f]
from = "a"
to = "b"
controller = "cubic"
multipath = { scheduler = "lowest-rtt" }
"""
    results = ran(multipath)
    events = results["packet_events"].filter(pl.col("data_bytes") > 0, at="sender")
    sent = events.group_by("subflow").agg(segments=pl.len().cast(pl.UInt64)).sort("subflow")
    assert sent.equals(results["subflows"].select("subflow", "segments"))


def test_results_are_the_same_with_and_without_events_and_on_two_threads() -> None:
    scenario = text(QUEUES["loss"])
    whole = run_scenario(Scenario.parse(scenario)).tables
    recorded = [ran(scenario, threads=threads).tables for threads in (1, 2)]
    assert recorded[0]["packet_events"].equals(recorded[1]["packet_events"])
    for name, table in whole.items():
        if name != "packet_events":
            assert all(it[name].equals(table) for it in recorded), name
    assert whole["packet_events"].is_empty()


def test_a_wrong_name_names_the_nearest() -> None:
    with pytest.raises(
        ScenarioError, match=r"(?s)--events viever: there is no such flow.*mean `viewer`"
    ):
        ran(NDN, "viever")


# -- qlog -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def qlogs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Run flows whose packets are written as qlogs; give the records of each file."""
    folder = tmp_path_factory.mktemp("qlog") / "there"
    logs = {}
    for scenario, flow in ((text(QUEUES["loss"]), "f"), (NDN, "viewer")):
        with beside(folder) as recorded:
            details = Details(events=[flow])
            run_scenario(Scenario.parse(scenario), folder=recorded, details=details)
            for file in (recorded / "events/run-0").iterdir():
                logs[file.name] = list(records(file))
    return logs


def records(file: Path) -> Iterator[dict[str, Any]]:
    """Read a JSON text sequence (RFC 7464)."""
    texts = file.read_text(encoding="utf-8").split("\x1e")
    assert texts[0] == ""
    for record in texts[1:]:
        assert record.endswith("\n")
        yield json.loads(record)


def test_each_end_has_a_qlog(qlogs: dict[str, list[dict[str, Any]]]) -> None:
    assert set(qlogs) == {"f.sender.qlog", "f.receiver.qlog", "viewer.consumer.qlog"}


def test_a_qlog_has_the_fields_that_the_schema_requires(
    qlogs: dict[str, list[dict[str, Any]]],
) -> None:
    # draft-ietf-quic-qlog-main-schema-02: sections 3.1 and 3.3 (QlogFileSeq, TraceSeq), 3.3.1
    # (VantagePoint), 3.4 (Event).
    for header, *events in qlogs.values():
        assert header["qlog_version"] == "0.3" and header["qlog_format"] == "JSON-SEQ"
        trace = header["trace"]
        assert trace["vantage_point"]["type"] in ("client", "server", "network", "unknown")
        assert trace["common_fields"]["time_format"] in ("absolute", "delta", "relative")
        assert isinstance(trace["common_fields"]["reference_time"], int | float)
        assert isinstance(trace["common_fields"]["protocol_type"], list)
        assert events
        times = [it["time"] for it in events]
        assert times == sorted(times)
        for it in events:
            assert isinstance(it["time"], int | float)
            assert it["name"].count(":") == 1 and isinstance(it["data"], dict)


def test_the_events_of_a_qlog_have_their_fields(qlogs: dict[str, list[dict[str, Any]]]) -> None:
    # draft-ietf-quic-qlog-quic-events-01: sections 4.3.5, 4.3.6, 5.2 and 5.4.
    names = set()
    for _, *events in qlogs.values():
        for it in events:
            names.add(it["name"])
            data = it["data"]
            if it["name"] == "recovery:metrics_updated":
                assert data["congestion_window"] > 0 and data["bytes_in_flight"] >= 0
                continue
            assert data["header"]["packet_type"] == "1RTT"
            assert isinstance(data["header"]["packet_number"], int)
            if it["name"].startswith("transport:"):
                assert data["raw"]["length"] > data["raw"]["payload_length"]
    assert names == {
        "transport:packet_sent",
        "transport:packet_received",
        "recovery:packet_lost",
        "recovery:metrics_updated",
    }


def test_packets_of_a_qlog_are_numbered_as_they_are_sent_and_acknowledged_once(
    qlogs: dict[str, list[dict[str, Any]]],
) -> None:
    sender, receiver = qlogs["f.sender.qlog"][1:], qlogs["f.receiver.qlog"][1:]
    sent = numbers(sender, "transport:packet_sent")
    assert sent == list(range(len(sent)))
    arrived = numbers(receiver, "transport:packet_received")
    # Without another path nothing overtakes.
    assert arrived == sorted(arrived) and set(arrived) <= set(sent)
    acknowledged = [
        number
        for it in sender
        for frame in it["data"].get("frames", ())
        if frame["frame_type"] == "ack"
        for first, last in frame["acked_ranges"]
        for number in range(first, last + 1)
    ]
    assert len(acknowledged) == len(set(acknowledged)) > 100
    assert set(acknowledged) <= set(arrived)
    lost = numbers(sender, "recovery:packet_lost")
    assert lost and not set(lost) & set(arrived)


def numbers(events: list[dict[str, Any]], name: str) -> list[int]:
    """Give the numbers of the packets of some events."""
    return [it["data"]["header"]["packet_number"] for it in events if it["name"] == name]


# -- The command line, and pictures ---------------------------------------------


def test_run_writes_events_and_the_report_draws_them(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(text(QUEUES["short"]), encoding="utf-8")
    ran = windtunnel("run", "one.toml", "--events", "f", "--report", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    events = pl.read_parquet(tmp_path / "there/packet_events.parquet")
    assert Results.load(tmp_path / "there")["packet_events"].equals(events)
    assert (tmp_path / "there/events/run-0/f.sender.qlog").exists()
    assert "Time–sequence diagram: f" in (tmp_path / "there/report.html").read_text()


def test_a_report_without_events_has_no_such_picture(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(text(), encoding="utf-8")
    ran = windtunnel("run", "one.toml", "--report", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    assert "Time–sequence" not in (tmp_path / "there/report.html").read_text()
    assert not (tmp_path / "there/events").exists()


def test_a_wrong_name_is_one_message(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(NDN, encoding="utf-8")
    ran = windtunnel("run", "one.toml", "--events", "viever")
    assert ran.returncode == 2
    assert ran.stderr.count("\n") <= 3 and "did you mean `viewer`" in ran.stderr
    assert not (tmp_path / "results").exists()


def test_of_a_study_it_is_said_what_is_possible(windtunnel: Command, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('scenario = "one.toml"\nruns = 2\n', encoding="utf-8")
    ran = windtunnel("run", "study.toml", "--events", "f")
    assert ran.returncode == 2
    assert "a study keeps no events" in ran.stderr
    assert "windtunnel run one.toml --set PATH=VALUE --events FLOW" in ran.stderr
