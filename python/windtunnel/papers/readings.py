"""Readings: what a paper leaves open, and how the readings of different questions combine."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

READING = "reading"
"""The axis of the readings in a scenario."""

DEFAULT = "default"
"""The reading that a paper's page recommends."""

JOINT = " + "
"""What stands between the names of readings that are combined."""

SEED = 1
"""The seed of the sample of combinations."""


Axes = dict[str, dict[str, dict[str, Any]]]
"""What a scenario compares: on each axis, what each case sets by its paths."""


def compared(text: str) -> Axes:
    """Give what a scenario compares, by its text."""
    found: Axes = tomllib.loads(text).get("compare", {})
    return found


def readings_of(axes: Axes) -> dict[str, dict[str, Any]]:
    """Give the readings of an experiment: by name, what each sets by its paths."""
    return {name: sets for name, sets in axes.get(READING, {}).items() if name != DEFAULT}


def parts(reading: str) -> list[str]:
    """List the readings of which one is made; none for the default."""
    return [] if reading == DEFAULT else reading.split(JOINT)


def joined(names: Iterable[str]) -> str:
    """Name the combination of some readings."""
    return JOINT.join(names) or DEFAULT


def restricted(reading: str, known: Collection[str]) -> str:
    """Keep those parts of a reading that are known; the others do not concern an experiment."""
    return joined(part for part in parts(reading) if part in known)


def known_parts(readings: Iterable[str]) -> set[str]:
    """Collect the parts of some readings."""
    return {part for reading in readings for part in parts(reading)}


def overrides(reading: str, of_each: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    """Combine the values that the parts of a reading set, by their paths, in the parts' order."""
    together: dict[str, object] = {}
    for part in parts(reading):
        together |= of_each[part]
    return together


@dataclass(frozen=True)
class Space:
    """All combinations of a paper's readings: one of each open question."""

    axes: Mapping[str, Sequence[str]]
    """By open question, the readings other than the default."""

    @property
    def size(self) -> int:
        """The number of combinations, the default among them."""
        return prod(len(names) + 1 for names in self.axes.values())

    def at(self, place: int) -> str:
        """Give a combination by its place among all; the first is the default."""
        chosen: list[str] = []
        for names in reversed(list(self.axes.values())):
            place, option = divmod(place, len(names) + 1)
            if option:
                chosen.append(names[option - 1])
        return joined(reversed(chosen))

    def sample(self, count: int) -> list[str]:
        """Draw different combinations, each equally likely; all of them if there are no more."""
        places: Iterable[int] = range(self.size)
        if count < self.size:
            places = sorted(random.Random(SEED).sample(range(self.size), count))
        return [self.at(place) for place in places]

    def option(self, reading: str, axis: str) -> str:
        """Give the reading of one axis in a combination."""
        chosen = parts(reading)
        return next((name for name in self.axes[axis] if name in chosen), DEFAULT)
