"""Reports of optical links: the received power, the margin and the link budget."""

from __future__ import annotations

import polars as pl
import pytest

from windtunnel._core import Scenario
from windtunnel.measures import totals
from windtunnel.pictures import channels
from windtunnel.pictures.cases import Comparison
from windtunnel.report import tables
from windtunnel.running import run_scenario

OPTICAL = """\
duration = "4 s"
nodes = { west = {}, east = {} }

[links.beam]
nodes = ["west", "east"]
delay = "2 us"

[links.beam.optical]
rate = "10 Mbps"
wavelength = "1550 nm"
distance = "150 m"
visibility = "1 km"
turbulence = { structure = 1e-13 }
transmit_power = "0 dBm"
divergence = "0.3 mrad"
receiver_aperture = "20 mm"
sensitivity = "-9 dBm"

[recording]
channels = { interval = "10 ms" }

[flows.f]
from = "west"
to = "east"
controller = "cubic"
"""


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Run it once."""
    return Comparison(run_scenario(Scenario("optical", OPTICAL)))


def test_received_power_and_margin_are_drawn_over_time(comparison: Comparison) -> None:
    drawn = {it.name: it for it in channels.of_link(comparison)}
    assert set(drawn) == {"received", "margin", "rate"}
    assert drawn["received"].title == "Received power from west to east (beam)"
    assert drawn["margin"].title == "Margin from west to east (beam)"


def test_the_budget_has_its_terms_and_their_sum(comparison: Comparison) -> None:
    table = tables.link_budgets(comparison)
    rows = [[cell.text for _, cell in row] for row in table.rows]
    terms = [row[-3] for row in rows[: len(rows) // 2]]
    assert terms == [
        "transmitted power (dBm)",
        "optics (dB)",
        "divergence of the beam (dB)",
        "fog (dB)",
        "received power (dBm)",
        "sensitivity (dBm)",
        "margin (dB)",
    ]
    values = [float(row[-1].replace("\N{MINUS SIGN}", "-")) for row in rows[: len(terms)]]
    assert sum(values[:4]) == pytest.approx(values[4], abs=0.1)
    assert values[4] - values[5] == pytest.approx(values[6], abs=0.1)


def test_an_outage_is_the_share_of_time_with_too_little_power(comparison: Comparison) -> None:
    measured = totals.of_channels(comparison)
    samples = comparison["channel_series"]
    share = (samples["margin_db"] < 0).mean()
    assert isinstance(share, float)
    assert 0.1 < share < 0.9
    assert measured["outage"].mean() == pytest.approx(share)
    received = samples.select(pl.col("received_dbm") + 9 - pl.col("margin_db")).to_series()
    assert received.abs().max() == pytest.approx(0, abs=1e-9)
