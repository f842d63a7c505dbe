"""The manual's page on scenario files, made from their JSON Schema."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.markdown import table

Schema = dict[str, Any]

TAGS = ("kind", "protocol")
"""The keys that say which kind a table is of."""

PARTS = re.compile(r"defaults\.|topologies\.NAME\.(node|link|host|access)(\.|$)")
"""Paths of what has the keys of a node, a link and so on, none of them required."""

KEYS_OF_KINDS = (
    *("rate", "radio", "fixed_wireless", "optical", "trace", "preset", "planes", "tle"),
    *("transmit_power", "margin", "prefix", "destination"),
)
"""Links, optical links, constellations and routes have no such key: each kind has one of these."""

EXAMPLE = """\
title = "A video through a router"
duration = "10 s"
runs = 3

[nodes]
viewer = {}
router = { content_store = { capacity = "1000 packets" } }
server = {}

[links.access]
nodes = ["viewer", "router"]
rate = "20 Mbps"
delay = "5 ms"

[links.core]
nodes = ["router", "server"]
rate = ["100 Mbps", "50 Mbps"]
delay = "10 ms"

[producers.video]
node = "server"
prefix = "/video"

[consumers.viewer]
node = "viewer"
prefix = "/video"
controller = "cubic"
"""

ADDITIONS = {
    "Defaults for all links: an active queue, and random loss.": """\
[defaults.link]
queue = { kind = "codel", limit = "200 packets", action = "mark" }
loss = "0.01 %"
""",
    "A controller with parameters, under a name of its own, and a second flow, which fetches "
    "one file.": """\
[controllers]
gentle = { kind = "cubic", beta = 0.85 }

[consumers.download]
node = "viewer"
prefix = "/video/film"
controller = "gentle"
workload = { kind = "file", size = "5 MB" }
start = "2 s"
""",
    "A comparison of three controllers on two access links: each case sets values by their path, "
    "and all six combinations are run.": """\
[compare.controller]
aimd = { "consumers.viewer.controller" = "aimd" }
cubic = { "consumers.viewer.controller" = "cubic" }
ec-elastic = { "consumers.viewer.controller" = "ec-elastic" }

[compare.access]
slow = { "links.access.rate" = "10 Mbps" }
fast = { "links.access.rate" = "100 Mbps", "links.access.delay" = "1 ms" }
""",
    "Flows over TCP and UDP on the same links: files that arrive at random and fill the narrowest "
    "link to 60 %, and a constant rate.": """\
[flows.web]
from = "server"
to = "viewer"
controller = "cubic"
workload = { kind = "arrivals", sizes = "web-search", load = "60 %" }

[flows.call]
from = "server"
to = "viewer"
protocol = "udp"
rate = "100 kbps"
payload = "160 B"
""",
    "A link whose rate decreases, which fails and recovers.": """\
[defaults.link]
changes = [
  { at = "3 s", rate = "5 Mbps" },
  { at = "6 s", state = "down" },
  { at = "7 s", state = "up" },
]
""",
    "A radio: the user walks along the path on a map, and the SINR determines the rate of the "
    "link. D-TCP receives radio reports.": """\
[nodes.phone]

[links.air]
nodes = ["router", "phone"]
delay = "1 ms"
queue = { kind = "drop-tail", limit = "10 MB" }

[links.air.radio]
map = "scenarios/maps/street.toml"
speed = "1.5 m/s"
carrier = "28 GHz"
bandwidth = "100 MHz"
transmit_power = ["30 dBm", "23 dBm"]
antenna_gain = "30 dB"
blockage = { every = "5 s", lasts = "300 ms", loss = "20 dB", edge = "100 ms" }

[flows.walk]
from = "server"
to = "phone"
controller = { kind = "d-tcp", sinr = true }
""",
    "[A beam of light](optical-links.md) through fog and turbulent air: while the receiver gets "
    "too little power, packets are lost.": """\
[nodes.roof]

[links.beam]
nodes = ["router", "roof"]
delay = "2 us"

[links.beam.optical]
rate = "1 Gbps"
wavelength = "1550 nm"
distance = "150 m"
visibility = "300 m"
turbulence = { structure = 1e-13 }
transmit_power = "0 dBm"
transmitter_aperture = "20 mm"
divergence = "0.3 mrad"
receiver_aperture = "20 mm"
sensitivity = "-20 dBm"

[flows.across]
from = "server"
to = "roof"
controller = "cubic"
""",
    "[Two dishes](fixed-wireless.md) at 60 GHz over 1 km in rain; one looks 0.8° aside. Rate "
    "adaptation chooses the scheme by the SNR, and packets with errors are sent again.": """\
[nodes.school]

[links.dishes]
nodes = ["router", "school"]
delay = "3.3 us"

[links.dishes.fixed_wireless]
carrier = "60.48 GHz"
distance = "1 km"
eirp = "50 dBm"
antenna = { kind = "f699", gain = "40 dBi", diameter = "200 mm" }
pointing_error = ["0°", "0.8°"]
rain = "5 mm/h"

[flows.over-the-river]
from = "server"
to = "school"
controller = "cubic"
""",
    "A link that sends at the times in a trace, and a flow whose application generates at most "
    "2 Mbps.": """\
[nodes.car]

[links.cell]
nodes = ["router", "car"]
delay = "5 ms"
trace = { file = "scenarios/traces/lte-drive.opportunities", kind = "opportunities" }

[flows.drive]
from = "server"
to = "car"
controller = "cubic"
workload = { kind = "bulk", rate = "2 Mbps" }
""",
    "A whole network: a fat tree of 16 hosts, each of which sends to another one. `windtunnel "
    "check --expand` prints its nodes, links and flows; [recipes](recipes.md) have other "
    "networks, and [files](topology-files.md) can be used.": """\
[topologies.tree]
kind = "fat-tree"
ports = 4
link = { rate = "1 Gbps", delay = "5 us" }

[flows.shuffle]
from = "tree-host-*"
to = "tree-host-*"
pattern = "permutation"
controller = "dctcp"
""",
    "Four homes with lines of different delays, to which flows of two controllers start one after "
    "another.": """\
[nodes.home]
count = 4

[links.line]
count = 4
nodes = ["router", "home-#"]
rate = "20 Mbps"
in_turn = { delay = ["5 ms", "20 ms"] }

[flows.download]
count = 4
from = "server"
to = "home-#"
stagger = "500 ms"
in_turn = { controller = ["cubic", "bbr3"] }
""",
    "A bridge: routers between its edges may drop a tenth of the packets, and mark all others. "
    "The source edge retransmits the dropped packets.": """\
[nodes.near]
[nodes.far]
[nodes.host]

[links.uplink]
nodes = ["server", "near"]
rate = "1 Gbps"
delay = "1 ms"

[links.between]
nodes = ["near", "far"]
rate = "200 Mbps"
delay = "20 ms"
queue = { kind = "red", action = "mark", minimum_threshold = "100 packets", limit = "500 kB" }

[links.downlink]
nodes = ["far", "host"]
rate = "1 Gbps"
delay = "1 ms"

[flows.copy]
from = "server"
to = "host"
controller = "cubic"

[bridges.cities]
from = "near"
to = "far"
selected = "10 %"
buffer = "500 kB"
""",
    "A tunnel over IPv6: routers between its ends see one flow, in packets 40 bytes longer.": """\
[nodes.near]
[nodes.far]
[nodes.host]

[links.uplink]
nodes = ["server", "near"]
rate = "1 Gbps"
delay = "1 ms"

[links.between]
nodes = ["near", "far"]
rate = "200 Mbps"
delay = "20 ms"
queue = "fq-codel"

[links.downlink]
nodes = ["far", "host"]
rate = "1 Gbps"
delay = "1 ms"

[flows.copy]
from = "server"
to = "host"
controller = "cubic"

[tunnels.private]
nodes = ["near", "far"]
ip = "v6"
""",
    "[A WireGuard tunnel](tunnels.md), whose ends encrypt and decrypt at most 1 Gbps each.": """\
[nodes.host]

[links.uplink]
nodes = ["server", "host"]
rate = "1 Gbps"
delay = "1 ms"

[flows.copy]
from = "viewer"
to = "host"
controller = "cubic"

[tunnels.private]
nodes = ["router", "host"]
kind = "wireguard"
crypto = "1 Gbps"
""",
    "[Satellites](satellites.md): two cities over the first shell of Starlink, with an airliner "
    "between them.": """\
[nodes.london]
place = "London"

[nodes.new-york]
place = ["40.7°", "-74.0°"]

[nodes.airliner]
journey = [{ at = "0 s", place = "London" }, { at = "7 h", place = "New York" }]

[constellations.starlink]
preset = "starlink-s1"
inter_satellite_links = { rate = "1 Gbps" }
ground_links = { rate = ["20 Mbps", "100 Mbps"], handover = "highest", slot = "15 s" }

[flows.atlantic]
from = "london"
to = "new-york"
controller = "cubic"

[flows.aloft]
from = "new-york"
to = "airliner"
controller = "bbr3"
""",
    "Sessions whose pages follow them from one server to the next.": """\
[nodes.near]
[nodes.far]

[links.between]
nodes = ["near", "far"]
rate = "1 Gbps"
delay = "10 ms"

[sessions.shopping]
trail = ["near", "far"]
stage = "1 s"
access_interval = "20 ms"
tcp = { controller = "cubic" }
""",
    "A route that replaces a computed one.": """\
[[routing.routes]]
node = "viewer"
prefix = "/video"
link = "access"
""",
    "A static route of IP packets.": """\
[flows.backup]
from = "viewer"
to = "server"
controller = "cubic"

[[routing.routes]]
node = "viewer"
destination = "server"
link = "access"
""",
}
"""Additions to the example: a description, and the text."""

INTRODUCTION = """\
<!-- Made by `make docs` from the types and comments in crates/scenario: change those. -->

# Scenario files

A scenario is a TOML file: a network, its applications, the duration, and the cases to compare.

```toml
{example}```

`windtunnel check FILE` checks it and `windtunnel run FILE` runs it. `--set PATH=VALUE` replaces a
value: `windtunnel run FILE --set links.access.rate="50 Mbps"`; in an array, a number is a place,
from 0 on: `links.access.changes.0.at="5 s"`. `windtunnel schema` prints a JSON Schema, with which
editors complete and check scenario files.

A quantity is a string with its unit. Unknown keys are errors. Names of nodes, links, producers,
consumers, flows, sessions, bridges and tunnels are free.

A table of several kinds names its own with the key `kind`, flows with `protocol`; without it the
table is of the first kind. A kind that needs no other key may be written as its name alone:
`queue = "fq-codel"`. A key of another kind is an error. A default under `[defaults]` applies where
the kind has that key.

## The folder of results

`windtunnel run scenarios/first.toml` writes `results/first`; `--out DIR` names another folder.
`manifest.json` names the scenario file, the seed, hashes of the scenario with its settings and of
the files that it names, and all files that were written.

- A rerun replaces the files that the manifest names, all or, after an interruption, none. Other
  files in the folder, such as notes and figures of your own, stay; one that has the name of a
  new file is renamed, with `~` at its end. The report is removed; `windtunnel report` writes
  the new one.
- If seed, settings or text differ from those of the earlier results, a line says so:
  `results/first: replaces the results of scenarios/first.toml: seed was 1, is 2`.
- Results of another scenario file are replaced only in a folder given with `--out`, and a line
  says so. In the default folder they are an error, before anything is simulated, as are files in
  a folder without results.

The same holds for the folders of `windtunnel study` and `windtunnel reproduce`.

## Additions to the example

{additions}
## Quantities

{quantities}
## Files beside a scenario

Maps and traces are separate files, with paths relative to the scenario file. Results include
them, so that a scenario can be run again from its folder of results.

A map is a TOML file, such as [street.toml](../scenarios/maps/street.toml). A position is an array
of two lengths, east and north, which may be negative.

{map_keys}
"""

MAP_KEYS = (
    ("title", "What the map shows, in one line; default: none."),
    ("stations", "The base stations; one or more."),
    ("stations.name", "Its name; no two have the same."),
    ("stations.at", "Its place."),
    ("stations.height", "The height of its antenna: 2 m to 50 m; 10 m in 3GPP TR 38.901."),
    ("buildings", "The buildings, rectangles higher than all antennas; default: none."),
    ("buildings.corner", "Its south-western corner."),
    ("buildings.width", "From west to east."),
    ("buildings.depth", "From south to north."),
    (
        "user.path",
        "The corners of the user's path, an array of positions; the user stops at the last.",
    ),
    ("user.height", "The height of the user's antenna: 1.5 m to 22.5 m."),
)
"""The keys of a map file, and what they mean."""


def manual(schema: Schema) -> str:
    """Write the page, in Markdown."""
    additions = (f"{text}\n\n```toml\n{code}```\n" for text, code in ADDITIONS.items())
    introduction = INTRODUCTION.format(
        example=EXAMPLE,
        additions="\n".join(additions),
        quantities=quantities(schema),
        map_keys=table(["key", "meaning"], ([f"`{key}`", what] for key, what in MAP_KEYS)),
    )
    parts = [introduction, "## The file\n", table_of_keys(schema)]
    for name, definition in sections(schema):
        parts.append(f"## {title(name)}\n")
        parts.append(section(name, definition, schema))
    return "\n".join(parts)


def sections(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Give the definitions in the order of the file; parts have those of other tables."""
    used = (name for path, name in walk(schema, schema, "", ()) if not PARTS.match(path))
    for name in dict.fromkeys(used):
        yield name, schema["$defs"][name]


def section(name: str, definition: Schema, schema: Schema) -> str:
    """Describe a definition of the schema."""
    parts = [f"{text(definition)}\n"]
    if places := list(paths(name, schema)):
        parts.append(f"Used in {', '.join(f'`{place}`' for place in places)}.\n")
    if "properties" in definition:
        parts.append(table_of_keys(definition))
    elif "oneOf" in definition:
        values = ([value_of(it), text(it)] for it in definition["oneOf"])
        parts.append(table(["value", "meaning"], values))
    elif name == "Controller":
        parts.extend(controller(it) for it in tables(definition))
    else:
        parts.append(kinds(tables(definition)))
    return "\n".join(parts)


def value_of(choice: Schema) -> str:
    """Show a choice: a value, or any name."""
    return f"`{choice['const']}`" if "const" in choice else "a name"


def tables(definition: Schema) -> list[Schema]:
    """Give the kinds of table that a definition allows."""
    return [it for it in definition["anyOf"] if "properties" in it]


def kinds(definitions: list[Schema]) -> str:
    """Describe several kinds of a table: first the keys that all have, then those of each."""
    first = definitions[0]["properties"]
    common = {
        key: value
        for key, value in first.items()
        if key not in TAGS and all(it["properties"].get(key) == value for it in definitions)
    }
    common = tag(definitions) | common
    parts = [table_of_keys({"properties": common, "required": required(definitions[0])})]
    for definition in definitions:
        parts.append(f"### {heading(definition)}\n\n{text(definition)}\n")
        own = {key: it for key, it in definition["properties"].items() if key not in common}
        rest = {key: it for key, it in own.items() if key not in TAGS}
        if rest:
            parts.append(table_of_keys({"properties": rest, "required": required(definition)}))
    return "\n".join(parts)


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


def heading(definition: Schema) -> str:
    """Name a kind of table: by what its tag is, or by the first key of its own."""
    for tag in TAGS:
        if tag in definition["properties"]:
            return f"`{definition['properties'][tag]['const']}`"
    return f"With `{next(key for key in KEYS_OF_KINDS if key in definition['properties'])}`"


def required(definition: Schema) -> list[str]:
    """Give the keys that a table must have."""
    return list(definition.get("required", ()))


def controller(definition: Schema) -> str:
    """Describe a controller and its parameters."""
    parameters = dict(definition["properties"])
    kind = parameters.pop("kind")["const"]
    rows = (
        [f"`{name}`", type_of(it), f"`{json.dumps(it['default'])}`", text(it)]
        for name, it in parameters.items()
    )
    heading = f"### `{kind}`\n\n{definition['title']}: {text(definition)}.\n"
    return f"{heading}\n{table(['parameter', 'value', 'default', 'meaning'], rows)}"


def table_of_keys(definition: Schema) -> str:
    """Describe the keys of a table."""
    rows = []
    for key, value in definition["properties"].items():
        meaning, default = meaning_and_default(value)
        if key in required(definition):
            default = "required"
        rows.append([f"`{key}`", type_of(value), default, meaning])
    return table(["key", "value", "default", "meaning"], rows)


def meaning_and_default(value: Schema) -> tuple[str, str]:
    """Split a description: its end says what the default is, where the schema has no value."""
    described = text(value)
    if value.get("default") not in (None, [], {}):
        return described, f"`{json.dumps(value['default'], ensure_ascii=False)}`"
    if found := re.fullmatch(r"(.+); (?:default: )?(.+)\.", described, re.DOTALL):
        meaning, default = found.groups()
        if default == "required" or "; default: " in described:
            return f"{meaning}.", default
    return described, ""


def type_of(value: Schema) -> str:
    """Describe the type of a value, with a link to its definition."""
    match value:
        case {"$ref": reference}:
            name = title(reference.rsplit("/", 1)[1].removesuffix("Defaults") or "Defaults")
            return f"[{name.lower()}](#{name.lower().replace(' ', '-')})"
        case {"anyOf": [one, {"type": "null"}]}:
            return type_of(one)
        case {"anyOf": [one, {"type": "array"}]}:
            return f"{type_of(one)}, or an array of two"
        case {"anyOf": several}:
            return ", or ".join(type_of(one) for one in several)
        case {"enum": names}:
            return ", or ".join(f"`{name}`" for name in names)
        case {"oneOf": options}:
            return "; ".join(f"`{it['const']}`: {text(it)}" for it in options)
        case {"title": quantity}:
            return f"[{quantity}](#quantities)"
        case {"additionalProperties": {"items": True}}:
            return "arrays of values by key"
        case {"additionalProperties": dict() as one}:
            return f"tables by name: {type_of(one)}"
        case {"additionalProperties": True}:
            return "values by path"
        case {"items": one, "minItems": 2, "maxItems": 2}:
            return f"array of two: {type_of(one)}"
        case {"prefixItems": several}:
            return f"array of {' and '.join(type_of(one) for one in several)}"
        case {"items": one}:
            return f"array of {type_of(one)}"
        case {"minimum": minimum, "maximum": most}:
            return f"{number(minimum)} to {number(most)}"
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


def paths(name: str, schema: Schema) -> Iterator[str]:
    """Give the paths at which a definition is used; those in parts are the same."""
    found = (path for path, value in walk(schema, schema, "", ()) if value == name)
    yield from (it for it in dict.fromkeys(found) if not PARTS.match(it))


def walk(
    value: Any, schema: Schema, path: str, within: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    """Give the path and the name of everything that is defined under a name."""
    match value:
        case {"$ref": reference}:
            name = reference.rsplit("/", 1)[1]
            yield path, name
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


def quantities(schema: Schema) -> str:
    """List the kinds of quantities and their units."""
    rows = {}
    for value in quantity_schemas(schema):
        units = re.findall(r"\((.+)\)", value["pattern"])[0].split("|")
        example = json.dumps(value["examples"][0], ensure_ascii=False)
        rows[value["title"]] = [value["title"], f"`{example}`", ", ".join(units)]
    return table(["quantity", "example", "units"], rows.values())


def quantity_schemas(value: Any) -> Iterator[Schema]:
    """Find everything with a unit."""
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value
        for one in value.values():
            yield from quantity_schemas(one)
    elif isinstance(value, list):
        for one in value:
            yield from quantity_schemas(one)


def title(name: str) -> str:
    """Write `ContentStore` as a heading."""
    words = re.findall("[A-Z][a-z]*", name)
    return " ".join([words[0], *(word.lower() for word in words[1:])])


def text(definition: Schema) -> str:
    """Give a description on one line."""
    return " ".join(definition.get("description", "").split())


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(manual(json.loads(_core.schema())), encoding="utf-8")
