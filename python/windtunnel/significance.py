"""What was found, in sentences: by how much cases differ, and how sure that is."""

from __future__ import annotations

from windtunnel.measures import differences
from windtunnel.measures.differences import Difference
from windtunnel.measures.frame import StudyFrame
from windtunnel.measures.intervals import CONFIDENCE
from windtunnel.pictures.studies import layout
from windtunnel.pictures.units import decimals, decimals_beside, scale, written
from windtunnel.tables import ResultTables

MOST_SAID = 8
"""The maximum number of differences that are told in sentences."""


def of_results(results: ResultTables) -> list[str]:
    """Say in what the cases of results differ from the first one, paired by run."""
    return told(differences.of_results(results), "the first case, paired by run")


def of_study(results: StudyFrame) -> list[str]:
    """Say in what the values of one parameter differ from its first one, paired by seed."""
    found = differences_of(results)
    by = layout.compared(results)
    return told(found, f"the first {by.name}, paired by seed, means over all else") if by else []


def differences_of(results: StudyFrame) -> list[Difference]:
    """Compare the values of the parameter that distinguishes lines in the report."""
    by = layout.compared(results)
    return differences.of_study(results, by) if by else []


def told(found: list[Difference], base: str) -> list[str]:
    """Tell the first of some differences, and what they are from."""
    if not found:
        return []
    more = f"; the first {MOST_SAID} of {len(found)}" if len(found) > MOST_SAID else ""
    return [*map(sentence, found[:MOST_SAID]), f"differences from {base}{more}"]


def sentence(it: Difference) -> str:
    """Tell a difference: `delay: bbr3 − cubic = −136.2 ms (95 % CI −150.1 to −122.3)`."""
    known = [value for value in (it.mean, it.low, it.high) if value is not None]
    shown = scale(it.measure.unit, known)
    values = [value / shown.size for value in known]
    digits = decimals_beside((max(values) - min(values)) / 2, decimals(values))
    mean, *ends = (signed(value, digits) for value in values)
    amount = f"{mean} {shown.unit}".rstrip()
    return f"{it.measure.title}: {it.second} − {it.first} = {amount} ({certainty(it, ends)})"


def certainty(it: Difference, ends: list[str]) -> str:
    """Say between which ends the true difference is, and whether it may be none."""
    if not ends:
        return "the same in all runs"
    doubt = "" if it.is_significant else "; not significant"
    return f"{CONFIDENCE * 100:.0f} % CI {' to '.join(ends)}{doubt}"


def signed(value: float, digits: int) -> str:
    """Write a number with its sign."""
    sign = "−" if value < 0 else "+" if value > 0 else ""
    return f"{sign}{written(abs(value), digits)}"
