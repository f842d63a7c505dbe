"""What is compared: the numbers, rankings and claims of a paper, each with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import fmean
from typing import Any, Final, Literal

from windtunnel.measures.intervals import interval, prediction

Kind = Literal["number", "ranking", "claim", "input", "context"]
"""What an item is: a published number, the ranking of a row of them, a claim, a number that was
chosen so that it is the published one, or a measured value that the paper does not state."""

Verdict = Literal[
    "matches",
    "differs",
    "at the bound",
    "impossible",
    "confirmed",
    "tied",
    "not confirmed",
    "measured",
    "one run",
    "not measured",
]
"""The verdict on a number, or on a ranking or claim.

A number `matches` within 10 % or its rounding, and `differs` otherwise; one that matches, but
lies beyond what the network allows by its rounding or up to 3 %, is `at the bound`. No protocol
can reach one that is `impossible`. A ranking or a claim is `confirmed` if the 95 % interval over
the runs clears the margin of a tie, `tied` if it lies within it, and `not confirmed` otherwise.
A value is `measured` where it answers what the paper leaves open.
`one run`: a single run of each case has no interval, and decides nothing.
`not measured`: the reproduction was interrupted before.
"""

Answer = Literal["yes", "tied", "undecided", "no", "one run", ""]
"""The answer to the question whether a claim holds: `undecided` if the interval allows both."""

ONE_RUN: Final = "one run"
"""The verdict, and the answer, where a single run of each case was made."""


CLAIMS = "claims"
"""The first part of the ids of claims; the id of a table's number ends with its measure."""


@dataclass(frozen=True)
class Measured:
    """A value with its spread over the runs."""

    mean: float
    low: float
    high: float
    runs: int
    unit: str
    interval: tuple[float, float] | None
    """The 95 % interval of the mean; None of a single run."""
    of_one_run: tuple[float, float] | None
    """The 95 % prediction interval: where one more run is to be expected; None of a single run."""


@dataclass(frozen=True)
class Compared:
    """A column that a claim is about: the paper's value, if it has one, and ours."""

    name: str
    published: float | None
    measured: Measured | None

    def document(self) -> dict[str, Any]:
        """Give it as JSON values."""
        return {**vars(self), "measured": self.measured and listed(vars(self.measured))}


@dataclass(frozen=True)
class Item:
    """One number, ranking or claim of a paper under one reading, or a value beside them."""

    id: str
    kind: Kind
    reading: str
    published: Decimal | None
    unit: str
    measured: Measured | None
    verdict: Verdict | None
    """None for what was chosen, or what the paper does not state."""
    note: str
    definition: str = ""
    """Where the paper leaves the definition of a number open: the measure of this one, if it is
    not the one that its page recommends."""
    question: str = ""
    """The question that a claim answers, if it is one of the first screen."""
    answer: Answer = ""
    published_of: tuple[str, ...] = ()
    """Of a claim: the column of the paper's value, or the two whose difference it is."""
    measured_of: tuple[str, ...] = ()
    """The same of the measured value."""
    measure: str = ""
    """Of a claim: the measure that decides it."""
    columns: tuple[Compared, ...] = ()
    """Of a claim: the columns that it is about."""

    def document(self) -> dict[str, Any]:
        """Give the item as JSON values."""
        published = self.published
        stated = None if published is None else {"value": float(published), "unit": self.unit}
        measured = None if self.measured is None else listed(vars(self.measured))
        columns = [it.document() for it in self.columns]
        return {
            **listed(vars(self)),
            "published": stated,
            "measured": measured,
            "columns": columns,
        }

    @property
    def of_claim(self) -> bool:
        """Whether it is a claim, or the number of one."""
        return self.id.startswith(f"{CLAIMS}/")

    @property
    def agrees(self) -> bool:
        """Whether it is a number that agrees with the published one."""
        return self.verdict in ("matches", "at the bound")


def listed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Give values as JSON has them, which has no tuples."""
    return {key: list(it) if isinstance(it, tuple) else it for key, it in values.items()}


def summarise(runs: Sequence[float], unit: str) -> Measured | None:
    """Summarise runs; None without any."""
    if not runs:
        return None
    several = len(runs) > 1
    return Measured(
        mean=fmean(runs),
        low=min(runs),
        high=max(runs),
        runs=len(runs),
        unit=unit,
        interval=interval(runs).ends if several else None,
        of_one_run=prediction(runs).ends if several else None,
    )
