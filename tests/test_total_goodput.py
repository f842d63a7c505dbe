"""The total goodput: what one direction received over the whole run, within its capacity."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

import windtunnel
from windtunnel import summary
from windtunnel.measures import directions, totals
from windtunnel.measures.common import MEASURES
from windtunnel.pictures import over_time, series
from windtunnel.pictures.cases import Comparison
from windtunnel.report import tables
from windtunnel.results import Results
from windtunnel.studies.study import study

RATE = 10e6

IN_TURNS = """\
duration = "20 s"
recording.interval = "1 s"
nodes = { client = {}, server = {} }
links.wire = { nodes = ["client", "server"], rate = "10 Mbps", delay = "10 ms" }
defaults.flow = { from = "server", to = "client", controller = "cubic" }
flows.first = { stop = "10 s" }
flows.second = { start = "10 s" }
flows.upload = { from = "client", to = "server" }
"""
"""Two downloads, one after the other, and an upload all the time."""

DUMBBELL = """\
duration = "3 s"
nodes = { s1 = {}, s2 = {}, left = {}, right = {}, r1 = {}, r2 = {} }
[defaults.link]
rate = "100 Mbps"
delay = "1 ms"
[links]
s1 = { nodes = ["s1", "left"] }
s2 = { nodes = ["s2", "left"] }
bottleneck = { nodes = ["right", "left"], rate = "10 Mbps" }
r1 = { nodes = ["r1", "right"] }
r2 = { nodes = ["right", "r2"] }
[defaults.flow]
controller = "cubic"
[flows]
there = { from = "s1", to = "r1" }
back = { from = "r2", to = "s2" }
late = { from = "s2", to = "r1", start = "2 s" }
"""
"""Hosts of their own for each flow and direction, through one link."""

DOWN, UP = ["first", "second"], ["upload"]


@pytest.fixture(scope="module")
def in_turns() -> Results:
    """Run the flows that take turns."""
    return windtunnel.run(windtunnel.Scenario.parse(IN_TURNS))


def received(results: Results, flows: list[str]) -> int:
    """Count the bytes that flows received."""
    return int(results["flows"].filter(pl.col("flow").is_in(flows))["received_bytes"].sum())


def active(results: Results) -> pl.Series:
    """Give what each flow received over the time in which it was active."""
    flows = results["flows"]
    return flows["received_bytes"] * 8 / flows["active_s"]


def test_each_direction_of_a_link_receives_at_most_its_capacity(in_turns: Results) -> None:
    # Their rates while they are active add up to more than the link has.
    assert active(in_turns).sum() > 2 * RATE
    rows = summary.document(in_turns, in_turns.manifest, Path("file"), None)["directions"]
    found = {(row["from"], row["to"]): row for row in rows}
    for ends, flows in ((("server", "client"), DOWN), (("client", "server"), UP)):
        goodput = found[ends]["goodput_bps"]["mean"]
        assert goodput == pytest.approx(received(in_turns, flows) * 8 / 20)
        assert found[ends]["rate_bps"]["mean"] == pytest.approx(RATE, rel=2e-3)
        # Data packets have 40 bytes of headers and 12 of the timestamp option, and some are
        # sent twice.
        assert 0 < goodput <= RATE * found[ends]["utilisation"]["mean"] * 1448 / 1500


def test_the_measure_of_papers_and_reports_is_that_of_the_fuller_direction(
    in_turns: Results,
) -> None:
    most = max(received(in_turns, DOWN), received(in_turns, UP)) * 8 / 20
    assert most <= RATE
    throughput = MEASURES["throughput"].take(in_turns, ["run"])["value"]
    assert throughput.to_list() == pytest.approx([most / 1e6])
    of_case = totals.of_flows(Comparison(in_turns), ["case"])["goodput_bps"]
    assert of_case.to_list() == pytest.approx([most])
    shown = {it.title: it.cells[0].text for it in tables.summary(Comparison(in_turns)).columns}
    assert float(shown["goodput (Mbps)"]) == pytest.approx(most / 1e6, abs=0.005)
    assert float(shown["rate of the busiest link (Mbps)"]) == pytest.approx(10, rel=0.002)


def test_the_measure_of_a_flow_is_its_own_rate_while_it_was_active(in_turns: Results) -> None:
    of_each = MEASURES["throughput"].take(in_turns, ["flow", "run"])
    assert of_each["value"].to_list() == pytest.approx((active(in_turns) / 1e6).to_list())


def test_the_total_goodput_of_a_study_is_at_most_the_capacity(tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text(IN_TURNS)
    file = tmp_path / "study.toml"
    file.write_text(
        'scenario = "scenario.toml"\nseeds = 2\n'
        '[vary.rate]\npath = "links.wire.rate"\nvalues = ["10 Mbps", "5 Mbps"]\n'
    )
    results = study(file, store=tmp_path / "store")
    assert results.frame.height == 4
    for row in results.frame.iter_rows(named=True):
        flows = results.table("flows").filter(key=row["key"])
        down = flows.filter(pl.col("flow").is_in(DOWN))["received_bytes"].sum()
        up = flows.filter(flow="upload")["received_bytes"].sum()
        # Conservation: the total is the received bytes of that direction.
        assert row["goodput_bps"] * 20 == pytest.approx(8 * max(down, up))
        assert row["goodput_bps"] <= row["rate"]


def test_flows_in_turns_are_as_one_flow_that_goes_on(in_turns: Results) -> None:
    # A sum over time of what is received each second is all that was received.
    comparison = Comparison(in_turns, by_controller=True)
    samples = series.of_flows(comparison, "goodput_bps", comparison.by_group(), True).frame
    most = max(received(in_turns, DOWN), received(in_turns, UP))
    assert samples.height == 20
    assert samples["mean"].sum() == pytest.approx(8 * most, rel=1e-6)
    assert samples.filter(pl.col("high") > RATE).is_empty()
    assert "one direction" in over_time.goodput(comparison)[0].title


def test_directions_are_those_of_the_bottleneck_whatever_the_hosts() -> None:
    results = windtunnel.run(windtunnel.Scenario.parse(DUMBBELL))
    [first, second] = summary.document(results, results.manifest, Path("f"), None)["directions"]
    assert {first["link"], second["link"]} == {"bottleneck"}
    goodputs = {row["from"]: row["goodput_bps"]["mean"] for row in (first, second)}
    for source, flows in (("left", ["there", "late"]), ("right", ["back"])):
        assert goodputs[source] == pytest.approx(received(results, flows) * 8 / 3)
        assert goodputs[source] <= RATE


CONSUMERS = """\
duration = "2 s"
nodes = { one = {}, other = {}, router = {}, producer = {} }
links.one = { nodes = ["one", "router"], rate = "10 Mbps", delay = "1 ms" }
links.other = { nodes = ["router", "other"], rate = "10 Mbps", delay = "1 ms" }
links.core = { nodes = ["router", "producer"], rate = "15 Mbps", delay = "1 ms" }
producers.video = { node = "producer", prefix = "/video" }
consumers.one = { node = "one", prefix = "/video/1", controller = "cubic" }
consumers.other = { node = "other", prefix = "/video/2", controller = "cubic" }
"""


def test_what_all_consumers_receive_is_one_direction() -> None:
    results = windtunnel.run(windtunnel.Scenario.parse(CONSUMERS))
    [row] = summary.document(results, results.manifest, Path("f"), None)["directions"]
    assert (row["link"], row["from"], row["to"]) == ("core", "producer", "router")
    goodput = received(results, ["one", "other"]) * 8 / 2
    assert row["goodput_bps"]["mean"] == pytest.approx(goodput)
    assert goodput <= row["rate_bps"]["mean"] * row["utilisation"]["mean"]


ACCESS = """\
duration = "3 s"
nodes = { server = {}, access = {}, laptop = {}, phone = {} }
links.core = { nodes = ["server", "access"], rate = "1 Gbps", delay = "1 ms" }
links.laptop = { nodes = ["access", "laptop"], rate = "20 Mbps", delay = "1 ms" }
links.phone = { nodes = ["access", "phone"], rate = "10 Mbps", delay = "1 ms" }
flows.download = { from = "server", to = "laptop", controller = "cubic" }
flows.upload = { from = "phone", to = "server", controller = "cubic" }
"""


@pytest.mark.parametrize("medium", [[], ["laptop"], ["laptop", "phone"]])
def test_each_direction_has_a_bottleneck_of_its_own(medium: list[str]) -> None:
    scenario = windtunnel.Scenario.parse(ACCESS)
    results = windtunnel.run(scenario.changed({f"links.{it}.medium": "air" for it in medium}))
    rows = summary.document(results, results.manifest, Path("f"), None)["directions"]
    assert [(row["link"], row["from"], row["to"]) for row in rows] == [
        ("laptop", "access", "laptop"),
        ("phone", "phone", "access"),
    ]
    for row, flow in zip(rows, ("download", "upload"), strict=True):
        goodput = row["goodput_bps"]["mean"]
        assert goodput == pytest.approx(received(results, [flow]) * 8 / 3)
        assert goodput <= row["rate_bps"]["mean"] * row["utilisation"]["mean"]


def test_flows_over_one_link_are_in_the_direction_in_which_they_cross_it() -> None:
    # Trees of random shape on either side of one link, which all flows cross.
    draws = random.Random(1)
    for _ in range(50):
        sides = {name: [f"{name}{index}" for index in range(8)] for name in "ab"}
        links = [("a0", "b0")]
        for nodes in sides.values():
            links += [(draws.choice(nodes[:index]), nodes[index]) for index in range(1, 8)]
        links = [draws.choice([(one, other), (other, one)]) for one, other in links]
        draws.shuffle(links)
        flows = []
        for _ in range(10):
            ends = draws.sample(["a", "b"], 2)
            flows.append((draws.choice(sides[ends[0]]), draws.choice(sides[ends[1]])))
        reverse = directions.reverse(links, flows)
        [crossed] = {("a0", "b0"), ("b0", "a0")} & set(links)
        for source, node in flows:
            same = reverse[source, node] == reverse[crossed]
            assert same == (source[0] == crossed[0][0]), (links, flows)


def test_flows_that_share_no_link_add_up() -> None:
    links = [("a", "b"), ("c", "d"), ("b", "e")]
    reverse = directions.reverse(links, [("a", "b"), ("d", "c"), ("e", "a")])
    assert {pair: reverse[pair] for pair in [("e", "a"), ("a", "b"), ("d", "c")]} == {
        ("e", "a"): False,
        ("a", "b"): True,
        ("d", "c"): False,
    }
