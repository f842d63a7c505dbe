"""Looks: the hue and the shape of each line, so that no two of a comparison are alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from windtunnel.pictures.colours import LIGHT, SHAPES, number

MOST_LINES = 8
"""The maximum number of lines that are distinguishable in one picture."""

HUES = len(LIGHT.hues)


def looks(subjects: Iterable[tuple[Hashable, str | None]]) -> dict[Hashable, int | None]:
    """Give each subject a place among hues and shapes.

    A subject has a controller, or none. The first of each controller gets the controller's own
    place, unless its hue or shape is taken; the others get free ones. With more subjects than
    hues, they begin again.
    """
    controllers = dict(subjects)
    places: dict[Hashable, int | None] = {}
    for subject, controller in controllers.items():
        own = number(controller)
        if own is not None and is_free(own, places.values()):
            places[subject] = own
    for subject, controller in controllers.items():
        if subject not in places:
            taken = list(places.values())
            free = (it for it in range(HUES * len(SHAPES)) if is_free(it, taken))
            places[subject] = next(free, number(controller) or len(places))
    return {subject: places[subject] for subject in controllers}


def is_free(place: int, taken: Iterable[int | None]) -> bool:
    """Say whether neither the hue nor the shape of a place is taken."""
    others = [it for it in taken if it is not None]
    return all(place % HUES != it % HUES for it in others) and all(
        place % len(SHAPES) != it % len(SHAPES) for it in others
    )
