"""The command line."""

from windtunnel.cli.commands import main

__all__ = ["main"]
