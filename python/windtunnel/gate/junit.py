"""What a gate found, as a JUnit file: what continuous integration reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from windtunnel.gate.baseline import Point
from windtunnel.gate.comparison import Compared, named
from windtunnel.gate.words import sentence
from windtunnel.junit import clean, save

Errors = Mapping[tuple[Point, int], str]
"""The error of each run that failed, by its point and seed."""


def write(file: Path, title: str, comparisons: Sequence[Compared], errors: Errors) -> None:
    """Write the file: a test case of each comparison, and of each run that failed.

    Raises OSError.
    """
    suites = ElementTree.Element("testsuites", name="windtunnel gate")
    suite = ElementTree.SubElement(suites, "testsuite", name=clean(title))
    for (point, seed), error in errors.items():
        add(suite, point, f"run with seed {seed}", ("error", "failed run", error))
    for it in comparisons:
        wrong = ("failure", str(it.verdict), sentence(it)) if it.is_worse else None
        add(suite, it.point, it.measure, wrong)
    for element in (suites, suite):
        element.set("tests", str(len(suite)))
        element.set("failures", str(len(suite.findall("*/failure"))))
        element.set("errors", str(len(suite.findall("*/error"))))
    save(suites, file)


def add(
    suite: ElementTree.Element, point: Point, name: str, wrong: tuple[str, str, str] | None
) -> None:
    """Add a test case, with what is wrong: its tag, its type and its message."""
    case = ElementTree.SubElement(suite, "testcase", classname=clean(named(point)), name=name)
    if wrong:
        tag, kind, message = wrong
        text = clean(message)
        ElementTree.SubElement(case, tag, type=kind, message=text.split("\n")[0]).text = text
