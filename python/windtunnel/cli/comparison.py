"""A reproduction on a terminal: the paper's questions, answered; and all of its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import get_args

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel.papers.experiment import DEFAULT
from windtunnel.papers.verdicts import Item, Kind, Measured, Verdict

STYLES: dict[Verdict | None, str] = {
    "matches": "green",
    "confirmed": "green",
    "differs": "yellow",
    "not confirmed": "yellow",
    "impossible": "red",
}

KINDS: dict[Kind, str] = {"number": "numbers", "ranking": "rankings", "claim": "claims"}
"""What is counted."""


def screen(items: Sequence[Item]) -> Iterator[str | Table]:
    """Give what fits one screen: the answers, and how many numbers match by which reading."""
    asked = [item for item in items if item.question and item.reading == DEFAULT]
    if asked:
        yield answers(asked)
    yield from summary(items)


def answers(asked: Sequence[Item]) -> Table:
    """Format the questions and their answers, with the paper's value and ours."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("question", overflow="fold")
    table.add_column("answer", no_wrap=True)
    table.add_column("paper", justify="right", no_wrap=True)
    table.add_column("here (95 % interval)", justify="right")
    for item in asked:
        here = "" if item.measured is None else with_interval(item.measured)
        paper = "" if item.published is None else f"{item.published} {item.unit}"
        table.add_row(item.question, answer(item), paper, here, style=STYLES.get(item.verdict))
    return table


def answer(item: Item) -> str:
    """Answer the question of a claim."""
    words: Mapping[Verdict | None, str] = {"confirmed": "yes", "tied": "no difference"}
    if item.verdict in words:
        return words[item.verdict]
    return "no" if item.verdict == "not confirmed" else str(item.verdict)


def with_interval(value: Measured) -> str:
    """Format a mean with its interval."""
    low, high = value.interval
    return f"{value.mean:.3g} ({low:.3g} to {high:.3g}) {value.unit}"


def summary(items: Sequence[Item]) -> Iterator[str]:
    """Count the verdicts of the default reading, and name the reading that fits most."""
    for kind, name in KINDS.items():
        those = [item for item in items if item.kind == kind]
        if those:
            yield f"{name.capitalize()}: {counted(those, DEFAULT)}"
    scores = matching(items)
    best = max(scores, key=lambda it: scores[it], default=DEFAULT)
    if len(scores) > 1:
        total = sum(1 for it in items if it.kind == "number" and it.reading == best)
        if scores[best] > scores[DEFAULT]:
            yield (
                f"The best of {len(scores)} readings, `{best}`: {scores[best]} of {total} numbers "
                f"match; with the default {scores[DEFAULT]}."
            )
        else:
            yield f"None of {len(scores)} readings has more numbers that match than the default."


def matching(items: Sequence[Item]) -> dict[str, int]:
    """Count the numbers that match under each reading.

    A reading that does not concern an experiment has the default's numbers there.
    """
    default = {it.id: it for it in items if it.kind == "number" and it.reading == DEFAULT}
    scores = {}
    for reading in dict.fromkeys(item.reading for item in items):
        own = {it.id: it for it in items if it.kind == "number" and it.reading == reading}
        scores[reading] = sum(agrees(it) for it in {**default, **own}.values())
    return scores


def agrees(item: Item) -> bool:
    """Say whether a number agrees with the published one."""
    return item.verdict in ("matches", "at the bound")


def counted(items: Sequence[Item], reading: str) -> str:
    """Count the verdicts under a reading."""
    counts = Counter(item.verdict for item in items if item.reading == reading)
    known = [verdict for verdict in get_args(Verdict) if counts[verdict]]
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in known)


def tables(items: Sequence[Item]) -> Iterator[Table]:
    """Format all items of the default reading, and the number of verdicts for each reading."""
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
