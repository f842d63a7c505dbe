"""Reproductions: a paper's experiments, run and compared with what it published."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel import _core
from windtunnel.folders import PAPER, VERSION_KEY, write_manifest, written_whole
from windtunnel.papers.check import check
from windtunnel.papers.claims import read_claims
from windtunnel.papers.experiment import evidence
from windtunnel.papers.paper import Paper, find_paper
from windtunnel.papers.published import read_published
from windtunnel.papers.verdicts import Item, compare_all
from windtunnel.results import Results
from windtunnel.running import Progress, read, run_scenario

REPRODUCTION = "reproduction.json"

QUICK_RUNS = 2
"""Runs of each case in a quick reproduction: the minimum that shows a spread."""


@dataclass(frozen=True)
class Reproduction:
    """A paper's experiments, as far as they ran, beside what it published."""

    paper: Paper
    runs: int
    """The number of runs of each case, with different random streams."""
    rows: list[Item]
    results: dict[str, Results]
    """The results of each experiment, by name, without those that were never started."""
    missing: list[str]
    """Descriptions of what was not run."""

    @property
    def interrupted(self) -> bool:
        """Whether an interruption ended it."""
        return bool(self.missing)

    @property
    def faults(self) -> list[str]:
        """Internal errors."""
        return [fault for results in self.results.values() for fault in results.manifest["faults"]]

    def document(self) -> dict[str, Any]:
        """Give everything except the series as JSON values."""
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
            manifest = {VERSION_KEY: _core.__version__, PAPER: self.paper.name}
            write_manifest(written, manifest)
        return folder


def reproduce(
    name: str,
    *,
    quick: bool = False,
    jobs: int | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Reproduction:
    """Run a paper's experiments and compare them with what it published.

    `quick` runs each case only twice. `watch` is called several times a second,
    with the progress over all experiments. An interruption (Ctrl-C) ends the
    runs within a second and keeps the finished ones; `missing` names the rest.
    Raises UnknownPaper, PaperError, ScenarioError or OSError.
    """
    paper = find_paper(name)
    published = read_published(paper)
    settings = {"runs": str(QUICK_RUNS)} if quick else {}
    scenarios = {it: read(paper.scenario(it), settings) for it in paper.experiments}
    measures = paper.measures()
    claims = read_claims(paper)
    check(paper, published, claims, scenarios, measures)
    results = run_all(scenarios, jobs, watch)
    used = [*published.measures(), *(claim.measure for claim in claims)]
    wanted = {name: measures[name] for name in used}
    experiments = {
        name: evidence(scenario, results.get(name), wanted) for name, scenario in scenarios.items()
    }
    return Reproduction(
        paper=paper,
        runs=max(scenario.runs for scenario in scenarios.values()),
        rows=compare_all(published, claims, experiments, wanted),
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
