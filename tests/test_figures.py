"""Figures of papers: what is drawn, from results of a small run."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from conftest import SCENARIO
from windtunnel.papers.paper import find_paper, module
from windtunnel.pictures import flows, kinds
from windtunnel.pictures.cases import Comparison
from windtunnel.results import Results, ResultsError
from windtunnel.running import read, run_scenario

d_tcp = module(find_paper("d-tcp").folder / "pictures.py")
dcib = module(find_paper("dcib").folder / "pictures.py")

LOSSES = """
[compare.loss]
"0.001" = { "links.wire.loss" = { probability = "0.1 %" } }
"0.01" = { "links.wire.loss" = { probability = "1 %" } }
"""

FLOWS = """\
duration = "1 s"
runs = 2
recording.interval = "100 ms"
nodes = { server = {}, phone = {} }
links.wire = { nodes = ["server", "phone"], rate = "10 Mbps", delay = "20 ms" }
[flows]
first = { from = "server", to = "phone", controller = "reno" }
second = { from = "server", to = "phone", controller = "reno", start = "500 ms" }
"""


def run(folder: Path, text: str) -> Results:
    """Run a scenario."""
    file = folder / "scenario.toml"
    file.write_text(text, encoding="utf-8")
    return run_scenario(read(file))


def test_each_flow_has_its_own_line(tmp_path: Path) -> None:
    results = run(tmp_path, FLOWS)
    [picture] = kinds.of_kind(results, "each-flow")
    assert [line.label for line in picture.lines] == ["first", "second"]
    # They have one controller, and are told apart all the same.
    assert len({(line.controller, line.dash) for line in picture.lines}) == 2
    lines = flows.lines_of_flows(Comparison(results), 0)
    drawn = flows.goodput_of_flows(Comparison(results)["flow_series"], lines).frame
    late = drawn.filter(pl.col("line") == lines[1].name, pl.col("time_s") <= 0.5)
    assert late["mean"].fill_null(0).max() == 0


def test_the_first_run_alone_has_no_spread(tmp_path: Path) -> None:
    alone = kinds.of_first_run(run(tmp_path, FLOWS))
    assert alone["flow_series"]["run"].n_unique() == 1


def test_a_model_stands_beside_what_its_controller_measured(tmp_path: Path) -> None:
    text = SCENARIO.replace('aimd = { "consumers.viewer', 'reno = { "consumers.viewer').replace(
        'controller" = "aimd"', 'controller" = "reno"'
    )
    results = run(tmp_path, text + LOSSES)
    # There is no model of CUBIC.
    [picture] = kinds.of_kind(results, "models", d_tcp.PICTURES)
    assert [line.label for line in picture.lines] == ["reno", "model"]
    points = d_tcp.over_loss(Comparison(results)).filter(flow_controller="reno")
    assert sorted(points["loss"]) == [0.001, 0.01]
    modelled = d_tcp.modelled(points, d_tcp.models.MODELS["reno"])
    [rtt, *_] = points.filter(loss=0.01)["rtt_s"]
    # Reno's square-root law, in segments per second.
    expected = math.sqrt(1.5 / 0.01) / rtt * d_tcp.SEGMENT_BITS / 1e6
    assert modelled.filter(loss=0.01)["mean"].item() == pytest.approx(expected)


def test_an_unknown_kind_is_named(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="unknown picture `gooodput`; known: goodput"):
        kinds.of_kind(Results([], {}), "gooodput")


def test_a_distribution_rises_from_nothing_to_all(tmp_path: Path) -> None:
    comparison = Comparison(run(tmp_path, FLOWS))
    [picture] = dcib.distribution(comparison)
    drawn = picture.chart.args[0]
    assert (drawn["share"].min(), drawn["share"].max()) == (0, 1)
    assert drawn.sort("share")["value"].is_sorted()
    # Nothing is faster than the link, except for one packet in a sample of 100 ms.
    assert 0 < drawn["value"].max() <= (10e6 + 1500 * 8 / 0.1) / 1e9


ARRIVALS = """
workload.kind = "arrivals"
workload.load = "50 %"
workload.sizes = [["5 kB", "0 %"], ["10 kB", "50 %"], ["110 kB", "51 %"], ["120 kB", "100 %"]]
"""


def test_completion_times_are_drawn_by_size_and_statistic(tmp_path: Path) -> None:
    text = FLOWS.replace("[flows]", f"[defaults.flow]{ARRIVALS}[flows]")
    pictures = kinds.of_kind(run(tmp_path, text), "completion-by-size")
    assert [it.title.split()[0] for it in pictures] == ["Mean", "Median", "99th"]
    mean, _, most = (it.chart.args[0] for it in pictures if isinstance(it.chart, partial))
    assert (mean["mean"] <= most["mean"]).all()
    # Small files are faster than large ones.
    assert mean["mean"].is_sorted()


def test_without_transfers_there_is_nothing_to_draw_of_them(tmp_path: Path) -> None:
    assert kinds.of_kind(run(tmp_path, FLOWS), "completion-by-size") == []
