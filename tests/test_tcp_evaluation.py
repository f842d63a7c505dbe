"""The scenarios of draft-irtf-iccrg-tcpeval-01: delays, buffers, loads and times are its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import windtunnel
from windtunnel.studies import design
from windtunnel.studies.file import Study, read

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "scenarios" / "tcp-evaluation"
PAGE = (ROOT / "docs" / "tcp-evaluation.md").read_text(encoding="utf-8")

ROUND_TRIPS = [4, 74, 150, 28, 98, 174, 54, 124, 200]
"""Those of the nine pairs, in milliseconds, without the central link."""

GROUPS = ("right", "right-small", "left", "left-small")
LOADS = (0.6, 0.85, 1.1)

# Mbps and milliseconds of buffer to the right and to the left, and milliseconds of delay.
CENTRAL = {
    "access": ((100, 100), (100, 100), 2),
    "satellite": ((40, 4), (100, 1000), 300),
    "dial-up": ((0.064, 0.064), (1250, 1250), 5),
}

# Seconds of warm-up and measured, at each load.
TIMES = {
    "access": [(84, 479), (179, 829), (34, 1423)],
    "satellite": [(163, 2513), (230, 2184), (298, 2481)],
    "dial-up": [(280, 168804), (400, 88094), (512, 69891)],
}


def loads(settings: dict[str, Any]) -> dict[str, float]:
    """Give the load of all flows of each group, as shares."""
    texts = {it: settings[f"flows.{it}.workload.load"] for it in GROUPS}
    return {it: 9 * float(text.removesuffix(" %")) / 100 for it, text in texts.items()}


def check_loads(settings: dict[str, Any], load: float) -> None:
    """Check that each direction has a load, of which the small packets have a tenth."""
    found = loads(settings)
    for direction in ("right", "left"):
        small = found[f"{direction}-small"]
        assert found[direction] + small == pytest.approx(load, rel=1e-5)
        assert small == pytest.approx(load / 10, rel=1e-5)


def points(study: Study) -> Iterator[dict[str, str]]:
    """Give what each point of a study sets, beside what all of them do."""
    for point in design.points(study):
        set_by_all = {path: str(value) for path, value in study.settings.items()}
        yield set_by_all | {path: str(json.loads(text)) for path, text in point.settings}


@pytest.mark.parametrize("name", CENTRAL)
def test_round_trips_are_those_of_the_nine_pairs_and_the_central_link(name: str) -> None:
    central = {"links.central.rate": "100 Mbps", "recording.interval": "1 s"}
    idle = {f"flows.{it}.workload": {"kind": "file", "size": "100 B"} for it in GROUPS}
    settings = {
        **central,
        **idle,
        "duration": "5 s",
        "defaults.flow.acknowledgements.every": "1 segment",
    }
    flows = windtunnel.run(FOLDER / f"{name}.toml", settings=settings, progress=False)["flows"]
    for group in GROUPS:
        for place, edges in enumerate(ROUND_TRIPS):
            [least] = flows.filter(flow=f"{group}-{place + 1}")["delay_minimum_s"].to_list()
            expected = (edges + 2 * CENTRAL[name][2]) / 1e3
            assert expected < least < expected + 0.001, (group, place)
    assert sum(ROUND_TRIPS) / 9 == pytest.approx(100.7, abs=0.05)


@pytest.mark.parametrize("name", CENTRAL)
def test_the_central_link_has_the_rates_and_the_buffers_of_the_draft(name: str) -> None:
    rates, buffers, _ = CENTRAL[name]
    # As many files as make both queues overflow.
    settings = {f"flows.{it}.workload": "bulk" for it in GROUPS}
    settings |= {
        "duration": "60 s" if name == "dial-up" else "20 s",
        "defaults.flow.controller": "scalable",
    }
    links = windtunnel.run(FOLDER / f"{name}.toml", settings=settings, progress=False)["links"]
    for node, rate, buffer in zip(("router-left", "router-right"), rates, buffers, strict=True):
        [row] = links.filter(link="central").filter(**{"from": node}).to_dicts()
        assert row["overlimit_drops"] > 0
        full = buffer / 1e3 * rate * 1e6 / 8
        assert full - 1500 < row["maximum_queue_bytes"] <= full
        busy = row["utilisation"] * settings_seconds(settings)
        assert row["delivered_bytes"] * 8 / busy == pytest.approx(rate * 1e6, rel=0.04)


def settings_seconds(settings: dict[str, str]) -> float:
    """Read the duration."""
    return float(settings["duration"].removesuffix(" s"))


@pytest.mark.parametrize("name", CENTRAL)
def test_a_scenario_has_the_load_and_the_times_of_its_studys_first_case(name: str) -> None:
    tables: dict[str, Any] = dict(windtunnel.Scenario.load(FOLDER / f"{name}.toml").tables)
    settings = {
        f"flows.{it}.workload.load": tables["flows"][it]["workload"]["load"] for it in GROUPS
    }
    check_loads(settings, 0.6)
    assert tables["duration"] == f"{sum(TIMES[name][0])} s"


@pytest.mark.parametrize("name", CENTRAL)
def test_a_study_has_three_loads_each_for_its_warm_up_and_the_time_measured(name: str) -> None:
    found = list(points(read(FOLDER / f"{name}-loads.toml")))
    controllers = {it["defaults.flow.controller"] for it in found}
    assert len(controllers) == 2 and len(found) == 6
    for place, settings in enumerate(found):
        check_loads(settings, LOADS[place % 3])
        assert settings["duration"] == f"{sum(TIMES[name][place % 3])} s"


def test_the_buffer_curve_has_10_to_200_percent_of_100_ms_at_a_load_of_85_percent() -> None:
    found = list(points(read(FOLDER / "buffer-curve.toml")))
    limits = [float(it["links.central.queue.limit"].removesuffix(" kB")) for it in found]
    # 100 ms at 100 Mbps are 1250 kB.
    assert limits[:5] == limits[5:] == [1250 * it for it in (0.1, 0.2, 0.5, 1, 2)]
    for settings in found:
        check_loads(settings, 0.85)
        assert settings["duration"] == f"{sum(TIMES['access'][1])} s"


COMMANDS = re.findall(
    r"^\$ windtunnel (?:run|study) scenarios/tcp-evaluation/(\S+)", PAGE, re.MULTILINE
)


def test_the_page_has_a_command_for_each_file() -> None:
    assert set(COMMANDS) == {it.name for it in FOLDER.glob("*.toml")}
