"""Gymnasium's environments: an agent drives one flow of a scenario, a step at a time.

    environment = gymnasium.make(
        "windtunnel.environments:windtunnel/Flow-v0", scenario="scenarios/learning.toml"
    )

needs `pip install windtunnel[gym]`. What an agent sees, may do and is rewarded for is a
`Task`; all of its functions take many flows at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from windtunnel import _core
from windtunnel.scenario.scenario import Scenario

STEP_S = 0.01
"""How long a step is, in seconds, unless stated."""

SIGNALS = np.dtype([(name, np.float64) for name in _core.SIGNALS])
"""What a flow's sender was told in the course of a step, NaN where it does not know.

- `time_s`: the simulated time that was reached, in seconds
- `interval_s`: how long the step was, in seconds
- `delivered`: data newly delivered, in segments; `delivered_bps`: the same over the step,
  in bit/s
- `lost`: data newly held to be lost, in segments
- `marked`: delivered data that a router marked, in segments, where the transport counts it
- `rtt_s`: the mean of the step's round trips; `smoothed_rtt_s`: the transport's smoothed
  one; `rtt_minimum_s`: the least so far; all in seconds
- `in_flight`: data in flight after the last acknowledgement, in segments
- `cwnd`: the window in force, in segments
- `congestions`, `timeouts`: congestion signals, and retransmission timeouts
- `finished`: 1 where the flow has nothing more to carry, or else 0
"""

Signals = NDArray[np.void]
"""An array of `SIGNALS`, one for each flow."""

MOST_CWND = 10_000.0
"""The largest window, in segments, that `multiply` answers: exploration stays in memory."""

MOST_SEEN = 16.0
"""No value that `observe` gives is above this."""


# -- What an agent sees, may do and is rewarded for ---------------------------


def observe(signals: Signals) -> NDArray[np.float32]:
    """Give six values of each flow, without units, from 0 to `MOST_SEEN`.

    They are: the round trip over the least so far, less 1 (what queues); the share of a
    window that was delivered in the time of a least round trip; what is in flight as a
    share of the window; the share of the data that was lost; the share that was marked;
    and the window's logarithm to the base 2.

    Gives float32 of shape (flows, 6).
    """
    cwnd = np.maximum(signals["cwnd"], 1.0)
    delivered, lost = signals["delivered"], signals["lost"]
    least = signals["rtt_minimum_s"]
    seen = np.stack(
        [
            round_trips(signals) / least - 1.0,
            share(delivered * least, signals["interval_s"] * cwnd),
            signals["in_flight"] / cwnd,
            share(lost, delivered + lost),
            share(signals["marked"], delivered),
            np.log2(cwnd),
        ],
        axis=-1,
    )
    # What is not known, NaN, is taken for nothing.
    bounded: NDArray[np.float32] = np.fmin(np.fmax(seen, 0.0), MOST_SEEN).astype(np.float32)
    return bounded


def multiply(actions: NDArray[Any], signals: Signals) -> NDArray[np.float64]:
    """Multiply each window by two to the power of its action, from -1 to 1.

    `actions` have the shape (flows, 1). Gives float64 of shape (flows, 2): the window in
    segments, at least 1 and at most `MOST_CWND`, and the pacing rate in segments per
    second, here NaN, which leaves it to the transport.
    """
    power = np.clip(actions[:, 0].astype(np.float64), -1.0, 1.0)
    cwnd = np.clip(signals["cwnd"] * 2.0**power, 1.0, MOST_CWND)
    return np.stack([cwnd, np.full_like(cwnd, np.nan)], axis=-1)


def power(signals: Signals) -> NDArray[np.float64]:
    """Reward each flow with its power: what is delivered, in Mbit/s, while nothing queues.

    That is the delivered rate times the least round trip over the present one
    (Kleinrock's power, in units of the least round trip), less the share that was lost.
    Where one flow is alone, no window has more of it than the bandwidth-delay product.
    """
    delivered, lost = signals["delivered"], signals["lost"]
    # Before the first round trip nothing is known, and nothing delivered.
    unqueued = np.fmax(signals["rtt_minimum_s"] / round_trips(signals), 0.0)
    return signals["delivered_bps"] / 1e6 * unqueued * (1.0 - share(lost, delivered + lost))


def round_trips(signals: Signals) -> NDArray[np.float64]:
    """Give the mean round trip of each step in seconds, or the smoothed one without any."""
    mean = signals["rtt_s"]
    return np.where(np.isnan(mean), signals["smoothed_rtt_s"], mean)


def share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the share of each part, and nothing of nothing."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)


@dataclass(frozen=True)
class Task:
    """What an agent sees, may do and is rewarded for.

    The functions take the signals of several flows at once, in an array of `SIGNALS`, and
    give a row or a value for each.
    """

    observe: Callable[[Signals], NDArray[Any]] = observe
    """From signals to observations, of shape (flows, *observation_space.shape)."""
    observation_space: Box = field(default_factory=lambda: Box(0.0, MOST_SEEN, (6,), np.float32))
    answer: Callable[[NDArray[Any], Signals], NDArray[np.float64]] = multiply
    """From actions, and the signals of the step before, to answers of shape (flows, 2).

    An answer is a window in segments, which must be finite and is raised to the flow's
    least window, and a pacing rate in segments per second, NaN to leave it to the
    transport.
    """
    action_space: Box = field(default_factory=lambda: Box(-1.0, 1.0, (1,), np.float32))
    reward: Callable[[Signals], NDArray[np.float64]] = power
    """From signals to rewards, of shape (flows,)."""


# -- Flows that are stepped ---------------------------------------------------


class Flows:
    """A flow of a scenario, several times: what both environments step."""

    def __init__(
        self,
        scenario: Path | str,
        flow: str | None,
        step_s: float,
        task: Task | None,
        settings: Mapping[str, object] | None,
        count: int,
        threads: int,
    ) -> None:
        """Read the scenario. Raises ScenarioError, or OSError."""
        checked = Scenario.load(scenario, settings)
        self.task = task or Task()
        self.cases = [", ".join(names) for names in checked.cases]
        self.core = _core.Environments(checked, flow, step_s, count, threads)
        self.signals = np.zeros(count, SIGNALS)

    def begin(
        self, place: int, generator: np.random.Generator, options: Mapping[str, Any] | None
    ) -> str:
        """Begin an episode of a case, drawn unless the options name it; give the case."""
        options = options or {}
        if unknown := set(options) - {"case", "own"}:
            raise ValueError(f"unknown options {sorted(unknown)}; known here: case, own")
        drawn = self.cases[generator.integers(len(self.cases))]
        case = str(options.get("case", drawn))
        if case not in self.cases:
            raise ValueError(f"there is no case {case!r}; known here: {', '.join(self.cases)}")
        seed = int(generator.integers(2**63))
        own = bool(options.get("own", False))
        row = self.core.reset(place, self.cases.index(case), seed, own)
        self.signals[place] = tuple(row)
        return case

    def step(self, actions: NDArray[Any], stepped: NDArray[np.bool_]) -> None:
        """Step those that are `stepped`. Raises ValueError for an answer that is none."""
        answers = np.ascontiguousarray(self.task.answer(actions, self.signals), np.float64)
        self.core.step(stepped.tolist(), answers, self.signals.view(np.float64))

    def terminated(self) -> NDArray[np.bool_]:
        """Say which flows have nothing more to carry."""
        return self.signals["finished"] > 0.0

    def truncated(self) -> NDArray[np.bool_]:
        """Say which have reached their scenario's end."""
        return np.array([self.core.is_over(place) for place in range(len(self.signals))])


class FlowEnvironment(gymnasium.Env[NDArray[Any], NDArray[Any]]):
    """One agent that drives one flow of a scenario.

    An episode is one run of the scenario, and of one of the cases that it compares; it is
    truncated at the scenario's end, and terminates where a flow's file is received. What
    is random in it follows from `reset(seed=...)`, and after that from the episodes
    before.

    Options of `reset`: `case` names the case, which is drawn unless it is stated; `own`
    leaves the flow to the controller that the scenario names, whatever the actions: the
    baseline, with the same observations and rewards.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        scenario: Path | str,
        *,
        flow: str | None = None,
        step_s: float = STEP_S,
        task: Task | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        """Read the scenario, with `settings` that replace values by their paths.

        The agent drives the TCP flow or NDN consumer of that name, or the only one.
        Raises ScenarioError, or OSError.
        """
        self.flows = Flows(scenario, flow, step_s, task, settings, count=1, threads=1)
        self.observation_space = self.flows.task.observation_space
        self.action_space = self.flows.task.action_space

    @property
    def signals(self) -> Signals:
        """What the sender was told in the last step, as an array of one of `SIGNALS`."""
        return self.flows.signals

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode; the info names its `case`."""
        super().reset(seed=seed)
        case = self.flows.begin(0, self.np_random, options)
        return self.flows.task.observe(self.signals)[0], {"case": case}

    def step(self, action: NDArray[Any]) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Let a step pass. The answer counts from the next acknowledgement on."""
        flows = self.flows
        flows.step(np.asarray(action)[None], np.ones(1, np.bool_))
        terminated = bool(flows.terminated()[0])
        truncated = not terminated and bool(flows.truncated()[0])
        reward = float(flows.task.reward(flows.signals)[0])
        return flows.task.observe(flows.signals)[0], reward, terminated, truncated, {}


class FlowVectorEnvironment(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """Many flows, each in a simulation of its own, stepped at once on threads.

    Flow by flow it is a `FlowEnvironment`, whatever the threads: `reset(seed=n)` gives
    flow i the seed n + i, and a list gives each its own. One that has ended begins anew
    at the next step, which then ignores its action and rewards nothing.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        scenario: Path | str,
        num_envs: int = 1,
        *,
        flow: str | None = None,
        step_s: float = STEP_S,
        task: Task | None = None,
        settings: Mapping[str, object] | None = None,
        threads: int | None = None,
    ) -> None:
        """Read the scenario, for so many flows on so many threads (all processors).

        Raises ScenarioError, or OSError.
        """
        threads = threads or os.cpu_count() or 1
        self.flows = Flows(scenario, flow, step_s, task, settings, num_envs, threads)
        self.num_envs = num_envs
        self.single_observation_space = self.flows.task.observation_space
        self.single_action_space = self.flows.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.generators = [np.random.default_rng() for _ in range(num_envs)]
        self.ended = np.zeros(num_envs, np.bool_)

    @property
    def signals(self) -> Signals:
        """What the senders were told in the last step, as an array of `SIGNALS`."""
        return self.flows.signals

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode in each; the info names their `case`."""
        seeds = [seed] * self.num_envs if seed is None else seed
        if isinstance(seeds, int):
            seeds = range(seeds, seeds + self.num_envs)
        infos: dict[str, Any] = {}
        for place, own in enumerate(seeds):
            if own is not None:
                self.generators[place], _ = seeding.np_random(own)
            case = self.flows.begin(place, self.generators[place], options)
            infos = self._add_info(infos, {"case": case}, place)
        self.options = options
        self.ended[:] = False
        return self.flows.task.observe(self.signals), infos

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[
        NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
    ]:
        """Let a step pass in each, on threads, with the interpreter released."""
        begun = self.ended
        self.flows.step(np.asarray(actions), ~begun)
        infos: dict[str, Any] = {}
        for place in np.flatnonzero(begun):
            case = self.flows.begin(int(place), self.generators[place], self.options)
            infos = self._add_info(infos, {"case": case}, int(place))
        rewards = np.where(begun, 0.0, self.flows.task.reward(self.signals))
        terminated = self.flows.terminated()
        truncated = self.flows.truncated() & ~terminated
        self.ended = terminated | truncated
        return self.flows.task.observe(self.signals), rewards, terminated, truncated, infos


gymnasium.register(
    id="windtunnel/Flow-v0",
    entry_point="windtunnel.environments:FlowEnvironment",
    vector_entry_point="windtunnel.environments:FlowVectorEnvironment",
)
