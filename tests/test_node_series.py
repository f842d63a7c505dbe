"""Series of the forwarders of nodes."""

from __future__ import annotations

import polars as pl
import pytest

from windtunnel import Results, Scenario
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.forwarders import forwarders
from windtunnel.running import run_scenario

CHAIN = """\
title = "How full a PIT is in the course of time"
duration = "10 s"
nodes = { c = {}, r = { content_store = { capacity = "100 packets" } }, p = {} }
recording.nodes = true
recording.interval = "100 ms"

[links]
a = { nodes = ["c", "r"], rate = "10 Mbps", delay = "5 ms" }
b = { nodes = ["r", "p"], rate = "10 Mbps", delay = "5 ms" }

[producers.p]
node = "p"
prefix = "/f"

[consumers.c]
node = "c"
prefix = "/f"
controller = "cubic"
workload = { kind = "catalogue", objects = 1000 }
"""


@pytest.fixture(scope="module")
def results() -> Results:
    """Run a consumer that asks for popular objects over a router with a content store."""
    return run_scenario(Scenario.parse(CHAIN))


def test_hits_and_misses_of_the_intervals_sum_to_the_totals(results: Results) -> None:
    counts = ["content_store_hits", "content_store_misses"]
    sums = results["node_series"].group_by("node", maintain_order=True).agg(pl.col(counts).sum())
    assert sums.rows() == results["nodes"].select("node", *counts).rows()
    assert results["nodes"].filter(node="r")["content_store_hits"].item() > 0


def test_each_node_has_a_row_for_each_interval(results: Results) -> None:
    series = results["node_series"]
    assert series.height == 3 * 100
    assert series["time_s"].max() == 10


def test_a_content_store_is_never_fuller_than_its_capacity(results: Results) -> None:
    entries = results["node_series"].filter(node="r")["content_store_entries"]
    assert entries.max() == 100
    assert results["node_series"].filter(node="p")["content_store_entries"].sum() == 0


def test_what_is_in_flight_is_pending_where_it_was_sent(results: Results) -> None:
    """An Interest of the only consumer is pending at its node, unless it has timed out."""
    pending = results["node_series"].filter(node="c")["pit_entries"]
    in_flight = results["flow_series"]["in_flight"]
    assert (pending >= in_flight).all()
    assert (pending > 1).any()


def test_nothing_is_recorded_of_them_unless_asked(results: Results) -> None:
    plain = run_scenario(Scenario.parse(CHAIN.replace("recording.nodes = true\n", "")))
    assert plain["node_series"].is_empty()
    assert plain["node_series"].columns == results["node_series"].columns
    assert plain["nodes"].equals(results["nodes"])


def test_the_fullest_pit_is_drawn_first(results: Results) -> None:
    titles = [it.title for it in forwarders(Comparison(results))]
    mean = results["node_series"].group_by("node").agg(pl.col("pit_entries").mean())
    fullest = mean.sort("pit_entries", descending=True)["node"][0]
    assert titles[0] == f"Pending Interests at {fullest}"
    assert "Content store at r" in titles
    assert "Content store at p" not in titles
