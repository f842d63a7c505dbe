"""Messages: a review sees each new one, and all are the plain English of an RFC."""

from __future__ import annotations

import re

from messages import LIST, messages, python, rust

# Each of them has a plain word in its place: `is not a valid …`, `except`, `default: …`.
QUAINT = re.compile(
    r"""
    (?<!there\ )\b(?:is|are|was)\ no\ (?!longer\b|more\ than\b)
    | \bso\ many\b | \bbut\ for\b | \bof\ no\ time\b | \bin\ no\ time\b
    | \bunless\ stated\b | \bmust\ be\ stated\b | \bstands\ at\b
    | \b(?:whence|whither|thereof|forbids|hears)\b
    | \bno\ proof\b | \bno\ air\b | \bnot\ yours\b | \bnamed\ at\ itself\b
    | \bis\ for\ many\b | \bsays?\ what\ (?:it|they)\ carr(?:y|ies)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
SOURCE = """
/// "In a comment."
fn one() -> String {
    let lifetime: &'static str = r#"raw "text" here"#;
    format!("broken \\
             line of {lifetime}") + &'"'.to_string() + "after it"
}
#[cfg(test)]
mod tests {
    fn two() { panic!("only in tests") }
}
const LAST: &str = "last one";
"""


def test_the_list_has_every_message_of_the_sources() -> None:
    assert LIST.read_text(encoding="utf-8").splitlines() == [*messages()], (
        "python tests/messages.py writes the list anew; read what has changed"
    )


def test_messages_are_plain() -> None:
    assert [it for it in messages() if QUAINT.search(it)] == []


def test_strings_of_rust_are_found_outside_comments_and_tests() -> None:
    found = ['raw "text" here', "broken line of {lifetime}", "after it", "last one"]
    assert [*rust(SOURCE)] == found


def test_strings_of_python_are_found_outside_docstrings() -> None:
    source = '"""Not this."""\nfail(f"{name}: not " f"so", help="but this")\n'
    assert [*python(source)] == ["{name}: not so", "but this"]
