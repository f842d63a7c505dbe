"""Tables on a terminal that are as narrow as its lines need."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table

BETWEEN = " ± "
"""Between a mean and half its interval."""


class FittingTable(Table):
    """A table as narrow as its columns allow.

    Where a line is too short for means and intervals side by side, the intervals are below them.
    """

    def __init__(self, padding: int = 1) -> None:
        """Begin without columns, which are `padding` + 1 characters apart."""
        super().__init__(
            box=SIMPLE_HEAD, padding=(0, padding), collapse_padding=True, pad_edge=False
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render it with one line a row if that fits, else with two."""
        natural = Measurement.get(console, options.update(max_width=MOST_WIDTH), self).maximum
        shown = self if natural <= options.max_width else self.folded()
        yield from Table.__rich_console__(shown, console, options)

    def folded(self) -> FittingTable:
        """Put the intervals below the means, and the columns closer together."""
        table = FittingTable(padding=0)
        for it in self.columns:
            table.add_column(
                it.header, justify=it.justify, no_wrap=it.no_wrap, min_width=it.min_width
            )
        for row in zip(*(folded_cells(it) for it in self.columns), strict=True):
            table.add_row(*row)
        return table


MOST_WIDTH = 1000
"""Wider than any table, in characters."""


def folded_cells(column: Column) -> Iterator[str]:
    """Put each interval of a column below its mean."""
    return (str(it).replace(BETWEEN, f"\n{BETWEEN.strip()}") for it in column.cells)
