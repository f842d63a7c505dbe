"""Environments: agents control flows, or choose the bitrates of a video.

    flow = gymnasium.make(
        "windtunnel.environments:windtunnel/Flow-v0", scenario="scenarios/learning.toml"
    )
    video = gymnasium.make(
        "windtunnel.environments:windtunnel/Video-v0", scenario="scenarios/video.toml"
    )

This requires `pip install windtunnel[gym]`. Several flows of one run have an agent each in
`windtunnel.environments.parallel.ParallelFlowEnvironment`, which requires
`pip install windtunnel[pettingzoo]`.
"""

import gymnasium

from windtunnel.environments.flows import (
    MOST_CWND,
    SIGNALS,
    FlowEnvironment,
    FlowVectorEnvironment,
    Signals,
    Task,
    multiply,
    observe,
    power,
)
from windtunnel.environments.video import VideoEnvironment, VideoHistory, VideoTask

__all__ = [
    "MOST_CWND",
    "SIGNALS",
    "FlowEnvironment",
    "FlowVectorEnvironment",
    "Signals",
    "Task",
    "VideoEnvironment",
    "VideoHistory",
    "VideoTask",
    "multiply",
    "observe",
    "power",
]

gymnasium.register(
    id="windtunnel/Flow-v0",
    entry_point="windtunnel.environments:FlowEnvironment",
    vector_entry_point="windtunnel.environments:FlowVectorEnvironment",
)
gymnasium.register(
    id="windtunnel/Video-v0",
    entry_point="windtunnel.environments:VideoEnvironment",
)
