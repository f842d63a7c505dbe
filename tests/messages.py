"""Messages: every text of two words or more that the package can print, one a line.

`python tests/messages.py` writes them into `tests/messages.txt`, where a review sees what is new.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests" / "messages.txt"

RUST = re.compile(
    r"""
    //[^\n]*                                          # a comment
    | b?r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)     # a raw string
    | b?"(?P<text>(?:\\.|[^"\\])*)"                   # a string
    | b?'(?:\\[^\n]+?|[^'\\\n])'                      # a character
    | (?P<test>\#\[cfg\(test\)\])
    | (?P<sign>[{};])
    """,
    re.VERBOSE | re.DOTALL,
)
TWO_WORDS = re.compile(r"[^\W\d_]{2,}[^\n]* [^\n]*[^\W\d_]{2,}")


def rust(source: str) -> Iterator[str]:
    """Give the strings of a Rust file, without those of its tests."""
    depth, tests = 0, None
    for found in RUST.finditer(source):
        if found["test"] and tests is None:
            tests = depth
        elif sign := found["sign"]:
            depth += {"{": 1, "}": -1, ";": 0}[sign]
            if sign != "{" and depth == tests:
                tests = None
        elif tests is None and (text := found["raw"] or found["text"]):
            yield re.sub(r"\\\n\s*", "", text).replace('\\"', '"')


def python(source: str) -> Iterator[str]:
    """Give the strings of a Python file, without its docstrings."""
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield ast.unparse(node)[2:-1]
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            waiting.extend(reversed([*ast.iter_child_nodes(node)]))


def sources() -> Iterator[tuple[Path, Iterator[str]]]:
    """Give the files of the package, each with its strings."""
    for file in sorted(ROOT.glob("crates/*/src/**/*.rs")):
        if "tests" not in {file.stem, file.parent.name}:
            yield file, rust(file.read_text(encoding="utf-8"))
    for file in sorted(ROOT.glob("python/windtunnel/**/*.py")):
        if "data" not in file.relative_to(ROOT).parts:
            yield file, python(file.read_text(encoding="utf-8"))


def messages() -> Iterator[str]:
    """Give each file's texts of two words or more, in its order, each with the file's name."""
    for file, texts in sources():
        for text in dict.fromkeys(it for it in texts if TWO_WORDS.search(it)):
            line = text.replace("\n", "\\n")
            yield f"{file.relative_to(ROOT).as_posix()}: {line}"


if __name__ == "__main__":
    LIST.write_text("\n".join([*messages(), ""]), encoding="utf-8")
