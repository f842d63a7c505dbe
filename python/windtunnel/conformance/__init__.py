"""Conformance: whether a controller does what its specification says, case by case."""

from windtunnel.conformance.playing import Found, play
from windtunnel.conformance.suites import ConformanceError, Suite

__all__ = ["ConformanceError", "Found", "Suite", "play"]
