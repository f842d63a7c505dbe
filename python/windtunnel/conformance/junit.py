"""What was found, as a JUnit file: what continuous integration reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from windtunnel import __version__
from windtunnel.junit import clean, count, save


@dataclass(frozen=True)
class TestCase:
    """What was found in a case."""

    name: str
    document: str
    """Where what it checks comes from."""
    answer: str | None
    """None if it passes, or `failure`, `error` or `skipped`."""
    kind: str
    """What was found, in words."""
    message: str
    """Why."""
    place: str
    """Where to look: a document's section, or a line."""


@dataclass(frozen=True)
class TestSuite:
    """The cases of a suite."""

    title: str
    properties: dict[str, str]
    cases: Sequence[TestCase]


def write(file: Path, command: str, suites: Sequence[TestSuite]) -> None:
    """Write the file. Raises OSError."""
    root = ElementTree.Element("testsuites", name=clean(command))
    for suite in suites:
        add(root, suite)
    count(root)
    save(root, file)


def add(root: ElementTree.Element, suite: TestSuite) -> None:
    """Add a test suite with its test cases."""
    element = ElementTree.SubElement(root, "testsuite", name=clean(suite.title))
    properties = ElementTree.SubElement(element, "properties")
    for name, value in {"version": __version__, **suite.properties}.items():
        ElementTree.SubElement(properties, "property", name=name, value=clean(value))
    for it in suite.cases:
        case = ElementTree.SubElement(
            element, "testcase", classname=clean(it.document), name=clean(it.name)
        )
        if it.answer is None:
            continue
        message = clean(it.message)
        said = ElementTree.SubElement(case, it.answer, message=message)
        if it.answer != "skipped":
            said.set("type", it.kind)
            said.text = f"{message}\n{clean(it.place)}"
