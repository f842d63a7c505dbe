"""The command `conform`: whether a controller does what its specification says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any, TypeVar

from rich.table import Table

from windtunnel import controller_names
from windtunnel.cli.output import answer, count, fail, output, say
from windtunnel.conformance import junit, suites, words
from windtunnel.conformance.playing import Found, play
from windtunnel.conformance.scripts import Played
from windtunnel.conformance.suites import Suite
from windtunnel.controller_names import NamedController

AnyFound = TypeVar("AnyFound", Found, Played)
"""What was found of a case or a script."""

MOST_MOMENTS = 60
"""The most moments of a trace that are printed: the last ones."""

FAILED = 1
"""The exit code if a case failed."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    suites: list[str]
    case: str | None
    junit: Path | None
    as_json: bool


def conform(controller: str, options: Options) -> None:
    """Play suites to a controller, and say what was found."""
    chosen = controller_names.find(controller)
    wanted = [suites.read(it) for it in options.suites] or suites.made_for(chosen.name)
    played = (play(it, chosen, options.case) for it in with_case(wanted, options.case))
    found = list(chain.from_iterable(played))
    if options.junit:
        junit.write(options.junit, f"windtunnel conform {chosen.name}", test_suites(chosen, found))
    if options.as_json:
        answer(document(chosen, found, with_trace=options.case is not None))
    else:
        show(found, with_trace=options.case is not None)
    if said := failed(chosen, found):
        hint = "" if options.case else f"\n{traced(controller)}"
        fail(f"{said}{hint}", FAILED)


def failed(controller: NamedController, found: Sequence[Found]) -> str | None:
    """Say how many cases failed, if any did."""
    wrong = sum(it.is_wrong for it in found)
    return f"{controller.name}: {count(wrong, 'case')} failed" if wrong else None


def traced(controller: str) -> str:
    """Say how a failed case is looked at, of a controller as a command names it."""
    return (
        f"help: windtunnel conform {controller} --suite SUITE --case NAME shows one with its trace"
    )


def with_case(wanted: Sequence[Suite], case: str | None) -> Sequence[Suite]:
    """Give the suites that have a case; all of them if none has, so that a message names it."""
    return [it for it in wanted if case in it.cases] or wanted


def grouped(found: Sequence[AnyFound]) -> list[list[AnyFound]]:
    """Group what was found by the suites."""
    return [list(it) for _, it in groupby(found, lambda it: it.suite.name)]


def test_suites(controller: NamedController, found: Sequence[Found]) -> list[junit.TestSuite]:
    """Give what was found, for a JUnit file."""
    return [test_suite(controller, it) for it in grouped(found)]


def test_suite(controller: NamedController, found: Sequence[Found]) -> junit.TestSuite:
    """Give what was found of a suite, for a JUnit file."""
    of = found[0].suite
    properties = {"document": of.document, "controller": controller.name}
    return junit.TestSuite(of.title, properties, [test_case(it) for it in found])


def test_case(found: Found) -> junit.TestCase:
    """Give what was found of a case, for a JUnit file."""
    answer = "failure" if found.is_wrong else None if found.verdict == "passes" else "skipped"
    name = f"{found.case}: {found.about['holds']}"
    kind, message = words.VERDICTS[found.verdict], "; ".join(words.details(found))
    return junit.TestCase(name, found.suite.document, answer, kind, message, found.source)


def show(found: Sequence[Found], with_trace: bool) -> None:
    """Print all cases, and how many there are of each verdict."""
    show_cases(found, with_trace)
    say(counted(found))


def counted(found: Sequence[Found]) -> str:
    """Say how many cases there are of each verdict."""
    verdicts = Counter(words.VERDICTS[it.verdict] for it in found)
    return f"{count(len(found), 'case')}: {', '.join(f'{n} {it}' for it, n in verdicts.items())}"


def show_cases(found: Sequence[Found], with_trace: bool) -> None:
    """Print a line for each case, and what explains its verdict below it."""
    for of_suite in grouped(found):
        say(f"{of_suite[0].suite.title}: {of_suite[0].suite.document}")
        width = max(len(words.VERDICTS[it.verdict]) for it in of_suite)
        names = max(len(it.case) for it in of_suite)
        for it in of_suite:
            verdict = words.VERDICTS[it.verdict]
            holds = f"{it.about['holds']} ({it.about['source']})"
            say(f"  {verdict:{width}}  {it.case:{names}}  {holds}")
            for line in words.details(it):
                say(f"  {'':{width}}  {line}")
            if with_trace:
                explain(it)


def explain(found: Found) -> None:
    """Print the note of a case, and its trace."""
    for line in words.note(found):
        say(f"  note: {line}")
    table = Table()
    for title in ("step", "time, s", "the controller gets", "cwnd", "ssthresh", "pacing rate"):
        table.add_column(title, justify="left" if "gets" in title else "right")
    if (earlier := len(found.trace) - MOST_MOMENTS) > 0:
        say(f"  {earlier:,} moments before these are in --json")
    for it in found.trace[-MOST_MOMENTS:]:
        numbers = (words.number(it[key]) for key in ("cwnd", "ssthresh", "pacing_rate"))
        table.add_row(str(it["step"]), f"{it['time_s']:.6g}", it["signal"], *numbers)
    output().print(table)


def document(
    controller: NamedController, found: Sequence[Found], with_trace: bool
) -> dict[str, Any]:
    """Give everything as JSON values."""
    return {
        "controller": controller.name,
        "failed": sum(it.is_wrong for it in found),
        "cases": [
            {
                "suite": it.suite.name,
                "case": it.case,
                "verdict": it.verdict,
                "holds": it.about["holds"],
                "source": it.source,
                "reason": it.reason,
                "failure": it.failure,
                **({"trace": it.trace} if with_trace else {}),
            }
            for it in found
        ],
    }
