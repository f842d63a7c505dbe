"""Designs: the points of a study; a point has a value for every parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from windtunnel.scenario.writing import in_toml
from windtunnel.studies.file import Study, Varied
from windtunnel.studies.values import between

FINEST = 1 << 20
"""The steps into which samples divide the unit interval, which keeps their values short."""


@dataclass(frozen=True)
class Point:
    """A value of each parameter, and the settings of the scenario."""

    values: tuple[float | str, ...]
    """Numbers in base units for numeric parameters."""
    settings: tuple[tuple[str, str], ...]
    """TOML values by their paths, in order."""


def count(study: Study) -> int:
    """Count the points, without making them."""
    if study.sample:
        return study.sample.points
    return math.prod(len(group[0].values) for group in groups(study.parameters))


def points(study: Study) -> Iterator[Point]:
    """Give the points; the last parameter varies fastest."""
    grouped = groups(study.parameters)
    if study.sample:
        for shares in sampled(study, len(grouped)):
            drawn: dict[str, Choice] = {}
            for group, share in zip(grouped, shares, strict=True):
                drawn |= {it.name: at_share(it, share) for it in group}
            yield point(study, drawn)
        return
    for places in product(*(range(len(group[0].values)) for group in grouped)):
        chosen: dict[str, Choice] = {}
        for group, place in zip(grouped, places, strict=True):
            chosen |= {it.name: at_place(it, place) for it in group}
        yield point(study, chosen)


def groups(parameters: list[Varied]) -> list[list[Varied]]:
    """Group the parameters that vary together."""
    made: dict[str, list[Varied]] = {}
    for it in parameters:
        made.setdefault(f"zip {it.group}" if it.group else it.name, []).append(it)
    return list(made.values())


Choice = tuple[float | str, dict[str, str]]
"""A parameter's value, and its settings."""


def at_place(parameter: Varied, place: int) -> Choice:
    """Choose a value by its index."""
    listed = parameter.numbers or parameter.values
    return listed[place], parameter.settings[place]


def at_share(parameter: Varied, share: float) -> Choice:
    """Choose a value by a number from 0 to 1: between the ends of a range, or of a list."""
    if parameter.ends is None:
        return at_place(parameter, int(share * len(parameter.values)))
    first, last = parameter.ends
    number = between(first.number, last.number, share, parameter.logarithmic)
    text = first.at(number) if first.written else float(f"{number:.9g}")
    return number, dict.fromkeys(parameter.paths, in_toml(parameter.name, text))


def sampled(study: Study, dimensions: int) -> Iterator[list[float]]:
    """Draw points of the unit cube.

    A Latin hypercube (McKay, Beckman, Conover 1979) has one point in each of as many
    equal slices of every dimension as there are points.
    """
    # Imported here: SciPy takes longer to load than most commands take.
    from scipy.stats import qmc

    assert study.sample
    if study.sample.design == "latin-hypercube":
        drawn = qmc.LatinHypercube(dimensions, rng=study.sample.seed).random(study.sample.points)
    else:
        import numpy

        generator = numpy.random.default_rng(study.sample.seed)
        drawn = generator.random((study.sample.points, dimensions))
    for row in drawn:
        yield [math.floor(share * FINEST) / FINEST for share in row.tolist()]


def point(study: Study, chosen: dict[str, Choice]) -> Point:
    """Make a point from chosen values, with the derived values."""
    settings = [*study.settings.items()]
    for _, sets in chosen.values():
        settings += sets.items()
    numbers = {name: value for name, (value, _) in chosen.items() if isinstance(value, float)}
    for name, derive, formula in study.derived:
        try:
            value = formula(numbers)
        except ValueError as error:
            raise study.mistake(("derive", name, "value"), str(error)) from None
        text = f"{value:.12g} {derive.unit}" if derive.unit else value
        settings.append((derive.path, in_toml(derive.path, text)))
    return Point(tuple(value for value, _ in chosen.values()), tuple(settings))
