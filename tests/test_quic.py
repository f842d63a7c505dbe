"""The page on QUIC: its example, what tshark reads, and what each run has in common."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import polars as pl
import pytest

from conftest import Command
from pages import File, steps, text
from test_capture import needs_tshark
from windtunnel import Results, Scenario, ScenarioError, _core, recipes, run
from windtunnel.running import run_scenario

ROOT = Path(__file__).parents[1]
PAGE = text("quic.md")


def example(*settings: str) -> str:
    """Give the text of the page's scenario, with other lines instead of some."""
    changed = next(it.text for it in steps(PAGE) if isinstance(it, File))
    for setting in settings:
        key = setting.split(" = ", maxsplit=1)[0]
        changed, count = re.subn(rf"^{key} = .*$", setting, changed, flags=re.MULTILINE)
        assert count == 1, key
    return changed


def completion(results: Results) -> float:
    """Give the time of the first transfer in seconds."""
    return float(results["transfers"]["completion_s"][0])


@pytest.mark.parametrize("stack", ["quinn", "noq"])
def test_the_file_takes_what_the_page_says(stack: str) -> None:
    taken = completion(run_scenario(Scenario.parse(example(f'quic = {{ stack = "{stack}" }}'))))
    figures = re.findall(r"8\.\d{4}", PAGE)
    alone, here = (figures[it : it + 2][["quinn", "noq"].index(stack)] for it in (0, 2))
    assert f"{taken:.4f}" == here
    assert taken == pytest.approx(float(alone), rel=1e-3)


def tshark(folder: Path, *arguments: str) -> list[list[str]]:
    """Give the fields of the packets at the client."""
    keys = f"tls.keylog_file:{folder / 'keys.log'}"
    command = ["tshark", "-r", str(folder / "client.pcapng"), "-o", keys, "-T", "fields"]
    printed = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in printed.stdout.splitlines()]


@needs_tshark
@pytest.mark.parametrize("stack", ["quinn", "noq", "aioquic"])
def test_tshark_decrypts_what_was_sent(windtunnel: Command, tmp_path: Path, stack: str) -> None:
    scenario = example('duration = "1 s"', f'quic = {{ stack = "{stack}" }}')
    (tmp_path / "quic.toml").write_text(scenario, encoding="utf-8")
    ended = windtunnel("run", "quic.toml", "--pcap", "client", "--out", "out")
    assert ended.returncode == 0, ended.stderr
    folder = tmp_path / "out" / "captures" / "run-0"
    protocols = tshark(folder, "-e", "frame.protocols")
    assert len(protocols) > 500
    assert all("quic" in it for (it,) in protocols)
    # The handshake and the data are readable: frames of type 6 and 8 to 15.
    types = {
        int(it) for (row,) in tshark(folder, "-e", "quic.frame_type") for it in row.split(",") if it
    }
    assert 6 in types and types & set(range(8, 16))
    # A packet of 1228 B takes 15.9824 ms: the handshake is two of them, the first answer four.
    arrived = tshark(
        folder, "-Y", "ip.src == 10.0.0.1 && udp.length >= 1200", "-e", "frame.time_epoch"
    )
    times = [float(it) for (it,) in arrived]
    assert times[0] == pytest.approx(0.0319648, abs=1e-9)
    assert any(it == pytest.approx(0.0639296, abs=1e-9) for it in times)


def tables(results: Results) -> dict[str, pl.DataFrame]:
    """Give the tables without what the machine took."""
    return {name: it for name, it in results.tables.items() if name != "runs"}


def test_runs_are_the_same_on_any_number_of_threads() -> None:
    scenario = ROOT / "scenarios" / "quic.toml"
    first, second, third = (
        tables(run(scenario, settings={"duration": "3 s"}, threads=it)) for it in (1, 1, 2)
    )
    for name, table in first.items():
        assert table.equals(second[name]), name
        assert table.equals(third[name]), name


def test_cubic_over_quic_and_over_tcp_fill_the_link() -> None:
    results = run(ROOT / "scenarios" / "quic.toml", settings={"links.access.loss": "0 %"})
    flows = results["flows"]
    assert set(flows["protocol"]) == {"tcp", "quic"}
    # The least time of 1 MB at 20 Mbps, with headers of 5 %.
    assert results["transfers"]["completion_s"].min() > 8e6 / 20e6  # type: ignore[operator]
    assert flows["received_bytes"].min() > 10e6  # type: ignore[operator]


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('quic = { stack = "quiche" }', "known here: `quinn`, `noq`, `aioquic`"),
        ('quic = { controller = "bbr3" }', "quinn has no controller `bbr3`"),
        ('protocol = "quic"\ncontroller = "dctcp"', "cannot be used with quinn"),
        ("quic = { multipath = true }", "quinn has no multipath"),
        ('quic = { stack = "aioquic", priorities = true }', "aioquic has no priorities of streams"),
        (
            'workload = "bulk"\ndatagrams = { rate = "1 Mbps" }',
            "`datagrams` and `workload` cannot both be set",
        ),
        ('quic = { migrations = [{ at = "1 s", path = 1 }] }', "there is no path 1"),
        ('quic = { paths = [["path"], ["path"]] }', "path 2 is named twice"),
        ('quic = { paths = [["path"]] }\npath = ["path"]', "cannot both be set"),
    ],
)
def test_what_is_not_there_is_said(written: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)):
        run_scenario(Scenario.parse(example(written)))


def test_what_differs_from_run_to_run_is_said(windtunnel: Command, tmp_path: Path) -> None:
    scenario = example('duration = "1 s"', 'quic = { stack = "noq", controller = "bbr3" }')
    (tmp_path / "quic.toml").write_text(scenario, encoding="utf-8")
    ended = windtunnel("check", "quic.toml")
    assert "noq's bbr3 draws random numbers of its own" in ended.stderr + ended.stdout


def recipe(name: str, **settings: str) -> Results:
    """Run a recipe, with other values at some paths."""
    return run_scenario(_core.Scenario(name, recipes.text(name), list(settings.items())))


def test_a_phone_that_migrates_goes_on_by_lte() -> None:
    results = recipe("handover-quic")
    series = results["flow_series"].with_columns(pl.col("goodput_bps") / 1e6)
    after = series.filter(pl.col("time_s") > 4).group_by("transport").agg(pl.mean("goodput_bps"))
    goodput = dict(after.iter_rows())
    # Of 20 Mbps, headers of IP, UDP and QUIC take some 4 %.
    for name in ("quinn, which migrates", "noq, over both", "Multipath TCP"):
        assert 18 < goodput[name] < 20 * 1452 / 1480, name
    # Wi-Fi alone carries nothing more.
    assert goodput["TCP"] == goodput["noq, not told"] == 0
    before = series.filter((pl.col("time_s") > 1) & (pl.col("time_s") <= 2))
    early = dict(before.group_by("transport").agg(pl.mean("goodput_bps")).iter_rows())
    assert early["quinn, which migrates"] < 50 < early["noq, over both"] < 70


@needs_tshark
def test_a_migration_shows_in_captures(windtunnel: Command, tmp_path: Path) -> None:
    text = recipes.text("handover-quic").replace("[compare.transport]", "[ignored]")
    text = text[: text.index("# The phone")] + "quic.migrations = [{ at = '1 s', path = 1 }]\n"
    (tmp_path / "handover.toml").write_text(text, encoding="utf-8")
    arguments = ("--set", "duration=2 s", "--pcap", "phone", "--out", "out")
    ended = windtunnel("run", "handover.toml", *arguments)
    assert ended.returncode == 0, ended.stderr
    file = tmp_path / "out" / "captures" / "run-0" / "phone.pcapng"
    fields = ("-e", "frame.time_epoch", "-e", "ip.src", "-e", "ip.dst")
    command = ["tshark", "-r", str(file), "-T", "fields", *fields]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split("\t") for line in printed.splitlines()]
    server = "10.0.0.1"
    own = {float(time) >= 1: set[str]() for time, *_ in rows}
    for time, source, destination in rows:
        assert server in (source, destination)
        if source != server:
            own[float(time) >= 1].add(source)
    assert [len(own[it]) for it in (False, True)] == [1, 1]
    assert own[False] != own[True]


def test_zero_rtt_saves_a_round_trip() -> None:
    transfers = recipe("zero-rtt")["transfers"]
    taken = dict(transfers.select("transport", "completion_s").iter_rows())
    assert taken["QUIC"] - taken["QUIC, 0-RTT"] == pytest.approx(0.08, rel=0.02)
    assert 0.08 < taken["QUIC, 0-RTT"] < 0.083


def test_what_a_socket_drops_is_counted_and_an_event(windtunnel: Command, tmp_path: Path) -> None:
    slow = 'quic = { reads = "20 ms", socket_buffer = "5 kB" }'
    (tmp_path / "quic.toml").write_text(example('duration = "2 s"', slow), encoding="utf-8")
    ended = windtunnel("run", "quic.toml", "--events", "download", "--out", "out")
    assert ended.returncode == 0, ended.stderr
    results = Results.load(tmp_path / "out")
    events, dropped = results["packet_events"], results["flows"]["socket_drops"][0]
    at_ends = events.filter(
        (pl.col("kind") == "dropped") & pl.col("at").is_in(["receiver", "sender"])
    )
    assert at_ends.height == dropped > 20
    # Three datagrams of 1,200 to 1,452 bytes, or four, are there whenever the client reads.
    assert results["flows"]["received_bytes"][0] < 2 / 0.02 * 4 * 1452
    count = dict(events.group_by("kind").len().iter_rows())
    in_transit = results["links"]["in_transit"].sum()
    gone = count.get("lost", 0) + count["dropped"] + in_transit
    assert count["sent"] == count["received"] + gone
    for end in ("sender", "receiver"):
        file = tmp_path / "out" / "events" / "run-0" / f"download.{end}.qlog"
        records = [json.loads(it) for it in file.read_text(encoding="utf-8").split("\x1e")[1:]]
        received = [it for it in records if it.get("name") == "transport:packet_received"]
        rows = events.filter((pl.col("kind") == "received") & (pl.col("at") == end))
        assert len(received) == rows.height


CALL = next(it.text for it in steps(PAGE) if isinstance(it, File) and it.name == "call.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"quic"', '"quic"\nquic.stack = "aioquic"', "aioquic has no datagrams"),
        ('"quic"', '"quic"\nquic.receiver = "aioquic"', "aioquic has no datagrams"),
        ('"1000 B"', '"1163 B"', "`payload` must be between 16 B and 1162 B"),
        ('"1000 B"', '"15 B"', "`payload` must be between 16 B and 1162 B"),
        ('rate = "1 Mbps", ', "", "`rate`"),
    ],
)
def test_datagrams_that_cannot_be_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=re.escape(message)):
        Scenario.parse(CALL.replace(old, new, 1) if old != '"quic"' else CALL.replace(old, new))


@pytest.mark.parametrize("stack", ["quinn", "noq"])
def test_a_call_in_datagrams_is_measured_as_over_udp(stack: str) -> None:
    text = CALL.replace('protocol = "quic"', f'protocol = "quic"\nquic.stack = "{stack}"')
    results = run_scenario(Scenario.parse(text))
    call = results["flows"].row(0, named=True)
    # A packet with 1000 B and headers of 57 B; the page has the time.
    assert call["delay_minimum_s"] == pytest.approx(0.015 + 8 * 1057 / 10e6, abs=1e-9)
    assert f"{call['delay_minimum_s'] * 1e3:.4f} ms" in PAGE
    # One each 8 ms from the end of the handshake on.
    assert call["datagrams"] == 1 + int((10 - 0.0319648) / 0.008)
    received = call["received_bytes"] / 1000
    assert call["lost"] > 0
    assert 0 <= call["datagrams"] - received - call["lost"] <= 10
    if stack == "quinn":
        assert f"{call['delay_maximum_s'] * 1e3:.1f} ms" in PAGE
        assert f"{call['lost']} of the {call['datagrams']} datagrams" in PAGE
    # The download fills the queue: 25 packets of 1480 B and one that is being sent.
    assert call["delay_maximum_s"] < 0.015 + 27 * 1480 * 8 / 10e6 + 0.05
    series = results["flow_series"].filter(flow="call")
    early = series.filter((pl.col("time_s") > 1) & (pl.col("time_s") <= 5))
    assert early["goodput_bps"].mean() == pytest.approx(1e6, rel=0.01)
    assert early["lost"].sum() == 0 and early["cwnd_segments"].null_count() == 0
    assert early["delay_s"].max() < 0.0165  # type: ignore[operator]
    assert series["lost"].sum() == call["lost"]


def test_a_socket_holds_at_least_a_datagram() -> None:
    small = example('quic = { socket_buffer = "1 kB" }')
    message = "`socket_buffer` is 1000 B, less than the largest datagram of 1452 B"
    with pytest.raises(ScenarioError, match=message):
        Scenario.parse(small)


@pytest.mark.parametrize("stack", ["quinn", "noq"])
def test_events_have_each_datagram_and_qlogs_its_times(
    windtunnel: Command, tmp_path: Path, stack: str
) -> None:
    lossy = 'rate = "10 Mbps"\nloss = "1 %"'
    text = example('duration = "2 s"', f'quic = {{ stack = "{stack}" }}')
    text = text.replace('rate = "10 Mbps"', lossy)
    (tmp_path / "quic.toml").write_text(text, encoding="utf-8")
    ended = windtunnel("run", "quic.toml", "--events", "download", "--out", "out")
    assert ended.returncode == 0, ended.stderr
    results = Results.load(tmp_path / "out")
    events = results["packet_events"]
    count = dict(events.group_by("kind").len().iter_rows())
    in_transit = results["links"]["in_transit"].sum()
    assert count["lost"] > 5
    assert count["sent"] == count["received"] + count["lost"] + count["dropped"] + in_transit
    sent = events.filter((pl.col("kind") == "sent") & (pl.col("at") == "sender"))
    assert sent.height == results["flows"]["datagrams"][0]
    assert sent["number"].to_list() == list(range(sent.height))
    file = tmp_path / "out" / "events" / "run-0" / "download.sender.qlog"
    records = [json.loads(it) for it in file.read_text(encoding="utf-8").split("\x1e")[1:]]
    names = {"sent": "transport:packet_sent", "received": "transport:packet_received"}
    for kind, name in names.items():
        rows = events.filter((pl.col("kind") == kind) & (pl.col("at") == "sender"))
        times = [it["time"] for it in records if it.get("name") == name]
        assert times == pytest.approx((rows["time_s"] * 1000).to_list(), abs=1e-6)
    windows = [it["data"] for it in records if it.get("name") == "recovery:metrics_updated"]
    assert windows[0]["congestion_window"] in range(12_000, 15_000)
    assert max(it["congestion_window"] for it in windows) > 20_000
