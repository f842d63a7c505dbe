"""How the manual describes what the schema of scenario files defines: in tables of Markdown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from windtunnel.markdown import table
from windtunnel.scenario.definitions import Schema, pages, paths, slug, text, title, words

TAGS = ("kind", "protocol")
"""The keys that say which kind a table is of."""


@dataclass(frozen=True)
class Descriptions:
    """Descriptions of definitions, which link to each other's pages."""

    schema: Schema
    pages: dict[str, str]

    @classmethod
    def of(cls, schema: Schema) -> Descriptions:
        """Find out on which page each definition is."""
        return cls(schema, pages(schema))

    def page(self, name: str) -> str:
        """Describe a definition, and then those that are on its page."""
        on_page = (it for it, page in self.pages.items() if page == name)
        return "\n".join(self.section(it) for it in on_page)

    def section(self, name: str) -> str:
        """Describe a definition under its heading."""
        definition = self.schema["$defs"][name]
        marks = "#" if self.pages[name] == name else "##"
        parts = [f"{marks} {title(name)}\n", f"{text(definition)}\n"]
        if places := list(paths(name, self.schema)):
            parts.append(f"Used in {', '.join(f'`{place}`' for place in places)}.\n")
        return "\n".join([*parts, self.values(name, definition, f"{marks}#")])

    def values(self, name: str, definition: Schema, marks: str) -> str:
        """Describe which values a definition allows; kinds of a table have headings."""
        if "properties" in definition:
            return self.keys(definition)
        if "oneOf" in definition:
            values = ([value_of(it), text(it)] for it in definition["oneOf"])
            return table(["value", "meaning"], values)
        if name == "Controller":
            return "\n".join(self.controller(it, marks) for it in tables(definition))
        return self.kinds(tables(definition), marks)

    def kinds(self, definitions: list[Schema], marks: str) -> str:
        """Describe several kinds of a table: first the keys that all have, then those of each."""
        common = tag(definitions) | common_keys(definitions)
        parts = [self.keys({"properties": common, "required": required(definitions[0])})]
        for definition in definitions:
            parts.append(f"{marks} {heading(definition, definitions)}\n\n{text(definition)}\n")
            own = {key: it for key, it in definition["properties"].items() if key not in common}
            rest = {key: it for key, it in own.items() if key not in TAGS}
            if rest:
                parts.append(self.keys({"properties": rest, "required": required(definition)}))
        return "\n".join(parts)

    def controller(self, definition: Schema, marks: str) -> str:
        """Describe a controller and its parameters."""
        parameters = dict(definition["properties"])
        kind = parameters.pop("kind")["const"]
        rows = []
        for name, it in parameters.items():
            default = f"`{json.dumps(it['default'])}`" if "default" in it else ""
            rows.append([f"`{name}`", self.type_of(it), default, text(it)])
        heading = f"{marks} `{kind}`\n\n{definition['title']}: {text(definition)}.\n"
        return f"{heading}\n{table(['parameter', 'value', 'default', 'meaning'], rows)}"

    def keys(self, definition: Schema) -> str:
        """Describe the keys of a table."""
        rows = []
        for key, value in definition["properties"].items():
            meaning, default = meaning_and_default(value)
            if key in required(definition):
                default = "required"
            rows.append([f"`{key}`", self.type_of(value), default, meaning])
        return table(["key", "value", "default", "meaning"], rows)

    def type_of(self, value: Schema) -> str:
        """Describe the type of a value, with a link to its definition."""
        match value:
            case {"$ref": reference}:
                return self.link(reference.rsplit("/", 1)[1])
            case {"anyOf": [one, {"type": "null"}]}:
                return self.type_of(one)
            case {"anyOf": [one, {"type": "array"}]}:
                return f"{self.type_of(one)}, or an array of two"
            case {"anyOf": several}:
                return ", or ".join(self.type_of(one) for one in several)
            case {"enum": names}:
                return ", or ".join(f"`{name}`" for name in names)
            case {"oneOf": options}:
                return "; ".join(f"`{it['const']}`: {text(it)}" for it in options)
            case {"title": quantity}:
                return f"[{quantity}](quantities.md)"
            case {"additionalProperties": {"anyOf": [{"items": True}, *_]}}:
                return "arrays of values by key"
            case {"additionalProperties": dict() as one}:
                return f"tables by name: {self.type_of(one)}"
            case {"additionalProperties": True}:
                return "values by path"
            case {"items": one, "minItems": 2, "maxItems": 2}:
                return f"array of two: {self.type_of(one)}"
            case {"prefixItems": several}:
                return f"array of {' and '.join(self.type_of(one) for one in several)}"
            case {"items": one}:
                return f"array of {self.type_of(one)}"
            case {"minimum": minimum, "maximum": most}:
                return f"{number(minimum)} to {number(most)}"
        return simple_type(value)

    def link(self, reference: str) -> str:
        """Link to a definition; what has the same keys, none required, is described there too."""
        name = reference.removesuffix("Defaults") or "Defaults"
        page = self.pages[name]
        anchor = "" if page == name else f"#{slug(name)}"
        return f"[{words(name)}]({slug(page)}.md{anchor})"


def value_of(choice: Schema) -> str:
    """Show a choice: a value, or any name."""
    return f"`{choice['const']}`" if "const" in choice else "a name"


def tables(definition: Schema) -> list[Schema]:
    """Give the kinds of table that a definition allows."""
    return [it for it in definition["anyOf"] if "properties" in it]


def common_keys(definitions: list[Schema]) -> Schema:
    """Give the keys that all kinds of a table have."""
    return {
        key: value
        for key, value in definitions[0]["properties"].items()
        if key not in TAGS and all(it["properties"].get(key) == value for it in definitions)
    }


def tag(definitions: list[Schema]) -> Schema:
    """Give the key that says which kind a table is of, if kinds have one; the first is meant."""
    names = {
        key: [it["properties"][key]["const"] for it in definitions]
        for key in TAGS
        if key in definitions[0]["properties"]
    }
    return {
        key: {"enum": kinds, "default": kinds[0], "description": "Which kind."}
        for key, kinds in names.items()
    }


def heading(definition: Schema, definitions: list[Schema]) -> str:
    """Name a kind of table among all: by what its tag is, or by the first key of its own."""
    for tag in TAGS:
        if tag in definition["properties"]:
            return f"`{definition['properties'][tag]['const']}`"
    return f"With `{own_key(definition, definitions)}`"


def own_key(definition: Schema, definitions: list[Schema]) -> str:
    """Give the first key that only this kind of table has: links, optical links, constellations
    and routes have no tag, but each kind has such a key."""
    others = [it["properties"] for it in definitions if it is not definition]
    keys: Schema = definition["properties"]
    return next(key for key in keys if not any(key in other for other in others))


def required(definition: Schema) -> list[str]:
    """Give the keys that a table must have."""
    return list(definition.get("required", ()))


def meaning_and_default(value: Schema) -> tuple[str, str]:
    """Split a description: its end says what the default is, where the schema has no value."""
    described = text(value)
    # What a table of settings has by default is in its own description.
    if value.get("default") not in (None, [], {}) and not isinstance(value["default"], dict):
        return described, f"`{json.dumps(value['default'], ensure_ascii=False)}`"
    if found := re.fullmatch(r"(.+); (?:default: )?(.+)\.", described, re.DOTALL):
        meaning, default = found.groups()
        if default == "required" or "; default: " in described:
            return f"{meaning}.", default
    return described, ""


def simple_type(value: Schema) -> str:
    """Describe the type of a value that is not a table, an array or a quantity."""
    kind = value["type"][0] if isinstance(value["type"], list) else value["type"]
    return {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "`true` or `false`",
    }[kind]


def number(value: float) -> str:
    """Write a number in full, with commas between thousands."""
    return f"{value:,.4f}".rstrip("0").rstrip(".")
