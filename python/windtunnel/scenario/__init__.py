"""Scenarios: read from files, built and changed in Python."""

from windtunnel.scenario.scenario import Scenario

__all__ = ["Scenario"]
