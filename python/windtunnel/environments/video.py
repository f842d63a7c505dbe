"""A player of adaptive video as an environment: an agent chooses the level of each segment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from windtunnel import _core
from windtunnel._core import Ladder
from windtunnel.environments.episodes import chosen
from windtunnel.scenario.scenario import Scenario

PAST = 8
"""How many downloads `observe` shows, as in Pensieve."""

STALL_PENALTY = 4.3
"""What a second of stalling costs, in Mbit/s (Pensieve, section 5.1)."""

MOST_SEEN = 100.0
"""The upper limit of the values that `observe` gives."""


@dataclass(frozen=True)
class Step:
    """What became of one segment; times are in seconds."""

    level: int
    """Its level, from 0."""
    size: int
    """Its size, in bytes."""
    latency_s: float
    """From its request to its first byte."""
    download_s: float
    """From its request to its last byte."""
    stalled_s: float
    """How long playing stalled for it."""


@dataclass
class VideoHistory:
    """An episode so far."""

    ladder: Ladder
    """The levels of the video, and the sizes of its segments."""
    steps: list[Step] = field(default_factory=list)
    """The segments that were received."""
    buffer_s: float = 0.0
    """The media in the buffer, in seconds."""
    waited_s: float = 0.0
    """How long nothing could be requested since the last segment, in seconds."""


def observe(history: VideoHistory) -> NDArray[np.float32]:
    """Give what Pensieve's agent sees (Mao et al., SIGCOMM 2017, section 4.2).

    They are: the last bitrate in Mbit/s; the buffer in tens of seconds; the throughputs of
    the last `PAST` downloads in Mbit/s and their times in tens of seconds, the latest last; the
    sizes of the next segment at each level in MB; and the share of segments that are left.

    Gives float32 of shape (3 + 2 * PAST + levels,), from 0 to `MOST_SEEN`.
    """
    ladder, steps = history.ladder, history.steps[-PAST:]
    bitrates = ladder.bitrates_bps
    received = len(history.steps)
    past = [0.0] * (PAST - len(steps))
    rates = past + [it.size * 8e-6 / it.download_s for it in steps]
    times = past + [it.download_s / 10.0 for it in steps]
    is_over = received == ladder.segments
    sizes = [0.0 if is_over else ladder.size(received, it) / 1e6 for it in range(len(bitrates))]
    last = bitrates[steps[-1].level] / 1e6 if steps else 0.0
    left = (ladder.segments - received) / ladder.segments
    seen = np.array([last, history.buffer_s / 10.0, *rates, *times, *sizes, left])
    bounded: NDArray[np.float32] = np.clip(seen, 0.0, MOST_SEEN).astype(np.float32)
    return bounded


def observation_space(ladder: Ladder) -> Box:
    """Give the space of what `observe` gives."""
    return Box(0.0, MOST_SEEN, (3 + 2 * PAST + len(ladder.bitrates_bps),), np.float32)


def experience(history: VideoHistory) -> float:
    """Reward the last segment by Pensieve's linear quality of experience, in Mbit/s.

    That is its bitrate, less `STALL_PENALTY` for each second of stalling, less the change of
    bitrate from the segment before (section 5.1).
    """
    bitrates = [history.ladder.bitrates_bps[it.level] / 1e6 for it in history.steps[-2:]]
    change = abs(bitrates[-1] - bitrates[0])
    return bitrates[-1] - STALL_PENALTY * history.steps[-1].stalled_s - change


@dataclass(frozen=True)
class VideoTask:
    """The observations and rewards of an agent that chooses levels."""

    observe: Callable[[VideoHistory], NDArray[Any]] = observe
    """From an episode so far to an observation."""
    observation_space: Callable[[Ladder], Box] = observation_space
    """From a video to the space of observations."""
    reward: Callable[[VideoHistory], float] = experience
    """From an episode so far to the reward of its last segment."""


class VideoEnvironment(gymnasium.Env[NDArray[Any], np.int64]):
    """An environment in which an agent chooses the level of each segment of a video.

    An episode is one run of one case of the scenario; a step is a segment: the agent is asked
    at the simulated time at which the player's rule would be. The episode terminates when all
    segments are received and is truncated at the scenario's end. `reset(seed=...)` seeds the
    random numbers of this episode and of those that follow.

    Options of `reset`: `case` names the case (default: a random one); `own` leaves the player
    to the scenario's rule, whatever the actions: the baseline, with the same observations and
    rewards.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        scenario: Path | str,
        *,
        flow: str | None = None,
        task: VideoTask | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        """Read the scenario, with `settings` that replace values by their paths.

        The agent drives the player of the flow of that name (default: the only one with an
        adaptive video). Raises ScenarioError, or OSError.
        """
        checked = Scenario.load(scenario, settings)
        self.task = task or VideoTask()
        self.cases = [", ".join(names) for names in checked.cases]
        self.core = _core.VideoEnvironment(checked, flow)
        ladder = self.core.ladder(0)
        self.history = VideoHistory(ladder)
        self.observation_space = self.task.observation_space(ladder)
        self.action_space = Discrete(len(ladder.bitrates_bps))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin an episode; the info holds its `case`."""
        super().reset(seed=seed)
        case, own = chosen(self.cases, self.np_random, options)
        self.history = VideoHistory(self.core.ladder(case))
        drawn = int(self.np_random.integers(2**63))
        self.take_in(self.core.reset(case, drawn, own))
        return self.task.observe(self.history), {"case": self.cases[case]}

    def step(self, action: np.int64) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Request the next segment at a level, and go on to the question after it.

        A segment that the scenario's end cut off gives no reward.
        """
        received = len(self.history.steps)
        finished = self.take_in(self.core.step(int(action)))
        came = len(self.history.steps) > received
        reward = self.task.reward(self.history) if came else 0.0
        truncated = not finished and self.core.is_over()
        return self.task.observe(self.history), reward, finished, truncated, {}

    def take_in(self, row: list[float]) -> bool:
        """Note what the player told; return whether all segments were received."""
        told = dict(zip(_core.VIDEO_SIGNALS, row, strict=True))
        history = self.history
        if told["segment"] > len(history.steps):
            history.steps.append(
                Step(
                    level=int(told["level"]),
                    size=int(told["bytes"]),
                    latency_s=told["latency_s"],
                    download_s=told["download_s"],
                    stalled_s=told["stalled_s"],
                )
            )
        history.buffer_s = told["buffer_s"]
        history.waited_s = told["waited_s"]
        return told["finished"] > 0.0
