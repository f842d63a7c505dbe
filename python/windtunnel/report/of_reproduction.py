"""The report of a paper's reproduction: what it published beside what was measured."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from markdown_it import MarkdownIt

from windtunnel.folders import REPRODUCTION, VERSION_KEY
from windtunnel.papers.agreement import AT_BOUND, NEAR, TIE, TOLERANCE
from windtunnel.papers.errors import UnknownPaper
from windtunnel.papers.items import CLAIMS
from windtunnel.papers.paper import find_paper
from windtunnel.papers.readings import DEFAULT
from windtunnel.papers.summary import TITLES
from windtunnel.pictures import bar_charts
from windtunnel.pictures.cases import CONTROLLER, narrowed, ranked
from windtunnel.pictures.colours import registered
from windtunnel.pictures.files import FigureFiles
from windtunnel.pictures.kinds import OF_PAPERS, Kinds, of_kind
from windtunnel.pictures.looks import Palette, palette
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import significant
from windtunnel.report import of_results, page
from windtunnel.report.tables import Cell, Column, Table
from windtunnel.results import Results, ResultsError

SYMBOLS = {
    "matches": "✓",
    "at the bound": "≤",
    "differs": "✗",
    "impossible": "⊘",
    "confirmed": "✓",
    "tied": "=",
    "not confirmed": "✗",
    "measured": "→",
    "one run": "1",
    "not measured": "…",
}
"""The symbols of verdicts, in the order of the counts."""

KEYS = {
    "title",
    "reference",
    VERSION_KEY,
    "runs",
    "seed",
    "missing",
    "changed",
    "experiments",
    "items",
    "summary",
    "figures",
    "page",
}
"""The keys of a reproduction's file."""

Item = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """Where a question is asked: its answer in words, and the columns that it compares."""

    title: str
    answer: str
    bars: Picture


@dataclass(frozen=True)
class Question:
    """A question of the first screen, in each place where it is asked."""

    title: str
    says: str
    """What the paper says, in a sentence."""
    places: list[Place]


@dataclass(frozen=True)
class Group:
    """A row of a paper's table in one measure: every variant's numbers."""

    title: str
    table: Table
    readings: Table | None
    """The same under all readings, if there are several."""


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: its pictures, or the reason why there are none."""

    title: str
    caption: str
    pictures: list[Picture]
    missing: str = ""


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper, and where its own report is."""

    title: str
    page: str
    runs: str
    warnings: list[str]


def write(folder: Path, figures: FigureFiles | None = None) -> Path:
    """Write the report of a reproduction, and those of its experiments, into its folder.

    With `figures`, the pictures of the experiments are also written as files.
    """
    document = read(folder / REPRODUCTION)
    own = figures or FigureFiles()
    results = {
        name: Results.load(folder / name)
        for name in document["experiments"]
        if (folder / name).is_dir()
    }
    compared = tuple(compared_in(results.values()))
    results = {name: replace(it, compared=compared) for name, it in results.items()}
    items = document["items"]
    said = [item for item in items if is_claim(item)]
    rows = [item for item in items if item["kind"] == "ranking"]
    numbers = [item for item in items if not is_claim(item) and item["kind"] != "ranking"]
    named = controllers(results.values())
    asked = list(questions(of_default(said), named, palette(compared)))
    opening, rest = parted(document["page"])
    known = kinds_of(document.get("paper", ""))
    drawn = [figure(it, results.get(it["experiment"]), known) for it in document["figures"]]
    written = page.write_page(
        folder,
        "reproduction.html",
        [
            *(place.bars for question in asked for place in question.places),
            *(it for shown in drawn for it in shown.pictures),
        ],
        figure_files=own,
        title=document["title"],
        reference=document["reference"],
        facts={
            "Version": f"Windtunnel {document[VERSION_KEY]}",
            "Runs of each case": document["runs"],
            "Seed": document["seed"],
        },
        warnings=[*document["missing"], *(f"changed: {it}" for it in document["changed"])],
        opening=markdown(opening),
        questions=asked,
        answers=answers(document["summary"]["answers"]),
        sentences=[inline(it) for it in document["summary"]["sentences"]],
        verdicts=verdicts(scored(items)),
        symbols=SYMBOLS,
        tolerance=f"{TOLERANCE:.0%}",
        tie=f"{TIE:.0%}",
        near=f"{NEAR:g}",
        at_bound=f"{AT_BOUND:.0%}",
        counts=Counter(item["verdict"] for item in of_default(scored(items))),
        groups=list(grouped(numbers)),
        claims=claims(of_default(said)),
        claims_by_reading=claims(said),
        rankings=rankings(of_default(rows)),
        rankings_by_reading=rankings(rows),
        figures=drawn,
        reading=markdown(rest),
        experiments=[
            experiment(folder / name, title, results[name], figures)
            for name, title in document["experiments"].items()
            if name in results
        ],
    )
    for entry, shown in zip(document["figures"], drawn, strict=True):
        entry["files"] = [file for picture in shown.pictures for file in page.files(picture, own)]
    write_json(folder / REPRODUCTION, document)
    return written


def read(file: Path) -> dict[str, Any]:
    """Read a reproduction. Raises ResultsError if the file is not one."""
    try:
        document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        missing = KEYS - document.keys()
    except (OSError, ValueError, AttributeError) as error:
        raise ResultsError(f"{file}: not a reproduction: {error}") from error
    if missing:
        raise ResultsError(f"{file}: not a reproduction: `{min(missing)}` is missing")
    return document


def write_json(file: Path, document: dict[str, Any]) -> None:
    """Write a JSON document whole or not at all. Raises OSError."""
    written = file.with_name(f".{file.name}")
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
        written.write_text(text, encoding="utf-8")
        written.replace(file)
    finally:
        written.unlink(missing_ok=True)


def is_claim(item: Item) -> bool:
    """Say whether an item is a claim, or the number of one."""
    return str(item["id"]).startswith(f"{CLAIMS}/")


def scored(items: list[Item]) -> list[Item]:
    """Keep what has a verdict, each number under its recommended definition."""
    return [item for item in items if item["verdict"] and not item["definition"]]


def answers(answered: list[dict[str, str]]) -> Table:
    """Tabulate the paper's questions and their answers."""
    keys = ("question", "where", "answer", "yes_in", "paper", "here")
    columns = [
        Column(title, key in ("yes_in", "paper", "here"), [Cell(it[key]) for it in answered])
        for title, key in zip(TITLES, keys, strict=True)
    ]
    return Table("Answers", columns)


def words(id: str) -> str:
    """Write an id for people: `table-3` is Table 3."""
    spaced = id.replace("-", " ")
    return spaced[:1].upper() + spaced[1:]


def controllers(experiments: Iterable[Results]) -> dict[str, str]:
    """Find the controllers that cases are named after: a case may have a paper's name for one.

    A name that is used for several controllers is left out.
    """
    found: dict[str, set[str]] = {name: {name} for name in registered()}
    for results in experiments:
        for axis in results.axes:
            pairs = results["flows"].select(axis, "flow_controller").unique().rows()
            for name, controller in pairs:
                found.setdefault(name, set()).add(controller)
    return {name: it.pop() for name, it in found.items() if len(it) == 1}


def compared_in(experiments: Iterable[Results]) -> list[str]:
    """Name the controllers of all experiments, which keep their colours on all pages."""
    flows = [results["flows"] for results in experiments if results.tables]
    return sorted({name for it in flows for name in it.select(CONTROLLER).to_series()})


def grouped(items: list[Item]) -> Iterable[Group]:
    """Put items together that differ in their variant and their reading alone."""
    places: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        *place, _, measure = item["id"].split("/")
        places.setdefault((*place, measure), []).append(item)
    for (*place, measure), those in places.items():
        title = f"{', '.join(dict.fromkeys(map(words, place)))}: {measure.replace('-', ' ')}"
        default = of_default(those)
        several = len(those) > len(default)
        yield Group(
            title=title,
            table=numbers(title, default),
            readings=numbers(f"{title}, all readings", those) if several else None,
        )


def questions(items: list[Item], named: Mapping[str, str], colours: Palette) -> Iterator[Question]:
    """Put the claims of each question together, in the order of the first screen."""
    found: dict[str, list[Item]] = {}
    for item in items:
        if item["question"]:
            found.setdefault(item["question"], []).append(item)
    for index, (question, those) in enumerate(found.items(), start=1):
        says = statement(those[0]["note"])
        yield Question(question, says, [place(it, f"bars-{index}", named, colours) for it in those])


def statement(note: str) -> str:
    """Give what the paper says of a claim's note: all before a semicolon outside brackets."""
    found = re.match(r"(?:\([^)]*\)|[^;])*", note)
    return found[0] if found else note


def place(item: Item, name: str, named: Mapping[str, str], colours: Palette) -> Place:
    """Draw what a claim compares in one place."""
    where = item["id"].split("/")[1]
    drawn = bars(f"{name}-{where}", item, named, colours)
    return Place(words(where), item["answer"] or item["verdict"], drawn)


def parted(page: str) -> tuple[str, str]:
    """Part a paper's page: what it begins with, below its title, and the rest."""
    lines = page.splitlines(keepends=True)
    body = lines[1:] if lines and lines[0].startswith("# ") else lines
    ends = (index for index, it in enumerate(body) if it.startswith(("## ", "<!--")))
    end = next(ends, len(body))
    return "".join(body[:end]), "".join(body[end:])


def variant(item: Item) -> str:
    """Name the variant that an item is about."""
    return str(item["id"]).split("/")[-2]


def bars(name: str, item: Item, named: Mapping[str, str], colours: Palette) -> Picture:
    """Draw the columns of a claim as bars, with the published values beside them."""
    columns = item["columns"]
    rows = ((0, (it["name"],), named.get(it["name"])) for it in columns)
    lines = ranked(rows, controllers=colours)
    nothing = dict.fromkeys(("mean", "low", "high"))
    values = [
        {"line": line.name, "published": it["published"]}
        | {key: (it["measured"] or nothing)[key] for key in nothing}
        for line, it in zip(lines, columns, strict=True)
    ]
    kinds = {"line": pl.String} | dict.fromkeys(("mean", "low", "high", "published"), pl.Float64)
    unit = next((it["measured"]["unit"] for it in columns if it["measured"]), "")
    measure = item["measure"].replace("-", " ")
    chart = partial(bar_charts.bars, pl.DataFrame(values, kinds), lines, in_unit(measure, unit))
    return Picture(name, "", "", [], chart)


def in_unit(title: str, unit: str) -> str:
    """Write a title with its unit, if it has one."""
    return f"{title} ({unit})" if unit else title


def unit_of(items: list[Item]) -> str:
    """Find the unit of items, all of one measure."""
    values = (item[side] for item in items for side in ("measured", "published"))
    return next((value["unit"] for value in values if value), "")


def numbers(caption: str, items: list[Item]) -> Table:
    """Tabulate items."""
    unit = unit_of(items)
    return Table(
        caption,
        [
            Column("variant", False, [Cell(variant(item)) for item in items]),
            *readings(items),
            Column(in_unit("published", unit), True, [published(item) for item in items]),
            Column(in_unit("measured", unit), True, [measured(item) for item in items]),
            Column("verdict", False, [replace(verdict(it), detail=it["note"]) for it in items]),
        ],
    )


def published(item: Item) -> Cell:
    """Write a published value with the digits that it has."""
    value = item["published"]
    return Cell(f"{value['value']:,.10g}" if value else "–")


def measured(item: Item) -> Cell:
    """Write a measured value with its spread."""
    value = item["measured"]
    if value is None:
        return Cell("–")
    mean, low, high = (significant(value[key]) for key in ("mean", "low", "high"))
    return Cell(mean, "" if value["low"] == value["high"] else f"{low} to {high}")


def verdict(item: Item) -> Cell:
    """Write a verdict: a symbol and its words; an input has none."""
    if item["verdict"] is None:
        return Cell("input" if item["kind"] == "input" else "–")
    return Cell(f"{SYMBOLS.get(item['verdict'], '?')} {item['verdict']}")


def claims(items: list[Item]) -> Table:
    """Tabulate the paper's claims: what decides each, the paper's value and ours."""
    return Table(
        "Claims of the paper",
        [
            Column("claim", False, [Cell(item["note"]) for item in items]),
            Column("where", False, [Cell(words(item["id"].split("/")[1])) for item in items]),
            *readings(items),
            Column("published", True, [with_unit(item["published"], item) for item in items]),
            Column("measured", True, [with_unit(item["measured"], item) for item in items]),
            Column("verdict", False, [verdict(item) for item in items]),
        ],
    )


def with_unit(value: dict[str, Any] | None, item: Item) -> Cell:
    """Write a claim's value, and its 95 % interval if it was measured."""
    if value is None:
        return Cell("–")
    if "interval" not in value:
        return Cell(f"{significant(value['value'])} {item['unit']}".strip())
    mean = f"{significant(value['mean'])} {item['unit']}".strip()
    if value["interval"] is None:
        return Cell(mean)
    low, high = (significant(end) for end in value["interval"])
    return Cell(mean, f"{low} to {high}")


def rankings(items: list[Item]) -> Table:
    """Tabulate whether the rankings of the paper's rows are confirmed."""
    return Table(
        "Rankings of the paper's rows",
        [
            Column("row", False, [Cell(row(item)) for item in items]),
            *readings(items),
            Column("verdict", False, [replace(verdict(it), detail=it["note"]) for it in items]),
        ],
    )


def row(item: Item) -> str:
    """Name the row of a table, and the measure."""
    _, *place, measure = item["id"].split("/")
    return f"{', '.join(dict.fromkeys(map(words, place)))}: {measure.replace('-', ' ')}"


def readings(items: list[Item]) -> list[Column]:
    """Make the column of the readings, if there are several."""
    names = [item["reading"] for item in items]
    return [Column("reading", False, [Cell(it) for it in names])] if len(set(names)) > 1 else []


def of_default(items: list[Item]) -> list[Item]:
    """Keep the items of the default reading."""
    return [item for item in items if item["reading"] == DEFAULT]


def verdicts(items: list[Item]) -> Table:
    """Count the verdicts of each reading."""
    counts = Counter((item["reading"], item["verdict"]) for item in items)
    readings = list(dict.fromkeys(item["reading"] for item in items))
    happened = [it for it in SYMBOLS if any(item["verdict"] == it for item in items)]
    columns = [
        Column(f"{SYMBOLS[it]} {it}", True, [Cell(str(counts[name, it])) for name in readings])
        for it in happened
    ]
    return Table(
        "Verdicts by reading",
        [Column("reading", False, [Cell(name) for name in readings]), *columns],
    )


def kinds_of(paper: str) -> Kinds:
    """Give the kinds of pictures of a paper; the common ones where it is not installed here."""
    try:
        return find_paper(paper).pictures()
    except UnknownPaper:
        return OF_PAPERS


def figure(entry: dict[str, Any], results: Results | None, kinds: Kinds) -> Figure:
    """Draw a figure of the paper from an experiment."""
    in_paper = re.match(r"figure-\d+", entry["id"])
    title = f"{words(in_paper[0])}: {entry['title']}" if in_paper else entry["title"]
    if results is None:
        return Figure(title, entry["caption"], [], "The experiment was not run.")
    pictures = of_kind(narrowed(results, entry["where"]), entry["kind"], kinds)
    drawn = [picture for picture in pictures if not picture.is_empty]
    # The id becomes the name of a file.
    stem = re.sub(r"[^\w-]+", "-", entry["id"])
    named = [
        replace(picture, name=stem if len(drawn) == 1 else f"{stem}-{index}")
        for index, picture in enumerate(drawn, start=1)
    ]
    return Figure(title, entry["caption"], named, "" if named else "Nothing to draw.")


def experiment(
    folder: Path, title: str, results: Results, figures: FigureFiles | None
) -> Experiment:
    """Write an experiment's own report."""
    written = of_results.write(folder, results, f"../{page.NAME}", figures)
    return Experiment(
        title,
        f"{folder.name}/{written.name}",
        of_results.runs(results),
        of_results.warnings(results),
    )


def inline(text: str) -> str:
    """Turn a sentence of Markdown into HTML; HTML stays text."""
    return str(MarkdownIt("commonmark", {"html": False}).renderInline(text))


def markdown(text: str) -> str:
    """Turn Markdown into HTML below a page's second headings; HTML and images stay text."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1]) + 2, 6)}"
    return str(parser.renderer.render(tokens, parser.options, {}))
