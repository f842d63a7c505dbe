"""Captures, as tshark reads them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from conftest import Command
from windtunnel import Results

ROOT = Path(__file__).parents[1]

TCP = """\
duration = "5 s"
nodes = { client = {}, router = {}, server = {} }
defaults.link.queue = { kind = "drop-tail", limit = "50 packets" }

[links.access]
nodes = ["client", "router"]
rate = "100 Mbps"
delay = "5 ms"
loss = { probability = "1 %" }

[links.core]
nodes = ["router", "server"]
rate = "20 Mbps"
delay = "5 ms"

# All that the senders have counted is to have left before the end.
[defaults.flow]
stop = "4 s"

[flows.upload]
from = "client"
to = "server"
controller = "cubic"

[flows.upload6]
from = "client"
to = "server"
controller = "cubic"
ip = "v6"
"""

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None,
    reason="tshark is not installed: no capture was read by it (apt install tshark)",
)


def tshark(file: Path, displayed: str, *fields: str) -> list[list[str]]:
    """Give the fields of the packets that a display filter lets pass."""
    command = ["tshark", "-n", "-r", str(file), "-Y", displayed, "-T", "fields"]
    command += ["-o", "tcp.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]
    command += ["-o", "ip.check_checksum:TRUE", "-o", "tcp.analyze_sequence_numbers:TRUE"]
    for field in fields:
        command += ["-e", field]
    read = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    # Beside what it warns of when it runs as root.
    complaints = [it for it in read.stderr.splitlines() if "root" not in it]
    assert not complaints, complaints
    return [line.split("\t") for line in read.stdout.splitlines()]


WRONG = (
    "_ws.malformed || _ws.short || _ws.unreassembled"
    " || ip.checksum.status == 0 || tcp.checksum.status == 0 || udp.checksum.status == 0"
)
REPEATED = (
    "tcp.analysis.retransmission || tcp.analysis.fast_retransmission"
    " || tcp.analysis.spurious_retransmission || tcp.analysis.out_of_order"
)


@pytest.fixture
def captured(windtunnel: Command, tmp_path: Path) -> Path:
    """Run two TCP flows, over IPv4 and IPv6, with losses; give the run's folder."""
    (tmp_path / "tcp.toml").write_text(TCP, encoding="utf-8")
    captures = [argument for node in ("client", "router") for argument in ("--pcap", node)]
    ran = windtunnel("run", "tcp.toml", *captures, "--pcap-direction", "both", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    return tmp_path / "there"


def captured_at(windtunnel: Command, folder: Path, node: str, *options: str) -> Path:
    """Capture at a node of a run without losses; give the file."""
    lossless = TCP.replace('loss = { probability = "1 %" }', "").replace("50 packets", "1 MB")
    (folder / "tcp.toml").write_text(lossless, encoding="utf-8")
    ran = windtunnel("run", "tcp.toml", "--pcap", node, *options, "--out", "there")
    assert ran.returncode == 0, ran.stderr
    return folder / "there/captures/run-0" / f"{node}.pcapng"


@needs_tshark
@pytest.mark.parametrize("node", ["client", "router", "server"])
def test_without_losses_tshark_finds_no_packet_twice(
    windtunnel: Command, tmp_path: Path, node: str
) -> None:
    file = captured_at(windtunnel, tmp_path, node)
    assert len(tshark(file, "tcp.len > 0", "frame.number")) > 1000
    assert tshark(file, REPEATED, "frame.number") == []


@needs_tshark
def test_each_direction_of_a_link_is_an_interface(windtunnel: Command, tmp_path: Path) -> None:
    def interfaces(node: str, *options: str) -> set[str]:
        file = captured_at(windtunnel, tmp_path, node, *options)
        return {name for [name] in tshark(file, "frame", "frame.interface_name")}

    assert interfaces("client") == {"access in", "access out"}
    assert interfaces("router") == {"access out", "core out"}
    assert interfaces("router", "--pcap-direction", "in") == {"access in", "core in"}


@needs_tshark
def test_a_capture_is_of_some_bytes_and_some_time(windtunnel: Command, tmp_path: Path) -> None:
    options = ("--pcap-snap", "96", "--pcap-window", "1 s", "1.5 s")
    packets = tshark(
        captured_at(windtunnel, tmp_path, "server", *options),
        "tcp",
        *("frame.time_epoch", "frame.cap_len", "frame.len"),
    )
    assert all(1.0 <= float(time) < 1.5 for time, _, _ in packets)
    assert max(int(kept) for _, kept, _ in packets) == 96
    assert max(int(length) for _, _, length in packets) == 1514


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pcap-direction", "up"), "write `out`, `in` or `both`"),
        (("--pcap-window", "1 s", "later"), '"later" is not a duration'),
        (("--pcap-window", "2 s", "1 s"), "it ends before it begins"),
        (("--pcap-snap", "0"), "greater than or equal to 1"),
    ],
)
def test_captures_that_cannot_be_are_refused(
    windtunnel: Command, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "tcp.toml").write_text(TCP, encoding="utf-8")
    ran = windtunnel("run", "tcp.toml", "--pcap", "client", *options)
    assert ran.returncode == 2
    assert message in ran.stderr


@needs_tshark
def test_tshark_finds_nothing_wrong_in_a_tcp_run(captured: Path) -> None:
    for node in ("client", "router"):
        file = captured / "captures" / "run-0" / f"{node}.pcapng"
        assert tshark(file, "tcp", "frame.number")
        assert tshark(file, WRONG, "frame.number") == []


@needs_tshark
def test_tshark_finds_the_retransmissions_that_the_sender_counted(captured: Path) -> None:
    file = captured / "captures" / "run-0" / "client.pcapng"
    for flow in Results.load(captured)["flows"].iter_rows(named=True):
        version = "ipv6" if flow["flow"] == "upload6" else "ip"
        repeated = f"{version} && tcp.len > 0 && ({REPEATED})"
        assert flow["retransmissions"] > 0
        assert len(tshark(file, repeated, "frame.number")) == flow["retransmissions"]


@needs_tshark
def test_the_packets_of_a_capture_come_in_the_order_of_time(captured: Path) -> None:
    for node in ("client", "router"):
        file = captured / "captures" / "run-0" / f"{node}.pcapng"
        times = [float(time) for [time] in tshark(file, "frame", "frame.time_epoch")]
        assert times == sorted(times)


@needs_tshark
def test_what_the_link_lost_left_the_sender_and_did_not_arrive(captured: Path) -> None:
    results = Results.load(captured)
    links = results["links"].filter(link="access")
    lost = links.filter(pl.col("from") == "client")["losses"].item()
    folder = captured / "captures" / "run-0"
    upwards = 'tcp.dstport == 5001 && frame.interface_name == "access {}"'
    sent = len(tshark(folder / "client.pcapng", upwards.format("out"), "frame.number"))
    arrived = len(tshark(folder / "router.pcapng", upwards.format("in"), "frame.number"))
    assert lost > 0
    # Those that are under way at the end have left and not arrived.
    assert lost <= sent - arrived


L4S = """\
duration = "3 s"
nodes = { client = {}, router = {}, server = {} }

[links.access]
nodes = ["client", "router"]
rate = "100 Mbps"
delay = "5 ms"
loss = { probability = "1 %" }

[links.core]
nodes = ["router", "server"]
rate = "10 Mbps"
delay = "5 ms"
queue = "dualpi2"

[flows]
prague = { from = "client", to = "server", controller = "prague" }
"""


@needs_tshark
def test_tshark_reads_what_accurate_ecn_counts(windtunnel: Command, tmp_path: Path) -> None:
    """At the server, each acknowledgement reports what came before it: RFC 9768, section 3.2."""
    (tmp_path / "l4s.toml").write_text(L4S, encoding="utf-8")
    ran = windtunnel("run", "l4s.toml", "--pcap", "server", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    file = tmp_path / "there" / "captures" / "run-0" / "server.pcapng"
    assert tshark(file, WRONG, "frame.number") == []
    syns = tshark(file, "tcp.flags.syn == 1", "tcp.flags.ae", "tcp.flags.cwr", "tcp.flags.ece")
    assert syns == [["1", "1", "1"], ["0", "1", "0"]]
    counters = [f"tcp.options.acc_ecn.{it}" for it in ("ee0b", "eceb", "ee1b")]
    fields = ["tcp.dstport", "ip.dsfield.ecn", "tcp.len", "tcp.flags.ace", *counters]
    scalable, marked, marks, options = 1, 0, 0, 0
    # Behind the last step of the handshake, whose ACE reports on that.
    segments = tshark(file, "tcp.flags.syn == 0", *fields)[1:]
    for port, field, length, ace, ee0b, eceb, ee1b in segments:
        if port == "5001":
            scalable += int(length) * (field == "1")
            marked += int(length) * (field == "3")
            marks += field == "3"
            continue
        assert int(ace) == (5 + marks) % 8
        assert (ee0b, eceb, ee1b) in [("", str(marked), str(scalable)), ("", "", "")]
        options += eceb != ""
    assert options > 100
    assert Results.load(tmp_path / "there")["flows"]["marks"].item() == marks > 100


@needs_tshark
def test_tshark_reads_an_ndn_run(windtunnel: Command, scenario: Path) -> None:
    ran = windtunnel("run", scenario.name, "--pcap", "consumer", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    files = sorted((scenario.parent / "there" / "captures").rglob("*.pcapng"))
    parts = [str(it.relative_to(scenario.parent / "there" / "captures")) for it in files]
    assert parts == [
        f"{case}/run-{run}/consumer.pcapng" for case in ("aimd", "cubic") for run in (0, 1)
    ]
    for file in files:
        packets = tshark(file, "frame", "eth.type", "frame.interface_name")
        assert packets
        assert all(kind == "0x8624" and "wire " in name for kind, name in packets)
        assert tshark(file, WRONG, "frame.number") == []


NDN = """\
duration = "200 ms"
nodes = { consumer = {}, producer = {} }
producers.video = { node = "producer", prefix = "/video", payload = "1000 B" }
consumers.viewer = { node = "consumer", prefix = "/video", controller = "few" }
controllers.few = { kind = "fixed", window = 10 }

[links.wire]
nodes = ["consumer", "producer"]
rate = "10 Mbps"
delay = "5 ms"
mtu = "400 B"
pit_token = "4 B"
"""


@needs_tshark
def test_a_capture_has_the_fragments_of_a_link_with_an_mtu(
    windtunnel: Command, tmp_path: Path
) -> None:
    (tmp_path / "ndn.toml").write_text(NDN, encoding="utf-8")
    ran = windtunnel("run", "ndn.toml", "--pcap", "consumer", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    file = tmp_path / "there" / "captures" / "run-0" / "consumer.pcapng"
    assert tshark(file, WRONG, "frame.number") == []
    frames = tshark(file, "eth.type == 0x8624", "data.data", "frame.len")
    link_packets = [bytes.fromhex(data) for data, _ in frames]
    # LpPacket is of type 100. The mark that a queue might add would take 5 more.
    assert all(it[0] == 100 for it in link_packets)
    assert max(len(it) for it in link_packets) == 400 - 5
    counted = Results.load(tmp_path / "there")["nodes"]
    [consumer] = counted.filter(pl.col("node") == "consumer").to_dicts()
    # A fragment begins with its Sequence (type 81) of 8 bytes.
    fragments = [it for it in link_packets if it[4:6] == b"\x51\x08" or it[2:4] == b"\x51\x08"]
    assert len(fragments) == consumer["fragments_in"]
    # Of each Data there are three; the last may be incomplete at the end.
    assert consumer["fragments_in"] // 3 == consumer["reassembled"] == consumer["data_in"] > 0


def test_a_node_that_is_not_there_is_refused_with_the_nearest_name(
    windtunnel: Command, scenario: Path
) -> None:
    ran = windtunnel("run", scenario.name, "--pcap", "consuner")
    assert ran.returncode == 2
    assert "--pcap consuner: there is no such node" in ran.stderr
    assert "did you mean `consumer`?" in ran.stderr
    assert not (scenario.parent / "results").exists() or not any(
        (scenario.parent / "results").iterdir()
    )


def test_captures_change_no_figure(windtunnel: Command, scenario: Path) -> None:
    windtunnel("run", scenario.name, "--out", "without")
    windtunnel("run", scenario.name, "--pcap", "consumer", "--out", "with")
    without, captured = (Results.load(scenario.parent / it) for it in ("without", "with"))
    for table in ("flows", "links", "link_series"):
        assert without[table].equals(captured[table])


@needs_tshark
def test_the_first_commands_of_the_page_do_what_it_says(
    windtunnel: Command, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "captures.md").read_text(encoding="utf-8")
    [first, *_] = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    run, read = (shlex.split(line) for line in first.splitlines())
    assert run[:2] == ["windtunnel", "run"]
    ran = windtunnel("run", ROOT / run[2], *run[3:], "--set", "duration=1s")
    assert ran.returncode == 0, ran.stderr
    assert read[:2] == ["tshark", "-r"]
    assert (tmp_path / read[2]).is_file()
    printed = subprocess.run(read, cwd=tmp_path, capture_output=True, check=True)
    assert len(printed.stdout.splitlines()) == 5
