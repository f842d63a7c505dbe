"""What a flow of a controller reaches on the network of a case."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from windtunnel.conformance.stacks import FLOW, ChosenStack, NotMeasurable
from windtunnel.controller_names import NamedController
from windtunnel.extensions import ExtensionError
from windtunnel.results import Results
from windtunnel.running import run
from windtunnel.scenario.scenario import Scenario

MEANS = {"goodput": "goodput_bps", "cwnd": "cwnd_segments", "rtt": "smoothed_rtt_s"}
"""The columns of `flow_series` of which the mean is taken."""

LOST = ("dropped", "lost")
SENT = ("sent", "retransmitted")

MOMENTS = 40
"""Into how many equal parts the trace of a run is divided."""


class Measurement:
    """The run of a case's network with a controller."""

    def __init__(self, name: str, controller: NamedController, stack: ChosenStack | None) -> None:
        """Take what messages call the scenario; without a stack the flow is as the case has it."""
        self.name = name
        self.controller = controller
        self.stack = stack
        self.trace: list[dict[str, Any]] = []
        """The means of the flow over parts of the run, in the order of time."""

    def measure(self, text: str, wanted: str) -> list[float | None] | str:
        """Run a scenario, and measure its flow; or say why that failed.

        `wanted` is a JSON array of quantities with the times from which and until which they are
        measured. Raises ScenarioError, and NotMeasurable if a stack does not report them.
        """
        scenario = self.with_controller(Scenario.parse(text, self.name))
        asked = json.loads(wanted)
        events = [FLOW] if any(it["quantity"] == "loss" for it in asked) else []
        try:
            results = run(scenario, progress=False, events=events)
        except ExtensionError as error:
            return str(error)
        series = results["flow_series"].filter(pl.col("flow") == FLOW)
        self.trace = moments(series)
        if self.stack:
            if failure := results["flows"].filter(pl.col("flow") == FLOW)["failure"].item():
                return str(failure)
            check_reported(self.stack, series, [it["quantity"] for it in asked])
        return [measured(results, **it, is_sealed=self.stack is not None) for it in asked]

    def with_controller(self, scenario: Scenario) -> Scenario:
        """Set the controller of the flow, and what carries it."""
        if self.stack:
            return self.stack.carrying(scenario, self.controller)
        return scenario.changed(
            {f"flows.{FLOW}.controller": self.controller.name}, self.controller.own
        )


def check_reported(stack: ChosenStack, series: pl.DataFrame, quantities: list[str]) -> None:
    """Check that a stack reports some of each quantity. Raises NotMeasurable."""
    for quantity in quantities:
        column = MEANS.get(quantity)
        if column and series[column].null_count() == len(series):
            raise NotMeasurable(f"{stack.name} does not report its `{quantity}`")


def moments(series: pl.DataFrame) -> list[dict[str, Any]]:
    """Give the means of a flow over equal parts of its run, with the time at which each ends."""
    if series.is_empty():
        return []
    part = series["time_s"].max() / MOMENTS  # type: ignore[operator]
    # A sample at the end of a part is of that part, whatever the rounding.
    number = (pl.col("time_s") / part - 1e-6).ceil().alias("number")
    means = series.group_by(number, maintain_order=True).agg(
        pl.col("time_s").last(), pl.col(*MEANS.values()).mean()
    )
    return means.drop("number").to_dicts()


def measured(
    results: Results, quantity: str, from_s: float, to_s: float, is_sealed: bool = False
) -> float | None:
    """Measure a quantity between two times; `is_sealed` is as in `loss`."""
    is_within = (pl.col("time_s") > from_s) & (pl.col("time_s") <= to_s)
    if quantity == "loss":
        events = results["packet_events"]
        return loss((of_sender(events) if is_sealed else events).filter(is_within))
    samples = results["flow_series"].filter((pl.col("flow") == FLOW) & is_within)
    mean: float | None = samples.select(pl.col(MEANS[quantity]).mean()).item()
    return mean


def loss(events: pl.DataFrame) -> float | None:
    """Give the share of the packets with data that were lost or dropped."""
    of_data = events.filter(pl.col("data_bytes") > 0)["kind"]
    sent, lost = (int(of_data.is_in(it).sum()) for it in (SENT, LOST))
    return lost / sent if sent else None


def of_sender(events: pl.DataFrame) -> pl.DataFrame:
    """Give the packets of the end that the data comes from.

    What the packets of an implementation carry is not seen, and both ends number theirs from 0: one
    that was lost is the sender's if that has sent one of the same number and size.
    """
    sent = events.filter((pl.col("at") == "sender") & pl.col("kind").is_in(SENT))
    lost = events.filter(pl.col("kind").is_in(LOST))
    return pl.concat([sent, lost.join(sent, on=["number", "data_bytes"], how="semi")])
