"""Windtunnel: a laboratory for transport protocols."""

from windtunnel._core import ScenarioError, __version__
from windtunnel.results import Results, ResultsError
from windtunnel.running import run
from windtunnel.scenario import Scenario

__all__ = ["Results", "ResultsError", "Scenario", "ScenarioError", "__version__", "run"]
