"""Schedulers of Multipath TCP written in Python, for trying ideas.

A Python class sees what the schedulers in the core see and gives the same answers, and a
scenario names it in the same way::

    class Widest(windtunnel.Scheduler):
        def choose(self, view):
            open_ones = [it for it in view.subflows if it.is_open]
            return max(open_ones, key=lambda it: it.free).place if open_ones else None

    windtunnel.run("scenarios/multipath.toml", extensions={"widest": Widest})

Windows are counted in segments, data in bytes, times in integer nanoseconds, rates in
segments per second.
"""

from __future__ import annotations

from typing import ClassVar

from windtunnel._core import SchedulerView, Subflow

__all__ = ["Scheduler", "SchedulerView", "Subflow"]


class Scheduler:
    """The base class of schedulers; each end of a connection has an instance.

    An exception, or a subflow that there is not, ends the run with a message. What a subflow
    does not take (it is not usable, or holds too much already) is not sent, as if the answer
    had been None.
    """

    wants_rates: ClassVar[bool] = False
    """Whether it looks at `rate`, `delivery_rate` and `bandwidth` of subflows, which are None
    otherwise."""

    repeats: ClassVar[bool] = False
    """Whether it gives data to a subflow again that another one has: it is then asked also
    while nothing new waits."""

    def choose(self, view: SchedulerView) -> int | tuple[int, int] | None:
        """Choose where the next segment goes: the place of a subflow, or None if it waits.

        It is asked for each segment, and again when one is acknowledged. With `repeats`, a
        place and the byte to begin with, from `view.unacknowledged` to `view.next`.
        """
        raise NotImplementedError

    def on_sent(self, subflow: int, start: int, end: int) -> None:
        """The bytes from `start` to before `end` were given to a subflow, whoever chose it."""

    def on_window_full(self, now: int) -> None:
        """The receiver's window is full because something is late on a slower subflow."""
