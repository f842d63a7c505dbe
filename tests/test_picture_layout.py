"""The layout of pictures: labels that are not cut, shared axes, sizes for a page or a column."""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import pytest
import vl_convert

from conftest import Command
from windtunnel import run
from windtunnel.pictures import bar_charts, charts, files, legends, spreads
from windtunnel.pictures.bars import BARS
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.colours import LIGHT
from windtunnel.pictures.files import document
from windtunnel.pictures.flows import each_flow
from windtunnel.pictures.over_time import OVER_TIME
from windtunnel.pictures.picture import Picture
from windtunnel.report import write_report
from windtunnel.results import Results, ResultsError

FAR = "very-far-away-on-the-other-side-of-the-ocean"

SCENARIO = f"""
title = "Three controllers, twice each, in four cases"
duration = "2 s"
runs = 2
recording.interval = "50 ms"
nodes = {{ a = {{}}, b = {{}} }}
links.wire = {{ nodes = ["a", "b"], rate = "20 Mbps", delay = "5 ms" }}
defaults.flow = {{ from = "a", to = "b", start_within = "200 ms" }}
flows.one = {{ controller = "cubic" }}
flows.two = {{ controller = "cubic" }}
flows.three = {{ controller = "bbr3" }}
flows.four = {{ controller = "bbr3" }}
flows.five = {{ controller = "reno" }}
flows.six = {{ controller = "reno" }}
[compare.queue]
drop-tail-of-200-packets = {{}}
codel = {{ "links.wire.queue" = {{ kind = "codel", limit = "200 packets" }} }}
[compare.distance]
near = {{}}
{FAR} = {{ "links.wire.delay" = "80 ms" }}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Run many flows in many cases."""
    file = tmp_path_factory.mktemp("scenario") / "many.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return run(file, progress=False)


@pytest.fixture(scope="module")
def comparison(results: Results) -> Comparison:
    """Count its cases."""
    return Comparison(results)


def texts(picture: Picture) -> list[str]:
    """Give what a picture says, as it is drawn."""
    drawn = re.findall(r"<t(?:ext|span)[^>]*>([^<]*)(?=<)", document(picture))
    return [html.unescape(it) for it in drawn if it.strip()]


def test_a_label_is_broken_and_never_cut(comparison: Comparison) -> None:
    pictures = [picture for kind in BARS.values() for picture in kind(comparison)]
    assert pictures
    for picture in pictures:
        said = "".join(texts(picture)).replace(" ", "")
        assert "…" not in said
        assert said.count(FAR) == 2, picture.name


def test_lines_of_a_label_fit_into_their_room_and_row() -> None:
    long = "a-label-of-many-words " * 6 + "x" * 70
    rows = bar_charts.of_lines([Line("l0", 0, (long,), None, 0)], LIGHT)
    (lines,) = rows.labels.values()
    assert "".join(lines).replace(" ", "") == long.replace(" ", "")
    assert max(map(len, lines)) <= LIGHT.sizes.label
    assert rows.height(LIGHT) >= len(lines) * LIGHT.sizes.font


def test_a_case_is_a_heading_over_its_flows(comparison: Comparison) -> None:
    rows = bar_charts.of_lines(comparison.by_group(), LIGHT)
    cases = [
        f"{queue}·{far}" for queue in ("drop-tail-of-200-packets", "codel") for far in ("near", FAR)
    ]
    assert [re.sub(r"\s", "", it) for it in rows.headings.values()] == cases
    flows = [it for name, it in rows.labels.items() if name not in rows.headings]
    assert flows == [[it] for it in ("one", "two", "three", "four", "five", "six")] * 4


def domains(specification: Any, channel: str) -> set[tuple[Any, ...]]:
    """Find the domains and types of all axes of a channel."""
    if isinstance(specification, dict):
        own = specification.get(channel)
        scale = (own.get("scale") if isinstance(own, dict) else None) or {}
        found = {(scale.get("type"), *scale["domain"])} if "domain" in scale else set()
        return found.union(*(domains(it, channel) for it in specification.values()))
    if isinstance(specification, list):
        return set().union(*(domains(it, channel) for it in specification))
    return set()


def test_pictures_of_one_quantity_have_the_same_axes(comparison: Comparison) -> None:
    kinds = {**OVER_TIME, "each-flow": each_flow, "delays": spreads.delays}
    several = 0
    for name, kind in kinds.items():
        pictures = kind(comparison)
        several += len(pictures) > 1
        for channel in ("x",) if name == "delays" else ("x", "y"):
            found = [domains(it.specification(LIGHT), channel) for it in pictures]
            assert all(it == found[0] and len(it) == 1 for it in found), (name, found)
    assert several >= 4


@pytest.mark.parametrize(("apart", "kind"), [(2.0, "linear"), (100.0, "log")])
def test_lines_far_apart_have_a_logarithmic_axis(apart: float, kind: str) -> None:
    rows = [(f"l{it}", time, apart**it) for it in range(2) for time in (1.0, 2.0)]
    frame = pl.DataFrame(rows, ["line", "time_s", "mean"], orient="row")
    frame = frame.with_columns(low=pl.col("mean"), high=pl.col("mean"))
    lines = [Line(f"l{it}", it, (str(it),), None, it) for it in range(2)]
    assert charts.axes(frame, lines).upright.to_dict().get("type", "linear") == kind
    # A logarithm of nothing does not exist.
    zero = frame.with_columns(low=pl.lit(0.0))
    assert "type" not in charts.axes(zero, lines).upright.to_dict()


WIDTH = "3.4in"


@pytest.fixture(scope="module")
def drawn(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write figures of a column's width in all formats."""
    folder = results.save(tmp_path_factory.mktemp("column") / "many")
    write_report(folder, figures=True, width=WIDTH, formats=("pdf", "svg", "png"))
    return folder / "figures"


def test_a_figure_is_as_wide_as_was_asked_for(drawn: Path) -> None:
    figures = {it.suffix: it for it in drawn.iterdir() if it.stem == "goodput-1"}
    assert set(figures) == {".pdf", ".svg", ".png"}
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ", figures[".pdf"].read_bytes())
    assert box and float(box[1]) == pytest.approx(3.4 * 72, abs=0.01)
    assert 'width="3.4in"' in figures[".svg"].read_text(encoding="utf-8")[:200]
    pixels = int.from_bytes(figures[".png"].read_bytes()[16:20], "big")
    assert abs(pixels - 3.4 * 300) <= 3


def test_text_has_eight_points_and_its_font_is_in_the_file(drawn: Path) -> None:
    for file in drawn.glob("*.svg"):
        svg = file.read_text(encoding="utf-8")
        sizes = {float(it) for it in re.findall(r'font-size="([\d.]+)px"', svg)}
        box = re.search(r'viewBox="0 0 ([\d.]+)', svg)
        assert box and sizes
        points = {it * 3.4 * 72 / float(box[1]) for it in sizes}
        assert all(it == pytest.approx(8, rel=0.02) for it in points), (file.name, points)
    assert all(b"/FontFile" in it.read_bytes() for it in drawn.glob("*.pdf"))


def test_lines_are_named_at_their_ends_where_there_is_room(
    comparison: Comparison, results: Results
) -> None:
    for name in ("goodput", "window"):
        for picture in OVER_TIME[name](comparison):
            said = texts(picture)
            assert sorted(it for it in said if it in comparison.flows) == sorted(comparison.flows)
            assert "M-15,0H15" not in document(picture)
    # Names over each other could not be read.
    places = legends.apart([0.0, 1.0, 2.0, 100.0], LIGHT)
    steps = [after - before for before, after in itertools.pairwise(places)]
    assert min(steps) >= LIGHT.sizes.font and places[-1] == 100.0
    assert max(legends.apart([LIGHT.sizes.height] * 5, LIGHT)) <= LIGHT.sizes.height


@pytest.mark.parametrize("kind", ["goodput", "bars", "delay", "each-flow", "queue"])
def test_a_plot_can_be_resized(results: Results, kind: str) -> None:
    tables = {
        name: it.filter(distance="near", queue="codel") for name, it in results.tables.items()
    }
    chart = replace(results, tables=tables).plot(kind)
    small = chart.properties(width=200, height=90, title="")
    large, less = (files.size(vl_convert.vegalite_to_svg(it.to_dict())) for it in (chart, small))
    assert large[0] > 560 and 200 < less[0] < large[0] and less[1] < large[1]


@pytest.mark.parametrize(
    ("width", "said"),
    [
        ("wide", "write one such as 3.4in or 86mm"),
        ("0.1in", "from 1in to 20in"),
        ("-3in", "not a valid width"),
        ("1e9in", "not a valid width"),
        ("99999999cm", "from 1in"),
    ],
)
def test_a_wrong_width_says_what_would_be_right(width: str, said: str) -> None:
    with pytest.raises(ResultsError, match=said):
        files.FigureFiles.of(width)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--width", "3in"], "add --figures"),
        (["--format", "pdf"], "add --figures"),
        (["--figures", "--width", "3 inches"], "write one such as 3.4in or 86mm"),
        (["--figures", "--format", "gif"], "known: svg, pdf, png"),
    ],
)
def test_the_command_says_what_would_be_right(
    windtunnel: Command, options: list[str], said: str
) -> None:
    refused = windtunnel("report", "results/first", *options)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert said in refused.stderr and "Traceback" not in refused.stderr


def test_lengths_are_those_of_printing() -> None:
    assert files.inches("2.54cm") == files.inches("25.4 mm") == pytest.approx(1)
    assert files.inches("244.8pt") == pytest.approx(files.inches("3.4in"))
    with pytest.raises(ResultsError, match="unknown format `gif`; known: svg, pdf, png"):
        files.FigureFiles.of(None, ["gif"])


@pytest.mark.parametrize("width", [250, 400, 500])
@pytest.mark.parametrize("greatest", [12.0, 110.0, 440.0, 1150.0, 4400.0, 1.3e6])
@pytest.mark.parametrize("kind", ["linear", "log"])
def test_labels_of_an_axis_do_not_touch(width: int, greatest: float, kind: Any) -> None:
    base = alt.Chart(pl.DataFrame({"x": [greatest / 300, greatest]})).mark_point()
    drawn = base.encode(x=alt.X("x:Q", scale=alt.Scale(type=kind)))
    ink = LIGHT
    svg = vl_convert.vegalite_to_svg(
        drawn.properties(width=width, height=60, config=charts.config(ink)).to_dict()
    )
    all_labels = re.findall(r'translate\(([\d.]+),[\d.]+\)"([^>]*)>([\d.,]+)</text>', svg)
    labels = [(x, text) for x, style, text in all_labels if 'opacity="0"' not in style]
    assert len(labels) > 1
    # Half as wide as a digit of Helvetica is a comma.
    digit = 0.556 * ink.sizes.font
    widths = [digit * (len(it) - it.count(",") / 2) for _, it in labels]
    places = [float(x) for x, _ in labels]
    ends = [(x - wide / 2, x + wide / 2) for x, wide in zip(places, widths, strict=True)]
    for (_, left), (right, _) in itertools.pairwise(sorted(ends)):
        assert right - left > ink.sizes.font / 4
