"""What charts draw: frames as data, and what each line has on a channel of the drawing."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl

from windtunnel.pictures.cases import Line


def source(frame: pl.DataFrame) -> alt.InlineData:
    """Give a frame to a chart as CSV, which takes a third of the room of JSON."""
    kinds = {name: "number" if it.is_numeric() else "string" for name, it in frame.schema.items()}
    return alt.InlineData(frame.write_csv(), format=alt.CsvDataFormat(type="csv", parse=kinds))


def by_line(channel: type, lines: list[Line], values: list[Any]) -> Any:
    """Give each line its own value on a channel of the drawing."""
    domain = [line.name for line in lines]
    return channel("line:N", scale=alt.Scale(domain=domain, range=values), legend=None)
