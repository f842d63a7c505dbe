"""What a flow of a controller reaches on the network of a case."""

from __future__ import annotations

import json

import polars as pl

from windtunnel.controller_names import NamedController
from windtunnel.extensions import ExtensionError
from windtunnel.results import Results
from windtunnel.running import run
from windtunnel.scenario.scenario import Scenario

FLOW = "flow"
"""The name of the flow in the scenarios."""

MEANS = {"goodput": "goodput_bps", "cwnd": "cwnd_segments", "rtt": "smoothed_rtt_s"}
"""The columns of `flow_series` of which the mean is taken."""

LOST = ("dropped", "lost")
SENT = ("sent", "retransmitted")


def measure(
    name: str, text: str, wanted: str, controller: NamedController
) -> list[float | None] | str:
    """Run a scenario with a controller, and measure its flow; or say why that failed.

    `name` is what messages call the scenario, `wanted` a JSON array of quantities with the times
    from which and until which they are measured. Raises ScenarioError.
    """
    chosen = Scenario.parse(text, name).changed(
        {f"flows.{FLOW}.controller": controller.name}, controller.own
    )
    asked = json.loads(wanted)
    events = [FLOW] if any(it["quantity"] == "loss" for it in asked) else []
    try:
        results = run(chosen, progress=False, events=events)
    except ExtensionError as error:
        return str(error)
    return [measured(results, **it) for it in asked]


def measured(results: Results, quantity: str, from_s: float, to_s: float) -> float | None:
    """Measure a quantity between two times."""
    is_within = (pl.col("time_s") > from_s) & (pl.col("time_s") <= to_s)
    if quantity == "loss":
        return loss(results["packet_events"].filter(is_within))
    samples = results["flow_series"].filter((pl.col("flow") == FLOW) & is_within)
    mean: float | None = samples.select(pl.col(MEANS[quantity]).mean()).item()
    return mean


def loss(events: pl.DataFrame) -> float | None:
    """Give the share of the packets with data that were lost or dropped."""
    of_data = events.filter(pl.col("data_bytes") > 0)["kind"]
    sent, lost = (int(of_data.is_in(it).sum()) for it in (SENT, LOST))
    return lost / sent if sent else None
