"""Papers: their experiments as folders of data, run and compared with what was published."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.folders import VERSION_KEY, write_manifest, written_whole
from windtunnel.measures import MEASURES, VALUE
from windtunnel.results import Results
from windtunnel.running import Progress, read, run_scenario
from windtunnel.verdicts import (
    FLOW,
    READING,
    Claim,
    Experiment,
    Gain,
    Item,
    Published,
    Table,
    compare_all,
)

PAPERS = Path(__file__).parents[2] / "papers"
"""Where the papers are: one folder each."""

PAPER = "paper.toml"
PUBLISHED = "published.toml"
PAGE = "README.md"
REPRODUCTION = "reproduction.json"

QUICK_RUNS = 2
"""Runs of each case where little time is given: the least that shows a spread."""


class UnknownPaper(ValueError):
    """A name that no paper has; the message gives the nearest one."""


class PaperError(ValueError):
    """A paper's folder that is not as it should be: the message says what and where."""


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, and what it is drawn from."""

    id: str
    title: str
    caption: str
    kind: str
    """What is drawn: a kind of picture that the report knows."""
    experiment: str
    where: dict[str, str]
    """The cases of the axes that stand still."""
    series: str
    """The axis whose cases, or `flow` for the flows that, are drawn side by side."""

    def document(self) -> dict[str, Any]:
        """Give the figure as JSON values; whoever draws it names the files."""
        return {**vars(self), "files": []}


@dataclass(frozen=True)
class Paper:
    """A paper: a folder with its scenarios, its published values and its page."""

    name: str
    title: str
    reference: str
    folder: Path
    experiments: dict[str, str]
    """The titles of its experiments, by name; `NAME.toml` is the scenario."""
    figures: list[Figure]
    page: str
    """How the paper was understood, and what came out, in Markdown."""

    def scenario(self, experiment: str) -> Path:
        """Give the file of an experiment."""
        return self.folder / f"{experiment}.toml"


@dataclass(frozen=True)
class Reproduction:
    """A paper's experiments, as far as they ran, beside what it published."""

    paper: Paper
    runs: int
    """How often each case is run, each time with other random streams."""
    rows: list[Item]
    results: dict[str, Results]
    """What each experiment gave, by name; those never started are missing."""
    missing: list[str]
    """What was not run, in words."""

    @property
    def interrupted(self) -> bool:
        """Whether an interruption ended it."""
        return bool(self.missing)

    @property
    def faults(self) -> list[str]:
        """What went wrong on our side."""
        return [fault for results in self.results.values() for fault in results.manifest["faults"]]

    def document(self) -> dict[str, Any]:
        """Give everything but the series as JSON values."""
        return {
            "paper": self.paper.name,
            "title": self.paper.title,
            "reference": self.paper.reference,
            VERSION_KEY: _core.__version__,
            "seeds": self.runs,
            "missing": self.missing,
            "experiments": self.paper.experiments,
            "items": [item.document() for item in self.rows],
            "figures": [figure.document() for figure in self.paper.figures],
        }

    def save(self, folder: Path | str) -> Path:
        """Write a folder: `reproduction.json`, and a folder of results for each experiment.

        The folder appears whole or not at all; results of the same name are
        replaced. Raises OSError where it cannot be written.
        """
        folder = Path(folder)
        with written_whole(folder) as written:
            for name, results in self.results.items():
                if results.tables:
                    results.save(written / name)
            document = {**self.document(), "page": self.paper.page}
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            (written / REPRODUCTION).write_text(text, encoding="utf-8")
            manifest = {VERSION_KEY: _core.__version__, "paper": self.paper.name}
            write_manifest(written, manifest)
        return folder


def find_papers() -> list[Paper]:
    """Find all papers, by name. Raises PaperError if a folder is not as it should be."""
    folders = sorted(path.parent for path in PAPERS.glob(f"*/{PAPER}"))
    return [read_paper(folder) for folder in folders]


def find_paper(name: str) -> Paper:
    """Find a paper by its name. Raises UnknownPaper with the nearest one, or PaperError."""
    papers = {paper.name: paper for paper in find_papers()}
    if name in papers:
        return papers[name]
    near = get_close_matches(name, papers, n=1)
    if near:
        help = f"did you mean `{near[0]}`?"
    elif papers:
        help = f"there are {', '.join(papers)}"
    else:
        help = f"there are none in {PAPERS}"
    raise UnknownPaper(f"there is no paper `{name}`; {help}")


def reproduce(
    name: str,
    *,
    quick: bool = False,
    jobs: int | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Reproduction:
    """Run a paper's experiments and compare them with what it published.

    `quick` runs each case twice only. `watch` is called several times a second,
    with the progress over all experiments. An interruption (Ctrl-C) ends the
    runs within a second and keeps what was finished; `missing` names the rest.
    Raises UnknownPaper, PaperError, ScenarioError or OSError.
    """
    paper = find_paper(name)
    published = read_published(paper)
    settings = {"runs": str(QUICK_RUNS)} if quick else {}
    scenarios = {it: read(paper.scenario(it), settings) for it in paper.experiments}
    check(paper, published, scenarios)
    results = run_all(scenarios, jobs, watch)
    experiments = {
        name: evidence(scenario, results.get(name)) for name, scenario in scenarios.items()
    }
    units = {name: measure.unit for name, measure in MEASURES.items()}
    return Reproduction(
        paper=paper,
        runs=max(scenario.runs for scenario in scenarios.values()),
        rows=compare_all(published, experiments, units),
        results=results,
        missing=list(what_is_missing(scenarios, results)),
    )


def run_all(
    scenarios: Mapping[str, _core.Scenario],
    jobs: int | None,
    watch: Callable[[Progress], None] | None,
) -> dict[str, Results]:
    """Run scenarios one after the other, until an interruption."""
    results: dict[str, Results] = {}
    together = Together(scenarios, watch)
    for name, scenario in scenarios.items():
        results[name] = run_scenario(scenario, jobs, together.watch)
        if results[name].manifest["interrupted"]:
            break
        together.finish(scenario, results[name])
    return results


class Together:
    """The progress of several scenarios as one."""

    def __init__(
        self, scenarios: Mapping[str, _core.Scenario], shown: Callable[[Progress], None] | None
    ) -> None:
        """Start with nothing done; `shown` is called with the progress of all."""
        self.shown = shown
        self.runs = sum(len(it.cases) * it.runs for it in scenarios.values())
        self.total_simulated_s = sum(it.total_simulated_s for it in scenarios.values())
        self.done = Progress(0, 0, 0.0, 0.0, 0, 0.0)

    def finish(self, scenario: _core.Scenario, results: Results) -> None:
        """Count a scenario as done."""
        manifest = results.manifest
        self.done = self.add(
            Progress(
                finished=manifest["finished"],
                runs=0,
                simulated_s=scenario.total_simulated_s,
                total_simulated_s=0.0,
                events=manifest["events"],
                real_s=manifest["real_s"],
            )
        )

    def watch(self, now: Progress) -> None:
        """Show the progress of a scenario together with that of those before it."""
        if self.shown:
            self.shown(self.add(now))

    def add(self, now: Progress) -> Progress:
        """Add progress to what is done."""
        return Progress(
            finished=self.done.finished + now.finished,
            runs=self.runs,
            simulated_s=self.done.simulated_s + now.simulated_s,
            total_simulated_s=self.total_simulated_s,
            events=self.done.events + now.events,
            real_s=self.done.real_s + now.real_s,
        )


def what_is_missing(
    scenarios: Mapping[str, _core.Scenario], results: Mapping[str, Results]
) -> Iterator[str]:
    """Say which runs are missing."""
    for name, scenario in scenarios.items():
        runs = len(scenario.cases) * scenario.runs
        if name not in results:
            yield f"{name}: none of {runs} runs was started"
        elif unfinished := results[name].manifest["unfinished"]:
            yield f"{name}: {unfinished} of {runs} runs were not finished"


def evidence(scenario: _core.Scenario, results: Results | None) -> Experiment:
    """Gather what an experiment gave, in every measure."""
    cases = [tuple(case) for case in scenario.cases]
    bounds = dict(zip(cases, scenario.bounds(), strict=True))
    values: dict[str, dict[tuple[str, ...], dict[int, float]]] = {}
    for name, measure in MEASURES.items():
        values[name] = {}
        if results is None or not results.tables:
            continue
        for keys in ([], [FLOW]) if measure.of_each_flow else ([],):
            taken = measure.take(results, [*scenario.axes, *keys, "run"])
            for *case, run, value in taken.drop_nulls(VALUE).iter_rows():
                values[name].setdefault(tuple(case), {})[run] = value
    return Experiment(scenario.axes, cases, bounds, values, flows(scenario))


def flows(scenario: _core.Scenario) -> list[str]:
    """List the names of a scenario's flows."""
    stated = tomllib.loads(scenario.text)
    return [*stated.get("consumers", {}), *stated.get("flows", {})]


def read_paper(folder: Path) -> Paper:
    """Read a paper's folder. Raises PaperError if it is not as it should be."""
    file = folder / PAPER
    data = load(file)
    try:
        return Paper(
            name=folder.name,
            title=data["title"],
            reference=data["reference"],
            folder=folder,
            experiments=data["experiments"],
            figures=[Figure(**figure) for figure in data.get("figures", [])],
            page=(folder / PAGE).read_text(encoding="utf-8"),
        )
    except (KeyError, TypeError) as error:
        raise PaperError(f"{file}: {explain(error)}") from error


def read_published(paper: Paper) -> Published:
    """Read what a paper published. Raises PaperError if the file is not as it should be."""
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
    """Read where a claim is said to hold: in single experiments, or in the mean of some."""
    if "mean-over" in claim:
        return {"mean": claim["mean-over"]}
    return {name: [name] for name in claim["experiments"]}


def load(file: Path) -> dict[str, Any]:
    """Read a TOML file; numbers keep their digits."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeError) as error:
        raise PaperError(f"{file}: {error}") from error


def explain(error: Exception) -> str:
    """Say what is wrong with a table."""
    return f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)


def check(paper: Paper, published: Published, scenarios: Mapping[str, _core.Scenario]) -> None:
    """Refuse values and figures of experiments, measures and columns that there are not."""
    for table in published.tables:
        for row, values in table.rows.items():
            for experiment in table.experiments(row):
                place = f"{PUBLISHED}: table `{table.id}`"
                check_columns(place, scenarios, experiment, table.axis, list(values))
                check_where(place, scenarios[experiment], table.axis, table.where)
        for measure in table.measures:
            check_name(f"{PUBLISHED}: table `{table.id}`", "measure", measure, MEASURES)
    for claim in published.claims:
        place = f"{PUBLISHED}: claim `{claim.id}`"
        check_name(place, "measure", claim.measure, MEASURES)
        for experiment in {name for names in claim.places.values() for name in names}:
            check_columns(place, scenarios, experiment, claim.axis, claim.columns())
            check_where(place, scenarios[experiment], claim.axis, claim.where)
    for gain in published.gains:
        place = f"{PUBLISHED}: gain `{gain.id}`"
        check_name(place, "measure", gain.measure, MEASURES)
        check_columns(place, scenarios, gain.experiment, gain.axis, [gain.of, gain.over])
        check_where(place, scenarios[gain.experiment], gain.axis, gain.where)
    for figure in paper.figures:
        place = f"{PAPER}: figure `{figure.id}`"
        check_columns(place, scenarios, figure.experiment, figure.series, [])
        for axis, name in figure.where.items():
            check_columns(place, scenarios, figure.experiment, axis, [name])


def check_columns(
    place: str,
    scenarios: Mapping[str, _core.Scenario],
    experiment: str,
    axis: str,
    columns: list[str],
) -> None:
    """Refuse an experiment, an axis of it, or cases on that axis that there are not."""
    check_name(place, "experiment", experiment, scenarios)
    scenario = scenarios[experiment]
    check_name(place, "axis", axis, [*scenario.axes, FLOW])
    for column in columns:
        check_name(place, axis, column, along(scenario, axis))


def check_where(place: str, scenario: _core.Scenario, axis: str, where: Mapping[str, str]) -> None:
    """Refuse what leaves open which cases of an experiment are meant."""
    for name, case in where.items():
        check_name(place, "axis", name, scenario.axes)
        check_name(place, name, case, along(scenario, name))
    for name in scenario.axes:
        if name not in {axis, READING, *where}:
            raise PaperError(f"{place}: `where` must say which `{name}`")


def along(scenario: _core.Scenario, axis: str) -> list[str]:
    """List the names on an axis of a scenario."""
    if axis == FLOW:
        return flows(scenario)
    return list(dict.fromkeys(case[scenario.axes.index(axis)] for case in scenario.cases))


def check_name(place: str, kind: str, name: str, known: Any) -> None:
    """Refuse a name that is not known."""
    if name not in known:
        raise PaperError(f"{place}: there is no {kind} `{name}`; known are {', '.join(known)}")
