"""Path policies written in Python, and pictures of how flows divide between paths."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import windtunnel
from windtunnel.extensions import ExtensionError
from windtunnel.path_policies import PathPolicy, PathView
from windtunnel.pictures import path_shares

ROOT = Path(__file__).parents[1]

TWO_LINKS = """\
duration = "5 s"
nodes = { a = {}, b = {} }
defaults.link = { nodes = ["a", "b"], rate = "10 Mbps" }
links.near = { delay = "10 ms" }
links.far = { delay = "40 ms" }
autonomous_systems.a = { isd_as = "1-64501", nodes = ["a"], core = true }
autonomous_systems.b = { isd_as = "1-64502", nodes = ["b"], core = true }
flows.f = { from = "a", to = "b", protocol = "udp", rate = "800 kbps", path_policy = "first" }
"""
POLICY = "flows.f.path_policy"


@pytest.fixture(name="file")
def scenario(tmp_path: Path) -> Path:
    """Write the scenario."""
    file = tmp_path / "scenario.toml"
    file.write_text(TWO_LINKS, encoding="utf-8")
    return file


class LowestLatency(PathPolicy):
    """As the core's `lowest-latency`."""

    def select(self, view: PathView) -> int:
        """Choose the first of those with the lowest announced latency."""
        return min(view.paths, key=lambda it: it.latency).place


class Turns(PathPolicy):
    """As the core's `round-robin`."""

    def select(self, view: PathView) -> int:
        """Choose the next."""
        return 0 if view.current is None else (view.current + 1) % len(view.paths)


@pytest.mark.parametrize(
    ("name", "policy"), [("lowest-latency", LowestLatency), ("round-robin", Turns)]
)
def test_a_policy_in_python_gives_what_the_same_gives_in_the_core(
    file: Path, name: str, policy: type[PathPolicy]
) -> None:
    core = windtunnel.run(file, settings={POLICY: name})
    own = windtunnel.run(file, settings={POLICY: "mine"}, extensions={"mine": policy})
    assert own["paths"]["path_policy"].unique().to_list() == ["mine"]
    for table in ("flow_series", "links", "path_changes"):
        assert own[table].equals(core[table])


def test_a_policy_sees_its_paths_and_is_told_of_probes(file: Path) -> None:
    views: list[PathView] = []
    probes: list[tuple[int, int, int | None]] = []

    class Curious(PathPolicy):
        probe_interval = 500_000_000

        def select(self, view: PathView) -> int:
            views.append(view)
            return 0

        def on_probe(self, now: int, path: int, rtt: int | None) -> None:
            probes.append((now, path, rtt))

    windtunnel.run(file, settings={POLICY: "mine"}, extensions={"mine": Curious})
    paths = {it.id: it for it in views[-1].paths}
    # 10 and 40 ms in one direction.
    assert sorted(it.latency for it in paths.values()) == [10_000_000, 40_000_000]
    assert all(len(it.interfaces) == 2 for it in paths.values())
    assert {it.place for it in paths.values()} == {0, 1}
    assert all(0.0 <= it.random < 1.0 for it in views)
    assert {path for _, path, _ in probes} == set(paths)
    for _, path, rtt in probes:
        assert rtt is not None
        assert 2 * paths[path].latency <= rtt < 2 * paths[path].latency + 5_000_000


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (2, "path policy `mine`: select: there is no path 2; there are 2, counted from 0"),
        ("first", "path policy `mine`: select: "),
    ],
)
def test_a_wrong_answer_of_a_policy_ends_the_run_with_a_message(
    file: Path, answer: Any, message: str
) -> None:
    class Wrong(PathPolicy):
        def select(self, view: PathView) -> Any:
            return answer

    with pytest.raises(ExtensionError, match=re.escape(message)):
        windtunnel.run(file, settings={POLICY: "mine"}, extensions={"mine": Wrong})


def test_a_policy_that_probes_all_the_time_or_has_a_taken_name_is_refused(file: Path) -> None:
    class Hasty(Turns):
        probe_interval = 0

    with pytest.raises(ValueError, match="`probe_interval` must be greater than zero"):
        windtunnel.run(file, extensions={"mine": Hasty})
    with pytest.raises(windtunnel.ScenarioError, match="there is a path policy `ucb1` already"):
        windtunnel.run(file, extensions={"ucb1": Turns})
    with pytest.raises(windtunnel.ScenarioError, match="there is no path policy `mime`"):
        windtunnel.run(file, settings={POLICY: "mime"}, extensions={"mine": Turns})


def test_shares_are_the_time_that_flows_spend_on_each_path() -> None:
    """Of two flows on one path from 0 s on, one leaves it at 5.25 s, of 10 s."""
    changes = pl.DataFrame(
        {
            "case": [0, 0, 0],
            "time_s": [0.0, 0.0, 5.25],
            "path_links_before": [None, None, "one"],
            "path_links": ["one", "one", "other"],
        }
    )
    drawn = path_shares.over_time(changes, {"one": "one", "other": "other"}, 10.0)
    shares = {
        name: frame.sort("time_s")["share"].to_list() for (name,), frame in drawn.group_by("name")
    }
    assert shares["one"] == pytest.approx([100.0] * 10 + [75.0] + [50.0] * 9)
    assert shares["other"] == pytest.approx([0.0] * 10 + [25.0] + [50.0] * 9)


@pytest.mark.parametrize("page", ["selfish-routing.md"])
def test_the_examples_of_the_page_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, page, "exec"), {"pl": pl})
    assert capsys.readouterr().out
