"""The papers' pages: every number on them is in the stored results, or in the paper's files."""

from __future__ import annotations

import ast
import itertools
import json
import operator
import re
import sys
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from windtunnel.papers.claims import read_claims
from windtunnel.papers.experiment import flows
from windtunnel.papers.paper import Paper, find_papers
from windtunnel.papers.published import read_published
from windtunnel.papers.readings import DEFAULT, parts
from windtunnel.running import read

sys.path.append(str(Path(__file__).parents[1] / "validation"))

from paper_pages import BEGIN, END, NUMBERS, RESULTS, with_results

PAPERS = find_papers()

each_paper = pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)


def stored(paper: Paper) -> dict[str, Any]:
    """Read a paper's stored results."""
    found: dict[str, Any] = json.loads((paper.folder / RESULTS).read_text(encoding="utf-8"))
    return found


@each_paper
def test_a_page_has_the_stored_results(paper: Paper) -> None:
    assert with_results(paper.page, stored(paper)) == paper.page


@each_paper
def test_stored_results_are_those_of_the_papers_files(paper: Paper) -> None:
    items = stored(paper)["items"]
    published, claims = read_published(paper), read_claims(paper)
    stated = {
        (f"{'/'.join([table.id, row, *table.where.values()])}/{column}/{measure}", float(value))
        for table in published.tables
        for row, values in table.rows.items()
        for column, value in values.items()
        for measure in table.measures
    }
    numbers = {(it["id"], it["published"]) for it in items if "published" in it}
    assert {it for it in numbers if not it[0].startswith("claims/")} == stated
    said = {f"claims/{place}/{claim.id}" for claim in claims.claims for place in claim.places}
    assert {it["id"] for it in items if it["id"].startswith("claims/")} == said
    readings = {part for it in items for reading in it["readings"] for part in parts(reading)}
    assert readings == {name for names in paper.space.axes.values() for name in names}


# Numbers in the text.

GENERATED = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}|{re.escape(NUMBERS)}.*", re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
COMPUTED = re.compile(r"<!-- computed: (.*?) -->", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
PLACES = re.compile(
    r"\b(?:RFCs?|[Ff]igures?|[Tt]ables?|[Ss]ections?|[Ee]quations?|[Aa]lgorithms?|[Ll]istings?"
    r"|[Tt]heorems?|[Ss]cenarios?|[Cc]onsumers?|[Pp]roducers?|[Rr]outers?|[Ss]eeds?|[Vv]ersion"
    r"|IPv|SHA-|L|pages?)\s*\d[\w.]*(?:(?:,| and| to|–)\s*\d[\w.]*)*"
)
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w]*\d)")

COUNTED = 12
"""Whole numbers up to this one may count what the text itself lists."""


def prose(page: str) -> Iterator[str]:
    """Give the paragraphs of a page that state results: not code, and not what readings are."""
    page = GENERATED.sub("", page)
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        if not section.startswith("Readings"):
            yield from re.split(r"\n\s*\n|\n(?=- )", section)


def numbers(paragraph: str) -> list[str]:
    """List the numbers of a paragraph, without those that name places."""
    text = PLACES.sub("", COMMENT.sub("", CODE.sub("", paragraph)))
    found = [it.rstrip(",") for it in NUMBER.findall(text)]
    return [it for it in found if not (it.isdigit() and int(it) <= COUNTED)]


def value_and_half(number: str) -> tuple[float, float]:
    """Give a number, and half a unit of its last digit; zeros at the end may be rounded."""
    value = Decimal(number.replace(",", ""))
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    digits = str(int(value)).rstrip("0") if exponent == 0 else ""
    zeros = len(str(int(value))) - len(digits) if digits else 0
    return float(value), 0.5 * 10.0 ** (exponent + (zeros if zeros > 1 else 0))


def is_among(number: str, values: Iterable[float]) -> bool:
    """Say whether a number is one of some values, rounded; or their percentage."""
    value, half = value_and_half(number)
    limit = half * (1 + 1e-9)
    return any(
        abs(abs(it) - value) <= limit or abs(100 * abs(it) - value) <= limit for it in values
    )


def of_readings(found: dict[str, Any], paragraph: str) -> Iterator[float]:
    """Give all stored values of the readings that a paragraph names, or of the default."""
    known = {reading for item in found["items"] for reading in item["readings"]}
    named = [name for name in re.findall(r"`([^`]+)`", paragraph) if name in known] or [DEFAULT]
    for item in found["items"]:
        for reading in (*named, DEFAULT):
            _, *values = item["readings"].get(reading, [None])
            yield from values
            if "published" in item:
                yield item["published"]
    for score in [*found["scores"], *found.get("search", {}).get("best", [])]:
        yield from (score["agree"], score["numbers"])


def inputs(paper: Paper) -> Iterator[float]:
    """Give the numbers that are set in the paper's files."""
    for experiment in paper.experiments:
        text = paper.scenario(experiment).read_text(encoding="utf-8")
        yield from (float(it) for it in re.findall(r"\d+(?:\.\d+)?", text))
        scenario = read(paper.scenario(experiment))
        yield from (float(len(scenario.cases)), float(len(flows(scenario))))
    stated = (paper.folder / "claims.toml").read_text(encoding="utf-8")
    yield from (float(it) for it in re.findall(r"\d+(?:\.\d+)?", stated))


OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def computed(formula: str) -> float:
    """Compute a formula of numbers."""

    def of(node: ast.expr) -> float:
        match node:
            case ast.BinOp():
                return float(OPERATORS[type(node.op)](of(node.left), of(node.right)))
            case ast.UnaryOp(op=ast.USub()):
                return -of(node.operand)
            case ast.Constant(value=int() | float() as value):
                return float(value)
        raise ValueError(ast.dump(node))

    return of(ast.parse(formula.strip(), mode="eval").body)


def unknown(paper: Paper) -> Iterator[tuple[str, str]]:
    """Give the numbers of a page that come from nowhere, with their paragraphs."""
    found, own = stored(paper), list(inputs(paper))
    generated = " ".join(GENERATED.findall(paper.page))
    shown = {it.rstrip(",") for it in NUMBER.findall(CODE.sub("", generated))}
    for paragraph in prose(paper.page):
        values = [*own, *of_readings(found, paragraph)]
        values += [computed(it) for it in COMPUTED.findall(paragraph)]
        for number in numbers(paragraph):
            if number not in shown and not is_among(number, values):
                yield number, paragraph


@each_paper
def test_every_number_of_a_page_is_measured_set_or_computed(paper: Paper) -> None:
    assert list(unknown(paper)) == []


@each_paper
def test_most_changes_of_a_number_are_noticed(paper: Paper) -> None:
    """The check is worth something only if another number in a page's text fails it."""
    found, own = stored(paper), list(inputs(paper))
    tried = noticed = 0
    for paragraph in prose(paper.page):
        values = [*own, *of_readings(found, paragraph)]
        for number in numbers(paragraph):
            if len(number.replace(".", "").replace(",", "").strip("0")) < 3:
                continue
            places = [place for place, it in enumerate(number) if it.isdigit()][1:]
            for place, digit in itertools.product(places, "0123456789"):
                if digit != number[place]:
                    tried += 1
                    changed = number[:place] + digit + number[place + 1 :]
                    noticed += not is_among(changed, values)
    assert noticed >= 0.5 * tried


def test_numbers_are_found_in_text() -> None:
    text = (
        "In scenario 1 of table III, RFC 9438, it has 95.6 Mbps and 1,238 drops; `x 77` has 20 %."
    )
    assert numbers(text) == ["95.6", "1,238", "20"]


@pytest.mark.parametrize(
    ("number", "value", "same"),
    [
        ("95.6", 95.64, True),
        ("95.6", 95.66, False),
        ("1,200", 1238.0, True),
        ("1,200", 1251.0, False),
        ("20", 0.196, True),
        ("20", 0.21, False),
    ],
)
def test_a_number_is_a_value_that_rounds_to_it(number: str, value: float, same: bool) -> None:
    assert is_among(number, [value]) == same
