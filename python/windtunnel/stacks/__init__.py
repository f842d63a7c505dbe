"""Implementations of transport protocols written in Python, and those that come with Windtunnel."""

from windtunnel.stacks.stack import (
    Address,
    Datagram,
    Departure,
    Event,
    EventKind,
    Place,
    Read,
    Stack,
    State,
)

__all__ = [
    "Address",
    "Datagram",
    "Departure",
    "Event",
    "EventKind",
    "Place",
    "Read",
    "Stack",
    "State",
]
