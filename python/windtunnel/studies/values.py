"""Values of parameters: ranges of them, and their names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from windtunnel.scenario.writing import in_toml

KIND = "kind"
"""The key that says of a table what it is."""


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


def labels(values: list[Any]) -> list[str]:
    """Name the values of a parameter, each differently.

    Text is its own name, anything else is in TOML; but tables have short names, `codel`: their
    kind, and of those with the same kind what they differ in, `codel, target 5 ms`.
    """
    written = [it if isinstance(it, str) else in_toml("", it) for it in values]
    tables = [dict(leaves(it)) for it in values]
    if not all(tables):
        return written
    short = [
        told(table, [it for it in tables if it.get(KIND) == table.get(KIND)]) for table in tables
    ]
    return short if len(set(short)) == len(short) and all(short) else written


def told(table: Mapping[str, str], alike: list[dict[str, str]]) -> str:
    """Name a table after its kind, and after what others of the kind do not have."""
    kind = table.get(KIND)
    own = {key: text for key, text in table.items() if not (key.endswith(KIND) and text == kind)}
    differing = [key for key, text in own.items() if any(it.get(key) != text for it in alike)]
    return ", ".join([*([kind] if kind else []), *(f"{key} {own[key]}" for key in differing)])


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Give the values in a table or in a list of tables, by their paths."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from leaves(inner, f"{path}.{key}".lstrip("."))
        case list() if value and all(isinstance(it, dict) for it in value):
            # A list of one table again and again, such as a queue at both ends, is as one table.
            alike = all(it == value[0] for it in value)
            for number, inner in enumerate(value[:1] if alike else value, start=1):
                yield from leaves(inner, path if alike or number == 1 else f"{path}{number}")
        case _ if path:
            yield path, value if isinstance(value, str) else in_toml("", value)
