"""What a lookup costs: the code of a region by each rule, and an address in tables of prefixes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from windtunnel import _core
from windtunnel.allocations import by_country, by_length

SEED = 1
EVICTIONS = 100
"""How often the caches are emptied for each table."""


def tables() -> list[tuple[str, list[int]]]:
    """Give the tables of IPv4 prefixes: of a median country, of the largest, and of all."""
    countries = list(by_country(4))
    return [
        ("median-region", by_length(4, countries[len(countries) // 2])),
        ("largest-region", by_length(4, countries[-1])),
        ("all-regions", by_length(4)),
    ]


def measure(
    say: Callable[[str], None], *, seed: int = SEED, evictions: int = EVICTIONS
) -> dict[str, Any]:
    """Time lookups; `say` is called with the current step.

    The document has `version`, and for each of `lookups` its `table`, `structure` and
    `destinations`, the table's `entries`, and the time in ns with the table in the processor's
    caches (`warm_ns`) and with nothing of it there (`cold_ns`).
    """
    say("lookups in tables of routers")
    lookups = _core.measure_lookups(tables(), seed, evictions)
    return {"version": _core.__version__, "lookups": lookups}


def table(document: dict[str, Any]) -> Table:
    """Format the measurements for a terminal."""
    made = Table(box=SIMPLE_HEAD, caption=CAPTION, caption_justify="left")
    for title in ("table", "structure", "destinations"):
        made.add_column(title, no_wrap=True)
    for title in ("entries", "warm\nns", "cold\nns"):
        made.add_column(title, justify="right")
    for it in document["lookups"]:
        names = (it["table"], it["structure"], it["destinations"])
        made.add_row(*names, f"{it['entries']:,}", f"{it['warm_ns']:.1f}", f"{it['cold_ns']:.0f}")
    return made


CAPTION = """\
codes: the eight bits of the region, of 254; full-codes: all 32 bits, and longest-prefix-codes: the
longest prefix of whole bytes, where each region has 255 sub-regions; the other tables: the longest
prefix of an IPv4 address.
Each lookup waits for the one before it. Warm: with the table in the processor's caches;
cold: the median of lookups right after other data has displaced it and the program there."""
