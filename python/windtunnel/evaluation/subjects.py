"""What can be evaluated: congestion controllers by RFC 9743, queues by RFC 7928."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Subject:
    """A kind of candidate, with the data of its evaluation."""

    word: str
    """Also the parameter whose cases are the candidate and the standards."""
    source: str
    """The document that has the criteria."""
    standards: tuple[str, ...]
    """What a candidate is compared with."""
    place: str
    """The path of the candidate in the scenarios."""
    folder: Path
    """Where `criteria.toml`, `quick.toml` and `experiments` are."""


CONTROLLERS = Subject(
    "controller", "RFC 9743", ("cubic", "new-reno"), "controllers.candidate", HERE
)
"""The standards are those of RFC 9438 and RFC 5681."""

QUEUES = Subject("queue", "RFC 7928", ("drop-tail",), "links.bottleneck.queue", HERE / "queues")

SUBJECTS = {it.word: it for it in (CONTROLLERS, QUEUES)}
