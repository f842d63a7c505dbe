"""What was found of a controller, as a JUnit file: what continuous integration reads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from windtunnel import __version__
from windtunnel.conformance import words
from windtunnel.conformance.playing import Found
from windtunnel.junit import clean, save

SKIPPED = ("does-not-apply", "fails-as-known")
"""The verdicts that are written as skipped test cases, with the reason."""


def write(file: Path, controller: str, found: Sequence[Found]) -> None:
    """Write the file: a test suite of each document, and a test case of each case.

    Raises OSError.
    """
    suites = ElementTree.Element("testsuites", name=clean(f"windtunnel conform {controller}"))
    for _, of_suite in groupby(found, lambda it: it.suite.name):
        add(suites, controller, list(of_suite))
    for element in (suites, *suites):
        path = "" if element.tag == "testsuite" else "*/"
        element.set("tests", str(len(element.findall(f"{path}testcase"))))
        element.set("failures", str(len(element.findall(f"{path}testcase/failure"))))
        element.set("skipped", str(len(element.findall(f"{path}testcase/skipped"))))
    save(suites, file)


def add(suites: ElementTree.Element, controller: str, found: Sequence[Found]) -> None:
    """Add a test suite with its test cases."""
    of = found[0].suite
    suite = ElementTree.SubElement(suites, "testsuite", name=clean(of.title))
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (
        ("version", __version__),
        ("document", of.document),
        ("controller", controller),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=clean(value))
    for it in found:
        name = f"{it.case}: {it.about['holds']}"
        case = ElementTree.SubElement(
            suite, "testcase", classname=clean(of.document), name=clean(name)
        )
        text = clean("; ".join(words.details(it)))
        if it.is_wrong:
            kind = words.VERDICTS[it.verdict]
            element = ElementTree.SubElement(case, "failure", type=kind, message=text)
            element.text = f"{text}\n{clean(it.source)}"
        elif it.verdict in SKIPPED:
            ElementTree.SubElement(case, "skipped", message=text)
