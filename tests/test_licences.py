"""The licences of the Rust dependencies are those that `deny.toml` allows."""

import json
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@cache
def allowed() -> frozenset[str]:
    deny = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))
    return frozenset(deny["licenses"]["allow"])


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression can be met by licences that are allowed."""
    words = expression.replace("/", " OR ").replace("(", " ( ").replace(")", " ) ").split()

    def any_of() -> bool:
        met = all_of()
        while words and words[0] == "OR":
            words.pop(0)
            other = all_of()
            met = met or other
        return met

    def all_of() -> bool:
        met = one()
        while words and words[0] == "AND":
            words.pop(0)
            other = one()
            met = met and other
        return met

    def one() -> bool:
        if words[0] == "(":
            words.pop(0)
            met = any_of()
            assert words.pop(0) == ")"
            return met
        licence = words.pop(0)
        if words and words[0] == "WITH":
            licence = " ".join((licence, words.pop(0), words.pop(0)))
        return licence in allowed()

    met = any_of()
    assert not words, f"{expression}: not understood from {words[0]}"
    return met


@pytest.mark.parametrize(
    ("expression", "met"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("GPL-2.0-only OR MIT", True),
        ("MIT AND GPL-2.0-only", False),
        ("(MIT OR GPL-3.0-only) AND Unicode-3.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
    ],
)
def test_an_expression_is_met_by_licences_that_are_allowed(expression: str, met: bool) -> None:
    assert is_allowed(expression) == met


def test_every_rust_dependency_has_an_allowed_licence_and_comes_from_the_registry() -> None:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    answer = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    packages = [it for it in json.loads(answer.stdout)["packages"] if it["source"] is not None]
    assert len(packages) > 50
    refused = {it["name"]: it["license"] for it in packages if not is_allowed(it["license"] or "?")}
    assert not refused
    assert {it["source"].partition("+")[0] for it in packages} == {"registry"}
