"""Looks: the hue and the shape of each controller; of each line where there is only one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from windtunnel.pictures.colours import LIGHT, SHAPES, number, registered

MOST_LINES = 8
"""The maximum number of lines that are distinguishable in one picture."""

HUES = len(LIGHT.hues)


Subject = TypeVar("Subject", bound=Hashable)

Palette = Mapping[str, int]
"""The place of each controller of a page among hues and shapes."""


def palette(controllers: Iterable[str | None]) -> dict[str, int]:
    """Give the controllers of a page their places: the same ones in whatever order they come.

    What has no place of its own, such as a protocol without a controller, gets a free one.
    """
    known = {it for it in controllers if it is not None}
    ordered = [it for it in registered() if it in known]
    others = sorted(known.difference(ordered))
    return looks((it, it) for it in [*ordered, *others])


def looks(
    subjects: Iterable[tuple[Subject, str | None]], taken: Iterable[int] = ()
) -> dict[Subject, int]:
    """Give each subject a place among hues and shapes.

    A subject has a controller, or none. The first of each controller gets the controller's own
    place, unless its hue or shape is taken; the others get free ones. With more subjects than
    hues, they begin again.
    """
    controllers = dict(subjects)
    used = Used(taken)
    places: dict[Subject, int] = {}
    for subject, controller in controllers.items():
        own = number(controller)
        if own is not None and used.leaves(own):
            places[subject] = used.use(own)
    for subject, controller in controllers.items():
        if subject not in places:
            free = (it for it in range(HUES * len(SHAPES)) if used.leaves(it))
            places[subject] = used.use(next(free, number(controller) or used.count))
    return {subject: places[subject] for subject in controllers}


class Used:
    """The hues and shapes of places that are taken."""

    def __init__(self, taken: Iterable[int]) -> None:
        """Take these places."""
        self.count = 0
        self._hues: set[int] = set()
        self._shapes: set[int] = set()
        for place in taken:
            self.use(place)

    def use(self, place: int) -> int:
        """Take a place."""
        self.count += 1
        self._hues.add(place % HUES)
        self._shapes.add(place % len(SHAPES))
        return place

    def leaves(self, place: int) -> bool:
        """Say whether neither the hue nor the shape of a place is taken."""
        return place % HUES not in self._hues and place % len(SHAPES) not in self._shapes
