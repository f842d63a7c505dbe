"""The page on real implementations: its examples, what tshark reads, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import Command
from pages import File, follow, steps, text
from test_capture import WRONG, needs_tshark, tshark
from test_quic import completion, tables
from windtunnel import Scenario, ScenarioError
from windtunnel.running import run_scenario

PAGE = text("stacks.md")


def example(*lines: str) -> str:
    """Give the text of the page's first scenario with other lines instead of some."""
    changed = next(it for it in steps(PAGE) if isinstance(it, File)).text
    for line in lines:
        key = line.split(" = ", maxsplit=1)[0]
        changed, count = re.subn(rf"^{key} = .*$", line, changed, flags=re.MULTILINE)
        assert count == 1, key
    return changed


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    follow(PAGE, tmp_path)


def test_smoltcp_takes_what_the_page_says() -> None:
    alone, here = (re.findall(pattern, PAGE) for pattern in (r"1\d\.\d{3} s", r"1\d\.\d{4} s"))
    for controller, there, taken in zip(["cubic", "reno"], alone, here, strict=True):
        tcp = f'tcp = {{ stack = "smoltcp", controller = "{controller}" }}'
        measured = completion(run_scenario(Scenario.parse(example(tcp))))
        assert f"{measured:.4f} s" == taken
        assert measured == pytest.approx(float(there.removesuffix(" s")), rel=1e-3)


@needs_tshark
@pytest.mark.parametrize("ip", ["v4", "v6"])
@pytest.mark.parametrize("stack", ["smoltcp", "windtunnel"])
def test_tshark_reads_the_packets(windtunnel: Command, tmp_path: Path, stack: str, ip: str) -> None:
    queue = 'queue = { kind = "codel", limit = "200 packets" }'
    of_flow = (f'to = "client"\nip = "{ip}"\ndscp = "EF"', f'tcp = {{ stack = "{stack}" }}')
    scenario = example('duration = "3 s"', queue, *of_flow)
    (tmp_path / "download.toml").write_text(scenario, encoding="utf-8")
    ended = windtunnel("run", "download.toml", "--pcap", "client", "--out", "out")
    assert ended.returncode == 0, ended.stderr
    file = tmp_path / "out/captures/run-0/client.pcapng"
    assert tshark(file, WRONG, "frame.number") == []
    field = "ip.dsfield.dscp" if ip == "v4" else "ipv6.tclass.dscp"
    packets = tshark(file, "tcp", "tcp.len", "tcp.stream", field)
    assert len(packets) > 1000
    assert {(stream, dscp) for _, stream, dscp in packets} == {("0", "46")}
    # One segment after the other, and the first one is that of the handshake.
    assert (
        tshark(file, "tcp.flags.syn == 1", "tcp.options.mss_val")
        == [["1460" if ip == "v4" else "1440"]] * 2
    )


def test_our_tcp_talks_with_another_one_both_ways() -> None:
    for ends in ('stack = "windtunnel", receiver = "smoltcp"', 'receiver = "windtunnel"'):
        flows = run_scenario(Scenario.parse(example(f"tcp = {{ {ends} }}")))["flows"]
        assert flows["failure"].to_list() == [None]
        assert flows["transfers"].to_list() == [1]


def test_runs_are_the_same_on_any_number_of_threads() -> None:
    scenario = Scenario.parse(example('duration = "3 s"'))
    first, second = (tables(run_scenario(scenario, threads=it)) for it in (1, 2))
    for name, table in first.items():
        assert table.equals(second[name]), name


def test_hosts_that_take_time_and_two_implementations() -> None:
    quic = 'quic = { stack = "quinn", receiver = "noq", cost = "2 ms" }'
    lines = ['duration = "3 s"', 'protocol = "quic"', r"tcp = {}"]
    scenario = example(*lines).replace("tcp = {}", quic)
    flows = run_scenario(Scenario.parse(scenario))["flows"]
    # 2 ms for each datagram: at most 500 in a second, less those that are read.
    assert flows["protocol"].to_list() == ["quic"]
    assert 500 < flows["datagrams"][0] < 1500


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('tcp = { stack = "lwip" }', "there is no stack `lwip`"),
        ('tcp = { controller = "bbr" }', "smoltcp has no controller `bbr`"),
        ("tcp = { pacing = true }", "unknown key `pacing`"),
        (
            'protocol = "tcp-stack"\ncontroller = "cubic"',
            "`controller` does not apply to `tcp-stack`",
        ),
        ('protocol = "tcp"', "`tcp` does not apply to `tcp`"),
    ],
)
def test_what_does_not_apply_is_refused(line: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)):
        Scenario.parse(example(line))
