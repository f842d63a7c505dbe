"""Pictures of single flows over time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import polars as pl

from windtunnel.measures.columns import RECEIVED
from windtunnel.pictures import series
from windtunnel.pictures.cases import Comparison, Line, panels
from windtunnel.pictures.over_time import in_panels
from windtunnel.pictures.picture import Picture


def each_flow(comparison: Comparison) -> list[Picture]:
    """Draw what each flow received over time, at least one picture per case."""
    divided = [
        replace(panel, title=": ".join(filter(None, [*comparison.parts(case), panel.title])))
        for case in range(len(comparison.cases))
        for panel in panels(lines_of_flows(comparison, case))
    ]
    get = partial(goodput_of_flows, comparison["flow_series"])
    return in_panels("each-flow", "Data received by each flow", RECEIVED, divided, get)


def lines_of_flows(comparison: Comparison, case: int) -> list[Line]:
    """Give a line for each flow."""
    flows = comparison["flows"].filter(case=case)
    pairs = flows.select("flow", "flow_controller").unique(maintain_order=True).rows()
    return comparison.ranked(
        ((case, (flow,), controller) for flow, controller in pairs), [flow for flow, _ in pairs]
    )


def goodput_of_flows(samples: pl.DataFrame, lines: list[Line]) -> series.Series:
    """Give what the flows received that lines are named after."""
    rows = [(it.case, it.group, it.name) for it in lines]
    kinds = {"case": pl.UInt32, "flow": pl.String, "line": pl.String}
    names = pl.DataFrame(rows, kinds, orient="row")
    named = samples.join(names, on=["case", "flow"], maintain_order="left")
    return series.over_runs(named.select("line", "time_s", value=RECEIVED.column))
