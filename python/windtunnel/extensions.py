"""What is written beside the core: classes in Python and libraries that scenarios name.

`crates/scenario/src/reading/extensions.rs` finds their names in files; `crates/python/src` has an
adapter for each kind of class, and `crates/plugin` loads libraries. `fingerprints.py` says what
identifies them.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeGuard, get_args

from windtunnel.bitrate_rules import BitrateRule
from windtunnel.controllers import Controller
from windtunnel.fingerprints import fingerprint
from windtunnel.paging_policies import PagingPolicy
from windtunnel.path_policies import PathPolicy
from windtunnel.plugins import SUFFIXES, Plugin, written
from windtunnel.results import Results
from windtunnel.schedulers import Scheduler
from windtunnel.stacks.stack import Stack

AnyExtension = Controller | Scheduler | BitrateRule | PathPolicy | PagingPolicy | Stack

BASES: tuple[type, ...] = get_args(AnyExtension)
"""The classes that say what a class derived from one of them is."""

Extension = (
    type[Controller]
    | type[Scheduler]
    | type[BitrateRule]
    | type[PathPolicy]
    | type[PagingPolicy]
    | type[Stack]
    | Plugin
)

Extensions = Mapping[str, Extension]
"""Classes and libraries by their names in scenarios; a class is what its base class is."""


class UnknownExtension(ValueError):
    """A file has no such class or controller, or cannot be loaded; the message says why."""


def load(named: Iterable[str]) -> dict[str, Extension]:
    """Load what is written as `FILE:CLASS`, or as `FILE` or `process:FILE` of a library.

    Scenarios name the class `EarliestFirst` `earliest-first`, and a library as it names itself.
    Raises UnknownExtension.
    """
    found: dict[str, Extension] = {}
    for text in named:
        name, extension = loaded(text)
        if name in found:
            raise UnknownExtension(f"{text}: there is another `{name}`")
        found[name] = extension
    return found


def loaded(text: str) -> tuple[str, Extension]:
    """Load a class or a library, and give its name in scenarios. Raises UnknownExtension."""
    if text.endswith(SUFFIXES):
        library = plugin(text)
        return library.name, library
    file, name = file_of(text), text.rpartition(":")[2]
    if file == Path():
        raise UnknownExtension(f"`{text}` has no class; write FILE:CLASS, such as mine.py:Mine")
    names = names_of(file)
    found = names.get(name)
    if not is_extension(found):
        bases = ", ".join(f"windtunnel.{base.__name__}" for base in BASES)
        others = [each for each, it in names.items() if is_extension(it) and it not in BASES]
        raise UnknownExtension(
            f"{file}: `{name}` is not a class derived from one of {bases}\n"
            f"help: the file has {', '.join(others) or 'none'}"
        )
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower(), found


def file_of(text: str) -> Path:
    """Give the file of `FILE:CLASS`, or of a library."""
    return written(text)[0] if text.endswith(SUFFIXES) else Path(text.rpartition(":")[0])


def plugin(text: str) -> Plugin:
    """Load a library. Raises UnknownExtension."""
    file, own_process = written(text)
    try:
        # A name without a folder would be searched for where the system has its libraries.
        return Plugin(file.absolute(), own_process=own_process)
    except (OSError, ValueError) as error:
        raise UnknownExtension(str(error)) from error


def names_of(file: Path) -> dict[str, Any]:
    """Run a file of Python, which may import modules beside it. Raises UnknownExtension."""
    beside = str(file.resolve().parent)
    if beside not in sys.path:
        sys.path.insert(0, beside)
    try:
        return runpy.run_path(str(file))
    except Exception as error:
        reason = (
            error.strerror if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        )
        raise UnknownExtension(f"{file}: {reason}") from error


def is_extension(found: Any) -> TypeGuard[type[Controller]]:
    """Say whether it is a class that scenarios can name."""
    return isinstance(found, type) and issubclass(found, BASES)


def described(extensions: Extensions) -> dict[str, dict[str, str]]:
    """Describe extensions, by their names in scenarios: what each is, and its fingerprint.

    Of a stack also the names of its controllers.
    """
    return {
        name: {"kind": kind_of(it), "sha256": fingerprint(it), **choices_of(it)}
        for name, it in extensions.items()
    }


def kind_of(extension: Extension) -> str:
    """Name the base class that says what a class is."""
    if isinstance(extension, Plugin):
        return (Controller if extension.controllers is None else Stack).__name__
    return next(it.__name__ for it in BASES if issubclass(extension, it))


def choices_of(extension: Extension) -> dict[str, str]:
    """Give what a scenario may choose of an extension."""
    if isinstance(extension, Plugin) or issubclass(extension, Stack):
        controllers = extension.controllers
        return {} if controllers is None else {"controllers": " ".join(controllers)}
    return {}


def in_words(extension: Extension) -> str:
    """Say what an extension is."""
    if isinstance(extension, Plugin):
        return extension.file.name
    return f"{extension.__qualname__}, in Python"


def stand_ins(described: Mapping[str, Mapping[str, str]]) -> Extensions:
    """Give a class for each that was described: enough to read a scenario with."""
    bases = {it.__name__: it for it in BASES}
    return {name: stand_in(bases[it["kind"]], it) for name, it in described.items()}


def stand_in(base: type[Any], described: Mapping[str, str]) -> type[Any]:
    """Give a base class, or of stacks one without a method that is missing."""
    if not issubclass(base, Stack):
        return base
    controllers = tuple(described["controllers"].split())
    made = type(base.__name__, (base,), {"controllers": controllers})
    made.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]
    return made


class ExtensionError(RuntimeError):
    """Something written in Python failed, which ended its run.

    The message names it, the method and the reason; `results` holds the other runs.
    """

    def __init__(self, message: str, results: Results) -> None:
        """Set the message and the results of the other runs."""
        super().__init__(message)
        self.results = results
