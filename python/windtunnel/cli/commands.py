"""The command line: arguments in, exit codes out."""

from __future__ import annotations

import gc
import json
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from windtunnel import __version__, progress
from windtunnel._core import DnsServer, ScenarioError, schema
from windtunnel.bench.errors import UnknownWorkload
from windtunnel.cli import listing
from windtunnel.cli.replacing import Source, check, tell_changes
from windtunnel.folders import PAPER, REPRODUCTION, SCENARIO_FILE, beside, relative
from windtunnel.papers.errors import PaperError, UnknownPaper
from windtunnel.results import Results, ResultsError
from windtunnel.running import Captures, read, run_scenario
from windtunnel.studies.errors import StudyError

INTERRUPTED = 130
INVALID_INPUT = 2
INVALID = (
    ScenarioError,
    StudyError,
    ResultsError,
    UnknownPaper,
    PaperError,
    UnknownWorkload,
)
INTERNAL_ERROR = 1
INTERNAL = "internal error; please report it"

app = typer.Typer(
    help="Windtunnel: a laboratory for transport protocols.",
    epilog="A first scenario: windtunnel run scenarios/first.toml",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="A scenario file.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="Replace a value of the file; may be repeated."
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Runs at a time; default: the number of processors."),
]
Seed = Annotated[int | None, typer.Option(metavar="N", min=0, help="Replace the seed in the file.")]
Threads = Annotated[
    int, typer.Option(metavar="N", min=1, help="Threads of one run; the results are the same.")
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="The folder to write; default: a folder under results/."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]


def main() -> None:
    """Run the command line.

    Exit codes: 0 on success; 2 for invalid input, and for files that cannot be read or
    written; 1 for an internal error, and without a word if nobody reads the output any more;
    130 after Ctrl-C.
    """
    # A character that the terminal's encoding lacks becomes a question mark, not an error.
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        app()
    except INVALID as error:
        fail(str(error), INVALID_INPUT)
    except OSError as error:
        fail(": ".join(filter(None, [error.filename, error.strerror or str(error)])), INVALID_INPUT)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
        fail(f"{INTERNAL}: {what}", INTERNAL_ERROR)


def fail(message: str, code: int) -> NoReturn:
    """Say what is wrong, on standard error, and exit."""
    print(f"windtunnel: {message}", file=sys.stderr)
    # Otherwise Python would try again to write what it could not write.
    with suppress(OSError):
        sys.stdout.close()
    sys.exit(code)


def answer(document: dict[str, Any]) -> None:
    """Print a JSON document."""
    # Piece by piece: as one text, the figures of 100,000 flows take gigabytes.
    json.dump(document, sys.stdout, indent=2)
    print(flush=True)


def output() -> Console:
    """Give standard output, wide enough for tables where it is not a terminal."""
    width = None if sys.stdout.isatty() else 200
    return Console(width=width, highlight=False, markup=False, emoji=False)


def parse_settings(settings: list[str] | None) -> dict[str, str]:
    """Split `path=value`."""
    parsed = {}
    for setting in settings or []:
        path, separator, value = setting.partition("=")
        if not separator or not path.strip():
            raise ScenarioError(
                f"--set {setting}: write a path, = and a value, such as duration=10s"
            )
        parsed[path.strip()] = value.strip()
    return parsed


def print_version(asked: bool) -> None:
    """Answer `--version`."""
    if asked:
        print(f"windtunnel {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Accept the options that belong to no command."""


@app.command(epilog='windtunnel run scenarios/first.toml --set duration="10 s" --seed 7')
def run(
    file: File,
    settings: Settings = None,
    seed: Seed = None,
    jobs: Jobs = None,
    threads: Threads = 1,
    pcap: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE",
            help="Capture packets at this node in pcapng files; may be repeated.",
        ),
    ] = None,
    pcap_direction: Annotated[
        str | None,
        typer.Option(
            metavar="out|in|both",
            help="Capture packets that leave, that arrive, or both. "
            "[default: both at ends of flows, elsewhere out]",
        ),
    ] = None,
    pcap_snap: Annotated[
        int | None,
        typer.Option(metavar="BYTES", min=1, help="Keep only the first bytes of each frame."),
    ] = None,
    pcap_window: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="FROM UNTIL", help='Capture only then, such as "2 s" "3 s".'),
    ] = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Run a scenario and save its results in a folder."""
    scenario = read(file, parse_settings(settings), seed)
    captures = Captures(pcap or [], pcap_direction, pcap_snap, pcap_window)
    folder = out or Path("results", file.stem)
    source = Source(SCENARIO_FILE, relative(file, folder) if file.is_file() else None)
    replaced = check(folder, source, out is None)
    check(unfinished(folder), source, True)
    if replaced:
        tell_changes(folder, replaced, scenario)
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel import summary

    progress.tell(scenario.notes)
    with beside(folder) as recorded:
        with progress.shown() as watch:
            results = run_scenario(scenario, jobs, watch, recorded, captures, threads)
        saved = save(results, folder, recorded)
    if as_json:
        answer(summary.document(results, results.manifest, file, saved))
    elif saved and results.tables:
        output().print(*summary.tables(results))
        output().print(f"Results: {saved}", soft_wrap=True)
    report_missing(results.manifest, saved)


def save(results: Results, folder: Path, recorded: Path) -> Path | None:
    """Save results and what the runs recorded, if there is anything.

    Without a finished run the folder has another name: earlier results stay.
    """
    if results.tables:
        return results.save(folder, recorded)
    if (recorded / "unfinished").exists():
        return results.save(unfinished(folder), recorded)
    return None


def unfinished(folder: Path) -> Path:
    """Give the folder of what was recorded when no run was finished."""
    return folder.with_name(f"{folder.name}-unfinished")


def report_missing(manifest: dict[str, Any], saved: Path | None) -> None:
    """Say which runs are missing and why, and exit accordingly."""
    if manifest["out_of_real_time"]:
        runs = count(manifest["out_of_real_time"], "run")
        print(f"windtunnel: {runs} ended at the limit of real time", file=sys.stderr)
    report_faults(manifest["faults"])
    if manifest["interrupted"]:
        done = f"{manifest['finished']} of {manifest['finished'] + manifest['unfinished']} runs"
        what = "results are" if manifest["finished"] else "what was recorded is"
        where = f"{what} in {saved}" if saved else "nothing was written"
        fail(f"interrupted: {done} finished; {where}", INTERRUPTED)


def report_faults(faults: list[str]) -> None:
    """Say which runs failed, if any did, and exit."""
    if faults:
        fail(f"{INTERNAL}: {'; '.join(faults)}", INTERNAL_ERROR)


@app.command("reproduce", epilog="windtunnel reproduce ec-elastic --runs 2")
def reproduce_paper(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A paper, from `windtunnel list papers`.")
    ],
    runs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Runs of each case; default: its file's.")
    ] = None,
    seed: Seed = None,
    combinations: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Also run N combinations of readings, drawn at random."
        ),
    ] = 0,
    everything: Annotated[
        bool, typer.Option("--all", help="Print all numbers, and not only the answers.")
    ] = False,
    jobs: Jobs = None,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Run a paper's experiments, and answer whether its claims and numbers hold."""
    folder = out or Path("results", name)
    check(folder, Source(PAPER, name), out is None)
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel.cli import comparison
    from windtunnel.papers.reproduction import reproduce

    with progress.shown() as watch:
        reproduction = reproduce(
            name, runs=runs, seed=seed, combinations=combinations, jobs=jobs, watch=watch
        )
    if not any(results.tables for results in reproduction.results.values()):
        report_faults(reproduction.faults)
        fail("interrupted: no run was finished; nothing was written", INTERRUPTED)
    reproduction.save(folder)
    if not as_json:
        for table in comparison.tables(reproduction.items) if everything else ():
            output().print(table)
        for shown in comparison.screen(reproduction):
            output().print(shown)
    # An interruption must end within a second, and a report takes longer.
    page = None if reproduction.interrupted else drawn(folder)
    if as_json:
        answer({"folder": str(folder), **reproduction_document(folder)})
    else:
        output().print(f"Report: {page}" if page else f"Results: {folder}", soft_wrap=True)
    report_faults(reproduction.faults)
    if reproduction.interrupted:
        missing = "; ".join(reproduction.missing)
        fail(f"interrupted: {missing}; the other results are in {folder}", INTERRUPTED)


@app.command(epilog="windtunnel study scenarios/studies/buffer-sizing.toml --dry-run")
def study(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A study file.")],
    jobs: Jobs = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a study that was interrupted.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Run again the runs that failed before.")
    ] = False,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the Dask cluster with this scheduler address; `local` starts one here.",
        ),
    ] = None,
    store: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder that stores the runs of all studies.")
    ] = Path("results/store"),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate runs, time and disk space; run nothing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask for confirmation of large studies.")
    ] = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Run a scenario over many values and seeds; stored runs are not repeated."""
    # Imported here, so that other commands start faster.
    from windtunnel.cli.study import Options, estimate, print_results, run_study

    folder = out or Path("results", file.stem)
    options = Options(jobs, resume, retry_failed, dask, store, yes, as_json, out is None)
    if dry_run:
        estimate(file, options)
        return
    found, interrupted = run_study(file, folder, options)
    page = None if interrupted else drawn(folder)
    print_results(found, folder, page, as_json)
    if interrupted:
        left = found.planned - found.frame.height - found.failures.height
        fail(f"interrupted: {count(left, 'run')} left; continue with --resume", INTERRUPTED)


def reproduction_document(folder: Path) -> dict[str, Any]:
    """Read the document of a reproduction, with the files of its report."""
    document = json.loads((folder / REPRODUCTION).read_text(encoding="utf-8"))
    del document["page"]
    return {"version": __version__, **document}


def drawn(folder: Path, figures: bool = False) -> Path:
    """Write the report of a folder, and its pictures as files if asked for.

    On a terminal there is a status line.
    """
    # A report allocates much and frees little: to look for cycles takes a sixth of its time.
    gc.disable()
    # Imported here: Altair takes longer to load than most commands take.
    from windtunnel.report import write_report

    try:
        with Console(stderr=True).status("writing the report"):
            return write_report(folder, figures)
    finally:
        gc.enable()


@app.command(epilog="windtunnel report results/first")
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder with results.")],
    figures: Annotated[
        bool, typer.Option("--figures", help="Also write each picture as SVG and PDF.")
    ] = False,
) -> None:
    """Write a report of saved results."""
    output().print(f"Report: {drawn(folder, figures)}", soft_wrap=True)


@app.command("check", epilog="windtunnel check scenarios/first.toml")
def check_scenario(file: File) -> None:
    """Check a scenario without running it."""
    scenario = read(file)
    cases, runs = len(scenario.cases), scenario.runs
    what = (
        f"{count(cases, 'case')} × {count(runs, 'run')}, {scenario.total_simulated_s:g} s simulated"
    )
    output().print(f"{file}: valid: {what}", soft_wrap=True)
    output().print(size(scenario.packet_hops()), soft_wrap=True)
    progress.tell(scenario.notes)
    progress.tell([f"advice: {it}" for it in scenario.advice()])


PACKET_HOPS_PER_SECOND = 4e6
"""Of one processor, about: between 2 and 8 million (docs/performance.md)."""


def size(packet_hops: float) -> str:
    """Say how large runs are that take so many packet-hops."""
    seconds = packet_hops / PACKET_HOPS_PER_SECOND
    took = f"{seconds:.0f} s" if seconds >= 1 else "less than a second"
    return f"about {packet_hops:,.0f} packet-hops at the most: {took} of one processor"


def count(number: int, what: str) -> str:
    """Count things in words."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


@app.command("dns", epilog="windtunnel dns scenarios/dns/four-countries.toml")
def serve_names(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of regions' names.")],
) -> None:
    """Answer DNS queries for the names of regions on UDP, until Ctrl-C."""
    server = DnsServer(str(file), file.read_text(encoding="utf-8"))
    if not server.addresses:
        fail(f"{file}: no region has `listen`", INVALID_INPUT)
    try:
        for region, address in server.addresses:
            output().print(f"{region}: {address}", soft_wrap=True)
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        server.stop()


@app.command("schema", epilog="windtunnel schema > scenario.schema.json")
def print_schema() -> None:
    """Print the JSON Schema of scenario files, for editors."""
    answer(json.loads(schema()))


@app.command("list", epilog="windtunnel list controllers")
def list_what(kind: Annotated[listing.Kind, typer.Argument()], as_json: Json = False) -> None:
    """List the papers, controllers, queues or strategies."""
    if as_json:
        answer({kind: listing.entries(kind)})
    else:
        output().print(listing.table(kind))


@app.command("bench", epilog="windtunnel bench ndn-chain --json")
def measure_speed(
    workload: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORKLOAD]",
            help="A workload, `study` for runs per second, or `lookup` for the tables of routers; "
            "default: all workloads.",
        ),
    ] = None,
    threads: Threads = 1,
    as_json: Json = False,
) -> None:
    """Measure the speed of the simulator, and of ns-3 if `make bench-ns3` has built it."""
    # Imported here, so that other commands start faster.
    from windtunnel.bench import lookups, simulations
    from windtunnel.bench import studies as studies_bench

    with Console(stderr=True).status("") as status:
        if workload == "study":
            document = studies_bench.measure(status.update)
            laid_out = studies_bench.table(document)
        elif workload == "lookup":
            document = lookups.measure(status.update)
            laid_out = lookups.table(document)
        elif threads > 1:
            document = simulations.speed_up(workload, threads, status.update)
            laid_out = simulations.table_of_speed_up(document)
        else:
            document = simulations.bench(workload, status.update)
            laid_out = simulations.table(document)
    if as_json:
        answer(document)
    else:
        output().print(laid_out)
