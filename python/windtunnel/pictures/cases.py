"""Cases: which results belong together, what they are called, and how they are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import polars as pl

from windtunnel.pictures.colours import DASHES, NO_SHAPE, shape
from windtunnel.tables import ResultsError, ResultTables, table_of

BETWEEN = " · "
"""The separator between the names of a case on several axes."""

MOST_LINES = 8
"""The maximum number of lines that are distinguishable in one picture."""


@dataclass(frozen=True)
class Line:
    """A line of a picture, or a bar: a case, or the flows of one controller in it."""

    name: str
    """Its name in the data: unique, and one that no tool misreads."""
    case: int
    parts: tuple[str, ...]
    """What distinguishes it from the others, for people."""
    controller: str | None
    """What it measures; none for several at once."""
    rank: int
    """How many lines of the same controller come before it."""
    reference: bool = False
    """Whether it is a reference for the others: thin, and without marks."""

    @property
    def label(self) -> str:
        """Its name for people."""
        return BETWEEN.join(self.parts) or "all flows"

    @property
    def dash(self) -> tuple[int, ...]:
        """The lengths of its strokes and gaps."""
        return DASHES[self.rank % len(DASHES)]

    @property
    def shape(self) -> str:
        """The shape of its marks, an SVG path."""
        return NO_SHAPE if self.reference else shape(self.controller)


@dataclass(frozen=True)
class Panel:
    """Lines that are drawn together, and what they have in common."""

    title: str
    lines: list[Line]


class Comparison:
    """Results with their cases counted: a column `case` stands for all axes.

    The names of axes can then not clash with other columns.
    """

    def __init__(self, results: ResultTables) -> None:
        """Count the cases of results that have tables, in their order."""
        self.axes = results.axes
        self.cases: list[tuple[str, ...]] = [()]
        if self.axes:
            names = results["runs"].select(self.axes)
            self.cases = names.unique(maintain_order=True).rows()
        self.tables = {name: self._counted(table) for name, table in results.tables.items()}
        # Flows without a controller are a group of their own.
        flows = self["flows"]
        self.tables["flows"] = flows.with_columns(pl.col("flow_controller").fill_null("none"))
        self.flows: list[str] = self["flows"]["flow"].unique(maintain_order=True).to_list()
        self.several_runs = self["runs"]["run"].n_unique() > 1

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Give a table by its name. Raises ResultsError if it is not there."""
        return table_of(self.tables, name)

    def _counted(self, table: pl.DataFrame) -> pl.DataFrame:
        if not self.axes:
            return table.with_columns(case=pl.lit(0, pl.UInt32))
        keys = [f"axis {index}" for index in range(len(self.axes))]
        cases = pl.DataFrame(self.cases, schema=keys, orient="row").with_row_index("case")
        renamed = table.rename(dict(zip(self.axes, keys, strict=True)))
        return renamed.join(cases, on=keys, maintain_order="left").drop(keys)

    def parts(self, case: int) -> tuple[str, ...]:
        """Name a case on the axes on which there is more than one."""
        axes = zip(self.cases[case], zip(*self.cases, strict=True), strict=True)
        return tuple(name for name, names in axes if len(set(names)) > 1)

    def by_controller(self) -> list[Line]:
        """Give a line for each controller of each case."""
        pairs = self["flows"].select("case", "flow_controller").unique(maintain_order=True).rows()
        in_case = Counter(case for case, _ in pairs)
        return ranked(
            (case, self._with_controller(case, controller, in_case[case] > 1), controller)
            for case, controller in pairs
        )

    def _with_controller(self, case: int, controller: str, several: bool) -> tuple[str, ...]:
        parts = self.parts(case)
        return (*parts, controller) if several or not parts else parts

    def by_case(self, flow: str | None = None) -> list[Line]:
        """Give a line for each case, or for what one flow is in each case."""
        flows = self["flows"] if flow is None else self["flows"].filter(flow=flow)
        in_case: dict[int, set[str]] = {}
        for case, controller in flows.select("case", "flow_controller").unique().rows():
            in_case.setdefault(case, set()).add(controller)
        single = {case: it.pop() if len(it) == 1 else None for case, it in in_case.items()}
        return ranked(
            (case, self.parts(case) or ((controller,) if controller else ()), controller)
            for case, controller in sorted(single.items())
        )


def ranked(lines: Iterable[tuple[int, tuple[str, ...], str | None]]) -> list[Line]:
    """Make lines of cases, parts and controllers."""
    seen: Counter[str | None] = Counter()
    made = []
    for index, (case, parts, controller) in enumerate(lines):
        made.append(Line(f"l{index}", case, parts, controller, seen[controller]))
        seen[controller] += 1
    return made


def panels(lines: list[Line]) -> list[Panel]:
    """Divide lines among pictures that can be read.

    If there are too many, those that differ in their controllers are drawn together, or
    else as many as there are dashes. References are drawn in all pictures.
    """
    references = [line for line in lines if line.reference]
    if references:
        divided = panels([line for line in lines if not line.reference])
        return [replace(it, lines=[*it.lines, *references]) for it in divided]
    most_ranks = max((line.rank for line in lines), default=0) + 1
    if len(lines) <= MOST_LINES and most_ranks <= len(DASHES):
        return [Panel("", lines)]
    together = 1 if len({line.controller for line in lines}) > 1 else len(DASHES)
    firsts = range(0, most_ranks, together)
    return [
        panel([it for it in lines if 0 <= it.rank - first < together], first) for first in firsts
    ]


def panel(lines: list[Line], first_rank: int) -> Panel:
    """Draw lines together: what they have in common becomes the title."""
    columns = list(zip(*(line.parts for line in lines), strict=False))
    common = {index for index, column in enumerate(columns) if len(set(column)) == 1}
    title = BETWEEN.join(columns[index][0] for index in sorted(common))
    return Panel(title, [without(line, common, first_rank) for line in lines])


def without(line: Line, common: set[int], first_rank: int) -> Line:
    """Leave out what a panel's title says."""
    parts = tuple(part for index, part in enumerate(line.parts) if index not in common)
    return replace(line, parts=parts or line.parts, rank=line.rank - first_rank)


def narrowed(results: ResultTables, where: Mapping[str, str]) -> ResultTables:
    """Keep the cases with these names on these axes; without any there are no tables.

    Raises ResultsError for an unknown axis.
    """
    unknown = [axis for axis in where if axis not in results.axes]
    if unknown:
        known = ", ".join(results.axes) or "none"
        raise ResultsError(f"unknown axis `{unknown[0]}`; known: {known}")
    wanted = [pl.col(axis) == case for axis, case in where.items()]
    tables = {name: table.filter(*wanted) for name, table in results.tables.items()}
    anything = results.tables and not tables["runs"].is_empty()
    return replace(results, tables=tables if anything else {})
