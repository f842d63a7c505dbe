"""What a paper published: tables, claims and gains, and the file that holds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import Any

from windtunnel.papers.errors import PaperError
from windtunnel.papers.paper import Paper, explain, load

PUBLISHED = "published.toml"

TOLERANCE = 0.1
"""The relative difference up to which two values match."""


@dataclass(frozen=True)
class Table:
    """A table of a paper, or the values of a figure."""

    id: str
    measures: list[str]
    axis: str
    """The axis of the experiments whose cases are its columns."""
    mean_over: list[str] | None
    """The experiments whose mean its rows give; None: a row is the experiment of its name."""
    rows: dict[str, dict[str, Decimal]]
    """The published values of each row, by column."""
    where: dict[str, str] = field(default_factory=dict)
    """The case on each other axis."""

    def experiments(self, row: str) -> list[str]:
        """List the experiments that give a row."""
        return self.mean_over or [row]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper about its values.

    Either `order`: groups of columns, where each value in an earlier group is more than
    `factor` times each value in a later group; or `alike`: columns whose values match; or
    `below`: upper limits of columns.
    """

    id: str
    says: str
    measure: str
    axis: str
    places: dict[str, list[str]]
    """Where it should hold: by name, the experiments whose mean it is about."""
    order: list[list[str]]
    alike: list[str]
    where: dict[str, str] = field(default_factory=dict)
    """The case on each other axis."""
    factor: float = 1.0
    below: dict[str, float] = field(default_factory=dict)

    def holds(self, values: Mapping[str, float]) -> bool:
        """Say whether values confirm the claim."""
        pairs = (
            (values[a], values[b])
            for more, less in combinations(self.order, 2)
            for a in more
            for b in less
        )
        ordered = all(more > self.factor * less for more, less in pairs)
        alike = all(match(values[a], values[b]) for a, b in combinations(self.alike, 2))
        return ordered and alike and all(values[it] < most for it, most in self.below.items())

    def columns(self) -> list[str]:
        """List the columns that the claim is about."""
        return [*(name for group in self.order for name in group), *self.alike, *self.below]


@dataclass(frozen=True)
class Gain:
    """A claim by how many percent one column exceeds another."""

    id: str
    says: str
    measure: str
    axis: str
    of: str
    over: str
    experiment: str
    percent: Decimal
    where: dict[str, str] = field(default_factory=dict)
    """The case on each other axis."""

    def measured(self, of: Mapping[int, float], over: Mapping[int, float]) -> list[float]:
        """Compute it for every run that has both."""
        common = sorted(number for number in of.keys() & over.keys() if over[number] > 0)
        return [100 * (of[number] / over[number] - 1) for number in common]


@dataclass(frozen=True)
class Published:
    """Everything that a paper published and that is compared."""

    tables: list[Table]
    claims: list[Claim]
    gains: list[Gain] = field(default_factory=list)

    def measures(self) -> list[str]:
        """List the measures that they use."""
        of_tables = (name for table in self.tables for name in table.measures)
        of_claims = (claim.measure for claim in self.claims)
        of_gains = (gain.measure for gain in self.gains)
        return list(dict.fromkeys([*of_tables, *of_claims, *of_gains]))


def match(published: float, measured: float) -> bool:
    """Say whether a measured value is within the tolerance of a published one."""
    return abs(measured - published) <= TOLERANCE * abs(published)


def read_published(paper: Paper) -> Published:
    """Read what a paper published. Raises PaperError for an invalid file."""
    file = paper.folder / PUBLISHED
    data = load(file)
    try:
        return Published(
            tables=[
                Table(
                    id=table["id"],
                    measures=table["measures"],
                    axis=table["axis"],
                    mean_over=table.get("mean-over"),
                    rows={
                        row: {name: Decimal(value) for name, value in values.items()}
                        for row, values in table["rows"].items()
                    },
                    where=table.get("where", {}),
                )
                for table in data["tables"]
            ],
            claims=[
                Claim(
                    id=claim["id"],
                    says=claim["says"],
                    measure=claim["measure"],
                    axis=claim["axis"],
                    places=places(claim),
                    order=claim.get("order", []),
                    alike=claim.get("alike", []),
                    where=claim.get("where", {}),
                    factor=float(claim.get("factor", 1)),
                    below={name: float(it) for name, it in claim.get("below", {}).items()},
                )
                for claim in data.get("claims", [])
            ],
            gains=[
                Gain(**{**gain, "percent": Decimal(gain["percent"])})
                for gain in data.get("gains", [])
            ],
        )
    except (KeyError, TypeError) as error:
        raise PaperError(f"{file}: {explain(error)}") from error


def places(claim: dict[str, Any]) -> dict[str, list[str]]:
    """Read where a claim should hold: in single experiments, or in the mean of several."""
    if "mean-over" in claim:
        return {"mean": claim["mean-over"]}
    return {name: [name] for name in claim["experiments"]}
