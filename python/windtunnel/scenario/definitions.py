"""What the JSON Schema of scenario files defines: where each is used, and on which page it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from windtunnel import _core

Schema = dict[str, Any]

PARTS = re.compile(r"defaults\.|topologies\.NAME\.(node|link|host|access)(\.|$)")
"""Paths of what has the keys of a node, a link and so on, none of them required."""

OWN_PAGES = (
    *("Queue", "Tcp", "TcpWorkload", "Multipath", "UdpWorkload", "PathPolicy", "Paging"),
    *("Radio", "FixedWireless", "Optical", "Trace"),
)
"""Definitions with a page of their own, as those have that a key of the file names."""


ACRONYMS = ("dscp", "ecn", "harq", "ip", "rlc", "rtt", "tcp", "tle", "udp")
"""Words that are written in capitals."""


@cache
def definitions() -> dict[str, Any]:
    """Give the definitions of the schema of scenario files."""
    found: dict[str, Any] = json.loads(_core.schema())["$defs"]
    return found


def pages(schema: Schema) -> dict[str, str]:
    """Give each definition, in the order of the file, the one on whose page it is."""
    found: dict[str, str] = {}
    for path, name, within in walk(schema, schema, "", ()):
        if not PARTS.match(path) and name not in found:
            own = not within or name in OWN_PAGES
            found[name] = name if own else found[within[-1]]
    return found


def paths(name: str, schema: Schema) -> Iterator[str]:
    """Give the paths at which a definition is used; those in parts are the same."""
    found = (path for path, value, _ in walk(schema, schema, "", ()) if value == name)
    yield from (it for it in dict.fromkeys(found) if not PARTS.match(it))


def walk(
    value: Any, schema: Schema, path: str, within: tuple[str, ...]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Give the path and the name of every use of a definition, and the definitions around it."""
    match value:
        case {"$ref": reference}:
            name = reference.rsplit("/", 1)[1]
            yield path, name, within
            if name not in within:
                yield from walk(schema["$defs"][name], schema, path, (*within, name))
        case {"properties": properties}:
            for key, one in properties.items():
                yield from walk(one, schema, f"{path}.{key}" if path else key, within)
        case {"additionalProperties": dict() as one}:
            yield from walk(one, schema, f"{path}.NAME", within)
        case {"anyOf": several}:
            # What kinds have alike is found once.
            found = (it for one in several for it in walk(one, schema, path, within))
            yield from dict.fromkeys(found)
        case {"items": one}:
            yield from walk(one, schema, path, within)


def words(name: str) -> str:
    """Write `ContentStore` as words in a sentence."""
    found = (word.lower() for word in re.findall("[A-Z][a-z]*", name))
    return " ".join(word.upper() if word in ACRONYMS else word for word in found)


def title(name: str) -> str:
    """Write `ContentStore` as a heading."""
    heading = words(name)
    return heading[0].upper() + heading[1:]


def slug(name: str) -> str:
    """Write `ContentStore` as the anchor of its heading, and as the name of its page."""
    return words(name).lower().replace(" ", "-")


def text(definition: Schema) -> str:
    """Give a description on one line."""
    return " ".join(definition.get("description", "").split())
