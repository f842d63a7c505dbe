"""Compare round trips over satellites with those of two other programs.

    python validation/compare_satellites.py docs/validation/satellites.md

runs the scenarios and replaces the tables of the page, each between the comments with its
name. Without a page the tables are printed. A difference beyond the bounds is an error.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from compare_ndnsim import replaced

import windtunnel
from windtunnel.markdown import table
from windtunnel.package_data import PAPERS
from windtunnel.papers.paper import module

DATA = Path(__file__).parent / "satellites"
MOST_MS = 0.001
"""The greatest difference from the round trips of `round-trips.json`."""
MOST_TO_HYPATIA_MS = 0.01
"""The same from Hypatia's, which has its own SGP4 and rounding."""
MOST_HANDOVERS = 0.03
"""The greatest difference from the handovers an hour, and from the people, as a share."""
MOST_PEOPLE = 0.05
POLICIES = {
    "highest": 'handover = "highest"',
    "highest by 5°": 'handover = "highest"\nhysteresis = "5°"',
    "highest, slots of 15 s": 'handover = "highest"\nslot = "15 s"',
    "hold-highest": 'handover = "hold-highest"',
    "hold-longest": 'handover = "hold-longest"',
}
HANDOVERS = {
    0: [38.8, 36.2, 38.0, 27.5, 15.3],
    45: [57.5, 48.2, 55.5, 24.5, 13.2],
    52: [117.8, 97.7, 107.0, 26.5, 13.2],
}
"""By latitude, handovers an hour under each policy, of another program: over six hours in steps of
5 s, with a sphere as the Earth."""
HOURS = 6
SPHERE_KM = 6371.0
FLATTENING = 1 / 298.257223563
PEOPLE = [
    (53.0, 0, 2975.8, 449.2),
    (53.0, 10, 1452.3, 188.0),
    (53.0, 25, 802.3, 55.3),
    (97.4, 0, 1782.8, 149.7),
    (97.4, 10, 1152.1, 61.8),
    (97.4, 25, 316.2, 15.9),
]
"""Inclination, elevation mask, and in millions the most people under a satellite at 500 km during
three orbits from 0° E, and their mean, of another program."""
PERIOD_S = 5668.144
KUIPER = {"planes": 34, "inclination": 51.9, "orbits_a_day": 14.8}
"""The shell of Hypatia's tests, as it writes its elements."""


def main() -> None:
    """Run everything; write the page, or print."""
    tables = {
        "Satellites: round trips": round_trips(),
        "Satellites: Hypatia": hypatia(),
        "Satellites: handovers": handovers(),
        "Satellites: people": people(),
    }
    if len(sys.argv) > 1:
        page = Path(sys.argv[1])
        page.write_text(replaced(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    else:
        print(*tables.values(), sep="\n")


def routes(constellation: str, places: Mapping[str, Sequence[float]], folder: Path) -> pl.DataFrame:
    """Give the round trip and the path between each two places that follow, every 100 ms."""
    nodes = [
        f'n{number} = {{ place = ["{latitude}°", "{longitude}°"] }}'
        for number, (latitude, longitude) in enumerate(places.values())
    ]
    flows = [
        f'f{number} = {{ from = "n{2 * number}", to = "n{2 * number + 1}", protocol = "udp", '
        'rate = "1 kbps", payload = "100 B" }'
        for number in range(len(places) // 2)
    ]
    head = ['duration = "200 s"', "recording = { flows = false, links = false }"]
    text = "\n".join([*head, "[nodes]", *nodes, "[constellations.c]", constellation, "[flows]"])
    file = folder / "scenario.toml"
    file.write_text("\n".join([text, *flows, ""]), encoding="utf-8")
    found = windtunnel.run(file, progress=False).tables["route_series"]
    round_trip = pl.col("propagation_s") + pl.col("return_propagation_s")
    return found.with_columns(
        round_trip_ms=1e3 * round_trip, step=(10 * pl.col("time_s")).round().cast(pl.Int64)
    )


def round_trips() -> str:
    """Compare with the pairs of `round-trips.json`."""
    reference = json.loads((DATA / "round-trips.json").read_text(encoding="utf-8"))
    rows = []
    for name, shell in reference["shells"].items():
        pairs = [it for it in reference["pairs"] if it["shell"] == name]
        rows += of_shell(name, shell, pairs, reference["places"])
    head = ["shell", "between", "at 100 s, ms", "least, ms", "most, ms", "paths change at, s"]
    return table(head, rows)


def of_shell(
    name: str, shell: Mapping[str, Any], pairs: Iterable[Mapping[str, Any]], places: Any
) -> list[list[str]]:
    """Compare the pairs over one shell."""
    constellation = f"""\
planes = {shell["planes"]}
satellites_per_plane = {shell["satellites_per_plane"]}
altitude = "{shell["altitude_km"]} km"
inclination = "{shell["inclination"]}°"
phase = "alternate"
propagation = "kepler"
inter_satellite_links = {{ rate = "1 Gbps", partner = 0 }}
ground_links = {{ rate = "1 Gbps", minimum_elevation = "{shell["elevation"]}°" }}"""
    rows = []
    for pair in pairs:
        ends = {end: places[end] for end in pair["ends"]}
        with tempfile.TemporaryDirectory() as folder:
            found = routes(constellation, ends, Path(folder))
        # The first sample is at 0.1 s, and the reference ends at 199.9 s.
        inside = found.filter(pl.col("step") < 2000)
        values = dict(inside.select("step", "round_trip_ms").rows())
        compared = [
            (pair["at_100_ms"], values[1000]),
            (pair["least_ms"], values[max(1, round(10 * pair["least_at_s"]))]),
            (pair["most_ms"], values[round(10 * pair["most_at_s"])]),
        ]
        # At the start the least is not among the samples.
        compared = [it for it in compared if it[0] != pair["at_0_ms"]]
        check(f"{name} {pair['ends']}", compared, MOST_MS)
        changed = changes(inside)
        if pair["changes_s"] is not None and changed != pair["changes_s"]:
            sys.exit(f"{name} {pair['ends']}: {changed}, not {pair['changes_s']}")
        cells = [
            f"{pair['at_100_ms']:.4f} / {values[1000]:.4f}",
            f"{pair['least_ms']:.4f} / {min(values.values()):.4f}",
            f"{pair['most_ms']:.4f} / {max(values.values()):.4f}",
            ", ".join(f"{it:.1f}" for it in changed),
        ]
        rows.append([name, " – ".join(pair["ends"]), *cells])
    return rows


def changes(found: pl.DataFrame) -> list[float]:
    """List when the path is another one than before, in seconds."""
    changed = found.filter(pl.col("path").ne_missing(pl.col("path").shift(1)))
    return [step / 10 for step in changed["step"][1:]]


def check(what: str, compared: Iterable[tuple[float, float]], most: float) -> None:
    """End if any of ours is farther from the reference."""
    for expected, ours in compared:
        # The reference has four decimals.
        if abs(ours - expected) > most:
            sys.exit(f"{what}: {ours}, not {expected}")


def hypatia() -> str:
    """Compare with what Hypatia's own tests store, row by row."""
    lines = (DATA / "manila-dalian-rtt.txt").read_text(encoding="utf-8").split()
    expected = {
        round(int(time) / 1e8): float(value) / 1e6
        for time, value in (it.split(",") for it in lines)
    }
    paths = (DATA / "manila-dalian-path.txt").read_text(encoding="utf-8").split()
    changed = [round(int(it.split(",")[0]) / 1e8) / 10 for it in paths][1:]
    reference = json.loads((DATA / "round-trips.json").read_text(encoding="utf-8"))["places"]
    places = {name: reference[name] for name in ("Manila", "Dalian")}
    constellation = f"""\
tle = {{ file = "kuiper.tle", planes = {KUIPER["planes"]} }}
inter_satellite_links = {{ rate = "1 Gbps" }}
ground_links = {{ rate = "1 Gbps", maximum_range = "1260 km" }}"""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kuiper.tle").write_text("\n".join(elements()) + "\n", encoding="utf-8")
        found = routes(constellation, places, Path(folder))
    ours = {step: it for step, it in found.select("step", "round_trip_ms").rows() if step < 2000}
    differences = [abs(it - expected[step]) for step, it in ours.items()]
    check("Hypatia", ((expected[step], it) for step, it in ours.items()), MOST_TO_HYPATIA_MS)
    ours_changed = changes(found.filter(pl.col("step") < 2000))
    if ours_changed != changed:
        sys.exit(f"Hypatia: paths change at {ours_changed}, not {changed}")
    head = ["rows", "greatest difference, ms", "paths change at, s"]
    cells = [str(len(differences)), f"{max(differences):.4f}", ", ".join(map(str, changed))]
    return table(head, [cells])


def handovers() -> str:
    """Compare how often each policy hands over, at places of three latitudes."""
    nodes = [
        # The geodetic latitude of a place that is at this latitude seen from the Earth's centre.
        f'n{latitude} = {{ place = ["{geodetic(latitude)}°", "0°"] }}'
        for latitude in HANDOVERS
    ]
    counts: dict[int, list[float]] = {latitude: [] for latitude in HANDOVERS}
    for policy in POLICIES.values():
        scenario = windtunnel.Scenario.parse(f"""
duration = "{HOURS} h"
recording = {{ flows = false, links = false, routes = false }}
routing.interval = "5 s"
[nodes]
{chr(10).join(nodes)}
[constellations.s]
planes = 72
satellites_per_plane = 22
altitude = "{SPHERE_KM + 550 - 6378.137} km"
inclination = "53°"
phase = "alternate"
propagation = "kepler"
inter_satellite_links = {{ rate = "1 Gbps", partner = 0 }}
[constellations.s.ground_links]
rate = "1 Gbps"
minimum_elevation = "25°"
{policy}
[flows.f]
from = "n0"
to = "n45"
protocol = "udp"
rate = "1 bps"
payload = "100 B"
""")
        contacts = windtunnel.run(scenario, progress=False)["contacts"]
        for latitude, of in counts.items():
            of.append((contacts.filter(node=f"n{latitude}").height - 1) / HOURS)
    rows = []
    for latitude, expected in HANDOVERS.items():
        pairs = list(zip(expected, counts[latitude], strict=True))
        check_shares(f"handovers at {latitude}°", pairs, MOST_HANDOVERS)
        rows.append([f"{latitude}°", *(f"{one:.1f} / {ours:.1f}" for one, ours in pairs)])
    return table(["latitude", *POLICIES], rows)


def geodetic(latitude: float) -> float:
    """Convert a geocentric latitude, in degrees."""
    return math.degrees(math.atan(math.tan(math.radians(latitude)) / (1 - FLATTENING) ** 2))


def people() -> str:
    """Compare the people under a satellite during three orbits."""
    population = module(PAPERS / "satellite-sessions" / "population.py")
    time = np.arange(0.0, 3 * PERIOD_S, 10.0)
    angle = 2 * np.pi * time / PERIOD_S
    rows = []
    for inclination, mask, most, mean in PEOPLE:
        tilt = math.radians(inclination)
        latitude = np.arcsin(np.sin(tilt) * np.sin(angle))
        longitude = np.arctan2(np.cos(tilt) * np.sin(angle), np.cos(angle)) - 7.2921150e-5 * time
        found = population.under(np.degrees(latitude), np.degrees(longitude), 500.0, mask) / 1e6
        pairs = [(most, float(found.max())), (mean, float(found.mean()))]
        check_shares(f"people at {inclination}° and {mask}°", pairs, MOST_PEOPLE)
        cells = (f"{expected:,.1f} / {ours:,.1f}" for expected, ours in pairs)
        rows.append([f"{inclination:g}°", f"{mask}°", *cells])
    return table(["inclination", "elevation mask", "most, millions", "mean, millions"], rows)


def check_shares(what: str, compared: Iterable[tuple[float, float]], most: float) -> None:
    """End if any of ours is farther from the reference than a share of it."""
    for expected, ours in compared:
        if abs(ours / expected - 1) > most:
            sys.exit(f"{what}: {ours}, not {expected}")


def elements() -> Iterable[str]:
    """Write the element sets of the shell as Hypatia does: circular, at the start of 2000."""
    planes = int(KUIPER["planes"])
    for number in range(planes * planes):
        plane, slot = divmod(number, planes)
        node = 360 * plane / planes
        anomaly = 360 * (slot + plane % 2 / 2) / planes
        yield f"Kuiper {number}"
        yield with_checksum(
            f"1 {number + 1:05d}U 00000ABC 00001.00000000  .00000000  00000-0  00000+0 0    0"
        )
        yield with_checksum(
            f"2 {number + 1:05d} {KUIPER['inclination']:8.4f} {node:8.4f} 0000001   0.0000 "
            f"{anomaly:8.4f} {KUIPER['orbits_a_day']:11.8f}    0"
        )


def with_checksum(line: str) -> str:
    """End a line of an element set with its checksum."""
    return f"{line}{sum(int(it) if it.isdigit() else it == '-' for it in line) % 10}"


if __name__ == "__main__":
    main()
