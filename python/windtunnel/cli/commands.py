"""The commands, their arguments and options."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from windtunnel import __version__, extensions, recipes
from windtunnel._core import DnsServer, ScenarioError, schema
from windtunnel.cli import cleaning, completing, linux, listing, ndn, tcp
from windtunnel.cli.arguments import (
    Csv,
    Events,
    Extension,
    File,
    Jobs,
    Json,
    Live,
    Opens,
    Out,
    Pcap,
    PcapDirection,
    PcapSnap,
    PcapWindow,
    Seed,
    Settings,
    StoreFolder,
    StudyFile,
    Threads,
)
from windtunnel.cli.output import (
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
from windtunnel.cli.run import Options, run_file
from windtunnel.cli.watching import run_on_save
from windtunnel.running import Captures, Details
from windtunnel.texts import name_of, read_text

app = typer.Typer(
    help="Windtunnel: a laboratory for transport protocols.",
    epilog="A first scenario: windtunnel run scenarios/first.toml",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(tcp.app, name="tcp")
app.add_typer(ndn.app, name="ndn")
app.add_typer(linux.app, name="linux")
app.add_typer(cleaning.app, name="live")


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
    extension: Extension = None,
    pcap: Pcap = None,
    pcap_direction: PcapDirection = None,
    pcap_snap: PcapSnap = None,
    pcap_window: PcapWindow = None,
    events: Events = None,
    report: Annotated[
        bool, typer.Option("--report", help="Also write the report, as `windtunnel report`.")
    ] = False,
    opens: Opens = False,
    live: Live = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Run again whenever the file is saved, until Ctrl-C.")
    ] = False,
    out: Out = None,
    as_json: Json = False,
    csv: Csv = False,
) -> None:
    """Run a scenario and save its results in a folder."""
    details = Details(
        Captures(pcap or [], pcap_direction, pcap_snap, pcap_window), events or [], live
    )
    options = Options(
        parse_settings(settings),
        seed,
        jobs,
        threads,
        details,
        out,
        as_json,
        csv,
        report,
        opens,
        extension or [],
    )
    if watch:
        run_on_save(file, options)
    run_file(file, options)


@app.command(
    "reproduce",
    epilog="windtunnel reproduce ec-elastic --runs 2\n\nwindtunnel reproduce ./mine --quick",
)
def reproduce_paper(
    name: Annotated[
        str,
        typer.Argument(
            metavar="PAPER",
            help="A paper, from `windtunnel list papers`, or a folder of yours.",
            autocompletion=completing.papers,
        ),
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
    quick: Annotated[
        bool,
        typer.Option("--quick", help="One short run of everything; gives no verdicts."),
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="EXPERIMENT", help="Run this experiment only; may be repeated."),
    ] = None,
    settings: Settings = None,
    extension: Extension = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print all numbers, and not only the answers.")
    ] = False,
    jobs: Jobs = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue a reproduction that was interrupted.")
    ] = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Run a paper's experiments, and answer whether its claims and numbers hold."""
    if quick and (runs is not None or combinations):
        raise typer.BadParameter("--quick is one run, without combinations of readings")
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel.cli.reproducing import Options as Reproducing
    from windtunnel.cli.reproducing import reproduce_and_tell
    from windtunnel.papers.variant import Variant

    variant = Variant(only or [], parse_settings(settings), extensions.load(extension or []), quick)
    options = Reproducing(runs, seed, combinations, variant, jobs, resume, out, everything, as_json)
    reproduce_and_tell(name, options)


@app.command(epilog="windtunnel study scenarios/studies/buffer-sizing.toml --dry-run")
def study(
    file: StudyFile,
    extension: Extension = None,
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
    store: StoreFolder = Path("results/store"),
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Estimate runs, time and disk space; run nothing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask for confirmation of large studies.")
    ] = False,
    out: Out = None,
    as_json: Json = False,
    csv: Csv = False,
) -> None:
    """Run a scenario over many values and seeds; stored runs are not repeated."""
    # Imported here, so that other commands start faster.
    from windtunnel.cli.study import (
        StudyOptions,
        estimate,
        print_results,
        report_failed,
        run_study,
    )

    folder = out or Path("results", file.stem)
    options = StudyOptions(
        jobs, resume, retry_failed, dask, store, yes, as_json, csv, out is None, extension or []
    )
    if dry_run:
        estimate(file, options)
        return
    found, interrupted = run_study(file, folder, options)
    page = None if interrupted else drawn(folder)
    print_results(found, folder, page, as_json)
    if interrupted:
        left = found.planned - found.frame.height - found.failures.height
        fail(f"interrupted: {count(left, 'run')} left; continue with --resume", INTERRUPTED)
    report_failed(found)


@app.command(
    epilog="windtunnel gate gate.toml --baseline gate.json --update\n\n"
    'windtunnel gate gate.toml --baseline gate.json --extension mine.py:Mine --tolerance "2 %"\n\n'
    "windtunnel gate gate.toml --baseline gate.json --extension mine.py:Mine --suite cases.toml"
)
def gate(
    file: StudyFile,
    baseline: Annotated[
        Path, typer.Option(metavar="FILE", help="The figures to compare with, as JSON.")
    ],
    update: Annotated[
        bool, typer.Option("--update", help="Write the baseline instead of comparing with it.")
    ] = False,
    settings: Settings = None,
    extension: Extension = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="Judge this measure only; may be repeated. [default: all with a better direction]",
        ),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[MEASURE=]VALUE",
            help="By how much it may be worse: a share of the baseline's mean such as 2 %, or a "
            "quantity such as delay_s=1ms; may be repeated.",
        ),
    ] = None,
    suite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Also play this suite of cases, as `windtunnel conform` does; may be repeated; "
            "default: with --controller, those that are made for it.",
            autocompletion=completing.suites,
        ),
    ] = None,
    controller: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE:CLASS",
            help="The controller that cases are played to: a name, a class in Python, or the file "
            "of a library; default: with --suite, the only extension.",
            autocompletion=completing.controllers,
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a JUnit file.")
    ] = None,
    jobs: Jobs = None,
    store: StoreFolder = Path("results/store"),
    as_json: Json = False,
) -> None:
    """Run a study and exit with 1 if it is worse than a baseline, or a case of a suite fails."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel.cli import gating

    options = gating.Options(
        baseline,
        update,
        parse_settings(settings),
        extension or [],
        measure or [],
        tolerance or [],
        junit,
        jobs,
        store,
        as_json,
        suite or [],
        controller,
    )
    gating.gate(file, options)


@app.command(
    epilog="windtunnel conform cubic\n\nwindtunnel conform mine.py:Mine --suite cubic --case curve"
    "\n\nwindtunnel conform cubic --stack linux\n\nwindtunnel conform tcp script.pkt"
)
def conform(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE:CLASS|tcp",
            help="A controller by its name, a class in Python, or the file of a library; or `tcp`.",
            autocompletion=completing.conforming,
        ),
    ],
    scripts: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SCRIPT]...",
            help="For `tcp`: scripts of packetdrill in place of suites, or folders of them.",
        ),
    ] = None,
    suite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            help="A suite of cases, or the file of one; may be repeated. [default: those that are "
            "made for the controller, or for `tcp`]",
            autocompletion=completing.suites,
        ),
    ] = None,
    case: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Play this case only, and print its trace."),
    ] = None,
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="Run the controller in this implementation of a transport protocol: quinn or noq, "
            "or with one of its own controllers aioquic, smoltcp, linux, windtunnel, the file of a "
            "library, or FILE:CLASS. Only cases on a network apply. [default: the TCP of the case]",
            autocompletion=completing.stacks,
        ),
    ] = None,
    own: Annotated[
        bool,
        typer.Option(
            "--own",
            help="Of quinn and noq the controller of their own by that name, in place of "
            "Windtunnel's.",
        ),
    ] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a JUnit file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check that a controller, or TCP, does what its specification says; exit with 1 if not."""
    from windtunnel.cli import conforming, conforming_tcp
    from windtunnel.conformance.scripts import TCP

    options = conforming.Options(suite or [], case, stack, own, junit, as_json)
    if name == TCP:
        conforming_tcp.conform(scripts or [], options)
    elif scripts:
        fail(f"scripts are played against TCP: windtunnel conform {TCP} SCRIPT", INVALID_INPUT)
    else:
        conforming.conform(name, options)


@app.command(
    epilog="windtunnel evaluate bbr3 --quick\n\nwindtunnel evaluate mine.py:Mine --quick --json"
)
def evaluate(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[CONTROLLER]",
            help="A controller, from `windtunnel list controllers`, of an --extension, a class: "
            "FILE.py:CLASS, or the file of a library.",
        ),
    ] = None,
    queue: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="In place of a controller, evaluate this queue discipline, by RFC 7928.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer rates, delays, queues and seeds.")
    ] = False,
    extension: Extension = None,
    jobs: Jobs = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an evaluation that was interrupted.")
    ] = False,
    store: StoreFolder = Path("results/store"),
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Evaluate a controller by the criteria of RFC 9743; exit with 1 if one does not hold."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel.cli import evaluating
    from windtunnel.evaluation import candidates

    if name and queue is None:
        candidate = candidates.find(name, extension or [])
    elif queue and name is None:
        candidate = candidates.find_queue(queue)
    else:
        raise typer.BadParameter("name a controller, or with --queue a queue discipline")
    options = evaluating.Options(quick, jobs, resume, store, out, as_json)
    evaluating.evaluate(candidate, options)


@app.command(epilog="windtunnel report results/first --open")
def report(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="A folder with results.", autocompletion=completing.results
        ),
    ],
    figures: Annotated[
        bool,
        typer.Option("--figures", help="Also write each picture as a file: SVG and PDF."),
    ] = False,
    width: Annotated[
        str | None,
        typer.Option(
            metavar="LENGTH",
            help="With --figures: for a paper's column of this width, such as 3.4in or 86mm, with"
            " text of 8 points.",
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="svg|pdf|png",
            help="With --figures: what to write; may be repeated.",
            autocompletion=lambda: ["svg", "pdf", "png"],
        ),
    ] = None,
    opens: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
) -> None:
    """Write a report of saved results."""
    if (width or formats) and not figures:
        fail("`--width` and `--format` are about files of pictures: add --figures", INVALID_INPUT)
    page = drawn(folder, figures, width, formats or ())
    say(f"Report: {page}")
    if opens:
        open_page(page)


@app.command(epilog="windtunnel compare results/first results/second")
def compare(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="FIRST", help="A folder with results.", autocompletion=completing.results
        ),
    ],
    second: Annotated[
        Path,
        typer.Argument(
            metavar="SECOND",
            help="A second folder with results.",
            autocompletion=completing.results,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show in what two results differ: settings, and what each flow and queue measured."""
    # Imported here: Polars takes longer to load than most commands take.
    from windtunnel.cli import comparing

    comparing.compare(first, second, as_json)


@app.command(
    "check",
    epilog="windtunnel check scenarios/first.toml --set runs=100\n\nwindtunnel check - < mine.toml",
)
def check_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A scenario or study file; - for standard input.",
            autocompletion=completing.checked,
        ),
    ],
    settings: Settings = None,
    extension: Extension = None,
    expand: Annotated[
        bool,
        typer.Option("--expand", help="Print a scenario with all that its tables stand for."),
    ] = False,
    stacks: Annotated[
        bool,
        typer.Option(
            "--stacks",
            help="Run flows over implementations of protocols twice, and say where they differ.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Check a scenario or a study without running it."""
    # Study files take long to import.
    from windtunnel.cli import checking

    if expand:
        checking.expand(file, parse_settings(settings), extensions.load(extension or []))
    elif stacks:
        repeats = checking.stacks(
            file, parse_settings(settings), as_json, extensions.load(extension or [])
        )
        if any(it["difference"] for it in repeats):
            raise typer.Exit(1)
    else:
        checking.check(file, parse_settings(settings), as_json, extensions.load(extension or []))


@app.command(
    "emulate",
    epilog='windtunnel emulate scenarios/live/emulate.toml --at server="iperf3 -s" '
    "-- iperf3 -c server",
    context_settings={"ignore_unknown_options": False},
)
def emulate_file(
    file: File,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND]", help="What runs behind the first of the nodes."),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at", metavar="NODE=PROGRAM", help="What runs behind another; may be repeated."
        ),
    ] = None,
    attach: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NODE=INTERFACE",
            help="A TUN interface (with --tap, TAP) whose packets enter and leave at a node, "
            "instead of a namespace; may be repeated.",
        ),
    ] = None,
    shell: Annotated[
        str | None,
        typer.Option(metavar="NODE", help="Open a shell behind this node, in place of a command."),
    ] = None,
    tap: Annotated[
        bool,
        typer.Option(
            "--tap",
            help="Nodes are bridges: interfaces carry Ethernet frames, also those that are not IP.",
        ),
    ] = False,
    internet: Annotated[
        str | None,
        typer.Option(
            metavar="NODE",
            help="Have the Internet behind this node: packets leave by the machine's own "
            "interface, with its address.",
        ),
    ] = None,
    in_place_of: Annotated[
        str | None,
        typer.Option(
            metavar="FLOW",
            help="The programs are in place of this flow, which is simulated afterwards: --out has "
            "both results.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Record it as a run, and save the results in this folder."
        ),
    ] = None,
    pcap: Pcap = None,
    pcap_direction: PcapDirection = None,
    pcap_snap: PcapSnap = None,
    pcap_window: PcapWindow = None,
    settings: Settings = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Send real packets through a scenario's network, in real time."""
    from windtunnel.cli import emulating

    options = emulating.Options(
        parse_settings(settings),
        seed,
        attach or [],
        at or [],
        command or [],
        shell,
        tap,
        internet,
        in_place_of,
        out,
        Captures(pcap or [], pcap_direction, pcap_snap, pcap_window),
        as_json,
    )
    emulating.emulate_file(file, options)


@app.command("dns", epilog="windtunnel dns scenarios/dns/four-countries.toml")
def serve_names(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of regions' names.")],
) -> None:
    """Answer DNS queries for the names of regions on UDP, until Ctrl-C."""
    server = DnsServer(name_of(file), read_text(file))
    if not server.addresses:
        fail(f"{file}: no region has `listen`", INVALID_INPUT)
    try:
        for region, address in server.addresses:
            say(f"{region}: {address}")
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        server.stop()


@app.command(
    "fly",
    epilog="windtunnel fly --controller copa -- iperf3 -c 192.0.2.1\n\n"
    "windtunnel fly --controller mine.py:Gentle -- curl -T file https://example.net",
    context_settings={"allow_interspersed_args": False},
)
def fly_controller(
    controller: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A controller, from `windtunnel list controllers`, or a class: FILE.py:CLASS.",
        ),
    ],
    command: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[-- COMMAND...]",
            help="Its sockets use the controller; default: those that choose it, until Ctrl-C.",
            show_default=False,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter; may be repeated."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Let a controller decide in the kernel, for the TCP sockets of a command."""
    # Imported here: only this command needs it.
    from windtunnel.cli.flying import fly

    fly(controller, parse_settings(settings), command or [], as_json)


@app.command("new", epilog="windtunnel new incast > mine.toml\n\nwindtunnel new paper mine")
def print_recipe(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[RECIPE]",
            help='A recipe, a line of quic-network-simulator such as "simple-p2p --delay=15ms '
            '--bandwidth=10Mbps --queue=25", or `paper`; default: all are listed.',
            autocompletion=completing.recipe,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Of a paper: the folder to write. [default: paper]"),
    ] = None,
) -> None:
    """Print a short scenario to begin with, or write the folder of a paper."""
    if name == recipes.PAPER:
        written = recipes.write_paper(folder or Path(recipes.PAPER))
        say(f"Paper: {written}; run it with `windtunnel reproduce {shlex.quote(named(written))}`")
        return
    if folder is not None:
        raise typer.BadParameter("only a paper is written into a folder")
    if name is not None:
        print(recipes.text(name), end="", flush=True)
        return
    table = Table.grid(padding=(0, 2))
    for row in recipes.titles().items():
        table.add_row(*row)
    output().print(table)


def named(folder: Path) -> str:
    """Write a folder so that it is not taken for the name of something that is installed."""
    return str(folder) if folder.name != str(folder) else f"./{folder}"


@app.command("schema", epilog="windtunnel schema > scenario.schema.json")
def print_schema() -> None:
    """Print the JSON Schema of scenario files, for editors."""
    answer(json.loads(schema()))


@app.command("list", epilog="windtunnel list controllers\n\nwindtunnel list cubic")
def list_what(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[WHAT]",
            help=f"{', '.join(listing.KINDS)}; or a name, of which everything is printed.",
            autocompletion=completing.what,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List what can be named: papers, controllers, queues, units, columns and others."""
    if as_json:
        answer(listing.listed(what))
    else:
        print("\n".join(listing.lines(what)))


@app.command("bench", epilog="windtunnel bench ndn-chain --json")
def measure_speed(
    workload: Annotated[
        str | None,
        typer.Argument(
            metavar="[WORKLOAD]",
            help="A workload, `study` for runs per second, or `lookup` for the tables of routers; "
            "default: all workloads.",
            autocompletion=completing.workloads,
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
