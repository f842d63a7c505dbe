"""The layout of pictures: labels that are not cut, shared axes, sizes for a page or a column."""

from __future__ import annotations

import html
import re
from typing import Any

import polars as pl
import pytest

import windtunnel
from windtunnel.pictures import bar_charts, charts, spreads
from windtunnel.pictures.bars import BARS
from windtunnel.pictures.cases import Comparison, Line
from windtunnel.pictures.colours import LIGHT
from windtunnel.pictures.flows import each_flow
from windtunnel.pictures.over_time import OVER_TIME
from windtunnel.pictures.picture import Picture, document
from windtunnel.results import Results

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
    return windtunnel.run(file, progress=False)


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
