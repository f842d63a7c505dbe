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
    others = list(taken)
    places: dict[Subject, int] = {}
    for subject, controller in controllers.items():
        own = number(controller)
        if own is not None and is_free(own, [*others, *places.values()]):
            places[subject] = own
    for subject, controller in controllers.items():
        if subject not in places:
            used = [*others, *places.values()]
            free = (it for it in range(HUES * len(SHAPES)) if is_free(it, used))
            places[subject] = next(free, number(controller) or len(used))
    return {subject: places[subject] for subject in controllers}


def is_free(place: int, taken: Iterable[int]) -> bool:
    """Say whether neither the hue nor the shape of a place is taken."""
    return not any(
        place % HUES == it % HUES or place % len(SHAPES) == it % len(SHAPES) for it in taken
    )
