"""What a gate found, as a JUnit file: what continuous integration reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from windtunnel.conformance.junit import TestSuite
from windtunnel.conformance.junit import add as add_suite
from windtunnel.gate.baseline import Point
from windtunnel.gate.comparison import Compared, named
from windtunnel.gate.words import sentence
from windtunnel.junit import clean, count, save

Errors = Mapping[tuple[Point, int], str]
"""The error of each run that failed, by its point and seed."""


def write(
    file: Path,
    title: str,
    comparisons: Sequence[Compared],
    errors: Errors,
    conformance: Sequence[TestSuite] = (),
) -> None:
    """Write the file: a test case of each comparison and each run that failed, and suites of cases.

    Raises OSError.
    """
    suites = ElementTree.Element("testsuites", name="windtunnel gate")
    suite = ElementTree.SubElement(suites, "testsuite", name=clean(title))
    for (point, seed), error in errors.items():
        add(suite, point, f"run with seed {seed}", ("error", "failed run", error))
    for it in comparisons:
        wrong = ("failure", str(it.verdict), sentence(it)) if it.is_worse else None
        add(suite, it.point, it.measure, wrong)
    for of_cases in conformance:
        add_suite(suites, of_cases)
    count(suites)
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
