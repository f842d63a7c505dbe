"""Controllers written in Python: what they are told, and what becomes of their answers."""

from __future__ import annotations

import re
import runpy
from math import inf
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
import pytest

import windtunnel
from windtunnel.controllers import Acknowledgement, Congestion, Controller, Start
from windtunnel.extensions import ExtensionError
from windtunnel.pictures.units import minimum

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "python-controllers.md").read_text(encoding="utf-8")

TCP = """\
duration = "5 s"
nodes = { a = {}, b = {} }
links.path = { nodes = ["a", "b"], rate = "10 Mbps", delay = "10 ms" }
defaults.link.queue = { kind = "drop-tail", limit = "30 packets" }
flows.f = { from = "a", to = "b", controller = "reno" }
compare.loss.none = {}
compare.loss.some = { "links.path.loss" = { probability = "1 %" } }
"""

NDN = """\
duration = "5 s"
nodes = { a = {}, b = {} }
links.path = { nodes = ["a", "b"], rate = "10 Mbps", delay = "10 ms" }
defaults.link.queue = { kind = "pcon", limit = "100 packets" }
producers.p = { node = "b", prefix = "/p" }
consumers.c = { node = "a", prefix = "/p", controller = "reno" }
"""


class Reno(Controller):
    """As the core's `reno`."""

    def on_acknowledgement(self, acknowledgement: Acknowledgement) -> None:
        """Grow."""
        self.grow(self.slow_start(acknowledgement.acknowledged) / self.cwnd)

    def on_congestion(self, congestion: Congestion) -> None:
        """Halve the window."""
        self.decrease(congestion.signal, self.cwnd / 2.0)


def run(
    folder: Path, text: str, controller: str, classes: dict[str, type[Controller]], **more: Any
) -> windtunnel.Results:
    """Run a scenario with another controller in `reno`'s place."""
    file = folder / "scenario.toml"
    file.write_text(text.replace('"reno"', f'"{controller}"'), encoding="utf-8")
    return windtunnel.run(file, extensions=classes, **more)


def failure(folder: Path, mine: type[Controller]) -> ExtensionError:
    """Give the error of a run with that controller."""
    with pytest.raises(ExtensionError) as raised:
        run(folder, TCP, "mine", {"mine": mine})
    return raised.value


@pytest.mark.parametrize("text", [TCP, NDN])
def test_renos_equations_give_the_same_numbers_in_python_as_in_the_core(
    tmp_path: Path, text: str
) -> None:
    core = run(tmp_path, text, "reno", {})
    for jobs in (1, 4):
        own = run(tmp_path, text, "mine", {"mine": Reno}, settings={"runs": 2}, jobs=jobs)
        assert own["flows"]["flow_controller"].unique().to_list() == ["mine"]
        assert minimum(own["flows"]["decreases"]) > 0
        for table in ("flows", "flow_series", "links", "link_series"):
            first = own[table].filter(pl.col("run") == 0)
            other = core[table]
            if table == "flows":
                first, other = (it.drop("flow_controller") for it in (first, other))
            assert first.equals(other)


def test_a_decrease_that_was_spurious_is_taken_back_to_a_copy(tmp_path: Path) -> None:
    late = 'reordering = { probability = "5 %", lateness = "30 ms" }'
    reordering = TCP.replace('delay = "10 ms"', f'delay = "10 ms", {late}')
    core = run(tmp_path, reordering, "reno", {})
    own = run(tmp_path, reordering, "mine", {"mine": Reno})
    assert own["flows"]["decreases_undone"].sum() > 0
    assert own["flow_series"].equals(core["flow_series"])


def test_signals_come_as_the_core_has_them(tmp_path: Path) -> None:
    heard: list[Acknowledgement] = []

    class Curious(Reno):
        needs = ("delivery-rate", "pacing")

        def __init__(self, start: Start) -> None:
            super().__init__(start)
            assert (start.initial_window, start.minimum_window, start.restart_window) == (10, 2, 1)
            assert start.initial_ssthresh == inf
            self.pacing_rate = 400.0

        def on_acknowledgement(self, acknowledgement: Acknowledgement) -> None:
            super().on_acknowledgement(acknowledgement)
            heard.append(acknowledgement)

    settings: dict[str, object] = {"compare": {}}
    flows = run(tmp_path, TCP, "mine", {"mine": Curious}, settings=settings)["flows"]
    delivered = sum(it.delivered for it in heard) * 1448
    # What is on its way at the end is received, but not acknowledged.
    assert 0 <= flows["received_bytes"][0] - delivered < 60 * 1448
    assert [it.now for it in heard] == sorted(it.now for it in heard)
    # 20 ms there and back, and at most 30 packets of 1.2 ms waiting.
    assert all(20_000_000 <= it.rtt <= 60_000_000 for it in heard if it.rtt is not None)
    rates = [it.delivery.rate for it in heard if it.delivery and it.delivery.rate]
    # It paces 400 segments a second, fewer than the 833 that the link carries.
    assert sorted(rates)[len(rates) // 2] == pytest.approx(400, rel=0.02)
    assert flows["goodput_bps"][0] == pytest.approx(400 * 1448 * 8, rel=0.05)
    assert all(it.radio is None for it in heard)


def test_one_may_itself_run_a_scenario_with_a_class_in_python(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    seen = []

    class Asks(Reno):
        """Asks a simulation first."""

        def __init__(self, start: Start) -> None:
            """Run one."""
            super().__init__(start)
            seen.append(run(inner, TCP, "mine", {"mine": Reno}, progress=False)["flows"])

    asked = run(tmp_path, TCP, "asks", {"asks": Asks}, progress=False)["flows"]
    for flows in seen:
        assert flows["received_bytes"].equals(asked["received_bytes"])
    assert len(seen) == asked.height


def test_an_exception_ends_its_run_and_no_other_and_says_where(tmp_path: Path) -> None:
    class Fragile(Reno):
        def on_congestion(self, congestion: Congestion) -> None:
            if congestion.now > 2_000_000_000:
                raise KeyError("no such thing")
            super().on_congestion(congestion)

    comparison = """
compare.controller.mine = { "flows.f.controller" = "mine" }
compare.controller.reno = { "flows.f.controller" = "reno" }
"""
    with pytest.raises(ExtensionError) as raised:
        run(tmp_path, TCP + comparison, "reno", {"mine": Fragile}, jobs=2)
    first, second = str(raised.value).splitlines()
    what = r"controller `mine`: on_congestion: KeyError: 'no such thing' "
    where = r"\(.*test_controllers_in_python.py, line \d+\)"
    assert re.fullmatch(f"none, mine: {what}{where}", first)
    assert second.startswith("some, mine: ")
    runs = raised.value.results["runs"]
    assert runs["controller"].to_list() == ["reno", "reno"]


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 0.5, -3.0])
def test_a_window_that_is_none_is_refused(tmp_path: Path, wrong: float) -> None:
    class Wild(Reno):
        def on_congestion(self, congestion: Congestion) -> None:
            self.cwnd = wrong

    said = str(failure(tmp_path, Wild))
    assert "controller `mine`: on_congestion: cwnd is " in said
    assert "cwnd must be a finite number of segments, at least 1" in said


def test_other_answers_that_are_none_are_refused(tmp_path: Path) -> None:
    class Text(Reno):
        def on_acknowledgement(self, acknowledgement: Acknowledgement) -> None:
            self.cwnd = "many"  # type: ignore[assignment]

    class Still(Reno):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            self.pacing_rate = 0.0

    class Without(Reno):
        def __init__(self, start: Start) -> None:
            pass

    class Unfinished(Controller):
        pass

    class Hand(Reno):
        def __init__(self, start: Start) -> None:
            super().__init__(start)
            self.file = open(__file__)  # noqa: SIM115

    assert "on_acknowledgement: cwnd: TypeError: " in str(failure(tmp_path, Text))
    assert "__init__: pacing_rate is 0" in str(failure(tmp_path, Still))
    assert "__init__: cwnd: AttributeError: " in str(failure(tmp_path, Without))
    assert "on_acknowledgement: NotImplementedError" in str(failure(tmp_path, Unfinished))
    assert "copy.deepcopy: TypeError: " in str(failure(tmp_path, Hand))


def test_what_is_no_controller_is_refused_before_anything_runs(tmp_path: Path) -> None:
    class Needy(Reno):
        needs: ClassVar = ("telepathy",)

    class Radio(Reno):
        needs: ClassVar = ("sinr",)

    for classes, error, said in [
        ({"mine": int}, TypeError, "`mine` is not a subclass of windtunnel.Controller"),
        ({"mine": 5}, TypeError, "`mine` is not a subclass of windtunnel.Controller"),
        ({"mine": Needy}, ValueError, "`mine`: unknown need `telepathy`; known needs"),
        ({"mine": Radio}, windtunnel.ScenarioError, "controller `mine` needs a radio's SINR"),
        ({"mien": Reno}, windtunnel.ScenarioError, "did you mean `mien`?"),
        ({"cubic": Reno}, windtunnel.ScenarioError, "there is a controller `cubic` already"),
    ]:
        with pytest.raises(error, match=re.escape(said)):
            run(tmp_path, TCP, "mine", classes)  # type: ignore[arg-type]


def test_a_consumer_whose_controller_cannot_begin_ends_its_run(tmp_path: Path) -> None:
    class Broken(Reno):
        def __init__(self, start: Start) -> None:
            raise RuntimeError("no")

    with pytest.raises(ExtensionError, match="`mine`: __init__: RuntimeError: no"):
        run(tmp_path, NDN, "mine", {"mine": Broken})


def test_the_pages_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(code, "python-controllers.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "gentle" in printed and "cubic" in printed


def test_the_bench_of_what_python_costs_prints_its_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bench = runpy.run_path(str(ROOT / "bench" / "in_python.py"))
    bench["main"].__globals__.update(REPEATS=1, STEPS=10, SIMULATED="2 s")
    bench["main"]()
    figures = dict(line.rsplit(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert all(float(it.replace(",", "")) > 0 for it in figures.values())
    assert {"times as long in Python", "steps a CPU second, one environment"} <= figures.keys()
