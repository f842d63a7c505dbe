"""What is written in Python beside the core: classes that scenarios name.

`crates/scenario/src/extensions.rs` finds their names in files; `crates/python/src` has an adapter
for each kind.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterable, Mapping
from typing import get_args

from windtunnel.bitrate_rules import BitrateRule
from windtunnel.controllers import Controller
from windtunnel.paging_policies import PagingPolicy
from windtunnel.path_policies import PathPolicy
from windtunnel.results import Results
from windtunnel.schedulers import Scheduler

AnyExtension = Controller | Scheduler | BitrateRule | PathPolicy | PagingPolicy

Extensions = Mapping[
    str,
    type[Controller] | type[Scheduler] | type[BitrateRule] | type[PathPolicy] | type[PagingPolicy],
]
"""Classes by their names in scenarios; what each is follows from its base class."""


class UnknownExtension(ValueError):
    """A file of Python has no such class, or cannot be loaded; the message says why."""


def load(named: Iterable[str]) -> dict[str, type]:
    """Load classes, each written as `FILE:CLASS`; scenarios name `EarliestFirst` `earliest-first`.

    Raises UnknownExtension.
    """
    return dict(map(loaded, named))


def loaded(written: str) -> tuple[str, type]:
    """Load one class, and give its name in scenarios. Raises UnknownExtension."""
    file, _, name = written.rpartition(":")
    if not file:
        raise UnknownExtension(f"`{written}` has no class; write FILE:CLASS, such as mine.py:Mine")
    try:
        found = runpy.run_path(file).get(name)
    except Exception as error:
        reason = (
            error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        )
        raise UnknownExtension(f"{file}: {reason}") from error
    if not isinstance(found, type) or not issubclass(found, get_args(AnyExtension)):
        bases = ", ".join(f"windtunnel.{base.__name__}" for base in get_args(AnyExtension))
        raise UnknownExtension(f"{file}: `{name}` is no class derived from one of {bases}")
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower(), found


class ExtensionError(RuntimeError):
    """Something written in Python failed, which ended its run.

    The message names it, the method and the reason; `results` holds the other runs.
    """

    def __init__(self, message: str, results: Results) -> None:
        """Set the message and the results of the other runs."""
        super().__init__(message)
        self.results = results
