"""Plots by one call: the pictures of the report, as charts that a notebook shows."""

from __future__ import annotations

import inspect
from pathlib import Path

import altair as alt
import pytest

import windtunnel
from test_report_study import BUFFER, CONTROLLER, ROUND_TRIP, made
from windtunnel import Results, ResultsError, Scenario
from windtunnel.pictures import kinds
from windtunnel.pictures.studies import by_name
from windtunnel.plots import ResultPlots

MAP = Path(__file__).parents[1] / "scenarios" / "maps" / "street.toml"

METHODS = [name for name, _ in inspect.getmembers(ResultPlots, inspect.isfunction)]
NAMED = [name for name in METHODS if not name.startswith("_")]


@pytest.fixture(scope="module")
def walk() -> Results:
    """Run a scenario in which all happens that can be drawn."""
    radio = {
        "map": str(MAP),
        "speed": "1.5 m/s",
        "carrier": "28 GHz",
        "bandwidth": "10 MHz",
        "transmit_power": "30 dBm",
    }
    queue = {"kind": "drop-tail", "limit": "20 packets"}
    files = {"kind": "arrivals", "sizes": "20 kB", "load": "30 %"}
    ends = {"from": "server", "to": "phone"}
    scenario = Scenario(
        duration="3 s",
        runs=2,
        nodes={"server": {}, "phone": {}},
        links={
            "air": {"nodes": ["server", "phone"], "radio": radio, "delay": "20 ms", "queue": queue}  # type: ignore[typeddict-item]
        },
        flows={
            "download": {**ends, "controller": "cubic"},  # type: ignore[dict-item]
            "web": {**ends, "controller": "cubic", "workload": files},  # type: ignore[dict-item]
        },
        compare={
            "controller": {
                "cubic": {"flows.download.controller": "cubic"},
                "reno": {"flows.download.controller": "reno"},
            }
        },
    )
    return windtunnel.run(scenario, events=["download"])


def titles(chart: alt.TopLevelMixin) -> list[str]:
    """Give the titles of a chart, and of those in it; Vega-Lite's schema must allow it."""
    drawn = chart.to_dict(validate=True)
    charts = [drawn] if "title" in drawn else drawn["vconcat"]
    return [" ".join(it["title"]["text"]) for it in charts]


@pytest.mark.parametrize("name", NAMED)
def test_every_method_plots_the_kind_of_its_name(walk: Results, name: str) -> None:
    pictures = kinds.of_kind(walk, name.replace("_", "-"))
    assert pictures
    chart = getattr(walk.plot, name)()
    assert titles(chart) == [picture.title for picture in pictures]


@pytest.mark.parametrize("kind", sorted(kinds.KINDS))
def test_every_other_kind_is_plotted_by_its_name(walk: Results, kind: str) -> None:
    pictures = kinds.of_kind(walk, kind)
    if pictures:
        assert titles(walk.plot(kind)) == [picture.title for picture in pictures]
    else:
        with pytest.raises(ResultsError, match=f"nothing to draw for `{kind}`"):
            walk.plot(kind)


def test_a_notebook_shows_a_plot_by_itself(walk: Results) -> None:
    shown = walk.plot.window()._repr_mimebundle_()
    assert isinstance(shown, dict)
    assert "Congestion window" in shown["text/html"]


def test_plots_are_kept_as_pictures(walk: Results, tmp_path: Path) -> None:
    for name, start in (("one.svg", b"<svg"), ("one.pdf", b"%PDF"), ("one.png", b"\x89PNG")):
        walk.plot.each_flow().save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)


def test_several_pictures_stand_below_each_other_and_all_are_drawn(
    walk: Results, tmp_path: Path
) -> None:
    walk.plot.each_flow().save(tmp_path / "flows.svg")
    drawn = (tmp_path / "flows.svg").read_text(encoding="utf-8")
    for case in ("cubic", "reno"):
        assert f"Data received by each flow: {case}" in drawn


def test_an_unknown_kind_is_told_which_there_are(walk: Results) -> None:
    with pytest.raises(ResultsError, match="unknown picture `gooodput`; known: goodput"):
        walk.plot("gooodput")


def test_where_nothing_happened_nothing_is_plotted(scenario: Path) -> None:
    results = windtunnel.run(scenario)
    with pytest.raises(ResultsError, match="nothing to draw for `map`"):
        results.plot.map()
    with pytest.raises(ResultsError, match="nothing to draw"):
        Results([], {}).plot.goodput()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("compare", {"measure": "goodput", "by": "controller", "over": "rtt"}),
        ("compare", {"measure": "goodput_bps"}),
        ("heat_map", {"measure": "goodput", "x": "rtt", "y": "buffer"}),
        ("pareto", {"by": "controller"}),
        ("distribution", {"measure": "delay", "by": "rtt"}),
        ("box", {"measure": "delay", "by": "controller"}),
    ],
)
def test_a_study_s_method_plots_the_picture_of_its_name(
    name: str, arguments: dict[str, str]
) -> None:
    results = made(BUFFER, ROUND_TRIP, CONTROLLER)
    picture = getattr(by_name, name)(results, **arguments)
    assert titles(getattr(results.plot, name)(**arguments)) == [picture.title]


def test_a_study_s_plot_of_what_is_not_there_is_refused() -> None:
    with pytest.raises(ResultsError, match="contrller"):
        made(BUFFER, CONTROLLER).plot.box("delay", by="contrller")
