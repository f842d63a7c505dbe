"""A reproduction on a terminal: published values beside measured ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import get_args

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel.papers.experiment import DEFAULT
from windtunnel.papers.verdicts import Item, Measured, Verdict

STYLES: dict[Verdict, str] = {"matches": "green", "differs": "yellow", "impossible": "red"}


def tables(items: Sequence[Item]) -> Iterator[Table]:
    """Format the items of the default reading, and the number of verdicts for each reading."""
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
                measured(item.measured),
                item.verdict,
                item.note,
                style=STYLES.get(item.verdict),
            )
        table.add_section()
    return table


def measured(value: Measured | None) -> str:
    """Format a measured value: the mean, the minimum and the maximum of its runs."""
    if value is None:
        return ""
    if value.low == value.high:
        return f"{value.mean:.4g} {value.unit}"
    return f"{value.mean:.4g} ({value.low:.4g} to {value.high:.4g}) {value.unit}"


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
