"""A link at 60 GHz: rain's law, what a report means, what the paper's numbers say."""

from __future__ import annotations

from types import ModuleType

import polars as pl
import pytest

from windtunnel import Results, package_data
from windtunnel.measures.measure import VALUE
from windtunnel.papers.paper import find_paper
from windtunnel.papers.published import read_published
from windtunnel.running import read

FOLDER = package_data.PAPERS / "mmicwsn"


# -- Rain ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("frequency", [10.0, 28.0, 60.48])
def test_rain_takes_for_a_hundredth_of_a_percent_what_it_is_stated_for(
    models: ModuleType, frequency: float
) -> None:
    assert models.exceeded(0.01, frequency) == pytest.approx(1.0, abs=0.003)


def test_rarer_rain_takes_more(models: ModuleType) -> None:
    taken = [models.exceeded(it, 60.48) for it in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)]
    assert taken == sorted(taken, reverse=True)


def test_a_link_is_away_for_as_long_as_rain_takes_its_margin(models: ModuleType) -> None:
    for percent in (0.002, 0.01, 0.1, 0.9):
        margin = 20.0 * models.exceeded(percent, 60.48)
        assert models.unavailable(margin, 20.0, 60.48) == pytest.approx(percent, rel=1e-6)


def test_beyond_the_law_the_nearest_percentage_is_given(models: ModuleType) -> None:
    assert models.unavailable(-1.0, 20.0, 60.48) == 1.0
    assert models.unavailable(99.0, 20.0, 60.48) == 0.001


def test_a_year_is_all_below_a_need_or_none(measures: ModuleType) -> None:
    def minutes(snr_in_rain: float, need: str) -> float:
        budget = pl.DataFrame(
            {
                "power": "rated",
                "from": "school-roof",
                "term": ["SNR", "rain"],
                "best": [snr_in_rain, -20.0],
            }
        )
        results = Results([], {"link_budgets": budget.with_columns(run=0)})
        found: float = measures.below(results, ["power", "run"], need)[VALUE].item()
        return found

    a_year = 365.25 * 24 * 60
    # In rain that leaves just the threshold, for 0.01 % of the year; more need lasts longer.
    assert minutes(5.54, "lost") == pytest.approx(a_year * 1e-4, rel=0.01)
    assert minutes(5.54, "slow") > minutes(5.54, "lost")
    assert minutes(-99.0, "lost") == pytest.approx(a_year / 100)


# -- Reports ---------------------------------------------------------------------------------------


def one_run(**tables: pl.DataFrame) -> Results:
    """Give results of these tables, of one run."""
    return Results([], {name: it.with_columns(run=0) for name, it in tables.items()})


def test_a_mean_of_shares_is_not_the_share_of_all(measures: ModuleType) -> None:
    """A second that loses all of ten and one that loses none of ninety."""
    series = pl.DataFrame({"lost_share": [1.0, 0.0]})
    flows = pl.DataFrame({"received_bytes": [90 * 1448], "lost": [10]})
    results = one_run(flow_series=series, flows=flows)
    assert measures.loss(results, ["run"])[VALUE].item() == 0.5
    assert measures.loss_of_all(results, ["run"])[VALUE].item() == pytest.approx(0.1)


def test_a_power_is_compared_in_picowatts(measures: ModuleType) -> None:
    budget = pl.DataFrame({"from": ["school-roof"], "term": ["received power"], "best": [-64.0]})
    received = measures.picowatts(one_run(link_budgets=budget), ["run"])[VALUE].item()
    assert received == pytest.approx(398, abs=0.5)


def test_megabytes_of_the_tool_are_binary(measures: ModuleType) -> None:
    series = pl.DataFrame({"cwnd_segments": [2**20 / 1448]})
    results = one_run(flow_series=series)
    windows = [
        measures.MEASURES[it].take(results, ["run"])[VALUE].item()
        for it in ("cwnd", "cwnd-decimal")
    ]
    assert windows == pytest.approx([1.0, 1.048576])


# -- What the paper's numbers say about each other ------------------------------------------------


def stated(table: str) -> dict[str, float]:
    """Give the paper's numbers of a table by the antennas."""
    [found] = [it for it in read_published(find_paper("mmicwsn")).tables if it.id == table]
    [values] = found.rows.values()
    return {name: float(value) for name, value in values.items()}


ETHERNET = 38
"""Bytes of preamble, header, check and gap a frame."""


def port_mbps(rate_mbps: float, payload: int, headers: int) -> float:
    """Give what a port carries of the payloads of full packets."""
    return rate_mbps * payload / (payload + headers + ETHERNET)


def test_what_tcp_had_is_what_ports_carry() -> None:
    tcp = stated("figure-4a")
    assert port_mbps(1000, 1448, 52) == pytest.approx(tcp["matched"], abs=0.6)
    assert port_mbps(100, 1448, 52) == pytest.approx(tcp["mismatched"], rel=0.003)


def test_what_was_sent_over_udp_without_matching_antennas_is_what_a_gigabit_port_takes() -> None:
    received, lost = stated("figure-4c")["mismatched"], stated("figure-4d")["mismatched"]
    low, high = (received - 0.05) / (1 - lost + 5e-4), (received + 0.05) / (1 - lost - 5e-4)
    assert low < port_mbps(1000, 1472, 28) < high
    # With the datagrams that iPerf3 takes from its connection, to a hundred-thousandth.
    assert low == pytest.approx(port_mbps(1000, 1448, 28), rel=1e-5)


def test_what_is_called_jitter_is_how_long_a_chunk_takes() -> None:
    """The product with the throughput is a chunk of 1,024 bytes and its name, in both."""
    names = []
    for antennas in ("matched", "mismatched"):
        mbps, us = stated("figure-4e")[antennas], stated("figure-4f")[antennas]
        names.append([(mbps + it * 0.05) * (us + it * 0.5) / 8 - 1024 for it in (-1, 1)])
    # Of a length that names of Cefore's have, and the same.
    assert all(low > 20 and high < 40 for low, high in names)
    assert max(low for low, _ in names) < min(high for _, high in names)


def test_a_window_of_eight_and_the_throughput_give_a_round_trip_far_above_the_links() -> None:
    for antennas in ("matched", "mismatched"):
        round_trip_us = 8 * stated("figure-4f")[antennas]
        # Two turns of Terragraph's frame are 800 µs, light takes 7.
        assert round_trip_us > 4000


def test_files_of_the_same_network_agree() -> None:
    """The mechanisms are changed on the network on which the paper is measured."""
    plans = [read(FOLDER / f"{it}.toml").text for it in ("tcp", "what-limits-tcp", "pointing-tcp")]
    for key in ("eirp", "distance", "antenna", "limit", "overhead"):
        lines = [{it for it in plan.splitlines() if it.startswith(f"{key} =")} for plan in plans]
        assert lines[0] == lines[1] == lines[2], key
