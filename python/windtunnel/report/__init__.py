"""Reports: pages that open offline, with pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from windtunnel.folders import EVALUATION, REPRODUCTION
from windtunnel.pictures.files import FigureFiles
from windtunnel.pictures.kinds import draw
from windtunnel.report import of_results
from windtunnel.results import Results
from windtunnel.studies.outcome import StudyResults, is_study

__all__ = ["draw", "write_report"]


def write_report(
    folder: Path | str,
    figures: bool = False,
    width: str | None = None,
    formats: Sequence[str] = (),
) -> Path:
    """Write the report of a folder of results, of a study, of a
    controller's evaluation, or of a paper's reproduction.

    It is `report.html`, one file that opens offline; with `figures` its pictures are also written
    under `figures/`, in `formats`: `svg`, `pdf` or `png` (default: SVG and PDF). With a `width`,
    such as `3.4in`, they are figures for a paper's column, with text of 8 points. A reproduction
    always has those of its own page, and also gets a report in the folder of each experiment;
    `reproduction.json` names the files of its figures. Returns the page. Raises ResultsError if
    the folder does not hold results, and for an invalid width or format, and OSError if the page
    cannot be written.
    """
    folder = Path(folder)
    wanted = FigureFiles.of(width, formats)
    files = wanted if figures or width or formats else None
    if (folder / REPRODUCTION).exists():
        # Imported here: these take longer to load than a page of results takes.
        from windtunnel.report import of_reproduction

        return of_reproduction.write(folder, files)
    if (folder / EVALUATION).exists():
        from windtunnel.report import of_evaluation

        return of_evaluation.write(folder, files)
    if is_study(folder):
        from windtunnel.report import of_study

        return of_study.write(folder, StudyResults.load(folder), files)
    return of_results.write(folder, Results.load(folder), figures=files)
