"""Pictures by the names of their kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from windtunnel.pictures import (
    bars,
    channels,
    completions,
    flows,
    forwarders,
    over_time,
    packets,
    playback,
)
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.files import FORMATS, document, encoded, inches
from windtunnel.pictures.picture import Picture
from windtunnel.tables import ResultsError, ResultTables

Kinds = Mapping[str, Callable[[ResultTables], list[Picture]]]
"""What draws each kind of picture."""


def of_first_run(results: ResultTables) -> ResultTables:
    """Keep the first run alone."""
    first = results["runs"]["run"].min()
    return replace(
        results, tables={name: table.filter(run=first) for name, table in results.tables.items()}
    )


def of_all(
    kind: Callable[[Comparison], list[Picture]], by_controller: bool = True
) -> Callable[[ResultTables], list[Picture]]:
    """Draw a kind of picture of results as a whole, by controllers as papers do, or by flows."""
    return lambda results: kind(Comparison(results, by_controller))


OF_COMPARISONS: dict[str, Callable[[Comparison], list[Picture]]] = {
    **over_time.OVER_TIME,
    **bars.BARS,
    **channels.KINDS,
    **completions.KINDS,
    "goodput": channels.goodput,
    "each-flow": flows.each_flow,
    "playback": playback.playback,
    "forwarders": forwarders.forwarders,
    "time-sequence": packets.time_sequence,
}
"""The kinds that compare the cases of results as a whole."""


def named(by_controller: bool) -> Kinds:
    """Give the kinds by name, drawn by groups of flows or by controllers."""
    return {
        **{name: of_all(kind, by_controller) for name, kind in OF_COMPARISONS.items()},
        "window-of-first-run": lambda results: over_time.window(
            Comparison(of_first_run(results), by_controller)
        ),
    }


KINDS = named(by_controller=False)
"""The kinds of pictures that can be asked for by name."""

OF_PAPERS = named(by_controller=True)
"""The same for the figures of papers, which compare controllers; a paper may have others."""


def of_kind(results: ResultTables, kind: str, kinds: Kinds = KINDS) -> list[Picture]:
    """Draw the pictures of a kind; none if there is nothing to draw.

    Raises ResultsError for an unknown kind.
    """
    if kind not in kinds:
        raise ResultsError(f"unknown picture `{kind}`; known: {', '.join(kinds)}")
    return kinds[kind](results) if results.tables else []


def some_of_kind(results: ResultTables, kind: str) -> list[Picture]:
    """Draw the pictures of a kind, at least one.

    Raises ResultsError for an unknown kind, and if there is nothing to draw.
    """
    drawn = of_kind(results, kind)
    if not drawn:
        raise ResultsError(f"nothing to draw for `{kind}`")
    return drawn


def draw(results: ResultTables, kind: str, file: Path | str, width: str | None = None) -> Path:
    """Draw one picture into a file: SVG, PDF or PNG, by its extension.

    `kind` is one of `KINDS`; if the cases need several pictures, the first is drawn. With a
    `width`, such as `3.4in`, it is a figure for a paper's column, with text of 8 points.
    Raises ResultsError for an unknown kind or format, and if there is nothing to draw.

    >>> draw(windtunnel.run("scenarios/first.toml"), "goodput", "goodput.svg")
    """
    file = Path(file)
    format = file.suffix.removeprefix(".")
    if format not in FORMATS:
        raise ResultsError(
            f"{file}: unknown format; known: {', '.join(f'.{it}' for it in FORMATS)}"
        )
    wanted = None if width is None else inches(width)
    first, *_ = some_of_kind(results, kind)
    file.write_bytes(encoded(document(first, wanted), format, wanted))
    return file
