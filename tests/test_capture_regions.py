"""Captures of the region protocol, as tshark reads them with the project's dissector."""

from __future__ import annotations

import random
import struct
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from conftest import Command
from test_capture import needs_tshark
from windtunnel.package_data import SCENARIOS, WIRESHARK

DISSECTOR = WIRESHARK / "region-protocol.lua"
WRONG = "_ws.malformed || _ws.short || _ws.lua.error || region.malformed"
ETHERNET = 14
NANOSECOND_PCAP = 0xA1B23C4D


def tshark(file: Path, displayed: str, *fields: str) -> list[list[str]]:
    """Give fields of the packets that a display filter lets pass."""
    command = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-n", "-r", str(file), "-Y", displayed]
    command += ["-T", "fields", *(it for field in fields for it in ("-e", field))]
    read = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    complaints = [it for it in read.stderr.splitlines() if "root" not in it]
    assert not complaints, complaints
    return [line.split("\t") for line in read.stdout.splitlines()]


def captures(windtunnel: Command, tmp_path: Path, encoding: str, *more: str) -> Path:
    """Run regions with an encoding of the header, and give the folder of its captures."""
    ran = windtunnel(
        *("run", str(SCENARIOS / "regions.toml"), "--out", "there", "--pcap", "b1"),
        *("--set", f"region_protocol.encoding={encoding}"),
        *more,
    )
    assert ran.returncode == 0, ran.stderr
    return tmp_path / "there" / "captures" / "wait" / "run-0"


@needs_tshark
@pytest.mark.parametrize("encoding", ["compact", "flow", "ipv4-shaped"])
def test_tshark_shows_the_header_and_finds_nothing_wrong(
    windtunnel: Command, tmp_path: Path, encoding: str
) -> None:
    more = ("--set", "duration=11 s", "--set", "defaults.link.rate=3 Mbps", "--pcap", "h2")
    folder = captures(windtunnel, tmp_path, encoding, *more)
    # Before the agreement ends and after, at the border between ct1 and its neighbours.
    border = folder / "b1.pcapng"
    assert tshark(border, WRONG, "frame.number") == []
    encodings = {"compact": "1", "flow": "2", "ipv4-shaped": "4"}
    fields = ("region.version", "region.protocol", "region.src.region", "region.dst.region")
    ends = Counter(tuple(it) for it in tshark(border, "region && tcp", *fields))
    version = encodings[encoding]
    # Data and acknowledgements: IPv4 in the region protocol.
    assert set(ends) == {(version, "4", "1", "2"), (version, "4", "2", "1")}
    lengths = tshark(border, "region && tcp", "frame.len", "region.length", "ip.len")
    header = {"compact": 16, "flow": 16, "ipv4-shaped": 20}[encoding]
    for frame, length, inner in lengths:
        assert int(frame) - ETHERNET == int(length) == int(inner) + header
    # The neighbours tell of the regions behind them.
    told = tshark(border, "region.control.message == 2", "region.control.told")
    assert {it[0] for it in told} >= {"2.0.0.0", "3.0.0.0", "4.0.0.0"}
    # Acknowledgements still go to ct3: there is no agreement, and then no way, to ct1.
    errors = tshark(folder / "h2.pcapng", "region.control.type == 1", "region.control.why")
    assert {it[0] for it in errors} == {"0", "1"}


@needs_tshark
@pytest.mark.parametrize("encoding", ["compact", "flow", "ipv4-shaped"])
def test_the_header_has_the_class_of_the_packet_inside(
    windtunnel: Command, tmp_path: Path, encoding: str
) -> None:
    more = ("--set", "duration=2 s", "--set", "flows.download.dscp=EF")
    border = captures(windtunnel, tmp_path, encoding, *more) / "b1.pcapng"
    classes = tshark(border, "region && tcp", "region.dscp", "ip.dsfield.dscp")
    assert {tuple(it) for it in classes} == {("46", "46")}
    messages = tshark(border, "region.control.type == 16", "region.dscp")
    assert {it[0] for it in messages} == {"0"}


@needs_tshark
def test_tshark_shows_the_links_that_borders_tell_all_of(
    windtunnel: Command, tmp_path: Path
) -> None:
    more = ("--set", "duration=2 s", "--set", "region_protocol.routing=link-state")
    border = captures(windtunnel, tmp_path, "compact", *more) / "b1.pcapng"
    assert tshark(border, WRONG, "frame.number") == []
    assert tshark(border, "region.control.message == 2", "frame.number") == []
    told = tshark(border, "region.control.linked", "region.control.told", "region.control.linked")
    links = {(code, it) for code, regions in told for it in regions.split(",")}
    # ct1 is joined to ct3 and ct4, and those to ct2.
    around = {("1.0.0.0", "3"), ("1.0.0.0", "4"), ("2.0.0.0", "3"), ("2.0.0.0", "4")}
    assert around <= links
    assert {("3.0.0.0", "1"), ("3.0.0.0", "2"), ("4.0.0.0", "1"), ("4.0.0.0", "2")} <= links


NAMED = """
duration = "2 s"
nodes = { host = {}, root-2 = {}, root-1 = {}, server = {} }
[defaults.link]
rate = "100 Mbps"
delay = "2 ms"
[links]
inside = { nodes = ["host", "root-2"] }
between = { nodes = ["root-2", "root-1"] }
there = { nodes = ["root-1", "server"] }
[regions.ct1]
code = 1
nodes = ["root-1", "server"]
root = "root-1"
names = { "www.xyz.com" = "server" }
[regions.ct2]
code = 2
nodes = ["host", "root-2"]
root = "root-2"
[region_protocol]
ndn = "inside"
[flows.visit]
from = "host"
to = "server"
peer_name = "www.xyz.com.ct1"
controller = "cubic"
workload = { kind = "file", size = "10 kB" }
start = "1 s"
[producers.video]
node = "server"
prefix = "/video"
[consumers.viewer]
node = "host"
prefix = "/video"
controller = { kind = "fixed", window = 2 }
start = "1 s"
"""


@needs_tshark
def test_tshark_reads_questions_answers_and_ndn_between_regions(
    windtunnel: Command, tmp_path: Path
) -> None:
    (tmp_path / "named.toml").write_text(NAMED, encoding="utf-8")
    nodes = ("--pcap", "root-1", "--pcap", "host")
    ran = windtunnel("run", "named.toml", "--out", "there", *nodes)
    assert ran.returncode == 0, ran.stderr
    folder = tmp_path / "there" / "captures" / "run-0"
    for node, header in (("host", 0), ("root-1", 16)):
        file = folder / f"{node}.pcapng"
        assert tshark(file, WRONG, "frame.number") == []
        fields = ("dns.flags.response", "dns.qry.name", "udp.checksum.status", "dns.a")
        question, answer = tshark(file, "dns", *fields)
        assert question[:2] == ["0", "www.xyz.com.ct1"]
        assert answer[:2] == ["1", "www.xyz.com.ct1"]
        assert answer[3].startswith("10.")
        sizes = tshark(file, "dns", "frame.len", "ip.len", "udp.dstport")
        assert all(int(it[0]) == ETHERNET + header + int(it[1]) for it in sizes)
        assert sizes[0][2] == "53"
    between = tshark(folder / "root-1.pcapng", "region.protocol == 252", "region.src.region")
    assert {it[0] for it in between} == {"1", "2"}


@needs_tshark
def test_no_bytes_break_the_dissector(tmp_path: Path) -> None:
    chance = random.Random(7)
    frames = []
    for number in range(3000):
        payload = bytearray(chance.randbytes(chance.randrange(0, 90)))
        # Many are nearly right: the version, the lengths and the protocol of a message.
        if len(payload) > 30 and number % 4:
            payload[:8] = struct.pack(">BBHBBBB", 0x10, 0, len(payload), 64, 253, 4, 0)
            payload[16:18] = bytes([chance.choice([1, 2, 16, 128]), chance.randrange(4)])
            if number % 4 == 2:
                payload[5] = 254
            if number % 4 == 3:
                payload[6] = 4 + chance.randrange(4)
        frames.append(bytes(12) + b"\x88\xb5" + bytes(payload))
    file = tmp_path / "random.pcap"
    with file.open("wb") as output:
        output.write(struct.pack("<IHHiIII", NANOSECOND_PCAP, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(frames):
            output.write(struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame)
    assert tshark(file, "_ws.lua.error", "frame.number", "_ws.expert.message") == []
    assert len(tshark(file, "region", "frame.number")) == len(frames)
