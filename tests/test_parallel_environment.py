"""Agents of several flows of one run: PettingZoo's own check, determinism, and competition."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

from windtunnel.environments import FlowEnvironment, Task
from windtunnel.environments.parallel import ParallelFlowEnvironment

ROOT = Path(__file__).parents[1]
ALONE = ROOT / "scenarios" / "learning.toml"

TWO = """\
duration = "10 s"
[topologies.d]
kind = "dumbbell"
pairs = 2
link = { rate = "10 Mbps", delay = "20 ms" }
access = { rate = "100 Mbps", delay = "1 ms" }
[flows.x]
from = "d-sender-*"
to = "d-receiver-*"
pattern = "one-to-one"
controller = "cubic"
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Write a scenario of two flows that share a link."""
    file = tmp_path / "two.toml"
    file.write_text(TWO)
    return file


def window(cwnd: dict[str, float], order: list[str]) -> Task:
    """Make a task in which each flow always has its own window."""
    rows = np.array([[cwnd[it], np.nan] for it in order])
    return Task(answer=lambda actions, _: rows[: len(actions)])


def play(environment: ParallelFlowEnvironment, seed: int, **options: Any) -> list[Any]:
    """Play an episode with windows that move up and down; give all that came of it."""
    came: list[Any] = [environment.reset(seed=seed, options=options)]
    step = 0
    while environment.agents:
        step += 1
        actions = {
            agent: np.array([np.sin(step / (7 + place))], np.float32)
            for place, agent in enumerate(environment.agents)
        }
        came.append(environment.step(actions))
    return came


def same(one: Any, other: Any) -> bool:
    """Compare what two episodes gave, byte by byte."""
    return repr(one) == repr(other)


@pytest.mark.filterwarnings("error::UserWarning")
def test_pettingzoos_own_check_finds_nothing(two: Path) -> None:
    parallel_api_test(ParallelFlowEnvironment(two, step_s=0.05), num_cycles=300)


def test_a_seed_gives_the_same_episode_and_another_one_another(two: Path) -> None:
    lossy = {"topologies.d.link.loss": "1 %", "duration": "2 s"}
    first, second = (ParallelFlowEnvironment(two, step_s=0.05, settings=lossy) for _ in range(2))
    assert same(play(first, 1), play(second, 1))
    assert same(play(first, 1), play(second, 1))
    assert not same(play(first, 2), play(second, 3))


def test_one_agent_sees_what_it_does_in_the_environment_of_one() -> None:
    lossy = {"links.path.loss": {"probability": "1 %"}, "duration": "2 s"}
    alone = FlowEnvironment(ALONE, step_s=0.05, settings=lossy)
    [agent] = (
        parallel := ParallelFlowEnvironment(ALONE, step_s=0.05, settings=lossy)
    ).possible_agents
    observation, info = alone.reset(seed=4)
    observations, infos = parallel.reset(seed=4)
    assert (observation == observations[agent]).all() and infos == {agent: info}
    truncated = False
    while not truncated:
        action = alone.action_space.sample()
        observation, reward, terminated, truncated, _ = alone.step(action)
        observations, rewards, terminations, truncations, _ = parallel.step({agent: action})
        assert (observation == observations[agent]).all()
        assert (reward, terminated) == (rewards[agent], terminations[agent])
        assert truncated == truncations[agent]
    assert parallel.agents == []


def test_agents_of_one_run_compete_for_its_link(two: Path) -> None:
    order = ["x-1", "x-2"]

    def delivered(cwnd: dict[str, float]) -> dict[str, float]:
        environment = ParallelFlowEnvironment(two, step_s=0.05, task=window(cwnd, order))
        assert environment.possible_agents == order
        environment.reset(seed=1)
        sums = np.zeros(2)
        while environment.agents:
            environment.step({it: np.zeros(1, np.float32) for it in order})
            sums += environment.signals["delivered_bps"] * environment.signals["interval_s"]
        return dict(zip(order, sums / 10, strict=True))

    # Both windows are in the queue or on the way: each has its share of the link.
    uneven = delivered({"x-1": 90.0, "x-2": 30.0})
    assert uneven["x-1"] / uneven["x-2"] == pytest.approx(3, rel=0.1)
    even = delivered({"x-1": 60.0, "x-2": 60.0})
    assert even["x-1"] / even["x-2"] == pytest.approx(1, rel=0.05)
    # The payload of 10 Mbps.
    assert sum(even.values()) == pytest.approx(10e6 * 1448 / 1500, rel=0.05)
    # A window of 10 segments does not fill 44 ms: the other one has what is left.
    small = delivered({"x-1": 10.0, "x-2": 90.0})
    assert small["x-2"] > 2 * small["x-1"]


def test_of_several_flows_those_that_are_named_have_agents(two: Path) -> None:
    environment = ParallelFlowEnvironment(two, flows=["x-2"], step_s=0.05)
    assert environment.possible_agents == ["x-2"]
    environment.reset(seed=1)
    assert list(environment.step({"x-2": np.zeros(1, np.float32)})[0]) == ["x-2"]


def test_an_agent_whose_file_is_received_takes_no_further_part(two: Path) -> None:
    text = (
        two.read_text()
        + """\
[flows.short]
from = "d-sender-1"
to = "d-receiver-1"
controller = "cubic"
workload = { kind = "file", size = "100 kB" }
"""
    )
    two.write_text(text)
    steps = play(ParallelFlowEnvironment(two, step_s=0.05), 1)[1:]
    ends = next(place for place, it in enumerate(steps) if it[2].get("short"))
    assert 2 < ends < 100 and not steps[ends][3]["short"]
    assert all(set(it[0]) == {"x-1", "x-2"} for it in steps[ends + 1 :])
    assert steps[-1][3] == {"x-1": True, "x-2": True}


def test_what_cannot_be_is_refused_with_a_message(two: Path) -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"flows": ["x-1", "x-3"]}, "there is no flow `x-3`"),
        ({"flows": ["x-1", "x-1"]}, "flow `x-1` is named twice"),
        ({"flows": []}, "no flow is named"),
        ({"settings": {"flows.x.protocol": "tcp", "flows.x.multipath": {}}}, "multipath"),
    ]
    for arguments, said in refused:
        with pytest.raises(ValueError, match=re.escape(said)):
            ParallelFlowEnvironment(two, **arguments)
    environment = ParallelFlowEnvironment(two)
    with pytest.raises(ValueError, match="reset first"):
        environment.step({})
    environment.reset(seed=1)
    with pytest.raises(ValueError, match=re.escape("they must be for ['x-1', 'x-2']")):
        environment.step({"x-1": np.zeros(1, np.float32)})
    with pytest.raises(TypeError, match="ParallelFlowEnvironment has an agent for each"):
        FlowEnvironment(two, flow=["x-1", "x-2"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="several flows"):
        FlowEnvironment(two)
