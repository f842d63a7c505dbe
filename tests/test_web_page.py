"""Pages of the web: what arrives in which order, and what is measured of it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polars as pl
import pytest

from windtunnel import _core
from windtunnel.results import Results
from windtunnel.running import run_scenario

HEAD = """
duration = "60 s"
nodes = {{ server = {{}}, phone = {{}} }}
links.path = {{ nodes = ["server", "phone"], rate = "10 Mbps", delay = "10 ms", {link} }}
[flows.page]
from = "server"
to = "phone"
{flow}
[flows.page.workload]
kind = "web-page"
{workload}
"""
ALONE = "styles = 0\nscripts = 0\nfonts = 0\nimages = 0\nothers = 0\n"
"""No objects but the document."""

OVER = {
    "tcp": 'protocol = "tcp"\ncontroller = "cubic"',
    "quinn": 'protocol = "quic"',
    "noq": 'protocol = "quic"\nquic = { stack = "noq" }',
    "quinn, by urgency": 'protocol = "quic"\nquic = { priorities = true }',
    "noq, by urgency": 'protocol = "quic"\nquic = { stack = "noq", priorities = true }',
    "smoltcp": 'protocol = "tcp-stack"\ntcp = { stack = "smoltcp" }',
}
LONG_QUEUE = 'queue = { limit = "2000 packets" }'


def load(over: str, workload: str, link: str = LONG_QUEUE) -> Results:
    text = HEAD.format(link=link, flow=OVER[over], workload=workload)
    return run_scenario(_core.Scenario("page.toml", text, []))


def page(results: Results) -> dict[str, Any]:
    (row,) = results["web_pages"].rows(named=True)
    return row


def ends(results: Results) -> list[float]:
    """When each object had come, in order of their numbers."""
    transfers = results["transfers"].sort("number")
    return (transfers["start_s"] + transfers["completion_s"]).to_list()


def only_styles(count: int, http: str, size: str = "50 kB") -> str:
    return (
        ALONE.replace("styles = 0", f"styles = {count}")
        + f'http = "{http}"\nobject_size = "{size}"'
    )


@pytest.mark.parametrize("http", ["1.1", "2", "3"])
@pytest.mark.parametrize("over", OVER)
def test_all_objects_come_over_whatever_loses_some(over: str, http: str) -> None:
    results = load(over, f'http = "{http}"', link='loss = "1 %"')
    row = page(results)
    assert row["page_objects"] == row["loaded_objects"] == results["transfers"].height == 57
    assert results["transfers"]["size_bytes"].sum() == row["page_bytes"]
    assert results["flows"]["received_bytes"].item() == row["page_bytes"]
    times = [row[it] for it in ("first_byte_s", "first_paint_s", "largest_paint_s", "page_load_s")]
    assert times == sorted(times)
    assert max(ends(results)) == pytest.approx(row["page_load_s"])
    assert times[0] < row["byte_index_s"] < times[-1]


def test_the_page_is_the_same_over_all_that_carries_it_and_another_in_each_run() -> None:
    sizes = [load(over, 'http = "2"')["transfers"].sort("number")["size_bytes"] for over in OVER]
    assert all(it.equals(sizes[0]) for it in sizes)
    text = HEAD.format(link=LONG_QUEUE, flow=OVER["tcp"], workload="")
    pages = run_scenario(_core.Scenario("page.toml", text, [("runs", "5")]))["web_pages"]
    assert pages["page_bytes"].n_unique() == 5


def test_over_one_stream_equal_objects_come_one_after_the_other() -> None:
    results = load("tcp", only_styles(40, "2"))
    times = ends(results)
    assert times == sorted(times)
    # Once the window fills the path, 50 kB take as long as their segments of 1448 bytes.
    expected = 50_000 / 1448 * 1500 * 8 / 10e6
    assert (times[40] - times[20]) / 20 == pytest.approx(expected, rel=3e-3)


def test_over_a_stream_each_they_come_together() -> None:
    results = load("quinn", only_styles(40, "3"))
    styles = ends(results)[1:]
    assert min(styles) > 0.8 * max(styles)
    # n objects one after the other end on average at (n + 1) / 2 of n, together at n.
    alone = load("quinn", only_styles(40, "2"))
    ratio = (sum(styles) / 40) / (sum(ends(alone)[1:]) / 40)
    assert ratio == pytest.approx(2 * 40 / 41, rel=0.1)


@pytest.mark.parametrize("over", ["quinn", "noq"])
def test_those_of_one_urgency_come_one_after_the_other(over: str) -> None:
    in_turn, by_urgency = (
        ends(load(it, only_styles(40, "3")))[1:] for it in (over, f"{over}, by urgency")
    )
    # One comes while the link carries it, and none of the others: 50 kB in packets of 1480 bytes.
    came = sorted(by_urgency)
    gaps = [after - before for before, after in pairwise(came[5:])]
    assert gaps == pytest.approx([50_000 / 1414 * 1480 * 8 / 10e6] * len(gaps), rel=0.06)
    # Of requests in one datagram, the server reads first those that are not split over two.
    assert all(abs(came.index(end) - at) <= 4 for at, end in enumerate(by_urgency))
    # They end on average at (n + 1) / 2 of n, and the last at the same time.
    assert sum(in_turn) / sum(by_urgency) == pytest.approx(2 * 40 / 41, rel=0.1)
    assert came[-1] == pytest.approx(max(in_turn), rel=0.01)


@pytest.mark.parametrize("over", ["quinn", "noq"])
def test_what_is_more_urgent_comes_first(over: str) -> None:
    in_turn, by_urgency = (load(it, 'http = "3"') for it in (over, f"{over}, by urgency"))
    # What blocks has no images beside it on the link, and the link carries as much.
    assert page(by_urgency)["first_paint_s"] < 0.8 * page(in_turn)["first_paint_s"]
    assert page(by_urgency)["page_load_s"] == pytest.approx(page(in_turn)["page_load_s"], rel=0.05)


@pytest.mark.parametrize("over", ["quinn", "noq"])
def test_scripts_that_are_found_late_overtake_images(over: str) -> None:
    # The document names four scripts and 23 images; those scripts name four others and seven more.
    workload = ALONE.replace("scripts = 0", "scripts = 8").replace("images = 0", "images = 30")
    came = ends(load(f"{over}, by urgency", workload + 'object_size = "50 kB"\nhttp = "3"'))
    of_document, of_scripts = sorted(came[5:28]), came[28:]
    assert len(of_scripts) == 4 + 7
    assert sum(end < of_document[15] for end in of_scripts) == 4
    assert min(sorted(of_scripts)[4:]) > of_document[-3]


def test_over_six_streams_six_objects_come_at_a_time() -> None:
    transfers = load("tcp", 'http = "1.1"')["transfers"]
    spans = transfers.select("number", "start_s", end=pl.col("start_s") + pl.col("completion_s"))
    for stream in range(6):
        own = spans.filter(pl.col("number") % 6 == stream).sort("number")
        assert (own["start_s"][1:] > own["end"][:-1] - 1e-9).all()
    most = max(
        spans.filter((pl.col("start_s") <= it) & (it < pl.col("end") - 1e-9)).height
        for it in spans["start_s"]
    )
    assert most == 6


def test_a_document_alone_takes_two_round_trips_and_its_transmission() -> None:
    results = load("tcp", ALONE + 'object_size = "1 kB"')
    row = page(results)
    sent = 8 * (60 + 60 + 452 + 1052) / 10e6
    assert row["page_load_s"] == pytest.approx(4 * 0.010 + sent, rel=1e-3)
    for name in ("first_byte_s", "first_paint_s", "largest_paint_s", "byte_index_s"):
        assert row[name] == row["page_load_s"]


def test_who_thinks_before_each_request_takes_that_longer() -> None:
    # A style sheet is found in the document, a font in the style sheet.
    chain = ALONE.replace("styles = 0", "styles = 1").replace("fonts = 0", "fonts = 1")
    chain += 'object_size = "1 kB"\nhttp = "2"\n'
    at_once, later = (page(load("tcp", chain + it)) for it in ("", 'think = "100 ms"'))
    assert later["page_load_s"] - at_once["page_load_s"] == pytest.approx(0.2, rel=1e-6)
    assert later["first_byte_s"] == at_once["first_byte_s"]


def test_nothing_is_requested_once_the_flow_has_stopped() -> None:
    text = HEAD.format(
        link=LONG_QUEUE, flow=OVER["tcp"] + '\nstop = "300 ms"', workload='http = "1.1"'
    )
    results = run_scenario(_core.Scenario("page.toml", text, []))
    row = page(results)
    assert 0 < row["loaded_objects"] < row["page_objects"]
    assert row["page_load_s"] is None and row["byte_index_s"] is None


@pytest.mark.parametrize(
    ("workload", "wrong"),
    [
        ('http = "4"', "4"),
        ("images = 1001", "write at most 1000"),
        ('object_size = "0 B"', "object_size"),
        ('think = "-1 s"', "think"),
    ],
)
def test_what_is_wrong_is_one_message(workload: str, wrong: str) -> None:
    with pytest.raises(_core.ScenarioError) as error:
        load("tcp", workload)
    assert wrong in str(error.value) and "page.toml:" in str(error.value)
