"""A measure: a quantity of which each run has one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

VALUE = "value"
"""The column of a measured value."""


class Tables(Protocol):
    """Tables of results, by name."""

    def __getitem__(self, name: str, /) -> pl.DataFrame:
        """Give a table."""


@dataclass(frozen=True)
class Bound:
    """The range outside which no protocol can be: the minimum and the maximum."""

    minimum: float | None = None
    maximum: float | None = None
    reason: str = ""


def unbounded(goodput_bps: float, delay_s: float) -> Bound:
    """Set no bound."""
    return Bound()


@dataclass(frozen=True)
class Measure:
    """A quantity with one value per run."""

    title: str
    """What it is, in one line."""
    unit: str
    """The unit of its values."""
    take: Callable[[Tables, list[str]], pl.DataFrame]
    """From results, and the columns that identify runs, to those columns and `VALUE`."""
    of_each_flow: bool = False
    """Whether it can also be measured for each flow."""
    bound: Callable[[float, float], Bound] = unbounded
    """From the maximum goodput in bit/s and the minimum delay in s that the network allows."""


def goodput_bound(unit_bps: float) -> Callable[[float, float], Bound]:
    """Bound a goodput by the capacity of the network; `unit_bps` is its unit in bit/s."""

    def bound(goodput_bps: float, delay_s: float) -> Bound:
        reason = f"at most {goodput_bps / 1e6:.3g} Mbps can be received on this network"
        return Bound(maximum=goodput_bps / unit_bps, reason=reason)

    return bound


def delay_bound(goodput_bps: float, delay_s: float) -> Bound:
    """Bound a delay, in s, by that of the shortest path."""
    return Bound(minimum=delay_s, reason=f"Data takes at least {delay_s:.3g} s on this network")


def share_bound(goodput_bps: float, delay_s: float) -> Bound:
    """Bound a share by 1."""
    return Bound(maximum=1.0, reason="a share is at most 1")


def from_rows(
    samples: pl.DataFrame, keys: list[str], take: Callable[[list[dict[str, Any]]], float | None]
) -> pl.DataFrame:
    """Compute a value for each run from its rows in order of time; None: it has none."""
    ordered = samples.sort("time_s", maintain_order=True)
    rows = [
        (*case, take(of_case.to_dicts()))
        for case, of_case in ordered.group_by(keys, maintain_order=True)
    ]
    kinds = pl.Schema([*samples.select(keys).schema.items(), (VALUE, pl.Float64())])
    return pl.DataFrame(rows, kinds, orient="row")


def of_runs(rows: pl.DataFrame, keys: list[str], value: pl.Expr) -> pl.DataFrame:
    """Compute a value for each run from its rows."""
    return rows.group_by(keys, maintain_order=True).agg(value.alias(VALUE))
