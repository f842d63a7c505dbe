"""Which files of a Rust crate use which: a small reader of modules, `use` and paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/                                # comments
    |b?r(?P<raw>\#*)".*?"(?P=raw)|b?c?"(?:\\.|[^"\\])*"   # strings
    |b?'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\])'|'\w+           # characters and lifetimes
    |\$crate|[A-Za-z_]\w*|::|\S""",
    re.DOTALL | re.VERBOSE,
)
PATH_IN_STRING = re.compile(r'"[a-z_]\w*(?:::\w+)+"')
NAME = re.compile(r"(?:\$crate|[A-Za-z_]\w*)$")
TEST = ["#", "[", "cfg", "(", "test", ")", "]"]
ITEMS = {"fn", "struct", "enum", "union", "trait", "type", "const", "static"}


@dataclass
class Module:
    """A module: what it defines, what it imports, and which paths it writes."""

    file: Path
    parent: Module | None
    children: dict[str, Module] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)
    uses: dict[str, list[str]] = field(default_factory=dict)
    re_exports: set[str] = field(default_factory=set)
    globs: list[list[str]] = field(default_factory=list)
    paths: list[list[str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def root(self) -> Module:
        """Give the root of the crate."""
        return self.parent.root() if self.parent else self

    def all(self) -> Iterator[Module]:
        """Give it and all modules inside it."""
        yield self
        for child in self.children.values():
            yield from child.all()


def tokens_of(text: str) -> list[str]:
    """Split a source into tokens, without comments; a path in a string is a path, as in serde's
    attributes, and other strings are empty.
    """
    tokens: list[str] = []
    for match in TOKEN.finditer(text):
        token = match.group()
        if PATH_IN_STRING.match(token):
            tokens += [it for it in re.split("(::)", token.strip('"')) if it]
        elif '"' in token and not token.startswith("/"):
            tokens.append('""')
        elif not token.startswith(("//", "/*")):
            tokens.append(token)
    return tokens


def skipped(tokens: list[str], at: int) -> int:
    """Give the place after the item that starts at a place."""
    depth = 0
    while at < len(tokens):
        token = tokens[at]
        depth += (token in "([{") - (token in ")]}")
        at += 1
        if depth == 0 and (token == ";" or (token == "}" and tokens[at : at + 1] != [";"])):
            break
    return at


def use_tree(tokens: list[str], at: int, before: list[str]) -> tuple[int, list[list[str]]]:
    """Give the place after a tree of imports, and its paths; the last name is the one in scope."""
    path, found = list(before), []
    while (token := tokens[at]) not in {",", ";", "}"}:
        if token == "{":
            at += 1
            while tokens[at] != "}":
                at, inside = use_tree(tokens, at, path)
                found += inside
                at += tokens[at] == ","
            return at + 1, found
        if token == "as":
            return at + 2, [[*path, tokens[at + 1]]]
        path += [] if token == "::" else [token]
        at += 1
    if path[-1:] == ["self"] and len(path) > 1:
        path.pop()
    return at, [[*path, path[-1]]]


class Reader:
    """Reads the modules of a crate, from its root on."""

    def read(self, file: Path, parent: Module | None = None) -> Module:
        """Read the module of a file, and those in it."""
        module = Module(file, parent)
        self.body(tokens_of(file.read_text(encoding="utf-8")), 0, module)
        return module

    def body(self, tokens: list[str], at: int, module: Module) -> int:
        """Read a module's body up to the brace that closes it."""
        depth, visible = 0, False
        while at < len(tokens) and not (tokens[at] == "}" and depth == 0):
            token = tokens[at]
            if tokens[at : at + len(TEST)] == TEST:
                at = skipped(tokens, at + len(TEST))
            elif token == "mod" and depth == 0:
                at = self.module(tokens, at + 1, module)
            elif token == "use" and NAME.match(tokens[at + 1]):
                at, trees = use_tree(tokens, at + 1, [])
                self.add_uses(module, trees, visible and depth == 0)
            elif token == "pub":
                visible = True
                at = tokens.index(")", at) + 1 if tokens[at + 1] == "(" else at + 1
                continue
            elif NAME.match(token):
                at = self.name(tokens, at, module, depth)
            else:
                depth += (token == "{") - (token == "}")
                at += 1
            visible = False
        return at + 1

    def module(self, tokens: list[str], at: int, parent: Module) -> int:
        """Read a module that another one declares."""
        name = tokens[at]
        if tokens[at + 1] == "{":
            child = parent.children[name] = Module(parent.file, parent)
            return self.body(tokens, at + 2, child)
        file = parent.file
        folder = file.parent if file.stem in {"lib", "mod"} else file.with_suffix("")
        # The last one by a `path`: a file that several modules have.
        files = [folder / f"{name}.rs", folder / name / "mod.rs", file.parent / f"{name}.rs"]
        parent.children[name] = self.read(next(it for it in files if it.exists()), parent)
        return at + 2

    def name(self, tokens: list[str], at: int, module: Module, depth: int) -> int:
        """Read a name: a definition, or a path that starts with it."""
        if tokens[at : at + 2] == ["macro_rules", "!"]:
            module.macros.add(tokens[at + 2])
            return at + 3
        if tokens[at] in ITEMS and depth == 0:
            module.defined.add(tokens[at + 1])
        path = [tokens[at]]
        while tokens[at + 1 : at + 2] == ["::"] and NAME.match(tokens[at + 2]):
            at += 2
            path.append(tokens[at])
        module.names |= {path[0]}
        module.paths.append(path)
        return at + 1

    def add_uses(self, module: Module, trees: list[list[str]], visible: bool) -> None:
        """Add imports to a module."""
        for *path, name in trees:
            if name == "*":
                module.globs.append(path[:-1])
            else:
                # Of two that bear one name, such as in two functions, each is looked at.
                module.uses.setdefault(name, path)
                module.paths += [] if visible else [path]
                module.re_exports |= {name} if visible else set()


def owner(module: Module, path: list[str]) -> Module | None:
    """Give the module that defines what a path names; none for a module, and for another crate."""
    first, *rest = path
    if first in {"crate", "$crate"}:
        return inside(module.root(), rest)
    if first == "self":
        return inside(module, rest)
    if first == "super":
        return inside(module.parent, rest) if module.parent else None
    if first in module.uses and module.uses[first][0] != first:
        return owner(module, module.uses[first] + rest)
    if first in module.children:
        return inside(module.children[first], rest)
    above = module
    while above.parent and first not in above.macros:
        above = above.parent
    return above if first in above.macros else None


def inside(module: Module, path: list[str]) -> Module | None:
    """Give the module that defines what a path inside a module names."""
    if not path:
        return None
    first, *rest = path
    if first == "super":
        return inside(module.parent, rest) if module.parent else None
    if first in module.children:
        return inside(module.children[first], rest)
    if first in module.uses:
        return owner(module, module.uses[first] + rest)
    # What no other module is known to define is defined here, also by a macro.
    return module if first in module.defined else from_globs(module, first) or module


def from_globs(module: Module, name: str) -> Module | None:
    """Give the module that defines a name which a module imports by an asterisk."""
    for path in module.globs:
        target = named_module(module, path)
        if target and name in target.defined | target.re_exports:
            return inside(target, [name])
    return None


def named_module(module: Module, path: list[str]) -> Module | None:
    """Give the module that a path names."""
    at: Module | None = module
    for place, name in enumerate(path):
        if at is None:
            return None
        if name in {"crate", "$crate"}:
            at = at.root()
        elif name == "super":
            at = at.parent
        elif name in at.children:
            at = at.children[name]
        elif name in at.uses and place == 0:
            at = named_module(at, at.uses[name])
        elif name != "self":
            return None
    return at


def used_by(module: Module) -> Iterator[tuple[Module, str]]:
    """Give the modules whose definitions a module uses, and their names."""
    for path in module.paths:
        if owned := owner(module, path):
            yield owned, path[-1]
    for name in module.re_exports & module.names:
        if owned := owner(module, module.uses[name]):
            yield owned, name
    for path in module.globs:
        # An asterisk after an enum imports its variants.
        if path and not named_module(module, path) and (owned := owner(module, path)):
            yield owned, path[-1]
    for name in module.names - module.defined - module.uses.keys():
        if owned := from_globs(module, name):
            yield owned, name


def files_used(root: Path) -> dict[Path, dict[Path, set[str]]]:
    """Give the files that each file of a crate uses, and the names that it takes of each."""
    graph: dict[Path, dict[Path, set[str]]] = {}
    for module in Reader().read(root).all():
        of_file = graph.setdefault(module.file, {})
        for owned, name in used_by(module):
            if owned.file != module.file:
                of_file.setdefault(owned.file, set()).add(name)
    return graph
