"""Reproductions: a paper's experiments, run and compared with what it published."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.folders import PAPER, REPRODUCTION, VERSION_KEY, write_manifest, written_whole
from windtunnel.measures.measure import Measure
from windtunnel.papers.check import check, check_readings
from windtunnel.papers.claims import Claims, read_claims
from windtunnel.papers.experiment import evidence
from windtunnel.papers.items import Item
from windtunnel.papers.paper import Paper, find_paper
from windtunnel.papers.published import Published, read_published
from windtunnel.papers.readings import (
    DEFAULT,
    READING,
    Axes,
    compared,
    overrides,
    readings_of,
    restricted,
)
from windtunnel.papers.scores import Effect, Numbers, Score, effects
from windtunnel.papers.summary import Summary, summarise_all
from windtunnel.papers.unfinished import Unfinished
from windtunnel.papers.variant import UNCHANGED, Variant
from windtunnel.papers.verdicts import compare_all
from windtunnel.results import Results
from windtunnel.running import Progress, run_scenario
from windtunnel.scenario.scenario import Scenario


@dataclass(frozen=True)
class Reproduction:
    """A paper's experiments, as far as they ran, beside what it published."""

    paper: Paper
    runs: int
    """The number of runs of each case, with different random streams."""
    seed: int
    items: list[Item]
    unknown: list[str]
    """What cannot be known from the paper, in sentences."""
    readings: list[str]
    """All readings, the default first."""
    sample: list[str]
    """The combinations of readings among them that were drawn at random."""
    results: dict[str, Results]
    """The results of each experiment, by name, without those that were never started."""
    missing: list[str]
    """Descriptions of what was not run."""
    changed: list[str] = field(default_factory=list)
    """What is changed of the paper's experiments, in words."""
    judging_faults: list[str] = field(default_factory=list)
    """Errors of the comparison, without which nothing was compared."""

    @property
    def interrupted(self) -> bool:
        """Whether an interruption ended it."""
        return bool(self.missing)

    @cached_property
    def scores(self) -> list[Score]:
        """How many numbers agree under each reading, in the order of `readings`.

        Where a definition is open, it is the one under which the most agree.
        """
        numbers = Numbers(self.items)
        return [numbers.score(reading, any_definition=True) for reading in self.readings]

    @property
    def effects(self) -> list[Effect]:
        """What each reading adds to the numbers that agree, over the sample."""
        drawn = set(self.sample)
        return effects([it for it in self.scores if it.reading in drawn], self.paper.space)

    @property
    def summary(self) -> Summary:
        """What it found, in a dozen lines."""
        return summarise_all(self.items, self.scores, self.sample, self.effects, self.unknown)

    @property
    def faults(self) -> list[str]:
        """Internal errors."""
        of_runs = (fault for it in self.results.values() for fault in it.manifest["faults"])
        return [*of_runs, *self.judging_faults]

    @property
    def failures(self) -> list[str]:
        """Errors in what is written in Python."""
        return [it for run in self.results.values() for it in run.manifest["failures"]]

    def document(self) -> dict[str, Any]:
        """Give everything except the series as JSON values."""
        return {
            PAPER: self.paper.source,
            "title": self.paper.title,
            "reference": self.paper.reference,
            VERSION_KEY: _core.__version__,
            "runs": self.runs,
            "seed": self.seed,
            "missing": self.missing,
            "changed": self.changed,
            "experiments": self.paper.experiments,
            "items": [item.document() for item in self.items],
            "summary": asdict(self.summary),
            "combinations": self.paper.space.size,
            "sample": self.sample,
            "scores": [vars(score) for score in self.scores],
            "effects": [vars(effect) for effect in self.effects],
            "figures": [figure.document() for figure in self.paper.figures],
        }

    def save(self, folder: Path | str) -> Path:
        """Write a folder: `reproduction.json`, and a folder of results for each experiment.

        The folder is written as a whole or not at all. The files of earlier results in it are
        replaced; other files stay. Raises OSError if it cannot be written.
        """
        folder = Path(folder)
        with written_whole(folder) as written:
            for name, results in self.results.items():
                if results.tables:
                    results.save(written / name)
            document = {**self.document(), "page": self.paper.page}
            text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
            (written / REPRODUCTION).write_text(text, encoding="utf-8")
            manifest = {VERSION_KEY: _core.__version__, PAPER: self.paper.source}
            write_manifest(written, manifest)
        return folder


def reproduce(
    name: str,
    *,
    runs: int | None = None,
    seed: int | None = None,
    combinations: int = 0,
    variant: Variant = UNCHANGED,
    jobs: int | None = None,
    watch: Callable[[Progress], None] | None = None,
    unfinished: Unfinished | None = None,
) -> Reproduction:
    """Run a paper's experiments and compare them with what it published.

    `name` is that of a paper that is installed, or its folder. `runs` and `seed` replace those of
    its scenarios. `combinations` is how many combinations of its readings are drawn at random and
    run as well; `variant` is what else is changed. `watch` is called several times a
    second, with the progress over all experiments. An interruption (Ctrl-C) ends the runs
    within a second and keeps the finished ones; `missing` names the rest. `unfinished` keeps each
    experiment once it has run, and gives those that it has.
    Raises UnknownPaper, PaperError, ScenarioError or OSError.
    """
    paper = variant.paper(find_paper(name))
    published = variant.published(read_published(paper))
    claims, measures = variant.claims(read_claims(paper)), paper.measures()
    planned = plan(paper, runs=runs, seed=seed, combinations=combinations, variant=variant)
    check(paper, published, claims.claims, planned.scenarios, measures)
    results = run_all(planned.scenarios, jobs, watch, unfinished)
    items: list[Item] = []
    faults = []
    try:
        items = judged(published, claims, measures, planned, results)
    except Exception as error:
        # The runs are kept, whatever is wrong with a measure.
        faults.append(f"{type(error).__name__}: {error} ({where(error)})")
    return Reproduction(
        paper=paper,
        runs=max(scenario.runs for scenario in planned.scenarios.values()),
        seed=next(iter(planned.scenarios.values())).seed,
        items=items,
        unknown=claims.unknown,
        readings=planned.readings,
        sample=planned.sample,
        results=results,
        missing=list(what_is_missing(planned.scenarios, results)),
        changed=variant.words(),
        judging_faults=faults,
    )


def judged(
    published: Published,
    claims: Claims,
    measures: Mapping[str, Measure],
    planned: Plan,
    results: Mapping[str, Results],
) -> list[Item]:
    """Compare results with what a paper published and claims."""
    experiments = {}
    for name, scenario in planned.scenarios.items():
        wanted = [*published.measures(name), *claims.measures(name)]
        own = {it: measures[it] for it in wanted}
        experiments[name] = evidence(scenario, results.get(name), own)
    return compare_all(published, claims.claims, planned.readings, experiments, measures)


def where(error: Exception) -> str:
    """Name the file and line that raised an error."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"


@dataclass(frozen=True)
class Plan:
    """What a reproduction runs."""

    scenarios: dict[str, Scenario]
    """By experiment, with all readings that concern it."""
    readings: list[str]
    """All readings, the default first."""
    sample: list[str]
    """The combinations among them that were drawn at random."""


def plan(
    paper: Paper,
    *,
    runs: int | None = None,
    seed: int | None = None,
    combinations: int = 0,
    variant: Variant = UNCHANGED,
) -> Plan:
    """Read a paper's scenarios, and say under which readings they run.

    Raises PaperError, ScenarioError or OSError.
    """
    stated = {it: variant.scenario(paper, it) for it in paper.experiments}
    axes = {it: compared(scenario.text) for it, scenario in stated.items()}
    check_readings(paper, {it: readings_of(own) for it, own in axes.items()})
    sample = paper.space.sample(combinations) if combinations else []
    readings = drawn_readings(paper) if variant.quick else all_readings(paper, sample)
    runs = 1 if variant.quick else runs
    given = {"runs": None if "runs" in variant.settings else runs, "seed": seed}
    settings = {name: value for name, value in given.items() if value is not None}
    scenarios = {
        it: with_readings(scenario, readings, axes[it], settings) for it, scenario in stated.items()
    }
    return Plan(scenarios, readings, sample)


def all_readings(paper: Paper, sample: Sequence[str]) -> list[str]:
    """List the readings that run, the default first: single ones, and those run together."""
    singles = [reading for names in paper.space.axes.values() for reading in names]
    return list(dict.fromkeys([DEFAULT, *singles, *paper.together, *sample]))


def drawn_readings(paper: Paper) -> list[str]:
    """List the readings that its figures draw, the default first."""
    drawn = (figure.where.get(READING, DEFAULT) for figure in paper.figures)
    return list(dict.fromkeys([DEFAULT, *drawn]))


def with_readings(
    scenario: Scenario, readings: Sequence[str], axes: Axes, settings: Mapping[str, object]
) -> Scenario:
    """Give an experiment's scenario all readings that concern it, and other settings."""
    own = readings_of(axes)
    wanted = dict.fromkeys(restricted(reading, own) for reading in readings)
    if own and list(wanted) != [DEFAULT, *own]:
        # All axes, in their order: where two set the same value, the later one's holds.
        together = {reading: overrides(reading, own) for reading in wanted}
        settings = {**settings, "compare": {**axes, READING: together}}
    return scenario.changed(settings) if settings else scenario


def run_all(
    scenarios: Mapping[str, _core.Scenario],
    jobs: int | None,
    watch: Callable[[Progress], None] | None,
    unfinished: Unfinished | None = None,
) -> dict[str, Results]:
    """Run scenarios one after the other, until an interruption, except for those that have run."""
    taken = {it: unfinished.taken(it, scenarios[it]) for it in scenarios} if unfinished else {}
    results: dict[str, Results] = {}
    together = Together({it: scenarios[it] for it in scenarios if not taken.get(it)}, watch)
    for name, scenario in scenarios.items():
        if kept := taken.get(name):
            results[name] = kept
            continue
        results[name] = run_scenario(scenario, jobs, together.watch)
        if results[name].manifest["interrupted"]:
            break
        together.finish(scenario, results[name])
        if unfinished:
            unfinished.keep(name, results[name])
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
        """Show the progress of a scenario, added to that of the scenarios before it."""
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
    """Describe which runs are missing."""
    for name, scenario in scenarios.items():
        runs = len(scenario.cases) * scenario.runs
        if name not in results:
            yield f"{name}: none of {runs} runs was started"
        elif unfinished := results[name].manifest["unfinished"]:
            yield f"{name}: {unfinished} of {runs} runs were not finished"
