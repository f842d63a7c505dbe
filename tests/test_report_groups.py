"""Reports follow the question: lines by flows and groups, choices, distributions, events."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import windtunnel
from conftest import Command
from windtunnel.pictures import choices, spreads
from windtunnel.pictures.cases import Comparison, Line, panels, ranked
from windtunnel.pictures.choices import MOST_CHOICES
from windtunnel.pictures.colours import LIGHT, number, registered
from windtunnel.pictures.events import events, parsed
from windtunnel.pictures.looks import palette
from windtunnel.pictures.over_time import OVER_TIME, below_bursts
from windtunnel.pictures.picture import Picture
from windtunnel.report import network, of_results, write_report
from windtunnel.report.network import MOST_NODES
from windtunnel.results import Results

SCENARIO = """\
title = "Transfers, a call and a cache"
duration = "4 s"
recording.interval = "100 ms"

[nodes]
server = {}
router = { content_store = { capacity = "10000 packets" } }
client = {}
other = {}

[defaults.link]
rate = "20 Mbps"
delay = "5 ms"

[links]
near = { nodes = ["server", "router"] }
far = { nodes = ["router", "client"], changes = [
    { at = "2 s", state = "down" }, { at = "2500 ms", state = "up" } ] }
side = { nodes = ["router", "other"] }

[flows]
bulk-1 = { from = "server", to = "client", controller = "cubic" }
bulk-2 = { from = "server", to = "client", controller = "cubic", start = "1 s" }
call = { from = "server", to = "other", protocol = "udp", rate = "1 Mbps" }

[flows.web]
from = "server"
to = "other"
controller = "cubic"
workload = { kind = "request-response", request = "100 B", response = "20 kB", think = "10 ms" }

[producers.video]
node = "server"
prefix = "/video"

[consumers.first]
node = "client"
prefix = "/video"
controller = "cubic"
workload = { kind = "file", size = "1 MB" }

[consumers.second]
node = "other"
prefix = "/video"
controller = "aimd"
start = "3 s"
workload = { kind = "file", size = "1 MB" }
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Run everything that a report has pictures of, over one network."""
    file = tmp_path_factory.mktemp("scenario") / "mixed.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return windtunnel.run(file, progress=False)


@pytest.fixture(scope="module")
def comparison(results: Results) -> Comparison:
    """Count its cases."""
    return Comparison(results)


def copied(results: Results, names: list[str]) -> Results:
    """Give results in which the first flow is there under other names, and nothing else."""
    tables = dict(results.tables)
    for table in ("flows", "flow_series"):
        one = results[table].filter(flow="bulk-1").drop("flow")
        flows = pl.DataFrame({"flow": names})
        tables[table] = flows.join(one, how="cross").select(results[table].columns)
    return Results(results.axes, tables, results.scenario, results.manifest)


def test_each_flow_has_a_line_with_its_name_in_the_file(comparison: Comparison) -> None:
    labels = [line.label for line in comparison.by_group()]
    assert labels == ["first", "second", "bulk-1", "bulk-2", "call", "web"]


def test_many_flows_are_grouped_by_what_their_names_have_in_common(results: Results) -> None:
    names = [f"{kind}-{number}" for kind in ("incast", "bulk") for number in range(20)]
    lines = Comparison(copied(results, names)).by_group()
    assert [line.label for line in lines] == ["incast", "bulk"]
    # Without anything in common, there is the controller.
    names = [f"{a}{b}" for a, b in combinations("abcdefgh", 2)]
    (line,) = Comparison(copied(results, names)).by_group()
    assert line.group == line.controller == "cubic"


@pytest.mark.parametrize("count", range(2, 10))
@pytest.mark.parametrize("offset", [0, 9, 18])
def test_each_controller_has_one_colour_and_each_line_of_a_single_one_its_own(
    count: int, offset: int
) -> None:
    # Controllers whose own colours are the same, and one controller again and again.
    alike = [*registered()][offset % 9 :: 9]
    for controllers in ([*alike, *["cubic"] * count][:count], ["cubic"] * count):
        lines = ranked((case, (str(case),), name) for case, name in enumerate(controllers))
        subjects = len(set(controllers)) if len(set(controllers)) > 1 else count
        assert len({line.colour(LIGHT) for line in lines}) == subjects
        for panel in panels(lines):
            drawn = {(line.colour(LIGHT), line.dash) for line in panel.lines}
            assert len(drawn) == len(panel.lines)


@pytest.mark.parametrize("order", [1, -1])
def test_a_controller_has_one_colour_whatever_it_is_compared_with_first(order: int) -> None:
    # Of the same hue, and a protocol that has no hue of its own.
    compared = ["bbr3", "ec-elastic", "veno", "udp", "cubic"][::order]
    places = palette(compared)
    assert places == palette(sorted(compared)) and len({it % 9 for it in places.values()}) == 5
    assert places["cubic"] == number("cubic")


def test_every_picture_of_a_page_gives_a_controller_the_same_colour(comparison: Comparison) -> None:
    measured = of_results.measured(comparison, None)
    colours: dict[str, set[str]] = {}
    for line in (it for picture in measured.pictures for it in lines_of(picture)):
        if line.controller and not line.reference:
            colours.setdefault(line.controller, set()).add(line.colour(LIGHT))
    assert {"cubic", "aimd", "udp"} <= set(colours)
    assert all(len(those) == 1 for those in colours.values()), colours
    assert len({it for those in colours.values() for it in those}) == len(colours)


def lines_of(picture: Picture) -> list[Line]:
    """Find the lines that a picture draws."""
    chart: Any = picture.chart
    arguments = [*getattr(chart, "args", ()), *getattr(chart, "keywords", {}).values()]
    lists = [it for it in arguments if isinstance(it, list)]
    return [line for it in lists for line in it if isinstance(line, Line)]


def test_no_line_and_no_picture_is_empty(comparison: Comparison) -> None:
    drawn = {name: kind(comparison) for name, kind in OVER_TIME.items()}
    (window,) = drawn["window"]
    # A call over UDP has no window.
    assert "call" not in [line.label for line in window.lines] and len(window.lines) == 5
    flows = comparison["flow_series"].with_columns(cwnd_segments=pl.lit(None, pl.Float64))
    comparison_without = Comparison.__new__(Comparison)
    comparison_without.__dict__ = {
        **comparison.__dict__,
        "tables": {**comparison.tables, "flow_series": flows},
    }
    assert OVER_TIME["window"](comparison_without) == []


def test_a_page_has_no_empty_table_or_section(results: Results, tmp_path: Path) -> None:
    page = write_report(results.save(tmp_path / "mixed")).read_text(encoding="utf-8")
    page = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    for table in re.findall(r"<table>.*?</table>", page, re.S):
        assert 'class="number"' in table and table.count("<tr>") > 1
    for section in re.findall(r"<section[^>]*>\s*<h2>[^<]*</h2>(.*?)</section>", page, re.S):
        assert re.search(r"<figure|<table|<dl|<pre|<li", section)


def test_every_flow_and_link_can_be_chosen(comparison: Comparison) -> None:
    flows, links = choices.flows(comparison), choices.links(comparison)
    assert flows and links
    assert flows.options == ["first", "second", "bulk-1", "bulk-2", "call", "web"]
    assert len(links.options) == 6 and flows.note == links.note == ""
    assert links.options[links.first] == "far: router to client"
    samples = comparison["flow_series"].filter(flow="bulk-2")
    (values,) = flows.data["values"]["flow-goodput"][flows.options.index("bulk-2")]
    assert values == pytest.approx((samples["goodput_bps"] / 1e6).to_list(), rel=1e-3, abs=1e-6)


def test_what_cannot_be_chosen_is_counted(results: Results) -> None:
    names = [f"f{number}" for number in range(MOST_CHOICES + 20)]
    flows = choices.flows(Comparison(copied(results, names)))
    assert flows and len(flows.options) == MOST_CHOICES
    assert flows.note.startswith(f"First {MOST_CHOICES} of {MOST_CHOICES + 20} flows")


def test_distributions_are_of_what_was_measured(comparison: Comparison) -> None:
    drawn = {picture.name: picture for picture in spreads.spreads(comparison)}
    assert {"delay-cdf", "completion-cdf", "hit-ratio"} <= set(drawn)
    (line,) = spreads.completions(comparison)[0].chart.args[1]  # type: ignore[attr-defined]
    frame = spreads.completions(comparison)[0].chart.args[0]  # type: ignore[attr-defined]
    assert line.group == "web"
    half = frame.filter(pl.col("share") == 0.5)["value"].item()
    median = comparison["transfers"].select(pl.col("completion_s").median()).item()
    assert half == pytest.approx(1e3 * median, rel=1e-6)


def test_loss_and_jitter_of_a_call_are_those_of_its_flow(comparison: Comparison) -> None:
    flows = comparison["flows"].with_columns(lost=pl.lit(5.0), datagrams=pl.lit(100.0))
    flows = flows.with_columns(jitter_s=pl.lit(0.004))
    with_losses = Comparison.__new__(Comparison)
    with_losses.__dict__ = {**comparison.__dict__, "tables": {**comparison.tables, "flows": flows}}
    lost, jitter = spreads.of_datagrams(with_losses)
    for picture, value in ((lost, 5.0), (jitter, 4.0)):
        values, (line,), _ = picture.chart.args  # type: ignore[attr-defined]
        assert (line.label, values["mean"].to_list()) == ("call", [pytest.approx(value)])
    # Nothing was lost: there is no picture of it.
    none = {**comparison.tables, "flows": flows.with_columns(lost=pl.lit(0.0))}
    with_losses.__dict__["tables"] = none
    assert [it.name for it in spreads.of_datagrams(with_losses)] == ["udp-jitter_s"]


def test_the_hit_ratio_is_that_of_a_file_fetched_twice(comparison: Comparison) -> None:
    # The second consumer finds all of it in the router's store.
    router = comparison["nodes"].filter(node="router")
    hits, misses = router["content_store_hits"].item(), router["content_store_misses"].item()
    (picture,) = spreads.hit_ratios(comparison)
    values = picture.chart.args[0]  # type: ignore[attr-defined]
    assert values["mean"].to_list() == pytest.approx([100 * hits / (hits + misses)])
    assert hits > 0


def test_events_are_what_the_file_says_that_happens_during_the_run() -> None:
    assert events(parsed(SCENARIO)).rows() == [
        (1.0, "bulk-2 starts"),
        (2.0, "far down"),
        (2.5, "far up"),
        (3.0, "second starts"),
    ]
    assert events(parsed("not a scenario =")).is_empty()


def test_changes_of_two_directions_and_of_a_queue_are_named_as_in_the_file() -> None:
    rate = '{ at = "1 s", rate = ["2 Mbps", "1 Mbps"] }'
    queue = '{ at = "2 s", queue.limit = "20 kB" }'
    text = f'duration = "3 s"\nlinks.path.changes = [{rate}, {queue}]'
    assert events(parsed(text)).rows() == [
        (1.0, "path rate 2 Mbps / 1 Mbps"),
        (2.0, "path queue limit 20 kB"),
    ]


def test_events_are_drawn_on_every_axis_of_time(comparison: Comparison) -> None:
    for name, kind in OVER_TIME.items():
        for picture in kind(comparison):
            text = json.dumps(picture.specification(LIGHT))
            assert "2.0,far down" in text, name
            assert "far down at 2 s" in picture.caption


def test_bursts_leave_the_axis_and_steady_rates_do_not() -> None:
    steady = [10.0] * 99
    frame = pl.DataFrame({"line": "l0", "mean": [*steady, 12.0]}).with_columns(high=pl.col("mean"))
    assert below_bursts(frame) is None
    burst = pl.DataFrame({"line": "l0", "mean": [*steady, 80.0]}).with_columns(high=pl.col("mean"))
    top = below_bursts(burst)
    assert top is not None and 10 < top < 15


def test_the_network_is_drawn_with_its_use_and_queues(comparison: Comparison) -> None:
    flows, links = choices.flows(comparison), choices.links(comparison)
    drawn = network.network(comparison, flows, links)
    assert drawn and drawn.data["nodes"] == ["server", "router", "client", "other"]
    assert [name for name, _ in drawn.flows] == comparison.flows
    (far,) = (it for it in drawn.data["directions"] if (it["link"], it["from"]) == ("far", 1))
    series = comparison["link_series"].filter(**{"link": "far", "from": "router"})
    # As many instants as samples: each is one of them.
    assert drawn.data["times"] == pytest.approx(series["time_s"].to_list())
    assert far["use"] == (100 * series["utilisation"]).round().cast(pl.Int64).to_list()
    assert far["queue"] == pytest.approx(series["queue_packets"].to_list(), rel=1e-2)
    assert links and links.options[far["option"]] == "far: router to client"


def test_a_network_of_too_many_nodes_is_named_and_not_drawn(comparison: Comparison) -> None:
    names = pl.DataFrame({"to": [f"n{number}" for number in range(MOST_NODES)]})
    links = comparison["links"].head(1).drop("to").join(names, how="cross")
    many = Comparison.__new__(Comparison)
    many.__dict__ = {**comparison.__dict__, "tables": {**comparison.tables, "links": links}}
    drawn = network.network(many, None, None)
    assert drawn and drawn.data == {} and f"{MOST_NODES + 1} nodes is not drawn" in drawn.caption


def test_pictures_are_written_as_files_on_demand(results: Results, tmp_path: Path) -> None:
    folder = results.save(tmp_path / "mixed")
    write_report(folder)
    assert not (folder / "figures").exists()
    write_report(folder, figures=True)
    assert {"goodput.svg", "goodput.pdf"} <= {it.name for it in (folder / "figures").iterdir()}


def test_a_small_report_takes_little_longer_than_to_load_what_draws_it(
    results: Results, tmp_path: Path, windtunnel: Command
) -> None:
    results.save(tmp_path / "mixed")
    # The first fills the cache with what the page needs of JavaScript.
    windtunnel("report", "mixed")
    load = [sys.executable, "-c", "import altair, jinja2, polars, rich, typer"]
    reports, loads = [], []
    for _ in range(3):
        loads.append(processor_seconds(lambda: subprocess.run(load, check=True)))
        reports.append(processor_seconds(lambda: windtunnel("report", "mixed")))
    # In seconds, it would be a test of the machine, and of what else it does.
    assert min(reports) < 3.5 * min(loads)


def processor_seconds(act: Callable[[], object]) -> float:
    """Give the processor time of the child processes that something starts."""
    before = children()
    act()
    return children() - before


def children() -> float:
    """Give the processor time of all finished child processes, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
