"""Reports: pages that open offline, with pictures and tables."""

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

    It is `report.html`, one file that opens offline, with its pictures as SVG and PDF
    under `figures/`. A reproduction also gets a report in the folder of each experiment,
    and `reproduction.json` names the files of its figures. Returns the page. Raises
    ResultsError if the folder does not hold results, and OSError if it cannot be written.
    """
    folder = Path(folder)
    if (folder / REPRODUCTION).exists():
        return of_reproduction.write(folder)
    if is_study(folder):
        return of_study.write(folder, StudyResults.load(folder))
    return of_results.write(folder, Results.load(folder))
