"""Gymnasium environments: an agent controls a flow, or chooses the bitrates of a video.

    flow = gymnasium.make(
        "windtunnel.environments:windtunnel/Flow-v0", scenario="scenarios/learning.toml"
    )
    video = gymnasium.make(
        "windtunnel.environments:windtunnel/Video-v0", scenario="scenarios/video.toml"
    )

This requires `pip install windtunnel[gym]`.
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
