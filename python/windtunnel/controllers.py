"""Controllers written in Python, for trying ideas.

A class of one's own has the signals and the answers of those in the core, and a scenario
names it as it names them::

    class Gentle(windtunnel.Controller):
        def on_acknowledgement(self, acknowledgement):
            left = self.slow_start(acknowledgement.acknowledged)
            self.grow(left / self.cwnd)

        def on_congestion(self, congestion):
            self.decrease(congestion.signal, 0.9 * self.cwnd)

    windtunnel.run("scenario.toml", controllers={"gentle": Gentle})

Windows and data are counted in segments, times in integer nanoseconds, rates in segments
per second.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar

from windtunnel._core import Acknowledgement, Congestion, Delivery, RadioReport, Start
from windtunnel.results import Results

__all__ = [
    "Acknowledgement",
    "Congestion",
    "Controller",
    "ControllerError",
    "Delivery",
    "RadioReport",
    "Start",
]


class ControllerError(RuntimeError):
    """A controller written in Python could not go on, which ended its run.

    The message says which controller, which method and why; `results` holds the runs
    that went on to their end.
    """

    def __init__(self, message: str, results: Results) -> None:
        """Take what is wrong, and what there is all the same."""
        super().__init__(message)
        self.results = results


class Controller:
    """The base of a congestion controller; each connection has one of its own.

    After every call the transport reads the answers: `cwnd`, `ssthresh` and
    `pacing_rate`. A window that is not finite, or below the lesser of `minimum_window`
    and `restart_window`, ends the run with a message, and so does any exception.

    The transport keeps a copy (`copy.deepcopy`) to take back a decrease that turns out to
    be spurious. For results that are the same whatever the threads, a controller keeps
    what it learns in itself, and not in its class.
    """

    needs: ClassVar[Sequence[str]] = ()
    """What it needs, as `windtunnel list controllers` names it: `pacing`, `delivery-rate`
    (its window then holds also while losses are repaired), `marks-counted`, ..."""

    cwnd: float
    """How much may be in flight, in segments."""
    ssthresh: float
    """The slow-start threshold, in segments."""
    pacing_rate: float | None
    """How fast to send, in segments per second; None leaves it to the transport."""
    minimum_window: float
    """No decrease leads below this, in segments."""
    restart_window: float
    """The window after a retransmission timeout, in segments."""

    def __init__(self, start: Start) -> None:
        """Begin with the initial window that the transport decided."""
        self.minimum_window = start.minimum_window
        self.restart_window = start.restart_window
        self.cwnd = max(start.initial_window, start.minimum_window)
        self.ssthresh = inf
        self.pacing_rate = None

    def on_acknowledgement(self, acknowledgement: Acknowledgement) -> None:
        """Take in an acknowledgement."""
        raise NotImplementedError

    def on_congestion(self, congestion: Congestion) -> None:
        """Take in a congestion signal, which the transport has decided counts."""
        raise NotImplementedError

    def on_recovered(self, now: int) -> None:
        """The loss that was signalled last is repaired, at `now` in nanoseconds."""

    def slow_start(self, acknowledged: float) -> float:
        """Grow by a segment for each one acknowledged, up to the threshold.

        Gives the acknowledged segments that are left for congestion avoidance.
        """
        if self.cwnd >= self.ssthresh:
            return acknowledged
        used = min(acknowledged, self.ssthresh - self.cwnd)
        self.grow(used)
        return acknowledged - used

    def grow(self, segments: float) -> None:
        """Add segments to the window, which stays above its floor."""
        floor = min(self.minimum_window, self.cwnd)
        self.cwnd = max(self.cwnd + segments, floor)

    def decrease(self, signal: str, kept: float) -> None:
        """Fall to the segments that are kept; after a timeout, start again."""
        self.ssthresh = max(kept, self.minimum_window)
        self.cwnd = self.restart_window if signal == "timeout" else self.ssthresh
