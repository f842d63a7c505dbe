"""Path policies written in Python, for trying ideas.

A Python class sees what the policies in the core see and gives the same answers, and a
scenario names it in the same way::

    class Longest(windtunnel.PathPolicy):
        def select(self, view):
            return max(view.paths, key=lambda it: it.as_hops).place

    windtunnel.run("scenarios/pigou.toml", extensions={"longest": Longest})

Times are integer nanoseconds, rates bits per second.
"""

from __future__ import annotations

from typing import ClassVar

from windtunnel._core import Path, PathView

__all__ = ["Path", "PathPolicy", "PathView"]


class PathPolicy:
    """The base class of path policies; each flow has an instance, or each of its subflows.

    An exception, or a path that there is not, ends the run with a message.
    """

    probe_interval: ClassVar[int | None] = None
    """How often the paths are probed, in nanoseconds; None: never."""

    probes_only_current: ClassVar[bool] = False
    """Whether only the path in use is probed, and not all."""

    subflow: int
    """The place of its subflow, from 0; 0 for a flow without."""
    subflows: int
    """How many subflows the flow has; 1 for a flow without."""

    def __init__(self, subflow: int, subflows: int) -> None:
        """Start for a flow, or one of its subflows."""
        self.subflow = subflow
        self.subflows = subflows

    def select(self, view: PathView) -> int:
        """Choose the path of the next packet: its place among `view.paths`."""
        raise NotImplementedError

    def on_probe(self, now: int, path: int, rtt: int | None) -> None:
        """A probe of the path with that `id` returned after `rtt`; None: it was lost."""
