"""Pictures of a network of regions: the map, the tables of its routers, and who learned when."""

from __future__ import annotations

from functools import partial
from math import atan2, cos, pi, sin

import altair as alt
import polars as pl

from windtunnel.pictures import charts
from windtunnel.pictures.cases import Comparison
from windtunnel.pictures.charts import Drawing
from windtunnel.pictures.colours import SCREEN, Ink
from windtunnel.pictures.data import source
from windtunnel.pictures.picture import Picture
from windtunnel.pictures.units import maximum, minimum

MOST_ROUTERS = 60
"""The maximum number of routers with a bar or a line of their own."""

SPREAD = 0.55
"""How far the nodes of a region are from its middle, as a share of what there is."""

BY_CODE = "codes of regions"
BY_ADDRESS = "payload addresses"
BY_OUTER = "outer addresses of tunnels"
UNUSED = "nothing"
WAYS = (BY_CODE, BY_ADDRESS, BY_OUTER, UNUSED)
"""What a router looked at to forward packets between regions."""

KINDS = {"entries": "with regions", "flat_entries": "without"}
"""What the size of a router's table is called, by its column."""

WIDE = 20
"""Beyond such a ratio of the largest table to the smallest, the axis is logarithmic."""

Place = tuple[float, float]


def regions(comparison: Comparison) -> list[Picture]:
    """Draw the regions, tables and route changes of the first case and run."""
    routers = comparison.tables.get("routers")
    # Results of earlier versions have no such table.
    if routers is None or routers.is_empty():
        return []
    is_first = {"case": routers["case"][0], "run": routers["run"][0]}
    first = {name: comparison[name].filter(**is_first) for name in ("regions", "links")}
    routers = routers.filter(**is_first)
    changes = comparison["route_changes"].filter(**is_first)
    # One direction of each link.
    links = first["links"].unique("link", keep="first", maintain_order=True)
    made = [map_of(first["regions"], routers, links), tables_of(routers)]
    if not changes.is_empty():
        made.append(changes_of(routers, changes))
    return made


def map_of(names: pl.DataFrame, routers: pl.DataFrame, links: pl.DataFrame) -> Picture:
    """Draw regions as circles with their nodes and the links between them."""
    middles, places, radius = placed(routers, links)
    transit = dict(names.select("region", "transit").iter_rows())
    circles = pl.DataFrame(
        [(f"{name} ({transit[name]})", x, y, x, y + radius) for name, (x, y) in middles.items()],
        schema=["name", "x", "y", "label_x", "label_y"],
        orient="row",
    )
    looked = looked_at(routers)
    nodes = looked.with_columns(
        x=pl.Series([places[it][0] for it in looked["node"]], dtype=pl.Float64),
        y=pl.Series([places[it][1] for it in looked["node"]], dtype=pl.Float64),
        role=pl.when("is_border").then(pl.lit("border")).otherwise(pl.lit("inside")),
    )
    lines = pl.DataFrame(
        [
            (*places[a], *places[b], link)
            for link, a, b in links.select("link", "from", "to").rows()
        ],
        schema=["x", "y", "x2", "y2", "link"],
        orient="row",
    )
    caption = (
        "Squares are borders. Colours show by which field each node forwards packets between "
        "regions: nodes that forward by codes or payload addresses must implement the region "
        "protocol. In brackets: how packets of other regions cross."
    )
    chart = partial(draw_map, circles, nodes, lines, radius)
    return Picture("regions", "Regions, and what their nodes forward by", caption, [], chart)


def looked_at(routers: pl.DataFrame) -> pl.DataFrame:
    """Add what each router looked at: the first of the ways that it used."""
    return routers.with_columns(
        way=pl.when(pl.col("region_lookups") > 0)
        .then(pl.lit(BY_CODE))
        .when(pl.col("address_lookups") > 0)
        .then(pl.lit(BY_ADDRESS))
        .when(pl.col("tunnel_lookups") > 0)
        .then(pl.lit(BY_OUTER))
        .otherwise(pl.lit(UNUSED))
    )


def placed(
    routers: pl.DataFrame, links: pl.DataFrame
) -> tuple[dict[str, Place], dict[str, Place], float]:
    """Give the middles of regions, the places of nodes, and the radius of a region.

    Regions are on a circle, each beside one that a link joins it to if there is such. The
    borders of a region lie towards their neighbours.
    """
    region_of = dict(routers.select("node", "region").iter_rows())
    joined: dict[str, set[str]] = {}
    outside: dict[str, list[str]] = {}
    for start, end in links.select("from", "to").iter_rows():
        if region_of[start] != region_of[end]:
            for node, other in ((start, end), (end, start)):
                joined.setdefault(region_of[node], set()).add(region_of[other])
                outside.setdefault(node, []).append(region_of[other])
    order = around(routers["region"].unique(maintain_order=True).to_list(), joined)
    count = len(order)
    middles = {
        name: (cos(2 * pi * place / count), sin(2 * pi * place / count))
        for place, name in enumerate(order)
    }
    if count == 1:
        middles = {order[0]: (0.0, 0.0)}
    radius = 0.85 * sin(pi / count) if count > 1 else 1.0
    radius = min(radius, 0.6)
    places: dict[str, Place] = {}
    for name in order:
        nodes = [node for node, region in region_of.items() if region == name]
        for node, angle in angles(nodes, middles[name], outside, middles).items():
            reach = SPREAD * radius if len(nodes) > 1 else 0.0
            x, y = middles[name]
            places[node] = (x + reach * cos(angle), y + reach * sin(angle))
    return middles, places, radius


def around(names: list[str], joined: dict[str, set[str]]) -> list[str]:
    """Order regions so that each follows one that it is joined to, if there is one left."""
    order = [names[0]]
    rest = names[1:]
    while rest:
        beside = [it for it in rest if it in joined.get(order[-1], set())]
        order.append(beside[0] if beside else rest[0])
        rest.remove(order[-1])
    return order


def angles(
    nodes: list[str], middle: Place, outside: dict[str, list[str]], middles: dict[str, Place]
) -> dict[str, float]:
    """Give each node of a region its angle: evenly apart, in the order of where they look."""
    outward = atan2(middle[1], middle[0])

    def wanted(node: str) -> float:
        """Give where a border's neighbours are, or for others the outside, from there on."""
        if node not in outside:
            return 0.0
        x = sum(middles[it][0] - middle[0] for it in outside[node])
        y = sum(middles[it][1] - middle[1] for it in outside[node])
        return (atan2(y, x) - outward + pi) % (2 * pi) - pi

    ordered = sorted(nodes, key=wanted)
    # The node that looks outwards most nearly does so.
    nearest = min(range(len(ordered)), key=lambda it: abs(wanted(ordered[it])))
    step = 2 * pi / len(ordered)
    return {node: outward + (it - nearest) * step for it, node in enumerate(ordered)}


def draw_map(
    circles: pl.DataFrame, nodes: pl.DataFrame, lines: pl.DataFrame, radius: float, ink: Ink
) -> Drawing:
    """Draw the map."""
    size = 420
    reach = 1.08 + radius
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    x = alt.X("x:Q", scale=scale, axis=None)
    y = alt.Y("y:Q", scale=scale, axis=None)
    disc = pi * (radius * size / (2 * reach)) ** 2
    region: alt.Chart = alt.Chart(source(circles)).mark_point(
        filled=True, size=disc, color=ink.grid, opacity=0.6, shape="circle"
    )
    name: alt.Chart = alt.Chart(source(circles)).mark_text(color=ink.soft, dy=-6, fontWeight="bold")
    link: alt.Chart = alt.Chart(source(lines)).mark_rule(color=ink.soft, strokeWidth=1.2)
    node = alt.Chart(source(nodes))
    colours = alt.Scale(domain=list(WAYS), range=[*ink.hues[:3], ink.soft])
    legend = alt.Legend(
        orient="top", title="forwards by", labelColor=ink.text, titleColor=ink.text, labelLimit=0
    )
    mark: alt.Chart = node.mark_point(filled=True, size=130, opacity=1.0).encode(
        x=x,
        y=y,
        color=alt.Color("way:N", scale=colours, legend=legend),
        shape=alt.Shape(
            "role:N",
            scale=alt.Scale(domain=["inside", "border"], range=["circle", "square"]),
            legend=None,
        ),
    )
    text: alt.Chart = node.mark_text(color=ink.text, dy=-13)
    layers = [
        region.encode(x=x, y=y),
        link.encode(x=x, y=y, x2="x2:Q", y2="y2:Q"),
        mark,
        text.encode(x=x, y=y, text="node:N"),
        name.encode(
            x=alt.X("label_x:Q", scale=scale), y=alt.Y("label_y:Q", scale=scale), text="name:N"
        ),
    ]
    return charts.layered(layers, ink, width=size, height=size)


def tables_of(routers: pl.DataFrame) -> Picture:
    """Draw how many entries each router has, and had without regions."""
    shown = routers.head(MOST_ROUTERS)
    frame = shown.select("node", *KINDS).unpivot(index="node", variable_name="kind")
    frame = frame.with_columns(pl.col("kind").replace(KINDS))
    caption = (
        "A router keeps the prefixes of its own region and one entry for each other region that "
        "it reaches; without regions it keeps the prefixes of all."
    )
    if shown.height < routers.height:
        caption += f" The first {shown.height} of {routers.height} routers."
    return Picture(
        "region-tables",
        "Entries in the tables of routers",
        caption,
        [],
        partial(draw_tables, frame),
    )


def draw_tables(frame: pl.DataFrame, ink: Ink) -> Drawing:
    """Draw two bars for each node."""
    colours = alt.Scale(domain=list(KINDS.values()), range=[ink.hues[0], ink.soft])
    legend = alt.Legend(orient="top", title=None, labelColor=ink.text)
    nodes = frame["node"].unique(maintain_order=True).to_list()
    is_wide = maximum(frame["value"]) > WIDE * minimum(frame["value"])
    scale = alt.Scale(type="log", domainMin=1) if is_wide else alt.Scale()
    bars: alt.Chart = alt.Chart(source(frame)).mark_bar()
    drawn: alt.Chart = bars.encode(
        x=alt.X("value:Q", title="entries", scale=scale),
        y=alt.Y("node:N", title=None, sort=nodes),
        yOffset=alt.YOffset("kind:N", sort=list(KINDS.values())),
        color=alt.Color("kind:N", scale=colours, legend=legend),
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return drawn.properties(
        width=width, height=ink.sizes.row * len(nodes), config=charts.config(ink)
    )


def changes_of(routers: pl.DataFrame, changes: pl.DataFrame) -> Picture:
    """Draw when each router changed its way to which region."""
    nodes = routers["node"].head(MOST_ROUTERS).to_list()
    frame = changes.filter(pl.col("node").is_in(nodes)).select(
        "node",
        "time_s",
        "region",
        event=pl.when(pl.col("next").is_null()).then(pl.lit("lost")).otherwise(pl.lit("found")),
    )
    last = maximum(changes["time_s"])
    caption = (
        "Each mark is a router that changes its route to a region; "
        f"the last change is at {last:.3g} s."
    )
    return Picture(
        "route-changes",
        "Changes of the routes to regions",
        caption,
        [],
        partial(draw_changes, frame, nodes),
    )


def draw_changes(frame: pl.DataFrame, nodes: list[str], ink: Ink) -> Drawing:
    """Draw a mark for each change, over time."""
    names = frame["region"].unique(maintain_order=True).sort().to_list()
    colours = alt.Scale(
        domain=names, range=[ink.hues[it % len(ink.hues)] for it in range(len(names))]
    )
    shapes = alt.Scale(domain=["found", "lost"], range=["circle", "cross"])
    marks: alt.Chart = alt.Chart(source(frame)).mark_point(size=40)
    drawn: alt.Chart = marks.encode(
        x=alt.X("time_s:Q", title=charts.TIME),
        y=alt.Y("node:N", title=None, sort=nodes),
        yOffset=alt.YOffset("region:N", sort=names),
        color=alt.Color(
            "region:N",
            scale=colours,
            legend=alt.Legend(orient="top", title="route to", labelColor=ink.text),
        ),
        shape=alt.Shape(
            "event:N",
            scale=shapes,
            legend=alt.Legend(orient="top", title=None, labelColor=ink.text),
        ),
    )
    width = "container" if ink is SCREEN else ink.sizes.width
    return drawn.properties(
        width=width, height=ink.sizes.row * len(nodes), config=charts.config(ink)
    )
