"""Cases are played to a controller."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from windtunnel import _core
from windtunnel.conformance.networks import Measurement
from windtunnel.conformance.stacks import ChosenStack, NotMeasurable
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
    """What the controller got, and what it answered; or, on a network, how its flow went on."""

    stack: str | None = None
    """The implementation that the controller ran in, if one was named."""

    @property
    def is_wrong(self) -> bool:
        """Whether somebody must do something about it."""
        return self.verdict in WRONG

    @property
    def about(self) -> dict[str, Any]:
        """What the suite says of the case."""
        return self.suite.cases[self.case]

    @property
    def title(self) -> str:
        """The suite, and what the controller ran in."""
        return f"{self.suite.title} over {self.stack}" if self.stack else self.suite.title

    @property
    def source(self) -> str:
        """The document and the section that the case follows from."""
        return f"{self.suite.document}, {self.about['source']}"


def play(
    suite: Suite,
    controller: NamedController,
    case: str | None = None,
    stack: ChosenStack | None = None,
) -> Iterator[Found]:
    """Play the cases of a suite, or one of them. Raises ConformanceError if there is none.

    With a stack the controller runs in that, and what needs a network is played only.
    """
    if case is not None and case not in suite.cases:
        known = _core.suggestion(case, list(suite.cases))
        raise ConformanceError(f"{suite.name}: unknown case `{case}`\nhelp: {known}")
    for name in [case] if case else suite.cases:
        yield found(suite, name, controller, stack)


def found(suite: Suite, case: str, controller: NamedController, stack: ChosenStack | None) -> Found:
    """Play a case."""
    on_network = Measurement(f"{suite.name}: {case}", controller, stack)
    over = (stack.title or stack.name) if stack else None
    try:
        if stack:
            needs = stack.needs(controller)
            answer = suite.core.play_over(case, controller.name, on_network.measure, needs)
        else:
            answer = suite.core.play(case, controller.name, on_network.measure, controller.own)
    except NotMeasurable as error:
        return Found(suite, case, "does-not-apply", str(error), None, on_network.trace, over)
    said = json.loads(answer)
    failure = said.get("failure") or (said if said["verdict"] == "fails" else None)
    keys = ("step", "from_s", "time_s", "quantity", "expected", "measured")
    return Found(
        suite,
        case,
        said["verdict"],
        said.get("reason"),
        {key: failure[key] for key in keys} if failure else None,
        on_network.trace or said["trace"],
        over,
    )
