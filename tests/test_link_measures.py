"""Measures of the busiest link and of transfers: what must come out of tables made by hand."""

from __future__ import annotations

import polars as pl
import pytest

from windtunnel import _core
from windtunnel.measures.measure import VALUE
from windtunnel.papers.paper import find_paper, module
from windtunnel.results import Results
from windtunnel.running import run_scenario

own = module(find_paper("dcib").folder / "measures.py")
"""What only that paper measures."""

DROPS = {"overlimit_drops": 0, "discipline_drops": 0, "losses": 0}


def results(**tables: list[dict[str, object]]) -> Results:
    """Give results of tables of rows; each belongs to run 0 unless it says otherwise."""
    frames = {name: pl.DataFrame([{"run": 0} | it for it in rows]) for name, rows in tables.items()}
    return Results([], frames)


def link(name: str, utilisation: float, **values: object) -> dict[str, object]:
    """Give a row of a link."""
    ends = {"link": name, "from": "a", "to": "b"}
    used = {"utilisation": utilisation, "medium_utilisation": None}
    return ends | used | DROPS | {"offered": 100, "throughput_bps": 0.0} | values


def value(frame: pl.DataFrame) -> float | None:
    """Give the only value of a measure."""
    only: float | None = frame[VALUE].item()
    return only


def test_the_busiest_link_is_sought_in_each_run() -> None:
    rows = [
        link("narrow", 0.9, throughput_bps=9e6),
        link("wide", 0.1, throughput_bps=50e6),
        link("narrow", 0.2, throughput_bps=2e6) | {"run": 1},
        link("wide", 0.4, throughput_bps=200e6) | {"run": 1},
    ]
    taken = own.throughput(results(links=rows), ["run"])
    assert dict(taken.rows()) == {0: 9, 1: 200}


def test_a_shared_medium_is_as_busy_as_all_who_use_it() -> None:
    rows = [
        link("wire", 0.8, throughput_bps=8e6),
        link("air", 0.5, medium_utilisation=0.9, throughput_bps=5e6),
    ]
    assert value(own.throughput(results(links=rows), ["run"])) == 5


def test_losses_count_whatever_their_cause() -> None:
    rows = [link("wire", 1.0, overlimit_drops=1, discipline_drops=2, losses=3), link("other", 0.5)]
    assert value(own.loss(results(links=rows), ["run"])) == pytest.approx(6)


def test_percentiles_are_over_the_samples_of_the_busiest_link() -> None:
    both = [link("wire", 1.0), link("other", 0.5)]
    samples = [
        link(name, 0.0, throughput_bps=rate * 1e6, time_s=rate)
        for name, rates in (("wire", range(101)), ("other", (1000.0,)))
        for rate in map(float, rates)
    ]
    taken = results(links=both, link_series=samples)
    assert value(own.throughput_median(taken, ["run"])) == pytest.approx(50)
    assert value(own.throughput_p99(taken, ["run"])) == pytest.approx(99)


def reaction(dropped: list[float], decreased: list[float]) -> float | None:
    """Measure the reaction to drops, of samples each second."""
    times = [float(second) for second in range(1, 11)]
    samples = [link("wire", 1.0, time_s=it, losses=int(it in dropped)) for it in times]
    flows = [{"flow": "f", "time_s": it, "decreases": int(it in decreased)} for it in times]
    taken = results(links=[link("wire", 1.0)], link_series=samples, flow_series=flows)
    return value(own.reaction(taken, ["run"]))


def test_a_reaction_lasts_from_the_first_drop_to_the_next_decrease() -> None:
    assert reaction([2, 3, 4], [5]) == pytest.approx(3000)


def test_each_drop_after_a_decrease_asks_for_a_reaction_of_its_own() -> None:
    assert reaction([2, 6], [3, 9]) == pytest.approx((1000 + 3000) / 2)


def test_nobody_reacts_where_nothing_is_dropped() -> None:
    assert reaction([], [4]) is None
    assert reaction([9], [4]) is None


def transfers(*sizes_and_times: tuple[float, float | None]) -> Results:
    """Give transfers that begin at 1 s of 10 s."""
    rows: list[dict[str, object]] = [
        {"flow": "f", "size_bytes": size, "start_s": 1.0, "completion_s": time}
        for size, time in sizes_and_times
    ]
    return results(transfers=rows, runs=[{"duration_s": 10.0}])


def test_completion_times_are_told_apart_by_size() -> None:
    taken = transfers((5e4, 1.0), (1e5, 2.0), (5e5, 3.0), (5e6, 4.0), (5e7, 8.0))
    found = {
        name: value(own.MEASURES[f"completion-{name}-mean"].take(taken, ["run"]))
        for name in own.SIZES
    }
    assert found == {"tiny": 1.5, "small": 3.0, "medium": 4.0, "large": 8.0}
    assert value(own.MEASURES["completion-mean"].take(taken, ["run"])) == pytest.approx(3.6)


def test_what_is_unfinished_counts_with_the_time_it_had() -> None:
    taken = transfers((1e6, 1.0), (1e6, None))
    assert value(own.MEASURES["completion-mean"].take(taken, ["run"])) == pytest.approx(5)
    assert value(own.unfinished(taken, ["run"])) == 1


def test_what_arrives_twice_is_accounted_for() -> None:
    text = """
    duration = "2 s"
    nodes = { a = {}, b = {} }
    links.path = { nodes = ["a", "b"], rate = "10 Mbps", delay = "15 ms", duplication = "50 %" }
    flows.x = { from = "a", to = "b", protocol = "udp", rate = "5 Mbps" }
    """
    links = run_scenario(_core.Scenario("twice.toml", text, []))["links"]
    there = links.rows(named=True)[0]
    taken_in = there["offered"] + there["duplicates"]
    assert taken_in == there["delivered"] + there["in_transit"]
    assert 0 < there["in_transit"] < 30
    assert abs(there["duplicates"] / there["offered"] - 0.5) < 0.1
