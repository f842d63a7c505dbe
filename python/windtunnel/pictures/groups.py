"""Groups of flows: which flows a line or a bar stands for."""

from __future__ import annotations

import polars as pl

from windtunnel.pictures.looks import MOST_LINES

GROUP = "group"
"""The column of the group of a flow."""

NUMBER = r"[-_. ]*\d+$"
"""What the names of flows that belong together differ in: `bulk-1` and `bulk-2` are `bulk`."""


def grouped(flows: pl.DataFrame) -> pl.DataFrame:
    """Give each flow its group, in the words of the file.

    It is the flow itself where one picture has room for all flows of all cases, or else the
    flows whose names differ in a number, or else those of one controller. Where no grouping fits
    into one picture, it is the first that does for each case.
    """
    flow, controller = pl.col("flow"), pl.col("flow_controller")
    stem = flow.str.replace(NUMBER, "")
    named = [flows.with_columns(it.alias(GROUP)) for it in (flow, stem, controller)]
    for keys in (["case", GROUP], [GROUP]):
        for candidate in named:
            if candidate.select(keys).n_unique() <= MOST_LINES:
                return candidate
    return named[-1]


def by_controller(flows: pl.DataFrame) -> pl.DataFrame:
    """Make a group of the flows of each controller, as papers compare them."""
    return flows.with_columns(pl.col("flow_controller").alias(GROUP))
