"""Layout: the role of each parameter of a study in a picture.

A parameter is the axis of a picture, distinguishes its lines, divides it into panels, or
is hidden: then each point covers all its values.
"""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass

import polars as pl

from windtunnel.measures.frame import Parameter, StudyFrame
from windtunnel.pictures.cases import BETWEEN, Line, coloured
from windtunnel.pictures.colours import registered
from windtunnel.pictures.units import scale

MOST_PANELS = 6
"""Panels of a picture at most."""

MOST_MAPS = 12
"""Panels of a heat map at most, which is smaller."""

MOST_LINES = 8
"""Lines for the values of a number, which can be thinned out."""

MOST_VALUES = 30
"""Values of a number on an axis; where there are more, they are put into intervals."""

BINS = 10
"""Intervals of such an axis."""

BASES = ("plain", "none", "off", "baseline")
"""The names of values that serve as the base of comparisons."""

QUANTITY = re.compile(r"([-+]?[\d.,]+(?:[eE][-+]?\d+)?)\s*(\D*)")
"""A quantity as people write it: a number and its unit."""


@dataclass(frozen=True)
class Axis:
    """The values of a parameter in their order, as an axis or a legend shows them."""

    parameter: Parameter
    places: list[float]
    """The positions of the values, in the base unit; their indices if they are words."""
    texts: list[str]
    """What each is called, with its unit."""
    edges: list[float] | None
    """The ends of the intervals that values were put into; none where they were not."""

    @property
    def unit(self) -> str:
        """The unit that all values have; none where they have several, or none."""
        matches = [QUANTITY.fullmatch(it) for it in self.texts]
        units = {it[2] if it else "" for it in matches}
        return units.pop() if len(units) == 1 else ""

    @property
    def title(self) -> str:
        """The title of the axis."""
        name = self.parameter.name
        return f"{name} ({self.unit})" if self.unit else name

    @property
    def labels(self) -> list[str]:
        """The labels of the axis, without the unit if it is in the title."""
        return [it.removesuffix(self.unit).rstrip() for it in self.texts]

    @property
    def logarithmic(self) -> bool:
        """Whether the values are spaced more evenly by their logarithms."""
        if self.parameter.numbers is None or min(self.places) <= 0:
            return False
        return self.parameter.logarithmic or uneven(self.places) > uneven(
            [math.log(it) for it in self.places]
        )

    def index(self) -> pl.Expr:
        """Give the place of each row's value among all of them."""
        column = pl.col(self.parameter.name)
        if self.edges is None:
            values = (
                rising(self.parameter.numbers) if self.parameter.numbers else texts(self.parameter)
            )
            order = {value: index for index, value in enumerate(values)}
            return column.replace_strict(order, default=None, return_dtype=pl.Int64)
        inside = pl.sum_horizontal(pl.lit(0), *(column >= edge for edge in self.edges[1:-1]))
        return inside.cast(pl.Int64)


def uneven(values: list[float]) -> float:
    """Give how uneven steps are: the greatest by the least."""
    steps = [after - before for before, after in itertools.pairwise(values)]
    return max(steps) / min(steps) if steps and min(steps) > 0 else 1.0


def rising(numbers: list[float]) -> list[float]:
    """Give each number once, the least first."""
    return sorted(set(numbers))


def axis(parameter: Parameter) -> Axis:
    """Lay out a parameter's values; too many numbers are put into intervals."""
    if parameter.numbers is None:
        return Axis(
            parameter, [float(it) for it in range(len(parameter.values))], texts(parameter), None
        )
    places = rising(parameter.numbers)
    if len(places) <= MOST_VALUES:
        return Axis(parameter, places, texts(parameter), None)
    by_logarithm = parameter.logarithmic and places[0] > 0
    start, end = (math.log(it) if by_logarithm else it for it in (places[0], places[-1]))
    steps = [start + (end - start) * index / (2 * BINS) for index in range(2 * BINS + 1)]
    steps = [math.exp(it) if by_logarithm else it for it in steps]
    centres = steps[1::2]
    shown = scale(parameter.unit, [places[-1]])
    named = [f"{it} {shown.unit}".strip() for it in rounded([it / shown.size for it in centres])]
    return Axis(parameter, centres, named, steps[::2])


def rounded(values: list[float]) -> list[str]:
    """Write values with enough digits to distinguish them, at least three."""
    for digits in range(3, 17):
        written = [f"{float(f'{it:.{digits}g}'):.12g}" for it in values]
        if len(set(written)) == len(values):
            return written
    return [repr(it) for it in values]


def texts(parameter: Parameter) -> list[str]:
    """Give each value as the study has it, in order."""
    if parameter.numbers is None:
        return list(dict.fromkeys(parameter.values))
    named = dict(zip(parameter.numbers, parameter.values, strict=True))
    return [named[it] for it in rising(parameter.numbers)]


def text_of(parameter: Parameter) -> pl.Expr:
    """Give each run's value of a parameter as the study has it."""
    if parameter.numbers is None:
        return pl.col(parameter.name)
    named = dict(zip(parameter.numbers, parameter.values, strict=True))
    return pl.col(parameter.name).replace_strict(named)


def lines(axis: Axis) -> list[Line]:
    """Give a line for each value: a controller's own colour, the first of the list for others."""
    hues = controllers(axis)
    names_itself = is_controllers(axis.parameter)
    made = [
        Line(
            f"l{index}", index, (text if names_itself else f"{axis.parameter.name} {text}",), hue, 0
        )
        for index, (text, hue) in enumerate(zip(axis.texts, hues, strict=True))
    ]
    return coloured(made)


def controllers(axis: Axis) -> list[str | None]:
    """Name a controller whose colour and shape each value gets: its own, or a free one."""
    free = (it for it in registered() if it not in axis.texts)
    return [it if it in registered() else next(free, None) for it in axis.texts]


def is_controllers(parameter: Parameter) -> bool:
    """Say whether a parameter's values are controllers."""
    return parameter.name == "controller" or all(it in registered() for it in parameter.values)


def thinned(count: int, most: int) -> list[int]:
    """Choose places among this many, evenly, with the first and the last."""
    if count <= most:
        return list(range(count))
    return sorted({round(index * (count - 1) / (most - 1)) for index in range(most)})


@dataclass(frozen=True)
class Panel:
    """The runs that are drawn together, and what they have in common."""

    title: str
    frame: pl.DataFrame


@dataclass(frozen=True)
class Division:
    """The panels of a picture, what is hidden in each, and a note about omissions."""

    panels: list[Panel]
    hidden: list[Parameter]
    note: str


def division(
    frame: pl.DataFrame,
    parameters: list[Parameter],
    shown: list[Parameter],
    most: int = MOST_PANELS,
) -> Division:
    """Divide runs into `most` panels by the parameters that a picture does not show.

    Words come before numbers; each is taken that still leaves no more panels. If
    even the first leaves more, its values are thinned out. A parameter that was
    zipped with a shown one would leave a point in a panel: it is hidden, and so
    is one of a random design, of which no two runs have the same value.
    """
    rest = sorted(
        (it for it in parameters if it not in shown), key=lambda it: it.numbers is not None
    )
    chosen: list[Axis] = []
    note = ""
    for parameter in rest:
        candidate = axis(parameter)
        if candidate.edges or not all(crossed(frame, candidate, axis(it)) for it in shown):
            continue
        count = len(candidate.texts)
        if math.prod(len(it.texts) for it in chosen) * count <= most:
            chosen.append(candidate)
        elif not chosen:
            chosen.append(candidate)
            note = f"Only {most} of the {count} values of {parameter.name} are shown."
            break
    places = [thinned(len(it.texts), most) for it in chosen]
    panels = [
        Panel(
            BETWEEN.join(titled(it, index) for it, index in zip(chosen, key, strict=True)),
            frame.filter(
                pl.lit(True), *(it.index() == at for it, at in zip(chosen, key, strict=True))
            ),
        )
        for key in itertools.product(*places)
    ]
    hidden = [it for it in rest if it not in [axis.parameter for axis in chosen]]
    return Division([it for it in panels if not it.frame.is_empty()], hidden, note)


def titled(axis: Axis, index: int) -> str:
    """Name a value of a parameter."""
    text = axis.texts[index]
    return text if is_controllers(axis.parameter) else f"{axis.parameter.name} {text}"


def crossed(frame: pl.DataFrame, one: Axis, other: Axis) -> bool:
    """Say whether most values of two parameters were run with each other."""
    pairs = frame.select(a=one.index(), b=other.index()).drop_nulls().unique().height
    return 2 * pairs > len(one.texts) * len(other.texts)


def numeric(results: StudyFrame) -> list[Parameter]:
    """Give the parameters that are numbers, those with most values first."""
    numbers = [it for it in results.parameters if it.numbers is not None and len(it.values) > 1]
    return sorted(numbers, key=lambda it: -len(it.values))


def base(parameter: Parameter) -> str | None:
    """Give the value with the name of a base, if there is one."""
    if parameter.numbers is not None or len(parameter.values) < 2:
        return None
    return next((it for it in parameter.values if it in BASES), None)


def compared(results: StudyFrame) -> Parameter | None:
    """Choose the parameter that distinguishes lines.

    The controllers; without any, words that have a base value, then other words, then
    the number with the fewest values, if there are two.
    """
    words = [it for it in results.parameters if it.numbers is None and len(it.values) > 1]
    numbers = numeric(results)
    candidates = [
        *(it for it in words if is_controllers(it)),
        *(it for it in words if base(it)),
        *words,
        *(numbers[-1:] if len(numbers) > 1 else []),
    ]
    return candidates[0] if candidates else None


def swept(results: StudyFrame, by: Parameter | None) -> Parameter | None:
    """Choose the axis: of the other numbers the one with most values."""
    return next((it for it in numeric(results) if it != by), None)
