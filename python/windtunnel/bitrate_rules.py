"""Rules of adaptive streaming written in Python, for trying ideas.

A Python class knows what the rules in the core know and gives the same answers, and a
scenario names it in the same way::

    class Careful(windtunnel.BitrateRule):
        def choose(self, situation):
            return 0 if situation.buffer_s < 10.0 else len(self.ladder.bitrates_bps) - 1

    windtunnel.run("scenarios/video.toml", extensions={"careful": Careful})
"""

from __future__ import annotations

from windtunnel._core import Download, Ladder, Situation

__all__ = ["BitrateRule", "Download", "Ladder", "Situation"]


class BitrateRule:
    """The base class of rules that choose bitrates; each player has an instance.

    An exception, or a level that there is not, ends the run with a message.
    """

    ladder: Ladder
    """The levels of the video, and the sizes of its segments."""
    maximum_buffer_s: float
    """The media that the player's buffer holds, in seconds."""

    def __init__(self, ladder: Ladder, maximum_buffer_s: float) -> None:
        """Start for a player of that video."""
        self.ladder = ladder
        self.maximum_buffer_s = maximum_buffer_s

    def choose(self, situation: Situation) -> int | tuple[int, float]:
        """Choose the level of the next segment, from 0 for the lowest bitrate.

        A pair also says how long to wait before the request, in seconds.
        """
        raise NotImplementedError

    def on_download(self, download: Download) -> None:
        """A segment was received."""

    def on_full(self, seconds: float) -> None:
        """Nothing could be requested for so long, because the buffer was full."""
