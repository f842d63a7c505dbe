"""The criteria of an RFC, as `criteria.toml` has them: what is measured, and its limit."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from windtunnel.evaluation.subjects import CONTROLLERS, Subject


class Entry(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Relative(Entry):
    """The case of the same seed to which a value is put in relation."""

    parameter: str
    to: str
    """The value of the parameter in that case."""
    form: Literal["difference", "ratio", "harm"]
    """`harm`: the part of the performance there that is lost (Ware, Mukerjee, Seshan, Sherry,
    "Beyond Jain's Fairness Index", HotNets 2019)."""


class Limit(Entry):
    """The limit of a measure: of two, the one that allows more."""

    constant: float | None = None
    times: float | None = None
    """What the standard has is multiplied by this."""
    plus: float = 0.0
    """What is allowed beyond that, in the unit of the measure."""

    remainder: float = 0.0
    """Of a harm: this part of what the standard leaves must be left too."""

    def of(self, standard: float | None, less_is_better: bool) -> float | None:
        """Give the limit beside what the standard measured; None: that is not known."""
        if self.times is None:
            return self.constant
        if standard is None:
            return None
        beyond = self.plus if less_is_better else -self.plus
        allowed = [self.times * standard + beyond]
        allowed += [] if self.constant is None else [self.constant]
        limit = max(allowed) if less_is_better else min(allowed)
        return min(limit, 1 - self.remainder * (1 - standard)) if self.remainder else limit


class Check(Entry):
    """A measure of an experiment with its limit."""

    experiment: str
    measure: str
    where: dict[str, list[str]] = {}
    """The values of parameters for which it applies; of others for all."""
    relative: Relative | None = None
    limit: Limit
    source: str
    """Where the limit comes from."""
    failed: str
    """What it means that the limit does not hold."""


class Criterion(Entry):
    """A criterion."""

    number: int
    """Its place in the RFC."""
    title: str
    section: str
    asks: str
    checks: list[Check] = []
    undecided: str = ""
    """Why no experiment decides it."""
    needs: str = ""
    """What a controller must need for it to apply, as in `windtunnel list controllers`."""


class File(Entry):
    """The file."""

    criteria: list[Criterion]


@cache
def criteria(subject: Subject = CONTROLLERS) -> list[Criterion]:
    """Give the criteria in the order of the RFC."""
    text = (subject.folder / "criteria.toml").read_text(encoding="utf-8")
    return File.model_validate(tomllib.loads(text)).criteria
