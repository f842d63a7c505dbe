"""The review's mechanisms: measures against laws, and what other projects could read."""

from __future__ import annotations

from collections import Counter
from math import exp, log
from pathlib import Path
from types import ModuleType

import numpy as np
import polars as pl
import pytest

from conftest import Command
from test_capture import needs_tshark, tshark
from windtunnel import Results, package_data
from windtunnel.measures.measure import VALUE

FOLDER = package_data.PAPERS / "ngi-review"


# -- Laws ------------------------------------------------------------------------------------------


def test_one_mix_delays_by_the_exponential_law(models: ModuleType) -> None:
    delays = np.array([-1.0, 0.0, 0.05, 0.05 * log(2)])
    assert models.erlang(delays, 1, 0.05) == pytest.approx([0, 0, 1 - exp(-1), 0.5])


@pytest.mark.parametrize("mixes", [1, 2, 3, 8])
def test_the_mean_of_erlangs_law_is_the_sum_of_the_means(models: ModuleType, mixes: int) -> None:
    delays = np.linspace(0, 5, 500_001)
    later = 1 - models.erlang(delays, mixes, 0.05)
    assert later.sum() * delays[1] == pytest.approx(0.05 * mixes, rel=1e-3)


def test_delays_have_no_distance_from_their_own_law_and_much_from_another(
    models: ModuleType,
) -> None:
    drawn = np.random.default_rng(1).gamma(3, 0.05, 10_000)
    # Massart's bound: above 0.02 once in three thousand.
    assert models.distance(drawn, 3, 0.05) < 0.02
    assert models.distance(drawn, 2, 0.05) > 0.2


def results(**tables: pl.DataFrame) -> Results:
    """Give results of these tables, of one run."""
    return Results([], {name: it.with_columns(run=0) for name, it in tables.items()})


def value(frame: pl.DataFrame) -> float:
    """Give the only value of a measure."""
    only: float = frame[VALUE].item()
    return only


def test_the_gap_of_a_failure_begins_with_it_and_may_last_to_the_end(measures: ModuleType) -> None:
    runs = pl.DataFrame({"duration_s": [40.0]})
    times = [1.0, 9.0, 9.99, 10.35, 10.36, 30.0]
    series = pl.DataFrame({"time_s": [*times, 35.0], "goodput_bps": [1.0] * len(times) + [0.0]})
    assert value(measures.gap(results(flow_series=series, runs=runs), ["run"])) == pytest.approx(
        0.36
    )
    ended = series.filter(pl.col("time_s") < 10)
    assert value(measures.gap(results(flow_series=ended, runs=runs), ["run"])) == pytest.approx(
        30.01
    )


def test_what_is_missing_and_what_came_are_the_file(measures: ModuleType) -> None:
    flows = pl.DataFrame({"received_bytes": [149_000_000]})
    assert value(measures.missing(results(flows=flows), ["run"])) == pytest.approx(1.0)


def arrivals(counts: np.ndarray) -> pl.DataFrame:
    """Give a series with this many messages in each interval."""
    return pl.DataFrame(
        {
            "flow": "messages",
            "time_s": 1.0 + 0.005 * np.arange(1, len(counts) + 1),
            "goodput_bps": counts * 1400 * 8 / 0.005,
        }
    )


def test_poissons_variance_is_its_mean_and_that_of_a_clock_is_none(measures: ModuleType) -> None:
    drawn = np.random.default_rng(1).poisson(0.25, 400_000)
    found = measures.dispersion(results(flow_series=arrivals(drawn)), ["run"])
    assert value(found) < 4 * (2 / 40_000) ** 0.5
    regular = results(flow_series=arrivals(np.ones(1000, dtype=int)))
    assert value(measures.dispersion(regular, ["run"])) == pytest.approx(1.0)


def test_signals_in_proportion_to_the_queue_have_full_fidelity(measures: ModuleType) -> None:
    time = np.arange(21.0, 60.0)
    sojourn = np.abs(np.sin(time))
    series = pl.DataFrame(
        {
            "link": "bottleneck",
            "from": "router",
            "time_s": time,
            "sojourn_s": sojourn,
            "marks": 2 * sojourn,
            "some_congestion_marks": 5 * sojourn,
            "discipline_drops": 0.0,
        }
    )
    fidelity = measures.MEASURES["fidelity"].take(results(link_series=series), ["run"])
    assert value(fidelity) == pytest.approx(1.0)


# -- IGNNITION: what models of networks learn from -------------------------------------------------

NETWORK = """\
duration = "4 s"
recording.interval = "20 ms"
nodes = { source = {}, left = {}, right = {}, target = {} }
[defaults.link]
rate = "10 Mbps"
delay = "5 ms"
queue = { kind = "drop-tail", limit = "20 packets" }
[links]
in = { nodes = ["source", "left"] }
middle = { nodes = ["left", "right"], rate = "5 Mbps", loss = { probability = "1 %" } }
out = { nodes = ["right", "target"] }
detour = { nodes = ["left", "target"], delay = "30 ms" }
[flows.probe]
from = "source"
to = "target"
protocol = "udp"
rate = "400 kbps"
payload = "500 B"
[flows.load]
from = "source"
to = "target"
controller = "cubic"
"""


def test_a_results_folder_has_what_a_graph_neural_network_learns_from(
    windtunnel: Command, tmp_path: Path
) -> None:
    (tmp_path / "network.toml").write_text(NETWORK, encoding="utf-8")
    ran = windtunnel("run", "network.toml", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    found = Results.load(tmp_path / "there")
    links, flows = found["links"], found["flows"]
    # The graph: each link in both directions, with its load.
    edges = set(links.select("link", "from", "to").iter_rows())
    assert ("middle", "left", "right") in edges
    assert ("detour", "target", "left") in edges
    assert len(edges) == 8
    middle = links.filter(link="middle", to="right").row(0, named=True)
    carried = middle["throughput_bps"] * (1 + middle["losses"] / middle["delivered"]) / 5e6
    assert middle["utilisation"] == pytest.approx(carried, rel=0.02)
    # Which links a path uses is in the load of those that it alone could use.
    assert links.filter(link="detour")["delivered"].sum() == 0
    # Of each path its delay, its jitter and its loss.
    probe = flows.filter(flow="probe").row(0, named=True)
    assert probe["delay_minimum_s"] >= 0.015
    assert probe["delay_minimum_s"] < probe["delay_s"] < probe["delay_maximum_s"]
    lost = 1 - probe["received_bytes"] / 500 / probe["datagrams"]
    assert 0 < lost < 0.2
    delays = found["flow_series"].filter(flow="probe")["delay_s"].drop_nulls()
    assert np.std(delays.to_numpy()) > 1e-4


# -- The analyser of Multipath TCP ----------------------------------------------------------------

FAILURE = """\
duration = "6 s"
nodes = { server = {}, upper = {}, lower = {}, client = {} }
[defaults.link]
rate = "10 Mbps"
delay = "5 ms"
queue = { kind = "drop-tail", limit = "100 packets" }
[links]
a = { nodes = ["server", "upper"] }
b = { nodes = ["upper", "client"], changes = [{ at = "1 s", state = "down" }] }
c = { nodes = ["server", "lower"] }
d = { nodes = ["lower", "client"] }
[flows.download]
from = "server"
to = "client"
controller = "cubic"
workload = { kind = "file", size = "3 MB" }
multipath = {}
"""


@needs_tshark
def test_a_capture_has_what_an_analyser_of_multipath_tcp_finds(
    windtunnel: Command, tmp_path: Path
) -> None:
    """The share of each subflow, and what was sent on a second one, are those of the tables."""
    (tmp_path / "failure.toml").write_text(FAILURE, encoding="utf-8")
    ran = windtunnel("run", "failure.toml", "--pcap", "server", "--out", "there")
    assert ran.returncode == 0, ran.stderr
    folder = tmp_path / "there"
    file = folder / "captures" / "run-0" / "server.pcapng"
    rows = tshark(
        file,
        "tcp.len > 0 && ip.src == 10.0.0.1/8 && tcp.options.mptcp.rawdataseqno",
        "tcp.stream",
        "tcp.options.mptcp.rawdataseqno",
        "tcp.len",
    )
    carried: dict[str, Counter[int]] = {"0": Counter(), "1": Counter()}
    for stream, number, _ in rows:
        carried[stream][int(number)] += 1
    # Some are sent on the second one twice.
    again = sum(times for number, times in carried["1"].items() if number in carried["0"])
    found = Results.load(folder)
    reinjected = found["subflows"]["reinjected_bytes"].sum()
    assert reinjected > 0
    assert again * 1420 == pytest.approx(reinjected, abs=1420)
    assert found["flows"]["received_bytes"].item() == 3_000_000
