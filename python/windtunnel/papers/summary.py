"""What a reproduction found, in a dozen lines: answers, best readings, what cannot be known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.papers.items import Item, Measured
from windtunnel.papers.readings import DEFAULT
from windtunnel.papers.scores import Effect, Numbers, Score, best

MOST_EFFECTS = 3
"""The number of readings whose effect is named."""


@dataclass(frozen=True)
class Answered:
    """A question and its answer under the default reading, in words."""

    question: str
    where: str
    answer: str
    yes_in: str
    """In how many readings, other than those drawn at random, the answer is yes."""
    paper: str
    here: str
    """What was measured, with half its 95 % interval."""
    verdict: str


TITLES = ["question", "where", "answer", "yes in", "paper", "here, ± 95 %"]
"""The titles of the answers' columns."""


@dataclass(frozen=True)
class Summary:
    """The answers, and sentences beside them."""

    answers: list[Answered]
    sentences: list[str]


def summarise_all(
    items: Sequence[Item],
    scores: Sequence[Score],
    sample: Sequence[str],
    effects: Sequence[Effect],
    unknown: Iterable[str],
) -> Summary:
    """Summarise what was found. `sample` are the readings that were drawn at random."""
    sentences = [*fits(items, scores, sample), *named_effects(effects)]
    sentences += [f"Cannot be known: {sentence}" for sentence in unknown]
    argued = {score.reading for score in scores} - set(sample) | {DEFAULT}
    return Summary(list(answers(items, argued)), sentences)


def answers(items: Sequence[Item], readings: Collection[str]) -> Iterator[Answered]:
    """Answer the questions, and count among some readings."""
    asked = [item for item in items if item.question and item.reading in readings]
    for item in asked:
        if item.reading != DEFAULT:
            continue
        said = [it.answer for it in asked if it.id == item.id]
        yield Answered(
            item.question,
            item.id.split("/")[1],
            item.answer or str(item.verdict),
            f"{said.count('yes')} of {len(said)}" if item.answer else "",
            "" if item.published is None else value(float(item.published), item.unit),
            "" if item.measured is None else with_half_width(item.measured),
            str(item.verdict),
        )


def with_half_width(measured: Measured) -> str:
    """Format a mean with half its interval."""
    half = (measured.interval[1] - measured.interval[0]) / 2
    return f"{digits(measured.mean, measured.unit)} {spread(half)} {measured.unit}".strip()


def spread(half: float) -> str:
    """Format half an interval with two digits."""
    return f"± {half:.0f}" if half >= 100 else f"± {half:.2g}"


def value(number: float, unit: str) -> str:
    """Format a value with its unit."""
    return f"{digits(number, unit)} {unit}".strip()


def digits(number: float, unit: str = "") -> str:
    """Format a number with three digits; a difference in percent has its sign."""
    text = f"{number:.0f}" if abs(number) >= 100 else f"{number:.3g}"
    return f"+{text}" if unit == "%" and number > 0 else text


def fits(items: Sequence[Item], scores: Sequence[Score], sample: Sequence[str]) -> Iterator[str]:
    """Say how many numbers match by default, and at best."""
    default = Numbers(items).score(DEFAULT)
    if not default.numbers:
        return
    yield f"Numbers of the paper that match: {default.agree} of {default.numbers} by default."
    drawn = set(sample)
    argued = [score for score in scores if score.reading not in drawn]
    random = [score for score in scores if score.reading in drawn]
    for several, kind in ((argued, "readings"), (random, "combinations drawn at random")):
        if len(several) > 1:
            top = best(several)
            yield f"Best of {len(several)} {kind}: {top.agree} with {named(top)}."


def named(score: Score) -> str:
    """Name a reading with its definitions."""
    definitions = f" (defined as {', '.join(score.definitions)})" if score.definitions else ""
    return f"`{score.reading}`{definitions}"


def named_effects(effects: Sequence[Effect]) -> Iterator[str]:
    """Name the readings that change the number of those that match most."""
    largest = sorted(effects, key=lambda it: -abs(it.gain))[:MOST_EFFECTS]
    if largest:
        listed = (f"`{it.reading}` {it.gain:+.1f} ± {it.half_width:.1f}" for it in largest)
        yield f"Largest effects on that number: {', '.join(listed)}."
