"""The command `conform`: whether a controller does what its specification says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any, TypeVar

from rich.table import Table

from windtunnel import controller_names
from windtunnel.cli.output import answer, count, fail, output, say
from windtunnel.conformance import junit, stacks, suites, words
from windtunnel.conformance.playing import Found, play
from windtunnel.conformance.scripts import Played
from windtunnel.conformance.suites import ConformanceError, Suite
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
    stack: str | None
    own: bool
    junit: Path | None
    as_json: bool


def conform(controller: str, options: Options) -> None:
    """Play suites to a controller, and say what was found."""
    if options.own and not options.stack:
        raise ConformanceError("--own needs --stack\nhelp: --stack quinn, or --stack noq")
    stack = stacks.find(options.stack, options.own) if options.stack else None
    chosen = stack.controller(controller) if stack else controller_names.find(controller)
    wanted = [suites.read(it) for it in options.suites] or suites.made_for(chosen.name)
    played = (play(it, chosen, options.case, stack) for it in with_case(wanted, options.case))
    found = list(chain.from_iterable(played))
    over = f" --stack {stack.name}{' --own' * options.own}" if stack else ""
    if options.junit:
        command = f"windtunnel conform {chosen.name}{over}"
        junit.write(options.junit, command, test_suites(chosen, found))
    if options.as_json:
        answer(document(chosen, found, with_trace=options.case is not None))
    else:
        show(found, with_trace=options.case is not None)
    if said := failed(chosen, found):
        named = f"{controller} --stack {options.stack}" if options.stack else controller
        named += " --own" * options.own
        hint = "" if options.case else f"\n{traced(named)}"
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
    if over := found[0].stack:
        properties["stack"] = over
    return junit.TestSuite(found[0].title, properties, [test_case(it) for it in found])


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
        say(f"{of_suite[0].title}: {of_suite[0].suite.document}")
        width = max(len(words.VERDICTS[it.verdict]) for it in of_suite)
        names = max(len(it.case) for it in of_suite)
        for it in filter(is_shown, of_suite):
            verdict = words.VERDICTS[it.verdict]
            holds = f"{it.about['holds']} ({it.about['source']})"
            say(f"  {verdict:{width}}  {it.case:{names}}  {holds}")
            for line in words.details(it):
                say(f"  {'':{width}}  {line}")
            if with_trace:
                explain(it)
        if others := sum(not is_shown(it) for it in of_suite):
            say(f"  {count(others, 'case')} for the controller alone: does not apply")


def is_shown(found: Found) -> bool:
    """Say whether a case has a line of its own: over a stack, only those on a network."""
    return found.stack is None or "network" in found.about


def explain(found: Found) -> None:
    """Print the note of a case, and its trace."""
    for line in words.note(found):
        say(f"  note: {line}")
    if not found.trace:
        return
    if (earlier := len(found.trace) - MOST_MOMENTS) > 0:
        say(f"  {earlier:,} moments before these are in --json")
    output().print(table(found.trace[-MOST_MOMENTS:]))


def table(trace: Sequence[Mapping[str, Any]]) -> Table:
    """Give the table of a trace."""
    titles = words.OF_NETWORK if "goodput_bps" in trace[0] else words.OF_CONTROLLER
    made = Table()
    for key, title in titles.items():
        made.add_column(title, justify="left" if key == "signal" else "right")
    for it in trace:
        made.add_row(*(words.number(it[key]) for key in titles))
    return made


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
                "stack": it.stack,
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
