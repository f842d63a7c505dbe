"""Folders of results: written whole or not at all, and never over what is not ours."""

from __future__ import annotations

import errno
import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MANIFEST = "manifest.json"
VERSION_KEY = "windtunnel"
"""The key of every manifest that holds the version that wrote the folder."""


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write what a folder holds, with the version that wrote it under `VERSION_KEY`."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read what a folder holds. Raises OSError, or ValueError if it is not ours."""
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or VERSION_KEY not in manifest:
        raise ValueError(f"{folder / MANIFEST}: not written by Windtunnel")
    return manifest


def check_replaceable(folder: Path) -> None:
    """Refuse a folder that could not be written, before any work is done for it.

    Raises OSError where there is no permission, where something stands that
    Windtunnel did not write, or where the caller stands.
    """
    folder = folder.resolve()
    if Path.cwd().is_relative_to(folder):
        raise OSError(errno.EBUSY, "the folder you are in cannot be replaced", str(folder))
    if folder.exists() and any(folder.iterdir()):
        try:
            read_manifest(folder)
        except (OSError, ValueError):
            what = "holds something else than results; name another folder"
            raise FileExistsError(errno.EEXIST, what, str(folder)) from None
    above = next(it for it in folder.parents if it.exists())
    try:
        Path(tempfile.mkdtemp(dir=above)).rmdir()
    except OSError as error:
        error.filename = str(folder)
        raise


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """Give an empty folder to write into; at the end it stands as `folder`.

    Another folder of results there is replaced. After an exception nothing is
    left, and what was there before still is. Raises OSError as
    `check_replaceable` does, or where the disk is full.
    """
    folder = folder.resolve()
    check_replaceable(folder)
    try:
        # Beside its place, so that the last step is a rename within one file system.
        with beside(folder) as written:
            yield written
            replace(folder, written)
    except OSError as error:
        # The folder that was asked for, in place of one nobody knows.
        error.filename = str(folder)
        raise


@contextmanager
def beside(folder: Path) -> Iterator[Path]:
    """Give an empty folder on the file system of `folder`, which is gone at the end."""
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        made.chmod(0o755)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def write_table(table: pl.DataFrame, file: Path) -> None:
    """Write a table as Parquet. By way of memory: Polars' own writing hides what went wrong."""
    encoded = io.BytesIO()
    table.write_parquet(encoded)
    file.write_bytes(encoded.getbuffer())


def replace(old: Path, new: Path) -> None:
    """Put the folder `new` where `old` may be; `old` is lost only once `new` is there."""
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
