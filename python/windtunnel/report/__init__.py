"""Reports: pages that open offline, and pictures for screens, paper and publications."""

from __future__ import annotations

from pathlib import Path

from windtunnel.papers.reproduction import REPRODUCTION
from windtunnel.pictures.kinds import draw
from windtunnel.report import of_reproduction, of_results, of_study
from windtunnel.results import Results
from windtunnel.studies.outcome import StudyResults, is_study

__all__ = ["draw", "write_report"]


def write_report(folder: Path | str) -> Path:
    """Write the report of a folder of results, of a study, or of a paper's reproduction.

    It is `report.html`, one file that opens offline; its pictures stand beside
    it under `figures/` as SVG, PDF and PNG. A reproduction gets a report in the
    folder of each experiment too, and the files of its figures are named in
    `reproduction.json`. Returns the page. Raises ResultsError if the folder
    holds no results, and OSError where it cannot be written.
    """
    folder = Path(folder)
    if (folder / REPRODUCTION).exists():
        return of_reproduction.write(folder)
    if is_study(folder):
        return of_study.write(folder, StudyResults.load(folder))
    return of_results.write(folder, Results.load(folder))
