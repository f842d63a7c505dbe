"""Cases: which results belong together, what they are called, and how they are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import polars as pl

from windtunnel.measures import totals
from windtunnel.measures.columns import MeasuredColumn
from windtunnel.pictures import groups
from windtunnel.pictures.colours import DASHES, NO_SHAPE, SHAPES, Ink, number
from windtunnel.pictures.events import events, nodes_of, parsed
from windtunnel.pictures.groups import GROUP
from windtunnel.pictures.looks import HUES, MOST_LINES, Palette, looks, palette
from windtunnel.tables import ResultsError, ResultTables, table_of

BETWEEN = " · "
"""The separator between the names of a case on several axes."""


CONTROLLER = pl.col("flow_controller").fill_null(pl.col("protocol"))
"""What a flow is known by: its controller, or its protocol if it has none."""


@dataclass(frozen=True)
class Line:
    """A line of a picture, or a bar: a case, or a group of its flows."""

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
    group: str = ""
    """The group of flows that it measures; none for something else."""
    place: int | None = None
    """Its place among hues and shapes; none for that of its controller."""
    kept: bool = False
    """Whether its place is the same in every picture of a page."""

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
        return NO_SHAPE if self.reference else SHAPES[(self.look or 0) % len(SHAPES)]

    @property
    def look(self) -> int | None:
        """Its place among hues and shapes; none for grey."""
        return number(self.controller) if self.place is None else self.place

    def colour(self, ink: Ink) -> str:
        """Give its colour in an ink."""
        return ink.soft if self.look is None else ink.hues[self.look % HUES]


@dataclass(frozen=True)
class Panel:
    """Lines that are drawn together, and what they have in common."""

    title: str
    lines: list[Line]


class Comparison:
    """Results with their cases counted: a column `case` stands for all axes.

    The names of axes can then not clash with other columns.
    """

    def __init__(self, results: ResultTables, by_controller: bool = False) -> None:
        """Count the cases of results that have tables, in their order.

        Flows are drawn by their groups, or all of one controller together.
        """
        self.axes = results.axes
        self.cases = cases_of(results)
        self.tables = {name: self._counted(table) for name, table in results.tables.items()}
        flows = self["flows"]
        named = flows.with_columns(CONTROLLER)
        grouped = groups.by_controller if by_controller else groups.grouped
        self.tables["flows"] = grouped(named)
        self.palette = palette([*named["flow_controller"], *results.compared])
        document = parsed(getattr(results, "scenario", ""))
        self.events = events(document)
        self.producers = nodes_of(document, "producers")
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
        return tuple(self.cases[case][axis] for axis in self._varied)

    @cached_property
    def _varied(self) -> list[int]:
        """The axes on which there is more than one name, by their places."""
        axes = enumerate(zip(*self.cases, strict=True))
        return [axis for axis, names in axes if len(set(names)) > 1]

    @cached_property
    def of_flows_and_users(self) -> tuple[pl.DataFrame, tuple[MeasuredColumn, ...]]:
        """The totals of each group of flows, case and run: `totals.of_flows_and_users`."""
        return totals.of_flows_and_users(self, ["case", GROUP], self.tables)

    @cached_property
    def of_links(self) -> pl.DataFrame:
        """The totals of the links of each case and run: `totals.of_links`."""
        return totals.of_links(self)

    def by_group(self) -> list[Line]:
        """Give a line for each group of flows in each case."""
        flows = self["flows"].group_by("case", GROUP, maintain_order=True)
        controllers = flows.agg(pl.col("flow_controller").unique(maintain_order=True))
        in_case = Counter(controllers["case"])
        lines = (
            (case, self._with_group(case, group, in_case[case] > 1), single(known))
            for case, group, known in controllers.rows()
        )
        return self.ranked(lines, controllers[GROUP].to_list())

    def _with_group(self, case: int, group: str, several: bool) -> tuple[str, ...]:
        parts = self.parts(case)
        return (*parts, group) if several or not parts else parts

    def by_case(self, flow: str | None = None) -> list[Line]:
        """Give a line for each case, or for what one flow is in each case."""
        flows = self["flows"] if flow is None else self["flows"].filter(flow=flow)
        controllers = pl.col("flow_controller").unique(maintain_order=True)
        known = dict(flows.group_by("case").agg(controllers).rows())
        # An emulation may have no simulated flows; its links are measured all the same.
        cases = sorted(known) if known or flow else range(len(self.cases))
        return self.ranked((it, self.parts(it), single(known.get(it, []))) for it in cases)

    def ranked(self, lines: Iterable[Unranked], groups: Sequence[str] = ()) -> list[Line]:
        """Make lines in the colours of the page."""
        return ranked(lines, groups, self.palette)


def cases_of(results: ResultTables) -> list[tuple[str, ...]]:
    """List the cases of results that have tables, each by its names on the axes."""
    if not results.axes:
        return [()]
    return results["runs"].select(results.axes).unique(maintain_order=True).rows()


def single(controllers: list[str]) -> str | None:
    """Give the controller of some flows; none if there are several."""
    return controllers[0] if len(controllers) == 1 else None


Unranked = tuple[int, tuple[str, ...], str | None]
"""The case of a line, its parts and its controller."""


def ranked(
    lines: Iterable[Unranked], groups: Sequence[str] = (), controllers: Palette | None = None
) -> list[Line]:
    """Make lines, and their groups of flows, with the colours of a page's controllers."""
    seen: Counter[str | None] = Counter()
    made = []
    for index, (case, parts, controller) in enumerate(lines):
        group = groups[index] if groups else ""
        made.append(Line(f"l{index}", case, parts, controller, seen[controller], group=group))
        seen[controller] += 1
    return coloured(made, controllers)


def coloured(lines: list[Line], controllers: Palette | None = None) -> list[Line]:
    """Give each line a hue and a shape.

    On a page that compares controllers (default: those of the lines) they are those of the
    controller. On others each line has its own or, where there are too few, each group; a single
    line without a controller is grey. So are references.
    """
    own = [it for it in lines if not it.reference]
    known = palette(it.controller for it in own) if controllers is None else controllers
    if len(own) == 1 and own[0].controller not in known:
        return lines
    if len(known) > 1:
        return kept(lines, known)
    subjects = {it.name: it.name if len(own) <= HUES else (it.group or it.controller) for it in own}
    places = looks((subjects[it.name], it.controller) for it in own)
    return [it if it.reference else replace(it, place=places[subjects[it.name]]) for it in lines]


def kept(lines: list[Line], controllers: Palette) -> list[Line]:
    """Give each line but references the place of its controller, or one that no controller has."""
    own = [it for it in lines if not it.reference]
    others = [it.name for it in own if it.controller not in controllers]
    free = looks(((it, None) for it in others), controllers.values())
    named = ((it.name, controllers.get(it.controller)) for it in own if it.controller)
    places = free | {name: place for name, place in named if place is not None}
    return [it if it.reference else replace(it, place=places[it.name], kept=True) for it in lines]


def panels(lines: list[Line]) -> list[Panel]:
    """Divide lines among pictures that can be read.

    If there are too many, the groups of a case are drawn together, or those that differ in their
    controllers, or else as many as there are dashes. References are drawn in all pictures.
    """
    references = [line for line in lines if line.reference]
    if references:
        divided = panels([line for line in lines if not line.reference])
        return [replace(it, lines=[*it.lines, *references]) for it in divided]
    most_ranks = max((line.rank for line in lines), default=0) + 1
    if len(lines) <= MOST_LINES and most_ranks <= len(DASHES):
        return [Panel("", lines)]
    cases = Counter(line.case for line in lines)
    if 1 < max(cases.values()) <= MOST_LINES:
        return [panel([it for it in lines if it.case == case]) for case in cases]
    together = 1 if len({line.controller for line in lines}) > 1 else len(DASHES)
    firsts = range(0, most_ranks, together)
    return [panel([it for it in lines if 0 <= it.rank - first < together]) for first in firsts]


def panel(lines: list[Line]) -> Panel:
    """Draw lines together: what they have in common becomes the title."""
    columns = list(zip(*(line.parts for line in lines), strict=False))
    common = {index for index, column in enumerate(columns) if len(set(column)) == 1}
    title = BETWEEN.join(columns[index][0] for index in sorted(common))
    return Panel(title, distinct([without(line, common) for line in lines]))


def distinct(lines: list[Line]) -> list[Line]:
    """Rank lines anew, and colour them anew where two look alike."""
    seen: Counter[str | None] = Counter()
    made = []
    for line in lines:
        made.append(replace(line, rank=seen[line.controller]))
        seen[line.controller] += 1
    hues = Counter(None if it.look is None else it.look % HUES for it in made if not it.kept)
    return coloured(made) if max(hues.values(), default=0) > 1 else made


def without(line: Line, common: set[int]) -> Line:
    """Leave out what a panel's title says."""
    parts = tuple(part for index, part in enumerate(line.parts) if index not in common)
    return replace(line, parts=parts or line.parts)


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
