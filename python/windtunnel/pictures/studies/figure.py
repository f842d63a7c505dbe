"""A figure of a study: its panels, its lines, and the words that all figures share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import altair as alt
import polars as pl

from windtunnel.measures.columns import MeasuredColumn
from windtunnel.measures.frame import Parameter
from windtunnel.pictures.cases import Line
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import Ink
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.studies import drawing, layout, measures
from windtunnel.pictures.studies.layout import MOST_LINES, Panel, axis

EVERYTHING = [Line("l0", 0, ("all runs",), None, 0)]
"""The line where no parameter distinguishes lines."""


@dataclass(frozen=True)
class Figure:
    """A picture in panels: as one picture, or as one for each panel."""

    name: str
    title: str
    caption: str
    lines: list[Line]
    """What its legend explains."""
    panels: list[Panel]
    draw: Callable[..., list[alt.Chart]]
    """Draws a frame in an ink, as layers that share their data."""
    height: Callable[[Ink], float]
    """The height of a panel."""
    scattered: bool = False
    """Whether it is points, which have axes of their own in each panel."""

    def whole(self) -> Picture:
        """Give all panels as one picture."""
        legend = self.lines if len(self.lines) > 1 else []
        return Picture(self.name, self.title, self.caption, legend, self.chart)

    def parts(self) -> list[Picture]:
        """Give a picture for each panel, which a page can lay out as it likes."""
        if len(self.panels) == 1:
            return [self.whole()]
        return [
            replace(
                self, name=f"{self.name}-{index}", title=panel.title, caption="", panels=[panel]
            ).whole()
            for index, panel in enumerate(self.panels, start=1)
        ]

    def chart(self, ink: Ink) -> Drawing:
        """Draw all panels in an ink."""
        if len(self.panels) == 1:
            layers = self.draw(self.panels[0].frame, ink=ink)
            return drawing.alone(layers, self.lines, self.height(ink), self.scattered, ink)
        titles = [it.title for it in self.panels]
        named = [it.frame.with_columns(panel=pl.lit(it.title)) for it in self.panels]
        layers = self.draw(pl.concat(named), ink=ink)
        height = self.height(ink)
        return drawing.beside(layers, self.lines, titles, height, self.scattered, ink)


def plot_height(ink: Ink) -> float:
    """Give the height of a picture whose axes are numbers."""
    return ink.sizes.height


def samples(
    frame: pl.DataFrame, measure: MeasuredColumn, keys: dict[str, pl.Expr], hidden: list[Parameter]
) -> pl.DataFrame:
    """Give each run's keys and `value`, and the `combination` of what is hidden."""
    names = [it.name for it in hidden]
    combination = pl.struct(names) if names else pl.lit(0)
    value = measures.known(measure)
    return frame.select(**keys, value=value, combination=combination).drop_nulls("value")


def several(samples: pl.DataFrame, keys: list[str]) -> bool:
    """Say whether a point covers several combinations of hidden parameters."""
    counts = samples.group_by(keys).agg(pl.col("combination").n_unique())
    return bool((counts["combination"] > 1).any())


def lines_of(by: Parameter | None) -> tuple[list[Line], str]:
    """Give the lines of a parameter, and a note about those that are omitted."""
    if by is None:
        return EVERYTHING, ""
    lines = layout.lines(axis(by))
    if by.numbers is None or len(lines) <= MOST_LINES:
        return lines, ""
    chosen = [lines[it] for it in layout.thinned(len(lines), MOST_LINES)]
    return chosen, f"Only {MOST_LINES} of the {len(lines)} values of {by.name} are drawn."


def line_of(by: Parameter | None) -> pl.Expr:
    """Give the name of each run's line."""
    return pl.format("l{}", axis(by).index()) if by else pl.lit(EVERYTHING[0].name)


def there(lines: list[Line], drawn: pl.DataFrame) -> list[Line]:
    """Keep the lines that have values."""
    names = set(drawn["line"])
    return [it for it in lines if it.name in names]


def listed(names: list[str]) -> str:
    """Write names one after the other."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def capital(text: str) -> str:
    """Begin a title."""
    return text[0].upper() + text[1:]


def slug(it: Parameter | str) -> str:
    """Make a part of a file's name."""
    name = it if isinstance(it, str) else it.name
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
