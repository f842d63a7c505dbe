"""Files of pictures: SVG, PDF and PNG, as they are on a page or as wide as a paper's column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import vl_convert

from windtunnel.pictures.colours import LIGHT
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.sizes import PER_INCH, Sizes
from windtunnel.tables import ResultsError

FORMATS = ("svg", "pdf", "png")
"""What a picture can be written as; text in PDF is text, in fonts that the file embeds."""

USUAL = ("svg", "pdf")
"""What it is written as by default."""

POINTS_PER_INCH = 72.0
TEXT = 8.0
"""The size of text in a paper's figure in points, as captions often have."""

DOTS_PER_INCH = 300.0
"""Of a PNG that is as wide as a column."""

SCALE = 2.0
"""Pixels of a PNG for one of a picture on a page: sharp on fine screens."""

LENGTH = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*(in|cm|mm|pt)\s*")
INCHES = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / POINTS_PER_INCH}
NARROWEST, WIDEST = 1.0, 20.0
"""The widths that a figure can have, in inches."""

ATTEMPTS = 4
"""How often a figure is drawn to find out how wide its axes may be."""


@dataclass(frozen=True)
class FigureFiles:
    """How pictures are written as files."""

    formats: tuple[str, ...] = USUAL
    width: float | None = None
    """The width in inches; none: as on a page."""

    @classmethod
    def of(cls, width: str | None = None, formats: Sequence[str] = ()) -> FigureFiles:
        """Read a width such as `3.4in` and names of formats. Raises ResultsError for others."""
        for it in formats:
            if it not in FORMATS:
                raise ResultsError(f"unknown format `{it}`; known: {', '.join(FORMATS)}")
        chosen = tuple(dict.fromkeys(formats)) or USUAL
        return cls(chosen, None if width is None else inches(width))

    def names(self, picture: Picture) -> list[str]:
        """Name a picture's files."""
        return [f"{picture.name}.{it}" for it in self.formats]

    def write(self, folder: Path, pictures: list[Picture]) -> None:
        """Write each picture into a new folder. Raises OSError."""
        folder.mkdir()
        for picture in pictures:
            drawn = document(picture, self.width)
            for name, format in zip(self.names(picture), self.formats, strict=True):
                (folder / name).write_bytes(encoded(drawn, format, self.width))


def inches(width: str) -> float:
    """Read a width. Raises ResultsError for what is not one."""
    match = LENGTH.fullmatch(width)
    if match is None:
        raise ResultsError(f"{width!r} is not a valid width; write one such as 3.4in or 86mm")
    found = round(float(match[1]) * INCHES[match[2]], 6)
    if not NARROWEST <= found <= WIDEST:
        raise ResultsError(
            f"{width!r} is not a valid width: it must be from {NARROWEST:g}in to {WIDEST:g}in"
        )
    return found


def document(picture: Picture, width: float | None = None) -> str:
    """Draw a picture as an SVG document: as on a page, or that many inches wide.

    In a picture of a given width text has 8 points. Its axes are drawn as wide as the labels
    beside them leave room for, which is known once they are drawn.
    """
    if width is None:
        return vl_convert.vegalite_to_svg(picture.specification(LIGHT))
    wanted = width * PER_INCH
    inside = 0.8 * wanted
    drawings: dict[float, str] = {}
    for _ in range(ATTEMPTS):
        sizes = Sizes(inside, wanted, TEXT * PER_INCH / POINTS_PER_INCH)
        drawn = vl_convert.vegalite_to_svg(picture.specification(replace(LIGHT, sizes=sizes)))
        excess = size(drawn)[0] - wanted
        drawings[excess] = drawn
        if abs(excess) < 1.0:
            return drawn
        inside = max(inside - excess, wanted / 4)
    # A label at the end of an axis comes and goes with its length: no axis may fit exactly.
    narrower = [it for it in drawings if it < 0]
    return widened(drawings[max(narrower)], wanted) if narrower else drawings[min(drawings)]


def widened(svg: str, width: float) -> str:
    """Give a document more room on its right, up to a width in pixels."""
    opening, rest = svg[: svg.index(">")], svg[svg.index(">") :]
    for name in (r'\bwidth="', 'viewBox="0 0 '):
        opening = re.sub(rf"({name})[\d.]+", rf"\g<1>{width:g}", opening, count=1)
    return opening + rest


def size(svg: str) -> tuple[float, float]:
    """Read the width and the height of a document in pixels."""
    opening = svg[: svg.index(">")]
    found = [re.search(rf'\b{it}="([\d.]+)"', opening) for it in ("width", "height")]
    across, upright = (float(it[1]) if it else 0.0 for it in found)
    return across, upright


def encoded(svg: str, format: str, width: float | None) -> bytes:
    """Write a document in a format: exactly as wide as a width in inches, if there is one."""
    if width is None:
        return page(svg, format, SCALE)
    # A PDF takes a pixel for a point.
    unit, per_inch = {"svg": ("in", 1.0), "pdf": ("", POINTS_PER_INCH)}.get(format, ("", PER_INCH))
    return page(resized(svg, width * per_inch, unit), format, DOTS_PER_INCH / PER_INCH)


def page(svg: str, format: str, scale: float) -> bytes:
    """Convert a document."""
    match format:
        case "pdf":
            return vl_convert.svg_to_pdf(svg)
        case "png":
            return vl_convert.svg_to_png(svg, scale=scale)
        case _:
            return svg.encode()


def resized(svg: str, width: float, unit: str) -> str:
    """Give a document another size, with all that is in it."""
    across, upright = size(svg)
    opening, rest = svg[: svg.index(">")], svg[svg.index(">") :]
    for name, length in (("width", width), ("height", width * upright / across)):
        opening = re.sub(rf'\b{name}="[\d.]+"', f'{name}="{length:.6g}{unit}"', opening, count=1)
    return opening + rest
