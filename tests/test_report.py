"""Reports: what they say is what was measured, for every reader, offline."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import vl_convert

import windtunnel
from conftest import SCENARIO
from windtunnel._core import Scenario
from windtunnel.folders import REPRODUCTION
from windtunnel.measures import totals
from windtunnel.pictures import files, series
from windtunnel.pictures.bars import BARS
from windtunnel.pictures.cases import Comparison, narrowed, panels, ranked
from windtunnel.pictures.colours import DARK, LIGHT, SCREEN, Ink, registered, shape
from windtunnel.pictures.over_time import OVER_TIME
from windtunnel.pictures.series import MOST_POINTS, over_runs
from windtunnel.report import draw, of_reproduction, of_results, tables, write_report
from windtunnel.results import Results, ResultsError
from windtunnel.running import run_scenario

NASTY = "<script>alert(1)</script> & \"'{{ 7 * 7 }}"


class Page(HTMLParser):
    """What a browser reads of a page."""

    def __init__(self, file: Path) -> None:
        """Read a file."""
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.source = file.read_text(encoding="utf-8")
        self.feed(self.source)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.elements.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Keep a text with its element."""
        self.texts.setdefault(self.open[-1] if self.open else "", []).append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Give the attributes of all elements of a kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def read(self) -> str:
        """What a reader sees."""
        hidden = ("script", "style")
        return " ".join(
            text for tag, texts in self.texts.items() if tag not in hidden for text in texts
        )

    def specifications(self) -> list[dict[str, Any]]:
        """Give what is drawn; no number in it is none to a browser."""

        def refuse(number: str) -> None:
            raise AssertionError(f"{number} is no JSON")

        found = re.findall(r'<script type="application/json">(.*?)</script>', self.source, re.S)
        return [json.loads(text, parse_constant=refuse) for text in found]


def replaced(results: Results, **changed: pl.DataFrame) -> Results:
    """Give results other tables."""
    return replace(results, tables={**results.tables, **changed})


def copies(table: pl.DataFrame, count: int) -> pl.DataFrame:
    """Give a table of one flow as many flows, all alike."""
    names = pl.DataFrame({"flow": [f"flow-{index}" for index in range(count)]})
    return table.drop("flow").join(names, how="cross").select(table.columns)


@pytest.fixture(scope="module")
def results() -> Results:
    """Run two controllers twice."""
    return run_scenario(Scenario("small", SCENARIO))


@pytest.fixture(scope="module")
def folder(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep their results, with a report and its pictures as files."""
    folder = results.save(tmp_path_factory.mktemp("report") / "small")
    write_report(folder, figures=True)
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> Page:
    """Read the report."""
    return Page(folder / "report.html")


# What the page says.


def test_the_summary_gives_the_mean_over_the_runs(results: Results) -> None:
    table = tables.summary(Comparison(results))
    goodput = next(column for column in table.columns if column.title == "goodput (Mbps)")
    means = results["flows"].group_by("controller", maintain_order=True).agg(pl.mean("goodput_bps"))
    for cell, mean in zip(goodput.cells, means["goodput_bps"], strict=True):
        shown, half = cell.text.split(" ± ")
        # As many digits as the interval has.
        assert float(shown) == pytest.approx(mean / 1e6, abs=0.5 / 10 ** len(half.split(".")[1]))


def test_spreads_are_the_interval_of_the_mean_and_the_least_and_greatest_run(
    results: Results,
) -> None:
    # In a run of 1 s.
    flows = results["flows"].with_columns(received_bytes=(pl.col("run") + 1) * 1e6 / 8)
    table = tables.summary(Comparison(replaced(results, flows=flows)))
    goodput = next(column for column in table.columns if column.title == "goodput (Mbps)")
    # Two runs: 12.706, the quantile of Student's t, times a standard error of half a Mbps.
    shown = {(cell.text, cell.detail) for cell in goodput.cells}
    assert shown == {("1.5 ± 6.4", "1.0 to 2.0")}


def test_fairness_is_one_for_equal_flows_and_one_nth_for_a_single_winner(results: Results) -> None:
    for goodputs, index in (([3e6] * 4, 1.0), ([3e6, 0.0, 0.0, 0.0], 0.25)):
        received = {f"flow-{i}": it / 8 for i, it in enumerate(goodputs)}
        flows = copies(results["flows"], 4).with_columns(
            # In the second for which the flow is active.
            received_bytes=pl.col("flow").replace_strict(received),
            active_s=pl.lit(1.0),
        )
        measured = totals.of_flows(Comparison(replaced(results, flows=flows)), ["case"])
        assert measured["fairness"].to_list() == pytest.approx([index] * 4)


def test_the_page_holds_tables_scenario_and_what_was_run(page: Page, results: Results) -> None:
    assert results.scenario in page.read
    for told in ("Two controllers over one link", "2 cases, 4 runs in total", "cubic", "aimd"):
        assert told in page.read
    headings = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(headings))


def test_what_is_missing_is_said(results: Results, tmp_path: Path) -> None:
    manifest = {**results.manifest, "unfinished": 3, "faults": ["run 7: lost"], "interrupted": True}
    said = of_results.warnings(replace(results, manifest=manifest))
    assert any("3 runs" in it for it in said) and any("run 7: lost" in it for it in said)
    assert of_results.warnings(results) == []


def test_without_a_finished_run_there_is_a_page_that_says_so(
    results: Results, tmp_path: Path
) -> None:
    nothing = replace(results, tables={}, manifest={**results.manifest, "finished": 0})
    page = Page(write_report(nothing.save(tmp_path / "nothing")))
    assert "No run finished" in page.read and results.scenario in page.read
    assert not page.all("figure")


def test_what_people_wrote_is_never_markup(results: Results, tmp_path: Path) -> None:
    named = {name: it.rename({"controller": NASTY}) for name, it in results.tables.items()}
    cases = pl.col(NASTY).replace({"cubic": f"cubic {NASTY}"})
    named = {name: table.with_columns(cases) for name, table in named.items()}
    manifest = {**results.manifest, "title": NASTY, "faults": [NASTY]}
    nasty = Results([NASTY], named, f"# {NASTY}", manifest)
    page = Page(write_report(nasty.save(tmp_path / "nasty")))
    assert "".join(page.texts["h1"]).strip() == NASTY
    assert f"A run failed: {NASTY}" in page.read and f"# {NASTY}" in page.read
    # Vega and the page's own; everything else is data.
    assert len([it for it in page.all("script") if it.get("type") != "application/json"]) == 4


# How it opens.


def test_the_page_asks_for_nothing_from_anywhere(page: Page) -> None:
    for tag, attributes in page.elements:
        for name in ("src", "srcset", "data", "poster", "action", "background"):
            assert "//" not in (attributes.get(name) or ""), tag
        if tag != "a":
            assert "href" not in attributes
    assert not page.all("link") and not page.all("iframe")
    style = "".join(page.texts["style"])
    assert "@import" not in style and "url(" not in style
    policy = next(it["content"] for it in page.all("meta") if "http-equiv" in it)
    # What a browser would not fetch even if it were asked to.
    assert policy is not None and policy.startswith("default-src 'none'")
    assert "http" not in policy and "*" not in policy


def test_every_picture_can_be_read_aloud_and_has_its_files(page: Page, folder: Path) -> None:
    assert page.all("html")[0]["lang"] == "en"
    drawings = [it for it in page.all("div") if it.get("role") == "img"]
    pictures = [it for it in page.all("figure") if it["class"] == "picture"]
    assert len(drawings) == len(pictures) > len(OVER_TIME)
    assert all(it["aria-label"] for it in drawings)
    files = [it["href"] for it in page.all("a") if "download" in it]
    chosen = [it for it in page.all("figure") if re.match("(flow|link)-", str(it["id"]))]
    assert len(files) == 2 * (len(drawings) - len(chosen))
    for file in files:
        start = (folder / str(file)).read_bytes()[:5]
        assert start == (b"%PDF-" if str(file).endswith("pdf") else b"<svg ")


def test_pictures_are_as_wide_as_their_place_and_can_be_zoomed(page: Page) -> None:
    over_time = [it for it in page.specifications() if '"time_s' in json.dumps(it)]
    assert len(over_time) >= 4
    for specification in page.specifications():
        assert specification["width"] == "container"
        vl_convert.vegalite_to_vega(specification)
    for specification in over_time:
        zooms = [it for it in specification["params"] if it.get("bind") == "scales"]
        assert zooms


# Colours.

PROTANOPIA = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)
DEUTERANOPIA = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.011820, 0.042940, 0.968881),
)
TRITANOPIA = (
    (1.255528, -0.076749, -0.178779),
    (-0.078411, 0.930809, 0.147602),
    (0.004733, 0.691367, 0.303900),
)
SIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
XYZ = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE = (0.95047, 1.0, 1.08883)
Vector = tuple[float, ...]


def linear(colour: str) -> Vector:
    """Give the linear light of an sRGB colour (IEC 61966-2-1)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return tuple(it / 12.92 if it <= 0.04045 else ((it + 0.055) / 1.055) ** 2.4 for it in parts)


def times(matrix: tuple[Vector, ...], vector: Vector) -> Vector:
    """Multiply."""
    return tuple(sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix)


def lab(light: Vector) -> Vector:
    """Give CIE L*a*b* of linear light."""
    ratios = [it / white for it, white in zip(times(XYZ, light), WHITE, strict=True)]
    x, y, z = (it ** (1 / 3) if it > 216 / 24389 else (24389 / 27 * it + 16) / 116 for it in ratios)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("ink", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("sight", [SIGHT, PROTANOPIA, DEUTERANOPIA, TRITANOPIA])
def test_hues_stay_apart_for_every_kind_of_sight(ink: Ink, sight: tuple[Vector, ...]) -> None:
    # As Machado, Oliveira and Fernandes (2009) model complete colour blindness.
    seen = [times(sight, linear(hue)) for hue in ink.hues]
    places = [lab(tuple(min(max(it, 0.0), 1.0) for it in light)) for light in seen]
    assert min(math.dist(a, b) for a, b in itertools.combinations(places, 2)) >= 20


@pytest.mark.parametrize("ink", [LIGHT, DARK], ids=["light", "dark"])
def test_everything_has_contrast_to_its_background(ink: Ink) -> None:
    def contrast(a: str, b: str) -> float:
        """Web Content Accessibility Guidelines 2.2, contrast ratio."""
        dark, bright = sorted(times(XYZ, linear(it))[1] + 0.05 for it in (a, b))
        return bright / dark

    assert all(contrast(hue, ink.background) >= 3 for hue in ink.hues)
    for background in (ink.background, ink.raised):
        assert contrast(ink.text, background) >= 7
        assert contrast(ink.soft, background) >= 4.5


def test_every_controller_has_its_own_colour_and_shape() -> None:
    looks = {(LIGHT.hue(name), DARK.hue(name), shape(name)) for name in registered()}
    assert len(looks) == len(registered())


def ranges(specification: Any, channel: str) -> list[dict[str, Any]]:
    """Find what each line gets on a channel, in every layer of a specification."""
    if isinstance(specification, dict):
        found = [
            dict(zip(it["scale"]["domain"], map(json.dumps, it["scale"]["range"]), strict=True))
            for name, it in specification.items()
            if name == channel and isinstance(it, dict) and "range" in it.get("scale", {})
        ]
        return found + [it for value in specification.values() for it in ranges(value, channel)]
    if isinstance(specification, list):
        return [it for value in specification for it in ranges(value, channel)]
    return []


def test_a_controller_has_the_same_colour_in_every_picture(results: Results) -> None:
    comparison = Comparison(results)
    drawn = [picture for kind in (OVER_TIME | BARS).values() for picture in kind(comparison)]
    lines = {line.name: line for line in comparison.by_group()}
    assert len(drawn) > len(OVER_TIME)
    for picture in drawn:
        for ink in (LIGHT, SCREEN):
            colours = ranges(picture.chart(ink).to_dict(), "color")
            assert colours
            for colour in colours:
                assert colour == {it: json.dumps(lines[it].colour(ink)) for it in colour}


@pytest.mark.parametrize(
    ("controllers", "readings"), [(1, 1), (4, 1), (2, 4), (1, 9), (5, 7), (9, 2)]
)
def test_no_two_lines_of_a_picture_differ_in_colour_alone(controllers: int, readings: int) -> None:
    names = [*registered()][:controllers]
    cases = list(itertools.product(names, map(str, range(readings))))
    lines = ranked((case, parts, parts[0]) for case, parts in enumerate(cases))
    divided = panels(lines)
    assert sorted(line.case for panel in divided for line in panel.lines) == list(range(len(cases)))
    for panel in divided:
        looks = {(line.shape, line.dash) for line in panel.lines}
        assert len(looks) == len(panel.lines)
        # Title and label together still say what the line is.
        said = [{*panel.title.split(" · "), *line.parts} for line in panel.lines]
        assert all({*cases[line.case]} <= it for line, it in zip(panel.lines, said, strict=True))


# Lines.


def samples(count: int, runs: int) -> pl.DataFrame:
    """Make samples of a line that rises by one each second, higher by the run's number."""
    return pl.DataFrame(
        [("l0", time + 1.0, float(time + run)) for run in range(runs) for time in range(count)],
        schema=["line", "time_s", "value"],
        orient="row",
    )


def test_lines_are_means_between_the_least_and_the_greatest_run() -> None:
    drawn = over_runs(samples(10, runs=3))
    assert drawn.interval_s is None
    assert drawn.frame["mean"].to_list() == [time + 1.0 for time in range(10)]
    assert drawn.frame["low"].to_list() == [float(time) for time in range(10)]
    assert drawn.frame["high"].to_list() == [time + 2.0 for time in range(10)]


def test_thinning_out_keeps_extremes_and_the_mean() -> None:
    whole = samples(10 * MOST_POINTS, runs=1)
    drawn = over_runs(whole)
    assert drawn.frame.height == MOST_POINTS
    assert drawn.frame["low"].min() == whole["value"].min()
    assert drawn.frame["high"].max() == whole["value"].max()
    assert drawn.frame["mean"].mean() == pytest.approx(whole["value"].mean(), rel=1e-3)


def test_a_gap_in_the_samples_is_a_gap_in_the_line() -> None:
    holed = samples(5, runs=1).with_columns(
        value=pl.when(pl.col("time_s") == 3).then(float("nan")).otherwise("value")
    )
    assert over_runs(holed).frame["mean"].to_list() == [0.0, 1.0, None, 3.0, 4.0]


def test_goodputs_of_flows_add_up_and_their_windows_do_not(results: Results) -> None:
    several = replaced(
        results,
        flows=copies(results["flows"], 3),
        flow_series=copies(results["flow_series"], 3),
    )
    one, three = Comparison(results, by_controller=True), Comparison(several, by_controller=True)
    lines = one.by_group()
    for column, total, factor in (("goodput_bps", True, 3), ("cwnd_segments", False, 1)):
        single = series.of_flows(one, column, lines, total).frame
        together = series.of_flows(three, column, lines, total).frame
        assert together["mean"].to_list() == pytest.approx((single["mean"] * factor).to_list())


# Sizes and mistakes.


def test_a_thousand_flows_make_no_larger_page_than_a_few(results: Results, tmp_path: Path) -> None:
    many = replaced(
        results,
        flows=copies(results["flows"], 1000),
        flow_series=copies(results["flow_series"], 1000),
    )
    page = write_report(many.save(tmp_path / "many"))
    assert page.stat().st_size < 3e6
    assert "of 2000 rows" in page.read_text(encoding="utf-8")


def test_values_that_are_missing_or_no_numbers_are_drawn_as_nothing(
    results: Results, tmp_path: Path
) -> None:
    broken = replaced(
        results,
        flows=results["flows"].with_columns(
            delay_s=pl.lit(None, pl.Float64), goodput_bps=pl.lit(float("nan"))
        ),
        flow_series=results["flow_series"].with_columns(
            delay_s=pl.lit(None, pl.Float64), goodput_bps=pl.lit(float("nan"))
        ),
    )
    page = Page(write_report(broken.save(tmp_path / "broken")))
    assert page.specifications()
    assert "nan" not in page.read.lower().split()


def test_a_report_that_cannot_be_written_leaves_the_one_before(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = results.save(tmp_path / "kept")
    write_report(folder, figures=True)
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    def full(*_: object) -> bytes:
        raise OSError("no space left on device")

    monkeypatch.setattr(files, "encoded", full)
    with pytest.raises(OSError, match="no space left"):
        write_report(folder, figures=True)
    assert {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()} == before


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="not a folder of results"):
        write_report(tmp_path)
    (tmp_path / REPRODUCTION).write_text("[]", encoding="utf-8")
    with pytest.raises(ResultsError, match="not a reproduction"):
        write_report(tmp_path)


@pytest.mark.parametrize("table", ["flows", "runs", "link_series", "nodes"])
def test_a_missing_table_is_named(results: Results, tmp_path: Path, table: str) -> None:
    folder = results.save(tmp_path / "kept")
    (folder / f"{table}.parquet").unlink()
    with pytest.raises(ResultsError, match=rf"kept: {table}\.parquet is missing; run the scenario"):
        write_report(folder)


@pytest.mark.parametrize("suffix", [".svg", ".pdf", ".png"])
def test_one_picture_can_be_drawn_into_a_file(
    results: Results, tmp_path: Path, suffix: str
) -> None:
    start = draw(results, "goodput", tmp_path / f"picture{suffix}").read_bytes()[:5]
    assert start == {".svg": b"<svg ", ".pdf": b"%PDF-", ".png": b"\x89PNG\r"}[suffix]


def test_pictures_that_there_are_not_are_refused_with_those_there_are(
    results: Results, tmp_path: Path
) -> None:
    with pytest.raises(ResultsError, match="goodput, window"):
        draw(results, "godput", tmp_path / "picture.svg")
    with pytest.raises(ResultsError, match=r"\.svg, \.pdf, \.png"):
        draw(results, "goodput", tmp_path / "picture.gif")
    with pytest.raises(ResultsError, match="nothing to draw"):
        draw(replace(results, tables={}), "goodput", tmp_path / "picture.svg")
    with pytest.raises(ResultsError, match="known: controller"):
        narrowed(results, {"reading": "default"})


# Reproductions.


@pytest.fixture(scope="module")
def reproduction(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep a paper's reproduction with a report: two readings, one experiment that ran."""
    folder = tmp_path_factory.mktemp("reproduction")
    # The paper calls a controller by a name of its own.
    named = {
        name: it.with_columns(pl.col("controller").replace({"aimd": "sack"}))
        for name, it in results.tables.items()
    }
    replace(results, tables=named).save(folder / "scenario-1")
    values = {"cubic": (9.5, 9.1, "matches"), "sack": (50.0, 8.0, "impossible")}
    items = [
        item(f"table-1/scenario-1/{name}/throughput", reading, *value)
        for reading in ("default", "other")
        for name, value in values.items()
    ]
    claim = item("claims/scenario-1/best", "default", 0, 0, "not confirmed")
    said = "CUBIC has more throughput <i>than SACK"
    columns = [column(name, *value[:2]) for name, value in values.items()]
    claim |= {"kind": "claim", "published": None, "measured": None, "note": f"{said}; cubic"}
    items.append({**claim, "question": "Is CUBIC better?", "columns": columns})
    rank = item("rankings/table-1/scenario-1/throughput", "default", 0, 0, "tied")
    items.append({**rank, "kind": "ranking", "published": None, "measured": None})
    document = {
        "paper": "small",
        "title": "A small paper",
        "reference": "Nobody: A small paper",
        "windtunnel": windtunnel.__version__,
        "runs": 2,
        "seed": 1,
        "missing": ["scenario-2: none of 4 runs was started"],
        "changed": ["flows.one.start = 1 s"],
        "experiments": {"scenario-1": "One link", "scenario-2": "Two links"},
        "items": items,
        "summary": {
            "answers": [
                {
                    "question": "Is CUBIC better?",
                    "where": "scenario-1",
                    "answer": "undecided",
                    "yes_in": "0 of 2",
                    "paper": "+20 %",
                    "here": "-3 ± 5 %",
                    "verdict": "not confirmed",
                }
            ],
            "sentences": ["Best of 2 readings: 1 with `other`.", "Cannot be known: <b>all."],
        },
        "figures": [figure("figure-1", "scenario-1"), figure("figure-2", "scenario-2")],
        "page": "# A small paper\n\n<script>alert(1)</script> ![picture](http://example.org/a.png)\n",
    }
    (folder / REPRODUCTION).write_text(json.dumps(document), encoding="utf-8")
    write_report(folder)
    return folder


def item(id: str, reading: str, published: float, mean: float, verdict: str) -> dict[str, Any]:
    """Make an item as a reproduction has it."""
    spread = {"mean": mean, "low": mean - 1, "high": mean + 1, "runs": 2, "unit": "Mbps"}
    spread["interval"] = [mean - 2, mean + 2]
    stated = {"value": published, "unit": "Mbps"}
    return {
        "id": id,
        "kind": "number",
        "reading": reading,
        "definition": "",
        "unit": "Mbps",
        "published": stated,
        "measured": spread,
        "verdict": verdict,
        "note": "as it is",
        "question": "",
        "answer": "undecided",
        "measure": "throughput",
        "columns": [],
    }


def column(name: str, published: float, mean: float) -> dict[str, Any]:
    """Make a column of a claim as a reproduction has it."""
    measured = item("", "default", published, mean, "")["measured"]
    return {"name": name, "published": published, "measured": measured}


def figure(id: str, experiment: str) -> dict[str, Any]:
    """Make a figure as a reproduction has it."""
    return {
        "id": id,
        "title": "Throughput",
        "caption": "Goodput over time.",
        "kind": "goodput",
        "experiment": experiment,
        "where": {},
        "series": "controller",
        "files": [],
    }


def test_a_reproduction_shows_every_number_with_its_verdict(reproduction: Path) -> None:
    page = Page(reproduction / "report.html")
    for told in ("9.5", "9.100", "8.100 to 10.10", "✓ matches", "50", "⊘ impossible", "= tied"):
        assert told in page.read, told
    for told in (
        "Is CUBIC better?",
        "undecided",
        "-3 ± 5 %",
        "Best of 2 readings: 1 with",
        "<b>all.",
        "Scenario 1: undecided",
        "changed: flows.one.start = 1 s",
    ):
        assert told in page.read, told
    assert "The paper: CUBIC has more throughput <i>than SACK." in page.read
    assert "scenario-2: none of 4 runs was started" in page.read
    assert "The experiment was not run." in page.read
    headings = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert headings.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(headings))


def test_a_paper_page_is_text_and_loads_nothing(reproduction: Path) -> None:
    page = Page(reproduction / "report.html")
    assert "<script>alert(1)</script>" in page.read
    asked = [tag for tag, it in page.elements if "example.org" in str(it)]
    # A link is followed only by who wants to.
    assert set(asked) <= {"a"}


def test_a_reproduction_names_the_files_of_its_figures(reproduction: Path) -> None:
    document = json.loads((reproduction / REPRODUCTION).read_text(encoding="utf-8"))
    drawn, missing = (figure["files"] for figure in document["figures"])
    assert drawn == ["figures/figure-1.svg", "figures/figure-1.pdf"] and missing == []
    assert all((reproduction / file).is_file() for file in drawn)


def test_each_experiment_has_its_own_report(reproduction: Path) -> None:
    page = Page(reproduction / "report.html")
    links = [str(it["href"]) for it in page.all("a") if "download" not in it]
    assert [it for it in links if "://" not in it] == ["scenario-1/report.html"]
    experiment = Page(reproduction / "scenario-1" / "report.html")
    assert experiment.all("a")[0]["href"] == "../report.html"


def test_what_a_paper_says_is_not_cut_within_brackets() -> None:
    said = "CUBIC is the best (conclusion; read as power)"
    assert of_reproduction.statement(f"{said}; cubic over reno") == said
    assert of_reproduction.statement(said) == said
    assert of_reproduction.statement("half (an open bracket; and more") == "half (an open bracket"


def test_a_controller_keeps_its_colour_under_the_name_that_a_paper_gives_it(
    reproduction: Path,
) -> None:
    page = Page(reproduction / "report.html")
    bars = next(it for it in page.specifications() if "published" in json.dumps(it))
    # What a row says is the bar's value, and behind a diamond the paper's.
    assert all(it in json.dumps(bars, ensure_ascii=False) for it in ("9.1   ◆ 9.5", "◆ 50"))
    (colours,) = ranges(bars, "color")
    assert list(colours.values()) == [json.dumps(SCREEN.hue(it)) for it in ("cubic", "aimd")]
