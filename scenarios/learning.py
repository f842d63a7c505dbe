"""Train a small policy to drive a flow, and compare it with CUBIC.

    .venv/bin/python scenarios/learning.py

The policy is linear: an action is a weighted sum of the observation, and a constant. The
cross-entropy method finds the weights: of many drawn at random, the best tell where to
draw next. All of them fly at once, each in a simulation of its own.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from windtunnel.environments import FlowVectorEnvironment

SCENARIO = Path(__file__).with_name("learning.toml")
STEP_S = 0.04
CANDIDATES = 32
BEST = 6
GENERATIONS = 10

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


def compare(weights: Weights) -> dict[str, tuple[float, float]]:
    """Give, for each case, the mean reward of the policy and of CUBIC."""
    environments = FlowVectorEnvironment(SCENARIO, 1, step_s=STEP_S)
    learned = scores(environments, weights[None])[0]
    cubic = scores(environments, weights[None], own=True)[0]
    cases = environments.flows.cases
    return dict(zip(cases, zip(learned.tolist(), cubic.tolist(), strict=True), strict=True))


if __name__ == "__main__":
    for case, (learned, cubic) in compare(train()).items():
        print(f"{case}: {learned:.2f} learned, {cubic:.2f} CUBIC (Mbit/s while nothing queues)")
