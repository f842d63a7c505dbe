"""Controllers where the round trip of light steps, as at the changes of paths over satellites.

The steps are those of Rio de Janeiro – Saint Petersburg over Kuiper's shell, at 10 Mbps: up from
95.74 to 110.90 ms, and down by 17.16 ms.
"""

from __future__ import annotations

import math
from statistics import fmean

import polars as pl
import pytest

import windtunnel

STEPS_DOWN = """
duration = "40 s"
recording = { links = false, flows = { interval = "100 ms" } }
routing.convergence = "0 s"

[nodes]
sender = {}
near = {}
far = {}
receiver = {}

[links]
first = { nodes = ["sender", "near"], rate = "10 Mbps", delay = "1 ms" }
long = { nodes = ["near", "far"], rate = "1 Gbps", delay = "54.59 ms" }
last = { nodes = ["far", "receiver"], rate = "1 Gbps", delay = "1 ms" }

# From 20 s on there is a shorter way.
[links.short]
nodes = ["near", "far"]
rate = "1 Gbps"
delay = "46.01 ms"
changes = [{ at = "1 ms", state = "down" }, { at = "20 s", state = "up" }]

# Fewer segments than fill path and queue: nothing is dropped.
[flows.flow]
from = "sender"
to = "receiver"
controller = "reno"
buffers.receive = "160 KiB"
"""


def counted(recovery: str) -> dict[str, int]:
    scenario = windtunnel.Scenario.parse(STEPS_DOWN).changed({"flows.flow.recovery": recovery})
    results = windtunnel.run(scenario, progress=False)
    assert results["links"]["overlimit_drops"].sum() == 0
    row: dict[str, int] = results["flows"].to_dicts()[0]
    return row


def test_a_step_down_reorders_and_only_selective_acknowledgements_take_it_for_loss() -> None:
    """Seven full segments leave in 8.58 ms at 10 Mbps, and as many are overtaken.

    Where segments count as lost once three beyond them were received (RFC 6675), one is sent
    again. Three duplicates in a row (RFC 5681) do not come: old and new segments arrive in turn.
    RACK waits for a quarter of the round trip (RFC 8985).
    """
    rack = counted("rack")
    assert rack["reordered"] == 7
    assert (rack["retransmissions"], rack["decreases"]) == (0, 0)
    sack = counted("sack")
    assert sack["reordered"] == 7
    assert sack["retransmissions"] >= 1
    assert sack["decreases"] >= 1
    new_reno = counted("new-reno")
    assert (new_reno["reordered"], new_reno["retransmissions"]) == (7, 0)


def test_a_step_up_holds_vegas_at_the_window_of_the_old_round_trip() -> None:
    scenario = windtunnel.Scenario.parse("""
duration = "120 s"
recording = { links = false, flows = { interval = "100 ms" } }

[nodes]
sender = {}
receiver = {}

[links.path]
nodes = ["sender", "receiver"]
rate = "10 Mbps"
delay = "47.87 ms"
changes = [{ at = "40 s", delay = "55.45 ms" }]

[flows.flow]
from = "sender"
to = "receiver"
controller = "vegas"
acknowledgements.every = "1 segment"
""")
    series = windtunnel.run(scenario, progress=False)["flow_series"]
    full = series.filter(pl.col("time_s").is_between(30, 40))["goodput_bps"].to_list()
    assert fmean(full) > 9.5e6
    late = series.filter(pl.col("time_s") > 100)
    # It takes the step for a queue of w (T - Tb) / Tb segments, as Linux has it, and shrinks the
    # window until that is at most beta, which is 4. (With the paper's w (T - Tb) / T, that
    # would be at 29.6.) A segment's transmission, 1.2 ms, belongs to both round trips.
    base, now = 95.74 + 1.2, 110.90 + 1.2
    most = 4 * base / (now - base)
    assert most == pytest.approx(25.6, abs=0.05)
    windows: list[float] = late["cwnd_segments"].unique().to_list()
    window = max(windows)
    assert len(windows) == 1
    assert most - 1 < window <= most
    goodput = math.floor(window) * 1448 * 8 / (now / 1e3)
    assert late["goodput_bps"].mean() == pytest.approx(goodput, rel=0.01)
