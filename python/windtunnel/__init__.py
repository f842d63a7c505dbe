"""Windtunnel: a laboratory for transport protocols."""

from typing import TYPE_CHECKING, Any

from windtunnel._core import ScenarioError, __version__
from windtunnel.bitrate_rules import BitrateRule
from windtunnel.controllers import Controller
from windtunnel.extensions import ExtensionError
from windtunnel.paging_policies import PagingPolicy
from windtunnel.path_policies import PathPolicy
from windtunnel.plugins import Plugin
from windtunnel.results import Results, ResultsError
from windtunnel.running import run
from windtunnel.scenario.scenario import Scenario
from windtunnel.schedulers import Scheduler
from windtunnel.stacks.stack import Stack
from windtunnel.studies.errors import StudyError

if TYPE_CHECKING:
    from windtunnel.studies.study import study

__all__ = [
    "BitrateRule",
    "Controller",
    "ExtensionError",
    "PagingPolicy",
    "PathPolicy",
    "Plugin",
    "Results",
    "ResultsError",
    "Scenario",
    "ScenarioError",
    "Scheduler",
    "Stack",
    "StudyError",
    "__version__",
    "run",
    "study",
]


def __dir__() -> list[str]:
    """Name what there is to use, and not what this module imports."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import `study` once it is used: Pydantic takes longer to load than most commands take."""
    if name == "study":
        from windtunnel.studies.study import study

        return study
    raise AttributeError(f"module `windtunnel` has no attribute `{name}`")
