"""Cases are played to a controller."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from windtunnel import _core
from windtunnel.conformance import networks
from windtunnel.conformance.suites import ConformanceError, Suite
from windtunnel.controller_names import NamedController

WRONG = ("fails", "passes-unexpectedly")
"""The verdicts about which somebody must do something."""


@dataclass(frozen=True)
class Found:
    """What was found of a controller in a case."""

    suite: Suite
    case: str
    verdict: str
    """`passes`, `fails`, `fails-as-known`, `passes-unexpectedly` or `does-not-apply`."""
    reason: str | None
    """Why it is known to fail, or the case does not apply."""
    failure: dict[str, Any] | None
    """The step, or the time from which on, the time, the quantity, what was expected, and what
    was measured."""
    trace: list[dict[str, Any]]
    """What the controller got, and what it answered."""

    @property
    def is_wrong(self) -> bool:
        """Whether somebody must do something about it."""
        return self.verdict in WRONG

    @property
    def about(self) -> dict[str, Any]:
        """What the suite says of the case."""
        return self.suite.cases[self.case]

    @property
    def source(self) -> str:
        """The document and the section that the case follows from."""
        return f"{self.suite.document}, {self.about['source']}"


def play(suite: Suite, controller: NamedController, case: str | None = None) -> Iterator[Found]:
    """Play the cases of a suite, or one of them. Raises ConformanceError if there is none."""
    if case is not None and case not in suite.cases:
        known = _core.suggestion(case, list(suite.cases))
        raise ConformanceError(f"{suite.name}: unknown case `{case}`\nhelp: {known}")
    for name in [case] if case else suite.cases:
        yield found(suite, name, controller)


def found(suite: Suite, case: str, controller: NamedController) -> Found:
    """Play a case."""
    measure = partial(networks.measure, f"{suite.name}: {case}", controller=controller)
    said = json.loads(suite.core.play(case, controller.name, measure, controller.own))
    failure = said.get("failure") or (said if said["verdict"] == "fails" else None)
    keys = ("step", "from_s", "time_s", "quantity", "expected", "measured")
    return Found(
        suite,
        case,
        said["verdict"],
        said.get("reason"),
        {key: failure[key] for key in keys} if failure else None,
        said["trace"],
    )
