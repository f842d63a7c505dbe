"""Study files: a base scenario and the parameters that vary."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from windtunnel._core import check_toml, suggestion
from windtunnel.extensions import Extensions
from windtunnel.measures.frame import Parameter
from windtunnel.quantities import Quantity, quantity
from windtunnel.scenario.writing import in_toml
from windtunnel.studies.derived import Formula
from windtunnel.studies.errors import StudyError
from windtunnel.studies.measures import MEASURES
from windtunnel.studies.values import labels, spaced
from windtunnel.texts import name_of, read_text

MOST_BYTES = 1 << 20
"""The largest study file that is read."""

OF_SCENARIOS = ("duration", "nodes", "links", "flows", "consumers", "topologies")
"""Keys of scenarios that no study has."""


class Table(BaseModel):
    """A table of a study file; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True, strict=True)


class Vary(Table):
    """A parameter: a list, a range, or cases that set several values by their paths."""

    path: str | list[str] | None = None
    """The path that it sets in the scenario; none if only `derive` uses it."""
    values: list[Any] | None = None
    """A list of values."""
    cases: dict[str, dict[str, Any]] | None = None
    """Named cases, each with the values that it sets by their paths, as in `[compare]`."""
    first: str | float | int | None = Field(None, alias="from")
    last: str | float | int | None = Field(None, alias="to")
    steps: Annotated[int, Field(ge=1)] | None = None
    scale: Literal["linear", "logarithmic"] = "linear"
    zip: str | None = None
    """Parameters with the same name here vary together, not in all combinations."""


class Derive(Table):
    """A value derived from parameters."""

    path: str
    value: str
    """A formula of parameters, in base units: s, bps, B, packets."""
    unit: str = ""
    """The unit of the result."""


class Sample(Table):
    """Points drawn at random from all combinations."""

    design: Literal["random", "latin-hypercube"]
    points: Annotated[int, Field(ge=1)]
    seed: Annotated[int, Field(ge=0)] = 0


class Stop(Table):
    """A stop rule: when a point has enough seeds."""

    measure: str
    precision: str
    """The limit for half the confidence interval, as a share of the mean."""
    confidence: str = "95 %"
    minimum_seeds: Annotated[int, Field(ge=2)] = 3
    maximum_seeds: Annotated[int, Field(ge=2)] = 50


class File(Table):
    """A study file."""

    title: str | None = None
    scenario: str
    set: dict[str, Any] = {}
    seeds: Annotated[int, Field(ge=1)] | list[Annotated[int, Field(ge=0)]] = 1
    vary: dict[str, Vary] = {}
    derive: dict[str, Derive] = {}
    sample: Sample | None = None
    stop: Stop | None = None


@dataclass(frozen=True)
class Varied(Parameter):
    """A parameter with all its values and settings."""

    settings: list[dict[str, str]]
    """The settings of each value: TOML values by their paths."""
    group: str | None = None
    """Parameters of one group vary together."""
    ends: tuple[Quantity, Quantity] | None = None
    """The ends of a range; samples are drawn anywhere between them."""
    paths: tuple[str, ...] = ()


@dataclass(frozen=True)
class Study:
    """A study, read and checked."""

    file: str
    title: str
    base: Path
    """The file of its scenario."""
    text: str
    """The study file's text."""
    scenario: str
    """The text of its scenario."""
    settings: dict[str, str]
    """The settings of all runs."""
    seeds: list[int]
    parameters: list[Varied]
    derived: list[tuple[str, Derive, Formula]]
    sample: Sample | None
    stop: Stop | None
    extensions: Extensions = field(default_factory=dict)
    """Classes written in Python, by their names in the scenario."""

    def mistake(self, keys: tuple[str | int, ...], message: str) -> StudyError:
        """Make an error at a key of the file."""
        return mistake(self.file, self.text, keys, message)


def mistake(
    file: str, text: str, keys: tuple[str | int, ...], message: str, help: str = ""
) -> StudyError:
    """Make an error that names the file, the line and the key."""
    line = line_of(text, keys)
    place = f"{file}:{line}" if line else file
    path = ".".join(str(key) for key in keys if isinstance(key, str))
    parts = [place, f"`{path}`" if path else "", message]
    return StudyError(": ".join(filter(None, parts)) + (f"\nhelp: {help}" if help else ""))


def line_of(text: str, keys: tuple[str | int, ...]) -> int | None:
    """Find the line of the deepest of these keys in the text."""
    names = [key for key in keys if isinstance(key, str)]
    lines = text.splitlines()
    for depth in range(len(names), 0, -1):
        table, key = names[: depth - 1], names[depth - 1]
        for number in lines_of_table(lines, table):
            if re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[.=]""", lines[number]):
                return number + 1
        header = re.compile(r"\s*\[\s*" + r"\s*\.\s*".join(map(quoted, names[:depth])) + r"\s*\]")
        for number, line in enumerate(lines, start=1):
            if header.match(line):
                return number
    return None


def quoted(name: str) -> str:
    """Give a pattern for a key as TOML may write it."""
    return rf"""["']?{re.escape(name)}["']?"""


def lines_of_table(lines: list[str], table: list[str]) -> Iterator[int]:
    """Give the indices of the lines in a table."""
    header = re.compile(r"\s*\[\s*" + r"\s*\.\s*".join(map(quoted, table)) + r"\s*\]")
    inside = not table
    for number, line in enumerate(lines):
        if re.match(r"\s*\[", line):
            inside = bool(table) and header.match(line) is not None
        elif inside:
            yield number


def read(file: Path | str, extensions: Extensions | None = None) -> Study:
    """Read and check a study file; the path of its scenario is relative to it.

    `extensions` are classes written in Python, by their names in the scenario.
    Raises StudyError or ScenarioError, with file and line, or OSError.
    """
    name, text = name_of(file), read_text(file)
    if len(text) > MOST_BYTES:
        raise StudyError(f"{name}: larger than {MOST_BYTES >> 20} MiB")
    check_toml(name, text)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise StudyError(f"{name}: not TOML: {error}") from error
    return replace(build(name, text, document, Path(file).parent), extensions=extensions or {})


def build(name: str, text: str, document: dict[str, Any], folder: Path) -> Study:
    """Make a study of a file's tables."""
    wrong = Wrong(name, text)
    check_kind(wrong, document)
    try:
        model = File.model_validate(document)
    except ValidationError as error:
        raise wrong.model(error.errors()[0]) from None
    parameters = [parameter(wrong, key, vary) for key, vary in model.vary.items()]
    check_groups(wrong, parameters)
    base = folder / model.scenario
    try:
        scenario = read_text(base)
    except OSError as error:
        why = error.strerror or str(error)
        raise wrong(
            ("scenario",), f"{base}: {why}", "give a path relative to the study file"
        ) from error
    seeds = model.seeds if isinstance(model.seeds, list) else list(range(1, model.seeds + 1))
    if not seeds or len(set(seeds)) < len(seeds):
        raise wrong(("seeds",), "must list at least one seed, and each only once")
    check_stop(wrong, model)
    check_something_varies(wrong, model, seeds)
    return Study(
        file=name,
        title=model.title or Path(name).stem,
        base=base,
        text=text,
        scenario=scenario,
        settings={path: in_toml(path, value) for path, value in model.set.items()},
        seeds=seeds,
        parameters=parameters,
        derived=[
            (key, derive, formula(wrong, key, derive, parameters))
            for key, derive in model.derive.items()
        ],
        sample=model.sample,
        stop=model.stop,
    )


def check_kind(wrong: Wrong, document: dict[str, Any]) -> None:
    """Refuse a scenario. A study names one instead."""
    if "scenario" in document:
        return
    for key in OF_SCENARIOS:
        if key in document:
            help = (
                f"`windtunnel run {wrong.file}` runs it; a study names it as "
                f'scenario = "{wrong.file}" and has tables such as [vary.delay]'
            )
            raise wrong((key,), "a key of scenarios, and this must be a study", help)


class Wrong:
    """Makes errors about one file."""

    def __init__(self, file: str, text: str) -> None:
        """Set the file's name and text."""
        self.file, self.text = file, text

    def __call__(self, keys: tuple[str | int, ...], message: str, help: str = "") -> StudyError:
        """Make an error at a key."""
        return mistake(self.file, self.text, keys, message, help)

    def model(self, error: Mapping[str, Any]) -> StudyError:
        """Make an error from the model's."""
        keys = tuple(key for key in error["loc"] if not is_branch(key))
        if error["type"] == "extra_forbidden":
            known = keys_of(File, keys[:-1])
            return self(keys, "unknown key", suggestion(str(keys[-1]), known))
        if error["type"] == "missing":
            return self(keys, "required")
        if error["type"] == "model_type":
            return self(keys, "must be a table", f"its keys: {', '.join(keys_of(File, keys))}")
        return self(keys, error["msg"][:1].lower() + error["msg"][1:])


def is_branch(key: str | int) -> bool:
    """Say whether part of a key is the model's own, which it adds for unions."""
    return isinstance(key, str) and bool(re.fullmatch(r"(list|constrained|int|str|float)\b.*", key))


def keys_of(model: type[BaseModel], path: tuple[str | int, ...]) -> list[str]:
    """Give the keys of the table at a path of the file."""
    tables: dict[str, type[BaseModel]] = {
        "vary": Vary,
        "derive": Derive,
        "sample": Sample,
        "stop": Stop,
    }
    chosen = tables.get(str(path[0]), model) if path else model
    return [field.alias or name for name, field in chosen.model_fields.items()]


def parameter(wrong: Wrong, name: str, vary: Vary) -> Varied:
    """Make a parameter from its table."""
    at = ("vary", name)
    if not name.isidentifier():
        raise wrong(at, "not a valid name", "use letters, digits and _")
    given = [vary.values is not None, vary.cases is not None, vary.first is not None]
    if sum(given) != 1:
        raise wrong(at, "requires `values`, or `cases`, or `from` and `to`")
    if vary.cases is not None:
        return of_cases(wrong, at, name, vary, vary.cases)
    paths = tuple([vary.path] if isinstance(vary.path, str) else vary.path or [])
    values, ends = (vary.values, None) if vary.values is not None else of_range(wrong, at, vary)
    if not values:
        raise wrong((*at, "values"), "must not be empty")
    if vary.values is not None and (vary.last is not None or vary.steps is not None):
        raise wrong(at, "`to` and `steps` require `from`")
    numbers, unit = measured(values)
    names = labels(values)
    if len(set(names)) < len(names):
        raise wrong((*at, "values"), "a value is repeated")
    return Varied(
        name=name,
        values=names,
        numbers=numbers,
        unit=unit,
        logarithmic=vary.scale == "logarithmic",
        settings=[dict.fromkeys(paths, in_toml(name, value)) for value in values],
        group=vary.zip,
        ends=ends,
        paths=paths,
    )


def measured(values: list[Any]) -> tuple[list[float] | None, str]:
    """Give values as numbers in their base unit, if all are quantities of one kind."""
    quantities = [it for it in map(quantity, values) if it]
    units = {it.base for it in quantities}
    if len(quantities) < len(values) or len(units) > 1:
        return None, ""
    return [it.number for it in quantities], units.pop()


def of_cases(
    wrong: Wrong, at: tuple[str, str], name: str, vary: Vary, cases: dict[str, dict[str, Any]]
) -> Varied:
    """Make a parameter whose values are named cases."""
    if not cases:
        raise wrong((*at, "cases"), "must not be empty")
    if vary.path is not None or vary.last is not None or vary.steps is not None:
        raise wrong(at, "`cases` excludes `path`, `to` and `steps`")
    # Names of cases can be quantities: "1 %".
    numbers, unit = measured(list(cases))
    return Varied(
        name=name,
        values=list(cases),
        numbers=numbers,
        unit=unit,
        logarithmic=False,
        settings=[
            {path: in_toml(path, it) for path, it in case.items()} for case in cases.values()
        ],
        group=vary.zip,
        paths=tuple(dict.fromkeys(path for case in cases.values() for path in case)),
    )


def of_range(
    wrong: Wrong, at: tuple[str, str], vary: Vary
) -> tuple[list[str | float], tuple[Quantity, Quantity]]:
    """Give the values of a range, and its ends."""
    first, last = quantity(vary.first), quantity(vary.last)
    for key, end in (("from", first), ("to", last)):
        if end is None:
            raise wrong((*at, key), "must be a quantity", 'such as "10 ms"')
    assert first and last
    if first.base != last.base:
        raise wrong((*at, "to"), f"{vary.first} and {vary.last} have different dimensions")
    logarithmic = vary.scale == "logarithmic"
    if logarithmic and not (first.number > 0 and last.number > 0):
        raise wrong(at, "the ends of a logarithmic range must be greater than zero")
    numbers = spaced(first.number, last.number, vary.steps or 2, logarithmic)
    values: list[str | float] = [first.at(it) if first.written else it for it in numbers]
    return values, (first, last)


def check_groups(wrong: Wrong, parameters: list[Varied]) -> None:
    """Refuse parameters that vary together with different numbers of values."""
    groups: dict[str, Varied] = {}
    for it in parameters:
        if it.group and len(it.values) != len(groups.setdefault(it.group, it).values):
            first = groups[it.group]
            message = (
                f"`{first.name}` and `{it.name}` vary together, but have "
                f"{len(first.values)} and {len(it.values)} values"
            )
            raise wrong(("vary", it.name), message)


def formula(wrong: Wrong, name: str, derive: Derive, parameters: list[Varied]) -> Formula:
    """Parse the formula of a derived value."""
    at = ("derive", name, "value")
    try:
        read = Formula(derive.value)
    except ValueError as error:
        raise wrong(at, str(error)) from None
    known = [it.name for it in parameters if it.numbers is not None]
    for used in read.names:
        if used not in known:
            raise wrong(at, f"there is no numeric parameter `{used}`", suggestion(used, known))
    if derive.unit and quantity(f"1 {derive.unit}") is None:
        raise wrong(("derive", name, "unit"), f"unknown unit `{derive.unit}`")
    return read


def check_something_varies(wrong: Wrong, model: File, seeds: list[int]) -> None:
    """Refuse a study of a single run, and samples of nothing."""
    if model.vary:
        return
    if model.sample:
        raise wrong(("sample",), "needs parameters", "write tables such as [vary.delay]")
    if not model.stop and len(seeds) == 1:
        raise wrong(
            ("scenario",),
            "nothing varies",
            "write a table such as [vary.delay], or several seeds such as seeds = 10",
        )


def check_stop(wrong: Wrong, model: File) -> None:
    """Refuse an invalid stop rule."""
    if model.stop is None:
        return
    if model.stop.measure not in MEASURES:
        measure = model.stop.measure
        help = suggestion(measure, list(MEASURES))
        raise wrong(("stop", "measure"), f"unknown measure `{measure}`", help)
    for key, text in (("precision", model.stop.precision), ("confidence", model.stop.confidence)):
        share = quantity(text)
        if share is None or share.written != "%" or not 0 < share.number < 1:
            raise wrong(
                ("stop", key), f'"{text}" is not a valid share', 'write a percentage such as "2 %"'
            )
    if model.stop.minimum_seeds > model.stop.maximum_seeds:
        raise wrong(("stop", "maximum_seeds"), "must not be less than `minimum_seeds`")
    if "seeds" in model.model_fields_set:
        raise wrong(
            ("seeds",),
            "excluded by `stop`, which sets the number of seeds",
            "remove one of the two",
        )
