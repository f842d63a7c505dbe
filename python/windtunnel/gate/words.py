"""Comparisons in words: for a terminal, and for a JUnit file."""

from __future__ import annotations

from windtunnel.gate.comparison import Compared
from windtunnel.measures.columns import described
from windtunnel.measures.intervals import Interval
from windtunnel.pictures.units import decimals, scale, written


def cells(it: Compared) -> tuple[str, str, str, str]:
    """Give the measure with its unit, the two means, and the difference with its interval."""
    column = described(it.measure)
    now = it.now.mean if it.now else None
    fitting = scale(column.unit, [it.baseline.mean, now])
    means = [it.baseline.mean / fitting.size, None if now is None else now / fitting.size]
    before, after = (written(mean, decimals(means)) for mean in means)
    shown = it.difference.scaled(1 / fitting.size) if it.difference else None
    return fitting.title(column.title), before, after, signed(shown) if shown else "–"


def signed(difference: Interval) -> str:
    """Write a difference with its interval."""
    digits = decimals(difference.ends)
    mean, low, high = (f"{it:+,.{digits}f}" for it in (difference.mean, *difference.ends))
    return f"{mean} [{low}, {high}]"


def sentence(it: Compared) -> str:
    """Say what was compared, in one sentence."""
    title, before, now, difference = cells(it)
    if it.now is None:
        return f"{title}: {it.verdict}, was {before}"
    return f"{title}: was {before}, is {now}; difference and its 95 % interval: {difference}"
