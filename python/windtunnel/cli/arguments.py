"""Arguments and options that several commands take, and those of captures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from windtunnel.cli import completing

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A scenario file.", autocompletion=completing.scenarios),
]
StudyFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A study file.", autocompletion=completing.studies),
]
StoreFolder = Annotated[
    Path, typer.Option(metavar="DIR", help="The folder that stores the runs of all studies.")
]
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
Extension = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE:CLASS",
        help="A class in Python that scenarios may name, `MyRule` as `my-rule`, or the file of a "
        "library in Rust or C, with `process:` before it in a process of its own; may be repeated.",
    ),
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
Csv = Annotated[
    bool, typer.Option("--csv", help="Also write each table as CSV, beside the Parquet files.")
]
Opens = Annotated[bool, typer.Option("--open", help="Write the report and open it in a browser.")]

Pcap = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NODE",
        help="Capture packets at this node in pcapng files; may be repeated.",
        autocompletion=completing.nodes,
    ),
]
PcapDirection = Annotated[
    str | None,
    typer.Option(
        metavar="out|in|both",
        help="Capture packets that leave, that arrive, or both. "
        "[default: both at ends of flows, elsewhere out]",
    ),
]
PcapSnap = Annotated[
    int | None,
    typer.Option(metavar="BYTES", min=1, help="Keep only the first bytes of each frame."),
]
PcapWindow = Annotated[
    tuple[str, str] | None,
    typer.Option(metavar="FROM UNTIL", help='Capture only then, such as "2 s" "3 s".'),
]
Events = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FLOW",
        help="Record what happens to each packet of this flow; may be repeated.",
        autocompletion=completing.flows,
    ),
]
Live = Annotated[
    bool,
    typer.Option(
        "--live", help="Show goodput and queues while it runs, as lines of blocks on a terminal."
    ),
]
