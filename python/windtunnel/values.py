"""The values of a scenario by their paths, such as `links.wire.rate`."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from windtunnel.axes import axis_of

NOT_SET = "not set"


def values(text: str) -> dict[str, Any]:
    """Give the values of a scenario by their paths; none if it is damaged."""
    try:
        return dict(flat(tomllib.loads(text)))
    except tomllib.TOMLDecodeError:
        return {}


def values_of_case(text: str, axes: Sequence[str], case: Sequence[str]) -> dict[str, Any]:
    """Give the values of one case of a scenario's comparison, as `values`; `axes` are columns."""
    found = values(text)
    for axis, name in zip(axes, case, strict=True):
        compared = tomllib.loads(text).get("compare", {}) if found else {}
        found |= compared.get(axis_of(axis), {}).get(name, {})
    return found


def flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Give each value of nested tables by its path."""
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Give the paths of values that differ, the seed first, with both as on a command line."""
    paths = sorted({*before, *now}, key=lambda it: (it != "seed", it))
    return [
        (path, written(before, path), written(now, path))
        for path in paths
        if before.get(path) != now.get(path)
    ]


def written(table: Mapping[str, Any], path: str) -> str:
    """Write a value as on a command line."""
    return json.dumps(table[path], ensure_ascii=False, default=str) if path in table else NOT_SET
