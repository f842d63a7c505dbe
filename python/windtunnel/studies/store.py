"""The store: the tables of finished runs, as Parquet files that appear as a whole.

Each `STORE/chunks/NAME/TABLE.parquet` holds several runs; the first column, `key`,
identifies a run. A chunk is renamed into place, so that a run is in the store with all
its tables or not at all, even if the process is killed. Other tools can read them in
place: `SELECT * FROM 'results/store/chunks/*/runs.parquet'`.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.folders import named, write_table
from windtunnel.studies.errors import StudyError
from windtunnel.studies.measures import MEASURES

if TYPE_CHECKING:
    import polars as pl

FORMAT = 1
"""The format of stores that this version writes."""

RUNS = "runs"
TABLES = (RUNS, "flows", "transfers", "links", "nodes", "bridges", "tunnels")
"""The tables that are stored of each run; series are not."""

OF_FRAMES = ("seed", "key", "error", *MEASURES)
"""The columns of a study's frames beside its parameters."""

UNFINISHED = ".unfinished-"
"""The prefix of chunks that are still being written."""


class Store:
    """A folder of chunks."""

    def __init__(self, folder: Path | str) -> None:
        """Open a store, or prepare a new one.

        Raises StudyError if the folder does not hold a store, or a newer version wrote it.
        """
        self.folder = Path(folder)
        self.chunks = self.folder / "chunks"
        head = self.folder / "store.json"
        if head.exists():
            check_format(head)
        elif self.folder.is_dir() and any(self.folder.iterdir()):
            raise StudyError(f"{self.folder}: does not hold a store; choose another folder")

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Create the store if necessary, and lock it.

        Raises StudyError if another process holds the lock, and OSError if the store cannot
        be written.
        """
        self.chunks.mkdir(parents=True, exist_ok=True)
        head = self.folder / "store.json"
        if not head.exists():
            written = self.folder / f"{UNFINISHED}store.json"
            with named(self.folder):
                written.write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
            written.rename(head)
        with locked(self.folder):
            # Left by a process that was killed.
            for left in self.chunks.glob(f"{UNFINISHED}*"):
                shutil.rmtree(left, ignore_errors=True)
            yield

    def add(self, tables: Mapping[str, pl.DataFrame]) -> None:
        """Add runs, with all their tables. Raises OSError if they cannot be written."""
        chunk = self.chunks / name_of(tables[RUNS])
        written = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=self.chunks))
        try:
            written.chmod(0o755)
            with named(self.folder):
                for name, table in tables.items():
                    write_table(table, written / f"{name}.parquet")
            written.rename(chunk)
        except OSError:
            # A worker that was considered lost has stored the same runs.
            if not chunk.exists():
                raise
        finally:
            shutil.rmtree(written, ignore_errors=True)

    def outcomes(self, measure: str | None) -> dict[str, tuple[str | None, float | None]]:
        """Give the keys of all runs, each with its error if it failed, and a measure."""
        runs = self.table(RUNS, ["key", "error", *([measure] if measure else [])])
        if runs is None:
            return {}
        return {key: (error, *rest, None)[:2] for key, error, *rest in runs.rows()}

    def table(self, name: str, columns: Iterable[str] | None = None) -> pl.DataFrame | None:
        """Read a table of all runs; None if there is none. Raises StudyError."""
        import polars as pl

        frames = [
            read(file, list(columns) if columns else None)
            for file in sorted(self.chunks.glob(f"[!.]*/{name}.parquet"))
        ]
        if not frames:
            return None
        # A failed run that was retried is there twice: the second outcome is a success, or
        # the same failure.
        # Earlier versions had fewer columns.
        table = pl.concat(frames, how="diagonal_relaxed")
        if name == RUNS:
            table = table.sort("error", nulls_last=False, maintain_order=True)
            table = table.unique("key", keep="first", maintain_order=True)
        return table


def schema() -> dict[str, pl.DataType]:
    """Give the columns of the table `runs`."""
    import polars as pl

    return {
        "key": pl.String(),
        "stop": pl.String(),
        "duration_s": pl.Float64(),
        "events": pl.UInt64(),
        "packet_hops": pl.UInt64(),
        "error": pl.String(),
        **dict.fromkeys(MEASURES, pl.Float64()),
    }


def read(file: Path, columns: list[str] | None) -> pl.DataFrame:
    """Read a table of a chunk. Raises StudyError if it is damaged."""
    import polars as pl

    try:
        return pl.read_parquet(file, columns=columns)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise StudyError(
            f"{file}: cannot be read: {str(error).splitlines()[0]}\n"
            f"help: remove the folder {file.parent}; its runs will be repeated"
        ) from error


def name_of(runs: pl.DataFrame) -> str:
    """Name a chunk after its runs, so that the same runs are never stored twice."""
    rows = json.dumps(runs.select("key", "error").rows())
    return hashlib.sha256(rows.encode()).hexdigest()[:32]


def check_format(head: Path) -> None:
    """Refuse a store that this version cannot read."""
    try:
        found = json.loads(head.read_text(encoding="utf-8"))["format"]
    except (ValueError, KeyError, TypeError):
        raise StudyError(f"{head}: not the header of a store; choose another folder") from None
    if not isinstance(found, int) or found > FORMAT:
        raise StudyError(
            f"{head.parent}: written by a newer version of Windtunnel (format {found}, here "
            f"{FORMAT})\nhelp: use that version, or choose another folder with --store"
        )


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a store. Raises StudyError if another process holds the lock."""
    import fcntl

    with open(folder / "lock", "a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            who = lock.read().strip() or "another process"
            raise StudyError(
                f"{folder}: {who} is using this store\n"
                "help: wait for it, or choose another folder with --store"
            ) from None
        lock.truncate(0)
        with named(folder):
            lock.write(f"process {os.getpid()}")
            lock.flush()
        yield
        lock.truncate(0)
