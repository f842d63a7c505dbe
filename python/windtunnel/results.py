"""Results: tables of what was measured, and the folder that keeps them."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

SCENARIO = "scenario.toml"
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Results:
    """What came of a scenario.

    `tables` holds `runs`, `flows`, `links`, `nodes`, `flow_series` and
    `link_series`; each begins with a column for every axis of the scenario's
    comparison, and `run`, the replication's number. Units stand in the names of
    the columns. Without a finished run there are no tables.
    """

    scenario: str
    """The scenario's text as it was run."""
    axes: list[str]
    """The axes of its comparison."""
    tables: dict[str, pl.DataFrame]
    """The tables, by name."""
    manifest: dict[str, Any] = field(default_factory=dict)
    """Version, seed, hash of the scenario, machine, durations, and what is missing."""

    def __getitem__(self, name: str) -> pl.DataFrame:
        """Give a table by its name."""
        return self.tables[name]

    def save(self, folder: Path | str) -> Path:
        """Write a folder: scenario, manifest and a Parquet file for each table.

        The folder appears whole or not at all; one of the same name is replaced.
        Raises OSError where it cannot be written.
        """
        folder = Path(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        written = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
        try:
            written.chmod(0o755)
            (written / SCENARIO).write_text(self.scenario, encoding="utf-8")
            for name, table in self.tables.items():
                table.write_parquet(written / f"{name}.parquet")
            manifest = {"axes": self.axes, **self.manifest}
            text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
            (written / MANIFEST).write_text(text, encoding="utf-8")
            replace(written, folder)
        except BaseException:
            shutil.rmtree(written, ignore_errors=True)
            raise
        return folder

    @classmethod
    def load(cls, folder: Path | str) -> Results:
        """Read a folder that was saved. Raises OSError or ValueError if it is none."""
        folder = Path(folder)
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        tables = {path.stem: pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))}
        scenario = (folder / SCENARIO).read_text(encoding="utf-8")
        return cls(scenario, manifest.pop("axes"), tables, manifest)


def replace(new: Path, old: Path) -> None:
    """Put the folder `new` where `old` is; `old` is lost only once `new` is there."""
    if not old.exists():
        new.rename(old)
        return
    aside = old.with_name(f".{old.name}-replaced")
    shutil.rmtree(aside, ignore_errors=True)
    old.rename(aside)
    try:
        new.rename(old)
    except BaseException:
        aside.rename(old)
        raise
    shutil.rmtree(aside)
