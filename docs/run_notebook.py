"""Runs the manual's notebooks from top to bottom, and keeps what their cells show."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = sorted(Path(__file__).parent.glob("*.ipynb"))


def executed(file: Path) -> nbformat.NotebookNode:
    """Give a notebook as a new kernel leaves it; the first error ends it."""
    notebook = nbformat.read(file, as_version=4)
    # Neither times nor versions, nor what was printed at one time: the same notebook is to be the
    # same file.
    place = {"metadata": {"path": str(file.parent)}}
    client = NotebookClient(notebook, resources=place, record_timing=False, coalesce_streams=True)
    client.execute()
    notebook.metadata.language_info = {"name": "python"}
    return notebook


if __name__ == "__main__":
    for file in map(Path, sys.argv[1:]) if sys.argv[1:] else NOTEBOOKS:
        nbformat.write(executed(file.resolve()), file)
