"""Folders of results: written as a whole or not at all; files of others in them stay."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MANIFEST = "manifest.json"
VERSION_KEY = "windtunnel"
"""The key under which a manifest holds the version that wrote the folder."""
SCENARIO_FILE = "scenario_file"
STUDY_FILE = "study_file"
"""The keys of the file that results are made from; saved, its path is relative to the folder."""
PAPER = "paper"
"""The key of the name of the paper that results are made from."""
WRITTEN = "written"
"""The key of the names of the files that were written with the manifest."""
REPORT = "report"
"""The key of the names of the files of the report, which is written later."""
REPRODUCTION = "reproduction.json"
"""The file of a paper's reproduction."""
EVALUATION = "evaluation.json"
"""The file of a controller's evaluation."""
EVALUATED = "evaluated"
"""The key of the name of the controller whose evaluation results are."""
CSV_ROWS = 100_000
"""The rows of a CSV file that are written at once."""
REPLACING = "replacing"
"""The key that says that files are being replaced: those of two results may be there."""


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a folder, with the version under `VERSION_KEY`."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def stored_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a folder with the names of its files. Raises as `read_manifest`."""
    if not folder.is_dir():
        raise ValueError("it is a file" if folder.exists() else "there is no such folder")
    if not (folder / MANIFEST).exists():
        raise ValueError(f"it has no {MANIFEST}")
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or VERSION_KEY not in manifest:
        raise ValueError(f"{folder / MANIFEST}: not written by Windtunnel")
    return manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a folder.

    Raises OSError, or ValueError if it is not Windtunnel's, or if the process was killed
    while it replaced the files of the folder.
    """
    manifest = stored_manifest(folder)
    if REPLACING in manifest:
        raise ValueError("its files were being replaced when the process was killed; run it again")
    return {key: value for key, value in manifest.items() if key not in (WRITTEN, REPORT)}


def check_replaceable(folder: Path) -> dict[str, Any]:
    """Check that a folder can be written or replaced, before any work is done for it.

    Returns the manifest of what would be replaced, empty if there is nothing. Raises OSError
    without permission, if the folder holds files but no results, or if it contains the
    working directory.
    """
    folder = folder.resolve()
    if Path.cwd().is_relative_to(folder):
        raise OSError(errno.EBUSY, "cannot replace the working directory", str(folder))
    manifest: dict[str, Any] = {}
    if folder.exists() and any(folder.iterdir()):
        try:
            manifest = stored_manifest(folder)
        except (OSError, ValueError):
            what = "does not hold results; choose another folder"
            raise FileExistsError(errno.EEXIST, what, str(folder)) from None
        if WRITTEN not in manifest:
            what = "its manifest does not name its files; remove the folder or choose another"
            raise FileExistsError(errno.EEXIST, what, str(folder))
    above = next(it for it in folder.parents if it.exists())
    for place in filter(Path.exists, (above, folder)):
        try:
            Path(tempfile.mkdtemp(dir=place)).rmdir()
        except OSError as error:
            error.filename = str(folder)
            raise
    return manifest


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """Give an empty folder to write into, which becomes `folder` at the end.

    A manifest must be written into it; the names of all files are added to that. The files
    of earlier results in `folder` are replaced; other files in it stay, and one that has the
    name of a new file is renamed: `~` is added. After an exception nothing has changed.
    Raises OSError as `check_replaceable` does, or if the disk is full.
    """
    folder = folder.resolve()
    check_replaceable(folder)
    # On the same file system, so that files can be renamed into their places.
    with beside(folder) as written:
        yield written
        manifest = {**stored_manifest(written), WRITTEN: files_in(written)}
        write_manifest(written, manifest)
        if not folder.exists():
            written.rename(folder)
            return
        old = own_files(folder, WRITTEN, REPORT)
        both = ordered([*old, *manifest[WRITTEN]])
        exchange(folder, old, written, {**manifest, WRITTEN: both, REPLACING: True})


def put_report(folder: Path, new: Path) -> None:
    """Move the files of a report from `new` into its folder, and remove those of an earlier one.

    `new` must be on the same file system. Other files stay, as with `written_whole`. After an
    exception nothing has changed. Raises OSError.
    """
    folder = folder.resolve()
    manifest = stored_manifest(folder) if (folder / MANIFEST).exists() else {}
    old, names = own_files(folder, REPORT), files_in(new)
    if manifest:
        write_manifest(new, {**manifest, REPORT: names})
    exchange(folder, old, new, {**manifest, REPORT: ordered([*old, *names])})


def files_in(folder: Path) -> list[str]:
    """Name all files in a folder but its manifest, in the order of `ordered`."""
    files = (it.relative_to(folder).as_posix() for it in folder.rglob("*") if not it.is_dir())
    return ordered(it for it in files if it != MANIFEST)


def ordered(names: Iterable[str]) -> list[str]:
    """Sort the names of files; those of the top level, such as a report's page, come last."""
    return sorted(set(names), key=lambda it: ("/" not in it, it))


def own_files(folder: Path, *keys: str) -> list[str]:
    """Name the files in a folder that its manifest names under these keys, without itself.

    With the manifest of a folder in it, the files that one names are included. What is not a
    file in the folder, also through a link, is left out: a manifest may have been changed.
    """
    try:
        manifest = stored_manifest(folder)
    except (OSError, ValueError):
        return []
    folder = folder.resolve()
    found = []
    for name in (name for key in keys for name in listed(manifest, key)):
        file = inside(folder, name)
        if not file or file == folder / MANIFEST or not os.path.isfile(file):
            continue
        if file.resolve() != file:
            continue
        found.append(file)
        if file.name == MANIFEST:
            found += [file.parent / it for it in own_files(file.parent, WRITTEN, REPORT)]
    return ordered(it.relative_to(folder).as_posix() for it in found)


def missing_files(folder: Path) -> list[str]:
    """Name the files of results that their manifest names and that are not in the folder."""
    try:
        names = listed(stored_manifest(folder), WRITTEN)
    except (OSError, ValueError):
        return []
    files = ((name, inside(folder, name)) for name in names)
    return [name for name, file in files if file and not file.exists()]


def listed(manifest: dict[str, Any], key: str) -> list[str]:
    """Give the names under a key of a manifest."""
    names = manifest.get(key)
    return [it for it in names if isinstance(it, str)] if isinstance(names, list) else []


def relative(file: Path | str, folder: Path) -> str:
    """Give the path of a file from a folder; it holds as long as both move together."""
    return os.path.relpath(Path(file).resolve(), folder.resolve())


def inside(folder: Path, name: str) -> Path | None:
    """Return the path of a file in the folder; None if it would be outside."""
    parts = Path(name).parts
    return None if Path(name).is_absolute() or ".." in parts else folder / name


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
        else:
            # The core's own errors have the path in their words.
            words = str(error).replace(str(made), str(folder)).split(" (os error")[0]
            error.args = (words,)
        raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if is_new:
            # Unless something stays in it.
            with suppress(OSError):
                folder.parent.rmdir()


@contextmanager
def named(path: Path | str) -> Iterator[None]:
    """Let errors name a path where the operating system does not, as when a disk is full."""
    try:
        yield
    except OSError as error:
        if error.strerror and error.filename is None:
            error.filename = str(path)
        raise


def write_table(table: pl.DataFrame, file: Path) -> None:
    """Write a table as Parquet. Encoded in memory: errors of Polars' own writer are vague."""
    encoded = io.BytesIO()
    table.write_parquet(encoded)
    file.write_bytes(encoded.getbuffer())


def write_csv(table: pl.DataFrame, file: Path) -> None:
    """Write a table as CSV, with the names of the columns first. Raises OSError."""
    with file.open("wb") as written:
        written.write(table.clear().write_csv().encode())
        # In parts: as one text, the series of a long run take gigabytes.
        for part in table.iter_slices(CSV_ROWS):
            written.write(part.write_csv(include_header=False).encode())


def exchange(folder: Path, old: list[str], new: Path, interim: dict[str, Any]) -> None:
    """Move all files of `new`, its manifest last, to where the files `old` of the folder were.

    Meanwhile the manifest is `interim`. After an exception nothing has changed. The rest of
    `new` is left to its owner.
    """
    names = files_in(new)
    prepared = new / ".exchange"
    prepared.mkdir()
    write_manifest(prepared, interim)
    manifest, kept = folder / MANIFEST, prepared / "kept"
    if manifest.exists():
        shutil.copy2(manifest, kept)
    aside = Path(tempfile.mkdtemp(prefix=f"{new.name}-", dir=new.parent))
    moves: list[tuple[Path, Path]] = []

    def move(file: Path, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        # Noted first: an interruption may come between the two.
        moves.append((file, place))
        file.rename(place)

    try:
        if (new / MANIFEST).exists():
            (prepared / MANIFEST).replace(manifest)
        for name in reversed(old):
            move(folder / name, aside / name)
        for name in names:
            if there := in_the_way(folder, name):
                move(there, unused(there))
            move(new / name, folder / name)
        if (new / MANIFEST).exists():
            (new / MANIFEST).replace(manifest)
    except BaseException:
        for file, place in reversed(moves):
            if os.path.lexists(place):
                place.rename(file)
        if kept.exists():
            kept.replace(manifest)
        else:
            manifest.unlink(missing_ok=True)
        remove_empty(folder, names)
        shutil.rmtree(aside)
        raise
    remove_empty(folder, old)
    shutil.rmtree(aside)


def in_the_way(folder: Path, name: str) -> Path | None:
    """Find what has the place of a file in a folder, or of a folder above it."""
    path = folder
    *above, _ = parts = Path(name).parts
    for depth, part in enumerate(parts):
        path /= part
        is_folder = path.is_dir() and not path.is_symlink()
        if os.path.lexists(path) and not (is_folder and depth < len(above)):
            return path
    return None


def unused(path: Path) -> Path:
    """Add `~` to a name until no file has it."""
    while os.path.lexists(path):
        path = path.with_name(f"{path.name}~")
    return path


def remove_empty(folder: Path, names: Iterable[str]) -> None:
    """Remove the folders in a folder that these files were in, unless they hold others."""
    parents = {it for name in names for it in Path(name).parents if it.parts}
    for parent in sorted(parents, key=lambda it: -len(it.parts)):
        with suppress(OSError):
            (folder / parent).rmdir()
