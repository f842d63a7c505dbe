"""Keep what a reproduction found beside its paper, and write it into the paper's page.

    windtunnel reproduce ec-elastic
    windtunnel reproduce ec-elastic --runs 2 --combinations 300 --out results/search
    python validation/paper_pages.py ec-elastic results/ec-elastic --search results/search

writes `papers/ec-elastic/results.json`, and the parts of `README.md` after its comments.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from windtunnel.folders import VERSION_KEY
from windtunnel.markdown import table
from windtunnel.papers.items import CLAIMS
from windtunnel.papers.readings import DEFAULT, known_parts, restricted
from windtunnel.papers.reproduction import REPRODUCTION
from windtunnel.papers.scores import Score, best
from windtunnel.papers.summary import TITLES, digits, spread
from windtunnel.report.of_reproduction import SYMBOLS

PAPERS = Path(__file__).parents[1] / "papers"
RESULTS = "results.json"
PAGE = "README.md"

BEGIN = "<!-- Of results.json, by validation/paper_pages.py -->"
END = "<!-- End of results.json -->"
NUMBERS = "<!-- Numbers of results.json, by validation/paper_pages.py -->"
"""Where the numbers begin, with which the page ends."""

SHOWN = 0.001
"""Half an interval is shown if it is a larger share of the mean."""

MOST_COMBINATIONS = 5
"""The number of the best combinations that are kept."""


def kept(document: Mapping[str, Any], search: Mapping[str, Any] | None) -> dict[str, Any]:
    """Give what is kept of a reproduction, and of a search among combinations of readings."""
    found = {key: document[key] for key in (VERSION_KEY, "runs", "seed", "summary", "scores")}
    # Without readings there is nothing to combine, and without numbers nothing to match.
    if search and search["combinations"] > 1 and has_numbers(found):
        found["search"] = searched(search)
    items: dict[str, dict[str, Any]] = {}
    for item in document["items"]:
        items.setdefault(item["id"], stated(item))["readings"][item["reading"]] = measured(item)
    return {**found, "items": list(items.values())}


def has_numbers(found: Mapping[str, Any]) -> bool:
    """Say whether the paper has numbers, and not only claims."""
    return any(score["numbers"] for score in found["scores"])


def stated(item: Mapping[str, Any]) -> dict[str, Any]:
    """Give what all readings have in common."""
    same = {key: item[key] for key in ("id", "kind", "definition", "unit") if item[key]}
    if item["kind"] in ("number", "input") and item["published"]:
        same["published"] = item["published"]["value"]
    return {**same, "readings": {}}


def measured(item: Mapping[str, Any]) -> list[Any]:
    """Give the verdict, and if there are any the mean, half the interval, minimum and maximum."""
    value = item["measured"]
    if value is None:
        return [item["verdict"]]
    low, high = value["interval"] or (value["mean"], value["mean"])
    numbers = (value["mean"], (high - low) / 2, value["low"], value["high"])
    return [item["verdict"], *(float(f"{number:.5g}") for number in numbers)]


def searched(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give what is kept of a search."""
    drawn = set(document["sample"])
    scores = [score for score in document["scores"] if score["reading"] in drawn]
    scores.sort(key=lambda it: -it["agree"])
    return {
        "combinations": document["combinations"],
        "sampled": len(drawn),
        "runs": document["runs"],
        "best": scores[:MOST_COMBINATIONS],
        "effects": sorted(document["effects"], key=lambda it: -abs(it["gain"])),
    }


def write(folder: Path, found: Mapping[str, Any]) -> None:
    """Write the results and the page. Raises ValueError if the page has no place for them."""
    head = {key: value for key, value in found.items() if key != "items"}
    lines = ",\n".join(json.dumps(item, ensure_ascii=False) for item in found["items"])
    text = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    (folder / RESULTS).write_text(f'{text},\n "items": [\n{lines}\n]\n}}\n', encoding="utf-8")
    page = folder / PAGE
    page.write_text(with_results(page.read_text(encoding="utf-8"), found), encoding="utf-8")


def with_results(page: str, found: Mapping[str, Any]) -> str:
    """Replace the parts of a page that are written from results: the answers, and at its end the
    numbers."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page must have the lines `{BEGIN}` and `{END}`")
    written, _, _ = after.partition(NUMBERS)
    parts = [before, BEGIN, "\n", answered(found), END, written.rstrip("\n"), "\n\n", NUMBERS, "\n"]
    return "".join([*parts, numbered(found)])


def answered(found: Mapping[str, Any]) -> str:
    """Write the answers as Markdown, and which readings give others."""
    return "\n".join([*answers(found), *readings(found), *search(found)]) + "\n"


def numbered(found: Mapping[str, Any]) -> str:
    """Write the numbers as Markdown."""
    measured = numbers(found) if has_numbers(found) else values(found)
    return "\n".join(measured).rstrip("\n") + "\n"


def answers(found: Mapping[str, Any]) -> Iterator[str]:
    """Write the questions and their answers."""
    summary = found["summary"]
    version, runs, seed = (found[key] for key in (VERSION_KEY, "runs", "seed"))
    yield from ("## Answers", "")
    yield f"Windtunnel {version}, {runs} runs of each case, seed {seed}. Differences in percent are"
    yield "paired by run, with half their 95 % interval, and follow the two values; *yes in*: under"
    yield "how many of the readings listed below."
    yield ""
    keys = ("question", "where", "answer", "yes_in", "paper", "here")
    yield table(TITLES, [[it[key] for key in keys] for it in summary["answers"]])
    yield from (f"- {sentence}" for sentence in summary["sentences"])
    yield ""


def search(found: Mapping[str, Any]) -> Iterator[str]:
    """Write what a search among combinations of readings found."""
    if "search" not in found:
        return
    made = found["search"]
    yield from ("## Readings together", "")
    yield (
        f"Of {made['combinations']:,} combinations of readings, {made['sampled']:,} were drawn at "
        f"random, with {made['runs']} runs of each case. The best of them is suggestive, not "
        "evidence."
    )
    yield ""
    rows = [
        [f"`{it['reading']}`", f"{it['agree']} of {it['numbers']}", ", ".join(it["definitions"])]
        for it in made["best"]
    ]
    yield table(["best combinations", "numbers that match", "definitions"], rows)
    effects = [
        [f"`{it['reading']}`", it["axis"], f"{it['gain']:+.1f} ± {it['half_width']:.1f}"]
        for it in made["effects"]
        if abs(it["gain"]) > it["half_width"]
    ]
    yield "What a reading adds to the numbers that match, in the mean over all combinations (of the"
    yield "readings that are not here, the 95 % interval includes zero):"
    yield ""
    yield table(["reading", "question", "adds"], effects)


def numbers(found: Mapping[str, Any]) -> Iterator[str]:
    """Write the rows of the paper's tables: published, by default, and under the best reading."""
    yield from ("## Numbers", "")
    yield (
        "Means, and half the 95 % interval where runs differ. ✓ within 10 % of the paper or its "
        "rounding, ✗ not, ≤ at the bound of what the network allows, ⊘ impossible on it."
    )
    yield ""
    chosen = best([Score(**it) for it in found["scores"]])
    rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for item in found["items"]:
        of_table = item["kind"] in ("number", "input", "context") and not of_claim(item)
        if of_table and item.get("definition", "") in ("", *chosen.definitions):
            rows.setdefault(place_of(item), []).append(item)
    for (place, measure), columns in rows.items():
        unit = columns[0].get("unit", "")
        title = f"{place}: {measure}{f' in {unit}' if unit else ''}"
        names = [it["id"].split("/")[-2] for it in columns]
        published = [f"*{it['published']:,g}*" if "published" in it else "–" for it in columns]
        own = known_parts(reading for it in columns for reading in it["readings"])
        shown = dict.fromkeys((DEFAULT, restricted(chosen.reading, own)))
        lines = [[f"`{name}`", *(cell(it["readings"][name]) for it in columns)] for name in shown]
        yield table([title, *names], [["*published*", *published], *lines])


def values(found: Mapping[str, Any]) -> Iterator[str]:
    """Write what was measured by default beside the claims of a paper that has no numbers."""
    yield from ("## Numbers", "", "Means, and half the 95 % interval where runs differ.", "")
    tables: dict[tuple[str, tuple[str, ...]], list[list[str]]] = {}
    rows: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for item in found["items"]:
        if not of_claim(item):
            rows.setdefault(place_of(item), []).append(item)
    for (place, measure), columns in rows.items():
        unit = columns[0].get("unit", "")
        names = tuple(it["id"].split("/")[-2] for it in columns)
        cells = [cell(it["readings"][DEFAULT]) for it in columns]
        line = [f"{measure}{f' in {unit}' if unit else ''}", *cells]
        tables.setdefault((place, names), []).append(line)
    for (place, names), lines in tables.items():
        yield table([place, *names], lines)


def of_claim(item: Mapping[str, Any]) -> bool:
    """Say whether an item is a claim, or the number of one."""
    return str(item["id"]).startswith(f"{CLAIMS}/")


def place_of(item: Mapping[str, Any]) -> tuple[str, str]:
    """Name the row of an item, and its measure."""
    *place, _, measure = item["id"].split("/")
    return ", ".join(dict.fromkeys(place)).replace("-", " "), measure.replace("-", " ")


def cell(value: Sequence[Any]) -> str:
    """Write a value with half its interval, and its verdict."""
    verdict, *numbers = value
    if not numbers:
        return "–"
    mean, half, *_ = numbers
    shown = f" {spread(half)}" if half > SHOWN * abs(mean) else ""
    return f"{digits(mean)}{shown} {SYMBOLS.get(verdict, '')}".strip()


def readings(found: Mapping[str, Any]) -> Iterator[str]:
    """Write how many numbers match and how many claims hold under each reading."""
    yield from ("## Readings that were run", "")
    counts_numbers = has_numbers(found)
    if counts_numbers:
        yield "Where a definition is open, the numbers are counted with the one that has the most."
        yield ""
    claims = [item["readings"] for item in found["items"] if item["kind"] == "claim"]
    rows = []
    for score in (Score(**it) for it in found["scores"]):
        verdicts = [of[restricted(score.reading, known_parts(of))][0] for of in claims]
        verdicts = [it for it in verdicts if it != "measured"]
        held = f"{verdicts.count('confirmed')} of {len(verdicts)}" if verdicts else ""
        agree = [f"{score.agree} of {score.numbers}"] if counts_numbers else []
        rows.append([f"`{score.reading}`", *agree, held])
    titles = ["numbers that match"] if counts_numbers else []
    yield table(["reading", *titles, "claims confirmed"], rows)


def main() -> None:
    """Keep the results of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paper", help="its name")
    parser.add_argument("results", type=Path, help="a folder of `windtunnel reproduce`")
    parser.add_argument("--search", type=Path, help="one with --combinations")
    given = parser.parse_args()
    document, made = (
        json.loads((folder / REPRODUCTION).read_text(encoding="utf-8")) if folder else None
        for folder in (given.results, given.search)
    )
    write(PAPERS / given.paper, kept(document, made))


if __name__ == "__main__":
    main()
