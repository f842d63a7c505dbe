"""Scenarios of quic-network-simulator, which the QUIC interop runner uses, as Windtunnel's.

https://github.com/quic-interop/quic-network-simulator has a program for each, with parameters such
as ``drop-rate --delay=15ms --bandwidth=10Mbps --queue=25 --rate_to_client=2``. `scenario` reads
such a line and writes the file. What is different is said in `docs/quic.md`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from windtunnel._core import suggestion
from windtunnel.quantities import quantity

PATH = ("delay", "bandwidth", "queue")
"""The parameters that most of them have."""

BACK, THERE = "to_server", "to_client"
"""How parameters of a direction end."""


class InteropError(ValueError):
    """What is wrong with a line."""


@dataclass
class Path:
    """What is written of a scenario."""

    rate: str
    queue: str
    keys: dict[str, str] = field(default_factory=dict)
    """What the link has beside."""
    cross: str = ""
    """Traffic beside the download, and the nodes between which it is."""


Parameters = Mapping[str, str]


def line(given: Parameters) -> Path:
    """Give the link that most of them have."""
    return Path(repr_of(given["bandwidth"]), packets(given, "queue"))


def repr_of(text: str) -> str:
    """Write a text as TOML does."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def whole(given: Parameters, name: str) -> int:
    """Read a whole number, of at least zero."""
    text = given[name]
    if not text.isascii() or not text.isdigit():
        raise InteropError(f"--{name}={text}: write a whole number, such as --{name}=25")
    return int(text)


def packets(given: Parameters, name: str) -> str:
    """Write the size of a queue, which is a number of packets."""
    if (count := whole(given, name)) == 0:
        raise InteropError(f"--{name}=0: a queue has room for at least one packet")
    return f'"{count} packets"'


def share(given: Parameters, name: str) -> str:
    """Write a percentage."""
    if (percent := whole(given, name)) > 100:
        raise InteropError(f"--{name}={percent}: write a percentage from 0 to 100")
    return f'"{percent} %"'


def both(value: Callable[[str], str]) -> str:
    """Write a value for each direction: from the client to the server, and back."""
    return f"[{value(BACK)}, {value(THERE)}]"


def simple(given: Parameters) -> Path:
    """Just the link."""
    return line(given)


def asymmetric(given: Parameters) -> Path:
    """A link with a rate and a queue for each direction; forward is from the server."""
    rates = f"[{repr_of(given['return-data-rate'])}, {repr_of(given['forward-data-rate'])}]"
    back, there = packets(given, "return-queue"), packets(given, "forward-queue")
    return Path(rates, f"[{{ limit = {back} }}, {{ limit = {there} }}]")


def struck(given: Parameters, direction: str) -> str:
    """Write which packets of a direction are lost or changed: a share, and how many in a row."""
    probability = share(given, f"rate_{direction}")
    if f"burst_{direction}" not in given:
        return probability
    most = whole(given, f"burst_{direction}")
    return f"{{ probability = {probability}, most_in_a_row = {most} }}" if most else '"0 %"'


def drop_rate(given: Parameters) -> Path:
    """A share of the packets is lost, never more than so many in a row."""
    path = line(given)
    path.keys["loss"] = both(lambda it: struck(given, it))
    return path


def corrupt_rate(given: Parameters) -> Path:
    """A share of the packets has another byte."""
    path = line(given)
    path.keys["corruption"] = both(lambda it: struck(given, it))
    return path


def drop_list(given: Parameters) -> Path:
    """The packets of certain numbers are lost."""
    path = line(given)

    def listed(direction: str) -> str:
        name = f"drops_{direction}"
        if name not in given:
            return '"0 %"'
        numbers = [whole({name: it}, name) for it in given[name].split(",")]
        return f'{{ kind = "listed", packets = {sorted(set(numbers))} }}'

    path.keys["loss"] = both(listed)
    return path


DIRECTIONS = {"both": (True, True), "toserver": (True, False), "toclient": (False, True)}


def blackhole(given: Parameters) -> Path:
    """All packets are lost for a time, once or repeatedly."""
    path = line(given)
    repeat = whole(given, "repeat") if "repeat" in given else 1
    if repeat == 0:
        raise InteropError("--repeat=0: write how often it happens, at least 1")
    direction = given.get("direction", "both")
    if direction not in DIRECTIONS:
        raise InteropError(
            f"--direction={direction}: " + suggestion(direction, list(DIRECTIONS)),
        )
    on, off = seconds(given, "on"), seconds(given, "off")
    shares = ", ".join('"100 %"' if it else '"0 %"' for it in DIRECTIONS[direction])
    changes = []
    for place in range(repeat):
        begin = place * (on + off) + on
        changes.append(f'    {{ at = "{begin:g} s", loss = [{shares}] }},')
        changes.append(f'    {{ at = "{begin + off:g} s", loss = "0 %" }},')
    path.keys["changes"] = "\n".join(["[", *changes, "]"])
    return path


def seconds(given: Parameters, name: str) -> float:
    """Read a time."""
    text = given[name]
    time = quantity(text)
    if time and time.base == "s":
        return time.number
    raise InteropError(f"--{name}={text}: write a time with its unit, such as --{name}=2s")


def tcp_cross_traffic(given: Parameters) -> Path:
    """Beside a download of NewReno without an end, over links of 100 Mbps and 1 ms to it."""
    path = line(given)
    path.cross = """
[links.source]
nodes = ["right", "source"]
rate = "100 Mbps"
delay = "1 ms"

[links.sink]
nodes = ["left", "sink"]
rate = "100 Mbps"
delay = "1 ms"

[flows.cross]
from = "source"
to = "sink"
protocol = "tcp"
controller = "reno"
"""
    return path


def udp_cross_traffic(given: Parameters) -> Path:
    """Beside datagrams of 512 B at a constant rate towards the server, from 20 s on."""
    path = line(given)
    path.cross = f"""
[flows.cross]
from = "left"
to = "right"
protocol = "udp"
rate = {repr_of(given["crossdatarate"])}
payload = "512 B"
start = "20 s"
"""
    return path


@dataclass(frozen=True)
class Kind:
    """A scenario of theirs: its parameters, and what is written for it."""

    path: Callable[[Parameters], Path]
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


def of_directions(*names: str) -> tuple[str, ...]:
    """Give names of parameters of a direction, for both."""
    return tuple(f"{name}_{direction}" for name in names for direction in (THERE, BACK))


SCENARIOS = {
    "simple-p2p": Kind(simple, PATH),
    "asymmetric-p2p": Kind(
        asymmetric,
        ("delay", "forward-data-rate", "forward-queue", "return-data-rate", "return-queue"),
    ),
    "drop-rate": Kind(drop_rate, (*PATH, *of_directions("rate")), of_directions("burst")),
    "corrupt-rate": Kind(corrupt_rate, (*PATH, *of_directions("rate")), of_directions("burst")),
    "droplist": Kind(drop_list, PATH, of_directions("drops")),
    "blackhole": Kind(blackhole, (*PATH, "on", "off"), ("repeat", "direction")),
    "tcp-cross-traffic": Kind(tcp_cross_traffic, PATH),
    "udp-cross-traffic": Kind(udp_cross_traffic, (*PATH, "crossdatarate")),
}


def is_line(text: str) -> bool:
    """Tell whether a text is the name of one of their scenarios, with or without parameters."""
    return text.partition(" ")[0] in SCENARIOS


def scenario(text: str) -> str:
    """Write the scenario file for one of their lines. Raises InteropError if that is wrong."""
    try:
        name, *words = shlex.split(text)
    except ValueError as error:
        raise InteropError(f"{text}: {error}") from error
    kind = SCENARIOS[name]
    given = parameters(name, kind, words)
    return written(text, given, kind.path(given))


def parameters(name: str, kind: Kind, words: list[str]) -> dict[str, str]:
    """Read the parameters, each of the form --name=value."""
    known = [*kind.required, *kind.optional]
    given: dict[str, str] = {}
    for word in words:
        key, separator, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not separator:
            raise InteropError(f"{word}: write each parameter of {name} as --name=value")
        if key not in known:
            raise InteropError(f"{name} has no parameter --{key}; {suggestion(key, known)}")
        given[key] = value
    if missing := [f"--{it}=…" for it in kind.required if it not in given]:
        raise InteropError(f"{name} also needs {' '.join(missing)}")
    return given


def written(text: str, given: Parameters, path: Path) -> str:
    """Write the file."""
    head = f"""\
# As quic-network-simulator has it: {text}
title = {repr_of(text)}
duration = "60 s"
"""
    ends = ("client", "server")
    nodes = "nodes = { client = {}, server = {} }\n"
    if path.cross:
        ends = ("left", "right")
        others = ", source = {}, sink = {}" if "links.source" in path.cross else ""
        nodes = f"""\
nodes = {{ client = {{}}, server = {{}}, left = {{}}, right = {{}}{others} }}

links.near = {{ nodes = ["client", "left"], rate = "1 Gbps", delay = "1 us" }}
links.far = {{ nodes = ["right", "server"], rate = "1 Gbps", delay = "1 us" }}
"""
    queue = path.queue if path.queue.startswith("[") else f"{{ limit = {path.queue} }}"
    keys = "".join(f"{key} = {value}\n" for key, value in path.keys.items())
    return f"""\
{head}{nodes}
# Two bytes are the header of PPP.
[links.path]
nodes = ["{ends[0]}", "{ends[1]}"]
rate = {path.rate}
delay = {repr_of(given["delay"])}
queue = {queue}
overhead = "2 B"
{keys}{path.cross}
# 10 MiB, as the interop runner's goodput is measured.
[flows.download]
from = "server"
to = "client"
protocol = "quic"
workload = {{ kind = "request-response", request = "100 B", response = "10 MiB", think = "1 h" }}
"""
