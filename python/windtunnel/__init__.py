"""Windtunnel: a laboratory for transport protocols."""

from windtunnel._core import ScenarioError, __version__
from windtunnel.results import Results
from windtunnel.running import run

__all__ = ["Results", "ScenarioError", "__version__", "run"]
