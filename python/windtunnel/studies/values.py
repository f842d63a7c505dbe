"""Values of parameters: ranges of them, and their names."""

from __future__ import annotations

from typing import Any

from windtunnel.scenario.writing import in_toml


def spaced(first: float, last: float, steps: int, logarithmic: bool) -> list[float]:
    """Give `steps` numbers from `first` to `last`, equally far apart or in equal ratios."""
    if steps == 1:
        return [first]
    shares = (index / (steps - 1) for index in range(steps))
    # Rounded, so that ratios such as 2 do not end in ...0001.
    return [float(f"{between(first, last, it, logarithmic):.12g}") for it in shares]


def between(first: float, last: float, share: float, logarithmic: bool) -> float:
    """Interpolate from `first` to `last`."""
    if logarithmic:
        ratio: float = (last / first) ** share
        return first * ratio
    return first + (last - first) * share


def label(value: Any) -> str:
    """Name a value: text as it is, anything else in TOML."""
    if isinstance(value, str):
        return value
    return in_toml("", value)
