"""Fingerprints of classes written in Python: what identifies a class by what it does.

Classes of the same text can differ, such as those that a function makes with a value each. So
what is hashed is the code of a class and of its bases, with everything that it refers to: values,
functions, and modules that are not installed.
"""

from __future__ import annotations

import hashlib
import os
import site
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    ModuleType,
)
from typing import Any

from windtunnel.plugins import Plugin

Parts = tuple[str, tuple[Any, ...]]
"""A word for an object itself, and the objects that it consists of."""


def fingerprint(value: object) -> str:
    """Hash a class by what it does; what is installed, by its name alone.

    It is the same in every process of a version of Python. With a value that cannot be taken
    apart, such as an open file, it is another one each time: nothing counts as equal to it.
    """
    hashed = Hashed()
    try:
        hashed.add(value)
    except RecursionError:
        return unique()
    return hashed.digest.hexdigest()


def unique() -> str:
    """Give a word that nothing else has."""
    return os.urandom(32).hex()


class Hashed:
    """A hash of Python objects and of what they consist of."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.digest = hashlib.sha256()
        self.seen: dict[int, tuple[int, object]] = {}
        """The place of each object by its identity, and the object, so that it keeps that."""

    def add(self, value: object) -> None:
        """Add an object; one that was added before, by its place."""
        word, parts = parts_of(value)
        # Which equal constants are one object differs from process to process.
        if not isinstance(value, None | bool | int | float | complex | str | bytes | tuple):
            if id(value) in self.seen:
                self.write("seen", self.seen[id(value)][0])
                return
            self.seen[id(value)] = len(self.seen), value
        self.write(type(value).__qualname__, word, len(parts))
        for part in parts:
            self.add(part)

    def write(self, *words: object) -> None:
        """Add words, each with its length."""
        for word in map(str, words):
            self.digest.update(f"{len(word)}:{word}".encode(errors="surrogatepass"))


def parts_of(value: Any) -> Parts:
    """Take an object apart."""
    match value:
        case None | bool() | int() | float() | complex() | str() | bytes():
            return repr(value), ()
        case Plugin():
            return value.sha256, ()
        case type() | FunctionType() | ModuleType() if is_installed(value):
            return name_of(value), ()
        case BuiltinFunctionType() | MemberDescriptorType() | GetSetDescriptorType():
            return name_of(value), ()
        case type():
            return name_of(value), (*value.__bases__, *members(vars(value)))
        case ModuleType():
            return name_of(value), tuple(members(vars(value)))
        case FunctionType():
            return name_of(value), of_function(value)
        case CodeType():
            names = *value.co_names, *value.co_varnames, *value.co_freevars
            return value.co_code.hex(), (names, value.co_consts)
        case staticmethod() | classmethod():
            return "", (value.__func__,)
        case property():
            return "", (value.fget, value.fset, value.fdel)
        case tuple() | list():
            return "", tuple(value)
        case dict() | MappingProxyType():
            return "", tuple(value.items())
        case set() | frozenset():
            return "", tuple(sorted(map(fingerprint, value)))
    return of_object(value)


def name_of(value: Any) -> str:
    """Name a class, a function or a module."""
    name = getattr(value, "__qualname__", value.__name__)
    return f"{getattr(value, '__module__', '')}.{name}"


def members(variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give what a class or a module holds, without what Python itself notes in it."""
    for name, value in variables.items():
        is_special = name.startswith("__") and name.endswith("__")
        if name != "_abc_impl" and (not is_special or isinstance(value, FunctionType)):
            yield name, value


def of_function(function: FunctionType) -> tuple[Any, ...]:
    """Give the code of a function, its defaults, and what it refers to outside."""
    outside = {
        name: function.__globals__[name]
        for name in sorted(set(names_in(function.__code__)))
        if name in function.__globals__
    }
    enclosed = tuple(map(content, function.__closure__ or ()))
    return function.__code__, function.__defaults__, function.__kwdefaults__, enclosed, outside


def names_in(code: CodeType) -> Iterator[str]:
    """Give the names of globals and attributes in code, and in what is defined inside."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def content(cell: Any) -> Any:
    """Give what a variable of an enclosing function holds; None if it has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def of_object(value: Any) -> Parts:
    """Take any other object apart as `pickle` does."""
    try:
        reduced = value.__reduce_ex__(4)
    except Exception:
        return unique(), ()
    if isinstance(reduced, str):
        # A name; what decorates a function, such as `functools.cache`, has that as well.
        return reduced, (type(value), getattr(value, "__wrapped__", None))
    return "", tuple(list(it) if isinstance(it, Iterator) else it for it in reduced)


def is_installed(value: Any) -> bool:
    """Say whether a class, function or module is of Windtunnel, of Python, or of a package."""
    name = value.__name__ if isinstance(value, ModuleType) else value.__module__ or ""
    if name.partition(".")[0] == "windtunnel":
        return True
    module = sys.modules.get(name)
    if module is None or name == "__main__":
        return False
    file = getattr(module, "__file__", None)
    return file is None or any(Path(file).is_relative_to(it) for it in places())


@cache
def places() -> list[str]:
    """List the folders of what is installed."""
    named = (sysconfig.get_path(it) for it in ("stdlib", "platstdlib", "purelib", "platlib"))
    return [*named, *site.getsitepackages(), site.getusersitepackages()]
