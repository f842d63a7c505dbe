"""The command `run`: a scenario from its file to its results, its tables and its report."""

from __future__ import annotations

import shlex
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windtunnel import progress
from windtunnel.cli import live
from windtunnel.cli.output import (
    INTERNAL,
    INTERNAL_ERROR,
    INTERRUPTED,
    INVALID_INPUT,
    answer,
    count,
    drawn,
    fail,
    open_page,
    output,
    say,
)
from windtunnel.cli.replacing import Source, changes, check
from windtunnel.extensions import load
from windtunnel.folders import SCENARIO_FILE, beside, relative
from windtunnel.results import Results
from windtunnel.running import Details, check_details, read, run_scenario
from windtunnel.scenario.scenario import Scenario

MOST_NOTES = 5
"""The maximum number of notes about what happens after the end."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    settings: dict[str, str]
    seed: int | None
    jobs: int | None
    threads: int
    details: Details
    out: Path | None
    as_json: bool
    csv: bool
    """Whether to write the tables as CSV, too."""
    report: bool
    """Whether to write the report."""
    opens: bool
    """Whether to open it, which needs it."""
    extensions: list[str] = field(default_factory=list)
    """Classes as FILE:CLASS."""

    def read(self, file: Path) -> Scenario:
        """Read the scenario, with the classes that it may name. Raises UnknownExtension besides
        what reading it does."""
        return read(file, self.settings, self.seed, extensions=load(self.extensions))


def run_file(file: Path, options: Options) -> None:
    """Run a scenario file, save its results and say what was measured."""
    if options.details.events:
        check_no_study(file)
    scenario = options.read(file)
    check_details(scenario, options.details)
    folder = options.out or Path("results", file.stem)
    replaced = check_folder(file, folder, scenario, is_default=options.out is None)
    progress.tell([*replaced, *scenario.notes, *first(scenario.after_the_end())])
    with beside(folder) as recorded:
        with live.shown() if options.details.live else progress.shown() as watch:
            results = run_scenario(
                scenario, options.jobs, watch, recorded, options.details, options.threads
            )
        saved = save(results, folder, recorded, options.csv)
    tell(file, results, saved, options)
    progress.tell(first(failed_flows(results)))
    report_missing(results.manifest, saved)


def is_of_study(document: dict[str, Any]) -> bool:
    """Tell whether a file has a key of studies that scenarios do not have."""
    return not {"scenario", "vary"}.isdisjoint(document)


def check_no_study(file: Path) -> None:
    """Say of a study how the packets of a flow can be recorded all the same."""
    # A file that cannot be read is answered when it is read as a scenario.
    with suppress(OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        if is_of_study(document):
            scenario = document.get("scenario", "its scenario")
            fail(
                f"{file}: a study keeps no events of packets\nhelp: run one of its points with "
                f"`windtunnel run {scenario} --set PATH=VALUE --events FLOW`",
                INVALID_INPUT,
            )


def check_folder(file: Path, folder: Path, scenario: Scenario, is_default: bool) -> list[str]:
    """Check that the results can be written, and say what they replace, in a line."""
    source = Source(SCENARIO_FILE, relative(file, folder) if file.is_file() else None)
    replaced = check(folder, source, is_default)
    check(unfinished(folder), source, True)
    return replaced.notes or (
        changes(folder, replaced.manifest, scenario) if replaced.manifest else []
    )


def first(notes: list[str]) -> list[str]:
    """Give the first of many notes, and how many more there are."""
    more = len(notes) - MOST_NOTES
    return notes if more <= 0 else [*notes[:MOST_NOTES], f"and {more} more like these"]


def tell(file: Path, results: Results, saved: Path | None, options: Options) -> None:
    """Say what was measured, and where results and report are."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel import summary

    is_shown = saved is not None and bool(results.tables)
    if is_shown and not options.as_json:
        output().print(*summary.tables(results), sep="\n")
        say(f"Results: {saved}")
    # An interruption must end within a second, and a report takes longer.
    draws = (options.report or options.opens) and not results.manifest["interrupted"]
    page = drawn(saved) if saved and is_shown and draws else None
    if options.as_json:
        document = summary.document(results, results.manifest, file, saved)
        answer(document | {"report": str(page)} if page else document)
    elif is_shown:
        say(f"Report: {page or f'windtunnel report {shlex.quote(str(saved))}'}")
    if page and options.opens:
        open_page(page)


def failed_flows(results: Results) -> list[str]:
    """Say which flows ended because an implementation at one of their ends failed, and why."""
    if "flows" not in results.tables:
        return []
    failed = results["flows"].drop_nulls("failure").group_by("flow", "failure", maintain_order=True)
    return [
        f"flow `{flow}` failed in {count(runs, 'run')}: {failure}"
        for flow, failure, runs in failed.len().iter_rows()
    ]


def save(results: Results, folder: Path, recorded: Path, csv: bool) -> Path | None:
    """Save results and what the runs recorded, if there is anything.

    Without a finished run the folder has another name: earlier results stay.
    """
    if results.tables:
        return results.save(folder, recorded, csv)
    if (recorded / "unfinished").exists():
        return results.save(unfinished(folder), recorded)
    return None


def unfinished(folder: Path) -> Path:
    """Give the folder of what was recorded when no run was finished."""
    return folder.with_name(f"{folder.name}-unfinished")


def report_missing(manifest: dict[str, Any], saved: Path | None) -> None:
    """Say which runs are missing and why, and end the command accordingly."""
    if manifest["out_of_real_time"]:
        runs = count(manifest["out_of_real_time"], "run")
        progress.tell([f"{runs} ended at the limit of real time"])
    report_faults(manifest["faults"])
    report_failures(manifest["failures"])
    if manifest["interrupted"]:
        done = f"{manifest['finished']} of {manifest['finished'] + manifest['unfinished']} runs"
        what = "results are" if manifest["finished"] else "what was recorded is"
        where = f"{what} in {saved}" if saved else "nothing was written"
        fail(f"interrupted: {done} finished; {where}", INTERRUPTED)


def report_failures(failures: list[str]) -> None:
    """Say which runs something written in Python ended, if any, and end the command."""
    if failures:
        fail("\n".join(failures), INVALID_INPUT)


def report_faults(faults: list[str]) -> None:
    """Say which runs failed, if any did, and end the command."""
    if faults:
        fail(f"{INTERNAL}: {'; '.join(faults)}", INTERNAL_ERROR)
