"""Folders of results: written as a whole or not at all, never over other files."""

from __future__ import annotations

import errno
import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MANIFEST = "manifest.json"
VERSION_KEY = "windtunnel"
"""The key under which a manifest holds the version that wrote the folder."""


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a folder, with the version under `VERSION_KEY`."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a folder. Raises OSError, or ValueError if it is not Windtunnel's."""
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or VERSION_KEY not in manifest:
        raise ValueError(f"{folder / MANIFEST}: not written by Windtunnel")
    return manifest


def check_replaceable(folder: Path) -> None:
    """Check that a folder can be written or replaced, before any work is done for it.

    Raises OSError without permission, if the folder holds files that Windtunnel did not
    write, or if it contains the working directory.
    """
    folder = folder.resolve()
    if Path.cwd().is_relative_to(folder):
        raise OSError(errno.EBUSY, "cannot replace the working directory", str(folder))
    if folder.exists() and any(folder.iterdir()):
        try:
            read_manifest(folder)
        except (OSError, ValueError):
            what = "does not hold results; choose another folder"
            raise FileExistsError(errno.EEXIST, what, str(folder)) from None
    above = next(it for it in folder.parents if it.exists())
    try:
        Path(tempfile.mkdtemp(dir=above)).rmdir()
    except OSError as error:
        error.filename = str(folder)
        raise


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """Give an empty folder to write into, which becomes `folder` at the end.

    Earlier results in `folder` are replaced. After an exception nothing has changed.
    Raises OSError as `check_replaceable` does, or if the disk is full.
    """
    folder = folder.resolve()
    check_replaceable(folder)
    # On the same file system, so that the last step is a rename.
    with beside(folder) as written:
        yield written
        replace(folder, written)


@contextmanager
def beside(folder: Path) -> Iterator[Path]:
    """Give a temporary folder on the file system of `folder`, which errors name instead."""
    folder = folder.resolve()
    is_new = not folder.parent.exists()
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        made.chmod(0o755)
        yield made
    except OSError as error:
        if error.strerror:
            error.filename = str(folder)
        raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if is_new:
            # Unless something stays in it.
            with suppress(OSError):
                folder.parent.rmdir()


def write_table(table: pl.DataFrame, file: Path) -> None:
    """Write a table as Parquet. Encoded in memory: errors of Polars' own writer are vague."""
    encoded = io.BytesIO()
    table.write_parquet(encoded)
    file.write_bytes(encoded.getbuffer())


def replace(old: Path, new: Path) -> None:
    """Rename the folder `new` to `old`; an existing `old` is removed only after that."""
    if not old.exists():
        new.rename(old)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{old.name}-", dir=old.parent))
    # A folder may be renamed onto an empty one.
    old.rename(aside)
    try:
        new.rename(old)
    except BaseException:
        aside.rename(old)
        raise
    shutil.rmtree(aside)
