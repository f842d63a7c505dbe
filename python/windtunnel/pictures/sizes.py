"""Sizes: how large a picture is, and its text, in pixels of CSS (1/96 inch)."""

from __future__ import annotations

from dataclasses import dataclass

PER_INCH = 96.0
"""Pixels of an inch."""

WIDE = 260.0
"""The height of a picture that is not narrow."""

ROW, TEXT = 24.0, 12.0
"""The height of a row of bars, and of the text beside it."""


@dataclass(frozen=True)
class Sizes:
    """The sizes of a picture."""

    width: float = 560.0
    """The width of what is inside the axes."""
    whole: float = 620.0
    """The width of the picture with what is beside the axes, about."""
    font: float = TEXT

    @property
    def height(self) -> float:
        """The height of what is inside the axes, which is less where the picture is narrow."""
        return min(WIDE, 0.55 * self.whole)

    @property
    def letter(self) -> float:
        """The width of a letter, about."""
        return 0.54 * self.font

    @property
    def row(self) -> float:
        """The height of a row of bars with the space around it."""
        return ROW * self.font / TEXT

    @property
    def label(self) -> int:
        """The letters in a line of a row's label: on a phone it must leave room for the bar."""
        return int(min(180.0, 0.35 * self.whole) / self.letter)


ON_A_PAGE = Sizes()
"""The sizes of pictures in reports and notebooks."""
