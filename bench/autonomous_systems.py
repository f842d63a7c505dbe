"""Measure how the cost of beacons grows with the number of autonomous systems.

    .venv/bin/python bench/autonomous_systems.py [SYSTEMS ...]

For each number of autonomous systems a synthetic network is made and run for ten simulated
seconds, with a flow between its last two systems. Printed are its links, the beacons that all
control services sent for one interval, the segments that they keep, the paths of the flow, the
real time to read and to run it, and the peak of the memory.

The network: isolation domains of 50 systems, in each a core of three that are joined. Cores of
consecutive domains are joined, and each to a random earlier one. A tenth of the others are below
two of the core, the rest below one or two of these; half as many peering links as domains join
random ones of that tenth.
"""

from __future__ import annotations

import multiprocessing
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

import windtunnel

DOMAIN = 50
CORE = 3
INTERVAL = 5.0
SIMULATED = 10.0


def network(count: int) -> str:
    """Make the scenario of this many autonomous systems."""
    draw = random.Random(count)
    domains = max(1, count // DOMAIN)
    members: list[list[int]] = [list(range(it, count, domains)) for it in range(domains)]
    parents: dict[int, list[int]] = {}
    links: set[tuple[int, int]] = set()
    middle: list[int] = []
    for domain, systems in enumerate(members):
        core, others = systems[:CORE], systems[CORE:]
        links.update((a, b) for a in core for b in core if a < b)
        for other in {domain - 1, draw.randrange(domain)} if domain else set():
            links.add(pair(draw.choice(core), draw.choice(members[other][:CORE])))
        upper = others[: max(1, len(others) // 10)]
        middle += upper
        for system in others:
            above = core if system in upper else upper
            parents[system] = draw.sample(above, min(len(above), draw.choice((1, 2))))
            links.update(pair(system, it) for it in parents[system])
    peers: dict[int, list[int]] = {}
    for _ in range(domains // 2):
        a, b = draw.sample(middle, 2)
        if pair(a, b) not in links:
            links.add(pair(a, b))
            peers.setdefault(a, []).append(b)
    cores = {it for systems in members for it in systems[:CORE]}
    return text(count, domains, cores, parents, peers, sorted(links))


def pair(a: int, b: int) -> tuple[int, int]:
    """Order two systems."""
    return (min(a, b), max(a, b))


def text(
    count: int,
    domains: int,
    cores: set[int],
    parents: dict[int, list[int]],
    peers: dict[int, list[int]],
    links: list[tuple[int, int]],
) -> str:
    """Write the scenario."""
    lines = [f'title = "{count} autonomous systems"', f'duration = "{SIMULATED:g} s"', "[nodes]"]
    lines += [f"n{it} = {{}}" for it in range(count)]
    lines += ["[defaults.link]", 'rate = "100 Mbps"', 'delay = "5 ms"', "[links]"]
    lines += [f'l{a}-{b} = {{ nodes = ["n{a}", "n{b}"] }}' for a, b in links]
    lines += ["[autonomous_systems]"]
    for it in range(count):
        keys = [f'isd_as = "{1 + it % domains}-{64512 + it}"', f'nodes = ["n{it}"]']
        keys += ["core = true"] if it in cores else []
        for name, of in (("parents", parents), ("peers", peers)):
            if it in of:
                named = ", ".join(f'"s{other}"' for other in of[it])
                keys.append(f"{name} = [{named}]")
        lines.append(f"s{it} = {{ {', '.join(keys)} }}")
    lines += ["[flows.one]", f'from = "n{count - 1}"', f'to = "n{count - 2}"']
    lines += ['protocol = "udp"', 'rate = "1 Mbps"']
    return "\n".join(lines) + "\n"


def measure(count: int) -> tuple[str, ...]:
    """Run the network of this many autonomous systems, and give a row of figures."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "network.toml"
        file.write_text(network(count))
        start = time.perf_counter()
        results = windtunnel.run(file, jobs=1)
        took = time.perf_counter() - start
    systems = results["autonomous_systems"]
    intervals = SIMULATED / INTERVAL
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        str(count),
        str(results["links"].height // 2),
        f"{systems['beacons_sent'].sum() / intervals:.0f}",
        f"{systems['beacon_bytes'].sum() / intervals / 1e6:.2f}",
        str(systems["beacons"].sum()),
        str(systems["path_segments"].sum()),
        f"{results.manifest['cpu_s']:.1f}",
        f"{took:.1f}",
        f"{memory:.0f}",
    )


def main() -> None:
    """Print a row for each number of autonomous systems, each measured in its own process."""
    counts = [int(it) for it in sys.argv[1:]] or [100, 200, 500, 1000]
    head = ("systems", "links", "beacons/interval", "MB/interval", "kept", "segments")
    print(" | ".join((*head, "run cpu s", "real s", "memory MiB")))
    context = multiprocessing.get_context("spawn")
    for count in counts:
        with context.Pool(1) as pool:
            print(" | ".join(pool.apply(measure, (count,))), flush=True)


if __name__ == "__main__":
    main()
