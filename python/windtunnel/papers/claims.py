"""What a paper claims: sentences, and the measures that decide them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import Any

from windtunnel.papers.errors import PaperError
from windtunnel.papers.paper import Paper, explain, load

CLAIMS = "claims.toml"


@dataclass(frozen=True)
class Gain:
    """By how many percent one column exceeds another."""

    of: str
    over: str
    percent: Decimal


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    Either `order`: groups of columns, where each value in an earlier group is more than
    `factor` times each value in a later group; or `alike`: columns whose values match; or
    `below`: upper limits of columns; or `gain`; or `value`: a column whose value answers what
    the paper leaves open.
    """

    id: str
    says: str
    """The claim in a sentence, as the paper makes it."""
    measure: str
    axis: str
    places: dict[str, list[str]]
    """Where it should hold: by name, the experiments whose mean it is about."""
    order: list[list[str]] = field(default_factory=list)
    alike: list[str] = field(default_factory=list)
    below: dict[str, float] = field(default_factory=dict)
    gain: Gain | None = None
    value: str = ""
    where: dict[str, str] = field(default_factory=dict)
    """The case on each other axis."""
    factor: float = 1.0
    stated: Decimal | None = None
    """The value that the paper states beside the claim, where it has no table of them: by how
    many percent the first column exceeds the last, or of `below` the limit."""
    question: str = ""
    """The question that it answers, for the first screen; claims without one are not there."""

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Give the pairs of columns of which the first should be more."""
        for more, less in combinations(self.order, 2):
            yield from ((a, b) for a in more for b in less)

    def columns_of_stated(self) -> tuple[str, ...]:
        """Give the columns that the stated value is about."""
        if self.below:
            return tuple(self.below)[:1]
        columns = self.columns()
        return (columns[0], columns[-1])

    def columns(self) -> list[str]:
        """List the columns that the claim is about."""
        of_gain = [self.gain.of, self.gain.over] if self.gain else []
        of_value = [self.value] if self.value else []
        groups = (it for group in self.order for it in group)
        return [*groups, *self.alike, *self.below, *of_gain, *of_value]


@dataclass(frozen=True)
class Claims:
    """What a paper claims, and what its text leaves nobody able to know."""

    claims: list[Claim] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    """What cannot be known from the paper, in sentences."""

    def measures(self, experiment: str) -> list[str]:
        """List the measures of an experiment that decide them."""
        places = (
            (it, name) for it in self.claims for names in it.places.values() for name in names
        )
        return list(dict.fromkeys(claim.measure for claim, name in places if name == experiment))


def read_claims(paper: Paper) -> Claims:
    """Read what a paper claims, if it has the file. Raises PaperError for an invalid file."""
    file = paper.folder / CLAIMS
    if not file.exists():
        return Claims()
    data = load(file)
    try:
        return Claims([claim_of(found) for found in data["claims"]], data.get("unknown", []))
    except (KeyError, TypeError) as error:
        raise PaperError(f"{file}: {explain(error)}") from error


def claim_of(found: Mapping[str, Any]) -> Claim:
    """Make a claim of its table in the file."""
    given = {**found, "places": places(found)}
    for key in ("mean-over", "experiments"):
        given.pop(key, None)
    if "gain" in given:
        gain = given["gain"]
        given["gain"] = Gain(gain["of"], gain["over"], Decimal(gain["percent"]))
    if "stated" in given:
        given["stated"] = Decimal(given["stated"])
    if "factor" in given:
        given["factor"] = float(given["factor"])
    if "below" in given:
        given["below"] = {name: float(most) for name, most in given["below"].items()}
    return Claim(**given)


def places(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """Read where a claim should hold: in single experiments, or in the mean of several."""
    if "mean-over" in found:
        return {"mean": found["mean-over"]}
    return {name: [name] for name in found["experiments"]}
