"""`windtunnel ndn`: the forwarder, producers and consumers of NDN on sockets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import typer
from rich.table import Table

from windtunnel.cli import completing
from windtunnel.cli.arguments import Json
from windtunnel.cli.linux_only import of_linux
from windtunnel.cli.output import INTERRUPTED, INVALID_INPUT, answer, fail, output, say
from windtunnel.texts import name_of, read_text

app = typer.Typer(
    help="Named Data Networking with real packets: forward, put and get.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

NDN = "NDN on sockets"

FORWARDER = "udp://127.0.0.1:6363"
"""Where a forwarder is by default."""

Bind = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="The local address, with or without a port.")
]
Connect = Annotated[
    str, typer.Option(metavar="URL", help="The forwarder or producer to connect to.")
]


@app.command("forward", epilog="windtunnel ndn forward scenarios/live/ndn.toml")
def forward(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A forwarder's file.")],
    bind: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Listen at this IP address over UDP and TCP, in place of the file's addresses.",
        ),
    ] = None,
    key: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Let only producers register prefixes whose commands are signed by this public "
            "key, in PEM; may be repeated.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Forward Interests and Data between UDP and TCP faces, until Ctrl-C."""
    with errors():
        forwarder = of_linux("NdnForwarder", NDN)(
            name_of(file), read_text(file), bind, [read_text(it) for it in key or []]
        )
        serve(forwarder, as_json)


@app.command(
    "put",
    epilog="windtunnel ndn put --prefix /example --file mine.iso\n\n"
    "windtunnel ndn put --prefix /example --file mine.iso --bind 192.0.2.1:6363",
)
def put(
    prefix: Annotated[
        str, typer.Option(metavar="NAME", help="The prefix of its names, such as /example.")
    ],
    file: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="The file that is served, or a folder: each of its files below the prefix.",
        ),
    ],
    connect: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="The forwarder where the prefix is registered. "
            f"[default: {FORWARDER}; none with --bind]",
        ),
    ] = None,
    bind: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Without --connect: listen here over UDP and TCP, and register nothing. "
            "With it: the local address.",
        ),
    ] = None,
    sign: Annotated[
        Literal["digest", "ed25519", "ecdsa"], typer.Option(help="How Data is signed.")
    ] = "digest",
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The private key, in PEM (PKCS #8).")
    ] = None,
    segment_size: Annotated[
        int, typer.Option(metavar="BYTES", min=1, max=8000, help="Content of a Data packet.")
    ] = 1300,
    as_json: Json = False,
) -> None:
    """Serve a file as segmented Data with a version, until Ctrl-C."""
    if connect is None and bind is None:
        connect = FORWARDER
    with errors():
        text = None if key is None else read_text(key)
        producer = of_linux("NdnProducer", NDN)(
            prefix, file, segment_size, sign, key=text, connect=connect, bind=bind
        )
        if not as_json:
            for name, segments in producer.names:
                say(f"{name}: {segments} segments")
        serve(producer, as_json)


@app.command("get", epilog="windtunnel ndn get /example --out mine.iso --controller copa")
def get(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name of what is fetched, such as /example.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file that is written.")],
    controller: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What controls the window: a name, or a table such as "
            "'{ kind = \"cubic\", beta = 0.5 }'.",
            autocompletion=completing.what,
        ),
    ] = "cubic",
    connect: Connect = FORWARDER,
    bind: Bind = None,
    key: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Accept only Data signed by this public key, in PEM. "
            "[default: digests are checked]",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch segmented Data into a file, by any congestion controller."""
    with errors():
        text = None if key is None else read_text(key)
        measured = of_linux("ndn_get", NDN)(name, out, controller, connect, bind=bind, key=text)
    if as_json:
        answer(measured)
        return
    table = Table.grid(padding=(0, 2))
    for row in rows(measured):
        table.add_row(*row)
    output().print(table)


def rows(measured: dict[str, Any]) -> list[tuple[str, str]]:
    """Lay out what was measured."""
    signatures = f"{measured['verified']} right"
    if measured["unverified"]:
        signatures += f", {measured['unverified']} not checked: they need --key"
    if measured["rejected"]:
        signatures += f", {measured['rejected']} wrong, and asked for again"
    return [
        ("name", measured["name"]),
        ("controller", measured["controller"]),
        ("size", f"{measured['bytes']} B in {measured['segments']} segments"),
        ("duration", f"{measured['duration_s']:.3f} s"),
        ("goodput", scaled(measured["goodput_bps"], 1e-6, "Mbps")),
        ("RTT, mean", scaled(measured["rtt_mean_s"], 1e3, "ms")),
        ("Interests", f"{measured['interests']}, retransmitted {measured['retransmissions']}"),
        (
            "congestion",
            f"{measured['marks']} marks, {measured['timeouts']} timeouts, "
            f"{measured['nacks']} NACKs, {measured['decreases']} decreases",
        ),
        ("signatures", signatures),
    ]


def scaled(number: float | None, factor: float, unit: str) -> str:
    """Write what was measured, if it was."""
    return "none" if number is None else f"{number * factor:.3f} {unit}"


class Server(Protocol):
    """What serves until Ctrl-C."""

    @property
    def addresses(self) -> list[str]:
        """Where it listens."""

    def run(self) -> None:
        """Serve until Ctrl-C, which raises KeyboardInterrupt."""

    def report(self) -> dict[str, Any]:
        """Give what it counted."""


def serve(server: Server, as_json: bool) -> None:
    """Serve until Ctrl-C, and print what was counted."""
    if not as_json:
        for address in server.addresses:
            say(f"listening at {address}")
    try:
        server.run()
    except KeyboardInterrupt:
        report = server.report()
        if as_json:
            answer(report)
            return
        link = report.pop("link")
        table = Table.grid(padding=(0, 2))
        for name, number in [*report.items(), *((f"link {it}", link[it]) for it in link)]:
            if number:
                table.add_row(name.replace("_", " "), str(number))
        output().print(table)


@contextmanager
def errors() -> Iterator[None]:
    """End the command with what the core says is wrong."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        fail(str(error), INVALID_INPUT)
    except KeyboardInterrupt:
        fail("interrupted: nothing was written", INTERRUPTED)
