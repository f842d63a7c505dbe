"""What is evaluated: a controller or a queue, by its name in scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from windtunnel import _core
from windtunnel.evaluation.subjects import CONTROLLERS, QUEUES, Subject
from windtunnel.extensions import Extensions, load
from windtunnel.plugins import SUFFIXES
from windtunnel.studies.errors import StudyError


@dataclass(frozen=True)
class Candidate:
    """A controller or a queue under evaluation."""

    subject: Subject
    name: str
    """Its name in scenarios."""
    needs: tuple[str, ...]
    """What it requires of a transport, as in `windtunnel list controllers`."""
    extensions: Extensions


def find(name: str, extensions: Iterable[str] = ()) -> Candidate:
    """Find a controller: of the catalogue, of an extension, or `FILE:CLASS` or a library itself.

    Raises StudyError if it is not known, and UnknownExtension.
    """
    loaded = load(extensions)
    if ":" in name or name.endswith(SUFFIXES):
        own = load([name])
        return of_extension(next(iter(own)), {**loaded, **own})
    if name in loaded:
        return of_extension(name, loaded)
    built_in = {it["name"]: it for it in json.loads(_core.catalogue("controllers"))}
    if name not in built_in:
        help = _core.suggestion(name, [*loaded, *built_in])
        raise StudyError(
            f"`{name}` is not a known controller\n"
            f"help: {help}; one of yours is written FILE.py:CLASS"
        )
    return Candidate(CONTROLLERS, name, tuple(built_in[name]["needs"]), loaded)


def of_extension(name: str, extensions: Extensions) -> Candidate:
    """Take one that is written outside."""
    return Candidate(CONTROLLERS, name, tuple(getattr(extensions[name], "needs", ())), extensions)


def find_queue(name: str) -> Candidate:
    """Find a queue discipline. Raises StudyError if it is not known."""
    known = [it["name"] for it in json.loads(_core.catalogue("queues"))]
    if name not in known:
        help = _core.suggestion(name, known)
        raise StudyError(f"`{name}` is not a known queue discipline\nhelp: {help}")
    return Candidate(QUEUES, name, (), {})
