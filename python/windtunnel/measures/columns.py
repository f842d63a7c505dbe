"""Columns of results, and their titles.

The name of a column says what it holds and ends with its unit; `described` makes a title of it,
unless its definition has another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from windtunnel.measures.definitions import Better, ColumnDefinition, columns, definitions


@dataclass(frozen=True)
class MeasuredColumn:
    """A measured quantity: its column, its title and its base unit."""

    column: str
    title: str
    unit: str = ""
    better: Better | None = None
    """In which direction it becomes better."""


UNITS = {
    "bps": "bit/s",
    "s": "s",
    "s2": "s²",
    "db": "dB",
    "dbm": "dBm",
    "m": "m",
    "deg": "degrees",
    "bytes": "bytes",
    "packets": "packets",
    "segments": "segments",
}
"""The units at the end of columns' names."""

WORDS = {"data": "Data", "interests": "Interests", "nacks": "NACKs", "rtt": "RTT"}
"""How words of column names are written in titles."""


def described(column: str, table: str | None = None) -> MeasuredColumn:
    """Describe a column of a table; without one, as the first table that has it.

    `interests_in` is `Interests in`, `goodput_bps` is `goodput` in bit/s.
    """
    known = definitions()[table].columns if table else columns()
    defined = known.get(column) or ColumnDefinition(column, "", None, None, None)
    words = column.split("_")
    last = UNITS.get(words[-1], "") if len(words) > 1 else ""
    unit = last if defined.unit is None else defined.unit
    title = " ".join(WORDS.get(word, word) for word in (words[:-1] if last else words))
    return MeasuredColumn(column, defined.title or title, unit, defined.better)


GOODPUT = described("goodput_bps")
RECEIVED = described("received_bps")
DELAY = described("delay_s")
ONE_WAY_DELAY = MeasuredColumn("one_way_delay_s", "one-way delay", "s", "less")
ROUND_TRIP = replace(described("rtt_s"), title="round-trip time")
DROPPED = MeasuredColumn("drops", "packets dropped", better="less")
RETRANSMISSIONS = described("retransmissions")
TIMEOUTS = described("timeouts")
MARKS = replace(described("marks"), title="marks received")
FAIRNESS = MeasuredColumn("fairness", "Jain's fairness", better="more")
COMPLETION = described("completion_s")
UNFINISHED = replace(
    described("unfinished_transfers"), title="transfers that did not end within the run"
)
RATE = MeasuredColumn("rate_bps", "rate of the busiest link", "bit/s")
UTILISATION = replace(described("utilisation"), title="utilisation of the busiest link")
QUEUEING = MeasuredColumn("queue_delay_s", "sojourn time at the busiest link", "s", "less")
QUALITY = replace(described("quality_bps"), title="mean bitrate played")
PAGE_LOAD = described("page_load_s")
FIRST_PAINT = described("first_paint_s")
STALLED = replace(described("stalled_s"), title="playing stalled")
LOSS = MeasuredColumn("loss_share", "loss at the busiest link", "share", "less")
