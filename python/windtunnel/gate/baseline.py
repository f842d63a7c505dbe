"""Baselines: what a study measured, as JSON that can be read in a diff."""

from __future__ import annotations

import hashlib
import json
import math
import platform
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from windtunnel._core import __version__
from windtunnel.extensions import described
from windtunnel.measures.frame import Parameter
from windtunnel.measures.intervals import interval
from windtunnel.studies import design
from windtunnel.studies.errors import StudyError
from windtunnel.studies.file import Study
from windtunnel.studies.measures import MEASURES
from windtunnel.studies.outcome import StudyResults
from windtunnel.studies.runner import settings_of
from windtunnel.studies.worker import Base

FORMAT = 1
"""The format of baselines that this version writes and reads."""

DIGITS = 6
"""Significant digits of means and intervals, which are only there to be read."""

Point = tuple[tuple[str, str], ...]
"""The parameters of a point, each with its value as the study has it."""

Values = dict[int, float | None]
"""What was measured with each seed; None: the run did not have this measure."""


@dataclass(frozen=True)
class Figures:
    """What a study measured."""

    title: str
    conditions: str
    """A hash of the study and its scenario."""
    made_with: dict[str, Any]
    """The versions of what made it."""
    points: dict[Point, dict[str, Values]]
    """The measures of each point; one that no run had is left out."""


def figures(study: Study, found: StudyResults) -> Figures:
    """Take the figures of a study's finished runs."""
    points: dict[Point, dict[str, Values]] = {}
    for row in found.frame.iter_rows(named=True):
        measures = points.setdefault(point_of(row, found.parameters), {})
        for measure in MEASURES:
            measures.setdefault(measure, {})[row["seed"]] = known(row[measure])
    measured = {
        point: {it: them for it, them in of.items() if any_known(them)}
        for point, of in points.items()
    }
    return Figures(study.title, conditions(study), made_with(study), measured)


def known(value: float | None) -> float | None:
    """Leave out what is not a number, which JSON does not have."""
    return value if value is not None and math.isfinite(value) else None


def any_known(values: Values) -> bool:
    """Say whether a run had the measure."""
    return any(it is not None for it in values.values())


def point_of(row: Mapping[str, Any], parameters: list[Parameter]) -> Point:
    """Name the point of a run."""
    return tuple((it.name, written(it, row[it.name])) for it in parameters)


def written(parameter: Parameter, value: float | str) -> str:
    """Give a value as the study has it."""
    if parameter.numbers is None:
        return str(value)
    return str(parameter.values[parameter.numbers.index(float(value))])


def conditions(study: Study) -> str:
    """Hash what a study runs, without titles and comments, and without classes and `--set`."""
    tables = [tomllib.loads(it) for it in (study.text, study.scenario)]
    for table in tables:
        table.pop("title", None)
    first = next(design.points(study))
    files = Base(study).read(settings_of(first, 1)).files
    text = json.dumps([tables, files], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def made_with(study: Study) -> dict[str, Any]:
    """Give the versions of what made figures."""
    return {
        "windtunnel": __version__,
        "python": platform.python_version(),
        "settings": study.settings,
        "extensions": described(study.extensions),
    }


# -- Files -------------------------------------------------------------------


class Stored(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", strict=True)


class StoredMeasure(Stored):
    """A measure of a point; mean and interval are those of the values."""

    mean: float
    low: float
    high: float
    n: int
    values: list[float | None]
    """In the order of the seeds."""


class StoredPoint(Stored):
    """A point."""

    parameters: dict[str, str]
    seeds: Annotated[list[int], Field(min_length=2)]
    measures: dict[str, StoredMeasure]

    @model_validator(mode="after")
    def check_values(self) -> StoredPoint:
        """Refuse another number of values than of seeds."""
        for name, measure in self.measures.items():
            if len(measure.values) != len(self.seeds):
                raise ValueError(f"{name} has {len(measure.values)} values of {len(self.seeds)}")
        return self


class StoredFigures(Stored):
    """The file."""

    format: Literal[1]
    title: str
    made_with: dict[str, Any]
    conditions_sha256: str
    points: list[StoredPoint]


def read(file: Path) -> Figures:
    """Read a baseline. Raises StudyError, or OSError if it cannot be read."""
    try:
        stored = StoredFigures.model_validate_json(file.read_bytes())
    except FileNotFoundError as error:
        raise StudyError(f"{file}: no such file\nhelp: --update writes it") from error
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise StudyError(
            f"{file}: not a baseline of this version: {at + ': ' if at else ''}{first['msg']}\n"
            "help: --update writes a new one"
        ) from None
    points = {
        tuple(point.parameters.items()): {
            name: dict(zip(point.seeds, it.values, strict=True))
            for name, it in point.measures.items()
        }
        for point in stored.points
    }
    return Figures(stored.title, stored.conditions_sha256, stored.made_with, points)


def write(figures: Figures, file: Path) -> None:
    """Write a baseline, with a line for each measure. Raises OSError."""
    head = {
        "format": FORMAT,
        "title": figures.title,
        "made_with": figures.made_with,
        "conditions_sha256": figures.conditions,
    }
    lines = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    points = ",\n".join("\n".join(point_lines(*it)) for it in figures.points.items())
    file.write_text(f'{lines},\n  "points": [\n{points}\n  ]\n}}\n', encoding="utf-8")


def point_lines(point: Point, measures: Mapping[str, Values]) -> Iterator[str]:
    """Write the lines of a point."""
    seeds = list(next(iter(measures.values()), {}))
    yield "    {"
    yield f'      "parameters": {json.dumps(dict(point), ensure_ascii=False)},'
    yield f'      "seeds": {json.dumps(seeds)},'
    yield '      "measures": {'
    lines = (f'        "{name}": {json.dumps(summary(it))}' for name, it in measures.items())
    yield ",\n".join(lines)
    yield "      }"
    yield "    }"


def summary(values: Values) -> dict[str, Any]:
    """Give mean, interval and number of values, and the values."""
    measured = [it for it in values.values() if it is not None]
    found = interval(measured)
    rounded = {it: float(f"{getattr(found, it):.{DIGITS}g}") for it in ("mean", "low", "high")}
    return {**rounded, "n": len(measured), "values": list(values.values())}
