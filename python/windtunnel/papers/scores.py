"""How well readings fit: the numbers of a paper that agree under each, and what each adds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from windtunnel.measures.intervals import half_width
from windtunnel.papers.items import Item
from windtunnel.papers.readings import DEFAULT, Space, known_parts, restricted


@dataclass(frozen=True)
class Score:
    """How many of a paper's numbers agree under a reading."""

    reading: str
    agree: int
    numbers: int
    definitions: list[str]
    """The definitions that are not the recommended ones, where others agree more often."""


@dataclass(frozen=True)
class Effect:
    """What a reading adds to the numbers that agree, over the combinations that were run."""

    axis: str
    reading: str
    gain: float
    """The difference of the means of the combinations with it and of those with the axis's
    default."""
    half_width: float
    """Half the 95 % interval of the difference."""


class Numbers:
    """The published numbers, each with its items by definition and reading."""

    def __init__(self, items: Iterable[Item]) -> None:
        """Collect the items of numbers."""
        self.found: dict[tuple[str, str, str], Item] = {}
        self.definitions: dict[str, list[str]] = {}
        readings: dict[str, list[str]] = {}
        for item in items:
            if item.kind != "number":
                continue
            number = item.id if item.of_claim else item.id.rsplit("/", 1)[0]
            self.found[number, item.definition, item.reading] = item
            known = self.definitions.setdefault(number, [])
            if item.definition not in known:
                known.append(item.definition)
            readings.setdefault(number, []).append(item.reading)
        self.known = {number: known_parts(of) for number, of in readings.items()}

    def score(self, reading: str, *, any_definition: bool = False) -> Score:
        """Count each number once; a definition holds for all numbers for which it is open."""
        together: dict[tuple[str, ...], dict[str, int]] = {}
        for number, definitions in self.definitions.items():
            counts = together.setdefault(tuple(definitions), dict.fromkeys(definitions, 0))
            own = restricted(reading, self.known[number])
            for definition in definitions:
                item = self.found.get((number, definition, own))
                counts[definition] += item is not None and item.agrees
        agree, others = 0, []
        for counts in together.values():
            # The first is the recommended one, and stays unless another agrees more often.
            best = max(counts, key=lambda it: counts[it]) if any_definition else next(iter(counts))
            agree += counts[best]
            if best and best not in others:
                others.append(best)
        return Score(reading, agree, len(self.definitions), others)


def best(scores: Sequence[Score]) -> Score:
    """Give the score with the most numbers that agree; of equal ones the first."""
    return max(scores, key=lambda it: it.agree)


def effects(scores: Sequence[Score], space: Space) -> list[Effect]:
    """Give what each reading adds to the default of its axis, over combinations of readings.

    `scores` are those of a sample in which each combination is equally likely. Readings that
    are in less than two combinations are left out.
    """
    found = []
    for axis, names in space.axes.items():
        by_option: dict[str, list[float]] = {}
        for score in scores:
            by_option.setdefault(space.option(score.reading, axis), []).append(score.agree)
        default = by_option.get(DEFAULT, [])
        for name in names:
            those = by_option.get(name, [])
            if min(len(those), len(default)) > 1:
                half = math.hypot(half_width(those), half_width(default))
                found.append(Effect(axis, name, fmean(those) - fmean(default), half))
    return found
