"""One word means one number: goodput, delay, fairness and the busiest link, wherever they stand."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from windtunnel import run, summary
from windtunnel.measures import totals
from windtunnel.pictures.cases import Comparison
from windtunnel.report import tables
from windtunnel.results import Results
from windtunnel.studies.measures import measured

HOME = """\
duration = "10 s"
nodes = { server = {}, router = {}, home = {} }
links.core = { nodes = ["server", "router"], rate = "40 Mbps", delay = "5 ms" }
[links.line]
nodes = ["router", "home"]
rate = "1 Gbps"
delay = "5 ms"
queue = [{ kind = "cake", rate = "20 Mbps" }, { kind = "drop-tail", limit = "1 MB" }]
[flows]
call = { from = "server", to = "home", protocol = "udp", rate = "100 kbps", payload = "160 B" }
early = { from = "server", to = "home", controller = "cubic" }
late = { from = "server", to = "home", controller = "cubic", start = "5 s" }
upload = { from = "home", to = "server", controller = "cubic", stop = "2 s" }
"""
"""Downloads through a shaper in a fast link, which is their bottleneck, beside an upload that fills
the other direction of the slower link for a while."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Run it."""
    file = tmp_path_factory.mktemp("home") / "home.toml"
    file.write_text(HOME, encoding="utf-8")
    return run(file, progress=False)


def test_the_goodput_of_a_flow_is_the_same_on_the_terminal_and_in_the_report(
    results: Results,
) -> None:
    flows = {it["flow"]: it for it in results["flows"].rows(named=True)}
    late = flows["late"]
    assert late["goodput_bps"] == pytest.approx(late["received_bytes"] * 8 / 10)
    assert (late["active_s"], flows["early"]["active_s"], flows["upload"]["active_s"]) == (5, 10, 2)
    goodput = f"{late['goodput_bps'] / 1e6:.2f}"
    assert re.search(rf"^ late +cubic +{goodput} +5\.00 ", summary.text(results), re.MULTILINE)
    table = tables.flows(Comparison(results))
    [column] = [it for it in table.columns if it.title == "goodput (Mbps)"]
    assert f"{float(column.cells[2].text):.2f}" == goodput


def test_the_busiest_link_is_the_shaper_in_the_direction_of_the_goodput(results: Results) -> None:
    [shaper] = results["links"].filter(pl.col("from") == "router", link="line").rows(named=True)
    assert shaper["shaped_rate_bps"] == 20e6 and shaper["utilisation"] < 0.03
    said = summary.text(results)
    assert re.search(r"line: router to home +\d+\.\d+ +20\.0 +9\d\.", said), said
    [of_case] = totals.of_links(Comparison(results)).rows(named=True)
    assert of_case["rate_bps"] == 20e6
    assert of_case["utilisation"] == pytest.approx(shaper["throughput_bps"] / 20e6)
    # A study says the same of its run.
    keyed = {name: it.with_columns(key=pl.lit("a")) for name, it in results.tables.items()}
    [of_run] = measured(keyed).rows(named=True)
    assert of_run["utilisation"] == of_case["utilisation"]
    assert of_run["queue_delay_s"] == shaper["sojourn_s"]


def test_delays_there_and_back_are_not_averaged_with_delays_one_way(results: Results) -> None:
    [found] = totals.of_flows(Comparison(results), ["case"]).rows(named=True)
    flows = results["flows"]
    assert found["one_way_delay_s"] == flows.filter(flow="call")["delay_s"].item()
    others = flows.filter(pl.col("flow") != "call")["delay_s"].mean()
    assert found["delay_s"] == pytest.approx(others)


def test_fairness_is_of_flows_of_one_direction_that_want_the_same(results: Results) -> None:
    [found] = totals.of_flows(Comparison(results), ["case"]).rows(named=True)
    shares = [
        it["received_bytes"] / it["active_s"]
        for it in results["flows"].rows(named=True)
        if it["flow"] in ("early", "late")
    ]
    index = sum(shares) ** 2 / (2 * sum(it**2 for it in shares))
    assert found["fairness"] == pytest.approx(index)


def test_a_flow_with_a_rate_of_its_own_wants_no_share(tmp_path: Path) -> None:
    kept = [it for it in HOME.splitlines() if not it.startswith(("late", "upload"))]
    workload = 'workload = { kind = "bulk", rate = "1 Mbps" }'
    slow = f'slow = {{ from = "server", to = "home", controller = "cubic", {workload} }}'
    file = tmp_path / "slow.toml"
    file.write_text("\n".join([*kept, slow]))
    [found] = totals.of_flows(Comparison(run(file, progress=False)), ["case"]).rows(named=True)
    # The other download alone is left.
    assert found["fairness"] is None


def test_all_runs_of_a_case_have_the_same_direction() -> None:
    """In one of three runs the upload receives more than the download."""
    results = run(Path(__file__).parents[1] / "scenarios" / "home.toml", progress=False)
    received = results["flows"].filter(pl.col("flow").is_in(["download", "upload"]))
    by_run = received.filter(home="before").pivot("flow", index="run", values="received_bytes")
    assert (by_run["upload"] > by_run["download"]).sum() == 1
    comparison = Comparison(results)
    links = totals.of_links(comparison).filter(case=0)
    assert links["rate_bps"].to_list() == pytest.approx([40e6] * 3, rel=1e-3)
    goodput = totals.of_flows(comparison, ["case"]).filter(case=0)["goodput_bps"]
    assert f"{sum(goodput.to_list()) / 3e6:.1f}" == "7.8"
    assert re.search(r"before +line: router to home +7\.8 ", summary.text(results))
