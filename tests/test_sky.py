"""Satellites: tables, the world map of reports, and what users see of them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import vl_convert

import windtunnel
from windtunnel import _core
from windtunnel.pictures import handovers
from windtunnel.pictures.colours import SCREEN
from windtunnel.pictures.handovers import stays
from windtunnel.pictures.routes import great_circle_km
from windtunnel.report import write_report
from windtunnel.report.sky import coast

STARLINK = Path("scenarios/starlink.toml")
ELEMENTS = Path("scenarios/starlink-elements.toml")
CHROMIUM = shutil.which("chromium")

NAMED_DATA = """
[producers.video]
node = "new-york"
prefix = "/video"

[consumers.viewer]
node = "london"
prefix = "/video"
controller = "cubic"
"""

WIRED_HOST = """
[nodes.host]

[links.wire]
nodes = ["host", "london"]
rate = "1 Gbps"
delay = "1 ms"
"""

PROBE = """<script>
addEventListener("load", () => setTimeout(() => {
  const figure = document.querySelector("figure.sky");
  const seen = () => figure.querySelector("output").textContent
    + "|" + figure.querySelector("li").textContent
    + "|" + figure.querySelector("canvas").toDataURL().length;
  const before = seen();
  const slider = figure.querySelector("input");
  slider.value = slider.max;
  slider.dispatchEvent(new Event("input"));
  const asked = performance.getEntriesByType("resource").map((it) => it.name);
  const bars = document.querySelectorAll("#handovers .mark-rect path").length;
  const drawn = [...document.querySelectorAll("[id^=path-changes] svg")]
    .map((it) => it.closest("figure").id);
  document.title = JSON.stringify([before, seen(), asked, bars, drawn]);
}, 1000));
</script>"""
"""Moves the slider to its end; keeps what was shown before and after, what was asked for, how many
bars of handovers there are, and which pictures around changes of paths."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the results of half a minute of Starlink, with their report."""
    folder = tmp_path_factory.mktemp("starlink")
    windtunnel.run(STARLINK, settings={"duration": "30 s"}, progress=False).save(folder)
    write_report(folder)
    return folder


def document(page: str) -> Any:
    """Give what a page's map draws."""
    found = re.search(r'<figure class="sky">.*?json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_path_of_each_flow_is_a_chain_of_its_nodes(folder: Path) -> None:
    routes = pl.read_parquet(folder / "route_series.parquet")
    assert routes["flow"].value_counts()["count"].to_list() == [300, 300]
    for flow, path, links in routes.select("flow", "path", "links").drop_nulls().rows():
        nodes = path.split(" > ")
        assert len(nodes) == links + 1
        ends = {"atlantic": ("london", "new-york"), "equator": ("rio", "petersburg")}[flow]
        assert (nodes[0], nodes[-1]) == ends
        assert all(re.fullmatch(r"starlink-\d+-\d+", it) for it in nodes[1:-1])


def test_contacts_are_within_the_run_and_of_all_stations(folder: Path) -> None:
    contacts = pl.read_parquet(folder / "contacts.parquet")
    assert set(contacts["node"]) == {"london", "new-york", "rio", "petersburg"}
    assert (contacts["start_s"] < contacts["end_s"]).all()
    assert contacts["start_s"].min() == 0
    assert contacts["end_s"].max() == 30


def test_positions_are_on_their_orbits_and_places_where_they_were_put() -> None:
    scenario = _core.Scenario(str(STARLINK), STARLINK.read_text(encoding="utf-8"))
    positions = pl.DataFrame(scenario.positions(0, [0.0, 100.0]))
    assert positions.height == 2 * (4 + 1584)
    satellites = positions.filter(kind="satellite")
    # Above the ellipsoid they are higher over the poles; the shell ends at 53 degrees.
    assert satellites["height_m"].is_between(549e3, 565e3).all()
    assert satellites["latitude_degrees"].abs().max() == pytest.approx(53.2, abs=0.1)
    london = positions.filter(node="london")
    assert london["latitude_degrees"].to_list() == pytest.approx([51.50853] * 2)
    with pytest.raises(IndexError):
        scenario.positions(1, [0.0])


def test_floors_are_great_circles() -> None:
    london, new_york = (51.5074, -0.1278), (40.7128, -74.0060)
    assert great_circle_km(london, new_york) == pytest.approx(5570.2, abs=0.1)
    assert 2 * great_circle_km(london, new_york) / 299.792458 == pytest.approx(37.16, abs=0.01)


def test_coast_lines_are_on_the_map_and_do_not_cross_it() -> None:
    lines = coast()
    assert len(lines) > 100
    for line in lines:
        assert all(
            -180 <= longitude <= 180 and -90 <= latitude <= 90 for longitude, latitude in line
        )
        assert all(abs(a[0] - b[0]) < 30 for a, b in pairwise(line))


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_the_slider_moves_the_sky_and_the_page_asks_nobody(folder: Path, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    page = (folder / "report.html").read_text(encoding="utf-8")
    probe = tmp_path / "probe.html"
    start, body, end = page.rpartition("</body>")
    probe.write_text(start + PROBE + body + end, encoding="utf-8")
    done = subprocess.run(
        [
            CHROMIUM,
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-component-update"),
            *("--disable-background-networking", "--enable-logging=stderr", "--v=0"),
            *("--virtual-time-budget=10000", "--window-size=1200,900"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"),
            probe.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None
    before, after, asked, bars, drawn = json.loads(title[1].replace("&quot;", '"'))
    first, last = before.split("|"), after.split("|")
    assert (first[0], last[0]) == ("0.0 s", "30.0 s")
    assert re.fullmatch(r"atlantic: \d+ links, [\d.]+ ms", last[1])
    assert first[1:] != last[1:], "what is drawn changes"
    assert "CONSOLE" not in done.stderr
    assert asked == []
    routes = pl.read_parquet(folder / "route_series.parquet")
    used = stays(routes, pl.read_parquet(folder / "contacts.parquet"))
    assert bars == used.height > 4
    assert {"path-changes-goodput-upward", "path-changes-goodput-downward"} <= set(drawn)


def test_satellites_of_element_sets_are_where_they_were_and_carry_data(tmp_path: Path) -> None:
    windtunnel.run(ELEMENTS, settings={"duration": "3 s"}, progress=False).save(tmp_path)
    flows = pl.read_parquet(tmp_path / "flows.parquet")
    assert (flows["goodput_bps"] > 1e6).all()
    # What is stored with the results is all that the report needs.
    sky = document(write_report(tmp_path).read_text(encoding="utf-8"))
    assert len(sky["names"]) == 4 + 1459
    latitudes = [it / 10 for it in sky["frames"][0][9::2]]
    # Inclinations are 53 degrees, and latitudes are those of the ellipsoid.
    assert 53 < max(latitudes) < 53.4 and -53.4 < min(latitudes) < -53


def test_a_host_without_a_place_is_on_the_path_and_not_on_the_map(tmp_path: Path) -> None:
    text = STARLINK.read_text(encoding="utf-8").replace('from = "london"', 'from = "host"')
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(text + WIRED_HOST, encoding="utf-8")
    results = tmp_path / "results"
    windtunnel.run(scenario, settings={"duration": "1 s"}, progress=False).save(results)
    sky = document(write_report(results).read_text(encoding="utf-8"))
    path = next(it for it in sky["paths"] if it["flow"] == "atlantic")
    assert [sky["names"][path["nodes"][0][end]] for end in (0, -1)] == ["london", "new-york"]
    # A link to London, and one less than there are nodes from there on.
    assert path["links"][0] == 1 + len(path["nodes"][0]) - 1


def test_the_map_needs_no_flow_over_ip(tmp_path: Path) -> None:
    text = STARLINK.read_text(encoding="utf-8").partition("[flows.")[0] + NAMED_DATA
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(text, encoding="utf-8")
    results = tmp_path / "results"
    windtunnel.run(scenario, settings={"duration": "1 s"}, progress=False).save(results)
    page = write_report(results).read_text(encoding="utf-8")
    assert '<figure class="sky">' in page
    assert 'id="handovers"' not in page


@pytest.mark.parametrize(("width", "shown"), [(1000, ["starlink-1-1", "starlink-2-2"]), (120, [])])
def test_a_satellite_is_named_where_its_bar_is_as_wide_as_its_name(
    width: int, shown: list[str]
) -> None:
    names, starts = ["starlink-1-1", "starlink-2-2", "starlink-3-3"], [0.0, 48.0, 96.0]
    columns = {"satellite": names, "number": [0, 1, 2], "start_s": starts}
    used = pl.DataFrame({**columns, "end_s": [*starts[1:], 100.0], "row": ["rio (2)"] * 3})
    specification = handovers.chart(used, SCREEN).to_dict() | {"width": width}
    svg = vl_convert.vegalite_to_svg(specification)
    texts = re.findall(r"<text([^>]*)>(starlink[^<]*)</text>", svg)
    assert [name for style, name in texts if 'opacity="0"' not in style] == shown
