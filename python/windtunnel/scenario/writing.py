"""Scenarios as text: dictionaries and values in TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from windtunnel._core import ScenarioError

BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotation marks."""

JSON = json.JSONEncoder(ensure_ascii=False)

Table = Mapping[str, object]

TABLE, ITEM = "[{}]", "[[{}]]"
"""The header of a table, and of one in an array of tables."""


def document(tables: Table) -> str:
    """Write a document. Raises ScenarioError for what TOML cannot express.

    The work grows with the number of values: the largest scenarios have ten thousand flows.
    """
    for key, value in tables.items():
        check_value(key, value)
    return "\n".join(section("", tables)).lstrip("\n") + "\n"


def in_toml(path: str, value: object) -> str:
    """Write the value of a path on one line. Raises ScenarioError for what TOML cannot express."""
    check_value(path, value)
    return written(value)


def section(path: str, table: Table, header: str = TABLE) -> Iterator[str]:
    """Write a table: its values, then the tables in it, each under a header of its own."""
    inner = {key: value for key, value in table.items() if has_header(value)}
    own = [entry(key, value) for key, value in table.items() if key not in inner]
    if path and (own or not inner or header == ITEM):
        yield from ("", header.format(path))
    yield from own
    for key, value in inner.items():
        below = f"{path}.{written_key(key)}" if path else written_key(key)
        if isinstance(value, dict):
            yield from section(below, value)
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from section(below, item, ITEM)


def entry(key: str, value: object) -> str:
    """Write a key with its value."""
    return f"{written_key(key)} = {written(value)}"


def has_header(value: object) -> bool:
    """Say whether a value is a table, or an array of nothing else."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(isinstance(item, dict) for item in value)
    return isinstance(value, dict)


def written(value: object) -> str:
    """Write a value on one line."""
    match value:
        case str():
            # JSON's text is TOML's except for one character.
            return JSON.encode(value).replace("\x7f", "\\u007f")
        case bool():
            return "true" if value else "false"
        case int():
            return int.__repr__(value)
        case float():
            return float.__repr__(value)
        case dict():
            return f"{{{', '.join(entry(key, one) for key, one in value.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(written, value))}]"
        case _:
            raise AssertionError(f"{value!r} was checked")


def written_key(key: str) -> str:
    """Write a key, in quotation marks where it needs them."""
    return key if BARE.fullmatch(key) else written(key)


def check_value(path: str, value: object) -> None:
    """Refuse values that TOML cannot express."""
    match value:
        case dict():
            for key, one in value.items():
                if not isinstance(key, str):
                    raise ScenarioError(f"{path}: the key {key!r} is not text; write {str(key)!r}")
                check_value(f"{path}.{key}", one)
        case list() | tuple():
            for index, one in enumerate(value):
                check_value(f"{path}[{index}]", one)
        case str() | bool() | int() | float():
            pass
        case _:
            raise ScenarioError(
                f"{path}: {value!r} is not a valid value\n"
                "help: write text, a number, True or False, a list or a dictionary, "
                "or omit the key"
            )
