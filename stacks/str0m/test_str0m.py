"""str0m as a stack: `make validate-stacks` builds the library and runs this.

It is not among the tests of `make test`, which would have to build the library first.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import windtunnel
from windtunnel import Plugin, Results, Scenario

ROOT = Path(__file__).parents[2]
PLUGIN = Plugin(ROOT / "target" / "stacks" / "str0m.so")
VIDEO = """
duration = "30.16 s"
nodes = { sender = {}, receiver = {} }

[links.path]
nodes = ["sender", "receiver"]
rate = "2 Mbps"
delay = "25 ms"
overhead = "0 B"
queue = { kind = "drop-tail", limit = "50 packets" }

[flows.video]
from = "sender"
to = "receiver"
protocol = "stack"
stack = { name = "str0m" }
"""


def video(seed: int = 1, **settings: object) -> Results:
    scenario = Scenario.parse(VIDEO, extensions={"str0m": PLUGIN})
    return windtunnel.run(scenario, settings=settings, seed=seed, progress=False)


def received_mbps(results: Results) -> float:
    """Give the rate of the frames that arrived, over the 30 s after the handshakes."""
    (flow,) = results["flows"].iter_rows(named=True)
    assert flow["failure"] is None
    return flow["received_bytes"] * 8 / 30e6


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_receives_what_it_receives_alone(seed: int) -> None:
    # A program that ran it over the same path without Windtunnel received 1.603 Mbps, and the queue
    # dropped 574 packets. Signatures of DTLS differ in size, and estimates then drift apart.
    results = video(seed)
    assert received_mbps(results) == pytest.approx(1.603, rel=0.05)
    assert results["links"]["overlimit_drops"].sum() == pytest.approx(574, rel=0.2)


def test_the_rate_follows_the_link_up_to_what_the_encoder_needs() -> None:
    slow, fast = (received_mbps(video(**{"links.path.rate": it})) for it in ("1 Mbps", "20 Mbps"))
    assert 0.5 < slow < 0.95
    assert 3 < fast < 4


def test_what_is_lost_at_random_is_sent_again() -> None:
    settings = {"links.path.rate": "20 Mbps", "links.path.loss": "1 %"}
    without = received_mbps(video(**{"links.path.rate": "20 Mbps"}))
    assert received_mbps(video(**settings)) > 0.9 * without


@pytest.mark.parametrize(
    "workload",
    [
        {"kind": "file", "size": "1 MB"},
        {"kind": "request-response", "request": "1 kB", "response": "1 MB"},
    ],
)
def test_data_with_an_end_are_refused(workload: dict[str, object]) -> None:
    (failure,) = video(**{"flows.video.workload": workload})["flows"]["failure"]
    assert "leave out `workload`" in failure
