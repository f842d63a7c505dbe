"""What the core has on Linux only."""

from __future__ import annotations

import platform
from typing import Any

from windtunnel import _core
from windtunnel.cli.output import INVALID_INPUT, fail


def of_linux(name: str, what: str) -> Any:
    """Get a part of the core by its name, or end the command: what it is for needs Linux."""
    if not hasattr(_core, name):
        fail(f"{what} needs Linux; this is {platform.system()}", INVALID_INPUT)
    return getattr(_core, name)
