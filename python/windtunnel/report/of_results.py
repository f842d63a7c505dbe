"""The report of results: what was run, tables and pictures."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel import significance
from windtunnel.folders import VERSION_KEY, missing_files
from windtunnel.measures import repetition
from windtunnel.pictures import (
    channels,
    choices,
    forwarders,
    handovers,
    packets,
    path_changes,
    path_shares,
    paths,
    playback,
    regions,
    routes,
    spreads,
    subflows,
)
from windtunnel.pictures.bars import BARS
from windtunnel.pictures.cases import Comparison, cases_of
from windtunnel.pictures.choices import Choice
from windtunnel.pictures.colours import SCREEN
from windtunnel.pictures.files import FigureFiles
from windtunnel.pictures.looks import HUES
from windtunnel.pictures.over_time import OVER_TIME
from windtunnel.pictures.picture import Picture
from windtunnel.report import findings, network, page, sky, tables
from windtunnel.report.findings import Findings
from windtunnel.report.network import Network
from windtunnel.report.sky import Sky
from windtunnel.report.tables import Table
from windtunnel.results import Results, ResultsError
from windtunnel.tables import has_rows

MAIN_BARS = ("page-load-bars", "first-paint-bars", "bars", "delay-bars", "one-way-delay-bars")
"""The bars that a reader looks for first."""


@dataclass(frozen=True)
class Measured:
    """What a page shows of results that have tables."""

    findings: Findings
    controllers: dict[str, str]
    """The colour of each controller, if several are compared."""
    network: Network | None
    summary: Table
    bars: list[Picture]
    other_bars: list[Picture]
    spreads: list[Picture]
    channel: list[Picture]
    other_channels: list[Picture]
    round_trips: list[Picture]
    handovers: list[Picture]
    path_changes: list[Picture]
    other_path_changes: list[Picture]
    regions: list[Picture]
    paths: list[Picture]
    path_shares: list[Picture]
    subflows: list[Picture]
    playback: list[Picture]
    forwarders: list[Picture]
    packets: list[Picture]
    over_time: list[Picture]
    other_cases: list[Picture]
    flows: Choice | None
    links: Choice | None
    tables: list[Table]

    @property
    def pictures(self) -> list[Picture]:
        """All of them."""
        return [
            *self.bars,
            *self.other_bars,
            *self.spreads,
            *self.channel,
            *self.other_channels,
            *self.round_trips,
            *self.handovers,
            *self.path_changes,
            *self.other_path_changes,
            *self.regions,
            *self.paths,
            *self.path_shares,
            *self.subflows,
            *self.playback,
            *self.forwarders,
            *self.packets,
            *self.over_time,
            *self.other_cases,
        ]


def write(
    folder: Path, results: Results, above: str | None = None, figures: FigureFiles | None = None
) -> Path:
    """Write the report of results into their folder; `above` is the page it belongs to.

    Raises ResultsError if the file of a table is missing, and OSError.
    """
    missing = [it for it in missing_files(folder) if it.endswith(".parquet")]
    if missing:
        said = "is missing" if len(missing) == 1 else "are missing"
        raise ResultsError(f"{folder}: {', '.join(missing)} {said}; run the scenario again")
    above_it = sky_of(folder, results)
    # Runs that are all the same are no spread.
    once = repetition.without_repetition(results)
    shown = measured(Comparison(once), above_it) if results.tables else None
    drawn = shown.pictures if shown else []
    return page.write_page(
        folder,
        "results.html",
        drawn,
        figure_files=figures,
        above=above,
        title=title(results, folder),
        facts=facts(results),
        warnings=warnings(results),
        differences=significance.of_results(results),
        measured=shown,
        sky=above_it.document() if above_it else None,
        scenario=results.scenario,
        scenario_sha256=results.manifest.get("scenario_sha256"),
    )


def sky_of(folder: Path, results: Results) -> Sky | None:
    """Compute where satellites are; None if there are none, or nothing was recorded of them."""
    if not results.tables:
        return None
    return sky.read(folder, results)


def measured(comparison: Comparison, above: Sky | None) -> Measured:
    """Make the tables and pictures of results."""
    bars = {name: kind(comparison) for name, kind in BARS.items()}
    around = path_changes.around_changes(comparison)
    divided = [kind(comparison) for kind in {**OVER_TIME, "goodput": channels.goodput}.values()]
    of_flows, of_links = choices.flows(comparison), choices.links(comparison)
    # Where there are satellites, the world map shows them.
    drawn = None if above else network.network(comparison, of_flows, of_links)
    places = comparison.palette if len(comparison.palette) > 1 else {}
    return Measured(
        findings=findings.of_results(comparison),
        controllers={name: SCREEN.hues[it % HUES] for name, it in places.items()},
        network=drawn,
        summary=tables.summary(comparison),
        bars=[picture for name in MAIN_BARS for picture in bars.pop(name)],
        other_bars=[picture for those in bars.values() for picture in those],
        spreads=spreads.spreads(comparison),
        channel=channels.of_link(comparison),
        other_channels=channels.of_others(comparison),
        round_trips=routes.round_trips(comparison, above.places() if above else {}),
        handovers=handovers.handovers(comparison),
        path_changes=[picture for panels in around for picture in panels[:1]],
        other_path_changes=[picture for panels in around for picture in panels[1:]],
        regions=regions.regions(comparison),
        paths=paths.paths(comparison),
        path_shares=path_shares.path_shares(comparison),
        subflows=subflows.subflows(comparison),
        playback=playback.playback(comparison),
        forwarders=forwarders.forwarders(comparison),
        packets=packets.time_sequence(comparison),
        over_time=[picture for panels in divided for picture in panels[:1]],
        other_cases=[picture for panels in divided for picture in panels[1:]],
        flows=of_flows,
        links=of_links,
        tables=measured_tables(comparison),
    )


def measured_tables(comparison: Comparison) -> list[Table]:
    """Make the tables below the pictures; others than of flows, links and nodes only
    where they are."""
    made = [tables.flows(comparison), tables.links(comparison), tables.nodes(comparison)]
    if has_rows(comparison.tables, "sessions"):
        made.insert(0, tables.sessions(comparison))
    if has_rows(comparison.tables, "subflows"):
        made.insert(0, tables.subflows(comparison))
    if has_rows(comparison.tables, "players"):
        made.insert(0, tables.players(comparison))
    if has_rows(comparison.tables, "web_pages"):
        made.insert(0, tables.web_pages(comparison))
    if not comparison["transfers"].is_empty():
        made.insert(-2, tables.transfers(comparison))
    if channels.directions(comparison):
        made.insert(-1, tables.channels(comparison))
    if has_rows(comparison.tables, "link_budgets"):
        made.insert(-1, tables.link_budgets(comparison))
    return [it for it in made if it.rows and any(column.number for column in it.columns)]


def title(results: Results, folder: Path) -> str:
    """Name what was run: its title, or the folder's name."""
    return results.manifest.get("title") or folder.resolve().name


def facts(results: Results) -> dict[str, str]:
    """List what was run, where, and how long it took."""
    manifest = results.manifest
    known = {
        "Runs": runs(results),
        **passed(results),
        "Seed": manifest.get("seed"),
        "Version": f"Windtunnel {manifest[VERSION_KEY]}",
        "Machine": machine(manifest.get("machine", {})),
        "Time": took(manifest),
    }
    return {term: str(fact) for term, fact in known.items() if fact not in (None, "")}


def passed(results: Results) -> dict[str, str]:
    """Say how much time was simulated in each run, or emulated, and with how many packets."""
    emulation = results.manifest.get("emulation")
    if emulation is None:
        return {"Simulated": duration(results.scenario)}
    packets = sum(it["entered_packets"] for it in emulation["directions"])
    kept_up = "" if emulation["kept_up"] else "; it did not keep up"
    spent = f"{emulation['duration_s']:.2f} s, {counted(packets, 'real packet')}{kept_up}"
    return {"Emulated": spent}


def runs(results: Results) -> str:
    """Count cases and runs."""
    if not results.tables:
        return "none finished"
    cases, finished = len(cases_of(results)), results["runs"].height
    return f"{counted(cases, 'case')}, {counted(finished, 'run')} in total"


def counted(number: int, what: str) -> str:
    """Format a count."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def duration(scenario: str) -> str:
    """Read the simulated time of each run, in the scenario's words."""
    try:
        return str(tomllib.loads(scenario).get("duration", ""))
    except tomllib.TOMLDecodeError:
        return ""


def machine(parts: dict[str, Any]) -> str:
    """Describe the machine."""
    system = " ".join(str(parts[key]) for key in ("system", "architecture") if key in parts)
    processors = counted(parts["processors"], "processor") if parts.get("processors") else ""
    python = f"Python {parts['python']}" if "python" in parts else ""
    return ", ".join(filter(None, [system, processors, python]))


def took(manifest: dict[str, Any]) -> str:
    """Describe the time and the work of the runs."""
    words = {
        "real_s": "{:,.1f} s",
        "cpu_s": "{:,.1f} s of CPU time",
        "packet_hops": "{:,} packet-hops",
    }
    return ", ".join(
        text.format(manifest[key]) for key, text in words.items() if manifest.get(key) is not None
    )


def warnings(results: Results) -> list[str]:
    """List what is missing from the results, and why, and what was decided for the user."""
    manifest = results.manifest
    said = []
    if manifest.get("interrupted"):
        said.append("The runs were interrupted.")
    if manifest.get("unfinished"):
        said.append(
            f"{counted(manifest['unfinished'], 'run')} did not finish and are not included."
        )
    if manifest.get("out_of_real_time"):
        stopped = counted(manifest["out_of_real_time"], "run")
        said.append(f"{stopped} ended early, at the limit of real time, and are included.")
    said += [f"{note[0].upper()}{note[1:]}." for note in manifest.get("notes", [])]
    failed = [*manifest.get("faults", []), *manifest.get("failures", [])]
    said += [f"A run failed: {why}" for why in failed]
    if equal := repetition.said(results):
        said.append(f"{equal[0].upper()}{equal[1:]}.")
    if not results.tables:
        said.append("No run finished.")
    return said
