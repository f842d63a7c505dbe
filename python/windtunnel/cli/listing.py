"""What can be named: papers, and the parts of a scenario."""

from __future__ import annotations

import json
from typing import Any, Literal

from rich.table import Table

from windtunnel import _core

Kind = Literal["papers", "controllers", "queues", "strategies"]


def entries(kind: Kind) -> list[dict[str, Any]]:
    """List everything of a kind, each with its `name` and what there is to say of it."""
    if kind == "papers":
        # Here, because loading Polars takes longer than most commands.
        from windtunnel.papers.paper import find_papers

        return [{"name": paper.name, "title": paper.title} for paper in find_papers()]
    listed: list[dict[str, Any]] = json.loads(_core.catalogue(kind))
    return listed


def table(kind: Kind) -> Table:
    """Lay out a listing for a terminal."""
    listed = entries(kind)
    table = Table(*(listed[0] if listed else ["name"]), show_lines=kind == "controllers")
    for entry in listed:
        table.add_row(*(cell(value) for value in entry.values()))
    return table


def cell(value: str | list[str | dict[str, Any]]) -> str:
    """Lay out a value: text as it is, words in a row, parameters with their defaults."""
    if isinstance(value, str):
        return value
    words = [it for it in value if isinstance(it, str)]
    return ", ".join(words) or "\n".join(parameter(it) for it in value if isinstance(it, dict))


def parameter(it: dict[str, Any]) -> str:
    """Write a parameter with its default, and what turning it on needs."""
    on = f" (true needs {', '.join(it['needs'])})" if it["needs"] else ""
    return f"{it['name']} = {json.dumps(it['default'])}{on}"
