"""Environments: Gymnasium's own check, the same by seed on any threads, and an example."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import polars as pl
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import windtunnel
from windtunnel.environments import (
    MOST_CWND,
    SIGNALS,
    FlowEnvironment,
    FlowVectorEnvironment,
    Task,
    multiply,
    observe,
    power,
)

ROOT = Path(__file__).parents[1]
SCENARIO = ROOT / "scenarios" / "learning.toml"
PAGE = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
NAME = "windtunnel.environments:windtunnel/Flow-v0"

LOSSY = {"links.path.loss": {"probability": "1 %"}, "duration": "1 s"}
STILL = np.zeros(1, np.float32)


def play(environment: FlowEnvironment, seed: int, **options: Any) -> list[tuple[Any, ...]]:
    """Play an episode with a window that moves up and down; give all that came of it."""
    observation, info = environment.reset(seed=seed, options=options)
    came: list[tuple[Any, ...]] = [(observation.tolist(), info)]
    for step in range(1000):
        action = np.array([np.sin(step / 7)], np.float32)
        observation, reward, terminated, truncated, info = environment.step(action)
        came.append((observation.tolist(), reward, terminated, truncated, info))
        if terminated or truncated:
            return came
    raise AssertionError("the episode has no end")


@pytest.mark.filterwarnings("error::UserWarning")
def test_gymnasiums_own_checker_finds_nothing() -> None:
    environment = gymnasium.make(NAME, scenario=SCENARIO)
    check_env(environment.unwrapped)


def test_a_seed_gives_the_same_episode_and_another_one_another() -> None:
    first, second = (FlowEnvironment(SCENARIO, settings=LOSSY) for _ in range(2))
    case = {"case": "middle"}
    assert play(first, 1, **case) == play(second, 1, **case)
    assert play(first, 1, **case) == play(second, 1, **case)
    assert play(first, 2, **case) != play(second, 3, **case)


def test_the_case_is_drawn_unless_it_is_stated() -> None:
    environment = FlowEnvironment(SCENARIO, settings=LOSSY)
    drawn = {environment.reset(seed=seed)[1]["case"] for seed in range(20)}
    assert drawn == {"slow", "middle", "fast"}
    environment.reset(seed=1, options={"case": "fast"})
    unknown: list[tuple[dict[str, Any], str]] = [
        ({"case": "faster"}, "no case 'faster'"),
        ({"cas": 1}, "unknown options"),
    ]
    for options, said in unknown:
        with pytest.raises(ValueError, match=said):
            environment.reset(options=options)


def test_the_scenarios_own_controller_does_what_it_does_in_a_run() -> None:
    results = windtunnel.run(SCENARIO, settings={"recording.interval": "40 ms", "duration": "4 s"})
    series = results["flow_series"].filter(pl.col("rate") == "middle")
    environment = FlowEnvironment(SCENARIO, step_s=0.04, settings={"duration": "4 s"})
    environment.reset(seed=5, options={"case": "middle", "own": True})
    for sample in series.iter_rows(named=True):
        # Whatever the agent says.
        *_, truncated, _ = environment.step(STILL + 1)
        (heard,) = environment.signals
        assert heard["time_s"] == pytest.approx(sample["time_s"])
        # Before that, the handshake.
        if sample["time_s"] > 0.1:
            assert heard["cwnd"] == sample["cwnd_segments"]
            # Controllers hear of nanoseconds.
            assert heard["smoothed_rtt_s"] == pytest.approx(sample["smoothed_rtt_s"], abs=1e-9)
    assert truncated


def test_what_was_delivered_and_lost_is_what_a_flow_counts() -> None:
    environment = FlowEnvironment(SCENARIO, settings=LOSSY | {"duration": "5 s"})
    environment.reset(seed=1, options={"case": "slow", "own": True})
    delivered = bits = 0.0
    truncated = False
    while not truncated:
        *_, truncated, _ = environment.step(STILL)
        (heard,) = environment.signals
        delivered += heard["delivered"]
        bits += heard["delivered_bps"] * heard["interval_s"]
    assert delivered > 100
    assert bits == pytest.approx(delivered * 1448 * 8)


@pytest.mark.parametrize("threads", [1, 3])
def test_many_flows_are_each_what_it_is_alone(threads: int) -> None:
    ours = FlowVectorEnvironment(SCENARIO, 5, settings=LOSSY, step_s=0.05, threads=threads)
    make = [lambda: FlowEnvironment(SCENARIO, settings=LOSSY, step_s=0.05)] * 5
    theirs = SyncVectorEnv(make)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert (ours.observation_space, ours.action_space) == (
        theirs.observation_space,
        theirs.action_space,
    )
    assert_same(ours.reset(seed=3), theirs.reset(seed=3))
    random = np.random.default_rng(1)
    # 20 steps to the end, one to begin anew: two episodes and a half.
    for _ in range(52):
        actions = random.uniform(-1, 1, (5, 1)).astype(np.float32)
        assert_same(ours.step(actions), theirs.step(actions))


def assert_same(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> None:
    """Compare what two vector environments give."""
    for one, other in zip(ours[:-1], theirs[:-1], strict=True):
        np.testing.assert_array_equal(one, other)
    assert ours[-1].keys() == theirs[-1].keys()
    for name in ours[-1]:
        assert list(ours[-1][name]) == list(theirs[-1][name])


def test_gymnasium_makes_the_vector_environment_by_its_name() -> None:
    made = gymnasium.make_vec(
        NAME, 3, vectorization_mode="vector_entry_point", scenario=SCENARIO, settings=LOSSY
    )
    assert isinstance(made.unwrapped, FlowVectorEnvironment)
    observations, infos = made.reset(seed=[1, 1, None])  # type: ignore[arg-type]
    assert infos["case"][0] == infos["case"][1]
    assert made.observation_space.contains(observations)


def test_a_file_that_is_received_terminates_the_episode() -> None:
    file = {"flows.download.workload": {"kind": "file", "size": "100 kB"}}
    last = play(FlowEnvironment(SCENARIO, settings=file), 1)[-1]
    assert last[2:4] == (True, False)


def test_a_task_of_ones_own_says_what_is_seen_done_and_rewarded() -> None:
    def pace(actions: np.ndarray, signals: np.ndarray) -> np.ndarray:
        # A window that never limits, and a rate in segments a second.
        return np.stack([np.full(len(actions), 1000.0), 100.0 * actions[:, 0]], axis=1)

    task = Task(
        observe=lambda signals: signals["delivered"][:, None].astype(np.float32),
        observation_space=gymnasium.spaces.Box(0, 1e6, (1,), np.float32),
        answer=pace,
        action_space=gymnasium.spaces.Box(1, 100, (1,), np.float32),
        reward=lambda signals: -signals["lost"],
    )
    environment = FlowEnvironment(SCENARIO, task=task, step_s=0.1)
    environment.reset(seed=1, options={"case": "fast"})
    seen = [environment.step(np.array([4.0], np.float32))[0][0] for _ in range(50)]
    # 400 segments a second, of 2000 that the link carries.
    assert np.mean(seen[5:]) == pytest.approx(40, rel=0.03)


@pytest.mark.filterwarnings("error")
def test_the_default_task_stays_within_its_spaces_whatever_is_heard() -> None:
    random = np.random.default_rng(0)
    signals = np.zeros(500, SIGNALS)
    for name in SIGNALS.names or ():
        signals[name] = 10.0 ** random.uniform(-4, 4, 500)
        # What is not known yet is NaN.
        signals[name][random.random(500) < 0.3] = np.nan if "rtt" in name else 0.0
    seen = observe(signals)
    assert Task().observation_space.contains(seen[0])
    assert seen.min() >= 0.0 and seen.max() <= 16.0 and not np.isnan(seen).any()
    assert np.isfinite(power(signals)).all()
    answers = multiply(random.uniform(-9, 9, (500, 1)), signals)
    assert (answers[:, 0] >= 1.0).all() and (answers[:, 0] <= MOST_CWND).all()


def test_power_is_most_where_the_window_is_the_product_of_bandwidth_and_delay() -> None:
    rewards = {}
    for window in (10, 20, 40, 45, 60, 100):
        fixed = multiply_nothing(float(window))
        environment = FlowEnvironment(SCENARIO, task=fixed, step_s=0.04)
        rewards[window] = sum(it[1] for it in play(environment, 1, case="middle")[50:])
    # 12 Mbps and 40 ms hold 40 packets of 1500 bytes.
    assert max(rewards, key=rewards.__getitem__) in (40, 45)


def multiply_nothing(cwnd: float) -> Task:
    """A task in which the window is always the same."""
    return Task(answer=lambda actions, _: np.array([[cwnd, np.nan]] * len(actions)))


def test_what_cannot_be_is_refused_with_a_message() -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"flow": "upload"}, "there is no flow `upload`"),
        ({"step_s": 0.0}, "the step must be greater than zero"),
        ({"step_s": -1.0}, "step_s is -1; it must be greater than zero"),
        ({"settings": {"duration": "0 s"}}, "must be greater than zero"),
    ]
    for arguments, said in refused:
        with pytest.raises(ValueError, match=re.escape(said)):
            FlowEnvironment(SCENARIO, **arguments)
    environment = FlowEnvironment(SCENARIO)
    with pytest.raises(ValueError, match="reset first"):
        environment.step(STILL)
    environment.reset(seed=1)
    with pytest.raises(ValueError, match="finite window"):
        environment.step(STILL * np.nan)


@pytest.fixture(scope="module")
def example() -> dict[str, Any]:
    """The example's functions."""
    return runpy.run_path(str(ROOT / "scenarios" / "learning.py"))


def test_the_examples_policy_has_twice_cubics_reward_on_every_link(example: dict[str, Any]) -> None:
    weights = example["train"](seed=0, generations=4)
    rewards = example["compare"](weights, ["cubic"])
    assert rewards["learned"].keys() == {"slow", "middle", "fast"}
    for case, learned in rewards["learned"].items():
        assert learned > 2 * rewards["cubic"][case] > 0
    # Nothing but the seed decides, and so it is the same every time.
    assert example["compare"](weights, ["cubic"]) == rewards


def test_training_is_the_same_by_seed(example: dict[str, Any]) -> None:
    first, again, other = (example["train"](seed, generations=1) for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()


def test_the_pages_examples_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, "learning.md", "exec"), names)
