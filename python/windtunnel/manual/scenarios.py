"""The manual of scenario files, made from their JSON Schema: a page for each table of the file."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.markdown import table
from windtunnel.scenario.definitions import Schema, slug
from windtunnel.scenario.descriptions import Descriptions

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
    "[A beam of light](../optical-links.md) through fog and turbulent air: while the receiver gets "
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
    "[Two dishes](../fixed-wireless.md) at 60 GHz over 1 km in rain; one looks 0.8° aside. Rate "
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
    "check --expand` prints its nodes, links and flows; [recipes](../recipes.md) have other "
    "networks, and [files](../topology-files.md) can be used.": """\
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
    "[A WireGuard tunnel](../tunnels.md), whose ends encrypt and decrypt at most 1 Gbps each.": """\
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
    "[Satellites](../satellites.md): two cities over the first shell of Starlink, with an airliner "
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


ORIGIN = "<!-- Made by `make docs` from the types and comments in crates: change those. -->"

INTRODUCTION = """\
# Scenario files

A scenario is a TOML file: a network, its applications, the duration, and the cases to compare.

```toml
{example}```

`windtunnel check FILE` checks it and `windtunnel run FILE` runs it. `--set PATH=VALUE` replaces a
value: `windtunnel run FILE --set links.access.rate="50 Mbps"`; in an array, a number is a place,
from 0 on: `links.access.changes.0.at="5 s"`. `windtunnel schema` prints a JSON Schema, with which
editors complete and check scenario files.

A [quantity](quantities.md) is a string with its unit. Unknown keys are errors. Names of nodes,
links, producers, consumers, flows, sessions, bridges and tunnels are free.

A table of several kinds names its own with the key `kind`, flows with `protocol`; without it the
table is of the first kind. A kind that needs no other key may be written as its name alone:
`queue = "fq-codel"`. A key of another kind is an error. A default under `[defaults]` applies where
the kind has that key.

Settings of a flow over TCP, or of a consumer, that belong together are in a table of their own,
none of whose keys is required: `window.initial = "4 segments"`. What such a table does not say is
what the same table under `[defaults]` says, or else the default of the key.

[Examples](examples.md) add to this file: queues, faults, radios, whole networks, tunnels and more.

## Keys

{keys}
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

## Files beside a scenario

Maps and traces are separate files, with paths relative to the scenario file. Results include
them, so that a scenario can be run again from its folder of results.

A map is a TOML file, such as [street.toml](../../scenarios/maps/street.toml). A position is an
array of two lengths, east and north, which may be negative.

{map_keys}"""

EXAMPLES = """\
# Examples

Each can be added to [this file](README.md).

{additions}"""

QUANTITIES = """\
# Quantities

A quantity is a string: a number, a space and a unit.

{quantities}"""

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


def manual(schema: Schema) -> dict[str, str]:
    """Write the pages, in Markdown, by the names of their files."""
    descriptions = Descriptions.of(schema)
    own = dict.fromkeys(descriptions.pages.values())
    pages = {
        "README": introduction(schema, descriptions),
        "examples": examples(),
        "quantities": QUANTITIES.format(quantities=quantities(schema)),
    } | {slug(name): descriptions.page(name) for name in own}
    return {f"{name}.md": with_origin(page) for name, page in pages.items()}


def with_origin(page: str) -> str:
    """Say under the title what the page is made from: its first line must be the title."""
    title, text = page.split("\n", 1)
    return f"{title}\n\n{ORIGIN}\n{text}"


def introduction(schema: Schema, descriptions: Descriptions) -> str:
    """Write the page to begin with: what a file is, its keys, and the files beside it."""
    return INTRODUCTION.format(
        example=EXAMPLE,
        keys=descriptions.keys(schema),
        map_keys=table(["key", "meaning"], ([f"`{key}`", what] for key, what in MAP_KEYS)),
    )


def examples() -> str:
    """Write the page of additions to the example."""
    additions = (f"{text}\n\n```toml\n{code}```\n" for text, code in ADDITIONS.items())
    return EXAMPLES.format(additions="\n".join(additions))


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


def write(folder: Path) -> None:
    """Write the pages into a folder, which has no others then."""
    for old in folder.glob("*.md"):
        old.unlink()
    folder.mkdir(exist_ok=True)
    for name, page in manual(json.loads(_core.schema())).items():
        (folder / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
