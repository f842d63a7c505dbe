"""What mixes do to messages that arrive at random, in closed form.

A mix that holds each message for an exponential time of its own is a queue with infinitely many
servers: of messages that arrive as a Poisson process, those that leave are one as well, and k mixes
in a row delay each by the sum of k exponential times, by Erlang's law.
"""

from __future__ import annotations

from math import factorial

import numpy as np


def erlang(delay_s: np.ndarray, mixes: int, mean_s: float) -> np.ndarray:
    """Give the probability of at most such a delay through mixes that each have the same mean."""
    scaled = np.maximum(delay_s, 0.0) / mean_s
    later: np.ndarray = sum(scaled**k / factorial(k) for k in range(mixes)) * np.exp(-scaled)
    return 1.0 - later


def distance(delays_s: np.ndarray, mixes: int, mean_s: float) -> float:
    """Give the greatest difference between measured delays and Erlang's law, as probabilities."""
    expected = erlang(np.sort(delays_s), mixes, mean_s)
    steps = np.arange(len(expected) + 1) / len(expected)
    return float(max((expected - steps[:-1]).max(), (steps[1:] - expected).max()))
