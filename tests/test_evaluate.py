"""Evaluations: the data are whole, known offenders fail, and a standard passes beside itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from windtunnel.cli import evaluating
from windtunnel.cli.evaluating import Options
from windtunnel.cli.output import Failure
from windtunnel.evaluation import candidates, documents, evaluation, experiments
from windtunnel.evaluation.candidates import Candidate
from windtunnel.evaluation.criteria import Check, Criterion, Limit, criteria
from windtunnel.evaluation.evaluation import Answer
from windtunnel.evaluation.judging import Verdict, at_point, decided
from windtunnel.evaluation.measures import MEASURES
from windtunnel.evaluation.subjects import CONTROLLERS, QUEUES
from windtunnel.report import write_report
from windtunnel.studies import checking
from windtunnel.studies import study as studies
from windtunnel.studies.errors import StudyError
from windtunnel.studies.store import Store
from windtunnel.studies.worker import Base

CHECKS = [(it.number, check) for it in criteria() for check in it.checks]

SHORT = {
    "collapse": {"seeds": 5, "event": ["link-down", "feedback-lost"]},
    "crowd": {"seeds": 1, "flows": [50]},
    "alone": {"rate": ["10 Mbps"], "rtt": ["100 ms"], "buffer": [0.25], "flows": [8]},
    "beside": {
        "standard": ["cubic"],
        "flows": ["one-before-one"],
        "rate": ["10 Mbps"],
        "rtt": ["20 ms"],
        "buffer": [1],
    },
}
"""Experiments that are shorter than those of `--quick`."""

FEW = (1, 3, 6, 10, 25)
"""The criteria that they decide, one that nothing decides, and one that does not apply."""

MINE = '''\
import windtunnel


class Steady(windtunnel.Controller):
    """Keeps sixty segments in flight, whatever happens."""

    def on_acknowledgement(self, acknowledgement):
        self.cwnd = 60.0

    def on_congestion(self, congestion):
        self.cwnd = 60.0


class Radio(Steady):
    needs = ("sinr",)


class Counting(windtunnel.Controller):
    """Reno, but each acknowledgement counts as one segment, whatever it acknowledges."""

    def on_acknowledgement(self, acknowledgement):
        if acknowledgement.acknowledged > 0:
            self.cwnd += 1.0 if self.cwnd < self.ssthresh else 1.0 / self.cwnd

    def on_congestion(self, congestion):
        self.ssthresh = self.cwnd = max(self.cwnd / 2, 2.0)


class Broken(Steady):
    def on_congestion(self, congestion):
        raise ArithmeticError("no number")
'''


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give one store to all tests: the standards are run once."""
    return tmp_path_factory.mktemp("store") / "store"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with classes, with short experiments of a few criteria."""
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(experiments, "chosen", lambda _: SHORT)
    few = [it for it in criteria() if it.number in FEW]
    without = [
        it.model_copy(
            update={"checks": [c for c in it.checks if c.experiment in SHORT and holds(c)]}
        )
        for it in few
    ]
    monkeypatch.setattr(evaluation, "criteria", lambda _: without)
    yield tmp_path


def holds(check: Check) -> bool:
    """Leave out the check of losses that are not in `SHORT`."""
    return "loss-50" not in check.where.get("event", [])


def answered(name: str, store: Path) -> dict[int, Answer]:
    """Evaluate a controller with short experiments."""
    candidate = candidates.find(name)
    made = evaluation.prepare(candidate, quick=True)
    evaluation.run(made, Store(store), None, None)
    found = evaluation.answers(made, candidate)
    return {it.criterion.number: it for it in found}


def options(store: Path, **others: object) -> Options:
    """Give the options of the command line."""
    given = {
        "quick": True,
        "jobs": None,
        "resume": False,
        "store": store,
        "out": None,
        "as_json": False,
    }
    return Options(**{**given, **others})  # type: ignore[arg-type]


# -- The data ----------------------------------------------------------------


def test_the_criteria_are_those_of_the_rfc_in_its_order() -> None:
    assert [it.number for it in criteria()] == [*range(1, 27)]
    assert len({it.section for it in criteria()}) == 26
    assert all(bool(it.checks) != bool(it.undecided) for it in criteria())


@pytest.mark.parametrize(("number", "check"), CHECKS)
@pytest.mark.parametrize("quick", [False, True])
def test_a_check_names_what_its_experiment_has(number: int, check: Check, quick: bool) -> None:
    study = experiments.study(check.experiment, candidates.find("bbr3"), quick)
    varied = {it.name: it.values for it in study.parameters}
    assert check.measure in MEASURES
    assert {*CONTROLLERS.standards, "bbr3"} <= {*varied["controller"]}
    for name, values in check.where.items():
        known = {*varied[name]}
        assert known & {*values}, f"criterion {number}: nothing is left of {name}"
        whole = experiments.study(check.experiment, candidates.find("bbr3"), False)
        assert {*values} <= {*next(it.values for it in whole.parameters if it.name == name)}
    if check.relative:
        assert check.relative.to in varied[check.relative.parameter]


CANDIDATES = (candidates.find("prague"), candidates.find_queue("cake"))

EXPERIMENTS = [
    (candidate, file.stem)
    for candidate in CANDIDATES
    for file in sorted((candidate.subject.folder / "experiments").glob("*.toml"))
]


@pytest.mark.parametrize(("candidate", "experiment"), EXPERIMENTS)
@pytest.mark.parametrize("quick", [False, True])
def test_each_experiment_can_be_run_with_enough_seeds(
    candidate: Candidate, experiment: str, quick: bool
) -> None:
    study = experiments.study(experiment, candidate, quick)
    checking.check(study, Base(study))
    assert len(study.seeds) >= 5
    checks = [check for it in criteria(candidate.subject) for check in it.checks]
    assert experiment in {it.experiment for it in checks}
    varied = {it.name: it.values for it in study.parameters}
    for check in (it for it in checks if it.experiment == experiment):
        assert check.measure in MEASURES
        assert all({*varied[name]} & {*values} for name, values in check.where.items())


# -- Verdicts ----------------------------------------------------------------


def test_a_limit_holds_or_not_by_its_interval_or_where_all_seeds_agree() -> None:
    assert decided([1.0, 1.1, 0.9]) == Verdict.FAILS
    assert decided([-1.0, -1.1, -0.9]) == Verdict.HOLDS
    assert decided([-1.0, 1.1, 0.1]) == Verdict.UNDECIDED
    # The interval of these holds zero.
    assert decided([0.01, 9.0, 0.01]) == Verdict.UNDECIDED
    assert decided([0.01, 9.0, 0.01, 0.01, 0.01]) == Verdict.FAILS
    assert decided([-0.01, -9.0, -0.01, -0.01, -0.01]) == Verdict.HOLDS


@pytest.mark.parametrize(("number", "check"), CHECKS)
def test_a_standard_holds_every_limit_that_is_relative_to_it(number: int, check: Check) -> None:
    if check.limit.times is None:
        return
    # Noisy values, as of losses; harm is at most 1.
    seeds = {1: 0.02, 2: 0.9, 3: 0.4, 4: 0.01, 5: 0.3}
    other = {seed: 0.5 for seed in seeds}
    for of in ({"cubic": seeds, "new-reno": other}, {"cubic": other, "new-reno": seeds}):
        for name in of:
            judged = at_point(check, {}, of, name, CONTROLLERS.standards)
            assert judged and judged.verdict == Verdict.HOLDS, f"criterion {number}"


def test_of_two_limits_the_one_holds_that_allows_more() -> None:
    limit = Limit(constant=0.01, times=2.0)
    assert limit.of(0.001, less_is_better=True) == 0.01
    assert limit.of(0.1, less_is_better=True) == 0.2
    assert Limit(constant=0.8, times=0.9).of(0.5, less_is_better=False) == 0.45


def test_a_harm_must_leave_a_part_of_what_the_standard_leaves() -> None:
    limit = Limit(times=1.1, plus=0.02, remainder=0.5)
    assert limit.of(0.2, less_is_better=True) == pytest.approx(0.24)
    # 1.1 times 0.95 would allow that nothing is left.
    assert limit.of(0.95, less_is_better=True) == pytest.approx(0.975)


# -- Controls ----------------------------------------------------------------


def test_cubic_holds_everything_that_is_decided(folder: Path, store: Path) -> None:
    found = answered("cubic", store)
    verdicts = {number: it.verdict for number, it in found.items()}
    assert verdicts == {
        1: Verdict.HOLDS,
        3: Verdict.HOLDS,
        6: Verdict.HOLDS,
        10: Verdict.UNDECIDED,
        25: Verdict.INAPPLICABLE,
    }


def test_bbr1_loses_too_much_with_several_flows_and_a_short_buffer(
    folder: Path, store: Path
) -> None:
    # RFC 9743, section 5.1.3, says so.
    found = answered("bbr1", store)
    assert found[3].verdict == Verdict.FAILS
    assert found[1].verdict == Verdict.HOLDS


def test_a_window_that_never_falls_does_not_back_off(folder: Path, store: Path) -> None:
    found = answered("fixed", store)
    assert [found[it].verdict for it in (1, 6)] == [Verdict.FAILS, Verdict.FAILS]
    assert "cubic" in found[1].reason or "new-reno" in found[1].reason


@pytest.mark.parametrize(
    ("name", "verdict"), [("cubic", Verdict.HOLDS), ("mine.py:Counting", Verdict.FAILS)]
)
def test_who_counts_acknowledgements_is_deceived_by_their_division(
    name: str, verdict: Verdict, folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (whole,) = (it for it in criteria() if it.number == 21)
    divided = {"receiver": ["divides acknowledgements"]}
    only = whole.model_copy(
        update={"checks": [whole.checks[0].model_copy(update={"where": divided})]}
    )
    short = {"misbehaving-receiver": {"seeds": 5, "receiver": ["honest", *divided["receiver"]]}}
    monkeypatch.setattr(evaluation, "criteria", lambda _: [only])
    monkeypatch.setattr(experiments, "chosen", lambda _: short)
    assert answered(name, store)[21].verdict == verdict


QUEUES_BESIDE = {"senders": {"seeds": 5, "senders": ["cubic"]}}


@pytest.mark.parametrize(
    ("name", "verdict"),
    [("drop-tail", Verdict.FAILS), ("codel", Verdict.HOLDS), ("cake", Verdict.HOLDS)],
)
def test_a_discipline_keeps_the_queue_short_that_drop_tail_leaves_long(
    name: str, verdict: Verdict, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = criteria(QUEUES)[0]
    assert first.checks[0].measure == "queue_delay_s"
    only = [first.model_copy(update={"checks": first.checks[:1]})]
    monkeypatch.setattr(evaluation, "criteria", lambda _: only)
    monkeypatch.setattr(experiments, "chosen", lambda _: QUEUES_BESIDE)
    candidate = candidates.find_queue(name)
    made = evaluation.prepare(candidate, quick=True)
    evaluation.run(made, Store(store), None, None)
    (answer,) = evaluation.answers(made, candidate)
    assert answer.verdict == verdict


# -- The command -------------------------------------------------------------


def test_a_class_is_evaluated_and_its_folder_gives_the_same_answers(
    folder: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Failure, match="steady: ") as ended:
        evaluating.evaluate(candidates.find("mine.py:Steady"), options(store, as_json=True))
    assert ended.value.code == 1
    printed = json.loads(capsys.readouterr().out)
    kept = Path(printed["folder"])
    assert kept == Path("results/evaluate-steady-quick")
    again = documents.document(documents.load(kept))
    assert again["criteria"] == printed["criteria"]
    assert (kept / "report.html").stat().st_size > 100_000
    assert write_report(kept) == kept / "report.html"


def test_what_cannot_be_run_anywhere_is_refused_before_anything_runs(
    folder: Path, store: Path
) -> None:
    with pytest.raises(StudyError, match=r"cannot be run in any of the experiments.*SINR"):
        evaluating.evaluate(candidates.find("mine.py:Radio"), options(store))
    assert not Path("results").exists()


def test_a_class_that_fails_decides_nothing_and_ends_with_1(
    folder: Path, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Failure, match="no number") as ended:
        evaluating.evaluate(candidates.find("mine.py:Broken"), options(store, as_json=True))
    assert ended.value.code == 1
    found = json.loads(capsys.readouterr().out)
    assert "does not hold" not in {it["verdict"] for it in found["criteria"]}


def test_an_interrupted_evaluation_asks_for_resume_and_then_goes_on(
    folder: Path, store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = studies.run

    def interrupted(*given: Any, **others: Any) -> Any:
        ran = run(*given, **others)
        ran.interrupted = True
        return ran

    with monkeypatch.context() as patched:
        patched.setattr(studies, "run", interrupted)
        with pytest.raises(Failure, match="--resume") as ended:
            evaluating.evaluate(candidates.find("cubic"), options(store))
    assert ended.value.code == 130
    with pytest.raises(StudyError, match="was interrupted\nhelp: continue it with --resume"):
        evaluating.evaluate(candidates.find("cubic"), options(store))
    capsys.readouterr()
    evaluating.evaluate(candidates.find("cubic"), options(store, resume=True))
    assert "Report: results/evaluate-cubic-quick/report.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--queue", "cak"], "did you mean `cake`"),
        (["--queue", "policer"], "has no `rate`"),
        ([], "name a controller, or with --queue a queue discipline"),
        (["cubic", "--queue", "pie"], "name a controller, or with --queue a queue discipline"),
    ],
)
def test_what_is_not_a_queue_is_refused(
    windtunnel: Command, arguments: list[str], said: str
) -> None:
    refused = windtunnel("evaluate", *arguments, "--quick")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert said in " ".join(refused.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cubik", "did you mean `cubic`"),
        ("nowhere.py:Mine", "nowhere.py: No such file"),
        ("dctcp-sce", "needs routers that send the milder mark"),
    ],
)
def test_what_is_not_a_controller_is_refused(windtunnel: Command, name: str, said: str) -> None:
    refused = windtunnel("evaluate", name, "--quick")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert said in refused.stderr
    assert not os.path.exists("results/evaluate-cubik")


def test_every_criterion_is_a_table_of_its_own() -> None:
    # What is not a key of it is an error, not a setting without effect.
    with pytest.raises(ValueError, match="Extra inputs"):
        Criterion.model_validate({**criteria()[0].model_dump(), "weight": 3})
