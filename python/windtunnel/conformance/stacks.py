"""The implementation of a transport protocol over which the flow of a case runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel import _core, controller_names, extensions
from windtunnel.conformance.suites import ConformanceError
from windtunnel.controller_names import NamedController
from windtunnel.extensions import Extension
from windtunnel.plugins import SUFFIXES, Plugin
from windtunnel.scenario import writing
from windtunnel.scenario.definitions import definitions
from windtunnel.scenario.scenario import Scenario
from windtunnel.stacks.stack import Stack

FLOW = "flow"
"""The name of the flow in the scenarios."""

QUIC = {"quinn": True, "noq": True, "aioquic": False}
"""The implementations of QUIC, and whether Windtunnel's controllers run in them."""

TCP = ("smoltcp", "linux", "windtunnel")
"""The implementations of TCP."""

KEYS = {"quic": ("quic", "stack"), "tcp-stack": ("tcp", "stack"), "stack": ("stack", "name")}
"""The table of an implementation in a flow over a protocol, and the key of its name there."""

TRIAL = f"""\
duration = "1 s"
nodes = {{ server = {{}}, client = {{}} }}
links.path = {{ nodes = ["server", "client"], rate = "1 Mbps", delay = "1 ms" }}
flows.{FLOW} = {{ from = "server", to = "client", controller = "cubic" }}
"""
"""A network with nothing that an implementation could lack."""


class NotMeasurable(Exception):
    """A case asks for what the implementation does not have or report, as the message says."""


@dataclass(frozen=True)
class ChosenStack:
    """An implementation."""

    name: str
    """Its name in scenarios."""
    protocol: str
    """What flows over it have as `protocol`."""
    has_ours: bool = False
    """Whether Windtunnel's controllers run in it; otherwise it has its own."""
    own: dict[str, Extension] = field(default_factory=dict)
    """The class or the library that it comes from, by its name; empty: it comes along."""
    title: str = ""
    """What it is called in titles, if not by its name."""

    def controller(self, text: str) -> NamedController:
        """Find a controller that runs in it.

        Raises UnknownController, UnknownExtension, and ScenarioError if it has none of that name.
        """
        found = (
            controller_names.find(text) if self.has_ours else NamedController(text, (), self.own)
        )
        trial = f"conform {text} --stack {self.name}"
        self.carrying(Scenario.parse(TRIAL, trial), found)
        return found

    def needs(self, controller: NamedController) -> tuple[str, ...] | None:
        """Give what a controller in it declares; None if that is not known."""
        return controller.needs if self.has_ours else None

    def carrying(self, scenario: Scenario, controller: NamedController) -> Scenario:
        """Give a scenario whose flow runs over it.

        Raises NotMeasurable if the flow needs what is not there, and ScenarioError.
        """
        tables: dict[str, Any] = dict(scenario.tables)
        flows = tables.get("flows", {})
        if FLOW not in flows:
            raise ConformanceError(f"{scenario.file}: there is no flow `{FLOW}`")
        kept = {key: it for key, it in flows[FLOW].items() if key != "controller"}
        if unknown := next((it for it in kept if it not in keys_of(self.protocol)), None):
            raise NotMeasurable(f"flows over {self.name} have no `{unknown}`")
        table, key = KEYS[self.protocol]
        carried = {**kept, "protocol": self.protocol, table: {key: self.name}}
        tables["flows"] = {**flows, FLOW: carried}
        path = f"flows.{FLOW}." if self.has_ours else f"flows.{FLOW}.{table}."
        text = writing.document(tables)
        known = {**scenario.extensions, **self.own}
        # The controller is set as a command would, so that a mistake is one of the command.
        return Scenario.parse(text, scenario.file, known).changed(
            {f"{path}controller": controller.name}, controller.own
        )


def find(text: str, with_own: bool = False) -> ChosenStack:
    """Find an implementation by its name, as a class in Python, or as the file of a library.

    `with_own` has its own controllers, where Windtunnel's run in it otherwise.

    Raises ConformanceError and UnknownExtension.
    """
    if with_own and not QUIC.get(text):
        choice = " or ".join(name for name, has_ours in QUIC.items() if has_ours)
        raise ConformanceError(
            f"--own is for --stack {choice}, in which Windtunnel's controllers run otherwise\n"
            "help: leave out --own"
        )
    if with_own:
        return ChosenStack(text, "quic", title=f"{text} with its own controller")
    if text in QUIC:
        return ChosenStack(text, "quic", QUIC[text])
    if text in TCP:
        return ChosenStack(text, "tcp-stack")
    if ":" not in text and not text.endswith(SUFFIXES):
        known = _core.suggestion(text, names())
        raise ConformanceError(
            f"unknown stack `{text}`\nhelp: {known}; or name the file of a library, or FILE:CLASS"
        )
    name, extension = extensions.loaded(text)
    if not is_stack(extension):
        raise ConformanceError(
            f"{text}: is not a stack\n"
            "help: name a class derived from windtunnel.Stack, or a library with a stack"
        )
    return ChosenStack(name, "stack", own={name: extension})


def names() -> list[str]:
    """Give the names of the implementations that come along."""
    return [*QUIC, *TCP]


def is_stack(extension: Extension) -> bool:
    """Say whether it is an implementation of a transport protocol."""
    if isinstance(extension, Plugin):
        return extension.controllers is not None
    return issubclass(extension, Stack)


def keys_of(protocol: str) -> Mapping[str, Any]:
    """Give the keys of flows over a protocol."""
    keys: list[Mapping[str, Any]] = [it["properties"] for it in definitions()["Flow"]["anyOf"]]
    return next(it for it in keys if it["protocol"]["const"] == protocol)
