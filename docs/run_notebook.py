"""Runs docs/notebook.ipynb from top to bottom, and keeps what its cells show."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("notebook.ipynb")


def executed() -> nbformat.NotebookNode:
    """Give the notebook as a new kernel leaves it; the first error ends it."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    # Neither times nor versions: the same notebook is to be the same file.
    place = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(notebook, resources=place, record_timing=False).execute()
    notebook.metadata.language_info = {"name": "python"}
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)
