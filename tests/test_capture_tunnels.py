"""Captures of tunnels and of faces over TCP, as tshark reads them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from conftest import Command
from test_capture import WRONG, needs_tshark, tshark
from windtunnel import Results

LINE = """\
duration = "2 s"
nodes = { a = {}, near = {}, core = {}, far = {}, b = {} }

[defaults.link]
rate = "20 Mbps"
delay = "5 ms"

[links]
first = { nodes = ["a", "near"] }
second = { nodes = ["near", "core"] }
third = { nodes = ["core", "far"] }
fourth = { nodes = ["far", "b"] }

[flows.f]
from = "a"
to = "b"
controller = "cubic"

[tunnels.t]
nodes = ["near", "far"]
"""


def captured(windtunnel: Command, folder: Path, keys: str) -> Path:
    """Run a flow through a tunnel with these keys; give what its middle saw on one link."""
    (folder / "line.toml").write_text(LINE + keys, encoding="utf-8")
    ran = windtunnel(
        "run", "line.toml", "--pcap", "core", "--pcap-direction", "both", "--out", "there"
    )
    assert ran.returncode == 0, ran.stderr
    return folder / "there" / "captures" / "run-0" / "core.pcapng"


@needs_tshark
@pytest.mark.parametrize(("ip", "headers"), [("v4", 20), ("v6", 40)])
def test_tshark_reads_wireguard(windtunnel: Command, tmp_path: Path, ip: str, headers: int) -> None:
    """Its messages have their types, lengths and counters; nothing else passes."""
    file = captured(windtunnel, tmp_path, f'kind = "wireguard"\nip = "{ip}"\n')
    assert tshark(file, WRONG, "frame.number") == []
    assert tshark(file, "!wg", "frame.number") == []
    fields = ("wg.type", "frame.len", "wg.counter")
    seen = tshark(file, 'wg && frame.interface_name contains "second"', *fields)
    ethernet = 14 + headers + 8
    assert seen[0][:2] == ["1", str(ethernet + 148)]
    assert seen[1][:2] == ["2", str(ethernet + 92)]
    data = seen[2:]
    assert {kind for kind, *_ in data} == {"4"}
    assert max(int(length) for _, length, _ in data) == ethernet + 32 + 1420
    # What goes one way is numbered from zero on; what a queue dropped before is missing.
    sent = tshark(
        file, 'wg.type == 4 && frame.interface_name == "second out"', "eth.src", "wg.counter"
    )
    for source in {it for it, _ in sent}:
        counters = [int(counter) for it, counter in sent if it == source]
        assert counters[:100] == list(range(100))
        assert counters == sorted(set(counters))


@needs_tshark
def test_tshark_finds_the_retransmissions_of_a_tcp_tunnel(
    windtunnel: Command, tmp_path: Path
) -> None:
    keys = (
        'kind = "tcp"\ntcp = { controller = "cubic" }\n[defaults.link.loss]\nprobability = "1 %"\n'
    )
    file = captured(windtunnel, tmp_path, keys)
    assert tshark(file, WRONG, "frame.number") == []
    assert tshark(file, "!tcp", "frame.number") == []
    assert len({tuple(it) for it in tshark(file, "tcp", "tcp.stream")}) == 1
    tunnels = Results.load(tmp_path / "there")["tunnels"]
    assert tunnels["retransmissions"].sum() > 0


FACE = """\
duration = "3 s"
nodes = { consumer = {}, producer = {} }
producers.video = { node = "producer", prefix = "ccnx:/video" }
consumers.viewer = { node = "consumer", prefix = "ccnx:/video", controller = "few" }
controllers.few = { kind = "fixed", window = 8 }

[links.wire]
nodes = ["consumer", "producer"]
rate = "10 Mbps"
delay = "5 ms"
tcp_face = { tcp = { controller = "cubic" } }
"""


@needs_tshark
def test_tshark_finds_nothing_wrong_in_a_face_over_tcp(windtunnel: Command, tmp_path: Path) -> None:
    """Nor anything of note beside the SYNs and what was pushed: no loss, no gap, no duplicate."""
    (tmp_path / "face.toml").write_text(FACE, encoding="utf-8")
    ran = windtunnel("run", "face.toml", "--pcap", "consumer", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    file = tmp_path / "there" / "captures" / "run-0" / "consumer.pcapng"
    assert tshark(file, WRONG, "frame.number") == []
    assert tshark(file, "!tcp", "frame.number") == []
    # Notes and worse: what is above a chat.
    of_note = "tcp.analysis.flags || _ws.expert.severity >= 0x400000"
    assert tshark(file, of_note, "frame.number") == []
    sent = tshark(file, "tcp.len > 0", "ip.src", "tcp.len")
    tunnels = Results.load(tmp_path / "there")["tunnels"]
    lengths = [int(length) for source, length in sent if source == sent[0][0]]
    assert sum(lengths) == tunnels.filter(pl.col("from") == "consumer")["entered_bytes"].item()
