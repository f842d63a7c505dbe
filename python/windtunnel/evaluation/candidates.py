"""What is evaluated: a controller or a queue, by its name in scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from windtunnel import _core, controller_names
from windtunnel.evaluation.subjects import CONTROLLERS, QUEUES, Subject
from windtunnel.extensions import Extensions, load
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

    Raises UnknownController and UnknownExtension.
    """
    loaded = load(extensions)
    found = controller_names.find(name, loaded)
    return Candidate(CONTROLLERS, found.name, found.needs, {**loaded, **found.own})


def find_queue(name: str) -> Candidate:
    """Find a queue discipline. Raises StudyError if it is not known."""
    known = [it["name"] for it in json.loads(_core.catalogue("queues"))]
    if name not in known:
        help = _core.suggestion(name, known)
        raise StudyError(f"`{name}` is not a known queue discipline\nhelp: {help}")
    return Candidate(QUEUES, name, (), {})
