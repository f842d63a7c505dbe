"""Manifests of crates: what has tests is tested, and what has none is not built a second time."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

CRATES = Path(__file__).parent.parent / "crates"
TEST = re.compile(r"#\[test\]|\bproptest! \{")
EXAMPLE = re.compile(r"^\s*//[/!] ```", re.MULTILINE)


@pytest.mark.parametrize("crate", sorted(it.name for it in CRATES.iterdir()))
def test_a_library_is_tested_where_it_has_tests(crate: str) -> None:
    """`cargo test` compiles a library anew for its tests, and again looks for examples in it."""
    manifest = tomllib.loads((CRATES / crate / "Cargo.toml").read_text(encoding="utf-8"))
    library = manifest.get("lib", {})
    files = (CRATES / crate / "src").rglob("*.rs")
    source = "\n".join(it.read_text(encoding="utf-8") for it in files)
    assert library.get("test", True) == bool(TEST.search(source))
    assert library.get("doctest", True) == bool(EXAMPLE.search(source))
