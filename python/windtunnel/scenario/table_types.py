"""The types of a scenario's tables, made from the JSON Schema of scenario files."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.scenario.descriptions import own_key

Schema = dict[str, Any]

HEAD = '''\
"""The types of a scenario's tables, for type checkers and editors.

Made by `make docs` from the types and comments in crates: change those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Required, TypedDict

From = TypedDict("From", {"from": str}, total=False)
"""A key that no class can have, because it is a word of Python."""
'''

LINE = 94
"""Characters of a line of a description."""


def module(schema: Schema) -> str:
    """Write the module: a class for each table, one name for each choice."""
    named = [definition_of(name, it) for name, it in schema["$defs"].items()]
    return "\n\n".join([HEAD, *named, table("ScenarioTables", schema)])


def definition_of(name: str, definition: Schema) -> str:
    """Define a name of the schema."""
    if "properties" in definition:
        return table(name, definition)
    if "oneOf" in definition:
        return f"{name} = {type_of(definition)}\n{docstring(definition, '')}"
    # The parameters of a controller have hyphens, and differ from one to the next.
    if name == "Controller":
        return f"{name} = str | dict[str, Any]\n{docstring(definition, '')}"
    return kinds(name, definition)


def kinds(name: str, definition: Schema) -> str:
    """Define what is one of several kinds of table, or a short form."""
    several = definition["anyOf"]
    tables = [it for it in several if "properties" in it]
    classes = {kind_of(it, tables) + name: it for it in tables}
    short = [type_of(it) for it in several if "properties" not in it]
    chosen = " | ".join([*short, *classes])
    written = [table(kind, it) for kind, it in classes.items()]
    return "\n\n".join([*written, f"{name} = {chosen}\n{docstring(definition, '')}"])


def kind_of(definition: Schema, definitions: list[Schema]) -> str:
    """Name a kind of table among all: by what its tag is, or by the key that only it has."""
    properties = definition["properties"]
    tags = (properties[tag]["const"] for tag in ("kind", "protocol") if tag in properties)
    word = str(next(tags, None) or own_key(definition, definitions))
    return "".join(part.capitalize() for part in re.split("[-_]", word))


def table(name: str, definition: Schema) -> str:
    """Define a table as a class."""
    base = "From" if "from" in definition["properties"] else "TypedDict"
    lines = [f"class {name}({base}, total=False):", docstring(definition, "    ")]
    for key, value in definition["properties"].items():
        if key == "from":
            continue
        kind = type_of(value)
        if key in definition.get("required", ()):
            kind = f"Required[{kind}]"
        lines += [f"    {key}: {kind}\n{docstring(value, '    ')}"]
    return "\n".join(lines)


def type_of(value: Schema) -> str:
    """Give the type of what a value may be; a key that may be null may be left out."""
    match value:
        case {"$ref": reference}:
            return str(reference).rsplit("/", 1)[1]
        case {"anyOf": several}:
            kinds = [type_of(one) for one in several if one != {"type": "null"}]
            return " | ".join(dict.fromkeys(kinds))
        case {"oneOf": options}:
            named = literal(it["const"] for it in options if "const" in it)
            return named if all("const" in it for it in options) else f"{named} | str"
        case {"enum": names}:
            return literal(names)
        case {"const": name}:
            return literal([name])
        case {"additionalProperties": dict() as one}:
            return f"dict[str, {type_of(one)}]"
        case {"items": True}:
            return "Sequence[Any]"
        case {"items": one}:
            return f"Sequence[{type_of(one)}]"
        case {"prefixItems": [one, *_]}:
            return f"Sequence[{type_of(one)}]"
    kind = value["type"]
    return {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "object": "dict[str, Any]",
    }[kind[0] if isinstance(kind, list) else kind]


def literal(names: Iterable[str]) -> str:
    """Write the type of a choice among names."""
    return f"Literal[{', '.join(json.dumps(name) for name in names)}]"


def docstring(definition: Schema, margin: str) -> str:
    """Write a description under what it describes."""
    text = " ".join(definition.get("description", "Which kind.").split())
    return textwrap.indent("\n".join(textwrap.wrap(f'"""{text}"""', LINE)), margin)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(module(json.loads(_core.schema())), encoding="utf-8")
