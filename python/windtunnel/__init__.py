"""Windtunnel: a laboratory for transport protocols."""

from windtunnel._core import ScenarioError, __version__
from windtunnel.results import Results
from windtunnel.running import run
from windtunnel.studies.errors import StudyError
from windtunnel.studies.study import study

__all__ = ["Results", "ScenarioError", "StudyError", "__version__", "run", "study"]
