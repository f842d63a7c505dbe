"""Train a small policy to drive a flow, and compare it with controllers that people wrote.

    .venv/bin/python scenarios/learning.py

The policy is linear: an action is a weighted sum of the observation, and a constant. The
cross-entropy method finds the weights: of many drawn at random, the best tell where to
draw next. All of them fly at once, each in a simulation of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from windtunnel.environments import FlowVectorEnvironment

SCENARIO = Path(__file__).with_name("learning.toml")
STEP_S = 0.04
CANDIDATES = 32
BEST = 6
GENERATIONS = 10
CONTROLLERS = ("cubic", "bbr1", "bbr3", "vegas", "copa")

Weights = NDArray[np.float64]


def play(environments: FlowVectorEnvironment, weights: Weights, case: str, own: bool) -> Weights:
    """Let each policy, a row of weights, drive through a case; give its mean reward a step."""
    options = {"case": case, "own": own}
    observations, _ = environments.reset(seed=[1] * environments.num_envs, options=options)
    total, steps = np.zeros(len(weights)), 0
    while True:
        actions = np.sum(observations * weights[:, :-1], axis=1) + weights[:, -1]
        observations, rewards, _, truncated, _ = environments.step(actions[:, None])
        total, steps = total + rewards, steps + 1
        if truncated.all():
            return total / steps


def scores(environments: FlowVectorEnvironment, weights: Weights, own: bool = False) -> Weights:
    """Give each policy's mean reward for each case: an array of (policies, cases)."""
    cases = environments.flows.cases
    return np.stack([play(environments, weights, case, own) for case in cases], axis=1)


def train(seed: int = 0, generations: int = GENERATIONS) -> Weights:
    """Give the mean of the best weights after so many generations."""
    random = np.random.default_rng(seed)
    environments = FlowVectorEnvironment(SCENARIO, CANDIDATES, step_s=STEP_S)
    size = environments.single_observation_space.shape[0] + 1
    mean, spread = np.zeros(size), np.full(size, 0.5)
    for generation in range(generations):
        weights = random.normal(mean, spread, (CANDIDATES, size))
        # No link counts for more because it is faster.
        score = np.log(np.maximum(scores(environments, weights), 1e-3)).mean(axis=1)
        best = weights[np.argsort(score)[-BEST:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.02
        print(f"generation {generation}: the best has {np.exp(score.max()):.2f}")
    return mean


def compare(
    weights: Weights, controllers: Sequence[str] = CONTROLLERS
) -> dict[str, dict[str, float]]:
    """Give the mean rewards of the policy, and of controllers: by name, then by case."""
    environments = FlowVectorEnvironment(SCENARIO, 1, step_s=STEP_S)
    cases = environments.flows.cases
    rewards = {"learned": scores(environments, weights[None])[0]}
    for name in controllers:
        settings = {"flows.download.controller": name}
        environments = FlowVectorEnvironment(SCENARIO, 1, step_s=STEP_S, settings=settings)
        rewards[name] = scores(environments, weights[None], own=True)[0]
    return {name: dict(zip(cases, it.tolist(), strict=True)) for name, it in rewards.items()}


if __name__ == "__main__":
    print("mean rewards, in Mbit/s while nothing queues:")
    for name, rewards in compare(train()).items():
        print(f"{name:>8}: " + ", ".join(f"{it:5.2f} {case}" for case, it in rewards.items()))
