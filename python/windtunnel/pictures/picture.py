"""A picture, and the files that hold it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from altair.utils.schemapi import debug_mode

from windtunnel.pictures.cases import Line
from windtunnel.pictures.charts import Drawing, specification
from windtunnel.pictures.colours import LIGHT, Ink


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
