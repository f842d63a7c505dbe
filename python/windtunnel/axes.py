"""Axes of comparisons and parameters of studies: their columns in tables.

The column has the name of the axis, or where another column has that, `axis.` and the name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from windtunnel._core import axis_column

PREFIX = "axis."


def column_of(axis: str, others: Collection[str] = ()) -> str:
    """Name the column of an axis in tables that also have `others`."""
    return PREFIX + axis if axis in others else axis_column(axis)


def axis_of(column: str) -> str:
    """Name the axis of a column."""
    return column.removeprefix(PREFIX)


def renamed(columns: Iterable[str], others: Collection[str] = ()) -> dict[str, str]:
    """Give the columns of axes as this version names them: an earlier one had fewer others."""
    return {it: column_of(axis_of(it), others) for it in columns}
