"""JUnit files, which continuous integration reads."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML 1.0 cannot hold (section 2.2)."""


def clean(text: str) -> str:
    """Replace what XML cannot hold."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def count(suites: ElementTree.Element) -> None:
    """Say of test suites, and of each of them, how many cases there are, and how they ended."""
    for element in (suites, *suites):
        cases = list(element.iter("testcase"))
        element.set("tests", str(len(cases)))
        for attribute, tag in (
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            element.set(attribute, str(sum(it.find(tag) is not None for it in cases)))


def save(suites: ElementTree.Element, file: Path) -> None:
    """Write test suites. Raises OSError."""
    ElementTree.indent(suites)
    ElementTree.ElementTree(suites).write(file, encoding="utf-8", xml_declaration=True)
