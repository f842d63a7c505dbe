"""Pictures of channels: of the links whose rate follows a radio or a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from windtunnel.measures.columns import RECEIVED, MeasuredColumn
from windtunnel.pictures import antennas, maps, over_time, series
from windtunnel.pictures.cases import BETWEEN, Comparison, Line, Panel, panel
from windtunnel.pictures.over_time import MOST_DETAILS, MOST_PANELS
from windtunnel.pictures.picture import Picture

SINR = MeasuredColumn("sinr_db", "SINR", "dB")
RATE = MeasuredColumn("rate_bps", "rate", "bit/s")
RECEIVED_POWER = MeasuredColumn("received_dbm", "received power", "dBm")
MARGIN = MeasuredColumn("margin_db", "margin", "dB")
SCHEME = MeasuredColumn("mcs", "MCS")

Direction = dict[str, str]
"""A direction of a link: its columns `link`, `from` and `to`."""


@dataclass(frozen=True)
class Channel:
    """A direction's channel, and the cases that have it in common."""

    samples: pl.DataFrame
    """Its rows of `channel_series`, of all runs."""
    cases: list[int]
    parts: tuple[str, ...]
    """What distinguishes these cases from the others, for people."""


def directions(comparison: Comparison) -> list[Direction]:
    """Give the directions of links that have a channel, the busiest first."""
    samples = comparison.tables.get("channel_series")
    # Results of earlier versions have no such table.
    if samples is None or samples.is_empty():
        return []
    names = ["link", "from", "to"]
    carried = comparison["links"].group_by(names).agg(pl.col("delivered_bytes").sum())
    found = samples.select(names).unique(maintain_order=True)
    ordered = found.join(carried, on=names, maintain_order="left").sort(
        "delivered_bytes", descending=True, nulls_last=True, maintain_order=True
    )
    return ordered.select(names).to_dicts()


def distinct(comparison: Comparison, direction: Direction) -> list[Channel]:
    """Find which cases have the same channel: it does not depend on the controllers."""
    found: list[tuple[pl.DataFrame, list[int]]] = []
    samples = comparison["channel_series"].filter(**direction)
    for (case,), of_case in samples.group_by("case", maintain_order=True):
        channel = of_case.drop("case", *direction)
        alike = next((cases for other, cases in found if other.equals(channel)), None)
        if alike is None:
            found.append((channel, [case]))
        else:
            alike.append(case)
    return [Channel(channel, cases, parts(comparison, cases)) for channel, cases in found]


def parts(comparison: Comparison, cases: list[int]) -> tuple[str, ...]:
    """Name some cases by what only they have in common, or after the first of them."""
    rows = {case: comparison.parts(case) for case in range(len(comparison.cases))}
    columns = zip(*(rows[case] for case in cases), strict=True)
    common = {
        index: set(names).pop() for index, names in enumerate(columns) if len(set(names)) == 1
    }
    alike = [case for case, row in rows.items() if all(row[at] == it for at, it in common.items())]
    if alike == cases:
        return tuple(common.values())
    return (f"{BETWEEN.join(rows[cases[0]])} and {len(cases) - 1} more",)


def lines(comparison: Comparison, channels: list[Channel], title: str) -> list[Line]:
    """Give a line for each channel, with a title for one that needs no name."""
    return comparison.ranked((it.cases[0], it.parts or (title,), None) for it in channels)


def of_link(comparison: Comparison) -> list[Picture]:
    """Draw what is known of the channel of the link that carries most, in that direction."""
    return [it for kind in KINDS.values() for it in kind(comparison)]


def of_others(comparison: Comparison) -> list[Picture]:
    """Draw the same for the other directions and links."""
    drawn = []
    seen = {it["link"] for it in directions(comparison)[:1]}
    for index, direction in enumerate(directions(comparison)[1 : 1 + MOST_DETAILS], start=2):
        if direction["link"] not in seen:
            drawn += map_of(comparison, direction, f"channel-{index}-map")
        seen.add(direction["link"])
        drawn += sinr_of(comparison, direction, f"channel-{index}-sinr")
        drawn += scheme_of(comparison, direction, f"channel-{index}-mcs")
        drawn += received_of(comparison, direction, f"channel-{index}-received")
        drawn += margin_of(comparison, direction, f"channel-{index}-margin")
        drawn += rate_of(comparison, direction, f"channel-{index}-rate")
    return drawn[:MOST_DETAILS]


def of_busiest(
    comparison: Comparison, draw: Callable[[Comparison, Direction, str], list[Picture]], name: str
) -> list[Picture]:
    """Draw something of the direction that carries most, if any has a channel."""
    return [it for first in directions(comparison)[:1] for it in draw(comparison, first, name)]


def map_of(comparison: Comparison, direction: Direction, name: str) -> list[Picture]:
    """Draw the path of the user, once for all cases with the same channel."""
    on_map = comparison["maps"].filter(link=direction["link"])
    channels = [] if on_map.is_empty() else distinct(comparison, direction)
    made = []
    for index, channel in enumerate(channels[:MOST_PANELS], start=1):
        first = channel.samples["run"].min()
        place = on_map.filter(case=channel.cases[0], run=first)
        path = maps.walk(channel.samples.filter(run=first))
        title = f"Path of the user ({direction['link']})"
        made.append(
            Picture(
                name=name if len(channels) == 1 else f"{name}-{index}",
                title=": ".join([title, *filter(None, [BETWEEN.join(channel.parts)])]),
                caption=explanation(direction, channel, path, index, len(channels)),
                lines=[],
                chart=partial(maps.chart, place, path),
            )
        )
    return made


def explanation(
    direction: Direction, channel: Channel, path: pl.DataFrame, index: int, count: int
) -> str:
    """Write the caption of a map."""
    sentences = []
    if maps.OUTAGE in path["state"]:
        sentences.append(f"Outage: {direction['from']} cannot send to {direction['to']}.")
    if channel.samples["run"].n_unique() > 1:
        sentences.append("First run.")
    if index == MOST_PANELS < count:
        sentences.append(f"{count - index} more maps are omitted.")
    return " ".join(sentences)


def sinr_of(comparison: Comparison, direction: Direction, name: str) -> list[Picture]:
    """Draw the SINR over time."""
    return column_over_time(comparison, direction, name, "SINR", SINR)


def scheme_of(comparison: Comparison, direction: Direction, name: str) -> list[Picture]:
    """Draw the modulation and coding scheme over time."""
    title = "Modulation and coding scheme"
    return column_over_time(comparison, direction, name, title, SCHEME)


def received_of(comparison: Comparison, direction: Direction, name: str) -> list[Picture]:
    """Draw the received power over time."""
    return column_over_time(comparison, direction, name, "Received power", RECEIVED_POWER)


def margin_of(comparison: Comparison, direction: Direction, name: str) -> list[Picture]:
    """Draw over time by how much that is above what the receiver needs."""
    return column_over_time(comparison, direction, name, "Margin", MARGIN)


def rate_of(comparison: Comparison, direction: Direction, name: str) -> list[Picture]:
    """Draw the rate of a link over time."""
    return column_over_time(comparison, direction, name, "Rate", RATE)


def column_over_time(
    comparison: Comparison, direction: Direction, name: str, title: str, measure: MeasuredColumn
) -> list[Picture]:
    """Draw a column of a direction over time, once for all cases with the same channel."""
    channels = distinct(comparison, direction)
    # Results of earlier versions do not have every column.
    known = [it.samples for it in channels if measure.column in it.samples.columns]
    if all(it[measure.column].count() == 0 for it in known):
        return []
    drawn = lines(comparison, channels, measure.title)
    get = partial(series.of_channel, comparison, measure.column, direction=direction)
    where = f"from {direction['from']} to {direction['to']} ({direction['link']})"
    shaded = series.without_line_of_sight(comparison, drawn[:1], direction)
    sights = [it.samples.select("run", "time_s", "line_of_sight") for it in channels]
    # The shading shows one line of sight only.
    if shaded.is_empty() or not all(it.equals(sights[0]) for it in sights):
        return over_time.over_time(name, f"{title} {where}", measure, drawn, get)
    several = comparison.several_runs and (shaded["share"] < 1).any()
    darker = "; darker: in more runs" if several else ""
    said = f"Shaded: no line of sight to the station{darker}."
    made = over_time.over_time(name, f"{title} {where}", measure, drawn, get, shaded)
    return [replace(it, caption=f"{it.caption} {said}".strip()) for it in made]


def goodput(comparison: Comparison) -> list[Picture]:
    """Draw what was received over time, and behind it the rate of the link that has a channel.

    Where no link has one, or several have, it is the goodput alone. Cases with
    different channels are in different pictures.
    """
    found = directions(comparison)
    if len({it["link"] for it in found}) != 1:
        return over_time.goodput(comparison)
    channels = distinct(comparison, found[0])
    made = [
        picture
        for index, channel in enumerate(channels[:MOST_PANELS], start=1)
        for picture in followed(
            comparison, found[0], channel, "goodput" if len(channels) == 1 else f"goodput-{index}"
        )
    ]
    if len(channels) > MOST_PANELS:
        said = f"{len(channels) - MOST_PANELS} more channels are omitted."
        made[-1] = replace(made[-1], caption=f"{made[-1].caption} {said}".strip())
    return made


def followed(
    comparison: Comparison, direction: Direction, channel: Channel, name: str
) -> list[Picture]:
    """Draw the goodput of the cases with a channel, and its rate."""
    of_cases = [it for it in comparison.by_group() if it.case in channel.cases]
    measured = comparison.ranked(
        ((it.case, it.parts, it.controller) for it in of_cases), [it.group for it in of_cases]
    )
    drawn = panel(measured) if channel.parts else Panel("", measured)
    rate = Line("rate", channel.cases[0], (f"rate of {direction['link']}",), None, 0, True)
    get = partial(series.of_goodput_and_rate, comparison, direction=direction)
    title = "Data received" + over_time.of_several(comparison, "sum")
    title = ": ".join(filter(None, [title, drawn.title]))
    return over_time.over_time(
        name, title, RECEIVED, [*drawn.lines, rate], get, events=comparison.events
    )


KINDS: dict[str, Callable[[Comparison], list[Picture]]] = {
    "map": partial(of_busiest, draw=map_of, name="map"),
    "sinr": partial(of_busiest, draw=sinr_of, name="sinr"),
    "mcs": partial(of_busiest, draw=scheme_of, name="mcs"),
    "received": partial(of_busiest, draw=received_of, name="received"),
    "margin": partial(of_busiest, draw=margin_of, name="margin"),
    "rate": partial(of_busiest, draw=rate_of, name="rate"),
    "antennas": antennas.losses,
}
"""What is drawn of a channel, by its kind."""
