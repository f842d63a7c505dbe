"""A picture, and the files that hold it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import vl_convert
from altair.utils.schemapi import debug_mode

from windtunnel.pictures.cases import Line
from windtunnel.pictures.charts import Drawing, specification
from windtunnel.pictures.colours import LIGHT, Ink

PNG_SCALE = 2.0
"""Pixels of a PNG for one of the picture: sharp on fine screens."""


@dataclass(frozen=True)
class Picture:
    """A picture: what it shows, and how it is drawn in an ink."""

    name: str
    """The stem of its files' names."""
    title: str
    caption: str
    lines: list[Line]
    """What a legend must explain; none where the picture does."""
    chart: Callable[[Ink], Drawing]

    def specification(self, ink: Ink) -> dict[str, Any]:
        """Draw it in an ink, as a specification of Vega-Lite."""
        with debug_mode(False):
            return specification(self.chart(ink))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw, for example before the time that it shows."""
        tables = self.specification(LIGHT)["datasets"].values()
        return not any("\n" in table.strip() for table in tables)


WRITERS: dict[str, Callable[[str], bytes]] = {
    ".svg": str.encode,
    ".pdf": vl_convert.svg_to_pdf,
    ".png": partial(vl_convert.svg_to_png, scale=PNG_SCALE),
}
"""What makes a file of an SVG document, by the file's suffix."""


def document(picture: Picture) -> str:
    """Draw a picture as an SVG document, for paper."""
    return vl_convert.vegalite_to_svg(picture.specification(LIGHT))
