"""Controllers as commands name them: in the catalogue, of an extension, FILE:CLASS or a library."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from windtunnel import _core, extensions
from windtunnel.controllers import Controller
from windtunnel.extensions import Extension, Extensions
from windtunnel.plugins import Plugin


class UnknownController(ValueError):
    """There is no controller of that name, or it is none."""


@dataclass(frozen=True)
class NamedController:
    """A controller."""

    name: str
    """Its name in scenarios."""
    needs: tuple[str, ...]
    """What it requires of a transport, as in `windtunnel list controllers`."""
    own: dict[str, Extension]
    """The class or the library that it comes from, by its name; empty: it comes along."""


@cache
def built_in() -> dict[str, tuple[str, ...]]:
    """Give the needs of each controller that comes along, by its name."""
    return {it["name"]: tuple(it["needs"]) for it in json.loads(_core.catalogue("controllers"))}


def find(text: str, loaded: Extensions | None = None) -> NamedController:
    """Find a controller, also of extensions that are loaded.

    Raises UnknownController and UnknownExtension.
    """
    loaded = loaded or {}
    if text in loaded:
        return of_extension(text, text, loaded[text])
    if text in built_in():
        return NamedController(text, built_in()[text], {})
    if ":" not in text and not Path(text).suffix:
        help = _core.suggestion(text, [*loaded, *built_in()])
        raise UnknownController(
            f"unknown controller `{text}`\nhelp: {help}, or write FILE:CLASS for one of your own"
        )
    return of_extension(text, *extensions.loaded(text))


def of_extension(text: str, name: str, extension: Extension) -> NamedController:
    """Take one that is written outside. Raises UnknownController if it is something else."""
    if isinstance(extension, Plugin):
        is_controller = extension.controllers is None
    else:
        is_controller = issubclass(extension, Controller)
    if not is_controller:
        raise UnknownController(
            f"{text}: is not a controller\n"
            "help: name a class derived from windtunnel.Controller, or a library with a controller"
        )
    return NamedController(name, tuple(getattr(extension, "needs", ())), {name: extension})
