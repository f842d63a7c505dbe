"""The command `conform tcp`: whether Windtunnel's TCP does what scripts of packetdrill have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from windtunnel.cli.conforming import FAILED, Options, grouped
from windtunnel.cli.output import INVALID_INPUT, answer, count, fail, say
from windtunnel.conformance import junit, words
from windtunnel.conformance.scripts import TCP, Played, ScriptSuite, names, of_paths, play, read

ANSWERS = {"fails": "failure", "unreadable": "error", "skipped": "skipped"}
"""What a JUnit file has for a verdict."""


def conform(scripts: Sequence[Path], options: Options) -> None:
    """Play scripts or suites of them, and say what was found."""
    if options.stack or options.own:
        fail(
            "--stack is about controllers: scripts are played against Windtunnel's TCP",
            INVALID_INPUT,
        )
    found = [it for suite in wanted(scripts, options) for it in play(suite, options.case)]
    if options.junit:
        suites = [test_suite(it) for it in grouped(found)]
        junit.write(options.junit, f"windtunnel conform {TCP}", suites)
    if options.as_json:
        answer(document(found, with_trace=options.case is not None))
    else:
        show(found, with_trace=options.case is not None)
    verdicts = Counter(it.verdict for it in found)
    if unreadable := verdicts["unreadable"]:
        fail(f"{count(unreadable, 'script')} cannot be read", INVALID_INPUT)
    if failed := verdicts["fails"]:
        fail(f"{TCP}: {count(failed, 'script')} failed", FAILED)


def wanted(scripts: Sequence[Path], options: Options) -> Sequence[ScriptSuite]:
    """Give what is to be played; with a case, only what has it."""
    if scripts and (options.suites or options.case):
        fail("--suite and --case are about suites: leave them out, or the scripts", INVALID_INPUT)
    if scripts:
        return [of_paths(scripts)]
    suites = [read(it) for it in options.suites or names()]
    return [it for it in suites if options.case in it.files] or suites


def test_suite(found: Sequence[Played]) -> junit.TestSuite:
    """Give what was found of a suite, for a JUnit file."""
    of = found[0].suite
    return junit.TestSuite(of.title, {"document": of.document}, [test_case(it) for it in found])


def test_case(it: Played) -> junit.TestCase:
    """Give what was found of a script, for a JUnit file."""
    name = f"{it.case}: {it.holds}" if it.holds else it.case
    place = it.source or it.case
    kind, message = words.VERDICTS[it.verdict], "; ".join(words.of_script(it))
    return junit.TestCase(name, it.source, ANSWERS.get(it.verdict), kind, message, place)


def show(found: Sequence[Played], with_trace: bool) -> None:
    """Print a line for each script, and what explains its verdict below it."""
    width = max(len(words.VERDICTS[it.verdict]) for it in found)
    for of_suite in grouped(found):
        if (suite := of_suite[0].suite).name:
            say(f"{suite.title}: {suite.document}")
        names = max(len(it.case) for it in of_suite)
        for it in of_suite:
            holds = f"{it.case:{names}}  {it.holds} ({it.source})" if it.source else it.case
            say(f"  {words.VERDICTS[it.verdict]:{width}}  {holds}")
            for line in words.of_script(it):
                say(f"  {'':{width}}  {line}")
            if with_trace:
                for moment in it.said["trace"]:
                    say(f"  {moment['time_s']:10.6f}  {moment['what']}")
    verdicts = Counter(words.VERDICTS[it.verdict] for it in found)
    say(f"{count(len(found), 'script')}: {', '.join(f'{n} {it}' for it, n in verdicts.items())}")


def document(found: Sequence[Played], with_trace: bool) -> dict[str, Any]:
    """Give everything as JSON values."""
    return {
        "failed": sum(it.is_wrong for it in found),
        "cases": [
            {
                "suite": it.suite.name or None,
                "case": it.case,
                "verdict": it.verdict,
                "holds": it.holds or None,
                "source": it.source or None,
                **{key: value for key, value in it.said.items() if key != "trace" or with_trace},
            }
            for it in found
        ],
    }
