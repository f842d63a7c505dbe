"""What can be named: papers, the parts of a scenario, units, columns, what the bench measures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from windtunnel import _core
from windtunnel._core import ScenarioError, did_you_mean
from windtunnel.bench.workloads import LONG_WORKLOADS, WORKLOADS
from windtunnel.conformance import scripts as of_scripts
from windtunnel.conformance import suites as of_cases
from windtunnel.measures.columns import described
from windtunnel.measures.definitions import columns as column_definitions
from windtunnel.scenario.definitions import definitions, text
from windtunnel.scenario.descriptions import TAGS, meaning_and_default, tables

Entry = dict[str, Any]
"""A `name`, and what is known of it; texts, lists of words, or parameters."""

WIDTH = 80
"""Characters of a line where the output is not a terminal."""

INDENT = "  "

REQUIRED = "required"
"""What stands for the default of a key that has none."""


@dataclass(frozen=True)
class Kind:
    """A kind of thing that can be named."""

    meaning: str
    entries: Callable[[], list[Entry]]
    line: Callable[[Entry], str]
    """What its line says beside the name of an entry."""
    singular: str


def catalogue(kind: str) -> list[Entry]:
    """List what the core describes."""
    listed: list[Entry] = json.loads(_core.catalogue(kind))
    return listed


def of_schema(name: str) -> list[Entry]:
    """List the values, or kinds of tables with their keys, that the schema defines under a name."""
    definition = definitions()[name]
    if "oneOf" in definition:
        values = (it for it in definition["oneOf"] if "const" in it)
        return [{"name": it["const"], "meaning": text(it)} for it in values]
    return [
        {
            "name": it["properties"][tag]["const"],
            "meaning": text(it),
            "keys": [key_of(it, key) for key in it["properties"] if key not in TAGS],
        }
        for it in tables(definition)
        for tag in TAGS
        if "const" in it["properties"].get(tag, {})
    ]


def key_of(definition: Entry, key: str) -> Entry:
    """Describe a key of a table, with its default, `REQUIRED` if it must be there."""
    meaning, default = meaning_and_default(definition["properties"][key])
    is_required = key in definition.get("required", ())
    return {
        "name": key,
        "meaning": meaning,
        "default": REQUIRED if is_required else default.strip("`"),
    }


def queues() -> list[Entry]:
    """List the queue disciplines, with their keys."""
    keys = {it["name"]: it["keys"] for it in of_schema("Queue")}
    return [{**it, "keys": keys[it["name"]]} for it in catalogue("queues")]


def papers() -> list[Entry]:
    """List the papers."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel.papers.paper import find_papers

    return [{"name": paper.name, "title": paper.title} for paper in find_papers()]


def workloads() -> list[Entry]:
    """List what flows and consumers carry, of each protocol."""
    protocols = {"tcp": "TcpWorkload", "udp": "UdpWorkload", "ndn": "ConsumerWorkload"}
    return [
        {"name": it["name"], "protocol": protocol, **it}
        for protocol, name in protocols.items()
        for it in of_schema(name)
    ]


def units() -> list[Entry]:
    """List the units of scenario files, each with its value in a base unit."""
    return [{"name": unit, "value": f"{worth:.12g} {base}"} for unit, worth, base in _core.units()]


def columns() -> list[Entry]:
    """List the columns of all tables of results, with their units."""
    listed = map(described, column_definitions())
    return [{"name": it.column, "title": it.title, "unit": it.unit} for it in listed]


def bench_workloads() -> list[Entry]:
    """List the workloads of `windtunnel bench`."""
    listed = [*WORKLOADS, *LONG_WORKLOADS]
    return [{"name": it.name, "duration": f"{it.duration_s:g} s"} for it in listed]


def recipes() -> list[Entry]:
    """Give the scenarios that `windtunnel new` prints."""
    # Imported here: most commands need none.
    from windtunnel.recipes import titles

    return [{"name": name, "title": title} for name, title in titles().items()]


def suites() -> list[Entry]:
    """List the suites of cases, each with what it is played against."""
    of_controllers = (of_cases.read(it) for it in of_cases.names())
    listed = [(it.name, it.title, it.document, list(it.controllers)) for it in of_controllers]
    of_tcp = (of_scripts.read(it) for it in of_scripts.names())
    listed += [(it.name, it.title, it.document, [of_scripts.TCP]) for it in of_tcp]
    keys = ("name", "title", "document", "conform")
    return [dict(zip(keys, it, strict=True)) for it in listed]


def parts(*keys: str) -> Callable[[Entry], str]:
    """Join those values of an entry that are there."""
    return lambda entry: "; ".join(entry[key] for key in keys if entry[key])


KINDS = {
    "papers": Kind("papers to reproduce", papers, parts("title"), "paper"),
    "controllers": Kind(
        "congestion controllers",
        partial(catalogue, "controllers"),
        parts("title", "source"),
        "controller",
    ),
    "queues": Kind("queue disciplines", queues, parts("meaning"), "queue"),
    "strategies": Kind(
        "how NDN nodes choose next hops",
        partial(catalogue, "strategies"),
        parts("meaning"),
        "strategy",
    ),
    "workloads": Kind(
        "what flows and consumers carry", workloads, parts("protocol", "meaning"), "workload"
    ),
    "schedulers": Kind(
        "what chooses the subflow of a segment (Multipath TCP)",
        partial(of_schema, "Scheduler"),
        parts("meaning"),
        "scheduler",
    ),
    "path-policies": Kind(
        "what chooses the path of a packet between autonomous systems",
        partial(of_schema, "PathPolicy"),
        parts("meaning"),
        "path policy",
    ),
    "losses": Kind("random losses of links", partial(of_schema, "Loss"), parts("meaning"), "loss"),
    "tunnels": Kind("kinds of tunnels", partial(of_schema, "Tunnel"), parts("meaning"), "tunnel"),
    "topologies": Kind(
        "kinds of networks that a table `[topologies.NAME]` makes",
        partial(of_schema, "Topology"),
        parts("meaning"),
        "topology",
    ),
    "recipes": Kind("what `windtunnel new` prints", recipes, parts("title"), "recipe"),
    "suites": Kind(
        "suites of cases that `windtunnel conform` plays",
        suites,
        parts("title", "document"),
        "suite",
    ),
    "units": Kind("units of scenario files", units, parts("value"), "unit"),
    "columns": Kind("columns of the tables of results", columns, parts("title", "unit"), "column"),
    "bench": Kind(
        "workloads of `windtunnel bench`",
        bench_workloads,
        parts("duration"),
        "workload of the bench",
    ),
}
"""All kinds, by the words that `windtunnel list` takes."""


def listed(word: str | None) -> dict[str, list[Entry]]:
    """Give the entries that a word means, by their kinds: all of a kind, those of a name, or all.

    Raises ScenarioError if nothing has that name.
    """
    if word is None or word in KINDS:
        chosen = KINDS if word is None else {word: KINDS[word]}
        return {kind: it.entries() for kind, it in chosen.items()}
    every = {kind: it.entries() for kind, it in KINDS.items()}
    found = {kind: [it for it in them if it["name"] == word] for kind, them in every.items()}
    if not any(found.values()):
        known = f"`windtunnel list` names kinds of things: {', '.join(KINDS)}"
        help = did_you_mean(word, [*KINDS, *names()]) or known
        raise ScenarioError(f"unknown name `{word}`\nhelp: {help}")
    return {kind: them for kind, them in found.items() if them}


def names() -> list[str]:
    """Give the names of all entries of all kinds, each once."""
    every = (entry["name"] for kind in KINDS.values() for entry in kind.entries())
    return list(dict.fromkeys(every))


def lines(word: str | None) -> Iterator[str]:
    """Give the kinds, or a line for each entry of one, or everything about a name."""
    width = get_terminal_size((WIDTH, 0)).columns
    if word is None:
        rows = [(kind, it.meaning) for kind, it in KINDS.items()]
        yield from aligned(rows, width)
    elif word in KINDS:
        entries = KINDS[word].entries()
        yield from aligned([(it["name"], KINDS[word].line(it)) for it in entries], width)
    else:
        for kind, entries in listed(word).items():
            for entry in entries:
                yield from details(kind, entry, width)


def aligned(rows: list[tuple[str, str]], width: int) -> Iterator[str]:
    """Align names and what is said beside them, cut to the width of a line."""
    widest = max((len(name) for name, _ in rows), default=0)
    for name, said in rows:
        line = f"{name:{widest}}{INDENT}{said}".rstrip()
        yield line if len(line) <= width else f"{line[: width - 1].rstrip()}…"


def details(kind: str, entry: Entry, width: int) -> Iterator[str]:
    """Give everything that is known of an entry, but its name and the number of its look."""
    yield f"{entry['name']} ({KINDS[kind].singular})"
    entry = {key: it for key, it in entry.items() if it and not isinstance(it, bool | int)}
    texts = {key: it for key, it in entry.items() if key != "name" and is_text(it)}
    widest = max(map(len, texts), default=0)
    for key, value in texts.items():
        said = value if isinstance(value, str) else ", ".join(value)
        yield from hanging(f"{INDENT}{key:{widest}}{INDENT}", said, width)
    for key, value in entry.items():
        if not is_text(value):
            yield f"{INDENT}{key}"
            for it in value:
                yield from hanging(INDENT * 2, parameter(it), width)


def is_text(value: str | list[Any]) -> bool:
    """Say whether a value is a text, or words."""
    return isinstance(value, str) or all(isinstance(it, str) for it in value)


def hanging(first: str, said: str, width: int) -> list[str]:
    """Fold a text to the width of a line, under its own beginning."""
    indent = " " * (len(first) if first.strip() else len(first) + len(INDENT))
    return wrap(said, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False)


def parameter(it: Entry) -> str:
    """Describe a parameter: its default, its limits, what it means and requires."""
    default = it["default"] if isinstance(it["default"], str) else json.dumps(it["default"])
    value = f" ({default})" if default == REQUIRED else f" = {default}" if default else ""
    allowed = it.get("allowed", [])
    limits = f" ({limited(allowed)})" if allowed and not isinstance(allowed[0], bool) else ""
    on = f"; true requires {', '.join(it['needs'])}" if it.get("needs") else ""
    return f"{it['name']}{value}{limits}: {it['meaning']}{on}"


def limited(allowed: list[Any]) -> str:
    """Describe what a parameter may be."""
    is_range = not any(isinstance(it, str) for it in allowed)
    return f"{allowed[0]:g} to {allowed[-1]:g}" if is_range else " or ".join(allowed)
