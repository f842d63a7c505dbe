"""Colours, shapes and dashes: what a controller looks like in every picture.

A controller has one hue and one shape, by the number that it is registered with; what
else distinguishes lines (a reading, a rate) is a dash. No picture relies on colour
alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from windtunnel._core import catalogue
from windtunnel.pictures.sizes import ON_A_PAGE, Sizes


@dataclass(frozen=True)
class Ink:
    """The colours of a picture, as CSS has them, and its sizes."""

    background: str
    raised: str
    """The background of raised elements."""
    text: str
    soft: str
    """Text that comes second."""
    grid: str
    hues: tuple[str, ...]
    """The colours of controllers."""
    sizes: Sizes = ON_A_PAGE

    def hue(self, controller: str | None) -> str:
        """Give a controller's colour; grey for several, or one that is not registered."""
        index = number(controller)
        return self.soft if index is None else self.hues[index % len(self.hues)]


# The hues of Paul Tol's "muted" scheme, made darker or lighter until each has a
# contrast of 3:1 to the background and a distance of 20 (CIE 1976) to each other,
# also as people without red, green or blue cones see them (Machado et al., 2009).
LIGHT = Ink(
    background="#ffffff",
    raised="#f4f6f8",
    text="#1b2026",
    soft="#56606b",
    grid="#dfe3e8",
    hues=(
        "#18a0d0",
        "#a01038",
        "#70a050",
        "#a89020",
        "#382890",
        "#b84098",
        "#187860",
        "#606800",
        "#680848",
    ),
)
DARK = Ink(
    background="#15181c",
    raised="#1e2329",
    text="#e6e9ed",
    soft="#a3adb8",
    grid="#343b43",
    hues=(
        "#90c8e0",
        "#f09098",
        "#308840",
        "#e0c870",
        "#8058d8",
        "#b048a0",
        "#80f8d8",
        "#a09830",
        "#c84878",
    ),
)
SCREEN = Ink(
    background="var(--background)",
    raised="var(--raised)",
    text="var(--text)",
    soft="var(--soft)",
    grid="var(--grid)",
    hues=tuple(f"var(--hue-{index})" for index in range(len(LIGHT.hues))),
)
"""What a page has, which is light or dark: the names that `css` declares."""

SHAPES = (
    "M1,0A1,1 0 1,1 -1,0A1,1 0 1,1 1,0Z",
    "M-0.9,-0.9H0.9V0.9H-0.9Z",
    "M0,-1.1L1.1,0.9H-1.1Z",
    "M0,-1.25L1.25,0L0,1.25L-1.25,0Z",
    "M0,1.1L1.1,-0.9H-1.1Z",
    "M-0.4,-1.2H0.4V-0.4H1.2V0.4H0.4V1.2H-0.4V0.4H-1.2V-0.4H-0.4Z",
    "M-1.1,0L0.9,-1.1V1.1Z",
    "M1.1,0L-0.9,-1.1V1.1Z",
    "M-1.1,-0.55L-0.55,-1.1L0,-0.55L0.55,-1.1L1.1,-0.55L0.55,0L1.1,0.55L0.55,1.1L0,0.55"
    "L-0.55,1.1L-1.1,0.55L-0.55,0Z",
    "M0,-1.3L0.35,-0.4L1.25,-0.4L0.55,0.2L0.8,1.1L0,0.55L-0.8,1.1L-0.55,0.2L-1.25,-0.4L-0.35,-0.4Z",
)
"""Marks on lines, as SVG paths around the origin. There is one more than hues, so that
ninety controllers have ninety combinations."""

NO_SHAPE = "M0,0"
"""The shape of a line without marks."""

DASHES = ((1, 0), (6, 3), (2, 2), (9, 3, 2, 3))
"""Lengths of strokes and gaps in pixels; the first is a line without gaps."""


@cache
def registered() -> dict[str, int]:
    """Give the number of each controller's look by its name, in the order of the numbers."""
    numbers = {it["name"]: it["look"] for it in json.loads(catalogue("controllers"))}
    return dict(sorted(numbers.items(), key=lambda it: it[1]))


def number(controller: str | None) -> int | None:
    """Give the number of a controller's look; none of one that is not registered."""
    return registered().get(controller) if controller else None


def shape(controller: str | None) -> str:
    """Give a controller's shape, an SVG path."""
    return SHAPES[(number(controller) or 0) % len(SHAPES)]


def css() -> str:
    """Declare the names of `SCREEN`: light on paper and by day, dark where it is asked for."""
    dark = "@media screen and (prefers-color-scheme: dark)"
    return f":root{{{declarations(LIGHT)}}}\n{dark}{{:root{{{declarations(DARK)}}}}}\n"


def declarations(ink: Ink) -> str:
    """Write CSS custom properties."""
    named = {name: getattr(ink, name) for name in ("background", "raised", "text", "soft", "grid")}
    hues = {f"hue-{index}": hue for index, hue in enumerate(ink.hues)}
    return "".join(f"--{name}:{value};" for name, value in {**named, **hues}.items())
