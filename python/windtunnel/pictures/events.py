"""Events: what a scenario says that happens at an instant, for the axes of time."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import polars as pl

from windtunnel._core import units

MOST_EVENTS = 40
"""The maximum number of events that are drawn; more of them would hide the lines."""

MOST_NAMED = 6
"""The maximum number of events that a caption names."""

SECONDS = {unit: worth for unit, worth, base in units() if base == "s"}
"""Units of durations in scenario files."""

DURATION = re.compile(r"\s*([0-9._]+)\s*([a-zµ]+)\s*")

SCHEMA = {"time_s": pl.Float64, "event": pl.String}


def parsed(scenario: str) -> dict[str, Any]:
    """Read a scenario's text; nothing of one that is no TOML."""
    try:
        return tomllib.loads(scenario)
    except tomllib.TOMLDecodeError:
        return {}


def nodes_of(document: dict[str, Any], kind: str) -> list[str]:
    """Name the nodes of all tables of a kind, such as `producers`."""
    return [str(table["node"]) for _, table in tables(document, kind) if "node" in table]


def events(document: dict[str, Any]) -> pl.DataFrame:
    """List what a scenario says of times: `time_s` and `event`, in their order.

    Flows and consumers that start or stop during the run, and links that fail, return or change.
    What only some cases of a comparison say is not among them.
    """
    end = seconds(document.get("duration")) or 0.0
    rows = [*of_flows(document), *of_links(document, end)]
    frame = pl.DataFrame(rows, SCHEMA, orient="row").filter(
        pl.col("time_s") > 0, pl.col("time_s") < end
    )
    return frame.sort("time_s", maintain_order=True) if frame.height <= MOST_EVENTS else frame[:0]


def seconds(text: object) -> float | None:
    """Read a duration of a scenario file; none if it is none."""
    found = DURATION.fullmatch(text) if isinstance(text, str) else None
    worth = SECONDS.get(found[2]) if found else None
    return float(found[1]) * worth if found and worth else None


def tables(document: dict[str, Any], kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the tables of a kind with their names."""
    found = document.get(kind)
    for name, table in found.items() if isinstance(found, dict) else ():
        if isinstance(table, dict):
            yield name, table


def of_flows(document: dict[str, Any]) -> Iterator[tuple[float, str]]:
    """Give when flows and consumers start and stop."""
    for kind in ("flows", "consumers", "sessions"):
        for name, table in tables(document, kind):
            for key, word in (("start", "starts"), ("stop", "stops")):
                at = seconds(table.get(key))
                if at is not None:
                    yield at, f"{name} {word}"


def of_links(document: dict[str, Any], end: float) -> Iterator[tuple[float, str]]:
    """Give when links fail, return or change."""
    for name, table in tables(document, "links"):
        changes = table.get("changes")
        for change in changes if isinstance(changes, list) else ():
            at, every = seconds(change.get("at")), seconds(change.get("every"))
            said = ", ".join(
                written(value) if key == "state" else f"{key} {written(value)}"
                for key, value in change.items()
                if key not in ("at", "every")
            )
            times = 0
            while at is not None and at < end and times <= MOST_EVENTS:
                yield at, f"{name} {said}"
                at, times = (at + every if every else None), times + 1


def written(value: object) -> str:
    """Write a value of a scenario: with a slash between two directions, without brackets."""
    if isinstance(value, list):
        return " / ".join(map(written, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {written(it)}" for key, it in value.items())
    return str(value)


def named(frame: pl.DataFrame) -> str:
    """Write a sentence about events, for a caption."""
    if frame.is_empty():
        return ""
    shown = [f"{event} at {time:.4g} s" for time, event in frame.head(MOST_NAMED).rows()]
    more = frame.height - len(shown)
    return f"Dashed: {'; '.join(shown)}{f'; and {more} more' if more else ''}."
