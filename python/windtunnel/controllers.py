"""Controllers written in Python, for trying ideas.

A Python class gets the same signals as the controllers in the core and gives the same
answers, and a scenario names it in the same way::

    class Gentle(windtunnel.Controller):
        def on_acknowledgement(self, acknowledgement):
            left = self.slow_start(acknowledgement.acknowledged)
            self.grow(left / self.cwnd)

        def on_congestion(self, congestion):
            self.decrease(congestion.signal, 0.9 * self.cwnd)

    windtunnel.run("scenario.toml", extensions={"gentle": Gentle})

Windows and data are counted in segments, times in integer nanoseconds, rates in segments
per second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from windtunnel._core import (
    Acknowledgement,
    Congestion,
    Delivery,
    RadioReport,
    Start,
    TransmissionStart,
)

__all__ = [
    "Acknowledgement",
    "Congestion",
    "Controller",
    "Delivery",
    "RadioReport",
    "Start",
    "TransmissionStart",
]


class Controller:
    """The base class of congestion controllers; each connection has an instance.

    After every call the transport reads the answers: `cwnd`, `ssthresh` and
    `pacing_rate`. A window that is not finite, or below the lesser of `minimum_window`
    and `restart_window`, ends the run with a message, and so does any exception. The
    transport sets `cwnd` and `ssthresh` itself when it lowers the window after idleness.

    The transport keeps a copy (`copy.deepcopy`) from before each decrease, in case that turns
    out to be spurious. For results that do not depend on the number of threads, a controller must
    keep its state in the instance, not in the class.
    """

    needs: ClassVar[Sequence[str]] = ()
    """What it requires, by the names in `windtunnel list controllers`: `pacing`,
    `delivery-rate` (its window then also applies during loss recovery), `marks-counted`, ..."""

    cwnd: float
    """The congestion window, in segments."""
    ssthresh: float
    """The slow-start threshold, in segments."""
    pacing_rate: float | None
    """The pacing rate, in segments per second; None: the transport decides."""
    minimum_window: float
    """The minimum after a decrease, in segments."""
    restart_window: float
    """The window after a retransmission timeout, in segments."""

    def __init__(self, start: Start) -> None:
        """Start with the initial window that the transport gives."""
        self.minimum_window = start.minimum_window
        self.restart_window = start.restart_window
        self.cwnd = max(start.initial_window, start.minimum_window)
        self.ssthresh = max(start.initial_ssthresh, start.minimum_window)
        self.pacing_rate = None

    def on_acknowledgement(self, acknowledgement: Acknowledgement) -> None:
        """Handle an acknowledgement."""
        raise NotImplementedError

    def on_congestion(self, congestion: Congestion) -> None:
        """Handle a congestion signal; the transport has filtered out those that do not count."""
        raise NotImplementedError

    def on_recovered(self, now: int) -> None:
        """Recovery from the last loss has ended, at `now` in nanoseconds."""

    def on_transmission_start(self, start: TransmissionStart) -> None:
        """Sending begins, or begins again: data is sent while none is in flight."""

    def on_spurious(self, before: Self) -> None:
        """Handle that the last decrease was spurious; `before` is the controller of then.

        By default window and threshold are again at least what they were.
        """
        self.cwnd = max(self.cwnd, before.cwnd)
        self.ssthresh = max(self.ssthresh, before.ssthresh)

    def slow_start(self, acknowledged: float) -> float:
        """Grow by a segment for each one acknowledged, up to the threshold.

        Returns the acknowledged segments that remain for congestion avoidance.
        """
        if self.cwnd >= self.ssthresh:
            return acknowledged
        used = min(acknowledged, self.ssthresh - self.cwnd)
        self.grow(used)
        return acknowledged - used

    def grow(self, segments: float) -> None:
        """Add segments to the window, which stays at its minimum or above."""
        minimum = min(self.minimum_window, self.cwnd)
        self.cwnd = max(self.cwnd + segments, minimum)

    def decrease(self, signal: str, kept: float) -> None:
        """Decrease the window to `kept` segments; after a timeout, to the restart window."""
        self.ssthresh = max(kept, self.minimum_window)
        self.cwnd = self.restart_window if signal == "timeout" else self.ssthresh
