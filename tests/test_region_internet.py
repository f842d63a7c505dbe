"""The paper on an Internet of regions: BGP's rules, the allocations, and the region protocol."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import polars as pl
import pytest

import windtunnel
from windtunnel import allocations, package_data
from windtunnel.papers.paper import module

FOLDER = package_data.PAPERS / "region-internet"


@pytest.fixture(scope="module")
def bgp() -> ModuleType:
    return module(FOLDER / "bgp.py")


def clique(size: int) -> tuple[dict[str, str], list[tuple[str, str, float]]]:
    """Lay out regions of one router, each joined to each."""
    nodes = [f"n{place}" for place in range(size)]
    links = [(one, other, 0.01) for one, other in itertools.combinations(nodes, 2)]
    return {node: node for node in nodes}, links


@pytest.mark.parametrize("withdrawals_wait", [False, True])
@pytest.mark.parametrize(("size", "messages"), [(3, 10), (4, 27), (5, 56), (6, 100)])
def test_a_clique_explores_paths_as_long_as_it_must(
    bgp: ModuleType, size: int, messages: int, withdrawals_wait: bool
) -> None:
    """The last message after n - 3 intervals (Labovitz 2001); one more if withdrawals wait."""
    regions, links = clique(size)
    network = bgp.Network(
        regions,
        links,
        dict.fromkeys(regions, 1),
        jitter=False,
        withdrawals_wait=withdrawals_wait,
    )
    network.run(1000.0)
    network.withdraw("n0")
    network.run(2000.0)
    intervals = size - 2 if withdrawals_wait else size - 3
    assert network.counted.messages == messages
    assert network.counted.last_s - 1000.0 == pytest.approx(30.0 * intervals, abs=1.0)


def test_an_update_holds_as_many_prefixes_as_fit_into_4096_bytes(bgp: ModuleType) -> None:
    # 23 bytes, 4 + 9 + 7 of attributes, and 4 for each prefix.
    assert bgp.update(1, 4.0, ("a",)) == (1, 47.0)
    assert bgp.update(1013, 4.0, ("a",)) == (1, 43.0 + 1013 * 4)
    assert bgp.update(1014, 4.0, ("a",)) == (2, 2 * 43.0 + 1014 * 4)
    assert bgp.update(1018, 4.0, None) == (1, 23.0 + 1018 * 4)


SCENARIO = """\
duration = "600 s"
recording = {{ flows = false, links = false, routes = false }}
region_protocol = {{ advertisement_jitter = false, withdrawals_wait = {waits} }}
[defaults.link]
rate = "10 Gbps"
delay = "10 ms"
[nodes]
{nodes}
[links]
{links}
[regions]
{regions}
[flows.trickle]
from = "{first}"
to = "{last}"
protocol = "udp"
rate = "1 kbps"
[compare.event]
none = {{}}
gone = {{ {gone} }}
"""


def scenario(
    region_of: dict[str, str], links: list[tuple[str, str, float]], gone: set[str], waits: bool
) -> str:
    """Write a network whose links with these ends go down after 200 s."""
    named = {f"{one}-{other}": (one, other) for one, other, _ in links}
    down = [name for name, ends in named.items() if gone & set(ends)]
    regions: dict[str, list[str]] = {}
    for node, region in region_of.items():
        regions.setdefault(region, []).append(f'"{node}"')
    return SCENARIO.format(
        waits=str(waits).lower(),
        nodes="\n".join(f"{node} = {{}}" for node in region_of),
        links="\n".join(f'{name} = {{ nodes = ["{a}", "{b}"] }}' for name, (a, b) in named.items()),
        regions="\n".join(
            f"{name} = {{ code = {code}, nodes = [{', '.join(nodes)}] }}"
            for code, (name, nodes) in enumerate(regions.items(), 1)
        ),
        first=next(iter(region_of)),
        last=list(region_of)[1],
        gone=", ".join(
            f'"links.{it}.changes" = [{{ at = "200 s", state = "down" }}]' for it in down
        ),
    )


def after_the_event(text: str) -> tuple[int, float]:
    """Give the messages that an event causes, and when the last route changed after it."""
    found = windtunnel.run(windtunnel.Scenario.parse(text), progress=False)
    messages = found["routers"].group_by("event").agg(pl.col("control_messages").sum())
    by_event = dict(messages.iter_rows())
    changes = found["route_changes"].filter(pl.col("time_s") > 199.0)
    last: Any = changes["time_s"].max()
    return by_event["gone"] - by_event["none"], last - 200.0


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_borders_tell_each_other_by_the_rules_of_bgp(
    bgp: ModuleType, size: int, waits: bool
) -> None:
    """A region of a clique goes: as many messages, and as soon, as in the event simulation."""
    regions, links = clique(size)
    network = bgp.Network(
        regions, links, dict.fromkeys(regions, 1), jitter=False, withdrawals_wait=waits
    )
    network.run(200.0)
    network.fail([("n0", other) for other in list(regions)[1:]])
    network.run(600.0)
    changed_s = network.counted.changed_s - 200.0
    # That region alone learns at once that it reaches nobody, which the simulation knows as well.
    messages, last_s = after_the_event(scenario(regions, links, {"n0"}, waits))
    assert messages == network.counted.messages
    assert last_s == pytest.approx(changed_s, abs=0.1)


@pytest.mark.parametrize(("size", "messages"), [(3, 4), (5, 16), (10, 81)])
def test_a_record_is_flooded_over_each_link_twice_but_for_a_tree(size: int, messages: int) -> None:
    """2E - (N - 1) transmissions, if none is back to the one that it came from first."""
    inside, links = clique(size)
    regions = {**dict.fromkeys(inside, "a"), "b0": "b", "c0": "c"}
    links = [*links, ("n0", "b0", 0.01), ("b0", "c0", 0.01)]
    assert messages == 2 * (len(links) - 2) - (size - 1)
    found, _ = after_the_event(scenario(regions, links, {"c0"}, True))
    # b tells a that c is gone, and a tells b the same.
    assert found == messages + 2


def test_the_allocations_are_those_of_the_package() -> None:
    exact, whole = allocations.by_country(4), allocations.by_country(4, "whole")
    assert (len(exact), sum(exact.values()), sum(whole.values())) == (250, 493_646, 334_373)
    assert sum(allocations.by_length(4)) == sum(exact.values())
    assert sum(allocations.by_length(6)) == sum(allocations.by_country(6).values())
    # No more addresses than there are, and each range in room of its own.
    used = sum(count << (32 - length) for length, count in enumerate(allocations.by_length(4)))
    assert used < 2**32


@pytest.mark.parametrize(
    ("first", "last", "lengths"),
    [
        (0, 255, [24]),
        (1, 255, [32, 31, 30, 29, 28, 27, 26, 25]),
        (0, 2**32 - 1, [0]),
        (256, 1023, [24, 23]),
        (7, 7, [32]),
    ],
)
def test_a_range_is_cut_into_the_fewest_prefixes(first: int, last: int, lengths: list[int]) -> None:
    make = module(package_data.DATA / "allocations" / "make_allocations.py")
    assert list(make.lengths(first, last, 32)) == lengths
    assert 2 ** (32 - make.whole(first, last, 32)) >= last - first + 1


def test_sub_regions_of_the_root_of_the_prefixes_make_tables_smallest() -> None:
    tables = module(FOLDER / "tables.py")
    for prefixes in (1, 2, 10, 100, 85_387):
        best = min(-(-prefixes // parts) + parts - 1 for parts in range(1, prefixes + 1))
        assert tables.entries(prefixes, True) <= best + 1
        assert tables.entries(prefixes, False) == prefixes


def test_states_that_join_keep_their_prefixes_and_are_in_one_region() -> None:
    joined = module(FOLDER / "joined.py")
    # UN-OHRLLS's list: 39 states and 18 associate members of regional commissions, none twice.
    counts = [
        sum(len(codes) for codes in members.values())
        for members in (joined.STATES, joined.ASSOCIATE_MEMBERS)
    ]
    assert (counts, len(joined.REGION_OF)) == ([39, 18], 57)
    for version in (4, 6):
        by_country, by_region = allocations.by_country(version), joined.prefixes(version)
        assert by_region.total() == sum(by_country.values())
        assert len(by_region) == len(by_country) - 57 + 3
        assert by_region["pacific"] == sum(
            by_country[it.upper()] for it in joined.REGION_OF if joined.REGION_OF[it] == "pacific"
        )


def test_the_country_codes_are_those_of_e164() -> None:
    codes = module(FOLDER / "codes.py").COUNTRY_CODES
    assert (len(codes), len(set(codes)), max(codes)) == (215, 215, 998)
    assert codes == sorted(codes)


FIGURE_8 = {
    "transparent": {"ct1": "region", "ct3": "region", "ct2": "address"},
    "tunnel": {"ct1": "region", "ct4": "region", "ct2": "address"},
}
"""What the routers of each region look at, by mode: section VI.D.2."""


@pytest.fixture(scope="module")
def figure_8() -> pl.DataFrame:
    """Give the routers that a packet of figure 8 passes."""
    text = (FOLDER / "figure-8.toml").read_text()
    text = text.replace("runs = 5", "runs = 1").replace('duration = "8 s"', 'duration = "2 s"')
    found = windtunnel.run(windtunnel.Scenario.parse(text), progress=False)["routers"]
    on_the_way = found.filter(traffic="one-way", reading="default")
    return on_the_way.filter(~pl.col("node").str.starts_with("h"))


@pytest.mark.parametrize("mode", FIGURE_8)
def test_each_region_of_figure_8_forwards_by_what_its_role_asks(
    figure_8: pl.DataFrame, mode: str
) -> None:
    """Traffic one way: acknowledgements would give the receiver's region the sender's role."""
    for region, field in FIGURE_8[mode].items():
        routers = figure_8.filter(mode=mode, region=region)
        for router in routers.iter_rows(named=True):
            looks = {it for it in ("region", "address", "tunnel") if router[f"{it}_lookups"]}
            in_tunnel = region == "ct4" and not router["is_border"]
            assert looks == {"tunnel" if in_tunnel else field}, router["node"]


CHAIN = """\
duration = "20 s"
nodes = { a = {}, b = {}, c = {}, d = {} }
[region_protocol]
withdrawals_wait = false
[defaults.link]
rate = "10 Mbps"
delay = "5 ms"
[links]
a-b = { nodes = ["a", "b"] }
b-c = { nodes = ["b", "c"] }
c-d = { nodes = ["c", "d"] }
[regions]
ra = { code = 1, nodes = ["a"] }
rb = { code = 2, nodes = ["b"] }
rc = { code = 3, nodes = ["c"] }
rd = { code = 4, nodes = ["d"] }
[agreements]
ab = { regions = ["ra", "rb"] }
bc = { regions = ["rb", "rc"] }
cd = { regions = ["rc", "rd"], until = "5 s" }
[flows.near]
from = "a"
to = "b"
protocol = "udp"
rate = "1 Mbps"
payload = "1000 B"
start = "1 s"
stop = "19 s"
[flows.far]
from = "a"
to = "d"
protocol = "udp"
rate = "1 Mbps"
payload = "1000 B"
start = "1 s"
stop = "19 s"
"""


def test_regions_that_an_agreement_does_not_concern_lose_nothing() -> None:
    """An agreement of two regions ends: others lose their way to those, and no other (VIII.A)."""
    found = windtunnel.run(windtunnel.Scenario.parse(CHAIN), progress=False)
    received = dict(found["flows"].select("flow", "received_bytes").iter_rows())
    assert received["near"] == 18 * 125 * 1000
    assert 0 < received["far"] <= 4 * 125 * 1000
    late = found["route_changes"].filter(pl.col("time_s") > 5.0)
    assert set(late["region"]) == {"rd"}
