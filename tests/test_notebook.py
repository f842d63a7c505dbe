"""The manual's notebooks: they run from top to bottom, and show what is kept in them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from conftest import SCENARIO

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs"))

from run_notebook import NOTEBOOKS, executed  # noqa: E402

MOST_BYTES = 500_000
"""More than a code host likes to show."""


def shown(cell: nbformat.NotebookNode) -> list[Any]:
    """Give what a cell shows; of pictures, whose letters differ by machine, only that they are."""
    outputs = []
    for output in cell.get("outputs", []):
        data = dict(output.get("data", {}))
        if "image/svg+xml" in data:
            assert data["image/svg+xml"].startswith("<svg")
            data["image/svg+xml"] = ""
        outputs.append((output["output_type"], output.get("text"), data))
    return outputs


named = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda it: it.stem)


@named
def test_a_notebook_runs_and_shows_what_is_kept_in_it(notebook: Path) -> None:
    kept = nbformat.read(notebook, as_version=4)
    now = executed(notebook)
    assert [cell.source for cell in now.cells] == [cell.source for cell in kept.cells]
    for cell, before in zip(now.cells, kept.cells, strict=True):
        assert shown(cell) == shown(before), f"run `make docs`: {cell.source}"
    assert notebook.stat().st_size < MOST_BYTES


@named
def test_a_notebook_is_what_a_new_kernel_leaves(notebook: Path) -> None:
    cells = [it for it in nbformat.read(notebook, as_version=4).cells if it.cell_type == "code"]
    assert [it.execution_count for it in cells] == list(range(1, len(cells) + 1))
    assert all(not it.metadata for it in cells)


class Watched(NotebookClient):
    """Runs a notebook and keeps what its cells showed on the way."""

    def __init__(self, notebook: nbformat.NotebookNode) -> None:
        """Take a notebook."""
        super().__init__(notebook)
        self.seen: list[str] = []

    def process_message(self, msg: dict[str, Any], *rest: Any) -> Any:
        """Keep what is shown as HTML."""
        self.seen.append(msg["content"].get("data", {}).get("text/html", ""))
        return super().process_message(msg, *rest)


RUN = """\
import windtunnel
scenario = windtunnel.Scenario.parse({text!r}).changed({{"duration": "100000 s"}})
results = windtunnel.run(scenario{options}, settings={{"real_time_limit": "1 s"}})
"""


@pytest.mark.parametrize(("options", "is_shown"), [("", True), (", progress=False", False)])
def test_progress_is_shown_in_a_notebook_unless_it_is_not_wanted(
    options: str, is_shown: bool
) -> None:
    cell = new_code_cell(RUN.format(text=SCENARIO, options=options))
    client = Watched(new_notebook(cells=[cell]))
    client.execute()
    told = [re.search(r"([\d.]+) of 400000 s, .* of 4 runs", it) for it in client.seen]
    simulated = [float(it[1]) for it in told if it]
    assert bool(simulated) is is_shown
    assert simulated == sorted(simulated)
    # Nothing is left of it.
    assert all(not "".join(it.data.values()) for it in cell.outputs)
