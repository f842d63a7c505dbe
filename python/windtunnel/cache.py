"""The folder for what can be made again."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Give it: that of `WINDTUNNEL_CACHE`, or one of the XDG Base Directory Specification."""
    if own := os.environ.get("WINDTUNNEL_CACHE"):
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "windtunnel"
