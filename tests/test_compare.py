"""`windtunnel compare`: what two folders of results differ in, and nothing else."""

from __future__ import annotations

import json
import re
import statistics
from pathlib import Path

import pytest

from conftest import Command
from windtunnel import Results
from windtunnel.measures.intervals import interval


@pytest.fixture
def both(windtunnel: Command, scenario: Path) -> Path:
    """Run the small scenario, and again with another delay and seed."""
    assert windtunnel("run", scenario.name, "--out", "a").returncode == 0
    changed = ["--set", "links.wire.delay=20 ms", "--seed", 7]
    assert windtunnel("run", scenario.name, "--out", "b", *changed).returncode == 0
    return scenario.parent


def test_only_the_settings_that_differ_are_named(windtunnel: Command, both: Path) -> None:
    settings = json.loads(windtunnel("compare", "a", "b", "--json").stdout)["settings"]
    assert settings == [
        {"path": "seed", "first": "1", "second": "7"},
        {"path": "links.wire.delay", "first": '"5 ms"', "second": '"20 ms"'},
    ]
    said = windtunnel("compare", "a", "b").stdout
    assert re.search(r'^ links\.wire\.delay +"5 ms" +"20 ms" *$', said, re.MULTILINE)


def test_a_difference_is_that_of_the_means_over_the_runs(windtunnel: Command, both: Path) -> None:
    found = json.loads(windtunnel("compare", "a", "b", "--json").stdout)
    flows = [Results.load(both / it)["flows"].rows(named=True) for it in ("a", "b")]
    assert [it["controller"] for it in found["flows"]] == ["cubic", "aimd"]
    for row in found["flows"]:
        goodputs = [
            [it["goodput_bps"] for it in them if it["controller"] == row["controller"]]
            for them in flows
        ]
        one, other = map(statistics.fmean, goodputs)
        figure = row["figures"]["goodput_bps"]
        assert figure["difference"]["mean"] == pytest.approx(other - one)
        less = [b - a for a, b in zip(*goodputs, strict=True)]
        low, high = interval(less).ends
        assert figure["difference"]["low"] == pytest.approx(low)
        assert figure["difference"]["high"] == pytest.approx(high)
        assert figure["first"]["runs"] == 2
        spread = statistics.stdev(goodputs[0])
        assert figure["first"]["standard_deviation"] == pytest.approx(spread)
    links = {(it["link"], it["from"], it["to"]) for it in found["queues"]}
    assert links == {("wire", "consumer", "producer"), ("wire", "producer", "consumer")}


def test_flows_fit_80_columns(windtunnel: Command, both: Path) -> None:
    said = windtunnel("compare", "a", "b").stdout
    flows, _, _ = said.partition(" controller, queue")
    assert max(len(it.rstrip()) for it in flows.splitlines()) <= 80
    for what in ("cubic, viewer", "aimd, viewer", "aimd, wire: producer to consumer"):
        assert f"\n {what} " in said
    spread = r"[\d.]+ ± [\d.]+"
    assert re.search(rf"^   goodput Mbps +{spread} +{spread} +[+-]{spread} +[+-]", said, re.M)


def test_results_beside_themselves_differ_in_nothing(windtunnel: Command, both: Path) -> None:
    assert windtunnel("compare", "a", "a").stdout == (
        "the same scenario, seed and version\n"
        "2 of 2 flows have the same figures, to the digits shown\n"
        "4 of 4 queues have the same figures, to the digits shown\n"
    )


def test_a_flow_that_only_one_has_is_shown(windtunnel: Command, both: Path) -> None:
    more = (both / "small.toml").read_text().replace("[compare", "[consumers.other]\n[compare", 1)
    more = more.replace(
        "[consumers.other]",
        '[consumers.other]\nnode = "consumer"\nprefix = "/video"\ncontroller = "aimd"',
    )
    (both / "more.toml").write_text(more)
    assert windtunnel("run", "more.toml", "--out", "c").returncode == 0
    rows = json.loads(windtunnel("compare", "a", "c", "--json").stdout)["flows"]
    [first, _] = [it for it in rows if it["flow"] == "other"]
    figure = first["figures"]["goodput_bps"]
    assert figure["first"] is None and figure["difference"] is None and figure["second"]["mean"] > 0
    assert re.search(r"goodput Mbps +– +\d", windtunnel("compare", "a", "c").stdout)


def test_comparisons_with_different_axes_are_said_to_be(windtunnel: Command, both: Path) -> None:
    alone = (both / "small.toml").read_text().split("[compare")[0]
    (both / "alone.toml").write_text(alone)
    assert windtunnel("run", "alone.toml", "--out", "d").returncode == 0
    said = windtunnel("compare", "a", "d").stdout
    assert "their comparisons have different axes: controller and none" in said


@pytest.mark.parametrize("broken", ["nowhere", "empty", "small.toml"])
def test_what_is_no_folder_of_results(windtunnel: Command, both: Path, broken: str) -> None:
    (both / "empty").mkdir()
    refused = windtunnel("compare", "a", broken)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"windtunnel: {broken}: not a folder of results")
    help_of_file = broken == "small.toml"
    assert refused.stderr.count("\n") == 1 + help_of_file


def test_a_study_is_not_compared(windtunnel: Command, both: Path) -> None:
    (both / "study").mkdir()
    manifest = '{"windtunnel": "0.1.0", "study_file": "../study.toml"}'
    (both / "study" / "manifest.json").write_text(manifest)
    refused = windtunnel("compare", "study", "a")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("windtunnel: study: holds the results of a study\nhelp: ")
