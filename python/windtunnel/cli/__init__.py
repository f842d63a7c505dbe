"""The command line."""

from windtunnel.cli.program import main

__all__ = ["main"]
