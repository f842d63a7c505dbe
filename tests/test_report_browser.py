"""Pages as a browser shows them: without errors or requests, on wide and narrow screens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import windtunnel
from browser import Browser, needs_chromium, running
from test_report_groups import SCENARIO
from windtunnel.report import of_study, write_report

pytestmark = needs_chromium

STUDY = """\
title = "Rates"
scenario = "mixed.toml"
seeds = 2

[vary.rate]
path = "links.near.rate"
values = ["10 Mbps", "20 Mbps"]

[vary.controller]
path = "flows.bulk-1.controller"
values = ["cubic", "reno"]
"""

WIDTHS = (1400, 400)

OVERFLOWS = """
[...document.querySelectorAll("body *")]
  .filter((it) => !it.closest(".scroll, pre, caption, svg, .drawing") && it.checkVisibility())
  .filter((it) => it.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((it) => `${it.tagName} ${it.className} in ${it.closest("[id]")?.id}`)
"""
"""What is wider than the window, except for what can be scrolled itself."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Start a browser for all tests."""
    with running(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the pages of a run, of a comparison and of a study."""
    folder = tmp_path_factory.mktemp("pages")
    file = folder / "mixed.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    compared = SCENARIO + "\n[compare.rate]\nslow = {}\nfast = { 'links.near.rate' = '50 Mbps' }\n"
    (folder / "compared.toml").write_text(compared, encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    one = windtunnel.run(file, progress=False)
    two = windtunnel.run(folder / "compared.toml", progress=False)
    many = windtunnel.study(folder / "study.toml", store=folder / "store", progress=False)
    (folder / "study").mkdir()
    return {
        "run": write_report(one.save(folder / "run")),
        "comparison": write_report(two.save(folder / "comparison")),
        "study": of_study.write(folder / "study", many),
    }


@pytest.fixture
def opened(browser: Browser, pages: dict[str, Path]) -> Browser:
    """Open the page of the run."""
    browser.open(pages["run"], 1400)
    return browser


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["run", "comparison", "study"])
def test_a_page_shows_everything_without_an_error_a_request_or_an_overflow(
    browser: Browser, pages: dict[str, Path], name: str, width: int
) -> None:
    browser.errors.clear()
    browser.requests.clear()
    browser.open(pages[name], width)
    browser.evaluate("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
    browser.drawn()
    assert browser.errors == []
    assert [it for it in browser.requests if it != pages[name].resolve().as_uri()] == []
    assert browser.evaluate(OVERFLOWS) == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    # Whoever opens the page sees no empty picture.
    empty = "[...document.querySelectorAll('figure.picture:not([hidden]) .drawing')]"
    assert browser.evaluate(f"{empty}.filter((it) => it.clientHeight < 20).length") == 0


def state(browser: Browser) -> Any:
    """Give what the drawing of the network shows."""
    return browser.evaluate(
        "[document.querySelector('.network output').textContent,"
        " [...document.querySelectorAll('.network .use')].map((it) => it.style.stroke).join()]"
    )


def test_the_slider_plays_the_run_by_keyboard(opened: Browser) -> None:
    before = state(opened)
    opened.evaluate("document.querySelector('.network input').focus()")
    opened.press("ArrowRight")
    once = state(opened)
    opened.press("End")
    assert before != once != state(opened)
    assert state(opened)[0] == "4 s"


def test_the_run_plays_by_itself_and_stops_at_its_end(opened: Browser) -> None:
    slider = "document.querySelector('.network input')"
    opened.evaluate(f"{slider}.value = Number({slider}.max) - 3")
    opened.click(".network .play")
    opened.wait(f"{slider}.value === {slider}.max")
    opened.wait("document.querySelector('.network .play').textContent === '▶'")


def test_a_link_is_coloured_by_its_use(opened: Browser) -> None:
    opened.evaluate("document.querySelector('.network input').value = 20")
    opened.evaluate("document.querySelector('.network input').dispatchEvent(new Event('input'))")
    titles = opened.evaluate(
        "[...document.querySelectorAll('.network g')].map((it) =>"
        " [it.getAttribute('aria-label'), it.querySelector('.use').style.stroke])"
    )
    assert len(titles) == 6
    assert len({colour for _, colour in titles}) > 1
    assert all("use" in title and "queue" in title for title, _ in titles)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_link_shows_its_pictures_by_keyboard(opened: Browser, key: str) -> None:
    link = "[...document.querySelectorAll('.network [role=button]')].at(-1)"
    name = opened.evaluate(f"{link}.getAttribute('aria-label').split(',')[0]")
    opened.evaluate(f"{link}.focus()")
    opened.press(key)
    opened.wait("document.querySelector('#chosen-link').closest('details').open")
    opened.drawn()
    chosen = "document.querySelector('#chosen-link select').selectedOptions[0].text"
    assert opened.evaluate(chosen) == name


def test_a_click_on_a_flow_shows_its_pictures(opened: Browser) -> None:
    opened.click('.network [data-flow="4"]')
    opened.wait("document.querySelector('#chosen-flow').closest('details').open")
    opened.drawn()
    chosen = "document.querySelector('#chosen-flow select').selectedOptions[0].text"
    assert opened.evaluate(chosen) == "call"
    # A call has no window.
    assert opened.evaluate("document.querySelector('#flow-window').hidden")
    first = opened.evaluate("document.querySelector('#flow-goodput .drawing').innerHTML")
    opened.click('.network [data-flow="2"]')
    opened.drawn()
    opened.wait(
        f"document.querySelector('#flow-goodput .drawing').innerHTML.length !== {len(first)}"
    )
    assert not opened.evaluate("document.querySelector('#flow-window').hidden")


def test_another_flow_is_chosen_by_keyboard(opened: Browser) -> None:
    opened.evaluate("document.querySelector('#chosen-flow').closest('details').open = true")
    opened.drawn()
    picture = "document.querySelector('#flow-goodput .mark-line path').getAttribute('d')"
    before = opened.evaluate(picture)
    opened.evaluate("document.querySelector('#chosen-flow select').focus()")
    opened.press("ArrowDown")
    opened.drawn()
    opened.wait(f"{picture} !== {before!r}")


def test_the_legend_singles_a_line_out_by_keyboard(opened: Browser) -> None:
    button = "document.querySelector('#goodput [data-line]')"
    opened.evaluate(f"{button}.focus()")
    opened.press("Space")
    assert opened.evaluate(f"{button}.ariaPressed") == "true"
    opened.wait(
        "[...document.querySelectorAll('#goodput .mark-line path')]"
        ".some((it) => it.getAttribute('opacity') === '0.1')"
    )


def test_wide_tables_scroll_by_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["run"], 400)
    table = "document.querySelector('.scroll')"
    browser.evaluate(f"{table}.focus()")
    for _ in range(3):
        browser.press("ArrowRight")
    browser.wait(f"{table}.scrollLeft > 0")


def test_links_to_files_lead_to_them(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["study"], 1400)
    links = browser.evaluate("[...document.links].map((it) => it.getAttribute('href'))")
    assert links
    assert all((pages["study"].parent / link).is_file() for link in links)


def test_a_picture_is_saved_in_the_colours_of_the_page(opened: Browser) -> None:
    opened.evaluate(
        "URL.createObjectURL = (blob) => { blob.text().then((it) => { window.saved = it; });"
        " return '#'; }"
    )
    opened.click("#goodput .save button")
    opened.wait("Boolean(window.saved)")
    assert opened.evaluate("window.saved.startsWith('<svg') && !window.saved.includes('var(')")
