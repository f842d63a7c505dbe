"""The commands `tcp connect` and `tcp listen`: our TCP with real hosts, on a TUN interface."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from windtunnel.cli.arguments import Json
from windtunnel.cli.linux import of_linux
from windtunnel.cli.output import INTERRUPTED, answer, fail, say

app = typer.Typer(
    help="Transfer files to and from real hosts with Windtunnel's TCP.",
    epilog="windtunnel tcp connect 10.9.0.1:7007 --controller copa --send FILE",
    no_args_is_help=True,
)

Interface = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The TUN interface; one that does not exist is created, and removed at the end.",
    ),
]
Address = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS/PREFIX",
        help="The local address, in the interface's subnet. On an interface that is created, "
        "the kernel has the first other address.",
    ),
]
Controller = Annotated[
    str, typer.Option(metavar="NAME", help="The congestion controller of what is sent.")
]
Send = Annotated[Path | None, typer.Option(metavar="FILE", help="The file to send.")]
Receive = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where to write what is received; default: nowhere."),
]


@dataclass(frozen=True)
class Options:
    """What both commands have in common."""

    interface: str
    address: str
    controller: str
    send: Path | None
    receive: Path | None
    as_json: bool


@app.command()
def connect(
    peer: Annotated[str, typer.Argument(metavar="HOST:PORT", help="The peer.")],
    interface: Interface = "windtunnel0",
    address: Address = "10.9.0.2/24",
    controller: Controller = "cubic",
    send: Send = None,
    receive: Receive = None,
    as_json: Json = False,
) -> None:
    """Connect to a real host; send a file, receive one, and close."""
    transfer(Options(interface, address, controller, send, receive, as_json), peer=peer)


@app.command()
def listen(
    port: Annotated[int, typer.Argument(metavar="PORT", min=1, max=65535, help="The local port.")],
    interface: Interface = "windtunnel0",
    address: Address = "10.9.0.2/24",
    controller: Controller = "cubic",
    send: Send = None,
    receive: Receive = None,
    as_json: Json = False,
) -> None:
    """Wait for one connection from a real host; send a file, receive one, and close."""
    transfer(Options(interface, address, controller, send, receive, as_json), port=port)


def transfer(options: Options, **call: Any) -> None:
    """Transfer files, and say what it was like."""
    tcp_transfer = of_linux("tcp_transfer", "TCP on the wire")
    try:
        text = tcp_transfer(
            options.interface,
            options.address,
            options.controller,
            send=options.send,
            receive=options.receive,
            **call,
        )
    except KeyboardInterrupt:
        fail("interrupted; the connection was reset", INTERRUPTED)
    document: dict[str, Any] = json.loads(text)
    if options.as_json:
        answer(document)
    else:
        tell(document)


def tell(document: dict[str, Any]) -> None:
    """Say what a transfer was like."""
    seconds = document["duration_s"]
    rate = (document["sent_bytes"] + document["received_bytes"]) * 8e-6 / max(seconds, 1e-9)
    say(
        f"{document['peer']}: {document['sent_bytes']} bytes sent, "
        f"{document['received_bytes']} received in {seconds:.3f} s ({rate:.1f} Mbps)"
    )
    agreed = [f"segments of {document['maximum_segment']} bytes"]
    agreed += [name for name in ("timestamps", "sack") if document[name]]
    say(f"agreed on: {', '.join(agreed)}")
    rtt = document["smoothed_rtt_s"]
    say(
        f"{document['controller']}: {document['segments']} segments, "
        f"{document['retransmissions']} sent again, {document['timeouts']} timeouts"
        + (f", round trip {rtt * 1e3:.1f} ms" if rtt is not None else "")
    )
