"""What is written in Python beside the core: classes that scenarios name."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.bitrate_rules import BitrateRule
from windtunnel.controllers import Controller
from windtunnel.paging_policies import PagingPolicy
from windtunnel.path_policies import PathPolicy
from windtunnel.results import Results
from windtunnel.schedulers import Scheduler

Extensions = Mapping[
    str,
    type[Controller] | type[Scheduler] | type[BitrateRule] | type[PathPolicy] | type[PagingPolicy],
]
"""Classes by their names in scenarios; what each is follows from its base class."""


class ExtensionError(RuntimeError):
    """Something written in Python failed, which ended its run.

    The message names it, the method and the reason; `results` holds the other runs.
    """

    def __init__(self, message: str, results: Results) -> None:
        """Set the message and the results of the other runs."""
        super().__init__(message)
        self.results = results
