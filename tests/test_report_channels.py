"""Reports of radio and trace-driven links: what is drawn is where the user was and what came."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
import pytest
import vl_convert

from conftest import SCENARIO
from test_report import Page, ranges, replaced
from windtunnel._core import Scenario
from windtunnel.pictures import channels, charts, maps, over_time, series
from windtunnel.pictures.cases import Comparison, Line, narrowed, panels, ranked
from windtunnel.pictures.charts import ROOM
from windtunnel.pictures.colours import LIGHT, SCREEN, Ink
from windtunnel.pictures.series import MOST_POINTS
from windtunnel.report import tables, write_report
from windtunnel.results import Results
from windtunnel.running import run_scenario

LINK = {"link": "wire", "from": "producer", "to": "consumer"}
BACK = {"link": "wire", "from": "consumer", "to": "producer"}
BUILDINGS = [(-25.0, 10.0, 15.0, 10.0), (8.0, 15.0, 12.0, 9.0)]
PATH = [(-50.0, 40.0), (50.0, 40.0), (50.0, 60.0)]
SPEED = 1.5
DURATION = 80.0
STEPS = 400


def stands_between(building: tuple[float, ...], x: float, y: float) -> bool:
    """Say whether a building hides the place from the station at the origin."""
    west, south, width, depth = building
    # By the way along the line of sight between which it is inside both pairs of walls.
    shares = [sorted((wall / x, (wall + width) / x)) for wall in (west,) if x] or [[0.0, 1.0]]
    shares.append(sorted((south / y, (south + depth) / y)))
    return max(low for low, _ in shares) < min(high for _, high in shares)


def place(time: float) -> tuple[float, float]:
    """Give where the user is: at the path's corner it goes north."""
    way = SPEED * time
    east = min(way, 100.0)
    return east - 50.0, 40.0 + min(way - east, 20.0)


def sample(direction: dict[str, str], run: int, time: float) -> dict[str, Any]:
    """Make a row of `channel_series`: weaker the other way, another shadowing in each run."""
    x, y = place(time)
    hidden = [stands_between(it, x, y) for it in BUILDINGS]
    sinr = 38.0 - 0.1 * math.hypot(x, y) - 45.0 * any(hidden) - 10.0 * (direction == BACK)
    sinr += math.sin(time + run)
    return direction | {
        "time_s": time,
        "x_m": x,
        "y_m": y,
        "station": "g1",
        "line_of_sight": not any(hidden),
        "sinr_db": sinr,
        "rate_bps": 0.0 if hidden[1] else 6e6 * math.log2(1 + 10 ** (sinr / 10)),
    }


def channel_series(results: Results, steps: int = STEPS) -> pl.DataFrame:
    """Make the same walk for every case."""
    keys = results["runs"].select("controller", "run").rows()
    times = [(step + 1) * DURATION / steps for step in range(steps)]
    rows = [
        {"controller": case, "run": run} | sample(direction, run, time)
        for case, run in keys
        for time in times
        for direction in (LINK, BACK)
    ]
    return pl.DataFrame(rows).with_columns(pl.col("run").cast(results["runs"].schema["run"]))


def on_map(results: Results) -> pl.DataFrame:
    """Make the map that belongs to it."""
    kinds = {
        "link": pl.String,
        "kind": pl.String,
        "name": pl.String,
        "number": pl.UInt64,
        "x_m": pl.Float64,
        "y_m": pl.Float64,
        "width_m": pl.Float64,
        "depth_m": pl.Float64,
    }
    rows: list[tuple[Any, ...]] = [("wire", "station", "g1", 0, 0.0, 0.0, None, None)]
    rows += [("wire", "building", None, at, *it) for at, it in enumerate(BUILDINGS)]
    rows += [("wire", "path", None, at, *it, None, None) for at, it in enumerate(PATH)]
    there = pl.DataFrame(rows, schema=kinds, orient="row")
    return results["runs"].select("controller", "run").join(there, how="cross")


def flow_series(results: Results) -> pl.DataFrame:
    """Make flows that take a share of the rate, after a while."""
    rate = channel_series(results).filter(**LINK).select("controller", "run", "time_s", "rate_bps")
    share = pl.when(pl.col("controller") == "cubic").then(0.9).otherwise(0.7)
    goodput = pl.col("rate_bps").rolling_mean(8, min_samples=1).over("controller", "run") * share
    first = results["flow_series"].unique(["controller", "run"], maintain_order=True)
    joined = first.drop("time_s", "goodput_bps").join(
        rate.with_columns(goodput_bps=goodput), on=["controller", "run"]
    )
    return joined.select(results["flow_series"].columns)


@pytest.fixture(scope="module")
def wired() -> Results:
    """Run two controllers twice, over a wire."""
    return run_scenario(Scenario("small", SCENARIO))


@pytest.fixture(scope="module")
def results(wired: Results) -> Results:
    """Give these results a walk past two buildings."""
    return replaced(
        wired,
        channel_series=channel_series(wired),
        maps=on_map(wired),
        flow_series=flow_series(wired),
    )


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Read their report."""
    return Page(write_report(results.save(tmp_path_factory.mktemp("report") / "walk")))


@pytest.fixture(scope="module")
def comparison(results: Results) -> Comparison:
    """Count their cases."""
    return Comparison(results)


def layers(specification: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """Find the layers with a kind of mark."""
    return [it for it in specification["layer"] if it["mark"]["type"] == kind]


def data(specification: dict[str, Any], layer: dict[str, Any]) -> pl.DataFrame:
    """Read what a layer draws."""
    held = layer.get("data") or specification["data"]
    text = specification["datasets"][held["name"]] if "name" in held else held["values"]
    return pl.read_csv(text.encode())


def rectangles(svg: str) -> list[tuple[float, float]]:
    """Give the pixels of width and depth of all rectangles of a mark, in their order."""
    (group,) = re.findall(r'<g[^>]*class="mark-rect[^>]*>(.*?)</g>', svg, re.S)
    corners = [re.findall(r"[-\d.]+", it) for it in re.findall(r' d="([^"]*)"', group)]
    return [(float(it[2]), float(it[3])) for it in corners]


# The map.


@pytest.mark.parametrize("ink", [LIGHT, SCREEN], ids=["paper", "screen"])
@pytest.mark.parametrize(("width", "height"), [(560, 300), (320, 480), (1200, 160), (340, 340)])
def test_a_metre_is_as_long_northwards_as_eastwards_whatever_the_size(
    comparison: Comparison, ink: Ink, width: int, height: int
) -> None:
    (picture,) = channels.KINDS["map"](comparison)
    specification = picture.chart(ink).to_dict() | {"width": width, "height": height}
    drawn = rectangles(vl_convert.vegalite_to_svg(specification))
    metres = {
        pixels / size
        for pair, it in zip(drawn, BUILDINGS, strict=True)
        for pixels, size in zip(pair, it[2:], strict=True)
    }
    assert max(metres) == pytest.approx(min(metres), rel=0.01)


@pytest.mark.parametrize(("width", "height"), [(560, 300), (320, 480), (1200, 160), (340, 340)])
def test_everything_is_on_the_map_whatever_its_size(
    comparison: Comparison, width: int, height: int
) -> None:
    (picture,) = channels.KINDS["map"](comparison)
    specification = picture.chart(SCREEN).to_dict() | {"width": width, "height": height}
    svg = vl_convert.vegalite_to_svg(specification)
    marks = re.findall(r'<g[^>]*class="mark-symbol role-mark[^>]*>(.*?)</g>', svg, re.S)
    places = re.findall(r"translate\(([-\d.]+),([-\d.]+)\)", "".join(marks))
    assert len(places) > MOST_POINTS
    for across, down in places:
        assert maps.MARGIN <= float(across) + 0.01 <= width - maps.MARGIN + 0.02
        assert maps.MARGIN <= float(down) + 0.01 <= height - maps.MARGIN + 0.02


@pytest.mark.parametrize("ink", [LIGHT, SCREEN], ids=["paper", "screen"])
def test_everything_on_the_map_is_drawn_where_it_is(comparison: Comparison, ink: Ink) -> None:
    (picture,) = channels.KINDS["map"](comparison)
    specification = picture.chart(ink).to_dict()
    (block,) = layers(specification, "rect")
    drawn = data(specification, block).select("x_m", "y_m", "width_m", "depth_m").rows()
    assert drawn == BUILDINGS
    named = [data(specification, it) for it in layers(specification, "text")]
    places = {row["name"]: (row["x_m"], row["y_m"]) for it in named for row in it.to_dicts()}
    assert places == {"start": PATH[0], "g1": (0.0, 0.0)}


def test_the_way_is_coloured_by_what_the_user_sees_there(comparison: Comparison) -> None:
    (channel,) = channels.distinct(comparison, LINK)
    way = maps.walk(channel.samples.filter(run=0))
    for x, y, state in way.select("x_m", "y_m", "state").rows():
        first, second = (stands_between(it, x, y) for it in BUILDINGS)
        assert state == ("outage" if second else "no line of sight" if first else "line of sight")
    assert set(way["state"]) == set(maps.STATES)


@pytest.mark.parametrize("outage", [0, 777, 2999])
def test_no_outage_is_lost_when_a_walk_is_thinned_out(outage: int) -> None:
    times = pl.int_range(3000, eager=True)
    samples = pl.DataFrame({"time_s": times / 100}).with_columns(
        x_m=pl.col("time_s"),
        y_m=pl.lit(0.0),
        station=pl.lit("g1"),
        line_of_sight=pl.lit(True),
        sinr_db=pl.lit(30.0),
        rate_bps=pl.when(times == outage).then(0.0).otherwise(1e9),
    )
    way = maps.walk(samples)
    assert way.height == MOST_POINTS
    hit = way.filter(state="outage")
    assert hit["time_s"].to_list() == [samples["time_s"][outage]]
    assert way["time_s"].is_sorted() and way["stretch"].is_sorted()


def test_every_stretch_begins_where_the_one_before_ends(comparison: Comparison) -> None:
    (picture,) = channels.KINDS["map"](comparison)
    specification = picture.chart(LIGHT).to_dict()
    drawn = next(it for it in layers(specification, "line") if "color" in it["encoding"])
    of_stretch = (
        data(specification, drawn).sort("time_s").partition_by("stretch", maintain_order=True)
    )
    assert len(of_stretch) == 3
    for before, after in itertools.pairwise(of_stretch):
        assert before.select("x_m", "y_m").rows()[-1] == after.select("x_m", "y_m").rows()[0]


def test_arrows_point_where_the_user_goes(comparison: Comparison) -> None:
    (picture,) = channels.KINDS["map"](comparison)
    specification = picture.chart(LIGHT).to_dict()
    (arrows,) = (it for it in layers(specification, "point") if "angle" in it["encoding"])
    headings = data(specification, arrows).select("x_m", "y_m", "heading").rows()
    # Clockwise from the north: east, then north.
    assert {heading for _, _, heading in headings} == {90.0, 0.0}
    for x, y, heading in headings:
        assert (y == PATH[1][1]) if heading == 90.0 else (x == PATH[1][0])
    assert headings[-1] == (*PATH[-1], 0.0)


def test_a_user_who_stands_where_the_only_station_is_has_a_map(results: Results) -> None:
    series = results["channel_series"].with_columns(x_m=0.0, y_m=0.0)
    there = results["maps"].filter(pl.col("kind") != "building").with_columns(x_m=0.0, y_m=0.0)
    standing = Comparison(replaced(results, channel_series=series, maps=there))
    (picture,) = channels.KINDS["map"](standing)
    svg = vl_convert.vegalite_to_svg(picture.chart(LIGHT).to_dict())
    assert "NaN" not in svg and ">g1<" in svg


# Which cases share a channel.


def test_cases_with_the_same_channel_share_their_pictures(comparison: Comparison) -> None:
    for kind in ("map", "sinr", "rate"):
        (picture,) = channels.KINDS[kind](comparison)
        assert picture.lines == []
    (channel,) = channels.distinct(comparison, LINK)
    assert channel.cases == [0, 1] and channel.parts == ()


def test_cases_with_different_channels_have_their_own_lines_and_maps(results: Results) -> None:
    weaker = results["channel_series"].with_columns(
        sinr_db=pl.col("sinr_db") - pl.when(pl.col("controller") == "aimd").then(3.0).otherwise(0.0)
    )
    different = Comparison(replaced(results, channel_series=weaker))
    (sinr,) = channels.KINDS["sinr"](different)
    assert [line.label for line in sinr.lines] == ["cubic", "aimd"]
    # What both have in common is shaded all the same.
    assert "Shaded" in sinr.caption
    drawn = [picture.title for picture in channels.KINDS["map"](different)]
    assert [title.rpartition(": ")[2] for title in drawn] == ["cubic", "aimd"]


def test_channels_are_named_by_what_their_cases_alone_have_in_common() -> None:
    cases = [(speed, name) for speed in ("walk", "drive") for name in ("cubic", "bbr")]
    runs = pl.DataFrame(
        [(*case, 0) for case in cases], schema=["speed", "controller", "run"], orient="row"
    )
    flows = runs.with_columns(
        flow=pl.lit("f"), protocol=pl.lit("tcp"), flow_controller=pl.col("controller")
    )
    comparison = Comparison(Results(["speed", "controller"], {"runs": runs, "flows": flows}))
    assert channels.parts(comparison, [0, 1]) == ("walk",)
    assert channels.parts(comparison, [1, 3]) == ("bbr",)
    assert channels.parts(comparison, [0, 1, 2, 3]) == ()
    assert channels.parts(comparison, [2]) == ("drive", "cubic")
    assert channels.parts(comparison, [0, 3]) == ("walk · cubic and 1 more",)


# Over time.


def test_no_sample_of_the_sinr_is_lost(comparison: Comparison, results: Results) -> None:
    drawn = series.of_channel(
        comparison,
        "sinr_db",
        channels.lines(comparison, channels.distinct(comparison, LINK), "SINR"),
        LINK,
    ).frame
    measured = results["channel_series"].filter(**LINK)["sinr_db"]
    assert drawn["low"].min() == measured.min() and drawn["high"].max() == measured.max()
    assert drawn["mean"].mean() == pytest.approx(measured.mean(), rel=0.02)
    assert drawn.height == MOST_POINTS


def test_a_line_stands_at_zero_where_the_sinr_falls_below(comparison: Comparison) -> None:
    for kind, below in (("sinr", True), ("rate", False)):
        (picture,) = channels.KINDS[kind](comparison)
        for ink in (LIGHT, SCREEN):
            text = json.dumps(picture.chart(ink).to_dict())
            assert ('"y": {"datum": 0}' in text) == below


def test_what_is_shaded_is_without_line_of_sight(comparison: Comparison, results: Results) -> None:
    lines = channels.lines(comparison, channels.distinct(comparison, LINK), "SINR")
    shaded = series.without_line_of_sight(comparison, lines, LINK)
    walked = results["channel_series"].filter(**LINK, run=0, controller="cubic")
    for time, line_of_sight in walked.select("time_s", "line_of_sight").rows():
        inside = shaded.filter(pl.col("start_s") < time, time < pl.col("end_s"))["share"].sum()
        near_edge = (
            min(abs(time - edge) for it in ("start_s", "end_s") for edge in shaded[it]) < 0.3
        )
        assert near_edge or inside == (0.0 if line_of_sight else 1.0)


def test_channels_with_different_sight_are_not_shaded(results: Results) -> None:
    seen = pl.col("line_of_sight") | (pl.col("controller") == "aimd")
    different = results["channel_series"].with_columns(line_of_sight=seen)
    comparison = Comparison(replaced(results, channel_series=different))
    (sinr,) = channels.KINDS["sinr"](comparison)
    assert "Shaded" not in sinr.caption
    assert "start_s" not in json.dumps(sinr.chart(SCREEN).to_dict())


def test_the_share_of_runs_without_line_of_sight_makes_the_shade(results: Results) -> None:
    seen = pl.col("line_of_sight") | (pl.col("run") == 0)
    half = results["channel_series"].with_columns(line_of_sight=seen)
    comparison = Comparison(replaced(results, channel_series=half))
    lines = channels.lines(comparison, channels.distinct(comparison, LINK), "SINR")
    shares = series.without_line_of_sight(comparison, lines, LINK)["share"]
    assert shares.len() > 0 and shares.max() == 0.5
    (picture,) = channels.KINDS["sinr"](comparison)
    assert "darker: in more runs" in picture.caption


# The rate behind the goodput.


def test_the_rate_stands_behind_the_goodput(comparison: Comparison, results: Results) -> None:
    (picture,) = channels.goodput(comparison)
    assert [line.label for line in picture.lines] == ["cubic", "aimd", "rate of wire"]
    drawn = series.of_goodput_and_rate(comparison, picture.lines, LINK).frame
    rate = results["channel_series"].filter(**LINK, controller="cubic")
    reference = drawn.filter(line=picture.lines[-1].name)
    assert reference["high"].max() == rate["rate_bps"].max()
    assert reference["low"].min() == rate["rate_bps"].min()
    # All lines have their points at the same times, so that they can be compared.
    assert drawn.group_by("time_s").len()["len"].unique().to_list() == [3]
    for ink in (LIGHT, SCREEN):
        vl_convert.vegalite_to_vega(picture.chart(ink).to_dict())


def test_a_single_flow_is_held_against_the_rate_too(results: Results) -> None:
    single = narrowed(results, {"controller": "cubic"})
    (picture,) = channels.goodput(Comparison(single))
    assert picture.title == "Data received"
    assert [line.label for line in picture.lines] == ["viewer", "rate of wire"]


def test_cases_with_different_channels_are_held_against_their_own(results: Results) -> None:
    slower = results["channel_series"].with_columns(
        rate_bps=pl.col("rate_bps") / pl.when(pl.col("controller") == "aimd").then(2).otherwise(1)
    )
    comparison = Comparison(replaced(results, channel_series=slower))
    first, second = channels.goodput(comparison)
    assert [first.title, second.title] == ["Data received: cubic", "Data received: aimd"]
    assert [line.label for line in second.lines] == ["aimd", "rate of wire"]


def test_a_rate_far_above_the_goodput_does_not_flatten_it() -> None:
    lines = [
        Line("l0", 0, ("cubic",), "cubic", 0),
        Line("rate", 0, ("rate of air",), None, 0, reference=True),
    ]
    for rate, clipped in ((1.5, False), (100.0, True)):
        rows = [("l0", 1.0, *[1.0] * 3), ("rate", 1.0, *[rate] * 3)]
        kinds = ["line", "time_s", "mean", "low", "high"]
        frame = pl.DataFrame(rows, schema=kinds, orient="row")
        axes = charts.axes(frame, lines)
        drawn = charts.over_time(frame, lines, "goodput (Mbps)", SCREEN, shared=axes)
        text = json.dumps(drawn.to_dict())
        assert (f'"domain": [0, {ROOM}]' in text) == clipped


def test_a_reference_stands_in_every_picture_and_looks_like_no_other_line() -> None:
    cases = [(name, str(rate)) for name in ("cubic", "bbr") for rate in range(9)]
    lines = ranked((case, parts, parts[0]) for case, parts in enumerate(cases))
    reference = Line("rate", 0, ("rate of air",), None, 0, reference=True)
    divided = panels([*lines, reference])
    assert len(divided) > 1
    for panel in divided:
        assert panel.lines.count(reference) == 1
        assert reference.shape not in {line.shape for line in panel.lines[:-1]}
    said = [line.case for panel in divided for line in panel.lines if not line.reference]
    assert sorted(said) == list(range(len(cases)))


# The page.


def test_the_page_shows_map_sinr_and_rate(page: Page) -> None:
    shown = [str(it["id"]) for it in page.all("figure")]
    assert {"map", "sinr", "rate", "goodput", "channel-2-sinr", "channel-2-rate"} <= set(shown)
    assert len(shown) == len(set(shown))
    assert "rate of wire" in page.read
    for specification in page.specifications():
        assert specification["width"] == "container"
        vl_convert.vegalite_to_vega(specification)


def test_the_table_of_channels_says_how_much_of_the_time_was_lost(
    comparison: Comparison, results: Results
) -> None:
    table = tables.channels(comparison)
    # Of means with their intervals, the means.
    columns = {it.title: [cell.text.split(" ± ")[0] for cell in it.cells] for it in table.columns}
    walked = results["channel_series"].filter(**LINK)
    there = columns["from"].index("producer")
    assert float(columns["outage (%)"][there]) == pytest.approx(
        100 * fmean(walked["rate_bps"] == 0), abs=0.05
    )
    assert float(columns["without line of sight (%)"][there]) == pytest.approx(
        100 * fmean(~walked["line_of_sight"]), abs=0.05
    )
    assert float(columns["SINR (dB)"][there].replace("−", "-")) == pytest.approx(
        walked["sinr_db"].mean(), abs=0.05
    )


def test_a_trace_driven_link_has_a_rate_and_no_map(results: Results, tmp_path: Path) -> None:
    unknown = {"x_m": pl.Float64, "y_m": pl.Float64, "station": pl.String}
    unknown |= {"line_of_sight": pl.Boolean, "sinr_db": pl.Float64}
    traced = replaced(
        results,
        channel_series=results["channel_series"].with_columns(
            pl.lit(None, kind).alias(name) for name, kind in unknown.items()
        ),
        maps=results["maps"].clear(),
    )
    page = Page(write_report(traced.save(tmp_path / "traced")))
    shown = {str(it["id"]) for it in page.all("figure")}
    assert {"rate", "channel-2-rate", "goodput"} <= shown
    assert not shown & {"map", "sinr"}
    assert "rate of wire" in page.read and "Shaded" not in page.read


def test_nothing_is_said_of_channels_where_no_link_has_one(
    wired: Results, results: Results
) -> None:
    empty = {name: results[name].clear() for name in ("channel_series", "maps")}
    for without in (wired, replaced(wired, **empty)):
        comparison = Comparison(without)
        assert channels.of_link(comparison) == channels.of_others(comparison) == []
        alone, plain = channels.goodput(comparison), over_time.goodput(comparison)
        assert [it.chart(LIGHT).to_dict() for it in alone] == [
            it.chart(LIGHT).to_dict() for it in plain
        ]


def test_ten_times_the_samples_make_no_larger_pictures(results: Results) -> None:
    sizes = []
    for steps in (STEPS, 10 * STEPS):
        sampled = replaced(results, channel_series=channel_series(results, steps))
        drawn = channels.of_link(Comparison(sampled))
        sizes.append([len(json.dumps(it.chart(SCREEN).to_dict())) for it in drawn])
    for few, many in zip(*sizes, strict=True):
        assert many < 1.1 * few


def test_a_state_is_told_by_more_than_its_colour(comparison: Comparison) -> None:
    (picture,) = channels.KINDS["map"](comparison)
    specification = picture.chart(SCREEN).to_dict()
    for channel in ("color", "strokeDash"):
        (looks,) = ranges(specification, channel)
        assert set(looks) == set(maps.STATES) and len(set(looks.values())) == len(looks)
