"""Policies of paging written in Python, for trying ideas.

A Python class sees where the pages of a session are, says which of them move beside those that
are accessed, and a scenario names it as it does the policies in the core::

    class Neighbours(windtunnel.PagingPolicy):
        def on_fault(self, view, page):
            return [page + 1] if page + 1 < view.entries else []

    windtunnel.run("trail.toml", extensions={"neighbours": Neighbours})

Sizes are in bytes; pages and stages count from 0.
"""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel._core import Page, PagingView

__all__ = ["Page", "PagingPolicy", "PagingView"]


class PagingPolicy:
    """The base class of policies; each session has an instance.

    A page that is accessed elsewhere than it is moves, as on demand. An exception, or a page that
    the page table does not have, ends the run with a message. Pages that do not exist, are on
    their way or are there already do not move.
    """

    def on_fault(self, view: PagingView, page: int) -> Sequence[int]:
        """Choose the pages that are fetched with one that is accessed and is elsewhere."""
        return []

    def on_handover(self, view: PagingView) -> Sequence[int]:
        """Choose the pages that a handover moves to the next node."""
        return []
