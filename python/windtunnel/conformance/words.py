"""What was found, in words."""

from __future__ import annotations

from typing import Any

from windtunnel.conformance.playing import Found
from windtunnel.conformance.scripts import Played

VERDICTS = {
    "passes": "passes",
    "fails": "fails",
    "fails-as-known": "known failure",
    "passes-unexpectedly": "passes unexpectedly",
    "does-not-apply": "does not apply",
    "differs-in-time": "differs in time",
    "skipped": "skipped",
    "unreadable": "cannot be read",
}
"""The verdicts."""

OF_CONTROLLER = {
    "step": "step",
    "time_s": "time, s",
    "signal": "the controller gets",
    "cwnd": "cwnd",
    "ssthresh": "ssthresh",
    "pacing_rate": "pacing rate",
}
"""The columns of a trace of steps."""

OF_NETWORK = {
    "time_s": "until, s",
    "goodput_bps": "goodput, bit/s",
    "cwnd_segments": "cwnd",
    "smoothed_rtt_s": "rtt, s",
}
"""The columns of a trace of a flow over a network: means over parts of the run."""


def number(value: float | str | None) -> str:
    """Write a number of a window or a rate."""
    if value is None:
        return "none"
    return value if isinstance(value, str) else f"{value:.6g}"


def failure(said: dict[str, Any]) -> str:
    """Say what was expected, and what was measured instead."""
    where = place(said)
    if said["quantity"] is None:
        return f"expected {said['expected']}, {where}"
    return (
        f"{said['quantity']}: expected {said['expected']}, "
        f"measured {number(said['measured'])}, {where}"
    )


def place(said: dict[str, Any]) -> str:
    """Say where in a case, or when on its network, a number was measured."""
    if said["step"] is None:
        return f"from {said['from_s'] or 0:.6g} s to {said['time_s']:.6g} s"
    return f"after step {said['step']}, at {said['time_s']:.6g} s"


def details(found: Found) -> list[str]:
    """Say why a case has its verdict."""
    match found.verdict:
        case "passes-unexpectedly":
            return [f"it is listed as a known failure: {found.reason}"]
        case _:
            said = [found.reason] if found.reason else []
            return [*said, *([failure(found.failure)] if found.failure else [])]


def note(found: Found) -> list[str]:
    """Give what the suite says of the document itself."""
    said = found.about.get("note")
    return [said] if said else []


def of_script(played: Played) -> list[str]:
    """Say why a script has its verdict, and what of its code was not checked."""
    return [*why(played), *(f"not checked: {it}" for it in played.said.get("code_not_checked", []))]


def why(played: Played) -> list[str]:
    """Say why a script has its verdict."""
    said = played.said
    match played.verdict:
        case "fails":
            where = f"line {said['line']}, at {said['time_s']:.6g} s"
            sent = [f"sent: {it}" for it in said["sent"]]
            return [f"{where}: {said['reason']}", f"expected: {said['expected']}", *sent]
        case "differs-in-time":
            return [
                f"line {it['line']}: expected at {it['expected_s']:.6g} s, "
                f"sent at {it['sent_s']:.6g} s: {it['expected']}"
                for it in said["differences"]
            ]
        case "skipped":
            return [f"line {said['line']}: not here: {said['reason']}"]
        case "unreadable":
            return str(said["reason"]).splitlines()
        case _:
            return []
