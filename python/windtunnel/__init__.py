"""Windtunnel: a laboratory for transport protocols."""

from windtunnel._core import ScenarioError, __version__
from windtunnel.controllers import Controller, ControllerError
from windtunnel.results import Results, ResultsError
from windtunnel.running import run
from windtunnel.scenario.scenario import Scenario
from windtunnel.studies.errors import StudyError
from windtunnel.studies.study import study

__all__ = [
    "Controller",
    "ControllerError",
    "Results",
    "ResultsError",
    "Scenario",
    "ScenarioError",
    "StudyError",
    "__version__",
    "run",
    "study",
]
