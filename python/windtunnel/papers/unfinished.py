"""What of a reproduction has run, kept until all of it has: a kill loses one experiment at most."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from windtunnel import _core
from windtunnel.folders import VERSION_KEY
from windtunnel.results import Results, ResultsError
from windtunnel.running import description

IDENTITY = (VERSION_KEY, "seed", "runs", "scenario_sha256", "files_sha256", "extensions")
"""What of their descriptions is the same where results are the same."""


class Unfinished:
    """A folder with the results of each experiment that has run."""

    def __init__(self, folder: Path) -> None:
        """Use this folder; it need not exist."""
        self.folder = folder

    def holds_any(self) -> bool:
        """Say whether an experiment is kept there."""
        return self.folder.is_dir() and any(self.folder.iterdir())

    def taken(self, name: str, scenario: _core.Scenario) -> Results | None:
        """Give the results of an experiment, if all runs of just this scenario are there."""
        with suppress(ResultsError):
            results = Results.load(self.folder / name)
            stored, now = results.manifest, description(scenario)
            if not is_whole(results) or any(stored.get(it) != now[it] for it in IDENTITY):
                return None
            return results
        return None

    def keep(self, name: str, results: Results) -> None:
        """Keep the results of an experiment, if all its runs are there. Raises OSError."""
        if is_whole(results):
            results.save(self.folder / name)

    def remove(self) -> None:
        """Remove the folder, since what it holds is in the reproduction."""
        shutil.rmtree(self.folder, ignore_errors=True)


def is_whole(results: Results) -> bool:
    """Say whether all runs have finished."""
    return bool(results.tables) and not any(
        results.manifest[it] for it in ("unfinished", "faults", "failures", "interrupted")
    )
