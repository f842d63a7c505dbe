"""How long this machine paused: a shared machine may take its processors away.

A packet that should leave during such a pause leaves after it, together with all
that arrived since; a long pause is an event on the network that no scenario contains.
"""

from __future__ import annotations

import os
import threading
from time import monotonic, sleep

TICK = 0.002


class Watch:
    """Notes, on each processor, how late a sleeping thread wakes; a context manager."""

    def __init__(self) -> None:
        """Prepare a thread for each processor."""
        self._over = threading.Event()
        self._longest = dict.fromkeys(sorted(os.sched_getaffinity(0)), 0.0)
        self._threads = [
            threading.Thread(target=self._watch, args=(processor,)) for processor in self._longest
        ]

    def __enter__(self) -> Watch:
        """Start to watch."""
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def longest_pause_ms(self) -> float:
        """Give the longest pause of any processor until now."""
        return round(max(self._longest.values()) * 1e3, 1)

    def _watch(self, processor: int) -> None:
        os.sched_setaffinity(0, {processor})
        while not self._over.is_set():
            before = monotonic()
            sleep(TICK)
            late = monotonic() - before - TICK
            self._longest[processor] = max(self._longest[processor], late)
