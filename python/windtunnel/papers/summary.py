"""What a reproduction found, in a dozen lines: answers, best readings, what cannot be known."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.papers.items import Compared, Item, Measured
from windtunnel.papers.readings import DEFAULT
from windtunnel.papers.scores import Effect, Score, best

MOST_EFFECTS = 3
"""The number of readings whose effect is named."""


TWICE = 100.0
"""From this difference on, in percent, a factor is written instead."""


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
            "" if item.published is None else stated(float(item.published), item),
            "" if item.measured is None else measured(item, item.measured),
            str(item.verdict),
        )


def stated(number: float, item: Item) -> str:
    """Format the paper's value: of a difference with the two values and what it is over."""
    pair = [it.published for it in columns(item, item.published_of)]
    return f"{values(pair, item)}{of_columns(number, None, item.unit, item.published_of)}"


def measured(item: Item, of: Measured) -> str:
    """Format what was measured, as the paper's value is, with half its interval."""
    half = None if of.interval is None else (of.interval[1] - of.interval[0]) / 2
    pair = [it.measured.mean if it.measured else None for it in columns(item, item.measured_of)]
    return f"{values(pair, item)}{of_columns(of.mean, half, of.unit, item.measured_of)}"


def columns(item: Item, names: tuple[str, ...]) -> list[Compared]:
    """Give the two columns of a difference; none of what is no difference."""
    by_name = {it.name: it for it in item.columns}
    return [by_name[name] for name in names if name in by_name] if len(names) > 1 else []


def values(pair: Sequence[float | None], item: Item) -> str:
    """Write the values of two columns before their difference, if both are known."""
    if not pair or None in pair:
        return ""
    unit = next((it.measured.unit for it in item.columns if it.measured), "")
    listed = " : ".join(digits(number) for number in pair if number is not None)
    return f"{listed} {unit}".strip() + ", "


def of_columns(number: float, half: float | None, unit: str, of: tuple[str, ...]) -> str:
    """Format a number; a difference of two columns in percent names the second one.

    From twice as much on it is a factor.
    """
    if len(of) < 2 or unit != "%":
        return with_spread(number, half, unit)
    _, over = of
    if number < TWICE:
        return f"{with_spread(number, half, unit)} over {over}"
    return f"{with_spread(1 + number / 100, None if half is None else half / 100)} × {over}"


def with_spread(number: float, half: float | None, unit: str = "") -> str:
    """Format a number with half an interval, if there is one."""
    around = "" if half is None else f" {spread(half)}"
    return f"{digits(number, unit)}{around} {unit}".strip()


def spread(half: float) -> str:
    """Format half an interval with two digits."""
    return f"± {half:.0f}" if half >= 100 else f"± {half:.2g}"


def digits(number: float, unit: str = "") -> str:
    """Format a number with three digits; a difference in percent has its sign."""
    text = f"{number:.0f}" if abs(number) >= 100 else f"{number:.3g}"
    return f"+{text}" if unit == "%" and number > 0 else text


def fits(items: Sequence[Item], scores: Sequence[Score], sample: Sequence[str]) -> Iterator[str]:
    """Say how many numbers match by default, and at best."""
    default = next(score for score in scores if score.reading == DEFAULT)
    if not default.numbers:
        return
    if all(item.measured is None or item.measured.runs < 2 for item in items):
        yield "One run of each case has no interval and gives no verdict."
        return
    yield f"Numbers of the paper that match: {of_all(default)} by default."
    drawn = set(sample)
    argued = [score for score in scores if score.reading not in drawn]
    random = [score for score in scores if score.reading in drawn]
    for several, kind in ((argued, "readings"), (random, "combinations drawn at random")):
        if len(several) > 1:
            yield of_best(several, default, kind)


def of_best(several: Sequence[Score], default: Score, kind: str) -> str:
    """Say which of several readings fits best."""
    top = best(several)
    if top.agree <= default.agree:
        return f"None of {len(several)} {kind} matches more."
    return f"Best of {len(several)} {kind}: {top.agree} with {named(top)}."


def of_all(score: Score) -> str:
    """Write a score, with the definitions under which it holds."""
    return f"{score.agree} of {score.numbers}{defined(score)}"


def named(score: Score) -> str:
    """Name a reading with its definitions."""
    return f"`{score.reading}`{defined(score)}"


def defined(score: Score) -> str:
    """Name the definitions that are not the recommended ones."""
    return f" (defined as {', '.join(score.definitions)})" if score.definitions else ""


def named_effects(effects: Sequence[Effect]) -> Iterator[str]:
    """Name the readings that change the number of those that match most."""
    largest = sorted(effects, key=lambda it: -abs(it.gain))[:MOST_EFFECTS]
    if largest:
        listed = (f"`{it.reading}` {it.gain:+.1f} ± {it.half_width:.1f}" for it in largest)
        yield f"Largest effects on that number: {', '.join(listed)}."
