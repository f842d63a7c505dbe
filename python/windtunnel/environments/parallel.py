"""Several flows of the same run as an environment: each has an agent, and they compete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from windtunnel.environments.episodes import OPTIONS
from windtunnel.environments.flows import STEP_S, Flows, Signals, Task

Observations = dict[str, NDArray[Any]]
Infos = dict[str, dict[str, Any]]


class ParallelFlowEnvironment(ParallelEnv[str, NDArray[Any], NDArray[Any]]):  # type: ignore[misc]
    """An environment in which agents control flows of the same run of a scenario.

    It has PettingZoo's parallel interface. An agent has the name of its flow, and observes, acts
    and is rewarded as in a `FlowEnvironment`. An episode is a run of one case of the scenario from
    the start of the first of these flows on; it is truncated for all at the scenario's end and
    terminates for an agent when its flow's file is received. `reset(seed=...)` seeds the random
    numbers of this episode and of those that follow.

    Options of `reset`: `case` and `own`, as of `FlowEnvironment`; others are ignored.
    """

    metadata: dict[str, Any] = {"name": "windtunnel_flows_v0", "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        scenario: Path | str,
        *,
        flows: Sequence[str] | None = None,
        step_s: float = STEP_S,
        task: Task | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        """Read the scenario, with `settings` that replace values by their paths.

        Agents control the TCP flows and NDN consumers of those names (default: all). Raises
        ScenarioError, or OSError.
        """
        self.flows = Flows(scenario, flows, step_s, task, settings, all_flows=True)
        self.possible_agents = self.flows.names
        self.agents: list[str] = []
        self.np_random, _ = seeding.np_random()
        # Each agent's own, so that seeding one agent's samples leaves those of the others.
        own = self.flows.task
        self.observation_spaces = {it: copied(own.observation_space) for it in self.possible_agents}
        self.action_spaces = {it: copied(own.action_space) for it in self.possible_agents}

    @property
    def signals(self) -> Signals:
        """The signals of the last step: an array of `SIGNALS`, in the order of the agents."""
        return self.flows.signals

    def observation_space(self, agent: str) -> Box:
        """Give the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Box:
        """Give the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Begin an episode; the info of each agent holds its `case`."""
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        known = {name: value for name, value in (options or {}).items() if name in OPTIONS}
        case = self.flows.begin(0, self.np_random, known)
        self.agents = list(self.possible_agents)
        return self.observations(), {agent: {"case": case} for agent in self.agents}

    def step(
        self, actions: dict[str, NDArray[Any]]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Simulate a step. The actions apply from the next acknowledgements on.

        Raises ValueError without an action of each agent that takes part.
        """
        flows, agents = self.flows, self.agents
        flows.step(self.rows_of(actions), np.array([it in agents for it in self.possible_agents]))
        terminated = self.of_agents(flows.terminated())
        truncated = self.of_agents(flows.truncated() & ~flows.terminated())
        rewards = self.of_agents(flows.task.reward(flows.signals))
        observations = self.observations()
        self.agents = [it for it in agents if not (terminated[it] or truncated[it])]
        return observations, rewards, terminated, truncated, {it: {} for it in agents}

    def rows_of(self, actions: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """Give the actions of all possible agents; those that do not take part have no effect."""
        if not self.agents:
            raise ValueError("there is no agent; call reset first")
        if set(actions) != set(self.agents):
            raise ValueError(f"actions are for {list(actions)}; they must be for {self.agents}")
        space = self.flows.task.action_space
        rows = np.zeros((len(self.possible_agents), *space.shape), space.dtype)
        for agent, action in actions.items():
            rows[self.possible_agents.index(agent)] = action
        return rows

    def observations(self) -> Observations:
        """Give what the agents observe."""
        return dict(self.rows(self.flows.task.observe(self.signals)))

    def of_agents(self, values: NDArray[Any]) -> dict[str, Any]:
        """Give each agent its value."""
        return {agent: value.item() for agent, value in self.rows(values)}

    def rows(self, values: NDArray[Any]) -> list[tuple[str, Any]]:
        """Pair each agent that takes part with its row."""
        pairs = zip(self.possible_agents, values, strict=True)
        return [(agent, row) for agent, row in pairs if agent in self.agents]


def copied(space: Box) -> Box:
    """Make a space of its own, whose samples are seeded apart."""
    return Box(space.low, space.high, space.shape, space.dtype)
