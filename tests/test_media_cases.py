"""The scenarios of RFC 8867: capacities, queues, delays and timelines are those of its tables."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import polars as pl
import pytest

import windtunnel
from conftest import Command
from windtunnel.results import Results

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "scenarios" / "media"
PAGE = (ROOT / "docs" / "media.md").read_text(encoding="utf-8")

FORWARD, BACKWARD = ("left", "right"), ("right", "left")

CAPACITIES = [
    # File, direction, seconds and Mbps: the path capacity from then on, to the end.
    ("variable-capacity", FORWARD, [(0, 1), (40, 2.5), (60, 0.6), (80, 1)], 99),
    ("variable-capacity-two-flows", FORWARD, [(0, 4), (25, 2), (50, 3.5), (75, 1), (100, 2)], 124),
    ("congested-feedback", FORWARD, [(0, 2), (20, 1), (40, 0.5), (60, 2)], 99),
    ("congested-feedback", BACKWARD, [(0, 2), (35, 0.8), (70, 2)], 99),
    ("same-controller", FORWARD, [(0, 3.5)], 119),
    ("round-trip-fairness", FORWARD, [(0, 4)], 299),
    ("long-tcp", FORWARD, [(0, 2)], 119),
    ("short-tcp", FORWARD, [(0, 2)], 299),
    ("pause", FORWARD, [(0, 3.5)], 100),
]

TIMES = {
    # Seconds from and to which each flow of media sends.
    "variable-capacity": {"media": (0, 99)},
    "variable-capacity-two-flows": {"media-1": (0, 124), "media-2": (0, 124)},
    "congested-feedback": {"forward": (0, 99), "backward": (0, 99)},
    "same-controller": {"media-1": (0, 119), "media-2": (20, 119), "media-3": (40, 119)},
    "round-trip-fairness": {f"media-{it + 1}": (10 * it, 299) for it in range(5)},
    "long-tcp": {"media": (5, 119), "tcp": (0, 119)},
    "short-tcp": {"media-1": (5, 299), "media-2": (5, 299)},
    "pause": {"first": (0, 119), "second": (0, 100), "third": (0, 119)},
}

DELAYS = {"round-trip-fairness": [10, 25, 50, 100, 150]}
"""One-way path delays in milliseconds, in the order of the flows; 50 in all other cases."""

QUEUE = 0.3
"""The queue in seconds of the path capacity."""

PACKET = 1500 * 8
"""The bits of a full packet."""

AFTER = 8
"""Seconds from a change until a window that fills a queue fills it again."""


@cache
def filled(name: str) -> Results:
    """Run a case with flows that fill any queue: the link then shows its capacity."""
    settings = {"defaults.flow.controller": "cubic"}
    if name == "pause":
        settings |= {f"flows.{it}.workload": "bulk" for it in ("first", "second", "third")}
    else:
        settings |= {"defaults.flow.workload": "bulk"}
    return windtunnel.run(FOLDER / f"{name}.toml", settings=settings, progress=False)


@cache
def nearly_idle(name: str) -> Results:
    """Run a case with 50 kbps of media in each flow, no jitter and no delayed acknowledgements."""
    media = ("flows.first", "flows.third") if name == "pause" else ("defaults.flow",)
    settings = {f"{it}.workload.rate": "50 kbps" for it in media}
    settings["links.bottleneck.jitter.most"] = "1 us"
    settings["defaults.flow.acknowledgements.every"] = "1 segment"
    if name == "long-tcp":
        settings["flows.tcp.start"] = "100 s"
    return windtunnel.run(FOLDER / f"{name}.toml", settings=settings, progress=False)


@cache
def as_it_is(name: str) -> Results:
    """Run a case."""
    return windtunnel.run(FOLDER / f"{name}.toml", progress=False)


@pytest.mark.parametrize(("name", "direction", "table", "end"), CAPACITIES)
def test_the_capacity_over_time_is_the_tables_and_the_queue_holds_300_ms_of_it(
    name: str, direction: tuple[str, str], table: list[tuple[float, float]], end: float
) -> None:
    series = filled(name)["link_series"].filter(
        pl.col("link") == "bottleneck", pl.col("from") == direction[0], pl.col("to") == direction[1]
    )
    ends = [start for start, _ in table[1:]] + [end]
    for (start, capacity), until in zip(table, ends, strict=True):
        # The rate while it sends: what arrives over the share of the time in which it does.
        part = series.filter(pl.col("time_s").is_between(start + 0.5, until))
        measured = float(part["throughput_bps"].sum()) / float(part["utilisation"].sum())
        assert measured == pytest.approx(capacity * 1e6, rel=0.01), (start, measured)
        part = series.filter(pl.col("time_s").is_between(start + AFTER, until))
        most = part["queue_bytes"].max()
        assert isinstance(most, int)
        full = QUEUE * capacity * 1e6
        # Samples at the ends of intervals miss the moment at which it is full.
        assert 0.95 * full - PACKET <= most * 8 <= full, (start, most)


@pytest.mark.parametrize("name", TIMES)
def test_flows_start_and_stop_when_the_rfc_says(name: str) -> None:
    series = as_it_is(name)["flow_series"].filter(pl.col("goodput_bps") > 0)
    for flow, (start, stop) in TIMES[name].items():
        times = series.filter(flow=flow)["time_s"]
        first, last = times.min(), times.max()
        assert isinstance(first, float) and isinstance(last, float)
        # A handshake and the first flight; what the queue and the window hold when it stops.
        assert start < first < start + 1.5, flow
        assert stop - 0.5 < last < stop + 2.5, flow


@pytest.mark.parametrize("name", TIMES)
def test_the_least_round_trip_is_twice_the_path_delay(name: str) -> None:
    flows = nearly_idle(name)["flows"]
    for place, flow in enumerate(TIMES[name]):
        [least] = flows.filter(flow=flow)["delay_minimum_s"].to_list()
        one_way = DELAYS.get(name, [50] * 5)[place] / 1e3
        # A full packet takes up to 12 ms at 1 Mbps.
        assert 2 * one_way < least < 2 * one_way + 0.013, flow


@pytest.mark.parametrize("name", TIMES)
def test_jitter_is_30_ms_at_the_most(name: str) -> None:
    links = windtunnel.Scenario.load(FOLDER / f"{name}.toml").tables["links"]
    assert links["bottleneck"]["jitter"] == {"kind": "uniform", "most": "30 ms"}


def test_media_has_no_more_than_its_encoder_makes() -> None:
    series = as_it_is("variable-capacity")["flow_series"]
    part = series.filter(pl.col("time_s").is_between(50, 60))["goodput_bps"].mean()
    assert part == pytest.approx(1.5e6, rel=0.02)


def test_one_flow_is_silent_while_it_pauses_and_the_others_are_not() -> None:
    series = as_it_is("pause")["flow_series"]
    pause = series.filter(pl.col("time_s").is_between(43, 60))
    sent = {flow: part["goodput_bps"].mean() for (flow,), part in pause.group_by("flow")}
    assert sent["second"] == 0
    assert sent["first"] == pytest.approx(1.5e6, rel=0.05)
    assert sent["third"] == pytest.approx(1.5e6, rel=0.05)


def test_short_flows_fetch_30_to_50_kb_with_idle_periods_of_10_s() -> None:
    results = as_it_is("short-tcp")
    transfers = results["transfers"]
    sizes = sorted(transfers["size_bytes"].unique().to_list())
    assert sizes == [31_000 + 2_000 * it for it in range(10)]
    assert sum(sizes) / len(sizes) == (30_000 + 50_000) / 2
    begun = transfers.group_by("flow").agg(pl.col("start_s").min())
    assert begun.height == 10
    assert begun.filter(pl.col("start_s") < 0.2).height == 2
    # Idle from the end of a file to the request of the next: exponential, of mean 10 s.
    ordered = transfers.sort("flow", "start_s").with_columns(
        end=pl.col("start_s") + pl.col("completion_s")
    )
    idle = ordered.select(
        (pl.col("start_s") - pl.col("end").shift().over("flow")).drop_nulls()
    ).to_series()
    mean = idle.mean()
    assert isinstance(mean, float)
    # The mean of n has a deviation of 10 / √n; long ones are cut off by the end of the run.
    assert abs(mean - 10) < 4 * 10 / len(idle) ** 0.5


COMMANDS = re.findall(r"^\$ windtunnel (run scenarios/media/.*)$", PAGE, re.MULTILINE)


def test_the_page_has_a_command_for_each_case() -> None:
    named = {Path(it.split()[1]).stem for it in COMMANDS}
    assert named == {it.stem for it in FOLDER.glob("*.toml")} == set(TIMES)


def test_a_command_of_the_page_runs_and_writes_a_report(windtunnel: Command) -> None:
    [command] = [it for it in COMMANDS if "variable-capacity.toml --report" in it]
    words = [str(ROOT / it) if it.startswith("scenarios/") else it for it in command.split()]
    done = windtunnel(*words, "--out", "results")
    assert done.returncode == 0, done.stderr
