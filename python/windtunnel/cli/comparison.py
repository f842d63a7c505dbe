"""A reproduction on a terminal: the paper's questions, answered; and all of its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import get_args

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel.papers.items import Item, Measured, Verdict
from windtunnel.papers.readings import DEFAULT
from windtunnel.papers.reproduction import Reproduction
from windtunnel.papers.summary import TITLES, Answered

STYLES: dict[str | None, str] = {
    "matches": "green",
    "confirmed": "green",
    "differs": "yellow",
    "not confirmed": "yellow",
    "impossible": "red",
}


def screen(found: Reproduction) -> Iterator[str | Table]:
    """Give what fits one screen: the answers, the best readings, and what cannot be known."""
    summary = found.summary
    if summary.answers:
        yield answers(summary.answers)
    yield from summary.sentences


def answers(answered: Sequence[Answered]) -> Table:
    """Format the questions and their answers, with the paper's value and ours."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    question, where, answer, *numbers = TITLES
    table.add_column(question, overflow="fold")
    for title in (where, answer):
        table.add_column(title, no_wrap=True)
    yes, *values = numbers
    table.add_column(yes, justify="right", no_wrap=True)
    for title in values:
        table.add_column(title, overflow="fold")
    before = ""
    for it in answered:
        asked = "" if it.question == before else it.question
        cells = (asked, it.where, it.answer, it.yes_in, it.paper, it.here)
        table.add_row(*cells, style=STYLES.get(it.verdict))
        before = it.question
    return table


def with_interval(value: Measured) -> str:
    """Format a mean with its interval."""
    if value.interval is None:
        return f"{value.mean:.3g} {value.unit}".strip()
    low, high = value.interval
    return f"{value.mean:.3g} ({low:.3g} to {high:.3g}) {value.unit}"


def tables(items: Sequence[Item]) -> Iterator[Table]:
    """Format all items of the default reading, and the number of verdicts for each reading."""
    items = [item for item in items if not item.definition]
    measured = (item for item in items if item.verdict != "not measured")
    yield items_table([item for item in measured if item.reading == DEFAULT])
    yield verdicts_table(items)


def items_table(items: Sequence[Item]) -> Table:
    """Format items, grouped by the rows of the paper's tables."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("item", overflow="fold")
    table.add_column("published", justify="right")
    table.add_column("measured", justify="right")
    table.add_column("verdict", no_wrap=True)
    table.add_column("note")
    for place, there in groupby(items, key=lambda item: item.id.rsplit("/", 2)[0]):
        table.add_row(place, style="bold")
        for item in there:
            table.add_row(
                f"  {item.id.removeprefix(place).replace('/', ' ').strip()}",
                "" if item.published is None else f"{item.published} {item.unit}",
                "" if item.measured is None else with_interval(item.measured),
                item.verdict or "",
                item.note,
                style=STYLES.get(item.verdict),
            )
        table.add_section()
    return table


def verdicts_table(items: Sequence[Item]) -> Table:
    """Count the verdicts of each reading."""
    verdicts = [it for it in get_args(Verdict) if any(item.verdict == it for item in items)]
    table = Table(box=SIMPLE_HEAD)
    table.add_column("reading", overflow="fold")
    for verdict in verdicts:
        table.add_column(verdict, justify="right")
    for reading in dict.fromkeys(item.reading for item in items):
        counts = Counter(item.verdict for item in items if item.reading == reading)
        table.add_row(reading, *(str(counts[verdict]) for verdict in verdicts))
    return table
