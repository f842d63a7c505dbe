"""What can be named: papers, the parts of a scenario, and what the bench measures."""

from __future__ import annotations

import json
from typing import Any, Literal

from rich.table import Table

from windtunnel import _core
from windtunnel.bench.workloads import LONG_WORKLOADS, WORKLOADS

Kind = Literal["papers", "controllers", "queues", "strategies", "workloads"]


def entries(kind: Kind) -> list[dict[str, Any]]:
    """List the entries of a kind, each with its `name` and its description."""
    if kind == "papers":
        # Imported here: Polars takes longer to load than most commands take.
        from windtunnel.papers.paper import find_papers

        return [{"name": paper.name, "title": paper.title} for paper in find_papers()]
    if kind == "workloads":
        workloads = [*WORKLOADS, *LONG_WORKLOADS]
        return [{"name": it.name, "duration": f"{it.duration_s:g} s"} for it in workloads]
    listed: list[dict[str, Any]] = json.loads(_core.catalogue(kind))
    return listed


def table(kind: Kind) -> Table:
    """Format a list for a terminal."""
    listed = entries(kind)
    table = Table(*(listed[0] if listed else ["name"]), show_lines=kind == "controllers")
    for entry in listed:
        table.add_row(*(cell(value) for value in entry.values()))
    return table


def cell(value: str | list[str | dict[str, Any]]) -> str:
    """Format a value: text, a list of words, or parameters with their defaults."""
    if isinstance(value, str):
        return value
    words = [it for it in value if isinstance(it, str)]
    return ", ".join(words) or "\n".join(parameter(it) for it in value if isinstance(it, dict))


def parameter(it: dict[str, Any]) -> str:
    """Format a parameter with its default, and with what it requires when it is true."""
    on = f" (true requires {', '.join(it['needs'])})" if it["needs"] else ""
    return f"{it['name']} = {json.dumps(it['default'])}{on}"
