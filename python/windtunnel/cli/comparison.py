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
from windtunnel.papers.scores import Numbers, Score, best

STYLES: dict[Verdict | None, str] = {
    "matches": "green",
    "confirmed": "green",
    "differs": "yellow",
    "not confirmed": "yellow",
    "impossible": "red",
}

MOST_EFFECTS = 3
"""The number of readings whose effect the screen shows."""


def screen(found: Reproduction) -> Iterator[str | Table]:
    """Give what fits one screen: the answers, the best readings, and what cannot be known."""
    asked = [item for item in found.items if item.question]
    if asked:
        yield answers(asked)
    yield from fits(found)
    yield from (f"Cannot be known: {sentence}" for sentence in found.unknown)


def answers(asked: Sequence[Item]) -> Table:
    """Format the questions and their answers, with the paper's value and ours.

    They are those of the default reading, beside the number of readings that say yes.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("question", overflow="fold")
    table.add_column("where", no_wrap=True)
    table.add_column("answer", no_wrap=True)
    table.add_column("yes in", justify="right", no_wrap=True)
    table.add_column("paper", justify="right", no_wrap=True)
    table.add_column("here, ± 95 %", justify="right", no_wrap=True)
    said = {item.id: [it.answer for it in asked if it.id == item.id] for item in asked}
    before = ""
    for item in asked:
        if item.reading != DEFAULT:
            continue
        readings = said[item.id]
        table.add_row(
            "" if item.question == before else item.question,
            item.id.split("/")[1],
            item.answer or item.verdict,
            f"{readings.count('yes')} of {len(readings)}" if item.answer else "",
            "" if item.published is None else f"{float(item.published):+.3g} {item.unit}",
            "" if item.measured is None else with_half_width(item.measured),
            style=STYLES.get(item.verdict),
        )
        before = item.question
    return table


def with_half_width(value: Measured) -> str:
    """Format a mean with half its interval; a difference in percent has a sign."""
    sign = "+" if value.unit == "%" else ""
    half = (value.interval[1] - value.interval[0]) / 2
    return f"{value.mean:{sign}.3g} ± {half:.2g} {value.unit}"


def with_interval(value: Measured) -> str:
    """Format a mean with its interval."""
    low, high = value.interval
    return f"{value.mean:.3g} ({low:.3g} to {high:.3g}) {value.unit}"


def fits(found: Reproduction) -> Iterator[str]:
    """Say how many numbers match by default and at best, and what adds most to them."""
    numbers = Numbers(found.items)
    default = numbers.score(DEFAULT)
    if not default.numbers:
        return
    yield f"Numbers of the paper that match: {default.agree} of {default.numbers} by default."
    singles = [score for score in found.scores if score.reading not in found.sample]
    for scores, kind in ((singles, "readings"), (found.sampled, "combinations drawn at random")):
        if len(scores) > 1:
            top = best(scores)
            yield f"Best of {len(scores)} {kind}: {top.agree} with {named(top)}."
    effects = sorted(found.effects, key=lambda it: -abs(it.gain))[:MOST_EFFECTS]
    if effects:
        listed = (f"`{it.reading}` {it.gain:+.1f} ± {it.half_width:.1f}" for it in effects)
        yield f"Largest effects on that number: {', '.join(listed)}."


def named(score: Score) -> str:
    """Name a reading with its definitions."""
    definitions = f" (defined as {', '.join(score.definitions)})" if score.definitions else ""
    return f"`{score.reading}`{definitions}"


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
