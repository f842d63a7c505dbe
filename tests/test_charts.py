"""Charts whose values are all missing: a row or a line without a mark, and no error."""

from __future__ import annotations

import polars as pl
import pytest

from windtunnel.pictures import bar_charts, charts
from windtunnel.pictures.cases import Line
from windtunnel.pictures.charts import Drawing, specification
from windtunnel.pictures.colours import LIGHT, SCREEN, Ink
from windtunnel.pictures.spreads import axis_of, draw_distribution

LINES = [Line("0", 0, ("cubic",), "cubic", 0), Line("1", 1, ("reno",), "reno", 0)]

each_ink = pytest.mark.parametrize("ink", [SCREEN, LIGHT], ids=["screen", "light"])


def missing(*columns: str) -> pl.DataFrame:
    """Give rows of both lines in which these columns hold nothing."""
    nothing = [pl.lit(None, pl.Float64).alias(name) for name in columns]
    return pl.DataFrame({"line": ["0", "1"]}).with_columns(nothing)


def assert_drawn(chart: Drawing) -> None:
    """Draw it as a report does."""
    assert specification(chart)


@each_ink
def test_bars_without_any_value_are_drawn(ink: Ink) -> None:
    assert_drawn(bar_charts.bars(missing(*bar_charts.VALUES), LINES, "goodput", ink))


@each_ink
def test_lines_over_time_without_any_value_are_drawn(ink: Ink) -> None:
    for frame in (
        missing("mean", "low", "high").with_columns(time_s=pl.lit(1.0)),
        missing("mean", "low", "high", "time_s"),
        missing("mean", "low", "high", "time_s").clear(),
    ):
        assert_drawn(charts.over_time(frame, LINES, "goodput", ink))


@each_ink
def test_distributions_without_any_value_are_drawn(ink: Ink) -> None:
    frame = missing("value").with_columns(share=pl.lit(0.5))
    assert_drawn(draw_distribution(frame, LINES, "delay", "of packets", ink, axis_of(frame)))
