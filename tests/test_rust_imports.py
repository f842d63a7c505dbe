"""Uses of Rust files: those of a crate lie in layers, each of which knows only those below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from rust_sources import files_used

CRATES = Path(__file__).parent.parent / "crates"


def cycle(graph: Mapping[Path, Mapping[Path, Iterable[str]]]) -> str:
    """Say which files use one another in a cycle, and what each takes of the next."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        files = list(reversed(error.args[1]))
        uses = pairwise(files)
        return "\n".join(f"{a} uses {', '.join(sorted(graph[a][b]))} of {b}" for a, b in uses)
    return ""


@pytest.mark.parametrize("crate", sorted(it.name for it in CRATES.iterdir()))
def test_no_file_of_a_crate_uses_itself_in_a_cycle(crate: str) -> None:
    """A file uses another one if it writes a name that the other defines.

    What a parent re-exports is used where it is defined, and neither `mod` nor a re-export is a
    use: a parent may name its children, and they may name each other. But a parent whose own
    definitions its children use must not use theirs. Calls of methods are not seen, so that the
    methods of one type may lie in several files. Test modules may use everything.
    """
    assert cycle(files_used(CRATES / crate / "src" / "lib.rs")) == ""


@pytest.mark.parametrize(
    ("child", "is_cycle"),
    [
        ("use super::Parent;", True),
        ("use super::{super::parent::{self as up, Parent}, other::Other};", True),
        ("use crate::parent::Parent as P;", True),
        ("fn f() -> super::Parent {}", True),
        ("fn f() { use super::super::parent as up; up::Parent::new() }", True),
        ("use super::*; struct A(Parent);", True),
        ("use super::Variants::*;", True),
        ("#[serde(default = \"crate::parent::usual\")] struct A;", True),
        ("fn f() { made!() }", True),
        ("fn f() { crate::top::Parent }", True),
        ("use super::Other;", False),
        ("use super::other::Other;", False),
        ("use super::*; struct A(Other);", False),
        ("use crate::parent;", False),
        ("// use super::Parent;", False),
        ("const TEXT: &str = \"use super::Parent;\";", False),
        ("fn f(it: &'static str) -> char { 'a' }", False),
        ("#[cfg(test)]\nmod tests { use super::super::Parent; }", False),
        ("use windtunnel_packets::parent::Parent;", False),
    ],
)  # fmt: skip
def test_a_use_is_seen_however_it_is_written(tmp_path: Path, child: str, is_cycle: bool) -> None:
    sources = {
        "lib.rs": "mod parent;\nmod top { pub use crate::parent::Parent; }",
        "parent.rs": """
            macro_rules! made { () => { Parent } }
            mod child;
            mod other;
            pub use other::Other;
            pub struct Parent(child::Child);
            pub enum Variants { One }
            fn usual() {}
        """,
        "parent/child.rs": f"pub struct Child;\n{child}",
        "parent/other.rs": "pub struct Other;",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert bool(cycle(files_used(tmp_path / "lib.rs"))) == is_cycle


def test_a_re_export_is_a_use_only_if_the_name_is_used(tmp_path: Path) -> None:
    (tmp_path / "child.rs").write_text("pub struct Child(super::Own);", encoding="utf-8")
    library = "mod child;\npub use child::Child;\npub struct Own;\n"
    (tmp_path / "lib.rs").write_text(library, encoding="utf-8")
    assert cycle(files_used(tmp_path / "lib.rs")) == ""
    (tmp_path / "lib.rs").write_text(f"{library}fn f(_: Child) {{}}\n", encoding="utf-8")
    assert "uses Child of" in cycle(files_used(tmp_path / "lib.rs"))


@pytest.mark.parametrize("program", sorted(CRATES.glob("*/tests/*/main.rs")), ids=str)
def test_no_file_of_a_program_of_tests_is_forgotten(program: Path) -> None:
    lines = program.read_text(encoding="utf-8").splitlines()
    files = {it.stem for it in program.parent.glob("*.rs")} - {"main"}
    assert files <= {it.removeprefix("mod ").removesuffix(";") for it in lines}
