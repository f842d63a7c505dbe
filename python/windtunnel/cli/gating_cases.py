"""The command `gate`: cases of conformance, which are judged beside the figures of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from windtunnel import controller_names
from windtunnel.cli import conforming
from windtunnel.cli.output import say
from windtunnel.conformance import suites
from windtunnel.conformance.junit import TestSuite
from windtunnel.conformance.playing import Found, play
from windtunnel.conformance.suites import Suite
from windtunnel.controller_names import NamedController
from windtunnel.extensions import Extensions
from windtunnel.studies.errors import StudyError


@dataclass(frozen=True)
class Chosen:
    """The suites that are played, and the controller that they are played to."""

    controller: NamedController
    named: str
    """The controller, as the command line names it."""
    suites: Sequence[Suite]

    def play(self) -> Cases:
        """Play all cases."""
        found = chain.from_iterable(play(it, self.controller) for it in self.suites)
        return Cases(self, list(found))


@dataclass(frozen=True)
class Cases:
    """What was found."""

    chosen: Chosen
    found: Sequence[Found]

    def show(self) -> None:
        """Print the cases that failed, and how many there are of each verdict."""
        conforming.show_cases([it for it in self.found if it.is_wrong], with_trace=False)
        say(f"{self.chosen.controller.name}: {conforming.counted(self.found)}")

    def document(self) -> dict[str, object]:
        """Give everything as JSON values."""
        return conforming.document(self.chosen.controller, self.found, with_trace=False)

    def test_suites(self) -> list[TestSuite]:
        """Give everything for a JUnit file."""
        return conforming.test_suites(self.chosen.controller, self.found)

    @property
    def failed(self) -> str | None:
        """How many cases failed, if any did."""
        return conforming.failed(self.chosen.controller, self.found)

    @property
    def help(self) -> str:
        """How a failed case is looked at."""
        return conforming.traced(self.chosen.named)


def choose(
    named: Sequence[str], controller: str | None, extensions: Sequence[str], loaded: Extensions
) -> Chosen | None:
    """Find what is to be played; None if nothing is.

    Without a controller it is that of the only extension; without suites those are played that are
    made for the controller. Raises StudyError, ConformanceError, UnknownController,
    UnknownExtension and ScenarioError.
    """
    if not named and controller is None:
        return None
    wanted = [suites.read(it) for it in named]
    if controller is not None:
        found = controller_names.find(controller, loaded)
        return Chosen(found, controller, wanted or suites.made_for(found.name))
    if len(extensions) != 1:
        raise StudyError(
            f"--suite {named[0]}: which controller is it for?\nhelp: name it with --controller, "
            "such as --controller cubic or --controller mine.py:Mine"
        )
    [name] = loaded
    return Chosen(controller_names.find(name, loaded), extensions[0], wanted)
