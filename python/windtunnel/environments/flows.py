"""Flows of a scenario as an environment: agents control their windows, step by step."""

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
from windtunnel.environments.episodes import chosen
from windtunnel.scenario.scenario import Scenario

STEP_S = 0.01
"""The default length of a step, in seconds."""

SIGNALS = np.dtype([(name, np.float64) for name in _core.SIGNALS])
"""The signals that a flow's sender received during a step; NaN where a value is unknown.

- `time_s`: the simulated time at the end of the step, in seconds
- `interval_s`: the length of the step, in seconds
- `delivered`: data newly delivered, in segments; `delivered_bps`: the same over the step,
  in bit/s
- `lost`: data newly considered lost, in segments
- `marked`: delivered data that a router marked, in segments, if the transport counts it
- `rtt_s`: the mean round-trip time in the step; `smoothed_rtt_s`: the transport's smoothed
  one; `rtt_minimum_s`: the minimum so far; all in seconds
- `in_flight`: data in flight after the last acknowledgement, in segments
- `cwnd`: the current window, in segments
- `congestions`, `timeouts`: congestion signals, and retransmission timeouts
- `finished`: 1 if the flow has no more data to send, otherwise 0
"""

Signals = NDArray[np.void]
"""An array of `SIGNALS`, one for each flow."""

MOST_CWND = 10_000.0
"""The largest window, in segments, that `multiply` gives: it bounds memory during exploration."""

MOST_SEEN = 16.0
"""The upper limit of the values that `observe` gives."""


# -- Observations, actions and rewards ----------------------------------------


def observe(signals: Signals) -> NDArray[np.float32]:
    """Give six values of each flow, without units, from 0 to `MOST_SEEN`.

    They are: the round-trip time divided by its minimum, less 1 (queueing); the share of a
    window delivered in a minimum round-trip time; the data in flight as a share of the
    window; the share of data lost; the share marked; and the logarithm of the window to
    the base 2.

    Gives float32 of shape (flows, 6).
    """
    cwnd = np.maximum(signals["cwnd"], 1.0)
    delivered, lost = signals["delivered"], signals["lost"]
    minimum = signals["rtt_minimum_s"]
    seen = np.stack(
        [
            round_trips(signals) / minimum - 1.0,
            share(delivered * minimum, signals["interval_s"] * cwnd),
            signals["in_flight"] / cwnd,
            share(lost, delivered + lost),
            share(signals["marked"], delivered),
            np.log2(cwnd),
        ],
        axis=-1,
    )
    # NaN, for unknown, counts as zero.
    bounded: NDArray[np.float32] = np.fmin(np.fmax(seen, 0.0), MOST_SEEN).astype(np.float32)
    return bounded


def multiply(actions: NDArray[Any], signals: Signals) -> NDArray[np.float64]:
    """Multiply each window by two to the power of its action, from -1 to 1.

    `actions` have the shape (flows, 1). Gives float64 of shape (flows, 2): the window in
    segments, from 1 to `MOST_CWND`, and the pacing rate in segments per second, here NaN:
    the transport decides.
    """
    power = np.clip(actions[:, 0].astype(np.float64), -1.0, 1.0)
    cwnd = np.clip(signals["cwnd"] * 2.0**power, 1.0, MOST_CWND)
    return np.stack([cwnd, np.full_like(cwnd, np.nan)], axis=-1)


def power(signals: Signals) -> NDArray[np.float64]:
    """Reward each flow with its power: the delivery rate over the normalised delay.

    That is the delivery rate in Mbit/s times the minimum over the present round-trip time
    (Kleinrock's power, in units of the minimum round-trip time), reduced by the share of
    data lost. For a single flow it is maximal at the bandwidth-delay product.
    """
    delivered, lost = signals["delivered"], signals["lost"]
    # Before the first round trip nothing was delivered.
    unqueued = np.fmax(signals["rtt_minimum_s"] / round_trips(signals), 0.0)
    return signals["delivered_bps"] / 1e6 * unqueued * (1.0 - share(lost, delivered + lost))


def round_trips(signals: Signals) -> NDArray[np.float64]:
    """Give the mean round-trip time of each step in seconds, or else the smoothed one."""
    mean = signals["rtt_s"]
    return np.where(np.isnan(mean), signals["smoothed_rtt_s"], mean)


def share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide each part by its whole; 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)


@dataclass(frozen=True)
class Task:
    """The observations, actions and rewards of an agent.

    The functions take the signals of several flows at once, in an array of `SIGNALS`, and
    give a row or a value for each flow.
    """

    observe: Callable[[Signals], NDArray[Any]] = observe
    """From signals to observations, of shape (flows, *observation_space.shape)."""
    observation_space: Box = field(default_factory=lambda: Box(0.0, MOST_SEEN, (6,), np.float32))
    answer: Callable[[NDArray[Any], Signals], NDArray[np.float64]] = multiply
    """From actions, and the signals of the step before, to answers of shape (flows, 2).

    An answer is a window in segments, which must be finite and is raised to the flow's
    minimum, and a pacing rate in segments per second; NaN: the transport decides.
    """
    action_space: Box = field(default_factory=lambda: Box(-1.0, 1.0, (1,), np.float32))
    reward: Callable[[Signals], NDArray[np.float64]] = power
    """From signals to rewards, of shape (flows,)."""


# -- Flows --------------------------------------------------------------------


class Flows:
    """Simulations of a scenario with agents for some of its flows, which environments step.

    The rows of all arrays are the flows of the first simulation, those of the second, and so on.
    """

    def __init__(
        self,
        scenario: Path | str,
        flows: Sequence[str] | None,
        step_s: float,
        task: Task | None,
        settings: Mapping[str, object] | None,
        count: int = 1,
        threads: int = 1,
        all_flows: bool = False,
    ) -> None:
        """Read the scenario. Raises ScenarioError, or OSError.

        Without `flows`, those are all that have a controller, or the only one.
        """
        checked = Scenario.load(scenario, settings)
        self.task = task or Task()
        self.cases = [", ".join(names) for names in checked.cases]
        named = None if flows is None else list(flows)
        self.core = _core.Environments(checked, named, all_flows, step_s, count, threads)
        self.names = self.core.names()
        self.signals = np.zeros(count * len(self.names), SIGNALS)

    def begin(
        self, place: int, generator: np.random.Generator, options: Mapping[str, Any] | None
    ) -> str:
        """Begin an episode of the case in the options, or of a random one; return the case."""
        case, own = chosen(self.cases, generator, options)
        seed = int(generator.integers(2**63))
        first = place * len(self.names)
        for row, signals in enumerate(self.core.reset(place, case, seed, own), first):
            self.signals[row] = tuple(signals)
        return self.cases[case]

    def step(self, actions: NDArray[Any], acting: NDArray[np.bool_]) -> None:
        """Step the simulations of the flows that are `acting`.

        The others of such a simulation go on with their last answers. Raises ValueError for an
        invalid answer.
        """
        answers = np.ascontiguousarray(self.task.answer(actions, self.signals), np.float64)
        self.core.step(acting.tolist(), answers, self.signals.view(np.float64))

    def terminated(self) -> NDArray[np.bool_]:
        """Return which flows have no more data to send."""
        return self.signals["finished"] > 0.0

    def truncated(self) -> NDArray[np.bool_]:
        """Return which flows have reached the end of their scenario."""
        count = len(self.signals) // len(self.names)
        over = np.array([self.core.is_over(place) for place in range(count)])
        return np.repeat(over, len(self.names))


def only(flow: str | None) -> list[str] | None:
    """Give the flows of an environment with one agent. Raises TypeError for several names."""
    if flow is None or isinstance(flow, str):
        return None if flow is None else [flow]
    raise TypeError(
        f"flow is {flow!r}; it must be one name: ParallelFlowEnvironment has an agent for each of "
        "several flows"
    )


class FlowEnvironment(gymnasium.Env[NDArray[Any], NDArray[Any]]):
    """An environment in which one agent controls one flow of a scenario.

    An episode is a run of one case of the scenario from the flow's start on; it is truncated at
    the scenario's end and terminates when the flow's file is received. `reset(seed=...)` seeds the
    random numbers of this episode and of those that follow.

    Options of `reset`: `case` names the case (default: a random one); `own` leaves the flow
    to the scenario's controller, whatever the actions: the baseline, with the same
    observations and rewards.
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

        The agent controls the TCP flow or NDN consumer of that name (default: the only one).
        Raises ScenarioError, or OSError.
        """
        self.flows = Flows(scenario, only(flow), step_s, task, settings)
        self.observation_space = self.flows.task.observation_space
        self.action_space = self.flows.task.action_space

    @property
    def signals(self) -> Signals:
        """The signals of the last step, as an array of one of `SIGNALS`."""
        return self.flows.signals

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode; the info holds its `case`."""
        super().reset(seed=seed)
        case = self.flows.begin(0, self.np_random, options)
        return self.flows.task.observe(self.signals)[0], {"case": case}

    def step(self, action: NDArray[Any]) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Simulate a step. The action applies from the next acknowledgement on."""
        flows = self.flows
        flows.step(np.asarray(action)[None], np.ones(1, np.bool_))
        terminated = bool(flows.terminated()[0])
        truncated = not terminated and bool(flows.truncated()[0])
        reward = float(flows.task.reward(flows.signals)[0])
        return flows.task.observe(flows.signals)[0], reward, terminated, truncated, {}


class FlowVectorEnvironment(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """Several flows, each in its own simulation, stepped in parallel on threads.

    Each flow behaves as a `FlowEnvironment`, whatever the number of threads: `reset(seed=n)`
    gives flow i the seed n + i, and a list gives each its own. A flow that has ended begins
    a new episode at the next step, which ignores its action and gives no reward.
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
        """Read the scenario for `num_envs` flows; `threads` defaults to the number of processors.

        Raises ScenarioError, or OSError.
        """
        threads = threads or os.cpu_count() or 1
        self.flows = Flows(scenario, only(flow), step_s, task, settings, num_envs, threads)
        self.num_envs = num_envs
        self.single_observation_space = self.flows.task.observation_space
        self.single_action_space = self.flows.task.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.generators = [np.random.default_rng() for _ in range(num_envs)]
        self.ended = np.zeros(num_envs, np.bool_)

    @property
    def signals(self) -> Signals:
        """The signals of the last step, as an array of `SIGNALS`."""
        return self.flows.signals

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode in each; the info holds their `case`."""
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
        """Simulate a step of each on threads, with the interpreter lock released."""
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
