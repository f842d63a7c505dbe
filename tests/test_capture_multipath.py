"""Captures of Multipath TCP, as tshark reads them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conftest import Command
from test_capture import WRONG, needs_tshark, tshark
from windtunnel import Results

MULTIPATH = """\
duration = "3 s"
nodes = {{ server = {{}}, upper = {{}}, lower = {{}}, client = {{}} }}

[defaults.link]
rate = "10 Mbps"
delay = "5 ms"
queue = {{ kind = "drop-tail", limit = "100 packets" }}

[links]
a = {{ nodes = ["server", "upper"] }}
b = {{ nodes = ["upper", "client"] }}
c = {{ nodes = ["server", "lower"] }}
d = {{ nodes = ["lower", "client"] }}

[flows.download]
from = "server"
to = "client"
controller = "cubic"
ip = "{ip}"
workload = {{ kind = "file", size = "1 MB" }}
multipath = {{ version = "{version}" }}
"""

DATA = {"v1": 1420, "v0": 1428}
"""Bytes of data in a full segment over IPv4."""


def run(
    windtunnel: Command, folder: Path, version: str, ip: str = "v4", text: str | None = None
) -> Path:
    """Run it, or another text, and give the capture at the client."""
    text = text or MULTIPATH.format(version=version, ip=ip)
    (folder / "multipath.toml").write_text(text, encoding="utf-8")
    ran = windtunnel("run", "multipath.toml", "--pcap", "client", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    return folder / "there" / "captures" / "run-0" / "client.pcapng"


@needs_tshark
@pytest.mark.parametrize("version", ["v1", "v0"])
@pytest.mark.parametrize("ip", ["v4", "v6"])
def test_tshark_finds_one_connection_of_two_subflows_and_nothing_wrong(
    windtunnel: Command, tmp_path: Path, version: str, ip: str
) -> None:
    file = run(windtunnel, tmp_path, version, ip)
    assert tshark(file, WRONG, "frame.number") == []
    fields = ("mptcp.stream", "tcp.stream")
    streams = Counter(tuple(it) for it in tshark(file, "mptcp.stream", *fields))
    assert set(streams) == {("0", "0"), ("0", "1")}, streams
    # The second has another address at both ends, and was told of before it joined.
    source = "ip.src" if ip == "v4" else "ipv6.src"
    joins = tshark(file, "tcp.flags.syn == 1 && tcp.stream == 1", source)
    first = tshark(file, "tcp.flags.syn == 1 && tcp.stream == 0", source)
    assert len(joins) == len(first) == 2
    assert not {it[0] for it in joins} & {it[0] for it in first}


@needs_tshark
@pytest.mark.parametrize("version", ["v1", "v0"])
def test_tshark_finds_what_becomes_of_subflows(
    windtunnel: Command, tmp_path: Path, version: str
) -> None:
    """MP_PRIO, REMOVE_ADDR on the subflow that is left, and in version 1 why one is reset."""
    changes = """[
    { at = "200 ms", subflow = 1, state = "backup" },
    { at = "300 ms", subflow = 1, state = "active" },
    { at = "500 ms", subflow = 1, state = "removed" },
]"""
    ended = MULTIPATH.replace('"{version}" }}', '"{version}", changes = {changes} }}')
    assert ended != MULTIPATH
    text = ended.format(version=version, ip="v4", changes=changes)
    file = run(windtunnel, tmp_path, version, text=text)
    assert tshark(file, WRONG, "frame.number") == []
    priorities = tshark(file, "tcp.options.mptcp.subtype == 5", "tcp.stream")
    assert [stream for [stream] in priorities] == ["1", "1"]
    removed = tshark(file, "tcp.options.mptcp.subtype == 4", "tcp.stream")
    assert [stream for [stream] in removed] == ["0"]
    resets = tshark(file, "tcp.flags.reset == 1", "tcp.stream", "tcp.options.mptcp.subtype")
    assert resets
    assert {tuple(it) for it in resets} == {("1", "8" if version == "v1" else "")}
    flows = Results.load(tmp_path / "there")["flows"]
    assert flows["received_bytes"].item() == 1_000_000


@needs_tshark
@pytest.mark.parametrize("version", ["v1", "v0"])
def test_segments_have_the_sizes_of_linux(
    windtunnel: Command, tmp_path: Path, version: str
) -> None:
    file = run(windtunnel, tmp_path, version)
    lengths = [int(it) for [it] in tshark(file, "tcp.flags.syn == 1 && tcp.stream == 0", "ip.len")]
    assert lengths == ([64, 72] if version == "v1" else [72, 72])
    full = tshark(file, "ip.len == 1500", "tcp.len")
    assert {int(it) for [it] in full} == {DATA[version]}
    bare = tshark(file, "tcp.len == 0 && ip.src == 10.0.0.4 && tcp.stream == 0", "ip.len")
    usual, _ = Counter(int(it) for [it] in bare).most_common(1)[0]
    assert usual == (64 if version == "v1" else 60)


@needs_tshark
@pytest.mark.parametrize("version", ["v1", "v0"])
def test_data_numbers_cover_the_file_once(
    windtunnel: Command, tmp_path: Path, version: str
) -> None:
    """Relative numbers, which tshark computes by the keys: each byte once, from 1 on."""
    file = run(windtunnel, tmp_path, version)
    numbers = ("tcp.options.mptcp.rawdataseqno", "tcp.options.mptcp.datalvllen", "tcp.len")
    rows = tshark(file, "tcp.len > 0 && tcp.options.mptcp.subtype == 2", *numbers)
    # What has MP_CAPABLE has no number: it is the first.
    capable = tshark(file, "tcp.len > 0 && tcp.options.mptcp.subtype == 0", "tcp.len")
    begins = sum(int(it) for [it] in capable)
    starts = sorted((int(number), int(size)) for number, _, size in rows)
    lowest = starts[0][0] - begins
    reached = lowest + begins
    for start, size in starts:
        assert start <= reached
        reached = max(reached, start + size)
    assert reached - lowest == 1_000_000
    ends = [int(length) - int(size) for _, length, size in rows]
    assert sum(ends) >= 1, "the last data says that it is the last"
    flows = Results.load(tmp_path / "there")["flows"]
    assert flows["received_bytes"].item() == 1_000_000
