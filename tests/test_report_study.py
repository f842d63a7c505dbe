"""Reports of studies: what they compare is what was measured, whatever varied."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import altair as alt
import polars as pl
import pytest
import vl_convert

from test_report import NASTY, Page
from windtunnel.folders import VERSION_KEY, write_manifest
from windtunnel.measures import intervals
from windtunnel.measures.columns import GOODPUT
from windtunnel.measures.frame import Parameter
from windtunnel.pictures.colours import LIGHT, SCREEN
from windtunnel.pictures.files import document
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies import by_name, comparisons, drawing, fronts, layout
from windtunnel.report import of_study, study_tables
from windtunnel.results import ResultsError
from windtunnel.studies.outcome import StudyResults
from windtunnel.studies.store import Store

BUFFER = Parameter(
    "buffer",
    [f"{it} KiB" for it in (16, 32, 64, 128, 256, 512, 1024)],
    [it * 1024.0 for it in (16, 32, 64, 128, 256, 512, 1024)],
    "B",
    True,
)
ROUND_TRIP = Parameter(
    "rtt", [f"{it} ms" for it in (10, 20, 40, 80, 160)], [0.01, 0.02, 0.04, 0.08, 0.16], "s", False
)
CONTROLLER = Parameter("controller", ["cubic", "bbr1", "bbr3"], None, "", False)
NETWORK = Parameter("network", ["plain", "dcib"], None, "", False)
LOSS = Parameter("loss rate", ["0 %", "0.1 %", "1 %"], [0.0, 0.001, 0.01], "share", False)


def made(*parameters: Parameter, seeds: int = 3, **changed: Any) -> StudyResults:
    """Make up the results of a grid: each run's measures follow from its values and a draw."""
    values = [it.numbers or it.values for it in parameters]
    rows = [(*point, seed) for point in itertools.product(*values) for seed in range(seeds)]
    return of_rows(parameters, rows, **changed)


def of_rows(
    parameters: tuple[Parameter, ...], rows: list[tuple[Any, ...]], **changed: Any
) -> StudyResults:
    """Make up the results of runs with these values and seeds."""
    names = [it.name for it in parameters]
    kinds = {it.name: pl.String if it.numbers is None else pl.Float64 for it in parameters}
    measured = [measures(dict(zip(names, row, strict=False)), row) for row in rows]
    keys = pl.DataFrame(rows, schema={**kinds, "seed": pl.Int64}, orient="row")
    frame = keys.with_columns(key=pl.int_range(pl.len()).cast(pl.String)).hstack(
        pl.DataFrame(measured, infer_schema_length=None)
    )
    failures = keys.clear().with_columns(key=pl.lit(""), error=pl.lit(""))
    whole: dict[str, Any] = {
        "title": "Made up",
        "parameters": list(parameters),
        "frame": frame,
        "failures": failures,
        "planned": len(rows),
        "folder": None,
    }
    return StudyResults(**whole | changed)


def measures(values: dict[str, Any], row: tuple[Any, ...]) -> dict[str, float]:
    """Make up what a run measures: buffers fill, long paths are slow, a draw for the seed."""
    draw = random.Random(repr(row))
    buffer, rtt = values.get("buffer", 65536.0), values.get("rtt", 0.04)
    factor = {"cubic": 1.0, "bbr1": 1.3, "bbr3": 1.15}.get(str(values.get("controller")), 1.0)
    bandwidth_delay = 1e7 / 8 * rtt
    filled = min(buffer / bandwidth_delay * factor, 4.0)
    better = {"dcib": 1.3 - 1.2 * values.get("loss rate", 0.0) ** 0.1}.get(
        str(values.get("network")), 1.0
    )
    goodput = 9.6e6 * (1 - math.exp(-1.5 * factor * filled)) * better * draw.uniform(0.96, 1.04)
    delay = (rtt + min(buffer, 3 * bandwidth_delay) * 8 / 1e7 / factor) * draw.uniform(0.95, 1.05)
    return {
        "goodput_bps": goodput,
        "delay_s": delay,
        "rtt_s": delay,
        "fairness": min(1.0, draw.uniform(0.7, 1.0) * better),
        "retransmissions": float(draw.randrange(200)),
        "timeouts": 0.0,
        "marks": 0.0,
        "completion_s": None,
        "drops": float(draw.randrange(300)),
        "utilisation": goodput / 1.3e7,
        "loss_share": draw.uniform(0.0, 0.02),
        "queue_delay_s": delay - rtt,
    }


def in_random(count: int, seeds: int = 1) -> StudyResults:
    """Make up the results of a random design: no two runs share a buffer or a round trip."""
    draw = random.Random(1)
    points = [(draw.uniform(1e4, 1e6), draw.uniform(0.01, 0.2)) for _ in range(count)]
    buffer = Parameter(
        "buffer", [f"{it:.0f} B" for it, _ in points], [a for a, _ in points], "B", True
    )
    rtt = Parameter(
        "rtt", [f"{it * 1e3:.3f} ms" for _, it in points], [b for _, b in points], "s", False
    )
    rows = [
        (*point, controller, seed)
        for point in points
        for controller in CONTROLLER.values
        for seed in range(seeds)
    ]
    return of_rows((buffer, rtt, CONTROLLER), rows)


@pytest.fixture(scope="module")
def grid() -> StudyResults:
    """Make up a study of two numbers and three controllers."""
    return made(BUFFER, ROUND_TRIP, CONTROLLER)


SHAPES = {
    "one number": lambda: made(BUFFER),
    "one word": lambda: made(CONTROLLER),
    "no number": lambda: made(CONTROLLER, NETWORK),
    "one run": lambda: made(seeds=1),
    "nothing varies": lambda: made(),
    "only numbers": lambda: made(BUFFER, ROUND_TRIP),
    "one seed": lambda: made(BUFFER, CONTROLLER, seeds=1),
    "with a base": lambda: made(BUFFER, NETWORK),
    "five parameters": lambda: made(BUFFER, ROUND_TRIP, LOSS, NETWORK, CONTROLLER, seeds=1),
    "a random design": lambda: in_random(60),
    "a small random design": lambda: in_random(8, seeds=2),
}
"""Studies of every shape."""


def drawn(picture: Picture, ink: Any = LIGHT) -> list[dict[str, str]]:
    """Give all rows of data that a picture holds, once each table."""
    tables: set[Any] = set()

    def look(part: Any) -> None:
        if isinstance(part, dict):
            held = [part.get("values"), *dict(part.get("datasets", {})).values()]
            tables.update(it for it in held if isinstance(it, str))
            for it in part.values():
                look(it)
        elif isinstance(part, list):
            for it in part:
                look(it)

    look(picture.specification(ink))
    return [row for table in tables for row in csv.DictReader(io.StringIO(table))]


# Numbers.


def test_the_interval_is_that_of_students_t() -> None:
    # Student's table: 97.5 % of t lies below these values, by degrees of freedom.
    for freedom, t in ((1, 12.706), (4, 2.776), (9, 2.262), (30, 2.042)):
        assert intervals.factor(freedom + 1) == pytest.approx(t / math.sqrt(freedom + 1), rel=2e-4)


def test_one_value_has_no_interval() -> None:
    assert intervals.factor(1) is None
    summary = study_tables.summary(made(CONTROLLER, seeds=1))
    assert summary.frame["goodput_bps_low"].null_count() == summary.frame.height == 3
    goodput = next(it for it in summary.table.columns if it.title == "goodput (Mbps)")
    assert not any("±" in cell.text or cell.detail for cell in goodput.cells)
    rows = drawn(by_name.compare(made(BUFFER, CONTROLLER, seeds=1), "goodput"))
    assert {row["low"] for row in rows if "low" in row} == {""}


def test_nineteen_of_twenty_intervals_hold_the_true_mean() -> None:
    # 95 % of the intervals hold the true mean: of 2,000 within four standard deviations.
    draw, held = random.Random(2), 0
    for _ in range(2000):
        values = [draw.gauss(3.0, 2.0) for _ in range(4)]
        held += abs(fmean(values) - 3.0) <= (intervals.factor(4) or 0) * stdev(values)
    assert held / 2000 == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / 2000))


def test_the_numbers_of_the_table_are_those_of_the_runs(grid: StudyResults) -> None:
    frame = study_tables.summary(grid).frame
    assert frame.height == 7 * 5 * 3
    runs: dict[tuple[Any, ...], list[float]] = {}
    for row in grid.frame.iter_rows(named=True):
        key = (row["buffer"], row["rtt"], row["controller"])
        runs.setdefault(key, []).append(row["delay_s"])
    for row in frame.iter_rows(named=True):
        values = runs.pop((row["buffer (B)"], row["rtt (s)"], row["controller"]))
        half = stdev(values) * (intervals.factor(len(values)) or 0)
        assert row["delay_s_mean"] == pytest.approx(fmean(values), rel=1e-12)
        assert row["delay_s_low"] == pytest.approx(fmean(values) - half, rel=1e-9)
        assert row["delay_s_high"] == pytest.approx(fmean(values) + half, rel=1e-9)
        assert (row["delay_s_minimum"], row["delay_s_maximum"]) == (min(values), max(values))
        assert row["runs"] == row["delay_s_runs"] == len(values) == 3
    assert not runs


def test_csv_files_hold_the_numbers_in_full(grid: StudyResults, tmp_path: Path) -> None:
    of_study.write(tmp_path, grid)
    read = pl.read_csv(tmp_path / "tables" / "runs.csv")
    assert read["goodput_bps"].to_list() == grid.frame["goodput_bps"].to_list()
    assert read["buffer (B)"].to_list() == grid.frame["buffer"].to_list()
    summary = pl.read_csv(tmp_path / "tables" / "summary.csv")
    whole = study_tables.summary(grid).frame
    assert summary["delay_s_high"].to_list() == whole["delay_s_high"].to_list()


def test_a_point_of_a_line_is_the_mean_over_the_seeds(grid: StudyResults) -> None:
    rows = [it for it in drawn(by_name.compare(grid, "goodput")) if "mean" in it]
    assert len(rows) == 7 * 5 * 3
    for row in rows:
        runs = grid.frame.filter(
            pl.col("controller") == CONTROLLER.values[int(row["line"][1:])],
            pl.col("buffer") == float(row["place"]),
            pl.format("rtt {} ms", (pl.col("rtt") * 1e3).round().cast(pl.Int64)) == row["panel"],
        )["goodput_bps"]
        assert len(runs) == int(row["runs"]) == 3
        assert float(row["mean"]) == pytest.approx(fmean(runs) / 1e6, rel=1e-3)


def test_a_cell_of_a_heat_map_is_the_mean_over_the_seeds(grid: StudyResults) -> None:
    rows = [it for it in drawn(by_name.heat_map(grid, "delay", "buffer", "rtt"))]
    assert len(rows) == 7 * 5 * 3
    for row in rows:
        runs = grid.frame.filter(
            controller=row["panel"],
            buffer=int(row["across"]) * 1024.0,
            rtt=int(row["along"]) / 1000,
        )["delay_s"]
        assert float(row["value"]) == pytest.approx(fmean(runs) * 1e3, rel=1e-3)


def test_a_gain_is_the_ratio_to_the_base_seed_by_seed() -> None:
    results = made(LOSS, NETWORK, CONTROLLER, seeds=4)
    rows = drawn(by_name.gain(results, "goodput", "network"))
    assert len(rows) == 3 * 3
    for row in rows:
        those = results.frame.filter(pl.col("controller") == row["along"]).filter(
            pl.col("loss rate") == float(row["across"]) / 100
        )
        pairs = [those.filter(network=it).sort("seed")["goodput_bps"] for it in ("dcib", "plain")]
        ratios = [a / b for a, b in zip(*pairs, strict=True)]
        assert float(row["value"]) == pytest.approx(math.prod(ratios) ** (1 / 4), rel=1e-3)
        assert row["number"].startswith("(") == (float(row["low"]) <= 1 <= float(row["high"]))


def test_the_gain_over_itself_is_one_everywhere_and_nothing_stands_out() -> None:
    results = made(BUFFER, NETWORK)
    same = results.frame.filter(network="plain")
    frame = pl.concat([same, same.with_columns(network=pl.lit("dcib"))])
    rows = drawn(by_name.gain(replace(results, frame=frame), "delay", "network"))
    assert {(row["value"], row["number"]) for row in rows} == {("1.0", "(1.00)")}


@pytest.mark.parametrize("seed", range(5))
def test_no_point_of_the_front_is_dominated_and_every_other_is(seed: int) -> None:
    draw = random.Random(seed)
    # Few values, so that some points share a coordinate or both.
    points = [(draw.randrange(12) / 4, draw.randrange(12) / 4) for _ in range(40)]
    # A single seed has no spread.
    rows = pl.DataFrame(points, schema=["x", "y"], orient="row").with_row_index("point")
    found = fronts.with_front(rows.with_columns(seed=1), ["point"], ["x", "y"])
    front = {(x, y) for x, y, on in found.select("x", "y", "front").rows() if on}
    means = fronts.by_means(rows, ["x", "y"])
    assert {(x, y) for _, x, y, on in means.rows() if on} == front

    def dominated(point: tuple[float, float]) -> bool:
        return any(x <= point[0] and y >= point[1] and (x, y) != point for x, y in points)

    assert front == {it for it in points if not dominated(it)}


def test_points_of_the_trade_off_are_the_means_of_combinations(grid: StudyResults) -> None:
    rows = drawn(by_name.pareto(grid))
    rows = [it for it in rows if "front" in it]
    assert len(rows) == 7 * 5 * 3
    one = next(it for it in rows if (it["text"], it["panel"]) == ("buffer 64 KiB", "rtt 40 ms"))
    runs = grid.frame.filter(
        buffer=65536.0, rtt=0.04, controller=CONTROLLER.values[int(one["line"][1:])]
    )
    assert float(one["x"]) == pytest.approx(fmean(runs["delay_s"]) * 1e3, rel=1e-3)
    assert float(one["y"]) == pytest.approx(fmean(runs["goodput_bps"]) / 1e6, rel=1e-3)


@pytest.mark.parametrize(("least", "first"), [(0.0, 0.0), (0.5, 0.0), (12.0, 10.0)])
def test_an_axis_of_points_begins_below_zero_for_none_of_them(least: float, first: float) -> None:
    points = pl.DataFrame({"y": [least, 20.0]})
    chart = (
        alt.Chart(points)
        .mark_point()
        .encode(y=alt.Y("y:Q", scale=drawing.loose(points["y"]), axis=alt.Axis(tickCount=20)))
    )
    svg = vl_convert.vegalite_to_svg(chart.properties(height=120).to_dict())
    labels = re.findall(r">([−\d.]+)</text>", svg)
    assert not [it for it in labels if it.startswith("−")]
    assert min(map(float, labels)) >= first


def test_the_first_sentence_of_a_study_says_how_what_is_compared_differs(
    grid: StudyResults, tmp_path: Path
) -> None:
    text = of_study.write(tmp_path, grid).read_text(encoding="utf-8")
    found = text[text.index("What was found") : text.index("What was run")]
    assert re.findall("<li>(.{16})", found)[0] == "Goodput: bbr1 − "
    assert '<p class="note">Differences from the first controller' in found


def test_distributions_rise_from_the_least_to_the_greatest_run(grid: StudyResults) -> None:
    rows = [it for it in drawn(by_name.distribution(grid, "goodput")) if "share" in it]
    for index, controller in enumerate(CONTROLLER.values):
        line = [it for it in rows if it["line"] == f"l{index}"]
        values = [float(it["value"]) for it in sorted(line, key=lambda it: float(it["share"]))]
        runs = grid.frame.filter(controller=controller)["goodput_bps"] / 1e6
        assert values == sorted(values)
        assert (values[0], values[-1]) == pytest.approx((runs.min(), runs.max()), rel=1e-3)
        assert values[len(values) // 2] == pytest.approx(runs.median(), rel=1e-3)


def test_boxes_hold_the_middle_half_of_the_runs(grid: StudyResults) -> None:
    rows = drawn(by_name.box(grid, "delay", by="rtt"))
    assert len(rows) == 5
    for row in rows:
        assert ROUND_TRIP.numbers
        runs = grid.frame.filter(rtt=ROUND_TRIP.numbers[int(row["line"][1:])])["delay_s"] * 1e3
        inside = runs.filter(runs.is_between(float(row["first"]), float(row["third"])))
        assert len(inside) / len(runs) == pytest.approx(0.5, abs=2 / len(runs))
        assert float(row["median"]) == pytest.approx(runs.median(), rel=1e-3)


# What is drawn.


@pytest.mark.parametrize("shape", SHAPES)
def test_studies_of_every_shape_have_a_report(shape: str, tmp_path: Path) -> None:
    results = SHAPES[shape]()
    page = Page(of_study.write(tmp_path, results))
    assert page.all("figure") and page.all("table")
    for specification in page.specifications():
        vl_convert.vegalite_to_vega(specification)
        assert specification["width"] == "container"
    links = [str(it["href"]) for it in page.all("a") if "download" in it]
    assert links and all((tmp_path / it).is_file() for it in links)
    names = [str(it["id"]) for it in page.all("figure")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_picture_says_what_it_shows_in_a_few_panels(shape: str) -> None:
    names = []
    for section in itertools.chain(*of_study.chosen(SHAPES[shape]())):
        assert section.whole.title and section.whole.caption
        assert 1 <= len(section.panels) <= layout.MOST_MAPS
        assert all(it.title for it in section.panels)
        names.append(section.whole.name)
    assert len(names) == len(set(names))


def test_the_first_picture_is_goodput_over_the_number_with_most_values(grid: StudyResults) -> None:
    main, others, spreads = of_study.chosen(grid)
    assert [it.whole.title for it in main] == [
        "Goodput over buffer",
        "Goodput over buffer and rtt",
        "Goodput against delay",
        "Delay over buffer",
        "Delay over buffer and rtt",
    ]
    assert [it.label for it in main[0].whole.lines] == CONTROLLER.values
    assert [it.title for it in main[0].panels] == [f"rtt {it}" for it in ROUND_TRIP.values]
    assert "Jain's fairness over buffer" in [it.whole.title for it in others]
    assert spreads


def test_where_there_is_a_base_the_gain_over_it_comes_second() -> None:
    main, *_ = of_study.chosen(made(BUFFER, NETWORK, CONTROLLER))
    assert main[1].whole.title == "Goodput at dcib relative to network plain"


def test_without_a_number_there_are_bars_for_each_combination() -> None:
    rows = drawn(by_name.compare(made(CONTROLLER, NETWORK), "goodput"))
    bars = {it["label"] for it in rows if "label" in it}
    assert len(bars) == 6 and "network dcib · bbr3" in bars


def test_headings_above_bars_are_the_values_that_they_are_of() -> None:
    results = made(NETWORK, CONTROLLER)
    (picture,) = comparisons.bars(results, GOODPUT, [NETWORK, CONTROLLER], CONTROLLER).parts()
    specification = picture.specification(SCREEN)
    (layer,) = (
        it
        for it in specification["layer"]
        if it["encoding"].get("text", {}).get("field") == "heading"
    )
    texts = specification["datasets"][layer["data"]["name"]]
    assert "network plain" in texts and "network dcib" in texts


def test_a_controller_keeps_its_colour_whatever_else_is_compared() -> None:
    own = Parameter("controller", ["mine", "cubic"], None, "", False)
    mine, cubic = layout.lines(layout.axis(own))
    assert LIGHT.hue(cubic.controller) == LIGHT.hue("cubic")
    assert LIGHT.hue(mine.controller) not in (LIGHT.soft, LIGHT.hue("cubic"))
    assert mine.shape != cubic.shape


def test_labels_leave_out_a_unit_that_all_values_share() -> None:
    same, mixed = (
        layout.axis(ROUND_TRIP),
        layout.axis(Parameter("rtt", ["500 µs", "1 ms"], [0.0005, 0.001], "s", False)),
    )
    assert (same.title, same.labels[:2]) == ("rtt (ms)", ["10", "20"])
    assert (mixed.title, mixed.labels) == ("rtt", ["500 µs", "1 ms"])


def test_values_in_geometric_progression_stand_evenly() -> None:
    assert layout.axis(replace(BUFFER, logarithmic=False)).logarithmic
    even = Parameter(
        "n", [str(it) for it in range(1, 9)], [float(it) for it in range(1, 9)], "", False
    )
    assert not layout.axis(even).logarithmic
    assert not layout.axis(LOSS).logarithmic


def test_points_that_stand_for_several_combinations_say_so() -> None:
    single = by_name.compare(made(BUFFER, CONTROLLER), "goodput")
    assert "mean over the seeds" in single.caption and "confidence" in single.caption
    pooled = by_name.compare(in_random(60), "goodput")
    assert "median" in pooled.caption and "grouped into 10 intervals" in pooled.caption
    assert "confidence" not in pooled.caption


def test_values_that_were_zipped_do_not_make_panels_of_one_point() -> None:
    rows = [
        (buffer, rtt, controller, seed)
        for buffer, rtt in zip(BUFFER.numbers or [], ROUND_TRIP.numbers or [], strict=False)
        for controller in CONTROLLER.values
        for seed in range(3)
    ]
    zipped = of_rows((BUFFER, ROUND_TRIP, CONTROLLER), rows)
    figure = comparisons.comparison(zipped, GOODPUT, CONTROLLER)
    assert len(figure.panels) == 1 and "Points also differ in rtt." in figure.caption
    titles = [it.whole.title for it in of_study.chosen(zipped)[0]]
    assert "Goodput over buffer and rtt" not in titles


# What is missing.


def test_values_that_are_missing_or_no_numbers_are_drawn_as_nothing(
    grid: StudyResults, tmp_path: Path
) -> None:
    first = pl.col("buffer") == 16384.0
    broken = grid.frame.with_columns(
        goodput_bps=pl.when(first).then(float("nan")).otherwise("goodput_bps"),
        delay_s=pl.lit(None, pl.Float64),
        fairness=pl.lit(float("inf")),
    )
    results = replace(grid, frame=broken)
    rows = drawn(by_name.compare(results, "goodput"))
    assert len([it for it in rows if "mean" in it]) == 6 * 5 * 3
    page = Page(of_study.write(tmp_path, results))
    titles = [it.whole.title for part in of_study.chosen(results) for it in part]
    assert not any("elay over" in it or "fairness" in it for it in titles)
    assert "nan" not in page.read.lower().split() and page.specifications()
    assert "NaN" not in (tmp_path / "tables" / "summary.csv").read_text(encoding="utf-8")


def test_without_a_finished_run_there_is_a_page_that_says_so(tmp_path: Path) -> None:
    whole = made(BUFFER, CONTROLLER)
    nothing = replace(whole, frame=whole.frame.clear())
    page = Page(of_study.write(tmp_path, nothing))
    assert "No run finished" in page.read and not page.all("figure")


def test_failures_are_listed_with_their_errors(tmp_path: Path) -> None:
    whole = made(BUFFER, CONTROLLER)
    failures = whole.frame.select("buffer", "controller", "seed", "key").head(3)
    failed = failures.with_columns(error=pl.lit("out of <memory>"))
    page = Page(of_study.write(tmp_path, replace(whole, failures=failed, planned=80)))
    assert page.read.count("out of <memory>") == 3
    assert "3 runs failed" in page.read and "14 runs of 80" in page.read
    read = pl.read_csv(tmp_path / "tables" / "failures.csv")
    assert read["error"].to_list() == ["out of <memory>"] * 3
    assert read["buffer (B)"].to_list() == failures["buffer"].to_list()


def test_the_completion_of_transfers_is_drawn_where_there_are_any(tmp_path: Path) -> None:
    whole = made(CONTROLLER, seeds=2)
    assert of_study.of_transfers(whole, CONTROLLER) == []
    transfers = whole.frame.select("key").with_columns(completion_s=pl.int_range(pl.len()) / 10.0)
    runs = whole.frame.select("key").with_columns(error=pl.lit(None, pl.String))
    store = Store(tmp_path)
    with store.opened():
        store.add({"runs": runs, "transfers": transfers})
    points = whole.frame.select("controller", "seed", "key")
    whole = replace(whole, store=store, points=points)
    (figure,) = of_study.of_transfers(whole, CONTROLLER)
    assert "completion time" in figure.title
    assert len({it["line"] for it in drawn(figure.whole()) if "share" in it}) == 3


# Names.


def test_what_people_wrote_is_never_markup_or_a_clash(tmp_path: Path) -> None:
    words = Parameter("line", ["plain", NASTY, "{}"], None, "", False)
    number = Parameter("mean", ["1 ms", "2 ms"], [0.001, 0.002], "s", False)
    clashing = Parameter("value", [NASTY * 2, "b"], None, "", False)
    results = made(words, number, clashing, title=NASTY)
    # Writing it draws each picture.
    page = Page(of_study.write(tmp_path, results))
    assert "".join(page.texts["h1"]).strip() == NASTY
    assert len([it for it in page.all("script") if it.get("type") != "application/json"]) == 2


def test_names_that_there_are_not_are_refused_with_those_there_are(grid: StudyResults) -> None:
    with pytest.raises(ResultsError, match="unknown measure `godput`; known: goodput, delay"):
        by_name.compare(grid, "godput")
    with pytest.raises(ResultsError, match="unknown parameter `rrt`; known: buffer, rtt"):
        by_name.compare(grid, "goodput", by="rrt")
    with pytest.raises(ResultsError, match="`controller` has no base value"):
        by_name.gain(grid, "goodput", "controller")
    with pytest.raises(ResultsError, match="`rtt` is numeric"):
        by_name.gain(grid, "goodput", "rtt")
    with pytest.raises(ResultsError, match="two different parameters"):
        by_name.heat_map(grid, "goodput", "rtt", "rtt")


@pytest.mark.parametrize("by", ["controller", "rtt", "buffer"])
def test_any_parameter_can_be_compared_by(grid: StudyResults, by: str) -> None:
    for picture in (
        by_name.compare(grid, "goodput", by=by),
        by_name.compare(grid, "delay", over=by),
        by_name.pareto(grid, by=by),
        by_name.distribution(grid, "delay", by=by),
        by_name.box(grid, "goodput_bps", by=by),
    ):
        assert document(picture)
        assert json.dumps(picture.specification(SCREEN))


# Sizes.


def test_ten_times_the_runs_make_no_larger_page(tmp_path: Path) -> None:
    sizes = []
    for seeds in (3, 30):
        (folder := tmp_path / str(seeds)).mkdir()
        page = of_study.write(folder, made(BUFFER, CONTROLLER, seeds=seeds))
        sizes.append(page.stat().st_size)
    assert sizes[1] < 1.1 * sizes[0] < 3e6


def test_a_folder_keeps_what_stands_beside_the_report(tmp_path: Path) -> None:
    (tmp_path / "store.parquet").write_bytes(b"kept")
    write_manifest(tmp_path, {VERSION_KEY: "1"})
    for _ in range(2):
        of_study.write(tmp_path, made(CONTROLLER))
    assert (tmp_path / "store.parquet").read_bytes() == b"kept"
    assert sorted(it.name for it in tmp_path.iterdir()) == [
        "manifest.json",
        "report.html",
        "store.parquet",
        "tables",
    ]
