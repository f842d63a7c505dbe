"""The commands `tcp connect` and `tcp listen`: our TCP with real hosts, on a TUN interface."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from windtunnel.cli.arguments import Json
from windtunnel.cli.linux_only import of_linux
from windtunnel.cli.output import INTERRUPTED, INVALID_INPUT, answer, fail, say

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


WAS_INTERRUPTED = "interrupted; all connections were reset"


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
    tcp_connect = of_linux("tcp_connect", "TCP on the wire")
    document = transfer(tcp_connect, interface, address, controller, peer, send, receive)
    if as_json:
        answer(document)
    else:
        tell(document)


@app.command()
def listen(
    port: Annotated[int, typer.Argument(metavar="PORT", min=1, max=65535, help="The local port.")],
    interface: Interface = "windtunnel0",
    address: Address = "10.9.0.2/24",
    controller: Controller = "cubic",
    clients: Annotated[
        int,
        typer.Option(
            metavar="COUNT",
            min=1,
            help="How many clients to serve, 128 at once at most. Of several, what each sends is "
            "written to FILE.1, FILE.2 and so on, in the order in which they connect.",
        ),
    ] = 1,
    send: Send = None,
    receive: Receive = None,
    as_json: Json = False,
) -> None:
    """Wait for connections from real hosts; on each send a file, receive one, and close."""
    tcp_listen = of_linux("tcp_listen", "TCP on the wire")
    arguments = (interface, address, controller, port, clients, send, receive)
    document = transfer(tcp_listen, *arguments)
    interrupted = document["interrupted"]
    failed = [
        f"{it['peer']}: {it['error']}, after {it['sent_bytes']} bytes sent, "
        f"{it['received_bytes']} received"
        for it in document["failed"]
    ]
    if clients == 1 and not document["connections"]:
        if interrupted:
            fail("\n".join([WAS_INTERRUPTED, *failed]), INTERRUPTED)
        fail(document["failed"][0]["error"], INVALID_INPUT)
    if as_json:
        answer(document["connections"][0] if clients == 1 else totals(document))
    else:
        for connection in document["connections"]:
            tell(connection)
    if interrupted:
        fail("\n".join([WAS_INTERRUPTED, *failed]), INTERRUPTED)
    if failed:
        fail(
            "\n".join([f"{len(failed)} of {clients} clients were not served", *failed]),
            INVALID_INPUT,
        )


def transfer(act: Callable[..., str], *arguments: object) -> dict[str, Any]:
    """Transfer files, and give what it was like."""
    try:
        text = act(*arguments)
    except KeyboardInterrupt:
        fail(WAS_INTERRUPTED, INTERRUPTED)
    document: dict[str, Any] = json.loads(text)
    return document


def totals(document: dict[str, Any]) -> dict[str, Any]:
    """Add the bytes of all clients to a document."""
    names = ("sent_bytes", "received_bytes")
    all_clients = document["connections"] + document["failed"]
    sums = {name: sum(it[name] for it in all_clients) for name in names}
    return {**sums, **document}


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
