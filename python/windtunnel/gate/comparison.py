"""What has become better or worse: differences from a baseline, paired by seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.gate.baseline import Figures, Point, Values
from windtunnel.measures.intervals import Interval, interval
from windtunnel.quantities import Quantity, quantity
from windtunnel.studies.errors import StudyError
from windtunnel.studies.measures import MEASURED

JUDGED = tuple(name for name, it in MEASURED.items() if it.better)
"""The measures of which more or less is better."""

LEAST_SEEDS = 2
"""The number of seeds below which there is no interval."""


class Verdict(StrEnum):
    """What a comparison says."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    SAME = "same"
    GONE = "no longer measured"


@dataclass(frozen=True)
class Compared:
    """A measure of a point, in the baseline and now."""

    point: Point
    measure: str
    baseline: Interval
    now: Interval | None
    """None: some runs no longer have the measure."""
    difference: Interval | None
    """Now less then, paired by seed."""
    verdict: Verdict

    @property
    def is_worse(self) -> bool:
        """Whether it ends the gate with an error."""
        return self.verdict in (Verdict.REGRESSION, Verdict.GONE)


class Tolerances:
    """By how much each measure may be worse."""

    def __init__(self, written: Iterable[str]) -> None:
        """Parse `5 %` for all, `delay_s=1 ms` or `delay_s=5 %` for one. Raises StudyError."""
        self.of_all: Quantity | None = None
        self.of_measure: dict[str, Quantity] = {}
        for text in written:
            measure, separator, value = text.rpartition("=")
            allowed = checked(text, measure.strip(), value)
            if separator:
                self.of_measure[measure.strip()] = allowed
            else:
                self.of_all = allowed

    def of(self, measure: str, mean: float) -> float:
        """Give the tolerance of a measure whose mean is that in the baseline."""
        allowed = self.of_measure.get(measure, self.of_all)
        if allowed is None:
            return 0.0
        return allowed.number * abs(mean) if allowed.written == "%" else allowed.number


def checked(text: str, measure: str, value: str) -> Quantity:
    """Check a tolerance. Raises StudyError."""
    if "=" in text:
        check_measure("--tolerance", measure)
    allowed = quantity(value) or quantity(number(value))
    if (
        allowed
        and allowed.number >= 0
        and (allowed.written == "%" or (measure and allowed.base == unit(measure)))
    ):
        return allowed
    right = f'"{measure}=5 %" or "{example(measure)}"' if measure else '"5 %"'
    raise StudyError(f'--tolerance "{text}": not a valid tolerance; write such as {right}')


def number(text: str) -> float | None:
    """Read a plain number."""
    try:
        return float(text)
    except ValueError:
        return None


def unit(measure: str) -> str:
    """Give the base unit of a measure; empty for a number of things, and for a share."""
    last = measure.rpartition("_")[2]
    return last if last in ("s", "bps") else ""


def example(measure: str) -> str:
    """Give an example of a tolerance in the measure's unit."""
    return f"{measure}=" + {"s": "1 ms", "bps": "1 Mbps", "": "0.5"}[unit(measure)]


def check_measure(option: str, measure: str) -> None:
    """Refuse what is not a measure, or cannot be judged. Raises StudyError."""
    if measure in MEASURED and measure not in JUDGED:
        raise StudyError(f"{option} {measure}: neither direction of this measure is better")
    if measure not in JUDGED:
        raise StudyError(f"{option} {measure}: unknown measure\nhelp: known: {', '.join(JUDGED)}")


def compared(
    baseline: Figures, now: Figures, measures: Iterable[str], tolerances: Tolerances
) -> Iterator[Compared]:
    """Compare each measure that at least two runs of a point of the baseline have.

    Raises StudyError if a point has not enough seeds in common.
    """
    for point, before in baseline.points.items():
        after = now.points.get(point, {})
        for measure in (it for it in measures if it in before):
            pairs = paired(point, before[measure], after.get(measure, {}))
            if len(pairs) >= LEAST_SEEDS:
                yield judged(point, measure, pairs, tolerances)


Pair = tuple[float, float | None]


def paired(point: Point, before: Values, after: Values) -> list[Pair]:
    """Pair the values of the seeds that both have, where the baseline has the measure."""
    if after and len(before.keys() & after.keys()) < LEAST_SEEDS:
        raise StudyError(
            f"{named(point)}: fewer than {LEAST_SEEDS} seeds of the baseline were run\n"
            "help: --update writes a new baseline"
        )
    return [
        (value, after.get(seed))
        for seed, value in before.items()
        if value is not None and (seed in after or not after)
    ]


def judged(point: Point, measure: str, pairs: list[Pair], tolerances: Tolerances) -> Compared:
    """Judge a measure of a point."""
    then = interval([before for before, _ in pairs])
    known = [(before, after) for before, after in pairs if after is not None]
    if len(known) < len(pairs):
        return Compared(point, measure, then, None, None, Verdict.GONE)
    now = interval([after for _, after in known])
    difference = interval([after - before for before, after in known])
    worse = Interval(-difference.mean, -difference.high, -difference.low)
    worse = worse if MEASURED[measure].better == "more" else difference
    tolerance = tolerances.of(measure, then.mean)
    verdict = Verdict.SAME
    if worse.low > tolerance:
        verdict = Verdict.REGRESSION
    elif worse.high < -tolerance:
        verdict = Verdict.IMPROVEMENT
    return Compared(point, measure, then, now, difference, verdict)


def named(point: Point) -> str:
    """Name a point."""
    return ", ".join(f"{name} = {value}" for name, value in point) or "all seeds"


def check_points(baseline: Figures, now: Mapping[Point, object]) -> None:
    """Refuse a baseline that has other points. Raises StudyError."""
    for missing, where in (
        (baseline.points.keys() - now.keys(), "the study"),
        (now.keys() - baseline.points.keys(), "the baseline"),
    ):
        if missing:
            raise StudyError(
                f"{where} has no point {named(min(missing))}\nhelp: --update writes a new baseline"
            )
