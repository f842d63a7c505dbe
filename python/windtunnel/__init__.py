"""Windtunnel: a laboratory for transport protocols."""

from windtunnel._core import ScenarioError, __version__
from windtunnel.controllers import Controller, ControllerError
from windtunnel.results import Results
from windtunnel.running import run

__all__ = ["Controller", "ControllerError", "Results", "ScenarioError", "__version__", "run"]
